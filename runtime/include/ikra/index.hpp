// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ikra::index<R>: a place in, the shape of, or an offset within an array of rank R, and the
// arithmetic between places and row-major positions. Everything is 64 bits wide and signed. A class
// rather than an alias of std::array, so that braces take any mixture of integer types without
// narrowing errors.
#pragma once

#include <ikra/macros_aside.hpp>

#include <ikra/config.hpp>
#include <ikra/error.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace ikra {

/// A place, shape or offset in R dimensions, the slowest-changing (outermost) one first. A literal
/// type with structured bindings: `auto [y, x] = place;`.
/// \tparam R number of dimensions, 1 to 4
template <int R> class index {
  static_assert(R >= 1 && R <= 4, "ikra arrays have rank 1 to 4");

public:
  /// All coordinates zero.
  constexpr index() = default;

  /// One coordinate per dimension, of any integer types.
  template <std::integral... I>
    requires(sizeof...(I) == R)
  IKRA_HD constexpr index(I... coordinates)
      : coordinates_{static_cast<std::int64_t>(coordinates)...} {}

  /// Number of dimensions.
  static constexpr int rank() { return R; }

  /// Coordinate in dimension \p d, 0 <= d < R (not checked).
  IKRA_HD constexpr std::int64_t operator[](std::integral auto d) const {
#ifdef __CUDA_ARCH__
    return chosen<0>(static_cast<int>(d));
#else
    return masked(static_cast<int>(d));
#endif
  }
  IKRA_HD constexpr std::int64_t& operator[](std::integral auto d) { return coordinates_[d]; }

  /// Product of the coordinates: the number of places, if this is a shape.
  IKRA_HD constexpr std::int64_t volume() const {
    std::int64_t product = 1;
    for (int d = 0; d < R; ++d)
      product *= coordinates_[d];
    return product;
  }

  IKRA_HD friend constexpr bool operator==(const index& a, const index& b) {
    for (int d = 0; d < R; ++d)
      if (a.coordinates_[d] != b.coordinates_[d])
        return false;
    return true;
  }

  /// For structured bindings.
  template <std::size_t D> IKRA_HD constexpr std::int64_t get() const { return coordinates_[D]; }

private:
  /// Registers have no addresses: choosing among the coordinates spares them a place in memory.
  template <int K> IKRA_HD constexpr std::int64_t chosen(int d) const {
    if constexpr (K + 1 == R)
      return coordinates_[K];
    else
      return d == K ? coordinates_[K] : chosen<K + 1>(d);
  }

  /// By masks, and not by comparing, of which compilers make choices again: vectors have these for
  /// numbers of all widths, and need neither a branch nor a place in memory for each element.
  constexpr std::int64_t masked(int d) const {
    // the a-th coordinate if d < b, else the b-th
    const auto below = [d](int b, std::int64_t first, std::int64_t second) {
      return second ^ ((first ^ second) & std::int64_t((d - b) >> 31));
    };
    if constexpr (R == 1)
      return coordinates_[0];
    else if constexpr (R == 2)
      return below(1, coordinates_[0], coordinates_[1]);
    else
      return below(2, below(1, coordinates_[0], coordinates_[1]),
                   below(3, coordinates_[2], coordinates_[R - 1]));
  }

  std::int64_t coordinates_[R] = {};
};

template <std::integral... I> index(I...) -> index<static_cast<int>(sizeof...(I))>;

namespace detail {

/// One element of a braced list of extents or offsets: takes any integer type, so that lists may
/// mix them.
struct integer {
  template <std::integral I> constexpr integer(I v) : value(static_cast<std::int64_t>(v)) {}
  std::int64_t value;
};

/// The index that a braced list spells.
template <std::size_t N> constexpr auto to_index(const integer (&list)[N]) {
  index<static_cast<int>(N)> result;
  for (std::size_t d = 0; d < N; ++d)
    result[d] = list[d].value;
  return result;
}

/// Extent of the only dimension of an array whose size is known once it is computed (pselect).
inline constexpr std::int64_t unknown_extent = -1;

template <int R> constexpr bool is_known(const index<R>& shape) {
  return shape[0] != unknown_extent;
}

/// What a section is given as the index: std::int64_t in rank 1, the place above.
template <int R> struct section_index {
  using type = index<R>;
};
template <> struct section_index<1> {
  using type = std::int64_t;
};
template <int R> using section_index_t = typename section_index<R>::type;

template <int R> IKRA_HD constexpr section_index_t<R> as_section_index(const index<R>& place) {
  if constexpr (R == 1)
    return place[0];
  else
    return place;
}

/// Row-major position of \p place in \p shape.
template <int R>
IKRA_HD constexpr std::int64_t position(const index<R>& shape, const index<R>& place) {
  std::int64_t result = place[0];
  for (int d = 1; d < R; ++d)
    result = result * shape[d] + place[d];
  return result;
}

template <int R> IKRA_HD constexpr bool is_inside(const index<R>& shape, const index<R>& place) {
  for (int d = 0; d < R; ++d)
    if (place[d] < 0 || place[d] >= shape[d])
      return false;
  return true;
}

/// An index of ones.
template <int R> constexpr index<R> ones() {
  index<R> result;
  for (int d = 0; d < R; ++d)
    result[d] = 1;
  return result;
}

/// The dimensions from the last to the first.
template <int R> constexpr index<R> reversed() {
  index<R> result;
  for (int d = 0; d < R; ++d)
    result[d] = R - 1 - d;
  return result;
}

/// Moves \p place on to the next one in row-major order.
template <int R> IKRA_HD constexpr void advance(const index<R>& shape, index<R>& place) {
  for (int d = R - 1; d > 0; --d) {
    if (++place[d] < shape[d])
      return;
    place[d] = 0;
  }
  ++place[0];
}

/// "(2, 3)", for messages.
template <int R> std::string to_string(const index<R>& i) {
  std::string result = text("(", i[0]);
  for (int d = 1; d < R; ++d)
    result += text(", ", i[d]);
  return result += ")";
}

/// Number of places in \p shape.
/// \throws error of kind bad_shape if an extent is negative or the product does not fit 63 bits
template <int R> std::int64_t checked_volume(const index<R>& shape) {
  std::int64_t product = 1;
  for (int d = 0; d < R; ++d) {
    if (shape[d] < 0)
      throw error(error_kind::bad_shape, text("ikra: the shape ", to_string(shape),
                                              " has a negative extent; extents start at 0"));
    if (shape[d] == 0)
      product = 0;
  }
  for (int d = 0; d < R && product != 0; ++d) {
    if (shape[d] > INT64_MAX / product)
      throw error(error_kind::bad_shape,
                  text("ikra: the shape ", to_string(shape), " has more than 2^63 places"));
    product *= shape[d];
  }
  return product;
}

} // namespace detail
} // namespace ikra

template <int R> struct std::tuple_size<ikra::index<R>> : std::integral_constant<std::size_t, R> {};
template <std::size_t D, int R> struct std::tuple_element<D, ikra::index<R>> {
  using type = std::int64_t;
};

#include <ikra/macros_back.hpp>
