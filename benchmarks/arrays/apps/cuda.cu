// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The programs by hand, a thread an element. N-body has a second form, in which a block of threads
// reads bodies through shared memory, tile by tile.
#include "programs.hpp"

#include "support/device_memory.hpp"
#include "support/gpu.hpp"

#include <utility>

namespace apps {
namespace {

using benchmark::check;
using benchmark::device_memory;

constexpr unsigned width = 256;
unsigned blocks(std::uint64_t n) { return static_cast<unsigned>((n + width - 1) / width); }
__device__ std::uint64_t place() { return std::uint64_t(blockIdx.x) * width + threadIdx.x; }

template <class T, class F> __global__ void fill(T* to, std::uint64_t n, F f) {
  if (const std::uint64_t i = place(); i < n)
    to[i] = f(i);
}

__global__ void __launch_bounds__(width)
    pull_plain(vector* to, const body* __restrict__ bodies, std::uint64_t n) {
  const std::uint64_t i = place();
  if (i >= n)
    return;
  const body here = bodies[i];
  vector sum{0, 0, 0};
  for (std::uint64_t j = 0; j < n; ++j)
    attract(sum, here, bodies[j]);
  to[i] = sum;
}

__global__ void __launch_bounds__(width)
    pull_tiled(vector* to, const body* __restrict__ bodies, std::uint64_t n) {
  __shared__ body tile[width];
  const std::uint64_t i = place();
  const body here = bodies[i < n ? i : n - 1];
  vector sum{0, 0, 0};
  for (std::uint64_t first = 0; first < n; first += width) {
    __syncthreads();
    if (first + threadIdx.x < n)
      tile[threadIdx.x] = bodies[first + threadIdx.x];
    __syncthreads();
    const auto count = static_cast<unsigned>(n - first < width ? n - first : width);
    if (count == width) {
#pragma unroll 8
      for (unsigned j = 0; j < width; ++j)
        attract(sum, here, tile[j]);
    } else {
      for (unsigned j = 0; j < count; ++j)
        attract(sum, here, tile[j]);
    }
  }
  if (i < n)
    to[i] = sum;
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

template <class T, class F> void fill_all(const device_memory<T>& to, std::uint64_t n, const F& f) {
  fill<<<blocks(n), width>>>(to.data(), n, f);
  check(cudaGetLastError());
}

double number_of(float v) { return static_cast<double>(v); }
double number_of(std::int32_t v) { return v; }
double number_of(const price& p) {
  return static_cast<double>(p.call) + static_cast<double>(p.put);
}
double number_of(const vector& v) {
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

} // namespace

std::unique_ptr<program> by_cuda(which what, std::size_t n, bool tiled) {
  if (tiled && what != which::n_body)
    return nullptr;
  switch (what) {
  case which::saxpy:
    return made<float>(n, [x = data<float>(n, make_number{0}),
                           y = data<float>(n, make_number{9})](const auto& to, std::uint64_t size) {
      fill_all(to, size, add{x->data(), y->data()});
    });
  case which::black_scholes:
    return made<price>(n, [o = data<option>(n, make_option())](const auto& to, std::uint64_t size) {
      fill_all(to, size, price_all{o->data()});
    });
  case which::n_body:
    return made<vector>(
        n, [b = data<body>(n, make_body()), tiled](const auto& to, std::uint64_t size) {
          (tiled ? pull_tiled : pull_plain)<<<blocks(size), width>>>(to.data(), b->data(), size);
          check(cudaGetLastError());
        });
  case which::pi:
    return made<std::int32_t>(
        n, [](const auto& to, std::uint64_t size) { fill_all(to, size, count_inside()); });
  case which::k_means:
    return made<std::int32_t>(
        n, [points = data<float>(n * dimensions, make_coordinate{1}),
            places = data<float>(centres * dimensions, make_coordinate{1009})](const auto& to,
                                                                               std::uint64_t size) {
          fill_all(to, size, find_nearest{points->data(), places->data()});
        });
  case which::look_ups:
    return made<vector>(n, [grid = data<float>(energies, make_energy()),
                            table = data<cross_section>(energies * nuclides, make_cross_section())](
                               const auto& to, std::uint64_t size) {
      fill_all(to, size, look_up{grid->data(), table->data()});
    });
  }
  return nullptr;
}

} // namespace apps
