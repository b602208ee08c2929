// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a stencil's section sees: ikra::window<T, R>, the elements around one place; and the words
// for the neighbourhood and the border of pstencil. ARRAY'17, section 3 ("Stencil"). Relies on
// index.hpp.
#pragma once

#include <ikra/macros_aside.hpp>

#include <ikra/error.hpp>
#include <ikra/index.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>

namespace ikra {

namespace detail {
struct keep_border {};
struct clamp_border {};
struct wrap_border {};
enum class border { none, clamp, wrap };

/// What pstencil keeps of its argument `outside`: a border type as it is, else a value of the
/// result's type.
template <class Outside, class Result> struct outside_type {
  using type = Result;
};
template <class Result> struct outside_type<keep_border, Result> {
  using type = keep_border;
};
template <class Result> struct outside_type<clamp_border, Result> {
  using type = clamp_border;
};
template <class Result> struct outside_type<wrap_border, Result> {
  using type = wrap_border;
};
template <class Outside, class Result>
using outside_t = typename outside_type<Outside, Result>::type;
} // namespace detail

/// Border of pstencil: where a neighbour lies outside, the result is the element itself.
inline constexpr detail::keep_border keep{};
/// Border of pstencil: a neighbour outside is the nearest element inside.
inline constexpr detail::clamp_border clamp{};
/// Border of pstencil: the array goes on past its end as at its beginning.
inline constexpr detail::wrap_border wrap{};

/// The neighbourhood that reaches Radius places to both sides in each dimension, in row-major
/// order: ikra::box<1, 1> has the nine places of a 3×3 square.
/// \tparam Radius one number per dimension, 0 or more
template <int... Radius>
  requires((Radius >= 0) && ...)
inline constexpr auto box = [] {
  constexpr int rank = sizeof...(Radius);
  constexpr index<rank> extents(2 * Radius + 1 ...);
  constexpr index<rank> radius(Radius...);
  std::array<index<rank>, static_cast<std::size_t>(extents.volume())> offsets{};
  index<rank> place;
  for (index<rank>& offset : offsets) {
    for (int d = 0; d < rank; ++d)
      offset[d] = place[d] - radius[d];
    detail::advance(extents, place);
  }
  return offsets;
}();

/// The elements around one place of an array, read by offsets of the stencil's neighbourhood. Valid
/// during the call of the section that it is handed to.
/// \tparam T type of the elements
/// \tparam R rank of the array
template <class T, int R> class window {
public:
  /// Made by pstencil.
  /// \param elements      all elements of the array, row-major
  /// \param shape         its shape
  /// \param neighbourhood the offsets that may be read
  /// \param count         how many they are
  /// \param border        what a place outside stands for (none: no neighbour is outside)
  window(const T* elements, const index<R>& shape, const index<R>* neighbourhood, std::size_t count,
         detail::border border)
      : elements_(elements), shape_(shape), neighbourhood_(neighbourhood), count_(count),
        border_(border) {}

  /// The element at \p offset from here.
  /// \throws error of kind offset_outside_neighbourhood if the stencil does not list the offset
  T operator[](const index<R>& offset) const {
    for (std::size_t k = 0; k < count_; ++k)
      if (neighbourhood_[k] == offset)
        return elements_[detail::position(shape_, neighbour(offset))];
    throw error(error_kind::offset_outside_neighbourhood,
                detail::text("ikra: the section of pstencil reads the offset ",
                             detail::to_string(offset), " at place ", detail::to_string(place_),
                             ", which is not in the neighbourhood; add it there"));
  }

  /// The same in rank 1, v[-1].
  T operator[](std::integral auto offset) const
    requires(R == 1)
  {
    return (*this)[index<1>(offset)];
  }

  /// The same with one number per dimension, v(-1, 0).
  template <std::integral... I>
    requires(sizeof...(I) == R)
  T operator()(I... offset) const {
    return (*this)[index<R>(offset...)];
  }

  /// Moves the window to \p place. For pstencil.
  void move_to(const index<R>& place) { place_ = place; }

  /// Whether all neighbours lie inside. For pstencil.
  bool fits() const {
    for (std::size_t k = 0; k < count_; ++k)
      if (!detail::is_inside(shape_, moved(neighbourhood_[k])))
        return false;
    return true;
  }

private:
  index<R> moved(const index<R>& offset) const {
    index<R> result;
    for (int d = 0; d < R; ++d)
      result[d] = place_[d] + offset[d];
    return result;
  }

  index<R> neighbour(const index<R>& offset) const {
    index<R> result = moved(offset);
    for (int d = 0; d < R; ++d) {
      if (result[d] >= 0 && result[d] < shape_[d])
        continue;
      if (border_ == detail::border::clamp)
        result[d] = result[d] < 0 ? 0 : shape_[d] - 1;
      else // wrap; with border::none no neighbour is outside
        result[d] = (result[d] % shape_[d] + shape_[d]) % shape_[d];
    }
    return result;
  }

  const T* elements_;
  index<R> shape_;
  index<R> place_;
  const index<R>* neighbourhood_;
  std::size_t count_;
  detail::border border_;
};

} // namespace ikra

#include <ikra/macros_back.hpp>
