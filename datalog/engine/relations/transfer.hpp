// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Columns into packed tuples and back, and the order of values where it is not that of bit
// patterns: negative numbers come before the others. Written once for both devices.
#pragma once

#include "datalog/engine/relations/runs.hpp"

#include <ikra/error.hpp>

#include <array>
#include <vector>

namespace ikra::datalog {

namespace kernels {

IKRA_DATALOG_BOTH inline u64 load_value(const char* at, u8 bits) {
  return bits == 32 ? *reinterpret_cast<const u32*>(at) : *reinterpret_cast<const u64*>(at);
}

IKRA_DATALOG_BOTH inline void store_value(char* at, u8 bits, u64 v) {
  if (bits == 32)
    *reinterpret_cast<u32*>(at) = static_cast<u32>(v);
  else
    *reinterpret_cast<u64*>(at) = v;
}

/// Packs columns, each with its own distance between values.
struct pack_columns {
  const char* columns[max_columns];
  u64 strides[max_columns];
  u8 bits[max_columns];
  layout packed;
  word_columns to;
  bool floats[max_columns]; ///< of which -0.0 becomes 0.0
  IKRA_DATALOG_BOTH void operator()(u64 row) const {
    if (packed.words == 1) { // most relations
      u64 word = 0;
      for (unsigned c = 0; c < packed.columns; ++c)
        word |= value(row, c) << packed.fields[c].shift;
      to.words[0][row] = word;
      return;
    }
    u64 words[max_words] = {};
    for (unsigned c = 0; c < packed.columns; ++c)
      words[packed.fields[c].word] |= value(row, c) << packed.fields[c].shift;
    for (unsigned w = 0; w < packed.words; ++w)
      to.words[w][row] = words[w];
  }
  IKRA_DATALOG_BOTH u64 value(u64 row, unsigned c) const {
    const u64 v = load_value(columns[c] + row * strides[c], bits[c]);
    return floats[c] && v == u64(1) << (bits[c] - 1) ? 0 : v & low_bits(packed.fields[c].bits);
  }
};

/// Takes one column out of packed tuples.
template <class Value> struct unpack_column {
  const u64* words;
  field at;
  Value* to;
  IKRA_DATALOG_BOTH void operator()(u64 row) const {
    to[row] = static_cast<Value>(extract(words[row], at));
  }
};

/// Keys whose unsigned order is that of a column's values.
enum class value_key : u8 { bits, of_number, of_float };

inline value_key key_kind(plan::kind of) {
  switch (of) {
  case plan::kind::number:
    return value_key::of_number;
  case plan::kind::floating:
    return value_key::of_float;
  default:
    return value_key::bits;
  }
}

IKRA_DATALOG_BOTH inline u64 to_key(value_key kind, u64 v, unsigned bits) {
  const u64 sign = u64(1) << (bits - 1);
  if (kind == value_key::bits)
    return v;
  return kind == value_key::of_float && (v & sign) != 0 ? v ^ low_bits(bits) : v ^ sign;
}

IKRA_DATALOG_BOTH inline u64 from_key(value_key kind, u64 key, unsigned bits) {
  const u64 sign = u64(1) << (bits - 1);
  if (kind == value_key::bits)
    return key;
  return kind == value_key::of_float && (key & sign) == 0 ? key ^ low_bits(bits) : key ^ sign;
}

/// Replaces values by keys.
struct make_keys {
  word_columns from, to;
  layout packed;
  value_key kinds[max_columns];
  IKRA_DATALOG_BOTH void operator()(u64 row) const {
    u64 words[max_words] = {};
    for (unsigned c = 0; c < packed.columns; ++c) {
      const field f = packed.fields[c];
      words[f.word] |= to_key(kinds[c], extract(from.words[f.word][row], f), f.bits) << f.shift;
    }
    for (unsigned w = 0; w < packed.words; ++w)
      to.words[w][row] = words[w];
  }
};

/// Writes rows to columns, each with its own distance between values.
struct unpack_rows {
  word_columns words;
  layout packed;
  value_key kinds[max_columns]; ///< what the words hold of each column
  char* columns[max_columns];
  u64 strides[max_columns];
  u8 bits[max_columns]; ///< of the columns that are written
  IKRA_DATALOG_BOTH void operator()(u64 row) const {
    for (unsigned c = 0; c < packed.columns; ++c) {
      const field f = packed.fields[c];
      store_value(columns[c] + row * strides[c], bits[c],
                  from_key(kinds[c], extract(words.words[f.word][row], f), f.bits));
    }
  }
};

/// Notes whether a tuple has a bit of these masks.
struct note_bits {
  word_columns words;
  u64 masks[max_words];
  unsigned count;
  u32* found;
  IKRA_DATALOG_BOTH void operator()(u64 row) const {
    u64 met = 0;
    for (unsigned w = 0; w < count; ++w)
      met |= words.words[w][row] & masks[w];
    if (met == 0)
      return;
#ifdef __CUDA_ARCH__
    *static_cast<volatile u32*>(found) = 1;
#else
    __atomic_store_n(found, 1u, __ATOMIC_RELAXED);
#endif
  }
};

} // namespace kernels

using value_keys = std::array<kernels::value_key, max_columns>;

/// The parts of a relation, ascending by bits, in ascending order of values.
/// \param parts  in one layout, ascending from part to part; replaced where there are negative
/// values
/// \param types  of the columns
/// \returns what the parts hold of each column
/// \throws ikra::error of kind unsupported for more negative and other tuples than a run holds
template <class Backend>
value_keys order_by_value(Backend& backend, std::vector<shared_run<Backend>>& parts,
                          const layout& packed, const std::vector<plan::type>& types) {
  value_keys kinds{};
  kernels::note_bits signs{{}, {}, packed.words, nullptr};
  // A column that takes fewer bits than its type has no negative number.
  const auto has_sign = [&](std::size_t c) {
    return (types[c].of == plan::kind::number || types[c].of == plan::kind::floating) &&
           packed.fields[c].bits == types[c].bits;
  };
  for (std::size_t c = 0; c < types.size(); ++c) {
    const field f = packed.fields[c];
    if (has_sign(c))
      signs.masks[f.word] |= (u64(1) << (f.bits - 1)) << f.shift;
  }
  const buffer<Backend, u32> found(backend, 1, "a flag");
  backend.clear(found.data(), sizeof(u32));
  signs.found = found.data();
  u64 size = 0;
  for (const shared_run<Backend>& part : parts) {
    signs.words = part->columns();
    backend.for_each(part->size(), signs);
    size += part->size();
  }
  u32 has_negative = 0;
  backend.download(&has_negative, found.data(), sizeof has_negative);
  if (has_negative == 0)
    return kinds;

  if (size > longest_run)
    throw error(error_kind::unsupported,
                ikra::detail::text("Datalog: ", size,
                                   " tuples with negative numbers are not put "
                                   "into order; split the relation"));
  for (std::size_t c = 0; c < types.size(); ++c)
    kinds[c] = has_sign(c) ? kernels::key_kind(types[c].of) : kernels::value_key::bits;
  shared_run<Backend> all;
  for (const shared_run<Backend>& part : parts) {
    sorted_run<Backend> keys(backend, part->size(), packed.words);
    kernels::make_keys make{part->columns(), keys.columns(), packed, {}};
    std::copy(kinds.begin(), kinds.end(), make.kinds);
    backend.for_each(part->size(), make);
    sort_tuples(backend, keys);
    all = std::make_shared<sorted_run<Backend>>(all ? merge_runs(backend, *all, keys)
                                                    : std::move(keys));
  }
  parts = {all};
  return kinds;
}

} // namespace ikra::datalog
