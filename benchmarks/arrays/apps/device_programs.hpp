// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the programs for the GPU by hand and by Thrust have in common, for nvcc: functions of a
// place, data, and what runs and checks a kernel.
#pragma once

#include "programs.hpp"

#include "support/device_memory.hpp"
#include "support/gpu.hpp"

#include <memory>
#include <utility>

namespace apps {

using benchmark::check;
using benchmark::device_memory;

inline constexpr unsigned width = 256;
inline unsigned blocks(std::uint64_t n) { return static_cast<unsigned>((n + width - 1) / width); }
__device__ inline std::uint64_t place() { return std::uint64_t(blockIdx.x) * width + threadIdx.x; }

template <class T, class F> __global__ void fill(T* to, std::uint64_t n, F f) {
  if (const std::uint64_t i = place(); i < n)
    to[i] = f(i);
}

struct add {
  const float *x, *y;
  __device__ float operator()(std::uint64_t i) const { return factor * x[i] + y[i]; }
};
struct price_all {
  const option* options;
  __device__ price operator()(std::uint64_t i) const { return price_of(options[i]); }
};
struct count_inside {
  __device__ std::int32_t operator()(std::uint64_t i) const { return inside_of(i); }
};
struct find_nearest {
  const float *points, *places;
  __device__ std::int32_t operator()(std::uint64_t i) const {
    std::int32_t best = 0;
    float least = 0;
    for (std::int32_t c = 0; c < centres; ++c) {
      float distance = 0;
      for (std::uint64_t d = 0; d < dimensions; ++d) {
        const float difference =
            points[i * dimensions + d] - places[static_cast<std::uint64_t>(c) * dimensions + d];
        distance += difference * difference;
      }
      if (c == 0 || distance < least) {
        least = distance;
        best = c;
      }
    }
    return best;
  }
};
/// Positions have 64 bits: with 32 it takes longer by 3 % on an H200.
struct look_up {
  const float* grid;
  const cross_section* table;
  __device__ vector operator()(std::uint64_t k) const {
    const float energy = number(2 * k + 1);
    std::int64_t low = 0, high = energies - 1;
    while (high - low > 1) {
      const std::int64_t middle = (low + high) / 2;
      if (grid[middle] > energy)
        high = middle;
      else
        low = middle;
    }
    const float share = (energy - grid[low]) / (grid[low + 1] - grid[low]);
    const auto first = static_cast<std::int64_t>(number(2 * k) * float(nuclides));
    vector sum{0, 0, 0};
    for (std::int64_t m = 0; m < in_material; ++m) {
      const std::int64_t row = (first + m * 7) % nuclides * energies + low;
      const cross_section a = table[row], b = table[row + 1];
      sum.x += a.total + share * (b.total - a.total);
      sum.y += a.absorption + share * (b.absorption - a.absorption);
      sum.z += a.fission + share * (b.fission - a.fission);
    }
    return sum;
  }
};

struct multiply_row {
  const std::int64_t* begins;
  const std::int32_t* columns;
  const double *values, *x;
  __device__ double operator()(std::uint64_t row) const {
    double sum = 0;
    for (std::int64_t k = begins[row]; k < begins[row + 1]; ++k)
      sum += values[k] * x[columns[k]];
    return sum;
  }
};

struct make_number {
  std::uint64_t from;
  __device__ float operator()(std::uint64_t i) const { return number(i + from); }
};
struct make_option {
  __device__ option operator()(std::uint64_t i) const { return option_at(i); }
};
struct make_body {
  __device__ body operator()(std::uint64_t i) const { return body_at(i); }
};
struct make_coordinate {
  std::uint64_t step;
  __device__ float operator()(std::uint64_t i) const { return coordinate_at(i * step); }
};
struct make_energy {
  __device__ float operator()(std::uint64_t i) const { return energy_at(i); }
};
struct make_cross_section {
  __device__ cross_section operator()(std::uint64_t i) const { return cross_section_at(i); }
};

struct make_double {
  std::uint64_t from;
  __device__ double operator()(std::uint64_t i) const { return double_at(i + from); }
};
struct make_begin {
  __device__ std::int64_t operator()(std::uint64_t row) const { return begin_of_row(row); }
};
struct make_column {
  std::uint64_t rows;
  __device__ std::int32_t operator()(std::uint64_t k) const { return column_at(k, rows); }
};

template <class T, class F> void fill_all(const device_memory<T>& to, std::uint64_t n, const F& f) {
  fill<<<blocks(n), width>>>(to.data(), n, f);
  check(cudaGetLastError());
}

inline double number_of(float v) { return static_cast<double>(v); }
inline double number_of(std::int32_t v) { return v; }
inline double number_of(double v) { return v; }
inline double number_of(const price& p) {
  return static_cast<double>(p.call) + static_cast<double>(p.put);
}
inline double number_of(const vector& v) {
  return static_cast<double>(v.x) + static_cast<double>(v.y) + static_cast<double>(v.z);
}

/// \tparam Launch of one kernel, which has its data
template <class T, class Launch> class kernel final : public program {
public:
  kernel(std::size_t n, Launch launch) : results_(n), n_(n), launch_(std::move(launch)) {}
  void run() override {
    launch_(results_, n_);
    benchmark::cuda_wait();
  }
  double checksum() override {
    double sum = 0;
    for (const T& v : results_.to_host())
      sum += number_of(v);
    return sum;
  }

private:
  device_memory<T> results_;
  std::uint64_t n_;
  Launch launch_;
};
template <class T, class Launch> std::unique_ptr<program> made(std::size_t n, Launch launch) {
  return std::make_unique<kernel<T, Launch>>(n, std::move(launch));
}
template <class T, class F>
std::shared_ptr<const device_memory<T>> data(std::uint64_t n, const F& f) {
  auto result = std::make_shared<const device_memory<T>>(n);
  fill_all(*result, n, f);
  return result;
}

} // namespace apps
