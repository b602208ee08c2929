// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// References that could be written through, and are not: `for (auto& x : xs) sum += x;`. To
// sections they are references to constants, so that what they are bound to is read and not
// written.

#ifndef IKRA_ANALYSIS_AST_READREFERENCES_H
#define IKRA_ANALYSIS_AST_READREFERENCES_H

#include "Analysis/Ast/Types.h"

namespace ikra {

/// True for a variable that may be written through: a reference to what is no constant, unless its
/// function, as far as can be seen, only reads through it. Of parameters, those of lambdas and of
/// virtual methods are what their types say.
bool isWritableVariable(const clang::VarDecl* V, const ClassRoles& Roles);

/// The type of a variable in a section: that of the program or, if it is only read through, a
/// reference to a constant.
clang::QualType typeInSection(const clang::VarDecl* V, const ClassRoles& Roles);

} // namespace ikra

#endif
