// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a case of the tracer's benchmark has and measures, and how much memory the process takes.
#pragma once

#include <cstddef>

namespace tracer {

struct sizes {
  std::size_t cars, streets;
  unsigned degree; ///< neighbours of a street
  bool shuffled;   ///< whether cars are in no order of their addresses
};

struct measured {
  double traced, by_hand; ///< seconds, the least of all repetitions
  std::size_t bytes;      ///< that a trace takes at most
};

/// Cars of one class, or of many that a number of chance names.
measured measure_1(const sizes& s, int repeats);
measured measure_8(const sizes& s, int repeats);
measured measure_64(const sizes& s, int repeats);
measured measure_1000(const sizes& s, int repeats);

/// Of this process. A peak counts from the last forget_peak().
std::size_t resident_bytes();
std::size_t peak_bytes();
void forget_peak();

} // namespace tracer
