// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which variables of a rule are grounded, that is, get their values from positive atoms, directly
// or through equalities. And what has to be said about aggregates before that can be asked: which
// variables are their own. Relies on the AST.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "datalog/frontend/ast.hpp"
#include "datalog/frontend/diagnostic.hpp"

namespace ikra::datalog {

/// The name as the program writes it: without what isolate_aggregates() has added.
std::string written_name(const std::string& variable);

/// What the names of variables have that only have to exist: the solutions of an aggregate's body
/// that differ in nothing else count once. Inlining makes them.
inline constexpr const char* existing_mark = "'e";
bool only_exists(const std::string& variable);

/// Makes every name in a clause (without groups, but for aggregates' bodies) mean one variable, and
/// fills ast::aggregate::given. A variable of an aggregate is its own if nothing outside has its
/// name, or if the target mentions it and the body binds it. A variable that only a minimum's or
/// maximum's body binds and that is used outside is a witness: it takes the values for which the
/// minimum is reached. For that the body is repeated beside the aggregate.
void isolate_aggregates(ast::clause& clause, diagnostics& messages);

/// The grounded variables of a conjunction.
/// \param grounded those that are grounded from outside
std::set<std::string> grounded_variables(const std::vector<ast::literal>& body,
                                         std::set<std::string> grounded);

/// The variables that each of these conjunctions grounds.
std::set<std::string> grounded_in_all(const std::vector<std::vector<ast::literal>>& alternatives,
                                      const std::set<std::string>& grounded);

/// Whether a value can be computed once these variables are known.
bool is_grounded(const ast::argument& value, const std::set<std::string>& grounded);

/// Reports every variable and record that is not grounded.
void check_grounded(const ast::clause& clause, diagnostics& messages);

} // namespace ikra::datalog
