// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CUDA kernels that run jobs, for translation units compiled by nvcc. Bodies and tables are
// passed as __grid_constant__ parameters: they are read from constant memory and never copied to a
// thread's own.
#pragma once

#ifdef __CUDACC__

#include <ikra/generated/device/kernel_file.hpp>
#include <ikra/generated/launch/grid.hpp>
#include <ikra/generated/launch/launch.hpp>

namespace ikra::rt {

/// Which blocks run which class. A block runs objects of one class, so that all its threads take
/// one way through the code.
template <std::size_t N> struct launch_blocks {
  unsigned first[N];
  unsigned count[N];
  unsigned total = 0;
  /// Elements that a thread runs, one after the other: what is equal for all of them is computed
  /// once.
  unsigned per_thread = 1;

  /// \param several whether a thread may run several
  launch_blocks(const launch_table<N>& table, bool several) {
    constexpr std::uint64_t enough = std::uint64_t(1) << 20; // threads that keep any GPU busy
    constexpr std::uint64_t most = 8;                        // more gained nothing on an H200
    if (several && !table.names_elements && table.threads > enough)
      per_thread =
          static_cast<unsigned>(table.threads / enough < most ? table.threads / enough : most);
    for (std::size_t k = 0; k < N; ++k) {
      first[k] = total;
      count[k] = blocks_for((std::uint64_t(table.count[k]) + per_thread - 1) / per_thread);
      total += count[k];
    }
  }
};

/// This block's objects of the K-th class.
template <std::size_t K, class Class, class Job, std::size_t N>
__device__ void run_block(const Job& job, const launch_table<N>& table,
                          const launch_blocks<N>& blocks) {
  const unsigned block = blockIdx.x - blocks.first[K];
  const std::uint32_t chunk = blocks.per_thread * block_size;
  const std::uint32_t begin = block * chunk;
  const std::uint32_t rest = table.count[K] - begin;
  const std::uint32_t size = rest < chunk ? rest : chunk;
  const auto run = [&](auto id_of) {
    const auto run_one = [&](std::uint32_t done) {
      const std::uint32_t i = begin + done;
      const std::uint64_t thread = table.first_thread[K] + i;
      std::uint64_t place = thread;
      if constexpr (Job::is_elementwise)
        if (table.positions != nullptr)
          place = table.positions[place];
      job(Class{}, id_of(i, thread), place);
    };
    if constexpr (is_long_job<Job>) { // with a loop, nvcc computes in each tick what none changes
      if (threadIdx.x < size)
        run_one(threadIdx.x);
    } else {
      for (std::uint32_t done = threadIdx.x; done < size; done += block_size)
        run_one(done);
    }
  };
  if (table.ids == nullptr)
    run([&](std::uint32_t i, std::uint64_t) { return object_id(table.first_id[K] + i); });
  else
    run([&](std::uint32_t, std::uint64_t thread) { return table.ids[thread]; });
}

/// Bodies wait for columns more than they compute, which many warps hide better than many registers
/// do. Those that run many ticks keep in registers what does not change.
template <class Job>
inline constexpr unsigned blocks_per_processor = blocks_held(is_long_job<Job> ? 4 : 6);

/// Runs a job for all objects or elements.
template <class Job, class... Classes>
__global__ void __launch_bounds__(block_size, blocks_per_processor<Job>)
    object_kernel(const __grid_constant__ Job job,
                  const __grid_constant__ launch_table<sizeof...(Classes)> table,
                  const __grid_constant__ launch_blocks<sizeof...(Classes)> blocks) {
  [&]<std::size_t... K>(std::index_sequence<K...>) {
    ((blockIdx.x - blocks.first[K] < blocks.count[K] ? run_block<K, Classes>(job, table, blocks)
                                                     : void()),
     ...);
  }(std::index_sequence_for<Classes...>());
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
  const launch_blocks<sizeof...(Classes)> blocks(table, !is_long_job<Job>);
  if (blocks.total != 0)
    object_kernel<Job, Classes...>
        <<<blocks.total, block_size, 0, static_cast<cudaStream_t>(stream)>>>(job, table, blocks);
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
