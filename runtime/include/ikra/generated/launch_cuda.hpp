// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CUDA kernels that run jobs, for translation units compiled by nvcc. Bodies and tables are
// passed as __grid_constant__ parameters: they are read from constant memory and never copied to a
// thread's own.
#pragma once

#ifdef __CUDACC__

#include <ikra/generated/grid.hpp>
#include <ikra/generated/launch.hpp>

namespace ikra::rt {

/// One thread for each object or element of the base array.
template <class Job, class... Classes>
__global__ void __launch_bounds__(block_size)
    object_kernel(const __grid_constant__ Job job,
                  const __grid_constant__ launch_table<sizeof...(Classes)> table) {
  const std::uint64_t t = std::uint64_t(blockIdx.x) * block_size + threadIdx.x;
  if (t < table.threads)
    run_thread<Classes...>(job, table, t, std::index_sequence_for<Classes...>());
}

/// body(in[i], i).
template <class Index, class In, class Body>
__global__ void __launch_bounds__(block_size)
    each_kernel(const __grid_constant__ Body body, const In* __restrict__ in, Index n) {
  const Index i = Index(blockIdx.x) * block_size + threadIdx.x;
  if (i < n)
    body(in[i], static_cast<std::int64_t>(i));
}

/// Moves the tick counter on, once for each replay of a graph. A template, so that it may stand in
/// a header.
template <class Int> __global__ void advance_kernel(Int* counter, Int by) { *counter += by; }

template <class... Classes, class Job>
void cuda_launch(const Job& job, const launch_table<sizeof...(Classes)>& table, void* stream) {
  if (table.threads != 0)
    object_kernel<Job, Classes...>
        <<<blocks_for(table.threads), block_size, 0, static_cast<cudaStream_t>(stream)>>>(job,
                                                                                          table);
}

template <class In, class Body>
void cuda_each(const Body& body, const In* in, std::uint64_t n, void* stream) {
  if (n == 0)
    return;
  each_kernel<std::uint64_t>
      <<<blocks_for(n), block_size, 0, static_cast<cudaStream_t>(stream)>>>(body, in, n);
}

template <class Int> void cuda_advance(Int* counter, Int by, void* stream) {
  advance_kernel<<<1, 1, 0, static_cast<cudaStream_t>(stream)>>>(counter, by);
}

} // namespace ikra::rt

#endif // __CUDACC__
