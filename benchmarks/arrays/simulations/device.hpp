// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What loops by hand on the GPU have in common: sums and maxima of a block, the state of a loop
// that the GPU can end itself, and a graph that repeats its body. Included by what nvcc compiles.
#pragma once

#include "programs.hpp"

#include "support/device_memory.hpp"

#include <cuda_runtime.h>

namespace simulations {

using benchmark::check;
template <class T> using memory = benchmark::device_memory<T>;

constexpr int width = 256; ///< threads of a block

inline unsigned parts(std::int64_t n, int of = width) {
  return static_cast<unsigned>((n + of - 1) / of);
}
inline std::size_t squared(int n) {
  return static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
}

//===-- in kernels -------------------------------------------------------------------------===//

/// All threads of the block call it. \returns the result in the first one
template <class Combine> __device__ double over_block(double value, const Combine& combine) {
  __shared__ double of_warps[width / 32];
  for (int step = 16; step > 0; step /= 2)
    value = combine(value, __shfl_down_sync(~0u, value, step));
  if (threadIdx.x % 32 == 0)
    of_warps[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x < width / 32) {
    value = of_warps[threadIdx.x];
    for (int step = width / 64; step > 0; step /= 2)
      value = combine(value, __shfl_down_sync((1u << width / 32) - 1, value, step));
  }
  return value;
}
__device__ inline void add_all(double* to, double value) {
  value = over_block(value, [](double a, double b) { return a + b; });
  if (threadIdx.x == 0)
    atomicAdd(to, value);
}
/// Of numbers that are not negative, whose bits are in the order of the numbers.
__device__ inline void largest_of_all(double* to, double value) {
  value = over_block(value, [](double a, double b) { return fmax(a, b); });
  if (threadIdx.x == 0 && value > *static_cast<volatile double*>(to))
    atomicMax(reinterpret_cast<unsigned long long*>(to),
              static_cast<unsigned long long>(__double_as_longlong(value)));
}

/// Of a loop, on the device.
struct loop_state {
  double value;     ///< what the blocks of a turn bring together
  double read;      ///< what the last turn read
  int left, done;   ///< turns
  unsigned arrived; ///< blocks of a kernel that have done their work
};

/// Whether this is the last block of the kernel to come here: it sees what the others wrote. All
/// threads call it.
__device__ inline bool is_last_block(loop_state* loop) {
  __shared__ bool is_last;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    const unsigned blocks = gridDim.x * gridDim.y;
    is_last = atomicInc(&loop->arrived, blocks - 1) == blocks - 1; // 0 again, then
    __threadfence();
  }
  __syncthreads();
  return is_last;
}
/// One thread of a turn's last block calls it. \param read what the turn tests
__device__ inline void end_turn(loop_state* loop, double read) {
  loop->read = read;
  ++loop->done;
  loop->left = read > tolerance ? loop->left - 1 : 0;
}

/// The condition of a WHILE node, for the last kernel of its body.
struct repetition {
  cudaGraphConditionalHandle node;
  bool decides; ///< whether this kernel sets it

  __device__ void set(const loop_state* loop) const {
    if (decides)
      cudaGraphSetConditional(node, loop->left > 0 ? 1 : 0);
  }
  /// For a kernel that finds that the loop has ended. \returns whether it has
  __device__ bool is_over(const loop_state* loop) const {
    if (*static_cast<const volatile int*>(&loop->left) > 0)
      return false;
    if (decides && threadIdx.x + blockIdx.x + blockIdx.y == 0)
      cudaGraphSetConditional(node, 0);
    return true;
  }
};

//===-- on the host ------------------------------------------------------------------------===//

/// A loop over turns that the host queues, or that is a graph.
class device_loop {
public:
  explicit device_loop(form how) : is_graph_(how == form::graph), state_(1) {
    check(cudaStreamCreate(&stream_));
    check(cudaMallocHost(&seen_, sizeof *seen_));
    *seen_ = {};
  }
  device_loop(const device_loop&) = delete;
  device_loop& operator=(const device_loop&) = delete;
  ~device_loop() {
    if (runnable_ != nullptr)
      cudaGraphExecDestroy(runnable_);
    cudaStreamDestroy(stream_);
    cudaFreeHost(seen_);
  }

  loop_state* state() const { return state_.data(); }
  /// What the last turn read.
  double read() const { return seen_->read; }
  /// Turns of all runs.
  int done() const { return seen_->done; }

  /// \param turn queues the kernels of one: turn(stream, repetition). The body of the graph has
  /// `unrolled` turns; those after the last one do nothing.
  template <class Turn> void run(int turns, int unrolled, const Turn& turn) {
    set_state(turns);
    if (is_graph_) {
      if (runnable_ == nullptr)
        record(unrolled, turn);
      check(cudaGraphLaunch(runnable_, stream_));
      see();
    } else {
      do {
        turn(stream_, repetition{0, false});
        check(cudaGetLastError());
        see();
      } while (seen_->left > 0);
    }
  }

private:
  /// What was counted before stays: it tells which buffer is read.
  void set_state(int turns) {
    see();
    seen_->left = turns;
    seen_->value = 0;
    check(cudaMemcpyAsync(state_.data(), seen_, sizeof *seen_, cudaMemcpyHostToDevice, stream_));
  }
  void see() {
    check(cudaMemcpyAsync(seen_, state_.data(), sizeof *seen_, cudaMemcpyDeviceToHost, stream_));
    check(cudaStreamSynchronize(stream_));
  }
  template <class Turn> void record(int unrolled, const Turn& turn) {
    cudaGraph_t all = nullptr;
    check(cudaGraphCreate(&all, 0));
    cudaGraphNodeParams loop{};
    loop.type = cudaGraphNodeTypeConditional;
    check(cudaGraphConditionalHandleCreate(&loop.conditional.handle, all, 1,
                                           cudaGraphCondAssignDefault));
    loop.conditional.type = cudaGraphCondTypeWhile;
    loop.conditional.size = 1;
    cudaGraphNode_t made = nullptr;
    check(cudaGraphAddNode(&made, all, nullptr, nullptr, 0, &loop));
    cudaGraph_t body = loop.conditional.phGraph_out[0];
    check(cudaStreamBeginCaptureToGraph(stream_, body, nullptr, nullptr, 0,
                                        cudaStreamCaptureModeRelaxed));
    for (int k = 1; k <= unrolled; ++k)
      turn(stream_, repetition{loop.conditional.handle, k == unrolled});
    check(cudaStreamEndCapture(stream_, &body));
    check(cudaGraphInstantiate(&runnable_, all, 0));
    check(cudaGraphDestroy(all));
  }

  bool is_graph_;
  memory<loop_state> state_;
  loop_state* seen_ = nullptr; // in pinned memory
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t runnable_ = nullptr;
};

//===-- programs in files of their own -----------------------------------------------------===//

std::unique_ptr<program> jacobi_by_cuda(form how, int n);
std::unique_ptr<program> small_by_cuda(which what, form how, int n);

} // namespace simulations
