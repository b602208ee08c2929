// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several reductions by index of one space in one kernel on a GPU, with what computes and stores
// the arrays that they read, and a sum beside them: a turn of k-means reads its points once. A warp
// goes through its piece of the space row by row, as in launch_by_index_cuda.hpp; so the results
// are those of kernels of their own. Integers are added in a block's shared memory, in any order.
// The kernel pays where shared memory is small: else few blocks run at a time.
#pragma once

#include <ikra/generated/launch/kernel_value.hpp>
#include <ikra/generated/launch/launch_by_index.hpp>
#include <ikra/generated/launch/launch_horizontal.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace ikra::rt {

/// Bytes of shared memory that a block of such a kernel has at most, and its warps.
inline constexpr std::uint64_t most_shared_by_indices = 8192;
inline constexpr unsigned warps_by_indices = by_index_shape<int>::warps;

/// Computes and stores nothing.
struct prepares_nothing {
  IKRA_HD void operator()(std::uint64_t) const {}
};
/// Has a source compute and store an element, where it stores what it computes.
template <class Source> struct prepares_source {
  Source source;
  IKRA_HD void operator()(std::uint64_t i) const { static_cast<void>(source[i]); }
};

namespace detail {

/// Numbers of the size of T that atomic operations add.
template <class T>
using added_word = std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>;

} // namespace detail

// The parts of a kernel: each has state in registers, and some bytes of shared memory from `at` on.
// take() is called by all lanes of a warp for a row of elements.

/// Adds integers to out by their keys.
template <class Out, class Keys, class In> struct added_by_key {
  using word = detail::added_word<Out>;
  struct state {};
  Keys keys;
  In in;
  std::uint64_t bins;
  Out* out;
  bool* outside;
  std::uint64_t at;

#ifdef __CUDACC__
  __device__ word* sums(unsigned char* memory) const {
    return reinterpret_cast<word*>(memory + at);
  }
  __device__ void begin(unsigned char* memory, state&) const {
    for (std::uint64_t b = threadIdx.x; b < bins; b += blockDim.x)
      sums(memory)[b] = 0;
  }
  __device__ void take(unsigned char* memory, state&, std::uint64_t i, bool is_there) const {
    if (!is_there)
      return;
    const std::uint64_t number = detail::key_number(keys[i]);
    if (number < bins)
      atomicAdd(sums(memory) + number, static_cast<word>(converted<Out>(in[i])));
    else
      detail::note_outside(outside, i);
  }
  __device__ void end(unsigned char* memory, state&, std::uint64_t, bool) const {
    for (std::uint64_t b = threadIdx.x; b < bins; b += blockDim.x)
      if (sums(memory)[b] != 0)
        atomicAdd(reinterpret_cast<word*>(out) + b, sums(memory)[b]);
  }
#endif
};

/// Adds integers to *out.
template <class Out, class In> struct added_to_scalar {
  using word = detail::added_word<Out>;
  struct state {
    word sum = 0;
  };
  In in;
  Out* out;

#ifdef __CUDACC__
  __device__ void begin(unsigned char*, state&) const {}
  __device__ void take(unsigned char*, state& mine, std::uint64_t i, bool is_there) const {
    if (is_there)
      mine.sum += static_cast<word>(converted<Out>(in[i]));
  }
  __device__ void end(unsigned char*, state& mine, std::uint64_t, bool) const {
    for (unsigned lanes = warp_size / 2; lanes != 0; lanes /= 2)
      mine.sum += __shfl_down_sync(all_lanes, mine.sum, lanes);
    if (threadIdx.x % warp_size == 0 && mine.sum != 0)
      atomicAdd(reinterpret_cast<word*>(out), mine.sum);
  }
#endif
};

/// Combines elements by their keys: parts[w * bins + b] is what warp w has for key b, if
/// there[w * bins + b]. by_index_parts_kernel combines these.
template <class Out, class Body, class Keys, class In> struct combined_by_key {
  struct state {};
  Body body;
  Keys keys;
  In in;
  by_index_shape<Out> shape;
  Out* parts;
  unsigned char* there;
  bool* outside;
  std::uint64_t at;

#ifdef __CUDACC__
  __device__ warp_bins<Out> of_warp(unsigned char* memory) const {
    return {memory + at + (threadIdx.x / warp_size) * shape.warp_bytes(), shape};
  }
  __device__ void begin(unsigned char* memory, state&) const { of_warp(memory).clear(); }
  __device__ void take(unsigned char* memory, state&, std::uint64_t i, bool is_there) const {
    of_warp(memory).take(body, is_there, i, is_there ? detail::key_number(keys[i]) : 0, outside,
                         [&] { return in[i]; });
  }
  __device__ void end(unsigned char* memory, state&, std::uint64_t warp, bool has_piece) const {
    if (has_piece)
      of_warp(memory).store(warp, parts, there);
  }
#endif
};

/// prepare(i) for all n elements, and the parts over them, dealt out to so many warps; queued on a
/// stream. Called where nvcc compiles. \param shared bytes of a block
template <class Prepare, class... Part>
void cuda_by_indices(const Prepare& prepare, std::uint64_t n, std::uint64_t warp_count,
                     std::uint64_t shared, void* stream, const Part&... part);

#ifdef __CUDACC__

template <class Prepare, class... Part, std::size_t... K>
__device__ void by_indices(const Prepare& prepare, std::uint64_t n, std::uint64_t warp_count,
                           const detail::numbered_values<std::index_sequence<K...>, Part...>& parts,
                           unsigned char* memory) {
  detail::numbered_values<std::index_sequence<K...>, typename Part::state...> states;
  (detail::part<K>(parts).begin(memory, detail::part<K>(states)), ...);
  __syncthreads();
  const unsigned lane = threadIdx.x % warp_size;
  const std::uint64_t warp = std::uint64_t(blockIdx.x) * warps_by_indices + threadIdx.x / warp_size;
  const std::uint64_t all_rows = (n + warp_size - 1) / warp_size;
  const std::uint64_t each = all_rows / warp_count, rest = all_rows % warp_count;
  const std::uint64_t first = each * warp + (warp < rest ? warp : rest);
  const std::uint64_t rows = warp >= warp_count ? 0 : each + (warp < rest ? 1 : 0);
  for (std::uint64_t r = first; r < first + rows; ++r) { // the same in all lanes
    const std::uint64_t i = r * warp_size + lane;
    const bool is_there = i < n;
    if (is_there)
      prepare(i);
    (detail::part<K>(parts).take(memory, detail::part<K>(states), i, is_there), ...);
  }
  __syncthreads();
  (detail::part<K>(parts).end(memory, detail::part<K>(states), warp, warp < warp_count), ...);
}

template <class Prepare, class Parts>
__global__ void __launch_bounds__(warps_by_indices* warp_size)
    by_indices_kernel(const __grid_constant__ Prepare prepare, std::uint64_t n,
                      std::uint64_t warp_count, const __grid_constant__ Parts parts) {
  extern __shared__ __align__(16) unsigned char by_index_memory[];
  by_indices(prepare, n, warp_count, parts, by_index_memory);
}

template <class Prepare, class... Part>
void cuda_by_indices(const Prepare& prepare, std::uint64_t n, std::uint64_t warp_count,
                     std::uint64_t shared, void* stream, const Part&... part) {
  using all = detail::numbered_values<std::index_sequence_for<Part...>, Part...>;
  by_indices_kernel<<<static_cast<unsigned>((warp_count + warps_by_indices - 1) / warps_by_indices),
                      warps_by_indices * warp_size, shared, static_cast<cudaStream_t>(stream)>>>(
      prepare, n, warp_count, all{{part}...});
}

#endif

} // namespace ikra::rt
