// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The image of up to 64 rows of bits at once, on a CPU: turned, each column is a word with a bit
// for each row, so that an edge takes all rows one step on. Work does not depend on how many bits
// are set, so it pays where these are many (docs/datalog.md, "Dense evaluation").
#pragma once

#include "datalog/engine/bits/bit_rows.hpp"

#include <algorithm>

namespace ikra::datalog {

inline constexpr unsigned block_rows = 64;

/// Turns 64 words: bit c of word r becomes bit r of word c (Warren, Hacker's Delight, section 7-3).
inline void turn_block(u64* block) {
  u64 mask = 0x00000000ffffffffu;
  for (unsigned j = 32; j != 0; j /= 2, mask ^= mask << j)
    for (unsigned k = 0; k < block_rows; k = ((k | j) + 1) & ~j) {
      const u64 swapped = ((block[k] >> j) ^ block[k | j]) & mask;
      block[k] ^= swapped << j;
      block[k | j] ^= swapped;
    }
}

/// \param from `count` rows of words, one after the other. \param to one word a column.
inline void turn_rows_to_columns(const u64* from, unsigned count, u64 words, u64* to) {
  for (u64 w = 0; w < words; ++w) {
    u64* const block = to + w * block_rows;
    u64 any = 0;
    for (unsigned r = 0; r < count; ++r)
      any |= block[r] = from[r * words + w];
    std::fill(block + count, block + block_rows, 0);
    if (any != 0)
      turn_block(block);
  }
}

/// The reverse. \param from is used up. \param take is called with a row, a word's number and the
/// word, if that is not 0.
template <class Take>
void turn_columns_to_rows(u64* from, unsigned count, u64 words, const Take& take) {
  for (u64 w = 0; w < words; ++w) {
    u64* const block = from + w * block_rows;
    if (std::all_of(block, block + block_rows, [](u64 word) { return word == 0; }))
      continue;
    turn_block(block);
    for (unsigned r = 0; r < count; ++r)
      if (block[r] != 0)
        take(r, w, block[r]);
  }
}

/// Adds to the columns in `to` what the edges make of those in `from`.
inline void add_turned_image(const u64* from, u64 columns, const sparse_rows& edges, u64* to) {
  for (u64 c = 0; c < columns; ++c)
    if (const u64 rows = from[c]; rows != 0)
      for (u64 e = edges.offsets[c]; e < edges.offsets[c + 1]; ++e)
        to[edges.columns[e]] |= rows;
}

} // namespace ikra::datalog
