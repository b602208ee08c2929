// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Versions whose steps read few of delta's columns: they are carried out once for the tuples that
// agree in these, and the others are joined at the end (docs/datalog.md, "Groups of delta"). Relies
// on the schedule.
#pragma once

#include "datalog/plan/schedule.hpp"

#include <optional>

namespace ikra::datalog {

/// \returns the version by groups of delta; none if its steps read all of delta's columns, or are
/// too few to be worth it.
std::optional<rule_version> by_groups(const rule_version& version);

/// The columns that a step binds.
column_set bound_columns(const join_step& j);

} // namespace ikra::datalog
