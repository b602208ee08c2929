// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every walk over the program asks: what an expression names or calls, which number it is.

#ifndef IKRA_ANALYSIS_AST_NAMES_H
#define IKRA_ANALYSIS_AST_NAMES_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <initializer_list>
#include <optional>

namespace ikra {

/// What a name stands for; null where \p S, which may be null, is no name.
const clang::ValueDecl* declNamed(const clang::Stmt* S);
/// The same where it is a variable; null for all else.
const clang::VarDecl* variableNamed(const clang::Stmt* S);
/// The function that a call calls, as far as that is known; null for all else.
const clang::FunctionDecl* calleeOf(const clang::Stmt* S);
/// The variable that a statement declares, and nothing else; null where it does not.
const clang::VarDecl* variableDeclared(const clang::Stmt* S);

/// True for a declaration, which may be null, with one of these names; operators have none.
bool hasName(const clang::NamedDecl* D, std::initializer_list<llvm::StringRef> Names);
/// The same in namespace std.
bool isNamedInStd(const clang::NamedDecl* D, std::initializer_list<llvm::StringRef> Names);
/// The same of the plain library.
bool isNamedInIkra(const clang::NamedDecl* D, std::initializer_list<llvm::StringRef> Names);

/// The value of an integer that the compiler knows. \p E must not depend on templates' parameters.
std::optional<llvm::APSInt> constantInteger(const clang::Expr* E, const clang::ASTContext& Context);

/// Whether something in \p S, which may be null, is such; it itself counts.
bool anyPart(const clang::Stmt* S, llvm::function_ref<bool(const clang::Stmt*)> Is);

} // namespace ikra

#endif
