// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table of tuples of one word that were made before: most results of joins are repeats, and what
// is known to be one need not be written, sorted and looked up. The table forgets: each tuple has
// one place, where the last one stays. Whole tuples are compared, so a tuple that is said to have
// been seen was. Used by the engine and by the kernels that ikrac emits. Relies on
// values.hpp.
#pragma once

#include <ikra/generated/datalog/values.hpp>

namespace ikra::datalog {

/// The table as kernels see it. Threads share it without locks: of two that bring the same tuple at
/// the same time, both may be told that it is new.
struct seen_tuples {
  u64* places = nullptr; ///< null: nothing is remembered
  u8 line_bits = 0;      ///< there are 2^line_bits lines of places, at least two

  static constexpr unsigned places_a_line = 8; ///< 64 bytes

  /// Tuples that follow each other share a line: results of a join are often neighbours. Tuple 0
  /// has place 0, and tuple 1 another.
  IKRA_DATALOG_BOTH u64 place_of(u64 tuple) const {
    const u64 line = ((tuple / places_a_line) * 0x9e3779b97f4a7c15u) >> (64 - line_bits);
    return line * places_a_line + tuple % places_a_line;
  }

  IKRA_DATALOG_BOTH void prefetch(u64 tuple) const {
#ifndef __CUDA_ARCH__
    __builtin_prefetch(places + place_of(tuple), 1);
#else
    asm volatile("prefetch.L2 [%0];" ::"l"(places + place_of(tuple)));
#endif
  }

  /// \returns whether the tuple is remembered; remembers it.
  IKRA_DATALOG_BOTH bool seen(u64 tuple) const {
    u64* const place = places + place_of(tuple);
#ifdef __CUDA_ARCH__
    auto* const shared = static_cast<volatile u64*>(place);
    if (*shared == tuple)
      return true;
    *shared = tuple;
#else
    if (__atomic_load_n(place, __ATOMIC_RELAXED) == tuple)
      return true;
    __atomic_store_n(place, tuple, __ATOMIC_RELAXED);
#endif
    return false;
  }
};

} // namespace ikra::datalog
