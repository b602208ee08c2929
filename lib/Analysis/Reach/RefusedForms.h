// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How messages call a statement or an expression that sections do not have, and what to write
// instead. Most are extensions of compilers, or belong to the host.

#ifndef IKRA_ANALYSIS_REACH_REFUSEDFORMS_H
#define IKRA_ANALYSIS_REACH_REFUSEDFORMS_H

#include "Analysis/Ast/Types.h"

#include "clang/AST/Expr.h"

#include <string>

namespace ikra {

/// "a form; a remedy". What is not listed has clang's name.
std::string refusedForm(const clang::Stmt* S);
/// The same for a conversion of a kind that sections do not have.
std::string refusedCast(const clang::CastExpr* E);
/// The same for a call of the standard library that has a device form for values alone; empty if
/// none of the arguments is, or holds, an object.
std::string refusedOfObjects(const clang::FunctionDecl* Callee, const clang::CallExpr* E,
                             const ClassRoles& Roles);

/// The standard container that a class derives from, itself or by a base; null if there is none.
clang::QualType containerBase(const clang::CXXRecordDecl* Class);
/// "a form; a remedy" for an expression that is such a base of an object, whose columns are its
/// members alone; else empty. \param OfValues also for one of a value, which is copied with its
/// bases
std::string refusedBase(const clang::Expr* Object, const ClassRoles& Roles, bool OfValues = false);
/// The same for a pointer, or an owner, to a container or another class of the standard library
/// that members may be; else empty. Those have no IDs.
std::string refusedPointer(clang::QualType Pointer);

} // namespace ikra

#endif
