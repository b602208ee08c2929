// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A reduction of what a turn's stencil computes, in the stencil's own kernel. A reduction's threads
// go along rows, and load each neighbour; those of a stencil go across, and keep what several
// results have in common. So these combine pieces of rows, as a warp has them, in the groups of
// cuda_reduce, which are left to a launch after this one.
#pragma once

#include <ikra/generated/launch/launch_stencil.hpp>
#include <ikra/generated/turns/turn_reduce.hpp>
#include <ikra/generated/turns/turn_sources.hpp>

#include <cstddef>
#include <cstdint>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ikra::rt {

/// Elements that a warp combines of a row.
inline constexpr unsigned row_piece = warp_size;
/// Results of a thread, of as many rows.
inline constexpr unsigned rows_of_pieces = 4;

/// A leaf of a reduction that is the stencil's result.
struct stencil_result {};
namespace detail {
template <class Leaf, class To> struct type_of_leaf {
  using type = To;
};
template <class T, class To> struct type_of_leaf<const T*, To> {
  using type = T;
};
} // namespace detail

/// Element i of a reduction is head(leaf[i]…, index of i), made of a stencil's result there.
/// \tparam To the stencil's results \tparam Leaf const T* or stencil_result
template <class T, int R, class Head, class To, class... Leaf> class elements_of_stencil {
  using numbers = std::index_sequence_for<Leaf...>;

public:
  using value_type = T;
  static constexpr unsigned per_thread =
      elements_per_thread<T, typename detail::type_of_leaf<Leaf, To>::type...>();

  elements_of_stencil(const Head& head, const shape_of_rank<R>& shape, const Leaf&... leaf)
      : head_(head), space_of_indices_(shape), leaves_{{leaf}...} {}

  IKRA_HD T element(const To& result, std::uint64_t i) const {
    return element(result, i, numbers());
  }

private:
  template <std::size_t... K>
  IKRA_HD T element(const To& result, std::uint64_t i, std::index_sequence<K...>) const {
    const index_cursor<R, std::uint64_t> place(space_of_indices_, i);
    return static_cast<T>(place.call(head_, value(detail::part<K>(leaves_), result, i)...));
  }
  template <class X> IKRA_HD static X value(const X* leaf, const To&, std::uint64_t i) {
    return leaf[i];
  }
  IKRA_HD static To value(stencil_result, const To& result, std::uint64_t) { return result; }

  Head head_;
  index_space<R, std::uint64_t> space_of_indices_;
  detail::numbered_values<numbers, Leaf...> leaves_;
};

/// Whether a stencil's kernel may combine what is made of its results, if it suits their shape.
/// \tparam Elements elements_of_stencil
template <class Footprint, class Elements, class To, class Out, class Stencil, class... In>
constexpr bool combines_in_stencil() {
#ifdef __CUDACC__
  if constexpr (Footprint::rank > 1 && std::is_arithmetic_v<To> && std::is_trivial_v<Out> &&
                Elements::per_thread <= rows_of_pieces)
    return stencil_run_of<Stencil, Footprint, 1, In...>::length == rows_of_pieces;
#endif
  return false;
}
/// Whether it suits: rows are whole pieces, and cuda_reduce has blocks enough for all of its rows.
template <class Elements, class To, int R> bool suits_pieces(const index<R>& shape) {
  const auto n = static_cast<std::uint64_t>(shape.volume());
  return n * sizeof(To) >= least_bytes_in_passing && n < narrow_stencil &&
         shape[R - 1] % (row_piece * Elements::per_thread) == 0 &&
         reduce_run_for<Elements>(n) == reduce_run_of<Elements>;
}

/// Intermediate results for which cuda_stencil_reduce_then needs memory.
template <class Out, class Elements> constexpr std::uint64_t row_pieces(std::uint64_t n) {
  return n / row_piece + reduce_workspace<Out, Elements>(n);
}

/// Stores a stencil's results, and combines what is made of each as cuda_reduce_then does; queued.
/// Only if combines_in_stencil and suits_pieces. Called where nvcc compiles.
/// \param to where the stencil's results are stored
/// \param workspace uninitialised device memory for row_pieces<Out, Elements>(n) results
template <class Footprint, class To, class Out, class Stencil, class Elements, class Body,
          class Start, class Tail, class... In>
void cuda_stencil_reduce_then(const Stencil& stencil, const index<Footprint::rank>& shape, To* to,
                              const Elements& made, const Body& body, const Start& start,
                              Out* workspace, Out* out, const Tail& tail, unsigned* arrived,
                              void* stream, const In*... in);

#ifdef __CUDACC__

/// of_pieces[p] = piece p combined, which are numbered as they lie in the array. A reduction's lane
/// combines its own elements one after the other; results of lanes are combined two by two.
template <class Footprint, class To, class Out, class Stencil, class Elements, class Body,
          class... In>
__global__ void __launch_bounds__(block_size) stencil_reduce_kernel(
    const __grid_constant__ Stencil stencil,
    const __grid_constant__
        stencil_shape<stencil_run_of<Stencil, Footprint, 1, In...>, std::uint32_t, std::int32_t>
            all,
    To* __restrict__ to, const __grid_constant__ Elements made, const __grid_constant__ Body body,
    Out* __restrict__ of_pieces, const In* __restrict__... in) {
  using run = stencil_run_of<Stencil, Footprint, 1, In...>;
  constexpr unsigned rows = rows_of_pieces;
  std::uint32_t at[run::rank] = {};
  if (!all.find(at)) // the same in all lanes, since rows are whole pieces
    return;
  const std::uint32_t position = all.position(at);
  const std::int32_t apart = all.apart();
  const auto end = static_cast<std::uint32_t>(all.shape()[run::along]);
  const leaf_arrays<In...> elements(in...);
  Out values[rows];
  if (all.is_inner(at)) {
    pack_room<To, 1> results[rows];
    stencil_inside<1, run>(stencil, all, at, elements + position, results);
#pragma unroll
    for (unsigned j = 0; j < rows; ++j) {
      const std::uint32_t here = position + j * static_cast<std::uint32_t>(apart);
      const To result = results[j].loaded.elements[0];
      to[here] = result;
      values[j] = converted<Out>(made.element(result, here));
    }
  } else {
#pragma unroll 1
    for (unsigned j = 0; j < rows; ++j)
      if (const std::uint32_t row = at[run::along] + j; row < end) {
        std::uint32_t place[run::rank];
        for (int d = 0; d < run::rank; ++d)
          place[d] = d == run::along ? row : at[d];
        const std::uint32_t here = position + j * static_cast<std::uint32_t>(apart);
        ::new (to + here) To(result_near_border<To>(stencil, all, place, elements, here));
      }
#pragma unroll
    for (unsigned j = 0; j < rows; ++j) {
      // Of rows in front of the array and after it, another one's values, which nobody reads.
      const std::uint32_t first = at[run::along], row = first + j;
      const std::uint32_t inside = row < end ? row : first < end ? end - 1 : 0;
      const std::uint32_t here = position + (inside - first) * static_cast<std::uint32_t>(apart);
      values[j] = converted<Out>(made.element(to[here], here));
    }
  }
  transpose_in_fours(values);
  // The K-th of four lanes has four elements of row K.
  const unsigned lane = threadIdx.x % warp_size, row = lane % rows;
  Out value = static_cast<Out>(body(values[0], values[1]));
  if constexpr (Elements::per_thread == rows) {
    value = static_cast<Out>(body(value, values[2]));
    value = static_cast<Out>(body(value, values[3]));
  } else {
    value = static_cast<Out>(body(value, static_cast<Out>(body(values[2], values[3]))));
  }
  value = reduce_lanes<rows>(value, warp_size, body);
  if (lane < rows && at[run::along] + row < end)
    of_pieces[(position - lane + row * static_cast<std::uint32_t>(apart)) / row_piece] = value;
}

/// V values combined two by two.
template <unsigned V, class Out, class Body>
__device__ Out reduce_in_pairs(const Body& body, const Out* values) {
  if constexpr (V == 1)
    return values[0];
  else
    return static_cast<Out>(
        body(reduce_in_pairs<V / 2>(body, values), reduce_in_pairs<V / 2>(body, values + V / 2)));
}

/// of_blocks[b] = what block b of reduce_kernel would give: eight rows of its warps one after the
/// other, then eight warps. \param rows of a warp's lanes, V pieces each
template <unsigned V, class Out, class Body>
__global__ void __launch_bounds__(block_size)
    reduce_pieces_kernel(const __grid_constant__ Body body, const Out* __restrict__ of_pieces,
                         std::uint64_t rows, Out* __restrict__ of_blocks) {
  constexpr std::uint64_t rows_of_run = 8;
  __shared__ Out of_runs[block_size];
  const std::uint64_t first_run = std::uint64_t(blockIdx.x) * block_size;
  const std::uint64_t runs = (rows + rows_of_run - 1) / rows_of_run;
  const std::uint64_t first = (first_run + threadIdx.x) * rows_of_run;
  if (first < rows) {
    Out all = reduce_in_pairs<V>(body, of_pieces + first * V);
    for (unsigned r = 1; r < rows_of_run && first + r < rows; ++r)
      all = static_cast<Out>(body(all, reduce_in_pairs<V>(body, of_pieces + (first + r) * V)));
    of_runs[threadIdx.x] = all;
  }
  __syncthreads();
  const unsigned mine = threadIdx.x * warps_per_block;
  if (mine >= block_size || first_run + mine >= runs)
    return;
  Out all = of_runs[mine];
  for (unsigned w = 1; w < warps_per_block && first_run + mine + w < runs; ++w)
    all = static_cast<Out>(body(all, of_runs[mine + w]));
  of_blocks[first_run / warps_per_block + threadIdx.x] = all;
}

template <class Footprint, class To, class Out, class Stencil, class Elements, class Body,
          class Start, class Tail, class... In>
void cuda_stencil_reduce_then(const Stencil& stencil, const index<Footprint::rank>& shape, To* to,
                              const Elements& made, const Body& body, const Start& start,
                              Out* workspace, Out* out, const Tail& tail, unsigned* arrived,
                              void* stream, const In*... in) {
  constexpr unsigned v = Elements::per_thread;
  const auto n = static_cast<std::uint64_t>(shape.volume());
  const stencil_shape<stencil_run_of<Stencil, Footprint, 1, In...>, std::uint32_t, std::int32_t>
      all(shape);
  auto* const queue = static_cast<cudaStream_t>(stream);
  stencil_reduce_kernel<Footprint, To, Out, Stencil, Elements, Body, In...>
      <<<all.blocks(), block_size, 0, queue>>>(stencil, all, to, made, body, workspace, in...);
  const std::uint64_t rows = n / (row_piece * v), blocks = reduce_blocks<Elements>(n);
  Out* const of_blocks = workspace + n / row_piece;
  reduce_pieces_kernel<v><<<blocks_for(blocks * warps_per_block), block_size, 0, queue>>>(
      body, static_cast<const Out*>(workspace), rows, of_blocks);
  cuda_reduce_then_from(body, static_cast<const Out*>(of_blocks), blocks, start,
                        of_blocks + reduce_second<Elements>(n), of_blocks, out, tail, arrived,
                        queue);
}

#endif // __CUDACC__

} // namespace ikra::rt
