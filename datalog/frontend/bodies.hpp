// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rules with disjunctions and bracketed negations to rules whose bodies are conjunctions of atoms,
// negated atoms and constraints. Relies on the AST.
#pragma once

#include <vector>

#include "datalog/frontend/ast.hpp"
#include "datalog/frontend/diagnostic.hpp"

namespace ikra::datalog {

/// A conjunction: no groups in it. The body of an aggregate in it has none, or is one group of
/// conjunctions.
using conjunction = std::vector<ast::literal>;

/// The disjunctive normal form of a list of literals, in the order of the text.
/// \param where the rule, for the message that there are too many alternatives
std::vector<conjunction> alternatives_of(const std::vector<ast::literal>& body, location where,
                                         diagnostics& messages);

/// Brings an aggregate's body into that form.
void flatten_body(ast::aggregate& aggregate, location where, diagnostics& messages);

/// The clauses that a clause stands for, one for each alternative.
std::vector<ast::clause> expand_bodies(const ast::clause& clause, diagnostics& messages);

/// `_ = count : { … }` asks whether an aggregate has a value, `_ = [x, y]` asks nothing. Any other
/// `_` beside an operator is left, and an error in check_clause().
void read_wildcards(ast::clause& clause);

} // namespace ikra::datalog
