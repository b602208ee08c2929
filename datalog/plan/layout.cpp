// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packs columns into words in their order: two 32-bit columns that follow each other share a word,
// the first in its upper half.
#include "datalog/plan/layout.hpp"

#include <numeric>

namespace ikra::datalog {

layout::layout(std::span<const plan::type> types, std::span<const u8> places)
    : columns(static_cast<u8>(types.size())) {
  unsigned used = 0; // words begun
  bool half = false; // the last one has its lower half free
  for (std::size_t i = 0; i < places.size(); ++i) {
    const u8 column = places[i];
    order[i] = column;
    field& at = fields[column];
    at.bits = types[column].bits;
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
