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

/// Where a body's literals, in the order in which they are tried, only have to have a solution: of
/// each place `at` (before literal `at`; the last one is the head's) the first place at which
/// everything has its value that is needed from `at` on. One way from there to `at` is as good as
/// all. `at` itself if that is the place, if the way may end the program, or if the rule counts.
std::vector<std::size_t> places_that_decide(const core::rule& rule,
                                            const std::vector<const core::literal*>& order);

} // namespace ikra::datalog
