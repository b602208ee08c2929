// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches of stencils: one result a place, from the elements around it. An array is split into the
// places whose neighbours all lie inside, where the body reads at constant distances and nothing is
// tested for each neighbour, and its border. ARRAY'17, section 3 (access pattern 'fixed
// neighbourhood').
#pragma once

#include <ikra/generated/grid.hpp>
#include <ikra/generated/kernel_value.hpp>
#include <ikra/generated/launch.hpp>
#include <ikra/generated/places.hpp>
#include <ikra/generated/window.hpp>

#include <cstdint>
#include <new>
#include <type_traits>

namespace ikra::rt {

/// In place of a value for the border, where there is none.
struct no_value {};

/// The places whose neighbours all lie inside: first <= place < last in each dimension.
template <int R> struct inner_places {
  index<R> first, last;

  IKRA_HD bool contains(int d, std::int64_t at) const { return at >= first[d] && at < last[d]; }
};

template <class Reach> inner_places<Reach::rank> inner_of(const index<Reach::rank>& shape) {
  const auto within = [](std::int64_t x, std::int64_t least, std::int64_t most) {
    return x < least ? least : x > most ? most : x;
  };
  inner_places<Reach::rank> inner;
  for (int d = 0; d < Reach::rank; ++d) {
    inner.first[d] = within(-Reach::least()[d], 0, shape[d]);
    inner.last[d] = within(shape[d] - Reach::most()[d], inner.first[d], shape[d]);
  }
  return inner;
}

template <class Distance, int R> strides<R, Distance> strides_of(const index<R>& shape) {
  strides<R, Distance> result{};
  std::int64_t stride = 1;
  for (int d = R - 1; d > 0; --d) {
    stride *= shape[d];
    result.of[d - 1] = static_cast<Distance>(stride);
  }
  return result;
}

/// body(window), or body(window, index).
template <bool WithIndex, class Body, class Window, int R>
IKRA_HD decltype(auto) call_stencil(const Body& body, const Window& window, const index<R>& place) {
  if constexpr (WithIndex)
    return body(window, ikra::detail::as_section_index(place));
  else
    return body(window);
}

/// A body that goes on with the stencil's result says of which type that is, and what becomes of it
/// at the border: body.behind(result), or body.behind(result, index).
template <class Body>
concept goes_on = requires { typename Body::stencil_result; };

/// The result at the border where the stencil gives a value there.
template <class Out, bool WithIndex, class Body, class Value, int R>
IKRA_HD Out behind_border(const Body& body, const Value& value, const index<R>& place) {
  if constexpr (!goes_on<Body>) {
    return converted<Out>(value);
  } else {
    const auto result = converted<typename Body::stencil_result>(value);
    if constexpr (WithIndex)
      return Out(body.behind(result, ikra::detail::as_section_index(place)));
    else
      return Out(body.behind(result));
  }
}

/// The result at a place of which a neighbour lies outside.
/// \param position of the place; \param outside the value, for border::value
template <class Out, class Reach, border Border, bool WithIndex, class Body, class In,
          class Outside>
IKRA_HD Out border_result(const Body& body, const In* in, const index<Reach::rank>& shape,
                          const index<Reach::rank>& place, std::uint64_t position,
                          const Outside& outside) {
  if constexpr (Border == border::value)
    return behind_border<Out, WithIndex>(body, outside, place);
  else if constexpr (Border == border::keep)
    return behind_border<Out, WithIndex>(body, in[position], place);
  else
    return Out(
        call_stencil<WithIndex>(body, border_window<In, Reach, Border>(in, shape, place), place));
}

/// out[i] = body(window at i[, index of i]) on all cores.
/// \tparam Reach   rt::reach of the neighbourhood
/// \param  outside the result at the border, for border::value; else no_value
/// \param  out     uninitialised memory for a result a place
template <class Reach, border Border, bool WithIndex, class Out, class Body, class In,
          class Outside>
void host_stencil(const Body& body, const index<Reach::rank>& shape, const Outside& outside,
                  Out* out, const In* in) {
  constexpr int R = Reach::rank;
  const inner_places<R> inner = inner_of<Reach>(shape);
  const strides<R, std::int64_t> steps = strides_of<std::int64_t>(shape);
  const auto piece = [&](const Body& mine, std::uint64_t begin, std::uint64_t end, index<R> place) {
    const std::int64_t first = place[R - 1];
    const auto count = static_cast<std::int64_t>(end - begin);
    // The part of the piece that has all its neighbours inside.
    std::int64_t from = inner.first[R - 1] - first, to = inner.last[R - 1] - first;
    for (int d = 0; d < R - 1; ++d)
      if (!inner.contains(d, place[d]))
        to = from;
    from = from < 0 ? 0 : from > count ? count : from;
    to = to < from ? from : to > count ? count : to;
    const auto at_border = [&](std::int64_t k) {
      place[R - 1] = first + k;
      const std::uint64_t i = begin + static_cast<std::uint64_t>(k);
      ::new (static_cast<void*>(out + i))
          Out(border_result<Out, Reach, Border, WithIndex>(mine, in, shape, place, i, outside));
    };
    for (std::int64_t k = 0; k < from; ++k)
      at_border(k);
    // Like a loop over a row by hand: consecutive elements, one number that counts.
    const strides<R, std::int64_t> own = steps;
    const In* const elements = in + begin;
    Out* const results = out + begin;
    const auto last = static_cast<std::int32_t>(to);
    IKRA_INDEPENDENT
    for (auto k = static_cast<std::int32_t>(from); k < last; ++k) {
      index<R> here = place;
      here[R - 1] = first + k;
      ::new (static_cast<void*>(results + k)) Out(call_stencil<WithIndex>(
          mine, inner_window<In, Reach, std::int64_t>(elements + k, own), here));
    }
    for (std::int64_t k = to; k < count; ++k)
      at_border(k);
  };
  host_parts(static_cast<std::uint64_t>(shape.volume()),
             [&](std::uint64_t first, std::uint64_t last) {
               const Body mine = body; // a copy of this thread's own, which stores cannot change
               for_rows<R>(shape, first, last,
                           [&](std::uint64_t begin, std::uint64_t end, const index<R>& place) {
                             piece(mine, begin, end, place);
                           });
             });
}

/// The same on the GPU; queued on a stream. Called where nvcc compiles.
template <class Reach, border Border, bool WithIndex, class Out, class Body, class In,
          class Outside>
void cuda_stencil(const Body& body, const index<Reach::rank>& shape, const Outside& outside,
                  void* stream, Out* out, const In* in);

#ifdef __CUDACC__

/// Which elements a thread of a stencil's launch takes: V along one dimension, one behind the other
/// in rank 1 a block's width apart, above it below each other in neighbouring rows, so that
/// neighbouring threads read neighbouring elements and what several of a thread's windows have in
/// common is loaded once.
/// \tparam Index of positions; \tparam Distance the signed type of its width
template <int R, unsigned V, class Index, class Distance> struct stencil_grid {
  /// The dimension along which a thread goes, and how far from element to element.
  static constexpr int along = R > 1 ? R - 2 : 0;
  static constexpr unsigned step = R > 1 ? 1 : block_size;

  explicit stencil_grid(const index<R>& shape) : threads_shape(shape) {
    if constexpr (R > 1) {
      threads_shape[along] = (shape[along] + V - 1) / V;
      threads = static_cast<Index>(threads_shape.volume());
    } else {
      constexpr std::int64_t tile = V * block_size;
      threads = static_cast<Index>((shape[0] + tile - 1) / tile * block_size);
    }
  }

  index<R> threads_shape; ///< above rank 1: the threads' own places
  Index threads = 0;
};

/// What a stencil's kernel knows of the array.
template <int R, unsigned V, class Index, class Distance> struct stencil_shape {
  using grid = stencil_grid<R, V, Index, Distance>;

  stencil_shape(const index<R>& extents, const grid& g, const inner_places<R>& inner_part)
      : threads(g.threads), thread_places(g.threads_shape), steps(strides_of<Distance>(extents)),
        shape(extents) {
    for (int d = 0; d < R; ++d) {
      first[d] = static_cast<Index>(inner_part.first[d]);
      count[d] = static_cast<Index>(inner_part.last[d] - inner_part.first[d]);
    }
  }

  /// Whether the neighbours of a place with this coordinate lie inside in dimension \p d.
  __device__ bool is_inner(int d, Index at) const {
    return static_cast<Index>(at - first[d]) < count[d];
  }

  Index threads;
  places<R, Index> thread_places;
  strides<R, Distance> steps;
  Index first[R], count[R]; ///< of the places whose neighbours all lie inside
  index<R> shape;
};

template <unsigned V, class Reach, border Border, bool WithIndex, class Index, class Distance,
          class Out, class Body, class In, class Outside>
__global__ void __launch_bounds__(block_size)
    stencil_kernel(const __grid_constant__ Body body,
                   const __grid_constant__ stencil_shape<Reach::rank, V, Index, Distance> all,
                   const __grid_constant__ Outside outside, Out* __restrict__ out,
                   const In* __restrict__ in) {
  constexpr int R = Reach::rank;
  using grid = stencil_grid<R, V, Index, Distance>;
  constexpr int along = grid::along;
  const Index thread = Index(blockIdx.x) * block_size + threadIdx.x;
  if (thread >= all.threads)
    return;
  Index at[R];
  Index apart = grid::step; // from one element of this thread to the next, in the array
  if constexpr (R > 1) {
    const place_cursor<R, Index> cursor(all.thread_places, thread);
    for (int d = 0; d < R; ++d)
      at[d] = cursor[d];
    at[along] *= V;
    apart = static_cast<Index>(all.steps.of[along]);
  } else {
    at[0] = Index(blockIdx.x) * (V * block_size) + threadIdx.x;
  }
  Index position = at[R - 1];
  bool beside = true; // whether all neighbours lie inside in the other dimensions
  for (int d = 0; d < R; ++d) {
    if (d < R - 1)
      position += at[d] * static_cast<Index>(all.steps.of[d]);
    if (d != along)
      beside = beside && all.is_inner(d, at[d]);
  }
  const auto place = [&](unsigned j) {
    index<R> result;
    for (int d = 0; d < R; ++d)
      result[d] = static_cast<std::int64_t>(at[d]);
    result[along] += j * grid::step;
    return result;
  };
  const auto inner = [&](unsigned j) {
    return Out(call_stencil<WithIndex>(
        body, inner_window<In, Reach, Distance>(in + (position + j * apart), all.steps), place(j)));
  };
  if constexpr (V > 1) {
    if (beside && all.is_inner(along, at[along]) &&
        all.is_inner(along, at[along] + (V - 1) * grid::step)) {
      Out results[V];
#pragma unroll
      for (unsigned j = 0; j < V; ++j)
        results[j] = inner(j);
#pragma unroll
      for (unsigned j = 0; j < V; ++j)
        out[position + j * apart] = results[j];
      return;
    }
  }
#pragma unroll 1
  for (unsigned j = 0; j < V; ++j) {
    const Index here = at[along] + j * grid::step;
    if (static_cast<std::int64_t>(here) >= all.shape[along])
      return;
    const Index to = position + j * apart;
    if (beside && all.is_inner(along, here))
      ::new (static_cast<void*>(out + to)) Out(inner(j));
    else
      ::new (static_cast<void*>(out + to)) Out(
          border_result<Out, Reach, Border, WithIndex>(body, in, all.shape, place(j), to, outside));
  }
}

template <class Reach, border Border, bool WithIndex, class Out, class Body, class In,
          class Outside>
void cuda_stencil(const Body& body, const index<Reach::rank>& shape, const Outside& outside,
                  void* stream, Out* out, const In* in) {
  constexpr int R = Reach::rank;
  constexpr unsigned v = std::is_trivial_v<Out> ? 4 : 1; // as many rows halve what is loaded twice
  const auto n = static_cast<std::uint64_t>(shape.volume());
  if (n == 0)
    return;
  const inner_places<R> inner = inner_of<Reach>(shape);
  const auto launch = [&]<class Index, class Distance>(Index, Distance) {
    const stencil_grid<R, v, Index, Distance> grid(shape);
    stencil_kernel<v, Reach, Border, WithIndex, Index, Distance, Out, Body, In, Outside>
        <<<blocks_for(grid.threads), block_size, 0, static_cast<cudaStream_t>(stream)>>>(
            body, stencil_shape<R, v, Index, Distance>(shape, grid, inner), outside, out, in);
  };
  constexpr std::uint64_t narrow = std::uint64_t(1) << 30; // positions of a last tile do not wrap
  if (n < narrow)
    launch(std::uint32_t(0), std::int32_t(0));
  else
    launch(std::uint64_t(0), std::int64_t(0));
}

#endif // __CUDACC__

} // namespace ikra::rt
