// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The data of device-resident iterations as a group of threads sees them: stores of new tuples,
// what it tells the host, bounds, and its fast memory (docs/datalog.md, "Device-resident
// iterations"). Relies on resident_plan.hpp.
#pragma once

#include "datalog/plan/resident_plan.hpp"

namespace ikra::datalog::resident {

/// New tuples of a relation of the stratum. Those before `base` are the delta that the launch began
/// with, and are in full; the others are in full's runs nowhere.
struct store {
  word_columns tuples; ///< `room` of them
  word_columns made;   ///< head tuples of this iteration, `rows` of them
  u64 full_size;       ///< at the launch
  u64 size_limit;      ///< 0: none
  prefix_masks all;    ///< all columns
  u32 words;
  u32 base;
  u32 first_run, runs; ///< of full
};

/// Chains of a table: tuples are numbered from 1, so that 0 ends a chain.
struct chains {
  u32* heads;
  u32* next; ///< of each tuple
};

/// Tuples [begin, end) of a store are delta.
struct slice {
  u32 begin, end;
};

/// What a version did in an iteration.
struct trace {
  static constexpr u64 skipped = ~u64(0);
  u64 joined; ///< or skipped: its delta was empty
  u64 ticks;
};

struct outcome {
  u64 iterations = 0; ///< that were carried out
  u64 stopped = 0;    ///< 1: the next one passed a bound or divided by zero
};

/// Tuples of a store that one row may meet.
inline constexpr u32 longest_chain = 256;

struct bounds {
  u32 delta;      ///< tuples of all deltas together
  u32 rows;       ///< rows and head tuples of an iteration, of each segment and relation
  u32 room;       ///< tuples of a store
  u32 places;     ///< of the chains of a table; a power of two
  u32 iterations; ///< of a launch
  u64 work;       ///< rows of a launch, from which on it ends
};

/// What the parts of the group's fast memory are for.
struct fast_sizes {
  u32 rows;     ///< as in bounds
  u32 stores;   ///< of the stratum
  u32 counters; ///< two a segment, two a store
  u32 look_ups;
  u32 columns; ///< of the bindings, if these are in fast memory too

  IKRA_DATALOG_BOTH u64 bytes() const {
    return u64(rows) * (8 + 4 + 16) + u64(rows) * columns * 16 + u64(stores) * 8 +
           (u64(counters) + look_ups + stores) * 4;
  }
};

/// Where the parts are.
struct work_space {
  u64* candidates;
  u64* bindings;
  slice* deltas;
  u32 *flags, *places, *counters;
  u32* lookups; ///< of look-ups, then of stores

  IKRA_DATALOG_BOTH work_space(void* fast, const fast_sizes& of)
      : candidates(static_cast<u64*>(fast)), bindings(candidates + of.rows),
        deltas(reinterpret_cast<slice*>(bindings + u64(of.rows) * of.columns * 2)),
        flags(reinterpret_cast<u32*>(deltas + of.stores)), places(flags + of.rows),
        counters(places + u64(of.rows) * 4), lookups(counters + of.counters) {}
};

} // namespace ikra::datalog::resident
