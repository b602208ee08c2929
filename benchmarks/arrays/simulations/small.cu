// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns over a few ints by hand, for the GPU, where the cost of a turn is all that there is:
// kernels that the host queues, a graph that repeats itself, and a loop in one warp.
#include "device.hpp"

namespace simulations {
namespace {

/// The ints of a lane, and their sum over the warp.
__device__ int sum_of_warp(int n, const int* v) {
  int sum = 0;
  for (int i = threadIdx.x; i < n; i += 32)
    sum += v[i];
  return __reduce_add_sync(~0u, sum);
}

/// A turn; one warp.
__global__ void turn_kernel(int n, int* v, bool is_tested, loop_state* loop, repetition again) {
  if (again.is_over(loop))
    return;
  for (int i = threadIdx.x; i < n; i += 32)
    v[i] = small_step(v[i]);
  const int sum = is_tested ? sum_of_warp(n, v) : 0;
  if (threadIdx.x == 0) {
    end_turn(loop, sum);
    again.set(loop);
  }
}

/// A turn that tests nothing and is not counted.
__global__ void map_kernel(int n, int* v) {
  for (int i = threadIdx.x; i < n; i += 32)
    v[i] = small_step(v[i]);
}

/// All turns; one warp, and each lane has its ints in registers.
template <int Each> __global__ void loop_kernel(int n, int* v, bool is_tested, loop_state* loop) {
  int own[Each];
#pragma unroll
  for (int k = 0; k < Each; ++k) {
    const int i = threadIdx.x + 32 * k;
    own[k] = i < n ? v[i] : 0;
  }
  int left = loop->left;
  int sum = 0;
  while (left > 0) {
#pragma unroll
    for (int k = 0; k < Each; ++k)
      own[k] = small_step(own[k]);
    --left;
    if (!is_tested)
      continue;
    sum = 0;
#pragma unroll
    for (int k = 0; k < Each; ++k)
      sum += threadIdx.x + 32 * k < n ? own[k] : 0;
    sum = __reduce_add_sync(~0u, sum);
    if (!(sum > tolerance))
      left = 0;
  }
#pragma unroll
  for (int k = 0; k < Each; ++k)
    if (const int i = threadIdx.x + 32 * k; i < n)
      v[i] = own[k];
  if (threadIdx.x == 0) {
    loop->left = 0;
    loop->read = sum;
  }
}

class small final : public program {
public:
  small(which what, form how, int n)
      : how_(how), is_tested_(what == which::small_tested), n_(n), v_(inputs(n)), loop_(how) {}

  void run(int turns) override {
    constexpr int unrolled = 16;
    if (how_ == form::kernel) {
      loop_.run(turns, 1, [this](cudaStream_t stream, repetition) {
        const auto kernel = n_ <= 64 ? loop_kernel<2> : loop_kernel<4>;
        kernel<<<1, 32, 0, stream>>>(n_, v_.data(), is_tested_, loop_.state());
      });
    } else if (how_ == form::launches && !is_tested_) {
      for (int k = 0; k < turns; ++k)
        map_kernel<<<1, 32>>>(n_, v_.data());
      check(cudaGetLastError());
      check(cudaDeviceSynchronize());
    } else {
      loop_.run(turns, unrolled, [this](cudaStream_t stream, repetition again) {
        turn_kernel<<<1, 32, 0, stream>>>(n_, v_.data(), is_tested_, loop_.state(), again);
      });
    }
  }
  std::vector<double> result() override {
    const auto all = v_.to_host();
    return {all.begin(), all.end()};
  }
  double last_read() override { return is_tested_ ? loop_.read() : 0; }

private:
  static std::vector<int> inputs(int n) {
    std::vector<int> all;
    for (int i = 0; i < n; ++i)
      all.push_back(i);
    return all;
  }

  form how_;
  bool is_tested_;
  int n_;
  memory<int> v_;
  device_loop loop_;
};

} // namespace

/// \param n at most 128
std::unique_ptr<program> small_by_cuda(which what, form how, int n) {
  return std::make_unique<small>(what, how, n);
}

} // namespace simulations
