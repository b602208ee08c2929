// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ArrayFlow.h"

#include "Analysis/Ast/AstVisitor.h"
#include "Analysis/Ast/Names.h"
#include "Analysis/Ast/Types.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/Support/SaveAndRestore.h"

#include <set>

using namespace clang;

namespace ikra {

static bool isArray(QualType Ty) {
  return isNamedInIkra(Ty.getNonReferenceType()->getAsCXXRecordDecl(), {"array"});
}

/// The variable or member that an expression names; null where it is none.
static const Decl* namedBy(const Expr* E) {
  E = E->IgnoreParenImpCasts();
  const auto* Member = dyn_cast<MemberExpr>(E);
  return Member ? Member->getMemberDecl() : declNamed(E);
}

/// Whether variables of the type are followed: arrays, and objects of the program, which may hold
/// some.
static bool mayHoldArrays(QualType Ty) {
  const CXXRecordDecl* Class = Ty.getNonReferenceType()->getAsCXXRecordDecl();
  return isArray(Ty) || (Class && !isInIkra(Class) && !isInStd(Class));
}

std::vector<Assignment> assignmentsBy(const CallExpr* Call) {
  const FunctionDecl* Callee = Call->getDirectCallee();
  if (!Callee)
    return {};
  std::vector<Assignment> Out;
  const auto Add = [&](const Expr* To, const Expr* From) {
    if (const Decl* D = namedBy(To); D && mayHoldArrays(To->getType()))
      Out.push_back({D, From});
  };
  if (const auto* Operator = dyn_cast<CXXOperatorCallExpr>(Call);
      Operator && Operator->getOperator() == OO_Equal && Call->getNumArgs() == 2) {
    const auto* Method = dyn_cast<CXXMethodDecl>(Callee);
    const bool IsPlain =
        isArray(Call->getArg(0)->getType()) || (Method && !Method->isUserProvided());
    Add(Call->getArg(0), IsPlain ? Call->getArg(1) : nullptr);
  } else if (isNamedInStd(Callee, {"swap"}) && Call->getNumArgs() == 2) {
    Add(Call->getArg(0), Call->getArg(1));
    Add(Call->getArg(1), Call->getArg(0));
  }
  return Out;
}

namespace {

class Collector final : public AstVisitor {
public:
  Collector(std::map<const Decl*, std::vector<const Expr*>>& Given,
            std::map<const Decl*, std::set<const CallExpr*>>& Assigned,
            std::map<const Decl*, unsigned>& Named)
      : AstVisitor(Instantiations | LambdaInstances | NoLibraries), Given(Given),
        Assigned(Assigned), Named(Named) {}

  bool TraverseDecl(Decl* D) override {
    const llvm::SaveAndRestore<const FunctionDecl*> Outer(Inside);
    if (const auto* Function = dyn_cast_or_null<FunctionDecl>(D))
      Inside = Function;
    return AstVisitor::TraverseDecl(D);
  }
  bool TraverseLambdaExpr(LambdaExpr* Lambda) override {
    const llvm::SaveAndRestore<const FunctionDecl*> Outer(Inside);
    Inside = Lambda->getCallOperator();
    return AstVisitor::TraverseLambdaExpr(Lambda);
  }

  bool VisitVarDecl(VarDecl* V) override {
    if (V->hasInit() && isArray(V->getType()))
      Given[V].push_back(V->getInit());
    return true;
  }
  bool VisitMemberExpr(MemberExpr* Member) override {
    if (isArray(Member->getType()))
      ++Named[Member->getMemberDecl()];
    return true;
  }
  bool VisitCallExpr(CallExpr* Call) override {
    const FunctionDecl* Callee = Call->getDirectCallee();
    for (const auto& [To, From] : assignmentsBy(Call)) {
      Assigned[To].insert(Call);
      if (From && isArray(From->getType()))
        Given[To].push_back(From);
    }
    if (!Callee || isInIkra(Callee) || isInStd(Callee))
      return true;
    // A call of a lambda has the lambda as its first argument.
    const unsigned Object = isa<CXXOperatorCallExpr>(Call) && isa<CXXMethodDecl>(Callee) ? 1 : 0;
    const FunctionDecl* Definition = Callee->getDefinition();
    if (!Definition)
      return true;
    for (unsigned K = 0; K < Definition->getNumParams() && K + Object < Call->getNumArgs(); ++K)
      if (isArray(Definition->getParamDecl(K)->getType()))
        Given[Definition->getParamDecl(K)].push_back(Call->getArg(K + Object));
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr* Make) override {
    const CXXConstructorDecl* Constructor = Make->getConstructor();
    if (isInIkra(Constructor) || isInStd(Constructor))
      return true;
    if (const FunctionDecl* Definition = Constructor->getDefinition())
      for (unsigned K = 0; K < Definition->getNumParams() && K < Make->getNumArgs(); ++K)
        if (isArray(Definition->getParamDecl(K)->getType()))
          Given[Definition->getParamDecl(K)].push_back(Make->getArg(K));
    return true;
  }
  bool VisitCXXConstructorDecl(CXXConstructorDecl* Constructor) override {
    for (const CXXCtorInitializer* Init : Constructor->inits())
      if (Init->isMemberInitializer() && isArray(Init->getMember()->getType()))
        Given[Init->getMember()].push_back(Init->getInit());
    return true;
  }
  bool VisitReturnStmt(ReturnStmt* Return) override {
    if (Inside && Return->getRetValue() && isArray(Return->getRetValue()->getType()))
      Given[Inside].push_back(Return->getRetValue());
    return true;
  }

private:
  std::map<const Decl*, std::vector<const Expr*>>& Given;
  std::map<const Decl*, std::set<const CallExpr*>>& Assigned;
  std::map<const Decl*, unsigned>& Named;
  const FunctionDecl* Inside = nullptr;
};

} // namespace

ArrayFlow::ArrayFlow(ASTContext& Context) {
  Collector(Given, Assigned, Named).TraverseDecl(Context.getTranslationUnitDecl());
}

std::vector<const CallExpr*> ArrayFlow::sourcesOf(const Expr* E) const {
  std::vector<const CallExpr*> Out;
  std::set<const Decl*> Seen;
  std::vector<const Expr*> Work{E};
  const auto Follow = [&](const Decl* D) {
    if (const auto Found = Given.find(D); Found != Given.end() && Seen.insert(D).second)
      Work.insert(Work.end(), Found->second.begin(), Found->second.end());
  };
  while (!Work.empty()) {
    const Expr* At = written(Work.back());
    Work.pop_back();
    if (const auto* Construct = dyn_cast<CXXConstructExpr>(At)) {
      if (Construct->getNumArgs() == 1 && isArray(Construct->getArg(0)->getType()))
        Work.push_back(Construct->getArg(0));
    } else if (const auto* Choice = dyn_cast<ConditionalOperator>(At)) {
      Work.push_back(Choice->getTrueExpr());
      Work.push_back(Choice->getFalseExpr());
    } else if (const ValueDecl* Named = declNamed(At)) {
      Follow(Named);
    } else if (const auto* Member = dyn_cast<MemberExpr>(At)) {
      Follow(Member->getMemberDecl());
    } else if (const auto* Call = dyn_cast<CallExpr>(At)) {
      const FunctionDecl* Callee = Call->getDirectCallee();
      if (!Callee)
        continue;
      const auto* Method = dyn_cast<CXXMemberCallExpr>(Call);
      if (Method && isNamedInIkra(Callee, {"with_index"}))
        Work.push_back(Method->getImplicitObjectArgument());
      else if (isInIkra(Callee))
        Out.push_back(Call);
      else if (isInStd(Callee) && Call->getNumArgs() == 1) // std::move
        Work.push_back(Call->getArg(0));
      else if (const FunctionDecl* Definition = Callee->getDefinition())
        Follow(Definition);
    }
  }
  return Out;
}

} // namespace ikra
