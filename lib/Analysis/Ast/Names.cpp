// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Names.h"

#include "Analysis/Ast/Types.h"

#include "clang/AST/Stmt.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace ikra {

const ValueDecl* declNamed(const Stmt* S) {
  const auto* Name = dyn_cast_or_null<DeclRefExpr>(S);
  return Name ? Name->getDecl() : nullptr;
}

const VarDecl* variableNamed(const Stmt* S) { return dyn_cast_or_null<VarDecl>(declNamed(S)); }

const FunctionDecl* calleeOf(const Stmt* S) {
  const auto* Call = dyn_cast_or_null<CallExpr>(S);
  return Call ? Call->getDirectCallee() : nullptr;
}

const VarDecl* variableDeclared(const Stmt* S) {
  const auto* Declares = dyn_cast_or_null<DeclStmt>(S);
  return Declares && Declares->isSingleDecl() ? dyn_cast<VarDecl>(Declares->getSingleDecl())
                                              : nullptr;
}

bool hasName(const NamedDecl* D, std::initializer_list<llvm::StringRef> Names) {
  return D && D->getIdentifier() && llvm::is_contained(Names, D->getName());
}

bool isNamedInStd(const NamedDecl* D, std::initializer_list<llvm::StringRef> Names) {
  return hasName(D, Names) && isInStd(D);
}

bool isNamedInIkra(const NamedDecl* D, std::initializer_list<llvm::StringRef> Names) {
  return hasName(D, Names) && isInIkra(D);
}

std::optional<llvm::APSInt> constantInteger(const Expr* E, const ASTContext& Context) {
  Expr::EvalResult Value;
  return E->EvaluateAsInt(Value, Context) ? std::optional(Value.Val.getInt()) : std::nullopt;
}

bool anyPart(const Stmt* S, llvm::function_ref<bool(const Stmt*)> Is) {
  return S && (Is(S) ||
               llvm::any_of(S->children(), [&](const Stmt* Part) { return anyPart(Part, Is); }));
}

} // namespace ikra
