// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tokens to a program as it is written. Relies on the lexer and ast.hpp.
#pragma once

#include "datalog/frontend/ast.hpp"
#include "datalog/frontend/diagnostic.hpp"
#include "datalog/frontend/source.hpp"

namespace ikra::datalog {

/// Reads a program. The first syntax error ends it; constructs that are known and not supported are
/// reported, and reading goes on.
/// \return what was read; complete only if messages has no errors
ast::program parse(const source_text& source, diagnostics& messages);

} // namespace ikra::datalog
