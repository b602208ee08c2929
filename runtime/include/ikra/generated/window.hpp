// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What bodies of stencils get in place of ikra::window: how far a neighbourhood reaches, and the
// two windows over an array. Where all neighbours lie inside, a neighbour is one load at a distance
// from the element that is the same for all elements (ARRAY'17, section 3: access pattern 'fixed
// neighbourhood'); the other window finds the place that a neighbour outside stands for.
//
// The neighbourhood is a constant of the program, and its constant offsets were checked when it was
// compiled. An offset that is computed is moved to the nearest one within reach, so that no window
// reads what lies outside of the array, whatever the section does.
#pragma once

#include <ikra/config.hpp>
#include <ikra/index.hpp>

#include <concepts>
#include <cstdint>

namespace ikra::rt {

/// The least and the greatest offset of a neighbourhood along one dimension.
template <std::int64_t Least, std::int64_t Most> struct span {
  static_assert(Least <= Most);
  static constexpr std::int64_t least = Least, most = Most;
};

/// How far a neighbourhood reaches: a span for each dimension, the outermost first. All neighbours
/// of a place lie inside of an array exactly if these bounds do, since inside is asked of each
/// coordinate alone.
template <class... Spans> struct reach {
  static constexpr int rank = sizeof...(Spans);

  IKRA_HD static constexpr index<rank> least() { return {Spans::least...}; }
  IKRA_HD static constexpr index<rank> most() { return {Spans::most...}; }
  /// The offset within reach that is nearest to this one: itself, if the program is right.
  IKRA_HD static constexpr index<rank> nearest(const index<rank>& offset) {
    index<rank> result;
    for (int d = 0; d < rank; ++d)
      result[d] = offset[d] < least()[d]  ? least()[d]
                  : offset[d] > most()[d] ? most()[d]
                                          : offset[d];
    return result;
  }
};

/// What happens where a neighbour lies outside: the result is a value, or the element; the
/// neighbour is the nearest element, or that on the other side.
enum class border { value, keep, clamp, wrap };

/// The forms in which windows are read, from one function that reads at an index.
template <class Window, class T, int R> class window_forms {
public:
  IKRA_HD T operator[](const index<R>& offset) const {
    return static_cast<const Window&>(*this).read(offset);
  }
  IKRA_HD T operator[](std::integral auto offset) const
    requires(R == 1)
  {
    return (*this)[index<1>(offset)];
  }
  template <std::integral... I>
    requires(sizeof...(I) == R)
  IKRA_HD T operator()(I... offset) const {
    return (*this)[index<R>(offset...)];
  }
};

/// The distance of neighbours along each dimension but the last, where it is 1.
template <int R, class Distance> struct strides {
  Distance of[R > 1 ? R - 1 : 1];
};

/// The window at a place whose neighbours all lie inside.
/// \tparam Distance of elements: std::int32_t where that suffices, else std::int64_t
template <class T, class Reach, class Distance>
class inner_window : public window_forms<inner_window<T, Reach, Distance>, T, Reach::rank> {
  static constexpr int R = Reach::rank;

public:
  /// \param centre the element at the place
  IKRA_HD inner_window(const T* centre, const strides<R, Distance>& steps)
      : centre_(centre), steps_(steps) {}

  IKRA_HD T read(const index<R>& offset) const {
    const index<R> near = Reach::nearest(offset);
    auto distance = static_cast<Distance>(near[R - 1]);
    for (int d = 0; d < R - 1; ++d)
      distance += static_cast<Distance>(near[d]) * steps_.of[d];
    return centre_[distance];
  }

private:
  const T* centre_;
  strides<R, Distance> steps_;
};

/// The window at a place of which neighbours lie outside, for the borders that stand for elements.
template <class T, class Reach, border Border>
class border_window : public window_forms<border_window<T, Reach, Border>, T, Reach::rank> {
  static_assert(Border == border::clamp || Border == border::wrap);
  static constexpr int R = Reach::rank;

public:
  /// \param elements of the whole array; \param place of the element
  IKRA_HD border_window(const T* elements, const index<R>& shape, const index<R>& place)
      : elements_(elements), shape_(shape), place_(place) {}

  IKRA_HD T read(const index<R>& offset) const {
    const index<R> near = Reach::nearest(offset);
    index<R> neighbour;
    for (int d = 0; d < R; ++d)
      neighbour[d] = inside(place_[d] + near[d], shape_[d]);
    return elements_[ikra::detail::position(shape_, neighbour)];
  }

private:
  IKRA_HD static std::int64_t inside(std::int64_t at, std::int64_t extent) {
    if (at >= 0 && at < extent)
      return at;
    if constexpr (Border == border::clamp)
      return at < 0 ? 0 : extent - 1;
    else
      return (at % extent + extent) % extent;
  }

  const T* elements_;
  index<R> shape_;
  index<R> place_;
};

} // namespace ikra::rt
