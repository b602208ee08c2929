// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What can be said about a program before types: names, arities, places where `_` may stand, facts,
// inlining, stratification. All on the program without components, before inlining. Relies on the
// AST and infer.hpp's tables.
#pragma once

#include <vector>

#include "datalog/frontend/ast.hpp"
#include "datalog/frontend/diagnostic.hpp"
#include "datalog/frontend/infer.hpp"

namespace ikra::datalog {

/// Checks the declarations of relations, and looks their columns' types up.
relation_table check_relations(const std::vector<ast::relation>& relations, const type_table& types,
                               diagnostics& messages);

/// Checks that directives name relations.
void check_directives(const std::vector<ast::directive>& directives,
                      const relation_table& relations, diagnostics& messages);

/// Warns of relations that nothing fills.
void warn_of_empty_relations(const ast::program& program, diagnostics& messages);

/// Warns of variables that occur once.
/// \param program before disjunctions are expanded
void warn_of_oddities(const ast::program& program, diagnostics& messages);

/// Checks a clause's atoms, its facts' values and its `_`. Its body is a conjunction.
/// \return whether its relations are known and have the right arity, and a fact's values are
/// constant
bool check_clause(const ast::clause& clause, const relation_table& relations,
                  diagnostics& messages);

/// Checks that each `.plan` names every atom of its body once. Drops orders for versions that the
/// rule has not: there is one for each atom of its own stratum, and one if there is none.
void check_plans(std::vector<ast::clause>& clauses, const relation_table& relations,
                 diagnostics& messages);

/// Checks that no relation depends on its own negation or aggregation, and counts nothing in a
/// recursive rule.
void check_stratification(const std::vector<ast::clause>& clauses, const relation_table& relations,
                          diagnostics& messages);

/// Checks that inlined relations can be.
void check_inlining(const ast::program& program, const std::vector<ast::clause>& clauses,
                    const relation_table& relations, diagnostics& messages);

} // namespace ikra::datalog
