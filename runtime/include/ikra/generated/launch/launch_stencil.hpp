// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches of stencils: one result a place, from the elements around it. An array is split into the
// places from which all that the body may reach lies inside, where elements are read at constant
// distances and nothing is tested for each neighbour, and its border. ARRAY'17, section 3 (access
// pattern 'fixed neighbourhood').
//
// The body is called with an accessor (stencil_accessor.hpp). It may be one stencil or several,
// with maps in front, between and after.
#pragma once

#include <ikra/generated/launch/body_traits.hpp>
#include <ikra/generated/launch/grid.hpp>
#include <ikra/generated/launch/index_space.hpp>
#include <ikra/generated/launch/launch.hpp>
#include <ikra/generated/launch/stencil_accessor.hpp>
#include <ikra/generated/launch/until_end.hpp>
#include <ikra/generated/launch/warp_store.hpp>

#include <algorithm>
#include <cstdint>
#include <new>
#include <type_traits>

namespace ikra::rt {

/// The places from which all that is within reach lies inside: first <= place < last in each
/// dimension.
template <int R> struct interior_space {
  index<R> first, last;

  IKRA_HD bool contains(int d, std::int64_t at) const { return at >= first[d] && at < last[d]; }
};

template <class Footprint>
IKRA_HD interior_space<Footprint::rank> inner_of(const index<Footprint::rank>& shape) {
  interior_space<Footprint::rank> inner;
  for (int d = 0; d < Footprint::rank; ++d) {
    inner.first[d] = clamped(-Footprint::least()[d], 0, shape[d]);
    inner.last[d] = clamped(shape[d] - Footprint::most()[d], inner.first[d], shape[d]);
  }
  return inner;
}

namespace detail {
/// Places of several rows after each other: begin <= k < end of each.
struct rows_of_space {
  std::int64_t rows;
  std::int32_t length; ///< of a row, in elements
  std::int32_t begin, end;
};

/// out[k] = body(accessor of k) for places of some rows. Like loops over rows by hand: consecutive
/// elements, one number that counts.
/// \tparam IsInside whether all these places are inner ones; if not, none is, and the body has a
/// plain border
/// \param  leaves, start, out of the first row; \p start has rank 0 if the body ignores the index
template <class Footprint, bool IsInside, class Out, class Body, class Leaves, int R,
          class Coordinate>
void host_stencil_rows(const Body& body, const strides<Footprint::rank, std::int64_t> steps,
                       const Leaves leaves, const row_start<R, Coordinate>& start,
                       Out* __restrict__ const out, const rows_of_space which) {
  using inner =
      interior_accessor<Footprint::rank, 1, Coordinate, std::int64_t, leaves_elsewhere<Leaves>>;
  for (std::int64_t r = 0; r < which.rows; ++r) {
    const row_start<R, Coordinate> row = start.row(r);
    const std::int64_t first = r * which.length;
    IKRA_INDEPENDENT
    for (std::int32_t k = which.begin; k < which.end; ++k) {
      typename inner::coordinates at = {};
      for (int d = 0; d < R; ++d)
        at.of[d] = d == R - 1 ? row.of[d] + k : row.of[d];
      const inner accessor(leaves_elsewhere<Leaves>(leaves), steps, at, first + k);
      if constexpr (IsInside)
        ::new (static_cast<void*>(out + first + k)) Out(body(accessor));
      else
        ::new (static_cast<void*>(out + first + k)) Out(body(exterior_accessor<inner>(accessor)));
    }
  }
}

/// The same of inner places, with all that the body calls in its own code. A function and no
/// lambda, from which nvcc drops attributes.
template <class Footprint, class Out, class Body, class Leaves, class Start>
IKRA_FLATTENED void
host_stencil_rows_inside(const Body& body, const strides<Footprint::rank, std::int64_t>& steps,
                         const Leaves& leaves, const Start& start, Out* __restrict__ const out,
                         const rows_of_space& which) {
  host_stencil_rows<Footprint, true>(body, steps, leaves, start, out, which);
}
} // namespace detail

/// out[i] = body(accessor of i) for first <= i < last, on this core; parameters as of host_stencil.
template <class Footprint, class Out, class Body, class... In>
void host_stencil_part(const Body& body, const index<Footprint::rank>& shape,
                       std::uint64_t first_place, std::uint64_t last_place, Out* out,
                       const In*... in) {
  constexpr int rank = Footprint::rank;
  using leaves = leaf_arrays<In...>;
  const interior_space<rank> inner = inner_of<Footprint>(shape);
  const strides<rank, std::int64_t> steps = strides_of<std::int64_t>(shape);
  const leaves all(in...);
  [[maybe_unused]] const bool is_narrow = has_narrow_coordinates<rank>(shape, 0);
  const auto rows_at = [&](const Body& mine, std::uint64_t begin, std::int64_t rows,
                           std::int32_t length, index<rank> place) {
    const std::int64_t first = place[rank - 1];
    // The part of each row that has all its neighbours inside.
    std::int64_t from = inner.first[rank - 1] - first, to = inner.last[rank - 1] - first;
    for (int d = 0; d < rank - 1; ++d)
      if (!inner.contains(d, place[d]))
        to = from;
    from = clamped(from, 0, length);
    to = clamped(to, from, length);
    const index<rank> start = place;
    const auto part = [&]<bool IsInside>(std::bool_constant<IsInside>, std::int64_t part_begin,
                                         std::int64_t part_end) {
      if (part_begin == part_end)
        return;
      const detail::rows_of_space which{rows, length, static_cast<std::int32_t>(part_begin),
                                        static_cast<std::int32_t>(part_end)};
      const auto counted_from = [&](const auto& row) {
        // Coordinates of 64 bits are rare: not worth the time that it takes to compile more code.
        if constexpr (IsInside && sizeof(row.of[0]) == sizeof(std::int32_t))
          detail::host_stencil_rows_inside<Footprint>(mine, steps, all + begin, row, out + begin,
                                                      which);
        else
          detail::host_stencil_rows<Footprint, IsInside>(mine, steps, all + begin, row, out + begin,
                                                         which);
      };
      if constexpr (ignores_index<Body>)
        counted_from(row_start<0, std::int32_t>());
      else if (is_narrow)
        counted_from(row_start<rank, std::int32_t>(start));
      else
        counted_from(row_start<rank, std::int64_t>(start));
    };
    if constexpr (has_plain_border<Body>) {
      part(std::false_type(), 0, from);
      part(std::true_type(), from, to);
      part(std::false_type(), to, length);
    } else {
      part(std::true_type(), from, to);
      for (std::int64_t r = 0; r < rows; ++r, begin += static_cast<std::uint64_t>(length)) {
        for (std::int64_t k = from == 0 ? to : 0; k < length; k = k + 1 == from ? to : k + 1) {
          place[rank - 1] = first + k;
          ::new (static_cast<void*>(out + begin + k))
              Out(mine(boundary_accessor<rank, 0, leaves>(all, shape, place)));
        }
        if constexpr (rank > 1)
          ++place[rank - 2];
      }
    }
  };
  // Rows that are alike in being inner ones, and that the first-level cache holds together: their
  // borders come after each other, and what all need is set up once.
  const auto alike = [&](const Body& mine, std::uint64_t begin, std::int64_t rows,
                         std::int32_t length, index<rank> place) {
    if constexpr (rank == 1) {
      rows_at(mine, begin, rows, length, place);
    } else {
      const std::int64_t stop = place[rank - 2] + rows, most = std::max(1, 2048 / length);
      while (place[rank - 2] < stop) {
        const std::int64_t at = place[rank - 2];
        std::int64_t next = std::min(stop, at + most);
        for (const std::int64_t edge : {inner.first[rank - 2], inner.last[rank - 2]})
          if (at < edge && edge < next)
            next = edge;
        rows_at(mine, begin, next - at, length, place);
        begin += static_cast<std::uint64_t>((next - at) * length);
        place[rank - 2] = next;
      }
    }
  };
  const Body mine = body; // a copy of this thread's own, which stores cannot change
  for_rows<rank>(shape, first_place, last_place,
                 [&](std::uint64_t begin, std::int64_t rows, std::int32_t length,
                     const index<rank>& place) { alike(mine, begin, rows, length, place); });
}

/// out[i] = body(accessor of i) on all cores.
/// \tparam Footprint how far the body reaches, through all stencils in it
/// \param  out   uninitialised memory for a result a place
/// \param  in    the arrays that accessors give elements of
template <class Footprint, class Out, class Body, class... In>
void host_stencil(const Body& body, const index<Footprint::rank>& shape, Out* out,
                  const In*... in) {
  const auto n = static_cast<std::uint64_t>(shape.volume());
  const auto part = [&](std::uint64_t first, std::uint64_t last) {
    host_stencil_part<Footprint>(body, shape, first, last, out, in...);
  };
  if (is_costly<Body> && n < serial_below) // else whole rows
    host_costly_parts(n, part);
  else
    host_parts(n, part);
}

/// Fewer places are counted in 32 bits, where those of a last run do not wrap.
inline constexpr std::uint64_t narrow_stencil = std::uint64_t(1) << 30;

/// The same on the GPU; queued on a stream. Called where nvcc compiles.
template <class Footprint, class Out, class Body, class... In>
void cuda_stencil(const Body& body, const index<Footprint::rank>& shape, void* stream, Out* out,
                  const In*... in);

#ifdef __CUDACC__

template <class Footprint> constexpr bool reaches_along(int d) {
  return Footprint::least()[d] != 0 || Footprint::most()[d] != 0;
}

/// Which results a thread computes: a run along one dimension, so that what several of its windows
/// have in common is loaded and computed once; and how threads share a cache. V results stand
/// beside each other in each row; V is 1 where bodies reach along rows, unless elements are loaded
/// in words.
/// \tparam Arrays how many are read
/// \tparam Shares whether windows have something in common that is read
template <class Footprint, unsigned V, std::size_t Arrays, bool Shares> struct stencil_run {
  using footprint = Footprint;
  static constexpr int rank = Footprint::rank;
  static constexpr unsigned beside = V;
  /// Whether several in a row read along it.
  static constexpr bool in_words = V > 1 && reaches_along<Footprint>(rank - 1);

  /// The outermost dimension along which the body reaches, where most is gained: elsewhere the
  /// neighbours of a warp's threads are in the same lines of the cache. The last dimension is left
  /// to neighbouring threads.
  static constexpr int along = [] {
    for (int d = 0; d < rank - 1; ++d)
      if (reaches_along<Footprint>(d))
        return d;
    return rank > 1 ? rank - 2 : 0;
  }();
  /// Results in a run, each a row apart. Where many arrays are read, a single result has enough
  /// loads under way, and several would take the registers of other threads (measured: Himeno).
  static constexpr unsigned length = !Shares ? 1 : Arrays <= 2 ? 4 : Arrays <= 4 ? 2 : 1;
  /// In rank 1 a block's width apart, so that neighbouring threads read neighbouring elements.
  static constexpr unsigned step = rank > 1 ? 1 : block_size;
  /// How far a thread's first result is from its last.
  static constexpr unsigned width = (length - 1) * step;

  /// The innermost dimension but the last along which other threads read the same elements; -1 if
  /// there is none. A block is a tile of it and the last one, so that rows which several results
  /// need are in the block's first-level cache.
  static constexpr int across = [] {
    for (int d = rank - 2; d >= 0; --d)
      if (reaches_along<Footprint>(d) && (length == 1 || d != along))
        return d;
    return -1;
  }();
  static constexpr unsigned tile_columns = warp_size, tile_rows = block_size / tile_columns;
};

template <class Body, class Footprint, unsigned V, class... In>
using stencil_run_of = stencil_run<Footprint, V, sizeof...(In), !reads_members_once<Body>>;

/// What a stencil's kernel knows of the array.
template <class Run, class Index, class Distance> class stencil_shape {
  static constexpr int rank = Run::rank;

public:
  using run = Run;
  using distance = Distance;

  explicit stencil_shape(const index<rank>& extents)
      : stencil_shape(extents, of_threads(extents)) {}

  unsigned blocks() const { return blocks_; }
  IKRA_HD const index<rank>& shape() const { return shape_; }
  IKRA_HD const strides<rank, Distance>& steps() const { return steps_; }

  /// Where this thread begins. In the run's dimension it may lie in front of the array.
  /// \returns whether the thread has anything to compute
  __device__ bool find(Index (&at)[rank]) const {
    if constexpr (rank == 1) {
      const Index thread = Index(blockIdx.x) * block_size + threadIdx.x;
      at[0] = thread / block_size * (run::length * block_size) + thread % block_size;
      return thread < count_of_threads_;
    } else {
      if (!find_in_tile(at)) {
        const Index thread = Index(blockIdx.x) * block_size + threadIdx.x;
        if (is_tiled_ || thread >= count_of_threads_)
          return false;
        const index_cursor<rank, Index> cursor(places_, thread);
        for (int d = 0; d < rank; ++d)
          at[d] = cursor[d];
      }
      at[run::along] = at[run::along] * run::length - lead(first_[run::along]);
      at[rank - 1] *= run::beside;
      return true;
    }
  }

  /// A place in the array.
  __device__ Index position(const Index (&at)[rank]) const {
    Index result = at[rank - 1];
    for (int d = 0; d < rank - 1; ++d)
      result += at[d] * static_cast<Index>(steps_.of[d]);
    return result;
  }
  /// From one result of a run to the next, in the array.
  __device__ Distance apart() const {
    if constexpr (rank > 1)
      return steps_.of[run::along];
    else
      return run::step;
  }

  /// Whether places with this coordinate may be inner ones, as far as dimension \p d goes.
  __device__ bool is_inner(int d, Index at) const {
    return static_cast<Index>(at - first_[d]) < count_[d];
  }
  /// Whether all results of a thread that begins there are inner ones.
  __device__ bool is_inner(const Index (&at)[rank]) const {
    bool inner =
        is_inner(run::along, at[run::along]) && is_inner(run::along, at[run::along] + run::width);
    for (int d = 0; d < rank; ++d)
      if (d != run::along)
        inner = inner && is_inner(d, at[d]);
    if constexpr (run::in_words)
      inner = inner && is_inner(rank - 1, at[rank - 1] + (run::beside - 1));
    return inner;
  }

private:
  stencil_shape(const index<rank>& extents, const index<rank>& threads)
      : is_tiled_(fills_tiles(threads)), places_(is_tiled_ ? of_tiles(threads) : threads),
        steps_(strides_of<Distance>(extents)), shape_(extents) {
    const interior_space<rank> inner = inner_of<typename run::footprint>(extents);
    for (int d = 0; d < rank; ++d) {
      threads_[d] = static_cast<Index>(threads[d]);
      first_[d] = static_cast<Index>(inner.first[d]);
      count_[d] = static_cast<Index>(inner.last[d] - inner.first[d]);
    }
    count_of_threads_ = static_cast<Index>(threads.volume());
    blocks_ = is_tiled_ ? static_cast<unsigned>(of_tiles(threads).volume())
                        : blocks_for(count_of_threads_);
  }

  __device__ bool find_in_tile([[maybe_unused]] Index (&at)[rank]) const {
    if constexpr (run::across >= 0)
      if (is_tiled_) {
        const index_cursor<rank, Index> tile(places_, blockIdx.x);
        for (int d = 0; d < rank; ++d)
          at[d] = tile[d];
        at[run::across] = at[run::across] * run::tile_rows + threadIdx.x / run::tile_columns;
        at[rank - 1] = at[rank - 1] * run::tile_columns + threadIdx.x % run::tile_columns;
        return at[run::across] < threads_[run::across] && at[rank - 1] < threads_[rank - 1];
      }
    return false;
  }

  /// How many places in front of the array runs begin, so that one begins at the first inner place.
  IKRA_HD static Index lead(Index first) {
    return (run::length - first % run::length) % run::length;
  }

  static index<rank> of_threads(const index<rank>& extents) {
    index<rank> result = extents;
    if constexpr (rank == 1) {
      constexpr std::int64_t part = run::length * block_size;
      result[0] = (extents[0] + part - 1) / part * block_size;
    } else {
      const interior_space<rank> inner = inner_of<typename run::footprint>(extents);
      const auto ahead =
          static_cast<std::int64_t>(lead(static_cast<Index>(inner.first[run::along])));
      result[rank - 1] /= run::beside;
      result[run::along] = (result[run::along] + ahead + run::length - 1) / run::length;
    }
    return result;
  }
  static index<rank> of_tiles(index<rank> threads) {
    if constexpr (run::across >= 0) {
      const auto cut = [&](int d, unsigned size) { threads[d] = (threads[d] + size - 1) / size; };
      cut(run::across, run::tile_rows);
      cut(rank - 1, run::tile_columns);
    }
    return threads;
  }
  /// Whether blocks are tiles: unless much of them would lie outside.
  static bool fills_tiles(const index<rank>& threads) {
    return run::across >= 0 && 10 * threads.volume() >= 7 * of_tiles(threads).volume() *
                                                            static_cast<std::int64_t>(block_size);
  }

  bool is_tiled_;
  index_space<rank, Index> places_; ///< of tiles, or of threads
  Index threads_[rank];
  Index count_of_threads_;
  unsigned blocks_;
  strides<rank, Distance> steps_;
  Index first_[rank], count_[rank]; ///< of inner places
  index<rank> shape_;
};

/// The results of a thread whose results are all inner ones.
/// \param at the first one's place \param from the leaves from its element on
template <unsigned V, class Run, class Out, class Body, class Shape, class Index, class Leaves>
__device__ __forceinline__ void stencil_inside(const Body& body, const Shape& all,
                                               const Index (&at)[Run::rank], const Leaves& from,
                                               pack_room<Out, V> (&results)[Run::length]) {
  constexpr int rank = Run::rank;
  using Distance = typename Shape::distance;
  using read = std::conditional_t<Run::in_words, leaves_in_words<Leaves>, Leaves>;
  using accessor = interior_accessor<rank, Run::in_words ? 1 : V, Index, Distance, read>;
  typename accessor::coordinates place;
  for (int d = 0; d < rank; ++d)
    place.of[d] = at[d];
#pragma unroll
  for (unsigned j = 0; j < Run::length; ++j)
#pragma unroll
    for (unsigned v = 0; v < V; ++v) {
      typename accessor::coordinates here = place;
      const Index beside = rank > 1 ? v : j * Run::step;
      here.of[rank - 1] += beside;
      const accessor in_row(read(from), all.steps(), here, static_cast<Distance>(beside));
      if constexpr (rank > 1)
        ::new (&results[j].loaded.elements[v])
            Out(body(in_row.further(Run::along, static_cast<Distance>(j))));
      else
        ::new (&results[j].loaded.elements[v]) Out(body(in_row));
    }
}

/// The result at a place some of whose neighbours may be outside. \param position in the array
template <class Out, class Body, class Shape, class Index, int R, class Leaves>
__device__ Out result_near_border(const Body& body, const Shape& all, const Index (&at)[R],
                                  const Leaves& elements, Index position) {
  using accessor = interior_accessor<R, 1, Index, typename Shape::distance, Leaves>;
  typename accessor::coordinates here;
  index<R> place;
  bool is_inner = true;
  for (int d = 0; d < R; ++d) {
    here.of[d] = at[d];
    is_inner = is_inner && all.is_inner(d, at[d]);
    place[d] = static_cast<std::int64_t>(at[d]);
  }
  return near_border<Out>(body, accessor(elements + position, all.steps(), here, 0), is_inner, [&] {
    return boundary_accessor<R, 0, Leaves>(elements, all.shape(), place);
  });
}

/// Stores the results of all threads of a warp that are near a border, each lane one at a time:
/// such a thread alone has many, and the others of its block wait. Called by all lanes.
/// \param is_near whether this thread is \param at the place of its first result
template <class Run, class Out, class Body, class Shape, class Index, class Leaves>
__device__ void stencil_near_border(const Body& body, const Shape& all,
                                    const Index (&at)[Run::rank], bool is_near,
                                    const Leaves& elements, Out* __restrict__ out) {
  constexpr int rank = Run::rank;
  constexpr unsigned each = Run::length * Run::beside, at_once = warp_size / each;
  const unsigned lane = threadIdx.x % warp_size, k = lane % each;
  for (unsigned near = __ballot_sync(all_lanes, is_near); near != 0;) {
    unsigned mine = near, others = near;
#pragma unroll
    for (unsigned n = 0; n < at_once; ++n, others &= others - 1)
      if (n == lane / each)
        mine = others;
    near = others;
    Index here[rank];
    for (int d = 0; d < rank; ++d)
      here[d] = __shfl_sync(all_lanes, at[d], mine == 0 ? 0 : __ffs(static_cast<int>(mine)) - 1);
    here[Run::along] += k / Run::beside;
    here[rank - 1] += k % Run::beside;
    // After the array, or before it.
    if (mine == 0 || here[Run::along] >= static_cast<Index>(all.shape()[Run::along]))
      continue;
    const Index position = all.position(here);
    ::new (static_cast<void*>(out + position))
        Out(result_near_border<Out>(body, all, here, elements, position));
  }
}

/// Whether a stencil's elements and results are parts of words, all of one size.
template <class Out, class... In>
inline constexpr bool are_parts_of_words =
    sizeof(Out) < 4 && is_packable<Out> && ((sizeof(In) == sizeof(Out) && is_packable<In>) && ...);

/// A thread's results, `Run::length` times V, each by a test of its own for the border.
template <unsigned V, class Run, class Out, class Body, class Index, class Distance, class Leaves>
__device__ void stencil_element_by_element(const Body& body,
                                           const stencil_shape<Run, Index, Distance>& all,
                                           const Index (&at)[Run::rank], Index position,
                                           const Leaves& elements, Out* __restrict__ out) {
  constexpr int rank = Run::rank;
#pragma unroll 1
  for (unsigned k = 0; k < Run::length * V; ++k) {
    typename interior_accessor<rank, 1, Index, Distance, Leaves>::coordinates here;
    for (int d = 0; d < rank; ++d)
      here.of[d] = at[d];
    here.of[Run::along] += k / V * Run::step;
    here.of[rank - 1] += k % V;
    bool inner = true;
    index<rank> place;
    for (int d = 0; d < rank; ++d) {
      inner = inner && all.is_inner(d, here.of[d]);
      place[d] = static_cast<std::int64_t>(here.of[d]);
    }
    // After the array, or before it.
    if (here.of[Run::along] >= static_cast<Index>(all.shape()[Run::along]))
      continue;
    const Index to = position + k % V + k / V * static_cast<Index>(all.apart());
    void* const result = out + to;
    const interior_accessor<rank, 1, Index, Distance, Leaves> accessor(elements + to, all.steps(),
                                                                       here, Distance(0));
    if constexpr (has_plain_border<Body>)
      ::new (result) Out(body(guarded_accessor(accessor, inner)));
    else if (inner)
      ::new (result) Out(body(accessor));
    else
      ::new (result) Out(body(boundary_accessor<rank, 0, Leaves>(elements, all.shape(), place)));
  }
}

template <unsigned V, class Footprint, class Index, class Distance, class Out, class Body,
          class... In>
__global__ void __launch_bounds__(block_size)
    stencil_kernel(const __grid_constant__ Body body,
                   const __grid_constant__
                       stencil_shape<stencil_run_of<Body, Footprint, V, In...>, Index, Distance>
                           all,
                   Out* __restrict__ out, const In* __restrict__... in) {
  if (rt::has_ended(body))
    return;
  constexpr int rank = Footprint::rank;
  using run = stencil_run_of<Body, Footprint, V, In...>;
  using leaves = leaf_arrays<In...>;
  Index at[rank] = {};
  const bool has_results = all.find(at);
  // A single result that tests once whether it is inside needs no code of its own for the border.
  constexpr bool is_split =
      std::is_trivially_copyable_v<Out> && (run::length * V > 1 || !has_plain_border<Body>);
  // Lanes without results help to store those of others.
  constexpr bool by_warps = is_split && V == 1 && is_stored_by_warps<Out>;
  if (!by_warps && !run::in_words && !has_results)
    return;
  const Index position = all.position(at);
  const Distance apart = all.apart();
  const leaves elements(in...);
  if constexpr (is_split) {
    pack_room<Out, V> results[run::length];
    const auto compute = [&] {
      stencil_inside<V, run>(body, all, at, elements + position, results);
    };
    const auto store = [&] {
#pragma unroll
      for (unsigned j = 0; j < run::length; ++j) {
        Out* const to = out + position + static_cast<Distance>(j) * apart;
        if constexpr (V == 1)
          store_whole(to, results[j].loaded.elements[0]);
        else
          *reinterpret_cast<pack<Out, V>*>(to) = results[j].loaded;
      }
    };
    const bool is_inner = has_results && all.is_inner(at);
    if constexpr (run::in_words) {
      if (is_inner) {
        compute();
        store();
      }
      return stencil_near_border<run>(body, all, at, has_results && !is_inner, elements, out);
    } else if constexpr (by_warps) {
      if (is_inner)
        compute();
      const Index first = __shfl_sync(all_lanes, position, 0);
      const bool is_stored =
          __all_sync(all_lanes, !is_inner || position == first + threadIdx.x % warp_size) != 0;
      if (is_stored) {
#pragma unroll
        for (unsigned j = 0; j < run::length; ++j)
          store_by_warp(out + first + static_cast<Distance>(j) * apart,
                        results[j].loaded.elements[0], is_inner);
      } else if (is_inner) {
        store();
      }
      if (is_inner || !has_results)
        return;
    } else if (is_inner) { // one branch, not one to compute and one to store
      compute();
      store();
      return;
    }
  }
  if constexpr (!is_split || !run::in_words)
    stencil_element_by_element<V, run>(body, all, at, position, elements, out);
}

template <class Footprint, class Out, class Body, class... In>
void cuda_stencil(const Body& body, const index<Footprint::rank>& shape, void* stream, Out* out,
                  const In*... in) {
  constexpr int rank = Footprint::rank;
  const auto n = static_cast<std::uint64_t>(shape.volume());
  if (n == 0)
    return;
  const auto launch = [&]<unsigned V, class Index, class Distance>(
                          std::integral_constant<unsigned, V>, Index, Distance) {
    const stencil_shape<stencil_run_of<Body, Footprint, V, In...>, Index, Distance> all(shape);
    stencil_kernel<V, Footprint, Index, Distance, Out, Body, In...>
        <<<all.blocks(), block_size, 0, static_cast<cudaStream_t>(stream)>>>(body, all, out, in...);
  };
  constexpr unsigned one = 1;
  using single = std::integral_constant<unsigned, one>;
  if (n >= narrow_stencil)
    return launch(single(), std::uint64_t(0), std::int64_t(0));
  // Up to 16 bytes of a row together, where nothing is read beside them; else a word's.
  constexpr bool stays_in_columns =
      rank > 1 && Footprint::least()[rank - 1] == 0 && Footprint::most()[rank - 1] == 0;
  constexpr unsigned fitting = elements_per_thread<Out, In...>();
  constexpr bool in_words = rank > 1 && !stays_in_columns && are_parts_of_words<Out, In...>;
  constexpr unsigned v = in_words            ? 4 / sizeof(Out)
                         : !stays_in_columns ? one
                                             : std::min(fitting, 4U);
  constexpr std::uint64_t enough = std::uint64_t(1) << 22; // elements that keep any GPU busy
  if constexpr (v > 1)
    if (n >= enough && shape[rank - 1] % v == 0)
      return launch(std::integral_constant<unsigned, v>(), std::uint32_t(0), std::int32_t(0));
  launch(single(), std::uint32_t(0), std::int32_t(0));
}

#endif // __CUDACC__

} // namespace ikra::rt
