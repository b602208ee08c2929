// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections that are no functions: pointers to members, and objects with a call operator. For each a
// function is made that does what std::invoke does, as if the user had written a lambda. All later
// steps know functions only.

#ifndef IKRA_ANALYSIS_SECTIONS_CALLABLES_H
#define IKRA_ANALYSIS_SECTIONS_CALLABLES_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"

namespace ikra {

/// `[](Element e, …) { return e->member(…); }`, or `e.member` for elements that are values.
/// \param Member a method or a member, of the element's class or of a base of it.
/// \param Element the type of what the section is given first: a class, or a pointer to one.
/// \param At where the section stands.
/// \returns null where the member is not one of the element.
const clang::FunctionDecl* callOfMember(clang::ASTContext& Context, const clang::ValueDecl* Member,
                                        clang::QualType Element, clang::SourceLocation At);

/// What a section calls that is an object, and the variable that stands for that object in it.
struct ObjectCall {
  const clang::FunctionDecl* Function;
  const clang::VarDecl* Object;
};

/// `[object](…) { return object(…); }`. \param Operator the call operator, const, of the object's
/// class or of a base of it.
ObjectCall callOfObject(clang::ASTContext& Context, const clang::CXXRecordDecl* Class,
                        const clang::CXXMethodDecl* Operator, clang::SourceLocation At);

/// The lambda that \p Name, a local variable of \p Inside, holds, if the section may stand for one
/// that is written where the variable is named: all that it captures has the same names and values
/// there. \returns null otherwise
const clang::LambdaExpr* lambdaIn(const clang::DeclRefExpr* Name,
                                  const clang::FunctionDecl* Inside);

} // namespace ikra

#endif
