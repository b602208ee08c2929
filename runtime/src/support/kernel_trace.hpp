// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// IKRA_TRACE=kernels: a line on stderr for each kernel of sections that a program runs, by which
// users and tests see what was fused.
#pragma once

#include <ikra/generated/device/section_info.hpp>

#include <cstddef>
#include <utility>

namespace ikra::rt {

/// Notes that a kernel runs. What takes several launches (a reduction of many elements, the ticks
/// of a peach, the parts of an array) counts once.
/// \param section  the one that messages name \param sections how many the kernel holds
/// \throws ikra::error of kind unsupported if IKRA_TRACE is neither `kernels` nor empty
void trace_kernel(const section_info& section, std::size_t sections);

/// While one exists, this thread's kernels are launches of one that was noted.
class untraced_kernels {
public:
  untraced_kernels() : was_(std::exchange(is_set(), true)) {}
  untraced_kernels(const untraced_kernels&) = delete;
  untraced_kernels& operator=(const untraced_kernels&) = delete;
  ~untraced_kernels() { is_set() = was_; }

  static bool& is_set() {
    static thread_local bool set = false;
    return set;
  }

private:
  bool was_;
};

} // namespace ikra::rt
