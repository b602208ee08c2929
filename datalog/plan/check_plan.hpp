// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules of a plan (plan.hpp): numbers in range, widths that fit, aggregates that are not
// nested.
#pragma once

#include "datalog/plan/plan.hpp"

#include <vector>

namespace ikra::datalog {

/// \throws ikra::error of kind unsupported that names the rule and what is wrong with it.
void check_plan(const plan::program& program);

/// \returns whether adding facts can only add tuples: no negation, no aggregates, no size limits.
bool is_monotone(const plan::program& program);

/// \param grown by relation, whether facts were added
/// \returns whether these facts can only add tuples: no negation, aggregate or size limit depends
/// on a relation that grows by them.
bool only_adds_tuples(const plan::program& program, std::vector<char> grown);

} // namespace ikra::datalog
