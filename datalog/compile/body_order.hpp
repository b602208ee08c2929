// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An order of a body's literals in which every variable is bound before it is needed. Relies on
// core.hpp.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "datalog/frontend/core.hpp"

namespace ikra::datalog {

using variable_set = std::set<std::uint32_t>;

/// The variables that a rule mentions outside of one aggregate, or of none.
variable_set variables_outside(const core::rule& rule, const core::aggregate* aggregate);

/// The literals in an order in which they can be evaluated: conditions as soon as their variables
/// are bound, then what binds variables without a relation, then atoms as they stand.
/// \param rule  the rule that the body is of, or is in
/// \param bound variables that are bound before
std::vector<const core::literal*> evaluation_order(const core::rule& rule,
                                                   const std::vector<core::literal>& body,
                                                   variable_set bound);

} // namespace ikra::datalog
