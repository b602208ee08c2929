// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// preduce_axis: the elements along one dimension combined, for every place of the others. Where
// there are few results and much to combine, the dimension is cut into pieces, whose results are
// combined in turn. How, follows from the shape alone, so that the result is the same in every run.
#pragma once

#include <ikra/generated/launch/grid.hpp>
#include <ikra/generated/launch/kernel_value.hpp>
#include <ikra/generated/launch/launch.hpp>
#include <ikra/generated/launch/launch_reduce.hpp>
#include <ikra/generated/launch/warp.hpp>

#include <algorithm>
#include <cstdint>
#include <new>
#include <type_traits>

namespace ikra::rt {

/// An array seen along a dimension: places before it, along it, after it. The elements that are
/// combined are `inner` apart.
struct axis_shape {
  std::uint64_t outer, length, inner;

  IKRA_HD constexpr std::uint64_t results() const { return outer * inner; }
  /// Where piece s of so many begins.
  IKRA_HD constexpr std::uint64_t begin(std::uint64_t s, std::uint64_t pieces) const {
    return length / pieces * s + (s < length % pieces ? s : length % pieces);
  }
};

/// Pieces of the dimension: enough for so many results in all, each at least so long.
constexpr std::uint64_t axis_pieces(const axis_shape& shape, std::uint64_t enough,
                                    std::uint64_t shortest) {
  if (shape.results() >= enough || shape.length < 2 * shortest)
    return 1;
  return std::min(enough / shape.results(), shape.length / shortest);
}

inline constexpr std::uint64_t axis_block =
    1024; ///< neighbouring columns that are combined together
inline constexpr std::uint64_t axis_grain = 16384; ///< elements worth a thread

/// Columns side by side, out[(o * pieces + s) * inner + i] = piece s of column (o, i) combined.
template <class Out, class Body, class In>
void host_reduce_columns(const Body& body, const In* in, const axis_shape& shape,
                         std::uint64_t pieces, Out* out) {
  const std::uint64_t blocks = (shape.inner + axis_block - 1) / axis_block;
  const std::uint64_t tasks = shape.outer * pieces * blocks;
  const std::uint64_t work = std::min(shape.inner, axis_block) * (shape.length / pieces);
  const std::uint64_t together = std::max<std::uint64_t>(1, axis_grain / work);
  host_chunks((tasks + together - 1) / together, [&](std::uint64_t chunk) {
    const Body mine = body;
    for (std::uint64_t task = chunk * together; task < std::min(tasks, (chunk + 1) * together);
         ++task) {
      const std::uint64_t part = task / blocks; // o * pieces + s
      const std::uint64_t first = task % blocks * axis_block;
      const auto count = static_cast<std::int64_t>(std::min(axis_block, shape.inner - first));
      const std::uint64_t o = part / pieces, s = part % pieces;
      const In* from = in + (o * shape.length + shape.begin(s, pieces)) * shape.inner + first;
      Out* const to = out + part * shape.inner + first;
      for (std::int64_t i = 0; i < count; ++i)
        ::new (static_cast<void*>(to + i)) Out(converted<Out>(from[i]));
      for (std::uint64_t k = shape.begin(s, pieces) + 1; k < shape.begin(s + 1, pieces); ++k) {
        from += shape.inner;
        IKRA_INDEPENDENT
        for (std::int64_t i = 0; i < count; ++i)
          make_from(
              to + i,
              [&](const Out& all, const In& next) -> decltype(auto) {
                return mine(all, converted<Out>(next));
              },
              to[i], from[i]);
      }
    }
  });
}

/// Rows of consecutive elements.
template <class Out, class Body, class In>
void host_reduce_rows(const Body& body, const In* in, const axis_shape& shape, Out* out) {
  constexpr std::uint64_t many = 64; // rows that keep all cores busy
  if (shape.outer < many && shape.length >= axis_grain) {
    for (std::uint64_t o = 0; o < shape.outer; ++o)
      ::new (static_cast<void*>(out + o))
          Out(host_reduce<Out>(body, in + o * shape.length, shape.length));
    return;
  }
  const std::uint64_t together = std::max<std::uint64_t>(1, axis_grain / shape.length);
  host_chunks((shape.outer + together - 1) / together, [&](std::uint64_t chunk) {
    const Body mine = body;
    for (std::uint64_t o = chunk * together; o < std::min(shape.outer, (chunk + 1) * together); ++o)
      ::new (static_cast<void*>(out + o))
          Out(reduce_chunk_of<Out>(mine, in + o * shape.length, shape.length));
  });
}

/// The reduction on all cores. \param shape with no zero in it \param initial null for none
template <class Out, class Body, class In>
void host_reduce_axis(const Body& body, const In* in, const axis_shape& shape, const Out* initial,
                      Out* out) {
  constexpr std::uint64_t enough = 4096, shortest = 1024;
  if (shape.inner == 1) {
    host_reduce_rows(body, in, shape, out);
  } else if (const std::uint64_t pieces = axis_pieces(shape, enough, shortest); pieces == 1) {
    host_reduce_columns(body, in, shape, 1, out);
  } else {
    ikra::detail::room<Out> parts(shape.results() * pieces);
    host_reduce_columns(body, in, shape, pieces, parts.data());
    host_reduce_columns(body, static_cast<const Out*>(parts.data()),
                        axis_shape{shape.outer, pieces, shape.inner}, 1, out);
  }
  if (initial == nullptr)
    return;
  for (std::uint64_t r = 0; r < shape.results(); ++r)
    make_from(
        out + r, [&](const Out& all) -> decltype(auto) { return body(*initial, all); }, out[r]);
}

/// Pieces of the dimension on a GPU.
constexpr std::uint64_t cuda_axis_pieces(const axis_shape& shape) {
  return shape.inner == 1 ? axis_pieces(shape, 8192, 1024)  // a warp each
                          : axis_pieces(shape, 131072, 64); // a thread each
}

/// The reduction on the GPU; queued on a stream. Called where nvcc compiles.
/// \param shape     with no zero in it
/// \param start     start_with_nothing, or start_with<Out>
/// \param workspace device memory for results() * cuda_axis_pieces(shape) results; any for one
/// piece
template <class Out, class Body, class In, class Start>
void cuda_reduce_axis(const Body& body, const In* in, const axis_shape& shape, const Start& start,
                      Out* workspace, Out* out, void* stream);

#ifdef __CUDACC__

/// What a result starts with in front of it, if this is the last launch.
template <class Out, class Body, class Start>
__device__ Out after_start(const Body& body, const Start& start, const Out& all) {
  if constexpr (!std::is_same_v<Start, start_with_nothing>)
    if (start.now)
      return static_cast<Out>(body(start.value, all));
  return all;
}

/// A thread a piece of a column.
template <class Out, class Body, class In, class Start>
__global__ void __launch_bounds__(block_size)
    reduce_columns_kernel(const __grid_constant__ Body body, const In* __restrict__ in,
                          axis_shape shape, std::uint64_t pieces,
                          const __grid_constant__ Start start, Out* __restrict__ out) {
  const std::uint64_t t = std::uint64_t(blockIdx.x) * block_size + threadIdx.x;
  const std::uint64_t part = t / shape.inner, i = t % shape.inner;
  const std::uint64_t o = part / pieces, s = part % pieces;
  if (o >= shape.outer)
    return;
  const std::uint64_t end = shape.begin(s + 1, pieces);
  std::uint64_t k = shape.begin(s, pieces);
  const In* from = in + (o * shape.length + k) * shape.inner + i;
  pack_room<Out, 1> all;
  ::new (&all.loaded.elements[0]) Out(converted<Out>(*from));
  for (++k; k < end; ++k) {
    from += shape.inner;
    ::new (&all.loaded.elements[0])
        Out(static_cast<Out>(body(all.loaded.elements[0], converted<Out>(*from))));
  }
  ::new (static_cast<void*>(out + t)) Out(after_start<Out>(body, start, all.loaded.elements[0]));
}

/// A warp a piece of a row, of which each lane takes every 32nd element.
template <class Out, class Body, class In, class Start>
__global__ void __launch_bounds__(block_size)
    reduce_rows_kernel(const __grid_constant__ Body body, const In* __restrict__ in,
                       axis_shape shape, std::uint64_t pieces, const __grid_constant__ Start start,
                       Out* __restrict__ out) {
  constexpr unsigned at_once = 4;
  const unsigned lane = threadIdx.x % warp_size;
  const std::uint64_t part = std::uint64_t(blockIdx.x) * warps_per_block + threadIdx.x / warp_size;
  const std::uint64_t o = part / pieces, s = part % pieces;
  if (o >= shape.outer) // the same in all lanes
    return;
  const std::uint64_t end = shape.begin(s + 1, pieces);
  const In* const from = in + o * shape.length;
  pack_room<Out, 1> all;
  bool is_first = true;
  for (std::uint64_t k = shape.begin(s, pieces); k < end; k += at_once * warp_size) {
    pack_room<Out, at_once> mine;
#pragma unroll
    for (unsigned r = 0; r < at_once; ++r) { // past the end the last element, which is left out
      const std::uint64_t at = k + r * warp_size + lane;
      ::new (&mine.loaded.elements[r]) Out(converted<Out>(from[at < end ? at : end - 1]));
    }
#pragma unroll
    for (unsigned r = 0; r < at_once; ++r) {
      const std::uint64_t first = k + r * warp_size;
      if (first >= end)
        break;
      const unsigned lanes =
          end - first < warp_size ? static_cast<unsigned>(end - first) : warp_size;
      const Out row = reduce_lanes(Out(mine.loaded.elements[r]), lanes, body);
      if (lane == 0)
        ::new (&all.loaded.elements[0])
            Out(is_first ? row : static_cast<Out>(body(all.loaded.elements[0], row)));
      is_first = false;
    }
  }
  if (lane == 0)
    ::new (static_cast<void*>(out + part))
        Out(after_start<Out>(body, start, all.loaded.elements[0]));
}

template <class Out, class Body, class In, class Start>
void cuda_reduce_pieces(const Body& body, const In* in, const axis_shape& shape,
                        std::uint64_t pieces, const Start& start, Out* out, cudaStream_t stream) {
  const std::uint64_t parts = shape.results() * pieces;
  if (shape.inner == 1)
    reduce_rows_kernel<<<blocks_for(parts * warp_size), block_size, 0, stream>>>(
        body, in, shape, pieces, start, out);
  else
    reduce_columns_kernel<<<blocks_for(parts), block_size, 0, stream>>>(body, in, shape, pieces,
                                                                        start, out);
}

template <class Out, class Body, class In, class Start>
void cuda_reduce_axis(const Body& body, const In* in, const axis_shape& shape, const Start& start,
                      Out* workspace, Out* out, void* stream) {
  const auto queue = static_cast<cudaStream_t>(stream);
  const std::uint64_t pieces = cuda_axis_pieces(shape);
  Start last = start;
  if constexpr (!std::is_same_v<Start, start_with_nothing>)
    last.now = true;
  if (pieces == 1)
    return cuda_reduce_pieces(body, in, shape, 1, last, out, queue);
  cuda_reduce_pieces(body, in, shape, pieces, start_with_nothing{}, workspace, queue);
  cuda_reduce_pieces(body, static_cast<const Out*>(workspace),
                     axis_shape{shape.outer, pieces, shape.inner}, 1, last, out, queue);
}

#endif // __CUDACC__

} // namespace ikra::rt
