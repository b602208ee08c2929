// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shape of a join as C++: a class that runtime/include/ikra/generated/datalog/joins.hpp makes
// kernels of (docs/datalog-kernels.md). Relies on join_shape.hpp.
#pragma once

#include <string>
#include <string_view>

#include "datalog/plan/join_shape.hpp"

namespace ikra::datalog {

/// \param name of the class. \param rule for a comment: the text of a rule that it is for.
/// \returns whole lines, without indentation in front of the class.
std::string kernel_text(const join_shape& shape, const std::string& name, const std::string& rule);

/// \returns the bytes as the inside of a C++ string literal.
std::string escaped_text(std::string_view bytes);

} // namespace ikra::datalog
