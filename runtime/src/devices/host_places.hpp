// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places that elements come from or go to, on all cores: pgather, pscatter, phistogram. Blocks of
// places are tested before they are used, by vectors, so that the loops over elements have no
// branch.
#pragma once

#include "operations.hpp"
#include "support/parallel.hpp"

#include <ikra/buffer.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace ikra::rt {

// Elements worth a thread: as long as it takes to wake one.
inline constexpr std::size_t elements_a_thread = std::size_t(1) << 14U;

/// Integers of a type as positions.
template <class I> struct integer_places {
  const I* elements;

  std::int64_t operator()(std::size_t i) const { return static_cast<std::int64_t>(elements[i]); }

  /// Whether some are none of the first \p count positions. Tested as numbers of their own type, of
  /// which vectors hold the most.
  bool any_outside(std::size_t begin, std::size_t end, std::size_t count) const {
    const auto last = static_cast<I>(
        std::min<std::uint64_t>(count - 1, std::uint64_t(std::numeric_limits<I>::max())));
    I outside = 0;
    for (std::size_t i = begin; i < end; ++i)
      outside = static_cast<I>(outside | I((elements[i] < 0) | (elements[i] > last)));
    return outside != 0;
  }
};

/// Elements index<R> as positions in an array.
struct index_places {
  index_reader indices;

  std::int64_t operator()(std::size_t i) const { return indices[i]; }
  bool any_outside(std::size_t begin, std::size_t end, std::size_t) const {
    bool outside = false;
    for (std::size_t i = begin; i < end; ++i)
      outside |= indices[i] < 0;
    return outside;
  }
};

/// Calls f(the places, the number of positions) for elements that stand for positions in a space.
/// \returns what f does; false if there is no position, or the elements cannot stand for any
template <class F> bool with_places(const any_buffer& places, const strided& space, const F& f) {
  const auto size = static_cast<std::size_t>(space.volume());
  if (size == 0 || !are_indices(places))
    return false;
  if (places.kind() == element_kind::index)
    return f(index_places{index_reader(places, places.data(), space)}, size);
  return with_number(places.kind(), places.element_bytes(), [&](auto number) {
    using I = decltype(number);
    if constexpr (std::is_integral_v<I>)
      return f(integer_places<I>{static_cast<const I*>(places.data())}, size);
    else
      return false; // are_indices() has seen to that
  });
}

/// Calls body(begin, end) for blocks of the places from `begin` to `end`. \returns false if one is
/// none of `size` positions; its block and what comes after are left out
template <class Places, class Body>
bool for_blocks_inside(const Places& places, std::size_t begin, std::size_t end, std::size_t size,
                       const Body& body) {
  constexpr std::size_t block = 4096;
  while (begin < end) {
    const std::size_t stop = std::min(end, begin + block);
    if (places.any_outside(begin, stop, size))
      return false;
    body(begin, stop);
    begin = stop;
  }
  return true;
}

/// The same of the first n places, on all cores.
template <class Places, class Body>
bool for_places_inside(const Places& places, std::size_t n, std::size_t size, const Body& body) {
  std::atomic<bool> all_inside = true;
  for_ranges(n, elements_a_thread, [&](std::size_t begin, std::size_t end) {
    if (!for_blocks_inside(places, begin, end, size, body))
      all_inside.store(false, std::memory_order_relaxed);
  });
  return all_inside.load();
}

/// So many chunks are one element.
template <class Chunk>
inline void copy_chunks(Chunk* to, const Chunk* from, std::size_t per_element) {
  for (std::size_t k = 0; k < per_element; ++k)
    to[k] = from[k];
}

/// to[i] = from[place(i)]. Chunks may be anything, so what the loop needs has to be its own: what
/// it reads by reference it would read again after each element, and memory would be asked for
/// fewer at once.
template <class Chunk, class Places>
void gather_part(Chunk* to, const Chunk* from, std::size_t per_element, Places place,
                 std::size_t begin, std::size_t end) {
  if (per_element == 1) { // nearly always
    for (std::size_t i = begin; i < end; ++i)
      to[i] = from[place(i)];
    return;
  }
  for (std::size_t i = begin; i < end; ++i)
    copy_chunks(to + i * per_element, from + static_cast<std::size_t>(place(i)) * per_element,
                per_element);
}

/// to[place(i)] = from[i]
template <class Chunk, class Places>
void scatter_part(Chunk* to, const Chunk* from, std::size_t per_element, Places place,
                  std::size_t begin, std::size_t end) {
  if (per_element == 1) {
    for (std::size_t i = begin; i < end; ++i)
      to[place(i)] = from[i];
    return;
  }
  for (std::size_t i = begin; i < end; ++i)
    copy_chunks(to + static_cast<std::size_t>(place(i)) * per_element, from + i * per_element,
                per_element);
}

} // namespace ikra::rt
