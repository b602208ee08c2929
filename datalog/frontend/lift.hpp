// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bodies of aggregates that are no plain conjunctions get relations of their own: disjunctions, and
// bodies with variables that only have to exist. Relies on the AST and on inference; comes after
// inlining.
#pragma once

#include <deque>
#include <vector>

#include "datalog/frontend/ast.hpp"
#include "datalog/frontend/diagnostic.hpp"
#include "datalog/frontend/infer.hpp"

namespace ikra::datalog {

/// Makes the body of each aggregate a conjunction.
/// \param clauses checked; gets the rules of the new relations
/// \param relations gets the new relations
/// \param made holds their declarations, and must outlive `relations`
void lift_aggregates(std::vector<ast::clause>& clauses, relation_table& relations,
                     std::deque<ast::relation>& made, type_table& types, diagnostics& messages);

} // namespace ikra::datalog
