// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many low bits the values of columns take, from those of the facts and what rules do with
// them: most values are numbers of symbols or places, far from 2^32. Relies on the plan alone.
#pragma once

#include "datalog/plan/layout.hpp"

#include <vector>

namespace ikra::datalog {

/// For each column of a relation, the bits that its values take; at least 1.
using column_widths = std::vector<u8>;

/// \param facts the widths of the facts, for each relation; empty where it has none
/// \returns for each relation, widths that no tuple of any evaluation exceeds.
std::vector<column_widths> widths_of(const plan::program& program,
                                     const std::vector<column_widths>& facts);

} // namespace ikra::datalog
