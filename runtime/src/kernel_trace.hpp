// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// IKRA_TRACE=kernels: a line on stderr for each kernel of sections that a program runs, by which
// users and tests see what was fused.
#pragma once

#include <ikra/generated/section_info.hpp>

#include <cstddef>

namespace ikra::rt {

/// Notes that a kernel runs. What takes several launches (a reduction of many elements, the ticks
/// of a peach) counts once.
/// \param section  the one that messages name \param sections how many the kernel holds
/// \throws ikra::error of kind unsupported if IKRA_TRACE is neither `kernels` nor empty
void trace_kernel(const section_info& section, std::size_t sections);

} // namespace ikra::rt
