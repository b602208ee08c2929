// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fewest orders of a relation's columns such that every set of columns that a join looks up is
// a prefix of one: a minimal chain cover of the sets by inclusion (Subotić et al., Automatic Index
// Selection for Large-Scale Datalog Computation, VLDB 2018). Relies on the standard library only.
#pragma once

#include <cstdint>
#include <vector>

namespace ikra::datalog {

/// A set of columns: bit c is column c.
using column_set = std::uint32_t;

/// \param searches sets that are looked up; repeats and the empty set are allowed.
/// \param columns of the relation.
/// \returns orders of all columns, at least one; the one that starts most naturally comes first.
std::vector<std::vector<std::uint8_t>> choose_orders(std::vector<column_set> searches,
                                                     std::size_t columns);

/// \returns whether the first columns of the order are the set's.
bool is_prefix(column_set set, const std::vector<std::uint8_t>& order);

} // namespace ikra::datalog
