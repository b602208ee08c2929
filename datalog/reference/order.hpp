// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In which order the reference evaluates a body. The engine's plans have an order of their own
// (datalog/compile/body_order.hpp), with which nothing is shared. Relies on core.hpp.
#pragma once

#include <vector>

#include "datalog/frontend/core.hpp"

namespace ikra::datalog {

/// Atoms as they are written, from the left. Whatever else can be evaluated comes before the next
/// atom, and conditions before what computes values, as docs/datalog-language.md has it.
/// \param rule  the rule that the body is of, or is in
/// \param bound by variable of the rule: whether it has a value
std::vector<const core::literal*> order_as_written(const core::rule& rule,
                                                   const std::vector<core::literal>& body,
                                                   std::vector<bool> bound);

} // namespace ikra::datalog
