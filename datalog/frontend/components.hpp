// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Components to plain declarations: every `.init` becomes the relations, types and rules of its
// component, with the instance's name in front. Relies on the AST.
#pragma once

#include "datalog/frontend/ast.hpp"
#include "datalog/frontend/diagnostic.hpp"

namespace ikra::datalog {

/// \return the program without components. Names are resolved: within an instance a name means the
/// instance's own declaration, else that of the instance around it, else the program's.
ast::program instantiate_components(const ast::program& program, diagnostics& messages);

} // namespace ikra::datalog
