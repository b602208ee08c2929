// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The programs by hand, a thread an element. N-body has a second form, in which a block of threads
// reads bodies through shared memory, tile by tile. BabelStream's kernels are as it is described:
// blocks of 1024 threads; for the dot product, blocks that each add up a share, and the host that
// adds up theirs.
#include "device_programs.hpp"

#include <vector>

namespace apps {
namespace {

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

constexpr unsigned stream_width = 1024;
constexpr unsigned dot_blocks_a_processor = 4;

using stream_kernel = void(double*, const double*, const double*, std::uint64_t);

__device__ std::uint64_t stream_place() {
  return std::uint64_t(blockIdx.x) * stream_width + threadIdx.x;
}
__global__ void stream_copy_kernel(double* to, const double* a, const double*, std::uint64_t n) {
  if (const std::uint64_t i = stream_place(); i < n)
    to[i] = a[i];
}
__global__ void stream_mul_kernel(double* to, const double* a, const double*, std::uint64_t n) {
  if (const std::uint64_t i = stream_place(); i < n)
    to[i] = stream_scalar * a[i];
}
__global__ void stream_add_kernel(double* to, const double* a, const double* b, std::uint64_t n) {
  if (const std::uint64_t i = stream_place(); i < n)
    to[i] = a[i] + b[i];
}
__global__ void stream_triad_kernel(double* to, const double* a, const double* b, std::uint64_t n) {
  if (const std::uint64_t i = stream_place(); i < n)
    to[i] = a[i] + stream_scalar * b[i];
}
__global__ void stream_dot_kernel(double* sums, const double* a, const double* b, std::uint64_t n) {
  __shared__ double of_threads[stream_width];
  double sum = 0;
  for (std::uint64_t i = stream_place(); i < n; i += std::uint64_t(gridDim.x) * stream_width)
    sum += a[i] * b[i];
  of_threads[threadIdx.x] = sum;
  for (unsigned half = stream_width / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half)
      of_threads[threadIdx.x] += of_threads[threadIdx.x + half];
  }
  if (threadIdx.x == 0)
    sums[blockIdx.x] = of_threads[0];
}

std::unique_ptr<program> stream(std::size_t n, stream_kernel* run) {
  return made<double>(n, [a = data<double>(n, make_double{0}), b = data<double>(n, make_double{9}),
                          run](const auto& to, std::uint64_t size) {
    const auto all = static_cast<unsigned>((size + stream_width - 1) / stream_width);
    run<<<all, stream_width>>>(to.data(), a->data(), b->data(), size);
    check(cudaGetLastError());
  });
}

class dot final : public program {
public:
  explicit dot(std::size_t n)
      : n_(n), blocks_(dot_blocks_a_processor * processors()), a_(data<double>(n, make_double{0})),
        b_(data<double>(n, make_double{9})), sums_(blocks_) {}
  void run() override {
    stream_dot_kernel<<<blocks_, stream_width>>>(sums_.data(), a_->data(), b_->data(), n_);
    check(cudaGetLastError());
    sum_ = 0;
    for (const double sum : sums_.to_host()) // which waits for the kernel
      sum_ += sum;
  }
  double checksum() override { return sum_; }

private:
  static unsigned processors() {
    int device = 0, count = 0;
    check(cudaGetDevice(&device));
    check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
    return static_cast<unsigned>(count);
  }

  std::uint64_t n_;
  unsigned blocks_;
  std::shared_ptr<const device_memory<double>> a_, b_;
  device_memory<double> sums_;
  double sum_ = 0;
};

class plain_copy final : public program {
public:
  explicit plain_copy(std::size_t bytes) : bytes_(bytes), from_(bytes), to_(bytes) {}
  void run() override {
    check(cudaMemcpyAsync(to_.data(), from_.data(), bytes_, cudaMemcpyDeviceToDevice));
    benchmark::cuda_wait();
  }
  double checksum() override { return 0; }

private:
  std::size_t bytes_;
  device_memory<unsigned char> from_, to_;
};

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
  case which::sparse: {
    const auto all = static_cast<std::uint64_t>(begin_of_row(n));
    return made<double>(n, [begins = data<std::int64_t>(n + 1, make_begin()),
                            columns = data<std::int32_t>(all, make_column{n}),
                            values = data<double>(all, make_double{0}),
                            x = data<double>(n, make_double{9})](const auto& to,
                                                                 std::uint64_t size) {
      fill_all(to, size, multiply_row{begins->data(), columns->data(), values->data(), x->data()});
    });
  }
  case which::stream_copy:
    return stream(n, stream_copy_kernel);
  case which::stream_mul:
    return stream(n, stream_mul_kernel);
  case which::stream_add:
    return stream(n, stream_add_kernel);
  case which::stream_triad:
    return stream(n, stream_triad_kernel);
  case which::stream_dot:
    return std::make_unique<dot>(n);
  }
  return nullptr;
}

std::unique_ptr<program> copy_on_gpu(std::size_t bytes) {
  return std::make_unique<plain_copy>(bytes / 2);
}

} // namespace apps
