// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What stencils are told by: how far a neighbourhood reaches, what happens at the border of an
// array, and the forms in which windows are read (ARRAY'17, section 3: access pattern 'fixed
// neighbourhood'). The windows themselves stand in stencil_accessor.hpp.
//
// The neighbourhood is a constant of the program, and its constant offsets were checked when it was
// compiled. An offset that is computed is moved to the nearest one of the footprint, so that no
// window reads what lies outside of the array, whatever the section does.
#pragma once

#include <ikra/config.hpp>
#include <ikra/index.hpp>

#include <concepts>
#include <cstdint>

namespace ikra::rt {

/// The value within [least, most] that is nearest. (std::clamp may test its arguments on the host.)
IKRA_HD constexpr std::int64_t clamped(std::int64_t value, std::int64_t least, std::int64_t most) {
  if (value < least)
    return least;
  return value > most ? most : value;
}

/// The least and the greatest offset of a neighbourhood along one dimension.
template <std::int64_t Least, std::int64_t Most> struct extent {
  static_assert(Least <= Most);
  static constexpr std::int64_t least = Least, most = Most;
};

/// The offsets of a neighbourhood: an extent for each dimension, the outermost first. All
/// neighbours of a place lie inside of an array exactly if these bounds do, since inside is asked
/// of each coordinate alone.
template <class... Extents> struct footprint {
  static constexpr int rank = sizeof...(Extents);
  static constexpr bool is_one_place = ((Extents::least == Extents::most) && ...);

  IKRA_HD static constexpr index<rank> least() { return {Extents::least...}; }
  IKRA_HD static constexpr index<rank> most() { return {Extents::most...}; }
  /// The offset within the footprint that is nearest to this one: itself, if the program is right.
  /// Not by clamped(): nvcc makes worse code of stencils that way, 5 % of figure 9's.
  IKRA_HD static constexpr index<rank> nearest(const index<rank>& offset) {
    index<rank> result;
    IKRA_UNROLLED
    for (int d = 0; d < rank; ++d)
      if (offset[d] < least()[d])
        result[d] = least()[d];
      else
        result[d] = offset[d] > most()[d] ? most()[d] : offset[d];
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

} // namespace ikra::rt
