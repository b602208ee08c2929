// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a section over objects that may only run on one thread where it runs in place does so:
// a program's loop takes less time than tracing, unless there is much to do for each object. What
// either took before tells (docs/runtime.md, "Objects as they are").
#pragma once

#include <ikra/generated/device/section_info.hpp>

#include <cstddef>
#include <cstdint>

namespace ikra::rt {

/// \param threads that columns would have \param operations for an element in one tick, or
/// unbounded
bool one_thread_pays(const section_info& section, std::size_t elements, std::int64_t ticks,
                     unsigned threads, unsigned operations);

/// What one thread took, on the objects as they are.
void note_one_thread(const section_info& section, std::size_t elements, std::int64_t ticks,
                     double seconds);
/// What columns took. \param overhead seconds for tracing, filling and bringing back
/// \param launch seconds on all threads
void note_all_threads(const section_info& section, std::size_t elements, std::int64_t ticks,
                      double overhead, double launch);

} // namespace ikra::rt
