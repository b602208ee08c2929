// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operations by hand, for all cores: parallel loops over vectors whose memory is there already.
#include "programs.hpp"
#include "rules.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <omp.h>
#include <parallel/algorithm>
#include <utility>

namespace arrays {
namespace {

/// A loop nest over vectors of its own.
class loops final : public program {
public:
  loops(std::function<void()> once, std::function<std::uint64_t()> checksum)
      : once_(std::move(once)), checksum_(std::move(checksum)) {}
  void run(std::int64_t times) override {
    for (std::int64_t i = 0; i < times; ++i)
      once_();
  }
  std::uint64_t checksum() override { return checksum_(); }

private:
  std::function<void()> once_;
  std::function<std::uint64_t()> checksum_;
};

template <class T> struct in_and_out {
  std::vector<T> x, y, out;
};

template <class T, class Once>
std::unique_ptr<program> over(const std::shared_ptr<in_and_out<T>>& data, Once once) {
  return std::make_unique<loops>([data, once] { once(*data); },
                                 [data] { return checksum_of(data->out); });
}

/// Counts, then copies; each thread has one part of the elements.
template <bool (*Is)(std::int32_t)> void select(in_and_out<std::int32_t>& d) {
  std::vector<std::size_t> ends(static_cast<std::size_t>(omp_get_max_threads()) + 1);
  const std::size_t n = d.x.size();
  d.out.resize(n);
  std::size_t total = 0;
#pragma omp parallel
  {
    const auto me = static_cast<std::size_t>(omp_get_thread_num());
    const auto threads = static_cast<std::size_t>(omp_get_num_threads());
    const std::size_t begin = n * me / threads, end = n * (me + 1) / threads;
    const std::int32_t* const x = d.x.data();
    std::size_t count = 0;
    for (std::size_t i = begin; i < end; ++i)
      count += Is(x[i]) ? 1 : 0;
    ends[me + 1] = count;
#pragma omp barrier
#pragma omp single
    {
      for (std::size_t t = 0; t < threads; ++t)
        ends[t + 1] += ends[t];
      total = ends[threads];
    }
    std::int32_t* to = d.out.data() + ends[me];
    for (std::size_t i = begin; i < end; ++i)
      if (Is(x[i]))
        *to++ = x[i];
  }
  d.y.resize(1);
  d.y[0] = static_cast<std::int32_t>(total);
}

/// Each thread sums up its part, then goes through it again.
void scan(in_and_out<std::int32_t>& d) {
  std::vector<std::int32_t> before(static_cast<std::size_t>(omp_get_max_threads()) + 1);
  const std::size_t n = d.x.size();
#pragma omp parallel
  {
    const auto me = static_cast<std::size_t>(omp_get_thread_num());
    const auto threads = static_cast<std::size_t>(omp_get_num_threads());
    const std::size_t begin = n * me / threads, end = n * (me + 1) / threads;
    const std::int32_t* const x = d.x.data();
    std::uint32_t sum = 0;
    for (std::size_t i = begin; i < end; ++i)
      sum += static_cast<std::uint32_t>(x[i]);
    before[me + 1] = static_cast<std::int32_t>(sum);
#pragma omp barrier
#pragma omp single
    for (std::size_t t = 0; t < threads; ++t)
      before[t + 1] = wrapping_sum(before[t + 1], before[t]);
    std::int32_t all = before[me];
    std::int32_t* const out = d.out.data();
    for (std::size_t i = begin; i < end; ++i)
      out[i] = all = wrapping_sum(all, x[i]);
  }
}

/// The keys are in y. Each thread has the runs that begin in its part.
void runs(in_and_out<std::int32_t>& d) {
  std::vector<std::size_t> ends(static_cast<std::size_t>(omp_get_max_threads()) + 1);
  const std::size_t n = d.x.size();
  const std::int32_t* const key = d.y.data();
  const std::int32_t* const x = d.x.data();
  const auto begins = [key](std::size_t i) { return i == 0 || key[i] != key[i - 1]; };
#pragma omp parallel
  {
    const auto me = static_cast<std::size_t>(omp_get_thread_num());
    const auto threads = static_cast<std::size_t>(omp_get_num_threads());
    const std::size_t begin = n * me / threads, end = n * (me + 1) / threads;
    std::size_t count = 0;
    for (std::size_t i = begin; i < end; ++i)
      count += begins(i) ? 1 : 0;
    ends[me + 1] = count;
#pragma omp barrier
#pragma omp single
    {
      for (std::size_t t = 0; t < threads; ++t)
        ends[t + 1] += ends[t];
      d.out.resize(ends[threads]);
    }
    std::int32_t* to = d.out.data() + ends[me];
    std::size_t i = begin;
    while (i < end && !begins(i))
      ++i;
    while (i < end) {
      std::int32_t sum = x[i++];
      for (; i < n && !begins(i); ++i)
        sum = wrapping_sum(sum, x[i]);
      *to++ = sum;
    }
  }
}

void by_index(in_and_out<std::int32_t>& d) {
  const std::size_t n = d.x.size();
  const std::int32_t *const x = d.x.data(), *const keys = d.y.data();
  std::fill(d.out.begin(), d.out.end(), 0);
#pragma omp parallel
  {
    std::array<std::int32_t, 256> mine{};
#pragma omp for schedule(static) nowait
    for (std::size_t i = 0; i < n; ++i) {
      std::int32_t& sum = mine[static_cast<std::size_t>(keys[i])];
      sum = wrapping_sum(sum, x[i]);
    }
#pragma omp critical
    for (std::size_t b = 0; b < mine.size(); ++b)
      d.out[b] = wrapping_sum(d.out[b], mine[b]);
  }
}

void histogram(in_and_out<std::int32_t>& d) {
  const std::size_t n = d.x.size();
  const std::int32_t* const x = d.x.data();
  std::fill(d.out.begin(), d.out.end(), 0);
#pragma omp parallel
  {
    std::array<std::int32_t, 256> mine{};
#pragma omp for schedule(static) nowait
    for (std::size_t i = 0; i < n; ++i)
      ++mine[static_cast<std::size_t>(x[i])];
#pragma omp critical
    for (std::size_t b = 0; b < mine.size(); ++b)
      d.out[b] += mine[b];
  }
}

template <bool (*Is)(std::int32_t)>
std::unique_ptr<program> selection_of(const std::shared_ptr<in_and_out<std::int32_t>>& data) {
  return std::make_unique<loops>([data] { select<Is>(*data); },
                                 [data] {
                                   return checksum_of(std::vector<std::int32_t>(
                                       data->out.begin(), data->out.begin() + data->y.at(0)));
                                 });
}

} // namespace

std::unique_ptr<program> openmp_loops(operation what, std::size_t n) {
  if (what == operation::saxpy) {
    auto data = std::make_shared<in_and_out<float>>();
    *data = {floats(n), floats(n, n), std::vector<float>(n)};
    return over(data, [](in_and_out<float>& d) {
      const float *const x = d.x.data(), *const y = d.y.data();
      float* const out = d.out.data();
      const std::size_t size = d.out.size();
#pragma omp parallel for simd schedule(static)
      for (std::size_t i = 0; i < size; ++i)
        out[i] = saxpy_of(saxpy_factor, x[i], y[i]);
    });
  }
  auto data = std::make_shared<in_and_out<std::int32_t>>();
  using ints = in_and_out<std::int32_t>;
  if (what == operation::indices) {
    data->out.resize(n);
    return over(data, [](ints& d) {
      const auto outer = static_cast<std::int64_t>(d.out.size()) / inner_volume;
      std::int32_t* const out = d.out.data();
#pragma omp parallel for collapse(2) schedule(static)
      for (std::int64_t a = 0; a < outer; ++a)
        for (std::int64_t b = 0; b < inner_extents[0]; ++b)
          for (std::int64_t c = 0; c < inner_extents[1]; ++c)
            for (std::int64_t e = 0; e < inner_extents[2]; ++e)
              out[((a * inner_extents[0] + b) * inner_extents[1] + c) * inner_extents[2] + e] =
                  sum_of_place(a, b, c, e);
    });
  }
  data->x = elements(n);
  switch (what) {
  case operation::maps:
    data->out.resize(n);
    return over(data, [](ints& d) {
      const std::int32_t* const x = d.x.data();
      std::int32_t* const out = d.out.data();
      const std::size_t size = d.out.size();
#pragma omp parallel for simd schedule(static)
      for (std::size_t i = 0; i < size; ++i)
        out[i] = multiply_adds(x[i]);
    });
  case operation::reduction:
    data->out.resize(1);
    return over(data, [](ints& d) {
      const std::int32_t* const x = d.x.data();
      const std::size_t size = d.x.size();
      std::uint32_t sum = 0;
#pragma omp parallel for simd reduction(+ : sum) schedule(static)
      for (std::size_t i = 0; i < size; ++i)
        sum += static_cast<std::uint32_t>(x[i]);
      d.out[0] = static_cast<std::int32_t>(sum);
    });
  case operation::selection:
    return selection_of<is_selected>(data);
  case operation::few_selected:
    return selection_of<is_among_few>(data);
  case operation::scan:
    data->out.resize(n);
    return over(data, scan);
  case operation::sort:
    return over(data, [](ints& d) {
      d.out = d.x;
      __gnu_parallel::sort(d.out.begin(), d.out.end());
    });
  case operation::sort_by_rule:
    return over(data, [](ints& d) {
      d.out = d.x;
      __gnu_parallel::stable_sort(d.out.begin(), d.out.end(), comes_before);
    });
  case operation::runs:
    data->y = run_keys(n);
    return over(data, runs);
  case operation::by_index:
    data->y = last_bytes(n);
    data->out.resize(256);
    return over(data, by_index);
  default:
    data->x = last_bytes(n);
    data->out.resize(256);
    return over(data, histogram);
  }
}

std::unique_ptr<program> openmp_copy(std::size_t n) {
  auto data = std::make_shared<in_and_out<std::int32_t>>();
  data->x = elements(n);
  data->out.resize(n);
  return over(data, [](in_and_out<std::int32_t>& d) {
    const std::size_t size = d.out.size();
#pragma omp parallel
    {
      const auto me = static_cast<std::size_t>(omp_get_thread_num());
      const auto threads = static_cast<std::size_t>(omp_get_num_threads());
      const std::size_t begin = size * me / threads, end = size * (me + 1) / threads;
      std::memcpy(d.out.data() + begin, d.x.data() + begin, (end - begin) * sizeof(std::int32_t));
    }
  });
}

} // namespace arrays
