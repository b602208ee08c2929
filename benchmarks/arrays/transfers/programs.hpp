// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that spend their time on transfers: what they compute, and what all of them offer.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#ifdef __CUDACC__
#define TRANSFERS_BOTH __host__ __device__
#else
#define TRANSFERS_BOTH
#endif

namespace transfers {

enum class which {
  saxpy,        ///< two arrays in, one out
  sum,          ///< one array in
  selection,    ///< one array in, half of it out
  black_scholes ///< options in, prices out: structs of three floats and of two
};

struct option {
  float spot, strike, years;
};
struct price {
  float call, put;
};

/// The arrays that a program reads, in memory as the system hands it out.
struct input {
  std::vector<float> x, y;
  std::vector<option> options;
};
/// \param n elements of each array that the program reads; others are empty
input made(which what, std::size_t n);

inline constexpr float factor = 2.5f, half = 0.5f;

TRANSFERS_BOTH inline float below(float x) { return 0.5f * std::erfc(-x * 0.70710678f); }
TRANSFERS_BOTH inline price price_of(const option& o) {
  constexpr float rate = 0.05f, volatility = 0.2f;
  const float deviation = volatility * std::sqrt(o.years);
  const float d1 =
      (std::log(o.spot / o.strike) + (rate + volatility * volatility / 2) * o.years) / deviation;
  const float d2 = d1 - deviation;
  const float strike_today = o.strike * std::exp(-rate * o.years);
  return {o.spot * below(d1) - strike_today * below(d2),
          strike_today * below(-d2) - o.spot * below(-d1)};
}

struct outcome {
  std::size_t size; ///< of the result
  double sample;    ///< sum of a few elements
};
inline double number_of(float value) { return static_cast<double>(value); }
inline double number_of(const price& p) {
  return static_cast<double>(p.call) + 3 * static_cast<double>(p.put);
}
/// \param result of at least one element
template <class T> outcome outcome_of(const T* result, std::size_t n) {
  double sum = 0;
  for (std::size_t i = 0; i < n; i += 1 + n / 1000)
    sum += number_of(result[i]);
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
/// \returns seconds for so many bytes to the GPU and back, of each repetition.
std::vector<double> link_seconds(link how, std::size_t up, std::size_t down, int repeats);

} // namespace transfers
