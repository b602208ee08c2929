// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where such a call does not compile, clang keeps its parts, without the function that it calls.

#include "MutableSections.h"

#include "Analysis/Ast/AstVisitor.h"
#include "Analysis/Ast/Types.h"

using namespace clang;

namespace ikra {

namespace {

class MutableFinder final : public AstVisitor {
public:
  MutableFinder() : AstVisitor(Instantiations) {}

  bool VisitCallExpr(CallExpr* E) override {
    return visitCall(E, E->getCallee(), {E->getArgs(), E->getNumArgs()});
  }
  bool VisitRecoveryExpr(RecoveryExpr* E) override {
    const llvm::ArrayRef<Expr*> Parts = E->subExpressions();
    return Parts.empty() || visitCall(E, Parts.front(), Parts.drop_front());
  }

  std::vector<MutableSection> Found;

private:
  static bool isOperation(const Expr* Callee) {
    const auto Is = [](const NamedDecl* D) {
      return isInIkra(D) && D->getDeclName().isIdentifier() && D->getName() != "host_section";
    };
    Callee = Callee->IgnoreParenImpCasts();
    if (const auto* Overloads = dyn_cast<OverloadExpr>(Callee))
      return llvm::any_of(Overloads->decls(), Is);
    const auto* Named = dyn_cast_or_null<NamedDecl>(Callee->getReferencedDeclOfCallee());
    return Named && Is(Named);
  }

  bool visitCall(const Expr* Call, const Expr* Callee, llvm::ArrayRef<Expr*> Arguments) {
    if (!isOperation(Callee))
      return true;
    for (const Expr* Given : Arguments) {
      const CXXRecordDecl* Class = Given->getType().getNonReferenceType()->getAsCXXRecordDecl();
      const CXXMethodDecl* Operator =
          Class && Class->isLambda() ? Class->getLambdaCallOperator() : nullptr;
      if (Operator && Operator->isInstance() && !Operator->isConst() &&
          !isInIkra(cast<Decl>(Class->getDeclContext())))
        Found.push_back({Class->getLocation(), Call->getSourceRange()});
    }
    return true;
  }
};

} // namespace

std::vector<MutableSection> mutableSections(ASTContext& Context) {
  MutableFinder Find;
  Find.TraverseAST(Context);
  return std::move(Find.Found);
}

} // namespace ikra
