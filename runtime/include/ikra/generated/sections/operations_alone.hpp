// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For a file without sections: its sorts, gathers and histograms are the runtime's as well. A
// linker takes of a library what is named, so this names it.
#pragma once

#include <ikra/macros_aside.hpp>

namespace ikra::rt {

void bring_objects_back();

namespace detail {
[[gnu::used]] inline void (*const runtime_of_operations)() = &bring_objects_back;
} // namespace detail

} // namespace ikra::rt

#include <ikra/macros_back.hpp>
