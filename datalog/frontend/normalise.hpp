// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checked clauses to rules of core.hpp. Relies on the type table and infer.hpp.
#pragma once

#include <vector>

#include "datalog/frontend/ast.hpp"
#include "datalog/frontend/core.hpp"
#include "datalog/frontend/diagnostic.hpp"
#include "datalog/frontend/infer.hpp"

namespace ikra::datalog {

/// \param program has no components; its clauses are not looked at
/// \param clauses are checked and have no inlined relations
/// \param bits 32 or 64, the width of numbers
/// Reports constants that do not fit.
core::program normalise(const ast::program& program, std::vector<ast::clause> clauses,
                        const relation_table& relations, type_table& types, int bits,
                        diagnostics& messages);

} // namespace ikra::datalog
