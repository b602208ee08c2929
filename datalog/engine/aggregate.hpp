// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Aggregates over pairs (row, value). Pairs are sorted, so that the order in which values are
// combined depends on nothing but the values: floating-point sums are the same on both devices and
// for any number of threads. Long groups are cut into chunks. Written once for both devices.
#pragma once

#include "expression_code.hpp"
#include "runs.hpp"

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

struct find_group {
  const u64* rows; ///< ascending
  u64 size;
  u64* first;  ///< of each row
  u64* chunks; ///< of each row
  IKRA_DATALOG_BOTH u64 lower_bound(u64 row) const {
    u64 low = 0, high = size;
    while (low < high) {
      const u64 middle = (low + high) / 2;
      if (rows[middle] < row)
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
  plan::type of; ///< of the values; doubles while a mean is computed
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
  const u64* values;
  const u64* first;
  const u64* chunks; ///< offsets, one more than rows
  u64 rows, size;
  combine with;
  bool mean;
  plan::type from, wide;
  u64* partial;
  IKRA_DATALOG_BOTH u64 value(u64 i) const {
    return mean ? detail::convert(values[i], from, wide) : values[i];
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
  plan::aggregate::functions function;
  plan::type wide, to;
  u64* results;
  u8* present; ///< null: rows without values get 0
  IKRA_DATALOG_BOTH void operator()(u64 row) const {
    const u64 begin = chunks[row], end = chunks[row + 1];
    const u64 count = (row + 1 < rows ? first[row + 1] : size) - first[row];
    if (present != nullptr)
      present[row] = count != 0 ? 1 : 0;
    u64 result = 0;
    if (function == plan::aggregate::count) {
      result = detail::convert(count, {plan::kind::unsigned_number, 64}, to);
    } else if (count != 0) {
      result = partial[begin];
      for (u64 c = begin + 1; c < end; ++c)
        result = with(result, partial[c]);
      if (function == plan::aggregate::mean) {
        u32 fault = 0;
        const u64 n = detail::convert(count, {plan::kind::unsigned_number, 64}, wide);
        result = detail::convert(apply(plan::operation::divide, wide, result, n, &fault), wide, to);
      }
    }
    results[row] = result;
  }
};

} // namespace kernels

/// \param pairs runs of (row, value), in any order. \param rows numbers below this get a value.
/// \param to the result's type. \param from the values' type.
template <class Backend>
aggregated<Backend> aggregate_pairs(Backend& backend, std::vector<sorted_run<Backend>> pairs,
                                    u64 rows, plan::aggregate::functions function, plan::type to,
                                    plan::type from) {
  u64 size = 0;
  for (const sorted_run<Backend>& part : pairs)
    size += part.size();
  if (size > longest_run)
    throw error(error_kind::unsupported,
                "Datalog: an aggregate has more than 4,294,967,295 values; aggregate in two steps");
  sorted_run<Backend> all(backend, size, 2);
  u64 done = 0;
  for (const sorted_run<Backend>& part : pairs) {
    for (unsigned w = 0; w < 2; ++w)
      backend.copy(all.columns().words[w] + done, part.columns().words[w],
                   part.size() * sizeof(u64));
    done += part.size();
  }
  pairs.clear();
  sort_tuples(backend, all);

  const word_columns words = all.columns();
  const buffer<Backend, u64> first(backend, rows, "groups"), chunks(backend, rows + 1, "groups");
  backend.for_each(rows, kernels::find_group{words.words[0], size, first.data(), chunks.data()});
  const u64 chunk_count = backend.scan(chunks.data(), rows);
  const bool mean = function == plan::aggregate::mean;
  const plan::type wide = mean ? plan::type{plan::kind::floating, 64} : from;
  const kernels::combine with{function, wide};
  const buffer<Backend, u64> partial(backend, chunk_count, "partial aggregates");
  if (function != plan::aggregate::count)
    backend.for_each(chunk_count,
                     kernels::combine_chunk{words.words[1], first.data(), chunks.data(), rows, size,
                                            with, mean, from, wide, partial.data()});
  aggregated<Backend> result;
  auto values = std::make_shared<buffer<Backend, u64>>(backend, rows, "aggregates");
  if (function != plan::aggregate::count && function != plan::aggregate::sum)
    result.present = buffer<Backend, u8>(backend, rows, "aggregates");
  backend.for_each(rows, kernels::combine_partial{partial.data(), chunks.data(), first.data(), rows,
                                                  size, with, function, wide, to, values->data(),
                                                  result.present.data()});
  result.values = std::move(values);
  return result;
}

} // namespace ikra::datalog
