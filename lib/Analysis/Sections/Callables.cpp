// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions are trees of AST nodes like those that clang makes of text; they are part of no
// declaration context, so nothing else finds them.

#include "Callables.h"

#include "Analysis/Ast/AstVisitor.h"
#include "Analysis/Ast/Names.h"
#include "Analysis/Ast/Types.h"

#include "clang/AST/CXXInheritance.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSet.h"

using namespace clang;

namespace ikra {

namespace {

class Maker {
public:
  Maker(ASTContext& Context, SourceLocation At) : Context(Context), At(At) {}

  FunctionDecl* function(llvm::StringRef Name, QualType Result, llvm::ArrayRef<QualType> Types) {
    const QualType Ty = Context.getFunctionType(Result, Types, FunctionProtoType::ExtProtoInfo());
    FunctionDecl* F = FunctionDecl::Create(Context, Context.getTranslationUnitDecl(), At, At,
                                           DeclarationName(&Context.Idents.get(Name)), Ty,
                                           Context.getTrivialTypeSourceInfo(Ty, At), SC_Static);
    llvm::SmallVector<ParmVarDecl*> Parameters;
    for (unsigned K = 0; K < Types.size(); ++K) {
      IdentifierInfo* Id = &Context.Idents.get(K == 0 ? "first" : "more_" + std::to_string(K));
      Parameters.push_back(ParmVarDecl::Create(Context, F, At, At, Id, Types[K],
                                               Context.getTrivialTypeSourceInfo(Types[K], At),
                                               SC_None, nullptr));
      Parameters.back()->setScopeInfo(0, K);
    }
    F->setParams(Parameters);
    return F;
  }

  /// `{ return E; }`, or `{ E; }` where \p F gives nothing.
  void setBody(FunctionDecl* F, Expr* E) {
    Stmt* Only = E;
    if (!F->getReturnType()->isVoidType())
      Only = ReturnStmt::Create(Context, At, E, nullptr);
    F->setBody(CompoundStmt::Create(Context, {Only}, FPOptionsOverride(), At, At));
  }

  Expr* name(ValueDecl* D, QualType Ty, bool IsCaptured = false) {
    return DeclRefExpr::Create(Context, NestedNameSpecifierLoc(), SourceLocation(), D, IsCaptured,
                               At, Ty.getNonReferenceType(), VK_LValue);
  }

  Expr* cast(Expr* E, QualType Ty, CastKind Kind, ExprValueKind Value,
             const CXXCastPath* Path = nullptr) {
    return ImplicitCastExpr::Create(Context, Ty, Kind, E, Path, Value, FPOptionsOverride());
  }

  /// An object, or a pointer to one, as one of its base \p To.
  Expr* toBase(Expr* E, const CXXBasePath& Way, QualType To) {
    CXXCastPath Path;
    for (const CXXBasePathElement& Step : Way)
      Path.push_back(const_cast<CXXBaseSpecifier*>(Step.Base));
    const bool IsPointer = E->getType()->isPointerType();
    return cast(E, IsPointer ? Context.getPointerType(To) : To, CK_UncheckedDerivedToBase,
                IsPointer ? VK_PRValue : VK_LValue, &Path);
  }

  /// What a parameter is handed on as: a value is read.
  Expr* argument(ParmVarDecl* P) {
    Expr* Name = name(P, P->getType());
    if (P->getType()->isRValueReferenceType()) // which its name is no more
      return CXXStaticCastExpr::Create(
          Context, P->getType().getNonReferenceType(), VK_XValue, CK_NoOp, Name, nullptr,
          Context.getTrivialTypeSourceInfo(P->getType(), At), FPOptionsOverride(), At, At, At);
    const bool IsRead = !P->getType()->isReferenceType() && P->getType()->isScalarType();
    return IsRead ? cast(Name, P->getType(), CK_LValueToRValue, VK_PRValue) : Name;
  }

private:
  ASTContext& Context;
  SourceLocation At;
};

} // namespace

namespace {

/// Looks through a function for what could change captured variables, or hide their names.
class ChangeFinder final : public AstVisitor {
public:
  /// \p V is captured; \p ByValue: at another time than the section is made.
  void add(const ValueDecl* V, bool ByValue) {
    Names.insert(V->getName());
    Captured.insert(V);
    if (ByValue && !V->getType().isConstQualified())
      Copied.insert(V);
  }
  bool finds(const FunctionDecl* F) {
    In = F;
    TraverseStmt(F->getBody());
    return IsHidden || Named != Read;
  }

  // What other lambdas declare hides nothing outside of them.
  bool VisitVarDecl(VarDecl* V) override {
    IsHidden |= V->getDeclContext() == In && !Captured.contains(V) && V->getIdentifier() &&
                Names.contains(V->getName());
    return true;
  }
  bool VisitBindingDecl(BindingDecl* B) override {
    IsHidden |= B->getDeclContext() == In && !Captured.contains(B) && Names.contains(B->getName());
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr* E) override {
    Named += Copied.contains(E->getDecl());
    return true;
  }
  bool VisitCastExpr(CastExpr* E) override {
    const ValueDecl* Name = declNamed(E->getSubExpr()->IgnoreParens());
    const bool IsRead = E->getCastKind() == CK_LValueToRValue ||
                        (E->getCastKind() == CK_NoOp && E->getType().isConstQualified());
    Read += IsRead && Name && Copied.contains(Name);
    return true;
  }

private:
  llvm::StringSet<> Names;
  llvm::SmallPtrSet<const ValueDecl*, 4> Captured, Copied;
  const FunctionDecl* In = nullptr;
  unsigned Named = 0, Read = 0;
  bool IsHidden = false;
};

} // namespace

const LambdaExpr* lambdaIn(const DeclRefExpr* Name, const FunctionDecl* Inside) {
  const auto* V = dyn_cast<VarDecl>(Name->getDecl());
  if (!V || !V->isLocalVarDecl() || V->isStaticLocal() || !V->hasInit() ||
      V->getType()->isReferenceType() || V->getDeclContext() != Inside)
    return nullptr;
  const auto* Lambda = dyn_cast<LambdaExpr>(V->getInit()->IgnoreUnlessSpelledInSource());
  if (!Lambda)
    return nullptr;
  ChangeFinder Changes;
  for (const LambdaCapture& C : Lambda->captures()) {
    if (C.capturesThis() && C.getCaptureKind() != LCK_StarThis)
      continue;
    const ValueDecl* Captured = C.capturesVariable() ? C.getCapturedVar() : nullptr;
    const bool ByValue = C.getCaptureKind() == LCK_ByCopy;
    // What a reference leads to may change unseen.
    if (!Captured || Captured->isInitCapture() ||
        (ByValue && Captured->getType()->isReferenceType()))
      return nullptr;
    Changes.add(Captured, ByValue);
  }
  return Changes.finds(Inside) ? nullptr : Lambda;
}

const FunctionDecl* callOfMember(ASTContext& Context, const ValueDecl* Member, QualType Element,
                                 SourceLocation At) {
  const bool IsPointer = Element->isPointerType();
  const QualType Object = IsPointer ? Element->getPointeeType() : Element;
  const CXXRecordDecl* Class = Object->getAsCXXRecordDecl();
  const auto* Owner = dyn_cast<CXXRecordDecl>(Member->getDeclContext());
  if (!Class || !Owner || !Class->hasDefinition())
    return nullptr;
  CXXBasePaths Paths;
  const bool IsOwn = declaresSameEntity(Class, Owner);
  if (!IsOwn && !Class->isDerivedFrom(Owner, Paths))
    return nullptr;

  const auto* Method = dyn_cast<CXXMethodDecl>(Member);
  llvm::SmallVector<QualType> Types{Element.getUnqualifiedType()};
  if (Method)
    for (const ParmVarDecl* P : Method->parameters())
      Types.push_back(P->getType());
  const QualType Given = Method ? Method->getReturnType() : Member->getType();
  const QualType Result = Method ? Given : Given.getNonReferenceType().getUnqualifiedType();

  Maker Make(Context, At);
  FunctionDecl* F = Make.function(Member->getNameAsString(), Result, Types);
  Expr* Base = Make.name(F->getParamDecl(0), Types[0]);
  if (IsPointer)
    Base = Make.cast(Base, Types[0], CK_LValueToRValue, VK_PRValue);
  if (!IsOwn)
    Base =
        Make.toBase(Base, Paths.front(),
                    Context.getQualifiedType(Context.getRecordType(Owner), Object.getQualifiers()));
  const QualType Kind = Method ? QualType(Context.BoundMemberTy) : Given.getNonReferenceType();
  Expr* Named = MemberExpr::CreateImplicit(Context, Base, IsPointer, const_cast<ValueDecl*>(Member),
                                           Kind, Method ? VK_PRValue : VK_LValue, OK_Ordinary);
  if (!Method) {
    if (Given.getNonReferenceType()->isScalarType())
      Named = Make.cast(Named, Result, CK_LValueToRValue, VK_PRValue);
    Make.setBody(F, Named);
    return F;
  }
  llvm::SmallVector<Expr*> Arguments;
  for (ParmVarDecl* P : F->parameters().drop_front())
    Arguments.push_back(Make.argument(P));
  Make.setBody(F, CXXMemberCallExpr::Create(Context, Named, Arguments, Result.getNonReferenceType(),
                                            Expr::getValueKindForType(Result), At,
                                            FPOptionsOverride()));
  return F;
}

ObjectCall callOfObject(ASTContext& Context, const CXXRecordDecl* Class,
                        const CXXMethodDecl* Operator, SourceLocation At) {
  const QualType Ty = Context.getRecordType(Class).withConst();
  VarDecl* Object = VarDecl::Create(Context, Context.getTranslationUnitDecl(), At, At,
                                    &Context.Idents.get("function_object"), Ty,
                                    Context.getTrivialTypeSourceInfo(Ty, At), SC_None);
  llvm::SmallVector<QualType> Types;
  for (const ParmVarDecl* P : Operator->parameters())
    Types.push_back(P->getType());
  const QualType Result = Operator->getReturnType();
  Maker Make(Context, At);
  FunctionDecl* F = Make.function("call", Result, Types);
  Expr* Called = Make.name(Object, Ty, /*IsCaptured=*/true);
  if (CXXBasePaths Paths; !declaresSameEntity(Class, Operator->getParent()) &&
                          Class->isDerivedFrom(Operator->getParent(), Paths))
    Called = Make.toBase(Called, Paths.front(),
                         Context.getRecordType(Operator->getParent()).withConst());
  llvm::SmallVector<Expr*> Arguments{Called};
  for (auto [P, Of] : llvm::zip_equal(F->parameters(), Operator->parameters())) {
    Arguments.push_back(Make.argument(P));
    if (const Expr* Default = defaultOf(Of))
      P->setDefaultArg(const_cast<Expr*>(Default));
  }
  auto* Callee = const_cast<CXXMethodDecl*>(Operator);
  Expr* Name =
      Make.cast(Make.name(Callee, Callee->getType()), Context.getPointerType(Callee->getType()),
                CK_FunctionToPointerDecay, VK_PRValue);
  Make.setBody(F, CXXOperatorCallExpr::Create(
                      Context, OO_Call, Name, Arguments, Result.getNonReferenceType(),
                      Expr::getValueKindForType(Result), At, FPOptionsOverride()));
  return {F, Object};
}

} // namespace ikra
