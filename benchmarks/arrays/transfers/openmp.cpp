// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The programs by hand, on all cores. Results are in fresh memory, as ikra's are.
#include "programs.hpp"

#include <memory>
#include <omp.h>

namespace transfers {
namespace {

/// make(k) for all k below n.
template <class T, class Make> std::vector<T> filled(std::size_t n, const Make& make) {
  std::vector<T> all(n);
  const auto count = static_cast<std::ptrdiff_t>(n);
#pragma omp parallel for
  for (std::ptrdiff_t i = 0; i < count; ++i)
    all[static_cast<std::size_t>(i)] = make(static_cast<std::size_t>(i));
  return all;
}
/// In [0, 1).
float fraction(std::size_t k) { return static_cast<float>(k * 7919 % 1024) / 1024.0f; }

} // namespace

input made(which what, std::size_t n) {
  input result;
  if (what == which::black_scholes) {
    result.options = filled<option>(n, [](std::size_t i) {
      return option{50 + 100 * fraction(3 * i), 50 + 100 * fraction(3 * i + 1),
                    0.25f + 4.75f * fraction(3 * i + 2)};
    });
    return result;
  }
  result.x = filled<float>(n, fraction);
  if (what == which::saxpy)
    result.y = filled<float>(n, [](std::size_t i) { return static_cast<float>(i % 1013); });
  return result;
}

outcome by_openmp(which what, const input& in) {
  if (what == which::black_scholes) {
    const auto count = static_cast<std::ptrdiff_t>(in.options.size());
    const option* const options = in.options.data();
    const std::unique_ptr<price[]> result(new price[in.options.size()]);
    price* const to = result.get();
#pragma omp parallel for simd
    for (std::ptrdiff_t i = 0; i < count; ++i)
      to[i] = price_of(options[i]);
    return outcome_of(to, in.options.size());
  }
  const auto n = static_cast<std::ptrdiff_t>(in.x.size());
  const float* const x = in.x.data();
  if (what == which::saxpy) {
    const float* const y = in.y.data();
    const std::unique_ptr<float[]> result(new float[in.x.size()]);
    float* const to = result.get();
#pragma omp parallel for simd
    for (std::ptrdiff_t i = 0; i < n; ++i)
      to[i] = factor * x[i] + y[i];
    return outcome_of(to, in.x.size());
  }
  if (what == which::sum) {
    double sum = 0;
#pragma omp parallel for simd reduction(+ : sum)
    for (std::ptrdiff_t i = 0; i < n; ++i)
      sum += static_cast<double>(x[i]);
    const auto result = static_cast<float>(sum);
    return outcome_of(&result, 1);
  }
  // Each thread counts its part, then copies to its place.
  std::vector<std::ptrdiff_t> first(static_cast<std::size_t>(omp_get_max_threads()) + 1);
  std::unique_ptr<float[]> result;
#pragma omp parallel
  {
    const std::ptrdiff_t threads = omp_get_num_threads(), me = omp_get_thread_num();
    const std::ptrdiff_t begin = n / threads * me,
                         end = me + 1 == threads ? n : n / threads * (me + 1);
    std::ptrdiff_t mine = 0;
    for (std::ptrdiff_t i = begin; i < end; ++i)
      mine += x[i] < half ? 1 : 0;
    first[static_cast<std::size_t>(me) + 1] = mine;
#pragma omp barrier
#pragma omp single
    {
      for (std::size_t t = 1; t < first.size(); ++t)
        first[t] += first[t - 1];
      result.reset(new float[static_cast<std::size_t>(first.back())]);
    }
    std::ptrdiff_t place = first[static_cast<std::size_t>(me)];
    for (std::ptrdiff_t i = begin; i < end; ++i)
      if (x[i] < half)
        result[static_cast<std::size_t>(place++)] = x[i];
  }
  return outcome_of(result.get(), static_cast<std::size_t>(first.back()));
}

} // namespace transfers
