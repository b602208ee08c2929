// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several stencils over a plane in one kernel on a GPU, each over the one's results before it: what
// launch_stencil_line.hpp is for lines. As a pair's block (launch_stencil_pair.hpp), a block goes
// along the first dimension; it keeps the last rows of the results of each stencil but the last in
// a ring of its own. Each is as far ahead of the next one as that reads.
#pragma once

#include <ikra/generated/launch/launch_stencil_line.hpp>
#include <ikra/generated/launch/launch_stencil_pair.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ikra::rt {

#ifdef __CUDACC__

/// How a plane is shared out to blocks. \tparam Steps how many stencils there are
template <class First, class Next, unsigned Steps, class Middle> struct steps_tile {
  /// A ring, and how far each stencil but the first reads.
  using ring = tile<typename First::footprint, typename Next::footprint, 1, wraps<Next>>;
  static constexpr bool has_other_side = wraps<Next>;
  static constexpr int step = ring::step, columns = ring::columns,
                       ring_size = ring::planes * columns;
  static constexpr int later = static_cast<int>(Steps) - 1;
  static constexpr int halo_before(int d) { return later * ring::before(d); }
  static constexpr int halo_after(int d) { return later * ring::after(d); }
  /// Columns and rows of the last one's results. Of the first one's, rows are computed in steps.
  static constexpr int whole_columns = columns - halo_before(1) - halo_after(1);
  static constexpr int segment = 18 * step - halo_before(0) - halo_after(0);
  static constexpr bool is_possible = whole_columns >= columns / 2 && segment >= 9 * step &&
                                      later * ring_size * sizeof(Middle) <= 48 * 1024 &&
                                      sizeof(First) + later * sizeof(Next) <= 4000;
};

/// What the kernel knows of the plane.
struct steps_shape {
  int extents[2];
  int segment;           ///< rows of results of a block, but the last ones
  unsigned blocks_a_row; ///< of blocks
  unsigned blocks;

  template <class Tile> static steps_shape of(const index<2>& shape) {
    const std::int64_t segments = (shape[0] + Tile::segment / 2) / Tile::segment;
    const std::int64_t segment = segments == 0 ? shape[0] : (shape[0] + segments - 1) / segments;
    const std::int64_t in_row = (shape[1] + Tile::whole_columns - 1) / Tile::whole_columns;
    const std::int64_t blocks = segment == 0 ? 0 : (shape[0] + segment - 1) / segment * in_row;
    return {{static_cast<int>(shape[0]), static_cast<int>(shape[1])},
            static_cast<int>(segment),
            static_cast<unsigned>(in_row),
            static_cast<unsigned>(blocks)};
  }
  template <class Tile> static bool suits(const index<2>& shape) {
    constexpr std::int64_t narrow = std::int64_t(1) << 30; // positions around the array, too
    const tiles_when when = tiles();
    if (!Tile::is_possible || when == tiles_when::never || shape.volume() == 0 ||
        shape.volume() >= narrow)
      return false;
    for (int d = 0; d < 2; ++d) // the other side once, at most
      if (Tile::has_other_side && shape[d] < std::max(Tile::halo_before(d), Tile::halo_after(d)))
        return false;
    constexpr unsigned enough = 256; // some for each multiprocessor
    const steps_shape all = of<Tile>(shape);
    const double room = static_cast<double>(all.blocks) * Tile::whole_columns * all.segment;
    return when == tiles_when::always ||
           (all.blocks >= enough && 10.0 * static_cast<double>(shape.volume()) >= 6.0 * room);
  }
};

/// A thread, with its column of the block.
template <class Tile, class Middle, class First, class Next, class In> class steps_thread {
  using ring = typename Tile::ring;
  using leaves = leaf_arrays<In>;
  using first_accessor = interior_accessor<2, 1, std::uint32_t, std::int32_t, leaves>;
  using next_accessor = tile_accessor<ring, Middle>;

public:
  using item = typename next_accessor::item; ///< of a ring

  __device__ steps_thread(const steps_shape& all, const In* in)
      : all_(all), elements_(in), column_(static_cast<int>(threadIdx.x)) {
    const int in_row = static_cast<int>(blockIdx.x % all.blocks_a_row);
    at_ = in_row * Tile::whole_columns - Tile::halo_before(1) + column_;
    place_ = wrapped(1, at_);
    begin_ = static_cast<int>(blockIdx.x / all.blocks_a_row) * all.segment;
    end_ = begin_ + all.segment < all.extents[0] ? begin_ + all.segment : all.extents[0];
  }

  /// Results are those of rows begin() to end().
  __device__ int begin() const { return begin_; }
  __device__ int end() const { return end_; }

  /// Computes the first stencil for `step` rows from \p row on, those that others need.
  __device__ void first(const First& body, int row, item* to) const {
    const strides<2, std::int32_t> steps{{all_.extents[1]}};
    const auto accessor_at = [&](int at) {
      return first_accessor(leaves(elements_.template leaf<0>() + position(at)), steps,
                            {{static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(place_)}},
                            0);
    };
    const bool is_inner = has_inner_column<First>();
    if (!has_column(0))
      return;
    if (is_inner && row >= low<First>(0) && row + Tile::step <= all_.extents[0] - high<First>(0)) {
      const first_accessor accessor = accessor_at(row);
      Middle results[Tile::step]; // stored after all loads, so that these are shared
#pragma unroll
      for (int j = 0; j < Tile::step; ++j)
        results[j] = Middle(body(accessor.further(0, j)));
#pragma unroll
      for (int j = 0; j < Tile::step; ++j)
        to[slot(row + j)] = {results[j]};
      return;
    }
#pragma unroll 1
    for (int j = 0; j < Tile::step; ++j)
      if (has_row(0, row + j)) {
        const int at = wrapped(0, row + j);
        to[slot(row + j)] = {
            first_at(body, accessor_at(at), at, is_inner && has_inner_row<First>(at))};
      }
  }

  /// Computes one of the others, the s-th, from the ring of the one before it.
  /// \param store gets a row and its result; \tparam Out of these
  template <class Out, class Store>
  __device__ void next(int s, const Next& body, int row, const item* from,
                       const Store& store) const {
    if (column_ < s * ring::before(1) || column_ >= Tile::columns - s * ring::after(1) ||
        !has_column(s))
      return;
    const auto accessor_at = [&](int at) {
      return next_accessor(
          from, at, 0, column_, 0,
          {{static_cast<std::uint32_t>(wrapped(0, at)), static_cast<std::uint32_t>(place_)}});
    };
    const bool is_inner = Tile::has_other_side || has_inner_column<Next>();
    if (is_inner && has_row(s, row) && has_row(s, row + Tile::step - 1) &&
        (Tile::has_other_side ||
         (row >= low<Next>(0) && row + Tile::step <= all_.extents[0] - high<Next>(0)))) {
      Out results[Tile::step];
#pragma unroll
      for (int j = 0; j < Tile::step; ++j)
        results[j] = Out(body(accessor_at(row + j)));
#pragma unroll
      for (int j = 0; j < Tile::step; ++j)
        store(row + j, results[j]);
      return;
    }
#pragma unroll 1
    for (int j = 0; j < Tile::step; ++j)
      if (has_row(s, row + j))
        store(row + j,
              at_border<Out>(body, accessor_at(row + j), is_inner && has_inner_row<Next>(row + j)));
  }

  /// Where the thread's column of a row is in a ring, and in the array.
  __device__ int slot(int row) const {
    return (row & (ring::planes - 1)) * Tile::columns + column_;
  }
  __device__ int position(int row) const { return row * all_.extents[1] + place_; }

private:
  template <class Body> static constexpr int low(int d) {
    return static_cast<int>(std::max<std::int64_t>(0, -Body::footprint::least()[d]));
  }
  template <class Body> static constexpr int high(int d) {
    return static_cast<int>(std::max<std::int64_t>(0, Body::footprint::most()[d]));
  }
  template <class Body> __device__ bool has_inner_column() const {
    return place_ >= low<Body>(1) && place_ < all_.extents[1] - high<Body>(1);
  }
  template <class Body> __device__ bool has_inner_row(int at) const {
    return at >= low<Body>(0) && at < all_.extents[0] - high<Body>(0);
  }
  /// The coordinate on the other side, of one around the array.
  __device__ int wrapped(int d, int at) const {
    const int n = all_.extents[d];
    return !Tile::has_other_side ? at : at < 0 ? at + n : at < n ? at : at - n;
  }
  /// Whether the s-th stencil's results are needed in this column, or row.
  __device__ bool has_column(int s) const {
    const int left = Tile::has_other_side ? Tile::later - s : 0;
    return at_ >= -left * ring::before(1) && at_ < all_.extents[1] + left * ring::after(1);
  }
  __device__ bool has_row(int s, int row) const {
    const int left = Tile::later - s;
    return row >= begin_ - left * ring::before(0) && row < end_ + left * ring::after(0) &&
           (Tile::has_other_side || (row >= 0 && row < all_.extents[0]));
  }

  __device__ Middle first_at(const First& body, const first_accessor& accessor, int row,
                             bool is_inner) const {
    return near_border<Middle>(body, accessor, is_inner, [&] {
      return boundary_accessor<2, 0, leaves>(elements_, index<2>(all_.extents[0], all_.extents[1]),
                                             index<2>(row, place_));
    });
  }
  template <class Out>
  __device__ Out at_border(const Next& body, const next_accessor& accessor,
                           [[maybe_unused]] bool is_inner) const {
    if constexpr (wraps<Next>) // what is outside is in the ring, too
      return Out(body(accessor));
    else
      return near_border<Out>(body, accessor, is_inner, [&] {
        return tile_boundary_accessor<ring, Middle>(accessor,
                                                    index<2>(all_.extents[0], all_.extents[1]));
      });
  }

  const steps_shape& all_;
  leaves elements_;
  int column_; ///< of the block
  int at_;     ///< of the plane, or around it
  int place_;  ///< of the plane
  int begin_, end_;
};

template <class Tile, class Middle, class Out, class First, class Next, class In>
__global__ void __launch_bounds__(block_size)
    stencil_steps_kernel(const __grid_constant__ First first,
                         const __grid_constant__ bodies_after<Next, Tile::later> others,
                         const __grid_constant__ steps_shape all, Out* __restrict__ out,
                         const In* __restrict__ in) {
  using steps = steps_thread<Tile, Middle, First, Next, In>;
  __shared__ typename steps::item rings[Tile::later][Tile::ring_size];
  const steps thread(all, in);
  constexpr int after = Tile::ring::after(0), later = Tile::later;
  for (int row = thread.begin() - Tile::halo_before(0); row - later * after < thread.end();
       row += Tile::step) {
    thread.first(first, row, rings[0]);
    __syncthreads();
    // What lies `after` the last row is still to come.
#pragma unroll
    for (int s = 1; s < later; ++s) {
      typename steps::item* const to = rings[s];
      thread.template next<Middle>(
          s, others.of[s - 1], row - s * after, rings[s - 1],
          [&](int at, const Middle& result) { to[thread.slot(at)] = {result}; });
      __syncthreads();
    }
    thread.template next<Out>(
        later, others.of[later - 1], row - later * after, rings[later - 1],
        [&](int at, const Out& result) { out[thread.position(at)] = result; });
    __syncthreads();
  }
}

/// As cuda_stencil_line, over a plane.
template <class Middle, class Out, class First, class Next, class In, class... More>
bool cuda_stencil_steps(const index<2>& shape, void* stream, Out* out, const In* in,
                        const First& first, const Next& next, const More&... more) {
  static_assert((std::is_same_v<Next, More> && ...));
  constexpr unsigned later = 1 + sizeof...(More);
  using in_tiles = steps_tile<First, Next, later + 1, Middle>;
  if constexpr (in_tiles::is_possible) {
    if (!steps_shape::suits<in_tiles>(shape))
      return false;
    const steps_shape all = steps_shape::of<in_tiles>(shape);
    stencil_steps_kernel<in_tiles, Middle, Out, First, Next, In>
        <<<all.blocks, block_size, 0, static_cast<cudaStream_t>(stream)>>>(
            first, bodies_after<Next, later>{{next, more...}}, all, out, in);
    return true;
  } else {
    return false;
  }
}

/// The same for arrays of any rank: two stencils; several over lines and planes.
/// \tparam Between of all results but the last one's, as the program names it
template <class Between, int R, class Out, class In, class... Bodies>
bool cuda_stencils_in_tiles(const index<R>& shape, void* stream, Out* out, const In* in,
                            const Bodies&... bodies) {
  using between = std::remove_pointer_t<decltype(for_kernel(static_cast<Between*>(nullptr)))>;
  if constexpr (R == 1)
    return cuda_stencil_line<between>(shape, stream, for_kernel(out), for_kernel(in), bodies...);
  else if constexpr (sizeof...(Bodies) > 2)
    return cuda_stencil_steps<between>(shape, stream, for_kernel(out), for_kernel(in), bodies...);
  else
    return cuda_stencil_pair<between>(bodies..., shape, stream, for_kernel(out), for_kernel(in));
}

/// Whether that does anything.
template <class Between, class Out, class In, int R, class First, class Next, class... More>
bool cuda_suits_tiles(const index<R>& shape, const First& /*first*/, const Next& /*next*/,
                      const More&... /*more*/) {
  constexpr unsigned steps = 2 + sizeof...(More);
  if constexpr (R == 1)
    return line_tile<First, Next, steps>::suits(shape[0]);
  else if constexpr (steps > 2)
    return steps_shape::suits<steps_tile<First, Next, steps, Between>>(shape);
  else
    return pair_tile<Between, Out, In, First, Next>::suits(shape);
}

#endif // __CUDACC__

} // namespace ikra::rt
