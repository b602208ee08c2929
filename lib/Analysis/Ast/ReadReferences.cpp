// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts the places that name a reference, and those among them that read.

#include "ReadReferences.h"

#include "Analysis/Ast/AstVisitor.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/DenseMap.h"

using namespace clang;

namespace ikra {

namespace {

/// Whether variables are only read; of those whose uses are being counted, that they are not.
using Answers = llvm::DenseMap<const VarDecl*, bool>;

/// The variable that an expression names a part of: `v`, `v.x`, `v[i].y`; null for others.
const VarDecl* variableWithin(const Expr* E) {
  E = E->IgnoreParens();
  if (const auto* Name = dyn_cast<DeclRefExpr>(E)) {
    if (const auto* Part = dyn_cast<BindingDecl>(Name->getDecl()))
      return dyn_cast_or_null<VarDecl>(Part->getDecomposedDecl());
    return dyn_cast<VarDecl>(Name->getDecl());
  }
  if (const auto* Cast = dyn_cast<ImplicitCastExpr>(E))
    return Cast->getCastKind() == CK_NoOp || Cast->getCastKind() == CK_ArrayToPointerDecay ||
                   Cast->getCastKind() == CK_DerivedToBase ||
                   Cast->getCastKind() == CK_UncheckedDerivedToBase
               ? variableWithin(Cast->getSubExpr())
               : nullptr;
  if (const auto* Member = dyn_cast<MemberExpr>(E))
    return !Member->isArrow() && isa<FieldDecl>(Member->getMemberDecl())
               ? variableWithin(Member->getBase())
               : nullptr;
  if (const auto* Element = dyn_cast<ArraySubscriptExpr>(E))
    return variableWithin(Element->getBase());
  // The library's containers and pairs give parts of their own.
  if (const auto* Call = dyn_cast<CXXOperatorCallExpr>(E);
      Call && Call->getOperator() == OO_Subscript && Call->getDirectCallee() &&
      isInStd(Call->getDirectCallee()))
    return variableWithin(Call->getArg(0));
  if (const auto* Call = dyn_cast<CXXMemberCallExpr>(E);
      Call && Call->getMethodDecl() && isInStd(Call->getMethodDecl()) &&
      Call->getMethodDecl()->getDeclName().isIdentifier()) {
    const llvm::StringRef Name = Call->getMethodDecl()->getName();
    if (Name == "at" || Name == "front" || Name == "back")
      return variableWithin(Call->getImplicitObjectArgument());
  }
  return nullptr;
}

bool couldWrite(QualType Ty, const ClassRoles& Roles) {
  return Ty->isLValueReferenceType() && isWritableReference(Ty, Roles);
}

class UseCounter final : public AstVisitor {
public:
  UseCounter(const VarDecl* V, const ClassRoles& Roles, Answers& Known)
      : V(V), Roles(Roles), Known(Known) {}

  bool VisitDeclRefExpr(DeclRefExpr* E) override {
    Named += variableWithin(E) == V;
    return true;
  }
  bool VisitCastExpr(CastExpr* E) override {
    const bool IsConstant = E->getCastKind() == CK_NoOp && E->isGLValue() &&
                            E->getType().isConstQualified() &&
                            !E->getSubExpr()->getType().isConstQualified();
    if (isa<ImplicitCastExpr>(E) && (E->getCastKind() == CK_LValueToRValue || IsConstant))
      note(E->getSubExpr());
    return true;
  }
  bool VisitVarDecl(VarDecl* D) override {
    if (D != V && D->getInit() && couldWrite(D->getType(), Roles) && names(D->getInit()) &&
        isRead(D))
      note(D->getInit());
    return true;
  }
  bool VisitCXXForRangeStmt(CXXForRangeStmt* S) override {
    const VarDecl* Each = S->getLoopVariable();
    if (Each && names(S->getRangeInit()) &&
        (!isWritableReference(Each->getType(), Roles) ||
         (couldWrite(Each->getType(), Roles) && isRead(Each))))
      note(S->getRangeInit());
    return true;
  }
  bool VisitCallExpr(CallExpr* E) override {
    const FunctionDecl* Callee = E->getDirectCallee();
    if (!Callee || isa<CXXMethodDecl>(Callee) != isa<CXXMemberCallExpr>(E))
      return true; // operators, and what is called through pointers
    for (unsigned K = 0; K < Callee->getNumParams() && K < E->getNumArgs(); ++K) {
      const ParmVarDecl* To = Callee->getParamDecl(K);
      if (couldWrite(To->getType(), Roles) && names(E->getArg(K)) && isRead(To))
        note(E->getArg(K));
    }
    return true;
  }

  bool isRead(const VarDecl* Other);
  unsigned Named = 0, Read = 0;

private:
  /// Whether it names the variable. Asked first: what others are bound to takes a walk each.
  bool names(const Expr* E) const {
    const auto* Choice = dyn_cast<ConditionalOperator>(E->IgnoreParens());
    return Choice ? names(Choice->getTrueExpr()) || names(Choice->getFalseExpr())
                  : variableWithin(E) == V;
  }
  void note(const Expr* E) {
    if (const auto* Choice = dyn_cast<ConditionalOperator>(E->IgnoreParens())) {
      note(Choice->getTrueExpr());
      note(Choice->getFalseExpr());
    } else {
      Read += variableWithin(E) == V;
    }
  }

  const VarDecl* V;
  const ClassRoles& Roles;
  Answers& Known;
};

bool isReadThrough(const VarDecl* V, const ClassRoles& Roles, Answers& Known) {
  const auto* In = dyn_cast_or_null<FunctionDecl>(V->getDeclContext());
  // The compiler's own variables are handed to begin() and end(), in code that is not walked.
  if (!couldWrite(V->getType(), Roles) || !In || V->isImplicit())
    return false;
  const FunctionDecl* Body = nullptr;
  if (!In->hasBody(Body) || Body->isDependentContext())
    return false;
  if (const auto* Parameter = dyn_cast<ParmVarDecl>(V)) {
    const auto* Method = dyn_cast<CXXMethodDecl>(Body);
    if (Method && (Method->isVirtual() || Method->getParent()->isLambda() || Body->isDefaulted() ||
                   Method->isOverloadedOperator()))
      return false;
    V = Body->getParamDecl(Parameter->getFunctionScopeIndex());
  }
  if (const auto [At, IsNew] = Known.try_emplace(V, false); !IsNew)
    return At->second; // not, where a function hands it to itself
  UseCounter Count(V, Roles, Known);
  if (const auto* Constructor = dyn_cast<CXXConstructorDecl>(Body))
    for (const CXXCtorInitializer* Init : Constructor->inits())
      Count.TraverseStmt(Init->getInit());
  Count.TraverseStmt(Body->getBody());
  return Known[V] = Count.Named == Count.Read;
}

bool UseCounter::isRead(const VarDecl* Other) { return isReadThrough(Other, Roles, Known); }

} // namespace

bool isWritableVariable(const VarDecl* V, const ClassRoles& Roles) {
  Answers Known;
  return isWritableReference(V->getType(), Roles) && !isReadThrough(V, Roles, Known);
}

QualType typeInSection(const VarDecl* V, const ClassRoles& Roles) {
  const QualType Ty = V->getType();
  if (!couldWrite(Ty, Roles) || isWritableVariable(V, Roles))
    return Ty;
  ASTContext& Context = V->getASTContext();
  QualType To = Ty->getPointeeType().withConst();
  if (const ArrayType* Array = Context.getAsArrayType(To))
    To = QualType(Array, 0); // of constants
  return Context.getLValueReferenceType(To);
}

} // namespace ikra
