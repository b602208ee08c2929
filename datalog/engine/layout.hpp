// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How tuples are packed into 64-bit words for an order of their columns: comparing words compares
// columns, so a prefix of the columns is a range (docs/datalog.md, "Tuples and runs"). Used on both
// devices; relies on the plan alone.
#pragma once

#include "plan.hpp"

#include <cstdint>
#include <span>
#include <vector>

// Functions that run on the host and, where nvcc compiles, on a GPU.
#ifdef __CUDACC__
#define IKRA_DATALOG_BOTH __host__ __device__
#else
#define IKRA_DATALOG_BOTH
#endif

namespace ikra::datalog {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

inline constexpr u32 max_columns = 16;
inline constexpr u32 max_words = 16;

/// Where a value lies in a word.
struct field {
  u8 word = 0;
  u8 shift = 0;
  u8 bits = 64;
};

IKRA_DATALOG_BOTH inline u64 low_bits(unsigned bits) {
  return bits == 64 ? ~u64(0) : (u64(1) << bits) - 1;
}

IKRA_DATALOG_BOTH inline u64 extract(u64 word, field at) {
  return (word >> at.shift) & low_bits(at.bits);
}

/// The layout of one index of a relation.
struct layout {
  u8 words = 1;                   ///< at least 1: a proposition is one word of zeros
  u8 columns = 0;                 ///< of the relation
  u8 order[max_columns] = {};     ///< order[i]: the column that comes at place i
  field fields[max_columns] = {}; ///< of column c (not place)

  layout() = default;
  /// \param types of the relation's columns. \param order a permutation of them.
  layout(std::span<const plan::type> types, std::span<const u8> order);

  /// The bits of word w that belong to the first `prefix` columns of the order.
  IKRA_DATALOG_BOTH u64 prefix_mask(unsigned prefix, unsigned w) const {
    u64 mask = 0;
    for (unsigned i = 0; i < prefix; ++i)
      if (fields[order[i]].word == w)
        mask |= low_bits(fields[order[i]].bits) << fields[order[i]].shift;
    return mask;
  }
};

/// Columns in ascending order.
std::vector<u8> identity_order(std::size_t columns);

/// Arrays of words, one for each word of a layout; what kernels are given.
struct word_columns {
  u64* words[max_words] = {};

  IKRA_DATALOG_BOTH word_columns from(u64 row, unsigned count) const {
    word_columns moved;
    for (unsigned w = 0; w < count; ++w)
      moved.words[w] = words[w] + row;
    return moved;
  }
};

/// Less, equal or greater than 0 as row a of x compares with row b of y.
IKRA_DATALOG_BOTH inline int compare(const word_columns& x, u64 a, const word_columns& y, u64 b,
                                     unsigned words) {
  if (words == 1) // most relations
    return x.words[0][a] == y.words[0][b] ? 0 : x.words[0][a] < y.words[0][b] ? -1 : 1;
  for (unsigned w = 0; w < words; ++w) {
    const u64 left = x.words[w][a], right = y.words[w][b];
    if (left != right)
      return left < right ? -1 : 1;
  }
  return 0;
}

/// The finaliser of splitmix64; mixes words for hash tables.
IKRA_DATALOG_BOTH inline u64 mix(u64 x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9u;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

} // namespace ikra::datalog
