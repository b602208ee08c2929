// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables that never change: sections use them wherever they are declared, and emitted code has
// their values, since the variables themselves are not there on a device. The walker asks whether
// a variable is one, the builder for its value.

#ifndef IKRA_ANALYSIS_AST_CONSTANTS_H
#define IKRA_ANALYSIS_AST_CONSTANTS_H

#include "Model/ProgramModel.h"

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace ikra {

/// \p N as a literal of its width, if that is at least int's: the least number has none.
std::string integerText(const llvm::APSInt& N);

/// The value of a variable that never changes; null for other variables.
const clang::APValue* constantOf(const clang::VarDecl* Variable);

/// The same as text; none also where the type is no number, and no pointer to a member that is a
/// variable: of such it is how far after the start of the class the member lies, as in memory.
std::optional<std::string> constantText(const clang::VarDecl* Variable);
/// True if \p S calls something, or uses a member: it may be no constant on a device, though its
/// value is.
bool holdsCall(const clang::Stmt* S);
/// True for a constexpr number whose initialiser calls something, or uses a member: device code has
/// the value in its place, and the call may do what no section may.
bool isWrittenAsValue(const clang::VarDecl* Variable);
/// True for a constant, whatever gives it its value before it is read: nothing changes it then.
bool keepsItsValue(const clang::VarDecl* Variable);

/// The constants of std::strong_ordering and its kin, as a comparison that gives what converts to
/// them; none for other variables.
std::optional<std::string> orderingText(const clang::VarDecl* Variable);

/// The value of a call of a literal operator, of nan(""), or of a builtin such as that of INFINITY
/// and NAN, as text, where it is a number that never changes.
std::optional<std::string> constantCallText(const clang::CallExpr* Call,
                                            const clang::ASTContext& Context);

/// The same of an expression that is such a pointer: &T::a.
std::optional<std::string> memberPointerText(const clang::Expr* E,
                                             const clang::ASTContext& Context);

/// What a constant array or value class is initialised with: its parts or, where a constructor
/// makes it, its bytes. Null where the value is not known, or neither can be written.
/// \param TypeOf how a type of a number or a class is written
body::ExprRef constantValue(const clang::VarDecl* Variable,
                            llvm::function_ref<TypeRef(clang::QualType)> TypeOf);

/// True for constant arrays and value classes that constantValue() knows.
bool isTable(const clang::VarDecl* Variable, const ClassRoles& Roles);

/// True for literals such as 2.0i and 90_deg: clang has them as calls of their operators, and in
/// what it makes of a template as calls like others.
bool isLiteralCall(const clang::CallExpr* Call);

/// The imaginary part of a complex number that is written as a literal, 2.0i.
std::string imaginaryText(const clang::CallExpr* E, const clang::ASTContext& Context);

} // namespace ikra

#endif
