// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several stencils in a row on all cores, each over the one's results before it, so that memory is
// read once and written once for all of them. Each core goes through a part of the array along the
// first dimension, all stencils at once: each is as far ahead of the next one as that reads. What
// is between two of them are a few planes in the core's cache. From rank 3 on a core goes through
// its part several times, a block of rows each, so that the planes fit there.
//
// Only what lies between two cores' parts, or two blocks, is computed twice.
#pragma once

#include <ikra/generated/launch/launch_stencil.hpp>
#include <ikra/generated/launch/tiles_when.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ikra::rt {

/// Bytes of the cache that cores share, as the system says; 32 MiB where it says nothing.
std::int64_t shared_cache_bytes();

namespace detail {

/// first <= k < last.
struct span_of_places {
  std::int64_t first, last;
};

/// What stencils read along a dimension, before a place and after it.
template <std::size_t K> struct footprint_along {
  std::int64_t before[K], after[K];

  /// What is read of the k-th one's results, or computed by it, for a part of the last one's.
  span_of_places needed(std::size_t k, span_of_places part, std::int64_t extent) const {
    for (std::size_t s = k + 1; s < K; ++s)
      part = {part.first - before[s], part.last + after[s]};
    return {std::max<std::int64_t>(part.first, 0), std::min(part.last, extent)};
  }
  /// How far all but the first read together.
  span_of_places in_all() const {
    span_of_places all{0, 0};
    for (std::size_t s = 1; s < K; ++s)
      all = {all.first + before[s], all.last + after[s]};
    return all;
  }
  /// The most that one of them reads but the first.
  std::int64_t most() const {
    std::int64_t result = 0;
    for (std::size_t s = 1; s < K; ++s)
      result = std::max(result, before[s] + after[s]);
    return result;
  }
};

template <class Footprint> constexpr bool reads_along(int d) {
  return Footprint::least()[d] != 0 || Footprint::most()[d] != 0;
}

} // namespace detail

/// How a number of cores go through an array. `R` is the array's rank, `K` the number of stencils.
template <int R, std::size_t K> class host_tiles {
  /// A core's second-level cache has this and what it reads and writes beside it.
  static constexpr std::int64_t in_cache = std::int64_t(384) << 10;
  /// Elements after which the next stencil follows.
  static constexpr std::int64_t at_once = 8192;
  /// For a row that is computed twice, so many once.
  static constexpr std::int64_t once = 8;

public:
  /// \tparam Bodies of the stencils, the first one first \param bytes of an element, the largest
  template <class... Bodies>
  static host_tiles of(const index<R>& shape, std::int64_t bytes, std::int64_t threads) {
    host_tiles result;
    std::size_t s = 0;
    const auto add = [&]<class Body>(const Body*) {
      using footprint = typename Body::footprint;
      for (int d = 0; d < 2; ++d) {
        // The place itself, too: borders may read it, or lie between it and what is read.
        result.along_[d].before[s] =
            d < R ? std::max<std::int64_t>(-footprint::least()[d < R ? d : 0], 0) : 0;
        result.along_[d].after[s] =
            d < R ? std::max<std::int64_t>(footprint::most()[d < R ? d : 0], 0) : 0;
        result.wraps_[d] = result.wraps_[d] || (s != 0 && d < R && rt::wraps<Body> &&
                                                detail::reads_along<footprint>(d));
      }
      ++s;
    };
    (add(static_cast<const Bodies*>(nullptr)), ...);
    result.choose(shape, bytes, threads);
    return result;
  }

  /// Whether all stencils together are faster than one by one.
  bool suits() const { return step_ != 0; }
  const detail::footprint_along<K>& planes() const { return along_[0]; }
  const detail::footprint_along<K>& rows() const { return along_[1]; }
  bool wraps() const { return wraps_[0]; }
  /// Planes that are computed at once.
  std::int64_t step() const { return step_; }
  /// Planes of a stencil's results that a core keeps, but the last one's.
  std::int64_t kept() const { return kept_; }
  std::int64_t rows_in_block() const { return rows_in_block_; }
  /// Results of a core: planes and rows.
  std::array<detail::span_of_places, 2> part(std::int64_t thread, std::int64_t threads) const {
    const auto share = [&](const detail::span_of_places& all, bool is_cut) {
      const std::int64_t n = all.last - all.first;
      return is_cut ? detail::span_of_places{all.first + n * thread / threads,
                                             all.first + n * (thread + 1) / threads}
                    : all;
    };
    return {share(all_[0], !cuts_rows_), share(all_[1], cuts_rows_)};
  }

private:
  void choose(const index<R>& shape, std::int64_t bytes, std::int64_t threads) {
    const std::int64_t volume = shape.volume();
    const tiles_when when = tiles();
    if (volume == 0 || when == tiles_when::never ||
        (when == tiles_when::faster && volume * bytes < shared_cache_bytes() / 4 * 3))
      return; // It stays in the cache, and would gain nothing.
    const std::int64_t rows = R > 2 ? shape[R > 2 ? 1 : 0] : 1, plane = volume / shape[0];
    const detail::span_of_places all = along_[0].in_all();
    const detail::span_of_places seam = wraps_[0] ? all : detail::span_of_places{0, 0};
    all_[0] = {seam.first, shape[0] - seam.last};
    all_[1] = {0, rows};
    const std::int64_t least = along_[0].most() + 4;
    if (when == tiles_when::always) {
      step_ = wraps_[0] && 2 * (all.first + all.last) > shape[0] ? 0 : 1;
      kept_ = least;
      rows_in_block_ = wraps_[1] ? rows : 2;
      return;
    }
    const std::int64_t room = in_cache / bytes / static_cast<std::int64_t>(K - 1);
    const auto enough = [](std::int64_t places, const detail::footprint_along<K>& along) {
      const detail::span_of_places twice = along.in_all();
      return places > 0 && places >= once * (twice.first + twice.last);
    };
    cuts_rows_ = !enough((all_[0].last - all_[0].first) / threads, along_[0]);
    if (cuts_rows_ && (R < 3 || wraps_[1] || !enough(rows / threads, along_[1])))
      return;
    // The more planes, the less often those that are still read are moved to their begin.
    if (plane * least <= room) {
      rows_in_block_ = rows;
      kept_ = room / plane;
      step_ = std::clamp<std::int64_t>(at_once / plane, 1, (kept_ - along_[0].most()) / 4);
      return;
    }
    if (R > 2) {
      const std::int64_t of_all = room / least / (plane / rows);
      const detail::span_of_places twice = along_[1].in_all();
      if (wraps_[1] || !enough(of_all, along_[1]))
        return;
      rows_in_block_ = of_all - twice.first - twice.last;
    } else if (plane * least > 4 * room) { // Else in a cache that cores share.
      return;
    }
    step_ = 1;
    kept_ = least;
  }

  detail::footprint_along<K> along_[2] = {};
  bool wraps_[2] = {};
  bool cuts_rows_ = false;
  std::int64_t step_ = 0, kept_ = 0, rows_in_block_ = 1;
  detail::span_of_places all_[2] = {};
};

/// Stencils over an array, each over the one's results before it, on all cores.
/// \tparam Results elements of their results, the last one's last; numbers, as In is
template <class In, class Bodies, class... Results> class host_stencils_in_tiles {
  static constexpr std::size_t count = sizeof...(Results);
  template <std::size_t S> using body_of = std::tuple_element_t<S, Bodies>;
  template <std::size_t S> using result_of = std::tuple_element_t<S, std::tuple<Results...>>;
  static constexpr int rank = body_of<0>::footprint::rank;
  using out_type = result_of<count - 1>;
  using range = detail::span_of_places;
  static_assert((std::is_trivial_v<Results> && ...));
  static constexpr std::size_t most_bytes = std::max({sizeof(Results)...});

public:
  host_stencils_in_tiles(const Bodies& bodies, const index<rank>& shape, std::uint64_t threads)
      : bodies_(bodies), shape_(shape), tiles_([&]<std::size_t... S>(std::index_sequence<S...>) {
          return host_tiles<rank, count>::template of<body_of<S>...>(
              shape, static_cast<std::int64_t>(most_bytes), static_cast<std::int64_t>(threads));
        }(std::index_sequence_for<Results...>())),
        threads_(threads) {
    if (shape.volume() != 0)
      plane_ = shape.volume() / shape[0];
  }

  bool suits() const { return tiles_.suits(); }
  /// Bytes that run() needs: planes of each core. Where the array's ends meet, one more array, of
  /// which little is touched.
  std::size_t bytes() const {
    return static_cast<std::size_t>(threads_) * bytes_of_core() +
           (tiles_.wraps() ? static_cast<std::size_t>(shape_.volume()) * most_bytes : 0);
  }

  void run(std::byte* room, out_type* out, const In* in) const {
    if (tiles_.wraps())
      meet<0>(room + static_cast<std::size_t>(threads_) * bytes_of_core(), out, in);
    host_chunks(threads_, [&](std::uint64_t thread) {
      const auto [planes, rows] =
          tiles_.part(static_cast<std::int64_t>(thread), static_cast<std::int64_t>(threads_));
      for (std::int64_t at = rows.first; at < rows.last; at += tiles_.rows_in_block())
        core(*this, planes, {at, std::min(at + tiles_.rows_in_block(), rows.last)},
             room + static_cast<std::size_t>(thread) * bytes_of_core(), out, in)
            .run();
    });
  }

private:
  static constexpr std::size_t line = 4096;
  static std::size_t rounded(std::size_t bytes) { return (bytes + line - 1) / line * line; }
  std::size_t bytes_of_planes() const {
    return rounded(static_cast<std::size_t>(tiles_.kept() * plane_) * most_bytes);
  }
  std::size_t bytes_of_core() const { return (count - 1) * bytes_of_planes(); }

  template <std::size_t S, class To, class From>
  void compute(range places, To* to, const From* from) const {
    const auto& body = std::get<S>(bodies_);
    host_stencil_part<typename body_of<S>::footprint>(
        body, shape_, static_cast<std::uint64_t>(places.first),
        static_cast<std::uint64_t>(places.last), to, from);
  }

  /// Computes the first and the last planes, whose neighbours are each other's: the S-th stencil.
  /// They use \p array and \p out in turn, since the last one's are the only ones that stay.
  template <std::size_t S, class From>
  void meet(std::byte* array, out_type* out, const From* from) const {
    const detail::footprint_along<count>& along = tiles_.planes();
    range seam = along.in_all();
    for (std::size_t s = S + 1; s < count; ++s)
      seam = {seam.first + along.after[s], seam.last + along.before[s]};
    auto* const to = [&] {
      if constexpr ((count - S) % 2 != 0)
        return static_cast<result_of<S>*>(out);
      else
        return reinterpret_cast<result_of<S>*>(array);
    }();
    for (const range planes : {range{0, seam.first}, range{shape_[0] - seam.last, shape_[0]}}) {
      const auto first = planes.first * plane_;
      host_parts(static_cast<std::uint64_t>((planes.last - planes.first) * plane_),
                 [&](std::uint64_t begin, std::uint64_t end) {
                   compute<S>({first + static_cast<std::int64_t>(begin),
                               first + static_cast<std::int64_t>(end)},
                              to, from);
                 });
    }
    if constexpr (S + 1 < count)
      meet<S + 1>(array, out, static_cast<const result_of<S>*>(to));
  }

  /// A core's way through a block of rows.
  class core {
  public:
    core(const host_stencils_in_tiles& all, range planes, range rows, std::byte* room,
         out_type* out, const In* in)
        : all_(all), out_(out), in_(in) {
      const index<rank>& shape = all.shape_;
      for (std::size_t s = 0; s < count; ++s) {
        planes_[s] = all.tiles_.planes().needed(s, planes, shape[0]);
        done_[s] = kept_from_[s] = planes_[s].first;
        rows_[s] = rank > 2 ? all.tiles_.rows().needed(s, rows, shape[rank > 2 ? 1 : 0]) : rows;
        room_[s] = room + s * all.bytes_of_planes();
      }
    }
    void run() {
      while (done_[count - 1] < planes_[count - 1].last)
        [&]<std::size_t... S>(std::index_sequence<S...>) {
          (advance<S>(), ...);
        }(std::index_sequence_for<Results...>());
    }

  private:
    /// The S-th stencil a step further, as far as the one before it has come.
    template <std::size_t S> void advance() {
      std::int64_t to = std::min(planes_[S].last, done_[S] + all_.tiles_.step());
      if constexpr (S > 0)
        if (done_[S - 1] < planes_[S - 1].last)
          to = std::min(to, done_[S - 1] - all_.tiles_.planes().after[S]);
      if (to <= done_[S])
        return;
      if constexpr (S + 1 < count)
        make_room<S>(to);
      compute_planes<S>({done_[S], to});
      done_[S] = to;
    }

    /// Moves the planes that the next stencil still reads to the begin of the core's memory, where
    /// those to plane \p to do not fit after them.
    template <std::size_t S> void make_room(std::int64_t to) {
      if (to - kept_from_[S] <= all_.tiles_.kept())
        return;
      const std::int64_t from =
          std::max(planes_[S].first, done_[S + 1] - all_.tiles_.planes().before[S + 1]);
      auto* const first = reinterpret_cast<result_of<S>*>(room_[S]);
      const std::int64_t plane = all_.plane_, in_row = plane / all_.rows_of_plane();
      const auto bytes = static_cast<std::size_t>((rows_[S].last - rows_[S].first) * in_row) *
                         sizeof(result_of<S>);
      for (std::int64_t p = from; p < done_[S]; ++p) {
        const std::int64_t row = rows_[S].first * in_row;
        std::memmove(first + (p - from) * plane + row, first + (p - kept_from_[S]) * plane + row,
                     bytes);
      }
      kept_from_[S] = from;
    }

    template <std::size_t S> void compute_planes(range planes) {
      const std::int64_t plane = all_.plane_, all_rows = all_.rows_of_plane();
      if (rows_[S].first == 0 && rows_[S].last == all_rows)
        return compute<S>({planes.first * plane, planes.last * plane});
      const std::int64_t in_row = plane / all_rows;
      for (std::int64_t p = planes.first; p < planes.last; ++p)
        compute<S>({p * plane + rows_[S].first * in_row, p * plane + rows_[S].last * in_row});
    }
    template <std::size_t S> void compute(range places) {
      const auto* const from = [&] {
        if constexpr (S == 0)
          return in_;
        else
          return kept<S - 1>();
      }();
      if constexpr (S + 1 == count)
        all_.template compute<S>(places, out_, from);
      else
        all_.template compute<S>(places, kept<S>(), from);
    }
    /// The S-th stencil's results, as if all were there.
    template <std::size_t S> result_of<S>* kept() const {
      return reinterpret_cast<result_of<S>*>(room_[S]) - kept_from_[S] * all_.plane_;
    }

    const host_stencils_in_tiles& all_;
    out_type* out_;
    const In* in_;
    range planes_[count], rows_[count];
    std::int64_t done_[count];      ///< planes that each has computed
    std::int64_t kept_from_[count]; ///< the first plane in its memory
    std::byte* room_[count];
  };

  std::int64_t rows_of_plane() const { return rank > 2 ? shape_[rank > 2 ? 1 : 0] : 1; }

  const Bodies& bodies_;
  index<rank> shape_;
  host_tiles<rank, count> tiles_;
  std::uint64_t threads_;
  std::int64_t plane_ = 0;
};

/// The same without tiles: calls launch(body, from, to) for one after the other.
/// \param room for an array between two of them
template <class In, class Result, class... Results, class Launch, class Body, class... Bodies>
void stencils_one_by_one(const Launch& launch, const In* in, void* room, void* out,
                         const Body& body, const Bodies&... bodies) {
  auto* const to = static_cast<Result*>(sizeof...(Bodies) % 2 == 0 ? out : room);
  launch(body, in, to);
  if constexpr (sizeof...(Bodies) != 0)
    stencils_one_by_one<Result, Results...>(launch, static_cast<const Result*>(to), room, out,
                                            bodies...);
}

} // namespace ikra::rt
