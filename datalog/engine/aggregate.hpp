// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Aggregates over pairs (row, value). Where order does not matter, values are combined when they
// come, and pairs are not kept. Others are sorted, so that the order in which they are combined
// depends on nothing but the values: floating-point sums are the same on both devices and for any
// number of threads. Long groups are cut into chunks. Written once for both devices.
#pragma once

#include "datalog/engine/binding_table.hpp"

#include <ikra/error.hpp>

#include <memory>

namespace ikra::datalog {

template <class Backend> struct aggregated {
  std::shared_ptr<const buffer<Backend, u64>> values; ///< one for each row
  buffer<Backend, u8> present; ///< 0: the row has no value; no bytes if all have one
};

namespace kernels {

inline constexpr u64 aggregate_chunk = 1024;

struct number_words {
  u64* words;
  IKRA_DATALOG_BOTH void operator()(u64 i) const { words[i] = i; }
};

struct is_present {
  const u8* present;
  IKRA_DATALOG_BOTH bool operator()(u64 row) const { return present[row] != 0; }
};

struct is_present_at {
  const u8* present;
  const u32* at;
  IKRA_DATALOG_BOTH bool operator()(u64 row) const { return present[at[row]] != 0; }
};

/// Value i of a row's slot or a constant.
IKRA_DATALOG_ALWAYS u64 read(const source& from, u64 i) {
  return from.place == source::constant ? from.content
                                        : (from.data[i] >> from.shift) & low_bits(from.bits);
}

/// Adds to a row's word, which all threads share.
IKRA_DATALOG_ALWAYS void add_shared(u64* words, u64 row, u64 n) {
  u64* const to = words + row;
#ifdef __CUDA_ARCH__
  atomicAdd(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(n));
#else
  __atomic_fetch_add(to, n, __ATOMIC_RELAXED);
#endif
}

/// Raises a row's word, which all threads share, to n.
IKRA_DATALOG_ALWAYS void raise_shared(u64* words, u64 row, u64 n) {
  u64* const to = words + row;
#ifdef __CUDA_ARCH__
  atomicMax(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(n));
#else
  u64 before = __atomic_load_n(to, __ATOMIC_RELAXED);
  while (before < n &&
         !__atomic_compare_exchange_n(to, &before, n, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
#endif
}

/// Sets a row's flag, which all threads share.
IKRA_DATALOG_ALWAYS void mark_shared(u8* flags, u64 row) {
  u8* const flag = flags + row;
#ifdef __CUDA_ARCH__
  *flag = 1;
#else
  __atomic_store_n(flag, u8(1), __ATOMIC_RELAXED);
#endif
}

/// Integers as numbers for which addition and order are those of u64.
struct integer_code {
  plan::aggregate::functions function;
  plan::type of;

  IKRA_DATALOG_BOTH u64 sign() const { return u64(1) << (of.bits - 1); }
  IKRA_DATALOG_BOTH u64 encode(u64 bits) const {
    const bool is_signed = of.of == plan::kind::number;
    switch (function) {
    case plan::aggregate::minimum: // the greatest of the complements
      return ~(is_signed ? bits ^ sign() : bits);
    case plan::aggregate::maximum:
      return is_signed ? bits ^ sign() : bits;
    default:
      return is_signed ? (bits ^ sign()) - sign() : bits; // sign-extended
    }
  }
  IKRA_DATALOG_BOTH u64 decode(u64 code) const {
    switch (function) {
    case plan::aggregate::minimum:
      return of.of == plan::kind::number ? ~code ^ sign() : ~code;
    case plan::aggregate::maximum:
      return encode(code);
    default:
      return code & low_bits(of.bits);
    }
  }
};

/// Combines a few pairs that stand after each other, those of one row before memory is touched.
struct combine_integers {
  static constexpr u64 at_once = 64;
  source rows, values;
  u64 size;
  integer_code code;
  u64* counts;  ///< null: not asked for
  u64* results; ///< null for counts
  u8* present;  ///< null: not asked for

  IKRA_DATALOG_BOTH void operator()(u64 part) const {
    const u64 end = (part + 1) * at_once < size ? (part + 1) * at_once : size;
    for (u64 i = part * at_once; i < end;) {
      const u64 row = read(rows, i), first = i;
      const bool adds =
          code.function == plan::aggregate::sum || code.function == plan::aggregate::mean;
      u64 all = 0;
      for (; i < end && read(rows, i) == row; ++i)
        if (results != nullptr) {
          const u64 value = code.encode(read(values, i));
          if (adds)
            all += value;
          else if (all < value)
            all = value;
        }
      if (counts != nullptr)
        add_shared(counts, row, i - first);
      if (present != nullptr)
        mark_shared(present, row);
      if (results != nullptr && adds)
        add_shared(results, row, all);
      else if (results != nullptr)
        raise_shared(results, row, all);
    }
  }
};

IKRA_DATALOG_ALWAYS u64 quotient(u64 sum, u64 count, plan::type wide, plan::type to) {
  u32 fault = 0;
  const u64 n = detail::convert(count, {plan::kind::unsigned_number, 64}, wide);
  return detail::convert(apply(plan::operation::divide, wide, sum, n, &fault), wide, to);
}

/// Results of their codes and counts.
struct decode_integers {
  integer_code code;
  plan::type to;
  const u64* counts;
  u64* results;
  u8* present;

  IKRA_DATALOG_BOTH void operator()(u64 row) const {
    constexpr plan::type wide{plan::kind::floating, 64};
    if (code.function == plan::aggregate::count) {
      results[row] = detail::convert(counts[row], {plan::kind::unsigned_number, 64}, to);
    } else if (code.function == plan::aggregate::mean) {
      present[row] = counts[row] != 0 ? 1 : 0;
      const u64 sum = detail::convert(results[row], {code.of.of, 64}, wide);
      results[row] = quotient(sum, counts[row], wide, to);
    } else {
      results[row] = code.decode(results[row]);
    }
  }
};

/// Sorted pairs: a word for each, or one with the row in its upper half for both.
struct pair_words {
  const u64* rows;
  const u64* values;
  bool one_word;
  IKRA_DATALOG_BOTH u64 row(u64 i) const { return one_word ? rows[i] >> 32 : rows[i]; }
  IKRA_DATALOG_BOTH u64 value(u64 i) const { return one_word ? rows[i] & low_bits(32) : values[i]; }
};

struct write_pair {
  source row, value;
  u64* first;
  u64* second; ///< null: one word for both
  IKRA_DATALOG_BOTH void operator()(u64 i) const {
    if (second == nullptr) {
      first[i] = read(row, i) << 32 | read(value, i);
      return;
    }
    first[i] = read(row, i);
    second[i] = read(value, i);
  }
};

struct find_group {
  pair_words pairs; ///< rows ascend
  u64 size;
  u64* first;  ///< of each row
  u64* chunks; ///< of each row
  IKRA_DATALOG_BOTH u64 lower_bound(u64 row) const {
    u64 low = 0, high = size;
    while (low < high) {
      const u64 middle = (low + high) / 2;
      if (pairs.row(middle) < row)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
  IKRA_DATALOG_BOTH void operator()(u64 row) const {
    const u64 begin = lower_bound(row), end = lower_bound(row + 1);
    first[row] = begin;
    chunks[row] = (end - begin + aggregate_chunk - 1) / aggregate_chunk;
  }
};

/// The combination of two values.
struct combine {
  plan::aggregate::functions function;
  plan::type of; ///< of the values; doubles while floating-point numbers are added
  IKRA_DATALOG_BOTH u64 operator()(u64 a, u64 b) const {
    u32 fault = 0;
    switch (function) {
    case plan::aggregate::minimum:
      return apply(plan::operation::minimum, of, a, b, &fault);
    case plan::aggregate::maximum:
      return apply(plan::operation::maximum, of, a, b, &fault);
    default:
      return apply(plan::operation::add, of, a, b, &fault);
    }
  }
};

/// Combines one chunk; the row is found by binary search in the chunks' offsets.
struct combine_chunk {
  pair_words pairs;
  const u64* first;
  const u64* chunks; ///< offsets, one more than rows
  u64 rows, size;
  combine with;
  plan::type from;
  u64* partial;
  IKRA_DATALOG_BOTH u64 value(u64 i) const {
    return detail::convert(pairs.value(i), from, with.of);
  }
  IKRA_DATALOG_BOTH void operator()(u64 chunk) const {
    u64 low = 0, high = rows;
    while (high - low > 1) {
      const u64 middle = (low + high) / 2;
      if (chunks[middle] <= chunk)
        low = middle;
      else
        high = middle;
    }
    const u64 begin = first[low] + (chunk - chunks[low]) * aggregate_chunk;
    const u64 group_end = low + 1 < rows ? first[low + 1] : size;
    const u64 end = begin + aggregate_chunk < group_end ? begin + aggregate_chunk : group_end;
    u64 result = value(begin);
    for (u64 i = begin + 1; i < end; ++i)
      result = with(result, value(i));
    partial[chunk] = result;
  }
};

struct combine_partial {
  const u64* partial;
  const u64* chunks;
  const u64* first;
  u64 rows, size;
  combine with;
  plan::type to;
  u64* results;
  u8* present; ///< null: rows without values get 0
  IKRA_DATALOG_BOTH void operator()(u64 row) const {
    const u64 begin = chunks[row], end = chunks[row + 1];
    const u64 count = (row + 1 < rows ? first[row + 1] : size) - first[row];
    if (present != nullptr)
      present[row] = count != 0 ? 1 : 0;
    u64 result = 0;
    if (count != 0) {
      result = partial[begin];
      for (u64 c = begin + 1; c < end; ++c)
        result = with(result, partial[c]);
      result = with.function == plan::aggregate::mean ? quotient(result, count, with.of, to)
                                                      : detail::convert(result, with.of, to);
    }
    results[row] = result;
  }
};

} // namespace kernels

/// An aggregate for each of some rows.
template <class Backend> class aggregation {
public:
  /// \param rows numbers below this, which is less than 2^32, get a value. \param to the result's
  /// type. \param from the values' type.
  aggregation(Backend& backend, u64 rows, plan::aggregate::functions function, plan::type to,
              plan::type from)
      : backend_(backend), rows_(rows), code_{function, from}, to_(to),
        in_any_order_(function == plan::aggregate::count || is_exact()) {
    if (!in_any_order_)
      return;
    const bool counts = function == plan::aggregate::count || function == plan::aggregate::mean;
    if (counts)
      counts_ = zeros<u64>();
    if (function != plan::aggregate::count)
      results_ = zeros<u64>();
    if (gives_none())
      present_ = zeros<u8>();
  }

  /// Takes pairs, which may come in any order. \param row, value where their parts are.
  void add(const source& row, const source& value, u64 count) {
    if (in_any_order_) {
      const u64 parts =
          (count + kernels::combine_integers::at_once - 1) / kernels::combine_integers::at_once;
      backend_.for_each(parts,
                        kernels::combine_integers{
                            row, value, count, code_, data(counts_), data(results_),
                            code_.function == plan::aggregate::mean ? nullptr : data(present_)});
      return;
    }
    sorted_run<Backend> made(backend_, count, words());
    backend_.for_each(count, kernels::write_pair{row, value, made.columns().words[0],
                                                 words() == 1 ? nullptr : made.columns().words[1]});
    pairs_.push_back(std::move(made));
  }

  aggregated<Backend> finish() { return in_any_order_ ? finish_integers() : finish_sorted(); }

private:
  /// Whether values can be combined in any order with one result. Sums of as many numbers of 32
  /// bits as there may be fit into 64.
  bool is_exact() const {
    return code_.of.of != plan::kind::floating &&
           (code_.function != plan::aggregate::mean || code_.of.bits == 32);
  }
  /// Whether a row without values has no result.
  bool gives_none() const {
    return code_.function != plan::aggregate::count && code_.function != plan::aggregate::sum;
  }
  unsigned words() const { return code_.of.bits <= 32 ? 1 : 2; }

  template <class Value> buffer<Backend, Value> zeros() {
    buffer<Backend, Value> made(backend_, rows_, "aggregates");
    backend_.clear(made.data(), rows_ * sizeof(Value));
    return made;
  }
  template <class Value> static Value* data(const buffer<Backend, Value>& from) {
    return from.size() != 0 ? from.data() : nullptr;
  }

  aggregated<Backend> finish_integers() {
    if (results_.size() == 0)
      results_ = buffer<Backend, u64>(backend_, rows_, "aggregates");
    backend_.for_each(rows_, kernels::decode_integers{code_, to_, data(counts_), results_.data(),
                                                      data(present_)});
    return {std::make_shared<buffer<Backend, u64>>(std::move(results_)), std::move(present_)};
  }

  /// All pairs, sorted.
  sorted_run<Backend> sorted() {
    u64 size = 0;
    for (const sorted_run<Backend>& part : pairs_)
      size += part.size();
    if (size > longest_run)
      throw error(error_kind::unsupported,
                  "Datalog: an aggregate of floating-point numbers has "
                  "more than 4,294,967,295 values; aggregate in two steps");
    if (pairs_.size() == 1) {
      sort_tuples(backend_, pairs_.front());
      return std::move(pairs_.front());
    }
    sorted_run<Backend> all(backend_, size, words());
    u64 done = 0;
    for (const sorted_run<Backend>& part : pairs_) {
      for (unsigned w = 0; w < words(); ++w)
        backend_.copy(all.columns().words[w] + done, part.columns().words[w],
                      part.size() * sizeof(u64));
      done += part.size();
    }
    pairs_.clear();
    sort_tuples(backend_, all);
    return all;
  }

  aggregated<Backend> finish_sorted() {
    const sorted_run<Backend> all = sorted();
    const u64 size = all.size();
    const kernels::pair_words pairs{all.columns().words[0], all.columns().words[1], words() == 1};
    const buffer<Backend, u64> first(backend_, rows_, "groups"),
        chunks(backend_, rows_ + 1, "groups");
    backend_.for_each(rows_, kernels::find_group{pairs, size, first.data(), chunks.data()});
    const u64 chunk_count = backend_.scan(chunks.data(), rows_);
    const bool adds =
        code_.function == plan::aggregate::sum || code_.function == plan::aggregate::mean;
    const kernels::combine with{code_.function,
                                adds ? plan::type{plan::kind::floating, 64} : code_.of};
    const buffer<Backend, u64> partial(backend_, chunk_count, "partial aggregates");
    backend_.for_each(chunk_count, kernels::combine_chunk{pairs, first.data(), chunks.data(), rows_,
                                                          size, with, code_.of, partial.data()});
    aggregated<Backend> result;
    auto values = std::make_shared<buffer<Backend, u64>>(backend_, rows_, "aggregates");
    if (gives_none())
      result.present = buffer<Backend, u8>(backend_, rows_, "aggregates");
    backend_.for_each(rows_, kernels::combine_partial{partial.data(), chunks.data(), first.data(),
                                                      rows_, size, with, to_, values->data(),
                                                      data(result.present)});
    result.values = std::move(values);
    return result;
  }

  Backend& backend_;
  u64 rows_;
  kernels::integer_code code_;
  plan::type to_;
  bool in_any_order_;
  buffer<Backend, u64> counts_, results_;
  buffer<Backend, u8> present_;
  std::vector<sorted_run<Backend>> pairs_;
};

} // namespace ikra::datalog
