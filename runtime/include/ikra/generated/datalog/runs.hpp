// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sorted tuples as kernels see them: words, the fields of columns in them, and range queries by a
// hash table or by binary search (HISA, "The Hash-Indexed Sorted Array"). Used by the engine and by
// the kernels that ikrac emits. Relies on values.hpp.
#pragma once

#include <ikra/generated/datalog/values.hpp>

namespace ikra::datalog {

/// Of a relation: 32 columns of 32 bits, or 16 where some have 64.
inline constexpr u32 max_columns = 32;
inline constexpr u32 max_words = 16;

namespace compiled {
/// The format of rules as data; emitted code checks that it is the library's.
inline constexpr unsigned rules_format = 2;

inline constexpr unsigned most_inputs = 48;  ///< columns of the rows that a join begins with
inline constexpr unsigned most_outputs = 48; ///< columns that it writes
} // namespace compiled

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
  if (words == 1) { // most relations
    const u64 left = x.words[0][a], right = y.words[0][b];
    return int(left > right) - int(left < right);
  }
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

/// Masks of the words of a prefix.
struct prefix_masks {
  u64 mask[max_words] = {};
  u8 words = 0; ///< words that the prefix touches

  /// Less, equal, greater than 0 as the tuple's prefix compares with the key.
  /// \tparam Most no prefix has more words; small ones let compilers keep keys in registers.
  template <unsigned Most = max_words>
  IKRA_DATALOG_BOTH int compare(const word_columns& tuples, u64 row, const u64* key) const {
    for (unsigned w = 0; w < Most && w < words; ++w) {
      const u64 have = tuples.words[w][row] & mask[w];
      if (have != key[w])
        return have < key[w] ? -1 : 1;
    }
    return 0;
  }
  template <unsigned Most = max_words> IKRA_DATALOG_BOTH u64 hash(const u64* key) const {
    u64 h = 0x9e3779b97f4a7c15u;
    for (unsigned w = 0; w < Most && w < words; ++w)
      h = mix(h ^ key[w]) + 0x9e3779b97f4a7c15u;
    return h;
  }
};

/// A hash table as kernels see it. A place says of tuples with one key where they begin (32 bits),
/// some bits of the key's hash (8) and how many they are (24); it is 0 if empty. By the hash nearly
/// all other keys are told from this one without waiting for the memory of their tuples.
struct hash_view {
  static constexpr u64 many = 0xffffff; ///< so many, or more: the end has to be looked for
  const u64* places = nullptr;
  u64 capacity = 0;
  /// If not null, the table is over this prefix, which is shorter than the one that is looked for.
  /// Only on a CPU.
  const prefix_masks* shorter = nullptr;

  IKRA_DATALOG_BOTH static u64 place(u64 first, u64 length, u64 hash) {
    return first << 32 | (hash & 0xff) << 24 | (length < many ? length : many);
  }
  IKRA_DATALOG_BOTH static u64 first(u64 place) { return place >> 32; }
  IKRA_DATALOG_BOTH static u64 length(u64 place) { return place & many; }
  /// Whether a key with this hash may be the place's. (Where it stands follows from other bits.)
  IKRA_DATALOG_BOTH static bool fits(u64 place, u64 hash) {
    return ((place >> 24 ^ hash) & 0xff) == 0;
  }
};

/// A run as kernels see it.
struct run_view {
  word_columns words;
  u64 size = 0;
  hash_view hash;
};

IKRA_DATALOG_BOTH inline u64 reduce_range(u64 hash, u64 capacity) {
#ifdef __CUDA_ARCH__
  return __umul64hi(hash, capacity);
#else
  __extension__ using wide = unsigned __int128;
  return static_cast<u64>((static_cast<wide>(hash) * capacity) >> 64);
#endif
}

struct tuple_range {
  u64 first = 0, length = 0;
};

/// The first row from `low` to `high` that is not before what is looked for; `high` if all are.
template <class Before>
IKRA_DATALOG_BOTH inline u64 first_not_before(u64 low, u64 high, const Before& before) {
  while (low < high) {
    const u64 middle = (low + high) / 2;
    if (before(middle))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/// \returns the tuples from `first` on whose prefix is the key.
template <unsigned Most = max_words>
IKRA_DATALOG_BOTH inline tuple_range range_from(const run_view& in, const prefix_masks& prefix,
                                                const u64* key, u64 first) {
  // The range is often short: the end is looked for in growing steps.
  u64 step = 1;
  while (first + step <= in.size && prefix.compare<Most>(in.words, first + step - 1, key) == 0)
    step *= 2;
  const u64 end =
      first_not_before(first + step / 2, first + step <= in.size ? first + step - 1 : in.size,
                       [&](u64 row) { return prefix.compare<Most>(in.words, row, key) <= 0; });
  return {first, end - first};
}

/// \returns the tuples whose prefix is the key: by the hash table if there is one, else by binary
/// search.
template <unsigned Most = max_words>
IKRA_DATALOG_BOTH inline tuple_range find_range(const run_view& in, const prefix_masks& prefix,
                                                const u64* key) {
  u64 low = 0, high = in.size;
#ifndef __CUDA_ARCH__
  if (in.hash.shorter != nullptr) {
    u64 shorter[Most];
    for (unsigned w = 0; w < Most && w < in.hash.shorter->words; ++w)
      shorter[w] = key[w] & in.hash.shorter->mask[w];
    run_view by_shorter = in;
    by_shorter.hash.shorter = nullptr;
    const tuple_range all = find_range<Most>(by_shorter, *in.hash.shorter, shorter);
    if (all.length == 0)
      return {};
    low = all.first;
    high = low + all.length;
  } else
#endif
      if (in.hash.capacity != 0) {
    const u64 hash = prefix.hash<Most>(key);
    for (u64 at = reduce_range(hash, in.hash.capacity);;
         at = at + 1 == in.hash.capacity ? 0 : at + 1) {
      const u64 place = in.hash.places[at];
      if (place == 0)
        return {};
      low = hash_view::first(place);
      if (!hash_view::fits(place, hash) || prefix.compare<Most>(in.words, low, key) != 0)
        continue;
      if (hash_view::length(place) != hash_view::many)
        return {low, hash_view::length(place)};
      high = low;
      break;
    }
  }
  low = first_not_before(low, high,
                         [&](u64 row) { return prefix.compare<Most>(in.words, row, key) < 0; });
  return range_from<Most>(in, prefix, key, low);
}

} // namespace ikra::datalog
