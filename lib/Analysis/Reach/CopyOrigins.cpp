// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CopyOrigins.h"

#include "Analysis/Ast/AstVisitor.h"
#include "Analysis/Ast/Expressions.h"
#include "Analysis/Ast/Names.h"
#include "Analysis/Ast/TypeParts.h"

#include <set>

using namespace clang;

namespace ikra {

namespace {

/// True for a smart pointer, and a std::optional of a class.
bool isOwner(QualType Ty) {
  return isSmartPointer(Ty.getNonReferenceType()) ||
         (isStdClass(Ty, "optional") && elementsOf(holderOf(Ty)).front()->isRecordType());
}

/// Without what does not change which object is meant: `*`, `&`, conversions, std::move.
const Expr* stripped(const Expr* E) {
  for (const Expr* Before = nullptr; E != Before;) {
    Before = E;
    E = E->IgnoreParens()->IgnoreImplicit()->IgnoreParenCasts();
    if (const auto* Op = dyn_cast<UnaryOperator>(E);
        Op && (Op->getOpcode() == UO_Deref || Op->getOpcode() == UO_AddrOf))
      E = Op->getSubExpr();
    // What an owner holds stays the same object in a section.
    if (const auto* Call = dyn_cast<CXXOperatorCallExpr>(E);
        Call && Call->getNumArgs() == 1 &&
        (Call->getOperator() == OO_Star || Call->getOperator() == OO_Arrow) &&
        isOwner(Call->getArg(0)->getType()))
      E = Call->getArg(0);
    if (const auto* Call = dyn_cast<CallExpr>(E);
        Call && Call->getNumArgs() == 1 &&
        isNamedInStd(Call->getDirectCallee(), {"move", "forward", "as_const"}))
      E = Call->getArg(0);
  }
  return E;
}

class OriginFinder {
public:
  /// What copies were made from: nothing yet, one place, or others.
  struct Origin {
    const Expr* Place = nullptr;
    bool IsOther = false;
  };

  OriginFinder(const FunctionDecl* F, const ClassRoles& Roles, unsigned Depth = 0)
      : F(F), Roles(Roles), Depth(Depth) {}

  Origin of(const Expr* E) {
    E = stripped(E);
    if (const auto* Made = dyn_cast<CXXConstructExpr>(E))
      return Made->getConstructor()->isCopyOrMoveConstructor() &&
                     !Made->getConstructor()->isUserProvided()
                 ? of(Made->getArg(0))
                 : Other;
    if (const auto* Choice = dyn_cast<ConditionalOperator>(E))
      return joined(of(Choice->getTrueExpr()), of(Choice->getFalseExpr()));
    if (const VarDecl* V = variableNamed(E); V && isCopy(V))
      return ofVariable(V, E);
    if (const auto* Call = dyn_cast<CallExpr>(E))
      return ofResult(Call);
    const Expr* Place = placeOf(E);
    return Place ? Origin{Place} : Other;
  }

  /// What names one object throughout the function: `this`, a reference, a pointer that stays, and
  /// what these hold; null for all else.
  const Expr* placeOf(const Expr* E) const {
    E = stripped(E);
    if (isa<CXXThisExpr>(E))
      return E;
    if (const auto* Member = dyn_cast<MemberExpr>(E))
      return Member->getType()->isRecordType() && isa<FieldDecl>(Member->getMemberDecl()) &&
                     placeOf(Member->getBase())
                 ? E
                 : nullptr;
    const VarDecl* V = variableNamed(E);
    if (!V || !isDeclaredIn(V, F))
      return nullptr;
    if (const Expr* Aliased = aliasedBy(F, V))
      if (const Expr* Place = placeOf(Aliased))
        return Place;
    const bool Stays = V->getType()->isReferenceType()
                           ? !isReferenceToPointer(V->getType())
                           : V->getType()->isPointerType() && !isModified(F, V);
    return Stays ? E : nullptr;
  }

  bool isSame(const Expr* A, const Expr* B) const {
    if (const VarDecl* V = variableNamed(A); V && V == variableNamed(B))
      return true;
    A = placeOf(A), B = placeOf(B);
    if (!A || !B || A->getStmtClass() != B->getStmtClass())
      return false;
    if (isa<CXXThisExpr>(A))
      return true;
    if (const auto* Member = dyn_cast<MemberExpr>(A))
      return declaresSameEntity(Member->getMemberDecl(), cast<MemberExpr>(B)->getMemberDecl()) &&
             isSame(Member->getBase(), cast<MemberExpr>(B)->getBase());
    return declaresSameEntity(variableNamed(A), variableNamed(B));
  }

private:
  static constexpr Origin Other = {nullptr, true};

  Origin joined(Origin A, Origin B) const {
    if (A.IsOther || B.IsOther)
      return Other;
    if (!A.Place || !B.Place)
      return A.Place ? A : B;
    return isSame(A.Place, B.Place) ? A : Other;
  }

  bool isCopy(const VarDecl* V) const {
    return V->isLocalVarDeclOrParm() && !V->isStaticLocal() && isDeclaredIn(V, F) &&
           isObjectByValue(V->getType(), Roles);
  }

  /// A variable's copies, by its name; others assign to all copies of the class.
  Origin ofVariable(const VarDecl* V, const Expr* E) {
    if (!Open.insert(V).second)
      return {};
    Origin Out;
    if (isa<ParmVarDecl>(V))
      Out = V->getDeclContext() == F ? Origin{E} : Other; // a lambda may be called twice
    else
      Out = V->getInit() && V->getType()->isRecordType() ? of(V->getInit()) : Other;
    struct Finder final : AstVisitor {
      const VarDecl* Variable;
      llvm::SmallVector<const Expr*> Values;
      bool VisitCXXOperatorCallExpr(CXXOperatorCallExpr* Call) override {
        if (Call->getOperator() == OO_Equal && assignedVariable(Call->getArg(0)) == Variable)
          Values.push_back(Call->getArg(1));
        return true;
      }
    } Find;
    Find.Variable = V;
    Find.TraverseStmt(F->getBody());
    for (const Expr* Value : Find.Values)
      Out = joined(Out, of(Value));
    Open.erase(V);
    return Out;
  }

  /// What a function gives is a copy of its receiver, or of an argument, where each of its returns
  /// is.
  Origin ofResult(const CallExpr* E) {
    constexpr unsigned Deepest = 8;
    const FunctionDecl* Callee = E->getDirectCallee();
    Callee = Callee && Callee->getDefinition() ? Callee->getDefinition() : nullptr;
    const auto* Method = dyn_cast_or_null<CXXMethodDecl>(Callee);
    if (!Callee || !Callee->getBody() || Depth >= Deepest ||
        (Method && (Method->isVirtual() || Method->getParent()->isLambda())))
      return Other;
    OriginFinder Inner(Callee, Roles, Depth + 1);
    Origin Given;
    Inner.addReturns(Callee->getBody(), Given);
    if (!Given.Place)
      return Other;
    const auto* Operator = dyn_cast<CXXOperatorCallExpr>(E);
    const unsigned First = Operator && Method && !Method->isStatic() ? 1 : 0;
    if (isa<CXXThisExpr>(Given.Place)) {
      if (const auto* Call = dyn_cast<CXXMemberCallExpr>(E))
        return of(Call->getImplicitObjectArgument());
      return First == 1 ? of(E->getArg(0)) : Other;
    }
    const auto* Parameter = dyn_cast_or_null<ParmVarDecl>(variableNamed(Given.Place));
    if (!Parameter || Parameter->getDeclContext() != Callee)
      return Other;
    const unsigned K = First + Parameter->getFunctionScopeIndex();
    return K < E->getNumArgs() ? of(E->getArg(K)) : Other;
  }

  void addReturns(const Stmt* S, Origin& Out) {
    if (const auto* Return = dyn_cast_or_null<ReturnStmt>(S)) {
      Out = joined(Out, Return->getRetValue() ? of(Return->getRetValue()) : Other);
    } else if (S && !isa<LambdaExpr>(S)) {
      for (const Stmt* In : S->children())
        addReturns(In, Out);
    }
  }

  const FunctionDecl* F;
  const ClassRoles& Roles;
  unsigned Depth;
  std::set<const VarDecl*> Open; ///< being looked at: what they give themselves is nothing new
};

} // namespace

const VarDecl* assignedVariable(const Expr* To) {
  const VarDecl* V = variableNamed(To->IgnoreParenImpCasts());
  return V && V->isLocalVarDeclOrParm() && !V->getType()->isReferenceType() ? V : nullptr;
}

bool isCopyOf(const FunctionDecl* F, const Expr* From, const Expr* To, const ClassRoles& Roles) {
  OriginFinder Find(F, Roles);
  const Expr* Place = Find.placeOf(To);
  const OriginFinder::Origin Of = Find.of(From);
  return Place && Of.Place && Find.isSame(Of.Place, Place);
}

} // namespace ikra
