// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several stencils over a line in one kernel on a GPU, each over the one's results before it: what
// launch_stencil_pair.hpp is for two of other ranks. A block computes the first stencil for a part
// of the line and what lies around it, keeps the results in shared memory, and goes on from there.
// A line has no more around a part than the stencils reach, so that many of them pay.
#pragma once

#include <ikra/generated/launch/launch_stencil.hpp>
#include <ikra/generated/launch/tiles_when.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ikra::rt {

/// Where a stencil stands on a block's part of a line, in shared memory. \tparam T of the results
/// of the stencil before it
template <class T> class line_accessor {
public:
  static constexpr int rank = 1;

  /// \param elements of the block's part of the line \param slot of the place in it \param place in
  /// the array
  IKRA_HD line_accessor(const T* elements, int slot, std::uint32_t place)
      : elements_(elements), slot_(slot), place_(place) {}

  /// The only array that is read.
  template <std::size_t L> IKRA_HD T element() const {
    static_assert(L == 0);
    return elements_[slot_];
  }
  IKRA_HD ikra::detail::section_index_t<1> section_index() const {
    assume_coordinate(place_);
    return ikra::detail::as_section_index(index<1>(static_cast<std::int64_t>(place_)));
  }
  template <class Footprint> IKRA_HD static constexpr bool fits() { return true; }
  template <border Border> IKRA_HD line_accessor neighbour(const index<1>& offset) const {
    const int by = static_cast<int>(offset[0]);
    return {elements_, slot_ + by, place_ + static_cast<std::uint32_t>(by)};
  }
  IKRA_HD int at() const { return static_cast<int>(place_); }

private:
  const T* elements_;
  int slot_;
  std::uint32_t place_;
};

/// The same at the ends of the line, but where neighbours outside are those of the other end: the
/// block's part has these. A neighbour outside is the nearest element, which lies between.
template <class T> class line_boundary_accessor {
public:
  static constexpr int rank = 1;

  IKRA_HD line_boundary_accessor(const line_accessor<T>& accessor, int extent)
      : accessor_(accessor), extent_(extent) {}

  template <std::size_t L> IKRA_HD T element() const { return accessor_.template element<L>(); }
  IKRA_HD ikra::detail::section_index_t<1> section_index() const {
    return accessor_.section_index();
  }
  template <class Footprint> IKRA_HD bool fits() const {
    return accessor_.at() >= -Footprint::least()[0] &&
           accessor_.at() < extent_ - Footprint::most()[0];
  }
  template <border Border> IKRA_HD line_boundary_accessor neighbour(const index<1>& offset) const {
    static_assert(Border != border::wrap);
    index<1> inside = offset;
    if constexpr (Border == border::clamp)
      inside[0] = clamped(accessor_.at() + offset[0], 0, extent_ - 1) - accessor_.at();
    return {accessor_.template neighbour<Border>(inside), extent_};
  }

private:
  line_accessor<T> accessor_;
  int extent_;
};

/// How a line is shared out to blocks. \tparam Steps how many stencils there are
template <class First, class Next, unsigned Steps> struct line_tile {
  /// How far each stencil but the first reads before a place and after it. The place itself counts,
  /// since borders may read it.
  static constexpr int before =
      static_cast<int>(std::max<std::int64_t>(0, -Next::footprint::least()[0]));
  static constexpr int after =
      static_cast<int>(std::max<std::int64_t>(0, Next::footprint::most()[0]));
  static constexpr int later = static_cast<int>(Steps) - 1;
  static constexpr int halo_before = later * before, halo_after = later * after;
  static constexpr bool has_other_side = wraps<Next>;

  /// Places of a thread, and those that it computes before it stores any, so that loads overlap.
  static constexpr int each = 8, at_once = 4;
  static constexpr int places = static_cast<int>(block_size) * each; ///< of the first stencil
  static constexpr int whole = places - halo_before - halo_after;    ///< of the last one
  /// More around a part would be computed too often, and a kernel has 4 KiB of parameters.
  static constexpr bool is_possible =
      whole >= places / 2 && sizeof(First) + later * sizeof(Next) <= 4000;

  static std::int64_t blocks(std::int64_t extent) { return (extent + whole - 1) / whole; }
  static bool suits(std::int64_t extent) {
    constexpr std::int64_t enough = 256; // some for each multiprocessor
    const tiles_when when = tiles();
    // The other side once, at most; and positions after the line have 32 bits, too.
    return is_possible && when != tiles_when::never && extent > std::max(halo_before, halo_after) &&
           extent < std::int64_t(1) << 30 &&
           (when == tiles_when::always || blocks(extent) >= enough);
  }
};

/// The stencils but the first one, as a kernel's parameter.
template <class Body, unsigned N> struct bodies_after {
  Body of[N];
};

#ifdef __CUDACC__

/// A block's way through all stencils.
template <class Tile, class First, class Next> class line_block {
public:
  __device__ explicit line_block(int extent)
      : extent_(extent), begin_(static_cast<int>(blockIdx.x) * Tile::whole),
        end_(begin_ + Tile::whole < extent ? begin_ + Tile::whole : extent) {
    const int lowest = begin_ - Tile::halo_before, highest = lowest + Tile::places;
    is_inner_ = lowest >= low<First> && highest <= extent - high<First>;
  }

  /// Computes the first stencil for all places that the others need.
  template <class Middle, class In>
  __device__ void first(const First& body, Middle* to, const In* in) const {
    using leaves = leaf_arrays<In>;
    using inner = interior_accessor<1, 1, std::uint32_t, std::int32_t, leaves>;
    const auto inner_at = [&](int place) {
      return inner(leaves(in + place), strides<1, std::int32_t>(),
                   {{static_cast<std::uint32_t>(place)}}, 0);
    };
    const auto outer_at = [&](int place) {
      return boundary_accessor<1, 0, leaves>(leaves(in), index<1>(extent_), index<1>(place));
    };
    const auto store = [&](int slot, int, const Middle& result) { to[slot] = result; };
    run<Middle, First>(0, body, inner_at, outer_at, store, [](int, int place) { return place; });
  }

  /// Computes one of the others, the s-th, over results of the one before it.
  template <class Out, class Middle, class Store>
  __device__ void next(int s, const Next& body, const Middle* from, const Store& store) const {
    const auto inner_at = [&](line_accessor<Middle> at) { return at; };
    const auto outer_at = [&](line_accessor<Middle> at) {
      if constexpr (wraps<Next>)
        return at;
      else
        return line_boundary_accessor<Middle>(at, extent_);
    };
    run<Out, Next>(s, body, inner_at, outer_at, store, [&](int slot, int place) {
      return line_accessor<Middle>(from, slot, static_cast<std::uint32_t>(place));
    });
  }

private:
  /// How many places at the ends are no inner ones.
  template <class Body>
  static constexpr int low =
      static_cast<int>(std::max<std::int64_t>(0, -Body::footprint::least()[0]));
  template <class Body>
  static constexpr int high =
      static_cast<int>(std::max<std::int64_t>(0, Body::footprint::most()[0]));

  /// Calls store(slot, place, body's result) for the places of the s-th stencil.
  /// \param inner, outer accessors of inner places and of others, of what at(slot, place) gives
  template <class Out, class Body, class Inner, class Outer, class Store, class At>
  __device__ void run(int s, const Body& body, const Inner& inner, const Outer& outer,
                      const Store& store, const At& at) const {
    const int left = Tile::later - s; // stencils to come
    const int origin = begin_ - Tile::halo_before;
    const int first = begin_ - left * Tile::before, last = end_ + left * Tile::after;
    if (is_inner_ && end_ - begin_ == Tile::whole) {
#pragma unroll 1
      for (int from = first + static_cast<int>(threadIdx.x); from < last;
           from += Tile::at_once * static_cast<int>(block_size)) {
        Out results[Tile::at_once];
#pragma unroll
        for (int j = 0; j < Tile::at_once; ++j)
          if (const int place = from + j * static_cast<int>(block_size); place < last)
            results[j] = Out(body(inner(at(place - origin, place))));
#pragma unroll
        for (int j = 0; j < Tile::at_once; ++j)
          if (const int place = from + j * static_cast<int>(block_size); place < last)
            store(place - origin, place, results[j]);
      }
      return;
    }
#pragma unroll 1
    for (int k = first + static_cast<int>(threadIdx.x); k < last;
         k += static_cast<int>(block_size)) {
      const int place = Tile::has_other_side ? k < 0         ? k + extent_
                                               : k < extent_ ? k
                                                             : k - extent_
                                             : k;
      if (place >= 0 && place < extent_)
        store(k - origin, place, at_end<Out>(body, inner, outer, at(k - origin, place), place));
    }
  }

  template <class Out, class Body, class Inner, class Outer, class At>
  __device__ Out at_end(const Body& body, const Inner& inner, const Outer& outer, const At& at,
                        int place) const {
    const bool is_inner = place >= low<Body> && place < extent_ - high<Body>;
    return near_border<Out>(body, inner(at), is_inner, [&] { return outer(at); });
  }

  int extent_, begin_, end_;
  bool is_inner_; ///< whether all places of a whole part are inner ones, for all stencils
};

template <class Tile, class Middle, class Out, class First, class Next, class In>
__global__ void __launch_bounds__(block_size)
    stencil_line_kernel(const __grid_constant__ First first,
                        const __grid_constant__ bodies_after<Next, Tile::later> others, int extent,
                        Out* __restrict__ out, const In* __restrict__ in) {
  __shared__ Middle memory[Tile::later > 1 ? 2 : 1][Tile::places];
  const line_block<Tile, First, Next> block(extent);
  block.first(first, memory[0], in);
  __syncthreads();
  if constexpr (Tile::later > 1) { // of two, the second's results are of another type
#pragma unroll 1
    for (int s = 1; s < Tile::later; ++s) {
      Middle* const to = memory[s % 2];
      block.template next<Middle>(s, others.of[s - 1], memory[(s + 1) % 2],
                                  [=](int slot, int, const Middle& result) { to[slot] = result; });
      __syncthreads();
    }
  }
  block.template next<Out>(Tile::later, others.of[Tile::later - 1], memory[(Tile::later + 1) % 2],
                           [=](int, int place, const Out& result) { out[place] = result; });
}

/// out[i] = the last body(accessor of i), each over what the one before it gives; queued on a
/// stream.
/// \tparam Middle of all results but the last one's
/// \param next, more bodies of stencils (stencil_accessor.hpp), of one type
/// \returns false, and does nothing, if the array's shape does not suit tiles
template <class Middle, class Out, class First, class Next, class In, class... More>
bool cuda_stencil_line(const index<1>& shape, void* stream, Out* out, const In* in,
                       const First& first, const Next& next, const More&... more) {
  static_assert((std::is_same_v<Next, More> && ...));
  constexpr unsigned later = 1 + sizeof...(More);
  using in_tiles = line_tile<First, Next, later + 1>;
  if constexpr (in_tiles::is_possible) {
    if (!in_tiles::suits(shape[0]))
      return false;
    stencil_line_kernel<in_tiles, Middle, Out, First, Next, In>
        <<<static_cast<unsigned>(in_tiles::blocks(shape[0])), block_size, 0,
           static_cast<cudaStream_t>(stream)>>>(first, bodies_after<Next, later>{{next, more...}},
                                                static_cast<int>(shape[0]), out, in);
    return true;
  } else {
    return false;
  }
}

#endif // __CUDACC__

} // namespace ikra::rt
