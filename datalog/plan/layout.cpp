// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packs columns into words in their order: two 32-bit columns that follow each other share a word,
// the first in its upper half; columns of few bits stand closer where that saves words.
#include "datalog/plan/layout.hpp"

#include <algorithm>
#include <numeric>

namespace ikra::datalog {

layout::layout(std::span<const plan::type> types, std::span<const u8> places,
               std::span<const u8> widths)
    : columns(static_cast<u8>(types.size())) {
  std::copy(places.begin(), places.end(), order);
  place_by_types(types);
  if (widths.empty())
    return;
  if (layout close = *this; words > 1) {
    close.place_closely(widths);
    if (close.words < words) {
      *this = close;
      return;
    }
  }
  for (std::size_t c = 0; c < widths.size(); ++c)
    fields[c].bits = widths[c];
}

void layout::place_by_types(std::span<const plan::type> types) {
  unsigned used = 0; // words begun
  bool half = false; // the last one has its lower half free
  for (unsigned i = 0; i < columns; ++i) {
    field& at = fields[order[i]];
    at.bits = types[order[i]].bits;
    if (at.bits == 32 && half) {
      at.word = static_cast<u8>(used - 1);
      at.shift = 0;
      half = false;
    } else {
      at.word = static_cast<u8>(used++);
      half = at.bits == 32;
      at.shift = half ? 32 : 0;
    }
  }
  words = static_cast<u8>(used == 0 ? 1 : used);
}

/// As many columns to a word as it has room for, the last one in its lowest bits.
void layout::place_closely(std::span<const u8> widths) {
  unsigned last = 0, used = 0; // the word, and its bits
  for (unsigned i = 0; i < columns; ++i) {
    field& at = fields[order[i]];
    at.bits = widths[order[i]];
    if (used + at.bits > 64) {
      ++last;
      used = 0;
    }
    at.word = static_cast<u8>(last);
    used += at.bits;
  }
  words = static_cast<u8>(last + 1);
  unsigned below = 0;
  for (unsigned i = columns; i-- > 0;) {
    field& at = fields[order[i]];
    if (i + 1u < columns && fields[order[i + 1]].word != at.word)
      below = 0;
    at.shift = static_cast<u8>(below);
    below += at.bits;
  }
}

prefix_masks masks_of(const layout& of, unsigned prefix) {
  prefix_masks made;
  for (unsigned w = 0; w < of.words; ++w) {
    made.mask[w] = of.prefix_mask(prefix, w);
    if (made.mask[w] != 0)
      made.words = static_cast<u8>(w + 1);
  }
  return made;
}

std::vector<u8> identity_order(std::size_t columns) {
  std::vector<u8> order(columns);
  std::iota(order.begin(), order.end(), u8(0));
  return order;
}

} // namespace ikra::datalog
