// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CUDA kernels that run jobs, for translation units compiled by nvcc. Bodies and tables are
// passed as
// __grid_constant__ parameters: they are read from constant memory and never copied to a thread's
// own.
#pragma once

#ifdef __CUDACC__

#include <ikra/generated/launch.hpp>

namespace ikra::rt {

inline constexpr unsigned block_size = 256;

/// One thread for each object or element of the base array.
template <class Job, class... Classes>
__global__ void __launch_bounds__(block_size)
    object_kernel(const __grid_constant__ Job job,
                  const __grid_constant__ launch_table<sizeof...(Classes)> table) {
  const std::uint64_t t = std::uint64_t(blockIdx.x) * block_size + threadIdx.x;
  if (t < table.threads)
    run_thread<Classes...>(job, table, t, std::index_sequence_for<Classes...>());
}

/// Elements that move together: one load or store of up to 16 bytes.
template <class T, unsigned V> struct alignas(V * sizeof(T)) pack {
  T elements[V];
};

constexpr bool is_power_of_two(std::size_t n) { return n != 0 && (n & (n - 1)) == 0; }

/// Number of elements a thread: as many as make 16 bytes of the larger of the two types.
template <class In, class Out> constexpr unsigned elements_per_thread() {
  constexpr std::size_t largest = sizeof(In) > sizeof(Out) ? sizeof(In) : sizeof(Out);
  if constexpr (is_power_of_two(sizeof(In)) && is_power_of_two(sizeof(Out)) && largest <= 16 &&
                std::is_trivial_v<In> && std::is_trivial_v<Out>)
    return static_cast<unsigned>(16 / largest);
  else
    return 1;
}

/// out[i] = body(in[i], i), V elements a thread. Index: 32 bits where they suffice.
template <unsigned V, class Index, class In, class Out, class Body>
__global__ void __launch_bounds__(block_size)
    map_kernel(const __grid_constant__ Body body, const In* __restrict__ in, Out* __restrict__ out,
               Index n) {
  const Index first = (Index(blockIdx.x) * block_size + threadIdx.x) * V;
  if (first >= n)
    return;
  if constexpr (V > 1) {
    if (n - first >= V) {
      const pack<In, V> x = *reinterpret_cast<const pack<In, V>*>(in + first);
      pack<Out, V> y;
#pragma unroll
      for (unsigned j = 0; j < V; ++j)
        y.elements[j] = body(x.elements[j], static_cast<std::int64_t>(first + j));
      *reinterpret_cast<pack<Out, V>*>(out + first) = y;
      return;
    }
  }
  for (Index i = first; i < n && i < first + V; ++i)
    ::new (static_cast<void*>(out + i)) Out(body(in[i], static_cast<std::int64_t>(i)));
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

constexpr unsigned blocks_for(std::uint64_t threads) {
  return static_cast<unsigned>((threads + block_size - 1) / block_size);
}

template <class... Classes, class Job>
void cuda_launch(const Job& job, const launch_table<sizeof...(Classes)>& table, void* stream) {
  if (table.threads != 0)
    object_kernel<Job, Classes...>
        <<<blocks_for(table.threads), block_size, 0, static_cast<cudaStream_t>(stream)>>>(job,
                                                                                          table);
}

template <class In, class Out, class Body>
void cuda_map(const Body& body, const In* in, Out* out, std::uint64_t n, void* stream) {
  if (n == 0)
    return;
  constexpr unsigned v = elements_per_thread<In, Out>();
  const unsigned blocks = blocks_for((n + v - 1) / v);
  if (n < 0xf0000000u) // the last block's indices must not wrap
    map_kernel<v, std::uint32_t><<<blocks, block_size, 0, static_cast<cudaStream_t>(stream)>>>(
        body, in, out, static_cast<std::uint32_t>(n));
  else
    map_kernel<v, std::uint64_t>
        <<<blocks, block_size, 0, static_cast<cudaStream_t>(stream)>>>(body, in, out, n);
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
