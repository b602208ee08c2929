// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stable radix sort on all cores, digit by digit from the lowest (Knuth, TAOCP 3, 5.2.5). Each
// thread counts the digits of its part, and then moves the part to where the counts say. Digits
// that are equal in all elements are passed over. Few elements are merged instead: their digits
// have more values than there are elements.
#pragma once

#include "support/parallel.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ikra::rt {

inline constexpr std::size_t radix_grain = std::size_t(1) << 14; // elements worth a thread
using digit_counts = std::array<std::size_t, 256>;

inline constexpr std::size_t merged_elements = 512; // at most
/// Sorts few elements into `out`, stably: runs of some by insertion, and merges of two runs.
/// \param spare memory for n more elements
template <class Item, class Key>
void merge_sort(const Item* in, Item* out, Item* spare, std::size_t n, const Key& key) {
  constexpr std::size_t run = 8;
  std::size_t merges = 0;
  for (std::size_t length = run; length < n; length *= 2)
    ++merges;
  Item* from = merges % 2 == 0 ? out : spare; // the last merge is into `out`
  for (std::size_t begin = 0; begin < n; begin += run) {
    const std::size_t end = std::min(n, begin + run);
    for (std::size_t i = begin; i < end; ++i) {
      const Item item = in[i];
      std::size_t at = i;
      for (; at > begin && key(item) < key(from[at - 1]); --at)
        from[at] = from[at - 1];
      from[at] = item;
    }
  }
  for (std::size_t length = run; length < n; length *= 2) {
    Item* const to = from == out ? spare : out;
    for (std::size_t begin = 0; begin < n; begin += 2 * length) {
      const Item *a = from + begin, *const a_end = from + std::min(n, begin + length);
      const Item *b = a_end, *const b_end = from + std::min(n, begin + 2 * length);
      Item* next = to + begin;
      while (a != a_end && b != b_end) { // without a jump that may go either way
        const bool second = key(*b) < key(*a);
        *next++ = second ? *b : *a;
        b += second ? 1 : 0;
        a += second ? 0 : 1;
      }
      next = std::copy(a, a_end, next);
      std::copy(b, b_end, next);
    }
    from = to;
  }
}

/// Sorts elements into `out`, stably, by unsigned keys. `in` keeps its elements.
/// \param key   gives an unsigned number for an element
/// \param spare memory for n more elements
template <class Item, class Key>
void radix_sort(const Item* in, Item* out, Item* spare, std::size_t n, const Key& key) {
  if (n <= merged_elements) {
    merge_sort(in, out, spare, n, key);
    return;
  }
  using bits = decltype(key(*in));
  constexpr unsigned digits = sizeof(bits);
  const std::size_t chunks = chunk_count(n, radix_grain);
  const auto digit = [&](const Item& item, unsigned d) {
    return static_cast<std::size_t>(key(item) >> (8 * d) & 255);
  };

  std::vector<std::array<digit_counts, digits>> of_chunks(chunks);
  for_chunks(n, chunks, [&](std::size_t chunk, std::size_t begin, std::size_t end) {
    std::array<digit_counts, digits>& counts = of_chunks[chunk];
    for (std::size_t i = begin; i < end; ++i)
      for (unsigned d = 0; d < digits; ++d)
        ++counts[d][digit(in[i], d)];
  });
  std::vector<unsigned> passes;
  for (unsigned d = 0; d < digits; ++d) {
    const std::size_t value = n == 0 ? 0 : digit(in[0], d);
    std::size_t equal = 0;
    for (const auto& counts : of_chunks)
      equal += counts[d][value];
    if (equal != n)
      passes.push_back(d);
  }
  if (passes.empty()) {
    std::copy_n(in, n, out);
    return;
  }

  std::vector<digit_counts> starts(chunks);
  const Item* from = in;
  for (std::size_t pass = 0; pass < passes.size(); ++pass) {
    const unsigned d = passes[pass];
    Item* const to = (passes.size() - pass) % 2 != 0 ? out : spare; // the last one is `out`
    if (chunks == 1) // whatever the order, its elements are the same
      starts[0] = of_chunks[0][d];
    else
      for_chunks(n, chunks, [&](std::size_t chunk, std::size_t begin, std::size_t end) {
        digit_counts counts{};
        for (std::size_t i = begin; i < end; ++i)
          ++counts[digit(from[i], d)];
        starts[chunk] = counts;
      });
    std::size_t next = 0;
    for (std::size_t value = 0; value < 256; ++value)
      for (digit_counts& start : starts) {
        const std::size_t count = start[value];
        start[value] = next;
        next += count;
      }
    for_chunks(n, chunks, [&](std::size_t chunk, std::size_t begin, std::size_t end) {
      digit_counts at = starts[chunk];
      for (std::size_t i = begin; i < end; ++i)
        to[at[digit(from[i], d)]++] = from[i];
    });
    from = to;
  }
}

} // namespace ikra::rt
