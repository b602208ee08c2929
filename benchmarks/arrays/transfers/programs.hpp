// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that spend their time on transfers: what they compute, and what all of them offer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace transfers {

enum class which {
  saxpy,    ///< two arrays in, one out
  sum,      ///< one array in
  selection ///< one array in, half of it out
};

/// The arrays, in memory as the system hands it out.
struct input {
  std::vector<float> x, y;
};
inline constexpr float factor = 2.5f, half = 0.5f;

struct outcome {
  std::size_t size; ///< of the result
  double sample;    ///< sum of a few elements
};
/// \param result of at least one element
inline outcome outcome_of(const float* result, std::size_t n) {
  double sum = 0;
  for (std::size_t i = 0; i < n; i += 1 + n / 1000)
    sum += static_cast<double>(result[i]);
  return {n, sum};
}

/// Through ikrac, on the device that IKRA_DEVICE names.
outcome by_ikra(which what, const input& in);
outcome by_openmp(which what, const input& in);

/// How bytes go over the link.
enum class link {
  at_once,     ///< both directions at a time, from and to pinned memory that is there
  in_turn,     ///< one direction after the other, likewise
  pageable,    ///< CUDA's own copies from and to the system's memory, one after the other
  pinned_first ///< the system's memory is pinned, and set free after the copies at once
};
/// \returns seconds for so many bytes to the GPU and back.
double link_seconds(link how, std::size_t up, std::size_t down);

} // namespace transfers
