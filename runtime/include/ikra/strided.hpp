// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// detail::strided: which places of a row-major array another array shows, as one stride per
// dimension. Slices and transposed arrays are that, and so are slices of transposed arrays: views
// of views are one map. One type for all ranks, so that the runtime can take it as it is. Relies on
// index.hpp.
#pragma once

#include <ikra/macros_aside.hpp>

#include <ikra/error.hpp>
#include <ikra/index.hpp>

#include <cstdint>
#include <string>

namespace ikra::detail {

/// The element at place p of the view is the one at the row-major position
/// offset + sum of p[d] * strides[d] of what it shows. Strides may be negative.
struct strided {
  int rank = 1;
  std::int64_t offset = 0;
  std::int64_t shape[4] = {};   ///< of the view; the first `rank` count
  std::int64_t strides[4] = {}; ///< in elements

  /// Number of places of the view.
  std::int64_t volume() const {
    std::int64_t product = 1;
    for (int d = 0; d < rank; ++d)
      product *= shape[d];
    return product;
  }

  /// Whether the view shows consecutive positions in their order.
  bool is_contiguous() const {
    std::int64_t expected = 1;
    for (int d = rank - 1; d >= 0; --d) {
      if (shape[d] != 1 && strides[d] != expected)
        return false;
      expected *= shape[d];
    }
    return true;
  }

  /// Calls f(position) for every place of the view, in row-major order.
  template <class F> void for_each_position(const F& f) const {
    std::int64_t place[4] = {};
    std::int64_t position = offset;
    for (std::int64_t left = volume(); left > 0; --left) {
      f(position);
      for (int d = rank - 1; d >= 0; --d) {
        position += strides[d];
        if (++place[d] < shape[d])
          break;
        position -= place[d] * strides[d];
        place[d] = 0;
      }
    }
  }
};

/// A view of a whole array. \param shape of the array
template <int R> strided whole(const index<R>& shape) {
  strided map;
  map.rank = R;
  std::int64_t stride = 1;
  for (int d = R - 1; d >= 0; --d) {
    map.shape[d] = shape[d];
    map.strides[d] = stride;
    stride *= shape[d];
  }
  return map;
}

/// Shape of a view. \tparam R its rank
template <int R> index<R> shape_of(const strided& map) {
  index<R> shape;
  for (int d = 0; d < R; ++d)
    shape[d] = map.shape[d];
  return shape;
}

/// "(2, 3)", for messages.
inline std::string shape_text(const strided& map) {
  std::string result = text("(", map.shape[0]);
  for (int d = 1; d < map.rank; ++d)
    result += text(", ", map.shape[d]);
  return result += ")";
}

/// The view whose dimension d is the given one's dimension axes[d].
/// \throws error of kind bad_shape if axes does not name each dimension once
template <int R> strided permuted(const strided& map, const index<R>& axes) {
  strided result = map;
  bool named[4] = {};
  for (int d = 0; d < R; ++d) {
    const std::int64_t axis = axes[d];
    if (axis < 0 || axis >= R || named[axis])
      throw error(error_kind::bad_shape,
                  text("ikra: transpose by ", to_string(axes),
                       "; it takes each of the dimensions 0 to ", R - 1, " once"));
    named[axis] = true;
    result.shape[d] = map.shape[axis];
    result.strides[d] = map.strides[axis];
  }
  return result;
}

/// The view of the places from, from + step, … before to, in each dimension.
/// \throws error of kind bad_shape for a step of 0; of kind index_outside if a dimension is not as
/// array::slice says. The first extent may be unknown_extent: then only signs are checked there
template <int R>
strided sliced(const strided& map, const index<R>& from, const index<R>& to, const index<R>& step) {
  strided result = map;
  for (int d = 0; d < R; ++d) {
    if (step[d] == 0)
      throw error(error_kind::bad_shape,
                  text("ikra: slice with the step ", to_string(step), "; no step may be 0"));
    const std::int64_t extent = map.shape[d] == unknown_extent ? INT64_MAX : map.shape[d];
    const bool fits = step[d] > 0 ? 0 <= from[d] && from[d] <= to[d] && to[d] <= extent
                                  : -1 <= to[d] && to[d] <= from[d] && from[d] < extent;
    if (!fits)
      throw error(error_kind::index_outside,
                  text("ikra: slice from ", to_string(from), " to ", to_string(to),
                       " with the step ", to_string(step), " of an array of shape ",
                       map.shape[d] == unknown_extent ? "(not known yet)" : shape_text(map),
                       "; it has to begin and end within the array, in the direction of the step"));
    const std::uint64_t distance = step[d] > 0 ? static_cast<std::uint64_t>(to[d] - from[d])
                                               : static_cast<std::uint64_t>(from[d] - to[d]);
    const std::uint64_t stride = step[d] > 0
                                     ? static_cast<std::uint64_t>(step[d])
                                     : std::uint64_t{0} - static_cast<std::uint64_t>(step[d]);
    const std::uint64_t count = distance == 0 ? 0 : (distance - 1) / stride + 1;
    result.shape[d] = static_cast<std::int64_t>(count);
    result.offset += count == 0 ? 0 : from[d] * map.strides[d];
    // The stride of a dimension with one place is never used, and might not fit.
    result.strides[d] = count > 1 ? map.strides[d] * step[d] : map.strides[d];
  }
  return result;
}

} // namespace ikra::detail

#include <ikra/macros_back.hpp>
