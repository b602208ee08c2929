// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A variable that is taken apart several times, as after inlining, is taken apart once. Relies on
// core.hpp.
#pragma once

#include "datalog/frontend/core.hpp"

namespace ikra::datalog {

/// Makes one variable of those that a rule's body says to be equal: by `v = w`, or by two patterns
/// of one record. Then repeated literals of the body are dropped.
///
///     r(p) :- a(p), p = [x, y], b(x), p = [v, w], b(v), v < w.
///     r(p) :- a(p), p = [x, y], b(x), x < y.
void unify_variables(core::rule& rule);

} // namespace ikra::datalog
