// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What array::with_index() gives: the operations of an array whose sections take the index too.
// Included by array.hpp, and by nothing else.
#pragma once

#include <ikra/macros_aside.hpp>

#include <ikra/index.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ikra {

template <class T, int R> class array;

namespace detail {

/// The offsets that a braced list spells in rank 1.
template <std::size_t K> std::vector<index<1>> offsets_of(const integer (&list)[K]) {
  std::vector<index<1>> offsets;
  for (const integer& i : list)
    offsets.emplace_back(i.value);
  return offsets;
}

} // namespace detail

/// What array::with_index() gives: the same operations, whose sections get the index as last
/// argument, as std::int64_t in rank 1 and as ikra::index<R> above.
template <class T, int R> class indexed_array {
public:
  /// As array::pmap, with f(element, index).
  template <class F> auto pmap(F f) const {
    return array_.template map_elementwise<true>(std::move(f));
  }

  /// As array::pcombine, with f(element, further elements…, index).
  template <class... Args> auto pcombine(Args&&... arrays_then_section) const {
    return array_.template split_combine<true>("pcombine",
                                               std::forward<Args>(arrays_then_section)...);
  }

  /// As array::pstencil in rank 1, with f(window, index).
  template <std::size_t K, class Outside, class F>
    requires(R == 1)
  auto pstencil(const detail::integer (&neighbourhood)[K], const Outside& outside, F f) const {
    return array_.template stencil<true>(detail::offsets_of(neighbourhood), outside, std::move(f));
  }
  /// As array::pstencil above rank 1, with f(window, index).
  template <std::size_t K, class Outside, class F>
    requires(R > 1)
  auto pstencil(const index<R> (&neighbourhood)[K], const Outside& outside, F f) const {
    return array_.template stencil<true>({neighbourhood, neighbourhood + K}, outside, std::move(f));
  }
  /// As array::pstencil with a constant array of offsets, with f(window, index).
  template <std::size_t K, class Outside, class F>
  auto pstencil(const std::array<index<R>, K>& neighbourhood, const Outside& outside, F f) const {
    return array_.template stencil<true>({neighbourhood.begin(), neighbourhood.end()}, outside,
                                         std::move(f));
  }

  /// As array::pselect, with f(element, index).
  template <class F> auto pselect(F f) const { return array_.template select<true>(std::move(f)); }

  /// As array::peach, with f(element, index).
  template <class F> void peach(F f) const { array_.template each<true>(std::move(f)); }
  /// As array::peach with ticks, with f(element, index) or f(element, index, tick).
  template <std::integral I, class F> void peach(I ticks, F f) const {
    array_.template each_tick<true>(static_cast<std::int64_t>(ticks), std::move(f));
  }

private:
  friend class array<T, R>;
  explicit indexed_array(array<T, R> a) : array_(std::move(a)) {}
  array<T, R> array_;
};

} // namespace ikra

#include <ikra/macros_back.hpp>
