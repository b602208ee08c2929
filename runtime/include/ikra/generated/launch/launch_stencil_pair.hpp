// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two stencils in one kernel, of which the second reads the first one's results (ARRAY'17, section
// 7: shared memory). A block computes the first stencil for its tile and what lies around it, keeps
// that in shared memory, and computes the second one from there: what is between the two is neither
// written nor read. Only results around tiles are computed twice.
//
// A block goes along one dimension and keeps a few planes, so that tiles are only flat where they
// have to fit into shared memory (tile_accessor.hpp says how they lie).
#pragma once

#include <ikra/generated/launch/launch_stencil.hpp>
#include <ikra/generated/launch/tile_accessor.hpp>
#include <ikra/generated/launch/tiles_when.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace ikra::rt {

#ifdef __CUDACC__

/// What a pair's kernel knows of the array.
template <class Tile> class tiled_shape {
  static constexpr int rank = Tile::rank;

public:
  explicit tiled_shape(const index<rank>& extents)
      : blocks_of_(grid_of(extents)), in_column_(columns_of(extents)), shape_(extents),
        segment_(static_cast<int>(segment_of(extents))) {
    blocks_ = static_cast<unsigned>(grid_of(extents).volume());
    const interior_space<rank> first = inner_of<typename Tile::first>(extents);
    const interior_space<rank> second = inner_of<typename Tile::second>(extents);
    std::int64_t stride = 1;
    for (int d = rank - 1; d >= 0; --d) {
      extents_[d] = static_cast<int>(extents[d]);
      strides_[d] = static_cast<int>(stride);
      stride *= extents[d];
      inner_[0].first[d] = static_cast<int>(first.first[d]);
      inner_[0].last[d] = static_cast<int>(first.last[d]);
      inner_[1].first[d] = Tile::wraps(d) ? 0 : static_cast<int>(second.first[d]);
      inner_[1].last[d] = static_cast<int>(Tile::wraps(d) ? extents[d] : second.last[d]);
    }
    columns_ = static_cast<int>(columns_of(extents).volume());
  }

  /// Whether blocks are used well: they are neither few nor is much of them outside.
  static bool suits(const index<rank>& extents) {
    const tiles_when when = tiles();
    if (extents.volume() == 0 || when == tiles_when::never || extents[rank - 1] % Tile::beside != 0)
      return false;
    for (int d = 0; d < rank; ++d) // the other side once, at most
      if (Tile::wraps(d) && extents[d] < std::max(Tile::before(d), Tile::after(d)))
        return false;
    if (when == tiles_when::always)
      return true;
    constexpr std::int64_t enough = 256; // some for each multiprocessor
    const std::int64_t blocks = grid_of(extents).volume();
    const double room = static_cast<double>(blocks) * Tile::whole_rows * Tile::whole_columns *
                        Tile::beside * static_cast<double>(segment_of(extents));
    return blocks >= enough && 10.0 * static_cast<double>(extents.volume()) >= 6.0 * room;
  }

  unsigned blocks() const { return blocks_; }
  __device__ const index_space<rank, unsigned>& blocks_of() const { return blocks_of_; }
  __device__ const index_space<rank, unsigned>& in_column() const { return in_column_; }
  __device__ const index<rank>& shape() const { return shape_; }
  __device__ int extent(int d) const { return extents_[d]; }
  __device__ int stride(int d) const { return strides_[d]; }
  /// Planes of results of a block, but the last ones.
  __device__ int segment() const { return segment_; }
  /// Elements in a row of columns.
  __device__ int columns() const { return columns_; }
  /// Whether places with this coordinate may be inner ones of stencil \p s, as far as dimension \p
  /// d goes.
  __device__ bool is_inner(int s, int d, int at) const {
    return at >= inner_[s].first[d] && at < inner_[s].last[d];
  }
  __device__ bool is_inner(int s, int d, int first, int count) const {
    return first >= inner_[s].first[d] && first + count <= inner_[s].last[d];
  }
  /// Whether a tile has places with this coordinate: those of the array, and around it where the
  /// second stencil reads the other side.
  __device__ bool is_around(int d, int at) const {
    return Tile::wraps(d) ? at >= -Tile::before(d) && at < extents_[d] + Tile::after(d)
                          : at >= 0 && at < extents_[d];
  }
  /// The coordinate on the other side, of one around the array.
  __device__ int wrapped(int d, int at) const {
    return !Tile::wraps(d)    ? at
           : at < 0           ? at + extents_[d]
           : at < extents_[d] ? at
                              : at - extents_[d];
  }

private:
  static index<rank> columns_of(index<rank> extents) {
    for (int d = 0; d < Tile::columns_from; ++d)
      extents[d] = 1;
    return extents;
  }
  static index<rank> grid_of(const index<rank>& extents) {
    const auto parts = [](std::int64_t n, int size) { return (n + size - 1) / size; };
    index<rank> grid = extents;
    for (int d = Tile::columns_from; d < rank; ++d)
      grid[d] = 1;
    grid[rank - 1] =
        parts(columns_of(extents).volume(), Tile::whole_columns * static_cast<int>(Tile::beside));
    if constexpr (Tile::across >= 0)
      grid[Tile::across] = parts(extents[Tile::across], Tile::whole_rows);
    grid[Tile::along] = (extents[Tile::along] + segment_of(extents) - 1) / segment_of(extents);
    return grid;
  }
  /// About Tile::segment planes, as many in each.
  static std::int64_t segment_of(const index<rank>& extents) {
    const std::int64_t planes = extents[Tile::along];
    const std::int64_t segments = (planes + Tile::segment / 2) / Tile::segment;
    return segments == 0 ? planes : (planes + segments - 1) / segments;
  }

  struct inner {
    int first[rank], last[rank];
  };
  index_space<rank, unsigned> blocks_of_, in_column_;
  index<rank> shape_;
  int segment_, columns_;
  unsigned blocks_;
  int extents_[rank], strides_[rank];
  inner inner_[2]; ///< places of both stencils
};

/// A thread of a pair's kernel, with the columns of its block that it computes.
template <class Tile, class Middle, class Out, class First, class Second, class In>
class pair_thread {
  static constexpr int rank = Tile::rank, along = Tile::along, across = Tile::across;
  static constexpr unsigned V = Tile::beside;
  using leaves = leaf_arrays<In>;
  using item = pack<Middle, V>;
  template <unsigned W>
  using first_accessor = interior_accessor<rank, W, std::uint32_t, std::int32_t, leaves>;
  using second_accessor = tile_accessor<Tile, Middle>;

public:
  __device__ pair_thread(const tiled_shape<Tile>& all, item* ring, Out* out, const In* in)
      : all_(all), ring_(ring), out_(out), elements_(in),
        line_(static_cast<int>(threadIdx.x) / Tile::columns),
        column_(static_cast<int>(threadIdx.x) % Tile::columns) {
    const index_cursor<rank, unsigned> block(all.blocks_of(), blockIdx.x);
    for (int d = 0; d < rank; ++d)
      at_[d] = static_cast<int>(block[d]);
    const int first = at_[rank - 1] * Tile::whole_columns - Tile::before(rank - 1) + column_;
    int in_row = first * static_cast<int>(V);
    const bool is_inside = in_row >= 0 && in_row < all.columns();
    has_column_ = is_inside;
    if constexpr (Tile::wraps(rank - 1)) {
      has_column_ = all.is_around(rank - 1, in_row);
      in_row = all.wrapped(rank - 1, in_row);
    }
    if constexpr (Tile::columns_from == rank - 1) {
      at_[rank - 1] = in_row;
    } else {
      const index_cursor<rank, unsigned> place(all.in_column(),
                                               has_column_ ? static_cast<unsigned>(in_row) : 0);
      for (int d = Tile::columns_from; d < rank; ++d)
        at_[d] = static_cast<int>(place[d]);
    }
    if constexpr (across >= 0)
      first_row_ = at_[across] * Tile::whole_rows - Tile::before(across);
    begin_ = at_[along] * all.segment();
    end_ = begin_ + all.segment() < all.extent(along) ? begin_ + all.segment() : all.extent(along);
    position_ = in_row;
    for (int d = 0; d < Tile::columns_from; ++d)
      if (d != along && d != across)
        position_ += at_[d] * all.stride(d);
    writes_column_ = is_inside && column_ >= Tile::before(rank - 1) &&
                     column_ < Tile::columns - Tile::after(rank - 1);
    is_inner_[0] = has_column_;
    is_inner_[1] = writes_column_;
    for (int s = 0; s < 2; ++s)
      for (int d = 0; d < rank; ++d)
        if (d != along && d != across)
          is_inner_[s] = is_inner_[s] && all.is_inner(s, d, at_[d]);
    for (int d = 0; d < rank - 1; ++d)
      steps_.of[d] = all.stride(d);
  }

  /// Results are those of planes begin() to end().
  __device__ int begin() const { return begin_; }
  __device__ int end() const { return end_; }

  /// Computes the first stencil for `step` planes from \p plane on, those that the array has, and
  /// stores them from slot \p slot of the ring on.
  __device__ void compute_first(const First& body, int plane, int slot) const {
#pragma unroll 1
    for (int k = 0; k < Tile::rows_each; ++k) {
      const int row = line_ + k * Tile::lines;
      int at[rank], position;
      bool is_inner = is_inner_[0], is_there = has_column_;
      locate(row, plane, at, position);
      if constexpr (across >= 0) {
        is_there = is_there && all_.is_around(across, at[across]);
        const int inside = all_.wrapped(across, at[across]);
        position += (inside - at[across]) * all_.stride(across);
        at[across] = inside;
        is_inner = is_inner && is_there && all_.is_inner(0, across, inside);
      }
      item* const to = ring_ + row * Tile::columns + column_;
      if (is_inner && all_.is_inner(0, along, plane, Tile::step)) {
        const leaves from = elements_ + static_cast<unsigned>(position);
        const auto place = coordinates<typename first_accessor<V>::coordinates>(at);
        item results[Tile::step]; // stored after all loads, so that these are shared
#pragma unroll
        for (int j = 0; j < Tile::step; ++j)
#pragma unroll
          for (unsigned v = 0; v < V; ++v) {
            auto here = place;
            here.of[rank - 1] += v;
            const first_accessor<V> accessor(from, steps_, here, static_cast<std::int32_t>(v));
            results[j].elements[v] = Middle(body(accessor.further(along, j)));
          }
#pragma unroll
        for (int j = 0; j < Tile::step; ++j)
          to[((slot + j) & (Tile::planes - 1)) * Tile::plane] = results[j];
      } else if (is_there) {
#pragma unroll 1
        for (int j = 0; j < Tile::step; ++j)
          if (all_.is_around(along, plane + j)) {
            at[along] = all_.wrapped(along, plane + j);
            item results;
            for (unsigned v = 0; v < V; ++v)
              results.elements[v] = first_at_border(
                  body, at, position + (at[along] - plane) * all_.stride(along), v, is_inner);
            to[((slot + j) & (Tile::planes - 1)) * Tile::plane] = results;
          }
      }
    }
  }

  /// Computes the second stencil for `step` planes from \p plane on, those that lie between begin()
  /// and end(). The first one's results for \p plane are in slot \p slot.
  __device__ void compute_second(const Second& body, int plane, int slot) const {
#pragma unroll 1
    for (int k = 0; k < Tile::rows_each; ++k) {
      const int row = line_ + k * Tile::lines;
      int at[rank], position;
      bool is_inner = is_inner_[1], writes = writes_column_;
      locate(row, plane, at, position);
      if constexpr (across >= 0) {
        writes = writes && row >= Tile::before(across) && row < Tile::rows - Tile::after(across) &&
                 at[across] < all_.extent(across);
        is_inner = is_inner && writes && all_.is_inner(1, across, at[across]);
      }
      const auto accessor_at = [&](int j, unsigned v) {
        auto here = coordinates<typename second_accessor::coordinates>(at);
        here.of[along] = static_cast<std::uint32_t>(plane + j);
        here.of[rank - 1] += v;
        return second_accessor(ring_, slot + j, row, column_, v, here);
      };
      if (is_inner && plane >= begin_ && plane + Tile::step <= end_ &&
          all_.is_inner(1, along, plane, Tile::step)) {
        pack<Out, V> results[Tile::step];
#pragma unroll
        for (int j = 0; j < Tile::step; ++j)
#pragma unroll
          for (unsigned v = 0; v < V; ++v)
            results[j].elements[v] = Out(body(accessor_at(j, v)));
#pragma unroll
        for (int j = 0; j < Tile::step; ++j)
          *reinterpret_cast<pack<Out, V>*>(out_ + position + j * all_.stride(along)) = results[j];
      } else if (writes) {
#pragma unroll 1
        for (int j = 0; j < Tile::step; ++j)
          if (plane + j >= begin_ && plane + j < end_)
            for (unsigned v = 0; v < V; ++v)
              out_[position + j * all_.stride(along) + static_cast<int>(v)] = second_at_border(
                  body, accessor_at(j, v), is_inner && all_.is_inner(1, along, plane + j));
      }
    }
  }

private:
  template <class Coordinates> __device__ static Coordinates coordinates(const int (&at)[rank]) {
    Coordinates result;
    for (int d = 0; d < rank; ++d)
      result.of[d] = static_cast<std::uint32_t>(at[d]);
    return result;
  }

  /// The thread's place in a row and plane, and its position in the array.
  __device__ void locate(int row, int plane, int (&at)[rank], int& position) const {
    for (int d = 0; d < rank; ++d)
      at[d] = at_[d];
    at[along] = plane;
    position = position_ + plane * all_.stride(along);
    if constexpr (across >= 0) {
      at[across] = first_row_ + row;
      position += at[across] * all_.stride(across);
    }
  }

  __device__ Middle first_at_border(const First& body, const int (&at)[rank], int position,
                                    unsigned v, bool is_inner) const {
    is_inner = is_inner && all_.is_inner(0, along, at[along]);
    auto here = coordinates<typename first_accessor<1>::coordinates>(at);
    here.of[rank - 1] += v;
    const first_accessor<1> accessor(elements_ + (static_cast<unsigned>(position) + v), steps_,
                                     here, 0);
    return near_border<Middle>(body, accessor, is_inner, [&] {
      index<rank> place;
      for (int d = 0; d < rank; ++d)
        place[d] = static_cast<std::int64_t>(here.of[d]);
      return boundary_accessor<rank, 0, leaves>(elements_, all_.shape(), place);
    });
  }

  __device__ Out second_at_border(const Second& body, const second_accessor& accessor,
                                  [[maybe_unused]] bool is_inner) const {
    if constexpr (wraps<Second>) // what is outside is in the tile, too
      return Out(body(accessor));
    else
      return near_border<Out>(body, accessor, is_inner, [&] {
        return tile_boundary_accessor<Tile, Middle>(accessor, all_.shape());
      });
  }

  const tiled_shape<Tile>& all_;
  item* ring_;
  Out* out_;
  leaves elements_;
  strides<rank, std::int32_t> steps_;
  int line_, column_;
  int at_[rank]; ///< but along planes and rows
  int first_row_ = 0;
  int begin_, end_;
  int position_; ///< in the array, of the thread's column in plane 0 and row 0
  bool has_column_, writes_column_;
  bool is_inner_[2]; ///< for both stencils, but along planes and rows
};

template <class Tile, class Middle, class Out, class First, class Second, class In>
__global__ void __launch_bounds__(block_size)
    stencil_pair_kernel(const __grid_constant__ First first, const __grid_constant__ Second second,
                        const __grid_constant__ tiled_shape<Tile> all, Out* __restrict__ out,
                        const In* __restrict__ in) {
  __shared__ pack<Middle, Tile::beside> ring[Tile::planes * Tile::plane];
  const pair_thread<Tile, Middle, Out, First, Second, In> thread(all, ring, out, in);
  constexpr int before = Tile::before(Tile::along), after = Tile::after(Tile::along);
  int slot = 0;
  for (int plane = thread.begin() - before; plane - after < thread.end(); plane += Tile::step) {
    thread.compute_first(first, plane, slot);
    __syncthreads();
    // What lies `after` the last plane is still to come.
    thread.compute_second(second, plane - after, slot - after);
    __syncthreads();
    slot += Tile::step;
  }
}

/// How a pair's blocks have an array. \tparam Middle elements of the first one's results
template <class Middle, class Out, class In, class First, class Second> struct pair_tile {
  static constexpr unsigned fitting = elements_per_thread<Out, Middle, In>();
  static constexpr bool stays_in_columns =
      !tile<typename First::footprint, typename Second::footprint, 1, false>::reaches(
          First::footprint::rank - 1);
  static constexpr unsigned beside = !stays_in_columns ? 1 : fitting < 4 ? fitting : 4;
  using type = tile<typename First::footprint, typename Second::footprint, beside, wraps<Second>>;

  static bool suits(const index<First::footprint::rank>& shape) {
    constexpr std::int64_t narrow = std::int64_t(1) << 30; // positions in front of the array, too
    return shape.volume() < narrow && tiled_shape<type>::suits(shape);
  }
};

/// out[i] = second(accessor of i), where accessors give what first(accessor) gives for elements of
/// `in`; queued on a stream.
/// \tparam First, Second bodies of stencils (stencil_accessor.hpp) with their reach; each reads one
/// array
/// \returns false, and does nothing, if the array's shape does not suit tiles
template <class Middle, class Out, class First, class Second, class In>
bool cuda_stencil_pair(const First& first, const Second& second,
                       const index<First::footprint::rank>& shape, void* stream, Out* out,
                       const In* in) {
  using in_tiles = pair_tile<Middle, Out, In, First, Second>;
  if (!in_tiles::suits(shape))
    return false;
  const tiled_shape<typename in_tiles::type> all(shape);
  stencil_pair_kernel<typename in_tiles::type, Middle, Out, First, Second, In>
      <<<all.blocks(), block_size, 0, static_cast<cudaStream_t>(stream)>>>(first, second, all, out,
                                                                           in);
  return true;
}

#endif // __CUDACC__

} // namespace ikra::rt
