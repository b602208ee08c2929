// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The versions of a stratum's rules as arrays that one group of threads interprets, so that small
// iterations need no host (docs/datalog.md, "Device-resident iterations"). Plain data, read on both
// devices; relies on schedule.hpp and expression_code.hpp.
#pragma once

#include "datalog/plan/expression_code.hpp"
#include "datalog/plan/schedule.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ikra::datalog::resident {

/// Variables of a version, dead ones included.
inline constexpr u32 most_values = 32;
inline constexpr u32 none = ~u32(0);

/// Code in resident_program::code.
struct code_range {
  u32 at = 0, length = 0;
};

/// One known column of a look-up: a constant, or the number of a value.
struct key {
  bool constant;
  u64 content;
  field in_run, in_store; ///< where it lies in full's runs and in a store
};

/// Where tuples are looked for: the runs of full that there were at the launch, and the store of
/// new tuples if the relation is of the stratum.
struct look_up {
  u32 store = none;
  u32 table = none; ///< of the store; none if no column is known
  u32 first_run = 0, runs = 0;
  u32 first_key = 0, keys = 0;
  prefix_masks run_masks, store_masks;
};

/// A column of a tuple that becomes a value.
struct bound_value {
  u32 value;
  field in_run, in_store;
};

/// Two columns of a tuple that must agree.
struct equal_columns {
  field run_first, run_second, store_first, store_second;
};

/// What is done with a row without making rows of it.
struct action {
  enum kinds : u8 {
    test,  ///< drops the row if the code gives 0
    let,   ///< gives value `number` what the code gives
    absent ///< drops the row if look-up `number` finds a tuple
  } what = test;
  code_range code;
  u32 number = 0;
};

/// Makes rows of rows, and carries out actions on each.
struct segment {
  enum kinds : u8 {
    pass,  ///< each row stays as it is: a version may begin with a binding
    delta, ///< each row meets the tuples of delta with its key
    full,  ///< each row meets the tuples of full with its key
    range  ///< each row gets the values of a range
  } what = pass;
  u32 look_up = 0;
  u32 first_bind = 0, binds = 0;
  u32 first_equal = 0, equals = 0;
  u32 first_action = 0, actions = 0;
  u32 first_load = 0, loads = 0; ///< values that rows have, as numbers
  u32 first_save = 0, saves = 0; ///< values that the rows made have; none where heads are made
  plan::type of;                 ///< of the range
  code_range from, to, step;
  u32 value = 0; ///< that the range binds
};

/// A column of a head tuple.
struct head_part {
  field to;
  bool computed;
  u32 value; ///< if not computed
  code_range code;
};

struct head {
  u32 store;
  u32 first_part = 0, parts = 0;
};

struct version {
  u32 first_segment = 0, segments = 0;
  u32 first_head = 0, heads = 0;
  u32 front = none; ///< the store without whose delta there is nothing to do
};

/// A hash table over some columns of a store; each place has a chain of tuples.
struct table {
  u32 store;
  prefix_masks masks;
};

/// All versions of a stratum. Stores are numbered as the stratum's relations are.
struct resident_program {
  std::vector<instruction> code;
  std::vector<key> keys;
  std::vector<look_up> look_ups;
  std::vector<bound_value> binds;
  std::vector<equal_columns> equals;
  std::vector<action> actions;
  std::vector<u32> numbers; ///< what loads and saves refer to
  std::vector<segment> segments;
  std::vector<head_part> parts;
  std::vector<head> heads;
  std::vector<version> versions;
  std::vector<table> tables; ///< the first ones, one a store, are over all columns
  std::vector<probe> probes; ///< of each look-up
  u32 binding_columns = 0;   ///< the most values that rows have between segments
};

/// \returns whether device-resident iterations may carry out all versions.
/// \param why gets the reason if not.
bool is_resident_stratum(const plan::stratum& s, const std::vector<rule_version>& versions,
                         std::string& why);

/// \param versions for which is_resident_stratum() holds.
/// \param primary the layout of a relation's tuples.
/// \param index the layout of the index in which full is looked into by these columns.
resident_program
make_resident_program(const plan::stratum& s, const std::vector<rule_version>& versions,
                      const std::function<layout(u32 relation)>& primary,
                      const std::function<layout(u32 relation, column_set known)>& index);

} // namespace ikra::datalog::resident
