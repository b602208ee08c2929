// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Relations declared `inline` are replaced by their rules' bodies wherever they are used. Relies on
// the AST; comes after check_inlining(), whose conditions make it possible.
#pragma once

#include <vector>

#include "datalog/frontend/ast.hpp"
#include "datalog/frontend/diagnostic.hpp"
#include "datalog/frontend/infer.hpp"

namespace ikra::datalog {

/// \return clauses that neither have nor mention inlined relations. Several rules of an inlined
/// relation make several clauses of each that uses it.
std::vector<ast::clause> inline_relations(const std::vector<ast::clause>& clauses,
                                          const relation_table& relations, diagnostics& messages);

} // namespace ikra::datalog
