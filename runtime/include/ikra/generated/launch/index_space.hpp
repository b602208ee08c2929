// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the row-major position of an element to the index that its section gets. A thread that runs
// several neighbouring elements finds the place of the first, by multiplications instead of
// divisions, and steps on from there.
#pragma once

#include <ikra/config.hpp>
#include <ikra/generated/language/checked.hpp>
#include <ikra/generated/launch/grid.hpp>
#include <ikra/index.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace ikra::rt {

/// The shape that launches over an array of rank R take; rank 0 stands for "no index", and has a
/// shape only so that there is one.
template <int R> using shape_of_rank = index<(R > 0 ? R : 1)>;

/// The places that a launch runs: of an array, from the first one on in row-major order. Where the
/// array is computed in parts, that is not the array's first.
template <int R> struct placed_shape {
  shape_of_rank<R> extents;
  std::uint64_t first = 0; ///< 0 in rank 0

  // Most launches run an array from its beginning.
  placed_shape(const shape_of_rank<R>& of) : extents(of) {} // NOLINT(google-explicit-constructor)
  placed_shape(const shape_of_rank<R>& of, std::uint64_t begin) : extents(of), first(begin) {}
};

/// Whether a body says, where a check fails, at which place: in checked builds, one over values.
/// It is found by its argument, since a body's members have the program's names.
template <class Body>
concept names_index = requires(Body& body) { name_index(body, std::uint64_t()); };

namespace detail {

/// An index as reports have it (checked.hpp): its rank and coordinates, or `position_in_part` and a
/// position.
template <int R, class Coordinate> IKRA_HD std::uint64_t index_number(const Coordinate* at) {
  if constexpr (R >= position_in_part)
    return no_index;
  constexpr int rank = R > 0 ? R : 1, bits = index_bits / rank;
  auto number = R > 0 ? static_cast<std::uint64_t>(R) : position_in_part;
  for (int d = 0; d < rank; ++d) {
    if (static_cast<std::uint64_t>(at[d]) >> bits != 0)
      return no_index;
    number = number << bits | static_cast<std::uint64_t>(at[d]);
  }
  return number << (index_bits - rank * bits);
}

/// The body for an element: itself, or a copy that knows the place. \param at coordinates; of rank
/// 0 the position
template <int R, class Body, class Coordinate>
IKRA_HD decltype(auto) body_at(const Body& body, [[maybe_unused]] const Coordinate* at) {
  if constexpr (names_index<Body>) {
    Body here = body;
    name_index(here, index_number<R>(at));
    return here;
  } else {
    return (body);
  }
}

template <class Index> struct twice_as_wide;
template <> struct twice_as_wide<std::uint32_t> {
  using type = std::uint64_t;
};
template <> struct twice_as_wide<std::uint64_t> {
  __extension__ using type = unsigned __int128;
};

} // namespace detail

/// The body for an element, as detail::body_at. \param at its index as sections get it \{
template <class Body> IKRA_HD decltype(auto) body_at_index(const Body& body, std::int64_t at) {
  return detail::body_at<1>(body, &at);
}
template <class Body, int R>
IKRA_HD decltype(auto) body_at_index(const Body& body, const index<R>& at_index) {
  std::int64_t at[R];
  for (int d = 0; d < R; ++d)
    at[d] = at_index[d];
  return detail::body_at<R>(body, at);
}
/// \}

/// Division by a number that is known before the launch, exact for all dividends (Granlund and
/// Montgomery, Division by Invariant Integers using Multiplication, PLDI 1994, figure 4.1).
template <class Index> class divider {
  using wide = typename detail::twice_as_wide<Index>::type;
  static constexpr int bits = 8 * sizeof(Index);

public:
  divider() = default;
  /// \param by at least 1
  explicit divider(Index by) : by_(by) {
    int log = 0; // of `by`, rounded up
    while (log < bits && (wide(1) << log) < by)
      ++log;
    multiplier_ = static_cast<Index>((((wide(1) << log) - by) << bits) / by + 1);
    shift_first_ = log > 0 ? 1 : 0;
    shift_then_ = log > 0 ? log - 1 : 0;
  }

  IKRA_HD Index by() const { return by_; }
  IKRA_HD Index quotient(Index dividend) const {
    const auto high = static_cast<Index>((static_cast<wide>(multiplier_) * dividend) >> bits);
    return static_cast<Index>((high + ((dividend - high) >> shift_first_)) >> shift_then_);
  }

private:
  Index by_ = 1;
  Index multiplier_ = 1;
  int shift_first_ = 0;
  int shift_then_ = 0;
};

/// Tells compilers that a coordinate fits into a signed number of as many bits: launches see to
/// that. What sections compute of indices then takes fewer steps (a third of those of `% 1337`).
template <class Index> IKRA_HD void assume_coordinate([[maybe_unused]] Index at) {
  IKRA_ASSUME(static_cast<std::make_signed_t<Index>>(at) >= 0);
}

/// Where a launch begins in the array. Only launches that count in 64 bits begin later than at the
/// array's first place, so that the others do not add anything. \{
template <bool IsAnywhere> class launch_begin {
public:
  explicit launch_begin(std::uint64_t /*first*/) {}
  IKRA_HD std::uint64_t first() const { return 0; }
};
template <> class launch_begin<true> {
public:
  explicit launch_begin(std::uint64_t first) : first_(first) {}
  IKRA_HD std::uint64_t first() const { return first_; }

private:
  std::uint64_t first_;
};
/// \}

/// Whether a launch over n elements may count in 32 bits.
template <int R> bool counts_in_32_bits(const placed_shape<R>& shape, std::uint64_t n) {
  return n < largest_narrow && shape.first == 0;
}

/// The places of an array of rank R, as far as finding them takes.
/// \tparam R     0 where sections do not get the index
/// \tparam Index of positions: std::uint32_t or std::uint64_t
template <int R, class Index>
class index_space : private launch_begin<(R > 0 && sizeof(Index) == sizeof(std::uint64_t))> {
  using begin = launch_begin<(R > 0 && sizeof(Index) == sizeof(std::uint64_t))>;

public:
  /// \param shape where it has a zero extent, there are no places to be found; see
  /// counts_in_32_bits
  explicit index_space(const placed_shape<R>& shape) : begin(shape.first) {
    for (int d = 1; d < R; ++d)
      if (shape.extents[d] != 0)
        inner_[d - 1] = divider<Index>(static_cast<Index>(shape.extents[d]));
  }

  using begin::first;
  /// Position in the array of the launch's element i.
  IKRA_HD Index position(Index i) const { return static_cast<Index>(first() + i); }

  /// Extent of dimension \p d > 0, as something to divide by.
  IKRA_HD const divider<Index>& inner(int d) const { return inner_[d - 1]; }

private:
  divider<Index> inner_[R > 1 ? R - 1 : 1];
};

/// A place on its way through an array.
template <int R, class Index> class index_cursor {
public:
  index_cursor() = default;
  IKRA_HD index_cursor([[maybe_unused]] const index_space<R, Index>& all, Index position) {
    for (int d = R - 1; d > 0; --d) {
      const Index outer = all.inner(d).quotient(position);
      at_[d] = static_cast<Index>(position - outer * all.inner(d).by());
      position = outer;
    }
    at_[0] = position;
  }

  /// Its coordinate in dimension \p d.
  IKRA_HD Index operator[](int d) const { return at_[d]; }

  /// On to the next place in row-major order.
  IKRA_HD void next([[maybe_unused]] const index_space<R, Index>& all) {
    for (int d = R - 1; d > 0; --d) {
      if (++at_[d] != all.inner(d).by())
        return;
      at_[d] = 0;
    }
    ++at_[0];
  }

  /// body(elements…, index), without the index in rank 0.
  template <class Body, class... T>
  IKRA_HD decltype(auto) call(const Body& body, const T&... elements) const {
    for (int d = 0; d < R; ++d)
      assume_coordinate(at_[d]);
    const auto& here = detail::body_at<R>(body, at_);
    if constexpr (R == 0) {
      return here(elements...);
    } else if constexpr (R == 1) {
      return here(elements..., static_cast<std::int64_t>(at_[0]));
    } else {
      index<R> place;
      for (int d = 0; d < R; ++d)
        place[d] = static_cast<std::int64_t>(at_[d]);
      return here(elements..., place);
    }
  }

private:
  Index at_[R > 0 ? R : 1] = {};
};

/// Number of positions in a piece of a loop over all cores, at most: they are counted in 32 bits,
/// which vectors hold twice as many of.
inline constexpr std::uint64_t longest_piece = std::uint64_t(1) << 30;

/// Calls run(begin, rows, length, place of begin) for the positions [begin, end): rows of the same
/// length that lie after each other along the last dimension but one, or one piece of a row. What
/// loops over all cores are made of: compilers see consecutive elements and coordinates that count,
/// and what all rows need is set up before the first, which pays where rows are short. Ranks 0 and
/// 1 are one row. No row is longer than longest_piece.
template <int R, class Run>
void for_rows(const shape_of_rank<R>& shape, std::uint64_t begin, std::uint64_t end,
              const Run& run) {
  if (begin >= end)
    return;
  shape_of_rank<R> place;
  if constexpr (R < 2) {
    while (begin < end) {
      const std::uint64_t length = std::min(end - begin, longest_piece);
      place[0] = static_cast<std::int64_t>(begin);
      run(begin, std::int64_t(1), static_cast<std::int32_t>(length), place);
      begin += length;
    }
  } else {
    auto position = static_cast<std::int64_t>(begin);
    for (int d = R - 1; d > 0; --d) {
      place[d] = position % shape[d];
      position /= shape[d];
    }
    place[0] = position;
    const auto row = static_cast<std::uint64_t>(shape[R - 1]);
    while (begin < end) {
      const auto rest = static_cast<std::uint64_t>(shape[R - 1] - place[R - 1]);
      std::uint64_t rows = 1, length = std::min({rest, longest_piece, end - begin});
      if (length == row)
        rows =
            std::min((end - begin) / row, static_cast<std::uint64_t>(shape[R - 2] - place[R - 2]));
      run(begin, static_cast<std::int64_t>(rows), static_cast<std::int32_t>(length), place);
      begin += rows * length;
      // On to the last place of these, and to the one after it.
      place[R - 2] += static_cast<std::int64_t>(rows) - 1;
      place[R - 1] += static_cast<std::int64_t>(length) - 1;
      ikra::detail::advance(shape, place);
    }
  }
}

/// Where a row or a piece of one begins, as loops over all cores count it.
template <int R, class Coordinate> struct row_start {
  Coordinate of[R > 0 ? R : 1] = {};

  row_start() = default;
  explicit row_start(const shape_of_rank<R>& place) {
    for (int d = 0; d < R; ++d)
      of[d] = static_cast<Coordinate>(place[d]);
  }

  /// Where the n-th row after it begins.
  row_start row([[maybe_unused]] std::int64_t n) const {
    row_start result = *this;
    if constexpr (R > 1)
      result.of[R - 2] += static_cast<Coordinate>(n);
    return result;
  }
};

/// Whether 32 bits do for the coordinates of all places.
/// \param end of the positions, which rank 0 counts in place of coordinates
template <int R> bool has_narrow_coordinates(const shape_of_rank<R>& shape, std::uint64_t end) {
  auto bits = R == 0 ? static_cast<std::int64_t>(end) : 0;
  for (int d = 0; d < R; ++d)
    bits |= shape[d];
  return bits <= std::numeric_limits<std::int32_t>::max();
}

/// Calls run(begin, rows, length, row_start) as for_rows, for the launch's elements [begin, end).
/// In 32 bits where coordinates fit: vectors hold twice as many, and can turn them into floats.
template <int R, class Run>
void for_row_starts(const placed_shape<R>& shape, std::uint64_t begin, std::uint64_t end,
                    const Run& run) {
  const auto counted_in = [&]<class Coordinate>(Coordinate) {
    for_rows<R>(shape.extents, shape.first + begin, shape.first + end,
                [&](std::uint64_t first, std::int64_t rows, std::int32_t length,
                    const shape_of_rank<R>& place) {
                  run(first - shape.first, rows, length, row_start<R, Coordinate>(place));
                });
  };
  if (has_narrow_coordinates<R>(shape.extents, end))
    counted_in(std::int32_t());
  else
    counted_in(std::int64_t());
}

/// body(elements…, index of the place `along` further in its row), as index_cursor::call.
template <int R, class Coordinate, class Body, class... T>
decltype(auto) call_at(const Body& body, const row_start<R, Coordinate>& row, std::int32_t along,
                       const T&... elements) {
  index<(R > 0 ? R : 1)> place;
  for (int d = 0; d < R - 1; ++d)
    place[d] = row.of[d];
  constexpr int last = R > 0 ? R - 1 : 0;
  place[last] = row.of[last] + along;
  const auto& here = detail::body_at<R>(body, &place[0]);
  if constexpr (R == 0)
    return here(elements...);
  else
    return here(elements..., ikra::detail::as_section_index(place));
}

} // namespace ikra::rt
