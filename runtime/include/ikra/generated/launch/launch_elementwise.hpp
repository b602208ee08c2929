// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches with one result a place: pmap, pcombine and pnew over values, with and without index.
// Results depend on the elements at their own place alone (ARRAY'17, section 3.1: access pattern
// 'same location').
#pragma once

#include <ikra/generated/launch/body_traits.hpp>
#include <ikra/generated/launch/grid.hpp>
#include <ikra/generated/launch/host_steps.hpp>
#include <ikra/generated/launch/index_space.hpp>
#include <ikra/generated/launch/launch.hpp>
#include <ikra/generated/launch/side_by_side.hpp>
#include <ikra/generated/launch/until_end.hpp>
#include <ikra/generated/launch/warp_store.hpp>

#include <cstdint>
#include <new>
#include <type_traits>

namespace ikra::rt {

/// Whether a body, on all cores, is better run node by node: each of its nodes takes the result
/// of the one before, of the same type. `each_node(step)` calls step.start, step.plain or
/// step.indexed for each.
template <class Body>
concept is_blocked = requires { requires is_said<Body::is_blocked>; };

namespace detail {
/// Whether a result is made and stored in one go. One of a class is made where it is stored, part
/// by part; and its memory may be that of an element that it is made of.
template <class Out> inline constexpr bool is_stored_whole = !std::is_class_v<Out>;

/// Several results from the place `along` in a row on; indices are of one dimension.
template <int R, class Coordinate, class Body, class Out, class... In>
void compute_lanes_at(const Body& body, const row_start<R, Coordinate>& row, std::int32_t along,
                      Out* out, const In*... in) {
  static_assert(R <= 1, "there is one index for all results");
  if constexpr (R == 0)
    body.template compute_lanes<Body::side_by_side>(in..., out);
  else
    body.template compute_lanes<Body::side_by_side>(
        in..., static_cast<std::int64_t>(row.of[0]) + along, out);
}

/// out[k] = body(in[k]..., index of k) for rows after each other. `out` may be one of `in`.
template <class Start, class Out, class Body, class... In>
void host_elementwise_rows(const Body& body, const Start& start, std::int64_t rows,
                           std::int32_t length, Out* const out, const In* const... in) {
  for (std::int64_t r = 0; r < rows; ++r) {
    const Start row = start.row(r);
    const std::int64_t begin = r * length;
    std::int32_t done = 0;
    if constexpr (computes_lanes<Body>)
      for (; done + std::int32_t(Body::side_by_side) <= length; done += Body::side_by_side)
        compute_lanes_at(body, row, done, out + begin + done, (in + begin + done)...);
    if constexpr (is_stored_whole<Out>) {
      Out* __restrict__ const to = out;
      IKRA_INDEPENDENT
      for (std::int32_t k = done; k < length; ++k)
        ::new (static_cast<void*>(to + begin + k)) Out(call_at(body, row, k, in[begin + k]...));
    } else {
      IKRA_INDEPENDENT
      for (std::int32_t k = done; k < length; ++k)
        make_from(
            out + begin + k,
            [&](const In&... of) -> decltype(auto) { return call_at(body, row, k, of...); },
            in[begin + k]...);
    }
  }
}
} // namespace detail

/// out[i] = body(in[i]..., index of i) on all cores.
/// \tparam R     rank of the index; 0 where the body takes none
/// \param  shape of the array, if R > 0
/// \param  out   uninitialised memory for n results
/// \param  in    n elements each, any number of inputs
template <int R, class Out, class Body, class... In>
void host_elementwise(const Body& body, const placed_shape<R>& shape, std::uint64_t n, Out* out,
                      const In*... in) {
  if constexpr (is_blocked<Body>) {
    static_assert(sizeof...(In) <= 1, "nodes start with nothing or with an element");
    const Out* from = nullptr;
    ((from = in), ...);
    host_steps<R, is_costly<Body>>(shape, n, out, from,
                                   [&](const auto& step) { body.each_node(step); });
  } else {
    const auto part = [&](std::uint64_t first, std::uint64_t last) {
      const Body mine = body; // a copy of this thread's own, which stores cannot change
      for_row_starts<R>(
          shape, first, last,
          [&](std::uint64_t begin, std::int64_t rows, std::int32_t length, const auto& start) {
            detail::host_elementwise_rows(mine, start, rows, length, out + begin, (in + begin)...);
          });
    };
    if constexpr (is_costly<Body>)
      host_costly_parts(n, part);
    else
      host_parts(n, part);
  }
}

/// Elements [begin, end) of it, on this core.
template <int R, class Out, class Body, class... In>
void host_elementwise_part(const Body& body, const placed_shape<R>& shape, std::uint64_t begin,
                           std::uint64_t end, Out* out, const In*... in) {
  if constexpr (is_blocked<Body>) {
    static_assert(sizeof...(In) <= 1, "nodes start with nothing or with an element");
    const Out* from = nullptr;
    ((from = in), ...);
    host_steps_part<R>(shape, begin, end, out, from,
                       [&](const auto& step) { body.each_node(step); });
  } else {
    for_row_starts<R>(
        shape, begin, end,
        [&](std::uint64_t first, std::int64_t rows, std::int32_t length, const auto& start) {
          detail::host_elementwise_rows(body, start, rows, length, out + first, (in + first)...);
        });
  }
}

/// The same on the GPU; queued on a stream. Called where nvcc compiles.
template <int R, class Out, class Body, class... In>
void cuda_elementwise(const Body& body, const placed_shape<R>& shape, std::uint64_t n, void* stream,
                      Out* out, const In*... in);

#ifdef __CUDACC__

/// V results from packs that were loaded whole.
template <unsigned V, int R, class Index, class Out, class Body, class... In>
__device__ void store_elementwise(const Body& body, const index_space<R, Index>& all,
                                  index_cursor<R, Index> place, Out* out, const pack<In, V>... x) {
  pack<Out, V> y;
#pragma unroll
  for (unsigned j = 0; j < V; ++j) {
    y.elements[j] = static_cast<Out>(place.call(body, x.elements[j]...));
    place.next(all);
  }
  *reinterpret_cast<pack<Out, V>*>(out) = y;
}

/// V elements a thread, in blocks of any size up to block_size. Index: of positions, 32 bits where
/// they suffice.
template <unsigned V, int R, class Index, class Out, class Body, class... In>
__device__ __forceinline__ void elementwise_of_thread(const Body& body,
                                                      const index_space<R, Index>& all, Index n,
                                                      Out* out, const In*... in) {
  const Index first = (Index(blockIdx.x) * blockDim.x + threadIdx.x) * V;
  if constexpr (V == 1 && is_stored_by_warps<Out>) {
    union room {
      Out value;
      __device__ room() {}
    } result;
    if (first < n)
      ::new (&result.value)
          Out(index_cursor<R, Index>(all, all.position(first)).call(body, in[first]...));
    return store_by_warp(out + first / warp_size * warp_size, result.value, first < n);
  }
  if (first >= n)
    return;
  index_cursor<R, Index> place(all, all.position(first));
  if constexpr (V > 1) {
    if (n - first >= V) {
      store_elementwise<V, R, Index, Out, Body, In...>(body, all, place, out + first,
                                                       packed_at<V>(in + first)...);
      return;
    }
  }
  for (Index i = first; i < n && i < first + V; ++i, place.next(all)) {
    const Out made(place.call(body, in[i]...));
    store_whole(out + i, made);
  }
}

template <unsigned V, int R, class Index, class Out, class Body, class... In>
__global__ void __launch_bounds__(block_size)
    elementwise_kernel(const __grid_constant__ Body body,
                       const __grid_constant__ index_space<R, Index> all, Index n,
                       Out* __restrict__ out, const In* __restrict__... in) {
  if (!rt::has_ended(body))
    elementwise_of_thread<V, R, Index, Out, Body, In...>(body, all, n, out, in...);
}

/// The same where a part of a result may not be stored before all parts of the elements are read.
template <unsigned V, int R, class Index, class Out, class Body, class... In>
__global__ void __launch_bounds__(block_size)
    elementwise_class_kernel(const __grid_constant__ Body body,
                             const __grid_constant__ index_space<R, Index> all, Index n, Out* out,
                             const In*... in) {
  if (!rt::has_ended(body))
    elementwise_of_thread<V, R, Index, Out, Body, In...>(body, all, n, out, in...);
}

/// A body in the form for threads that share what they read.
template <class Body> struct tiled_body {
  const Body& body;
  template <class... T> __device__ auto operator()(const T&... given) const {
    return body.compute_in_tiles(given...);
  }
};

/// The same where all threads of a block compute a result: they wait for each other.
template <int R, class Index, class Out, class Body, class... In>
__global__ void __launch_bounds__(block_size)
    elementwise_tiled_kernel(const __grid_constant__ Body body,
                             const __grid_constant__ index_space<R, Index> all, Index n, Out* out,
                             const In*... in) {
  if (rt::has_ended(body)) // the same in all threads
    return;
  const Index own = Index(blockIdx.x) * block_size + threadIdx.x;
  const bool is_there = own < n;
  const Index at = is_there ? own : n - 1;
  const Out made(
      index_cursor<R, Index>(all, all.position(at)).call(tiled_body<Body>{body}, in[at]...));
  if constexpr (is_stored_by_warps<Out>)
    store_by_warp(out + own / warp_size * warp_size, made, is_there);
  else if (is_there)
    store_whole(out + own, made);
}

/// Elements a thread where threads of a block wait for each other.
inline constexpr unsigned in_tiles_together = 0;

/// Launches the one for results of type Out.
template <unsigned V, int R, class Index, class Out, class Body, class... In>
void launch_elementwise_kernel(const Body& body, const index_space<R, Index>& all, Index n,
                               cudaStream_t stream, Out* out, const In*... in) {
  if constexpr (V == in_tiles_together) {
    elementwise_tiled_kernel<R, Index, Out, Body, In...>
        <<<blocks_for(n), block_size, 0, stream>>>(body, all, n, out, in...);
    return;
  } else {
    const std::uint64_t threads = (n + V - 1) / V;
    // Warps that store together have room for all warps of a large block.
    constexpr bool is_large = V == 1 && is_stored_by_warps<Out>;
    const unsigned size = is_large ? block_size : block_size_for(threads);
    const unsigned blocks = blocks_for(threads, size);
    if constexpr (detail::is_stored_whole<Out>)
      elementwise_kernel<V, R, Index, Out, Body, In...>
          <<<blocks, size, 0, stream>>>(body, all, n, out, in...);
    else
      elementwise_class_kernel<V, R, Index, Out, Body, In...>
          <<<blocks, size, 0, stream>>>(body, all, n, out, in...);
  }
}

/// With V elements a thread.
template <unsigned V, int R, class Out, class Body, class... In>
void cuda_elementwise_by(const Body& body, const placed_shape<R>& shape, std::uint64_t n,
                         void* stream, Out* out, const In*... in) {
  const auto queue = static_cast<cudaStream_t>(stream);
  if (counts_in_32_bits(shape, n))
    launch_elementwise_kernel<V, R, std::uint32_t, Out, Body, In...>(
        body, index_space<R, std::uint32_t>(shape), static_cast<std::uint32_t>(n), queue, out,
        in...);
  else
    launch_elementwise_kernel<V, R, std::uint64_t, Out, Body, In...>(
        body, index_space<R, std::uint64_t>(shape), n, queue, out, in...);
}

template <int R, class Out, class Body, class... In>
void cuda_elementwise(const Body& body, const placed_shape<R>& shape, std::uint64_t n, void* stream,
                      Out* out, const In*... in) {
  if (n == 0)
    return;
  if constexpr (computes_in_tiles<Body>)
    if (body.longest_in_tiles() >= block_size) // else there is no whole piece to share
      return cuda_elementwise_by<in_tiles_together, R>(body, shape, n, stream, out, in...);
  constexpr unsigned v = diverges<Body> ? 1 : elements_per_thread<Out, In...>();
  if constexpr (v > 1 && repeats<Body>)
    if (n / v < threads_at_once)
      return cuda_elementwise_by<1, R>(body, shape, n, stream, out, in...);
  cuda_elementwise_by<v, R>(body, shape, n, stream, out, in...);
}

#endif // __CUDACC__

} // namespace ikra::rt
