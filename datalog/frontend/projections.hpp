// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In an aggregate's body of several atoms, solutions that differ in `_` alone count once, as in
// Soufflé. Relies on core.hpp.
#pragma once

#include "datalog/frontend/core.hpp"

namespace ikra::datalog {

/// Replaces each atom that has `_` in such a body by one of a new relation, the atom's relation
/// without these columns, and adds the relation and its rule. What `_` stands for occurs nowhere
/// else, so a combination of the other values is a solution exactly where each atom has a tuple.
/// \param program has no strata yet
void project_aggregates(core::program& program);

} // namespace ikra::datalog
