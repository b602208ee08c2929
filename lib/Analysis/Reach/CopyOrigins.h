// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a copy of an object was made from: `Body next = *this;` differs from its object in what the
// program has changed since, and only that need be written back.

#ifndef IKRA_ANALYSIS_REACH_COPYORIGINS_H
#define IKRA_ANALYSIS_REACH_COPYORIGINS_H

#include "Analysis/Ast/Types.h"

namespace clang {
class Expr;
class FunctionDecl;
class VarDecl;
} // namespace clang

namespace ikra {

/// The local variable, no reference, that an assignment of a whole object names; null for all other
/// targets.
const clang::VarDecl* assignedVariable(const clang::Expr* To);

/// True if \p From, in \p F, is a copy of the object \p To, or has become one again: a variable
/// that copies of it alone are assigned to, by its name, or what a function makes of such.
bool isCopyOf(const clang::FunctionDecl* F, const clang::Expr* From, const clang::Expr* To,
              const ClassRoles& Roles);

} // namespace ikra

#endif
