// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ReachedGlobals.h"

#include "Analysis/Ast/AstVisitor.h"
#include "Analysis/Ast/Types.h"

#include <set>

using namespace clang;

namespace ikra {

namespace {

class GlobalFinder final : public AstVisitor {
public:
  explicit GlobalFinder(const Findings& Found)
      : AstVisitor(ImplicitCode | LambdaInstances), Found(Found) {}

  std::vector<const VarDecl*> run() {
    for (const OperationCall& Operation : Found.Operations)
      for (const Expr* Argument : Operation.Call->arguments())
        addCode(Argument);
    while (!Work.empty())
      walk(Work.pop_back_val());
    return std::move(Globals);
  }

  bool VisitDeclRefExpr(DeclRefExpr* E) override { return note(E->getDecl()); }
  bool VisitMemberExpr(MemberExpr* E) override { return note(E->getMemberDecl()); }
  bool VisitCXXConstructExpr(CXXConstructExpr* E) override { return note(E->getConstructor()); }

private:
  bool note(const ValueDecl* Named) {
    if (const auto* F = dyn_cast<FunctionDecl>(Named))
      request(F);
    const auto* V = dyn_cast<VarDecl>(Named);
    if (V && V->hasGlobalStorage() && !V->isStaticLocal() && !isInStd(V) && !isInIkra(V) &&
        Known.insert(V->getCanonicalDecl()).second)
      Globals.push_back(V->getCanonicalDecl());
    return true;
  }

  /// What an operation is given as code: a function, or an object whose call operator is called.
  void addCode(const Expr* Given) {
    Given = Given->IgnoreParenCasts();
    if (const auto* Address = dyn_cast<UnaryOperator>(Given))
      Given = Address->getSubExpr()->IgnoreParenCasts();
    if (const auto* Name = dyn_cast<DeclRefExpr>(Given); Name && isa<FunctionDecl>(Name->getDecl()))
      request(cast<FunctionDecl>(Name->getDecl()));
    addCallable(Given->getType().getNonReferenceType()->getAsCXXRecordDecl());
  }
  void addCallable(const CXXRecordDecl* Class) {
    if (!Class || isInStd(Class) || isInIkra(Class) || !Class->hasDefinition() ||
        !Callables.insert(Class->getCanonicalDecl()).second)
      return;
    for (const Decl* Member : Class->decls())
      if (const auto* Template = dyn_cast<FunctionTemplateDecl>(Member)) {
        for (const FunctionDecl* Instance : Template->specializations())
          addIfCalled(Instance);
      } else if (const auto* F = dyn_cast<FunctionDecl>(Member)) {
        addIfCalled(F);
      }
    for (const CXXBaseSpecifier& Base : Class->bases())
      addCallable(Base.getType()->getAsCXXRecordDecl());
    for (const FieldDecl* Held : Class->fields()) // captured lambdas
      if (isClosure(Held->getType()))
        addCallable(Held->getType().getNonReferenceType()->getAsCXXRecordDecl());
  }
  void addIfCalled(const FunctionDecl* F) {
    if (F->getOverloadedOperator() == OO_Call)
      request(F);
  }

  void request(const FunctionDecl* F) {
    if (const FunctionDecl* Definition = F->getDefinition())
      F = Definition;
    if (isInStd(F) || isInIkra(F) || F->isDependentContext() ||
        !Reached.insert(F->getCanonicalDecl()).second)
      return;
    Work.push_back(F);
    const auto* Method = dyn_cast<CXXMethodDecl>(F);
    if (!Method || !Method->isVirtual() || isa<CXXDestructorDecl>(Method))
      return;
    for (const CXXRecordDecl* Class : Found.UserClasses)
      if (Class->hasDefinition() && Class->isDerivedFrom(Method->getParent()))
        if (const auto* Override = Method->getCorrespondingMethodInClass(Class))
          request(Override);
  }

  void walk(const FunctionDecl* F) {
    if (const auto* Constructor = dyn_cast<CXXConstructorDecl>(F))
      for (const CXXCtorInitializer* Init : Constructor->inits())
        TraverseStmt(Init->getInit());
    if (F->hasBody())
      TraverseStmt(F->getBody());
  }

  const Findings& Found;
  std::vector<const VarDecl*> Globals;
  std::set<const VarDecl*> Known;
  std::set<const CXXRecordDecl*> Callables;
  std::set<const FunctionDecl*> Reached;
  llvm::SmallVector<const FunctionDecl*> Work;
};

} // namespace

std::vector<const VarDecl*> findReachedGlobals(const Findings& Found) {
  return GlobalFinder(Found).run();
}

} // namespace ikra
