// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Relations that show how another one grew: `.decl d = debug_delta(r)`. Relies on the AST.
#pragma once

#include "datalog/frontend/ast.hpp"
#include "datalog/frontend/diagnostic.hpp"

namespace ikra::datalog {

/// Gives each such relation the columns of the other one and the iteration, and its rule.
/// \param program without components
void add_traces(ast::program& program, diagnostics& messages);

} // namespace ikra::datalog
