// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the places that name a reference, and those among them that read.

#include "ReadReferences.h"

#include "Analysis/Ast/AstVisitor.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace clang;

namespace ikra {

namespace {

/// Whether variables are only read; of those whose uses are being looked at, that they are not.
using Answers = llvm::DenseMap<const VarDecl*, bool>;

/// Where an expression that is a part of a variable names it: `v`, `v.x`, `v[i].y`; null for
/// others.
const DeclRefExpr* nameWithin(const Expr* E) {
  E = E->IgnoreParens();
  if (const auto* Name = dyn_cast<DeclRefExpr>(E))
    return Name;
  if (const auto* Cast = dyn_cast<ImplicitCastExpr>(E))
    return Cast->getCastKind() == CK_NoOp || Cast->getCastKind() == CK_ArrayToPointerDecay ||
                   Cast->getCastKind() == CK_DerivedToBase ||
                   Cast->getCastKind() == CK_UncheckedDerivedToBase
               ? nameWithin(Cast->getSubExpr())
               : nullptr;
  if (const auto* Member = dyn_cast<MemberExpr>(E))
    return !Member->isArrow() && isa<FieldDecl>(Member->getMemberDecl())
               ? nameWithin(Member->getBase())
               : nullptr;
  if (const auto* Element = dyn_cast<ArraySubscriptExpr>(E))
    return nameWithin(Element->getBase());
  // The library's containers and pairs give parts of their own.
  if (const auto* Call = dyn_cast<CXXOperatorCallExpr>(E);
      Call && Call->getOperator() == OO_Subscript && Call->getDirectCallee() &&
      isInStd(Call->getDirectCallee()))
    return nameWithin(Call->getArg(0));
  if (const auto* Call = dyn_cast<CXXMemberCallExpr>(E);
      Call && Call->getMethodDecl() && isInStd(Call->getMethodDecl()) &&
      Call->getMethodDecl()->getDeclName().isIdentifier()) {
    const llvm::StringRef Name = Call->getMethodDecl()->getName();
    if (Name == "at" || Name == "front" || Name == "back")
      return nameWithin(Call->getImplicitObjectArgument());
  }
  return nullptr;
}

bool refersTo(const DeclRefExpr* Name, const VarDecl* V) {
  if (const auto* Part = dyn_cast<BindingDecl>(Name->getDecl()))
    return Part->getDecomposedDecl() == V;
  return Name->getDecl() == V;
}

bool couldWrite(QualType Ty, const ClassRoles& Roles) {
  return Ty->isLValueReferenceType() && isWritableReference(Ty, Roles) &&
         !isStdClass(Ty->getPointeeType(), "span"); // a constant one's elements may be written
}

class UseFinder final : public AstVisitor {
public:
  UseFinder(const VarDecl* V, const ClassRoles& Roles, Answers& Known)
      : V(V), Roles(Roles), Known(Known) {}

  bool VisitDeclRefExpr(DeclRefExpr* E) override {
    if (refersTo(E, V))
      Named.insert(E);
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
  bool allRead() const {
    return llvm::all_of(Named, [&](const DeclRefExpr* Name) { return Read.contains(Name); });
  }

private:
  /// Whether it names the variable. Asked first: what others are bound to takes a walk each.
  bool names(const Expr* E) const {
    if (const auto* Choice = dyn_cast<ConditionalOperator>(E->IgnoreParens()))
      return names(Choice->getTrueExpr()) || names(Choice->getFalseExpr());
    const DeclRefExpr* Name = nameWithin(E);
    return Name && refersTo(Name, V);
  }
  void note(const Expr* E) {
    if (const auto* Choice = dyn_cast<ConditionalOperator>(E->IgnoreParens())) {
      note(Choice->getTrueExpr());
      note(Choice->getFalseExpr());
    } else if (const DeclRefExpr* Name = nameWithin(E)) {
      Read.insert(Name);
    }
  }

  llvm::SmallPtrSet<const DeclRefExpr*, 8> Named, Read;
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
  UseFinder Find(V, Roles, Known);
  if (const auto* Constructor = dyn_cast<CXXConstructorDecl>(Body))
    for (const CXXCtorInitializer* Init : Constructor->inits())
      Find.TraverseStmt(Init->getInit());
  Find.TraverseStmt(Body->getBody());
  return Known[V] = Find.allRead();
}

bool UseFinder::isRead(const VarDecl* Other) { return isReadThrough(Other, Roles, Known); }

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
