// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the runtime's sources raise ikra::error: what happened, in which section, and what to do
// about it.
#pragma once

#include <ikra/error.hpp>
#include <ikra/generated/device/section_info.hpp>

#include <string>
#include <typeinfo>

namespace ikra::rt {

/// "section 'name' at file:line:column", and of one that a loop of a host section made ", in turn
/// 17 of the loop at file:line". For messages about the section that this thread computes.
std::string where_and_when(const section_info& section);

/// Throws ikra::error: "<section and turn>: <what>; <remedy>".
[[noreturn]] void fail(error_kind kind, const section_info& section, const std::string& what,
                       const std::string& remedy);

/// \returns the class's name as in the source.
std::string class_name(const std::type_info& type);

/// \returns e.g. "1.5 GiB", "300 B".
std::string byte_count(std::size_t bytes);

} // namespace ikra::rt
