// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts into which the rest of a body falls when some of its variables are known: literals that
// share no other variable are independent of each other (docs/datalog.md, "Tests"). Relies on
// plan.hpp alone.
#pragma once

#include "datalog/plan/plan.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace ikra::datalog {

void collect_slots(const plan::expression& from, std::vector<std::uint32_t>& slots);
void collect_slots(const plan::atom& from, std::vector<std::uint32_t>& slots);

/// All variables that a literal mentions, those of an aggregate's body included.
void collect_slots(const plan::literal& from, std::vector<std::uint32_t>& slots);

/// The variables that an aggregate reads: of its target and body, without that of its result.
void collect_inner(const plan::aggregate& from, std::vector<std::uint32_t>& slots);

/// Whether an integer division or a host function may end the program in this literal.
bool may_fail(const plan::literal& from);

/// \param knows whether a variable is known.
/// \returns for each literal the number of its part, from 0.
std::vector<std::uint32_t> parts_of(const std::vector<const plan::literal*>& literals,
                                    const std::function<bool(std::uint32_t)>& knows);

} // namespace ikra::datalog
