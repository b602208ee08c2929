// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What loops of host sections call, and what `this` and names of variables are in there.
#include "ScalarCode.h"

#include "Analysis/Ast/Names.h"
#include "Analysis/Ast/Types.h"

#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"

#include <functional>
#include <vector>

using namespace clang;

namespace ikra {

static bool isLambdaWithoutCaptures(QualType Ty) {
  const CXXRecordDecl* Class = Ty.getNonReferenceType()->getAsCXXRecordDecl();
  return Class && Class->isLambda() && Class->capture_size() == 0;
}

/// Whether a function is the program's own, and its body is known.
static bool isSeen(const FunctionDecl* F) {
  return !F->isVariadic() && F->hasBody() && !F->isDefaulted() &&
         !isOfLibrary(F, F->getASTContext().getSourceManager()) && !isInStd(F) && !isInIkra(F);
}

/// An operator of the program's. One that writes to a stream is output, whatever it does.
static std::optional<CalledCode> calledOperator(const FunctionDecl* Callee,
                                                llvm::ArrayRef<const Expr*> Arguments) {
  if (!isSeen(Callee) || Arguments.empty() || isStream(Arguments.front()->getType()))
    return std::nullopt;
  const auto* Method = dyn_cast<CXXMethodDecl>(Callee);
  if (!Method)
    return CalledCode{Callee->getDefinition(), nullptr, Arguments};
  if (Method->isVirtual() || Method->isStatic())
    return std::nullopt;
  return CalledCode{Callee->getDefinition(), nullptr, Arguments.drop_front(), Arguments.front()};
}

std::optional<CalledCode> calledCode(const Expr* E) {
  const FunctionDecl* Callee = calleeOf(E);
  if (!Callee)
    return std::nullopt;
  const auto* Call = cast<CallExpr>(E);
  const llvm::ArrayRef<const Expr*> Arguments(Call->getArgs(), Call->getNumArgs());
  if (isa<CXXOperatorCallExpr>(Call)) {
    const auto* OfClass = dyn_cast<CXXMethodDecl>(Callee);
    if (!OfClass || !OfClass->getParent()->isLambda())
      return calledOperator(Callee, Arguments);
    const Expr* Code = written(Call->getArg(0));
    if (const auto* Lambda = dyn_cast<LambdaExpr>(Code); Lambda && Callee->hasBody())
      return CalledCode{Callee->getDefinition(), Lambda, Arguments.drop_front(), nullptr,
                        /*IsInPlace=*/true};
    const VarDecl* V = variableNamed(Code);
    if (!V || !Callee->hasBody())
      return std::nullopt;
    const bool IsLocal =
        V->isLocalVarDecl() && !V->getType()->isReferenceType() && V->getInit() != nullptr;
    const auto* Lambda = IsLocal ? dyn_cast<LambdaExpr>(written(V->getInit())) : nullptr;
    if (Lambda && Callee->getParent() == Lambda->getLambdaClass())
      return CalledCode{Callee->getDefinition(), Lambda, Arguments.drop_front()};
    // One that captures nothing is known by its type, also as a parameter.
    if (isLambdaWithoutCaptures(V->getType()))
      return CalledCode{Callee->getDefinition(), nullptr, Arguments.drop_front()};
    return std::nullopt;
  }
  if (Callee->isOverloadedOperator() || !isSeen(Callee))
    return std::nullopt;
  const Expr* Object = nullptr;
  if (const auto* Method = dyn_cast<CXXMemberCallExpr>(Call)) {
    const CXXMethodDecl* Of = Method->getMethodDecl();
    if (!Of || Of->isVirtual() || isa<CXXConversionDecl, CXXDestructorDecl>(Of))
      return std::nullopt;
    Object = Method->getImplicitObjectArgument();
  }
  return CalledCode{Callee->getDefinition(), nullptr, Arguments, Object};
}

SourceRange CalledCode::range() const {
  if (Lambda)
    return Lambda->getSourceRange();
  // Of a lambda's code clang gives the block alone.
  const bool HasParameters = Code->getNumParams() != 0;
  return {HasParameters && Code->getOverloadedOperator() == OO_Call
              ? Code->getParamDecl(0)->getBeginLoc()
              : Code->getBeginLoc(),
          Code->getEndLoc()};
}

/// Whether the fields of a base class have their names in an object of a derived one, too: nothing
/// hides them, none is the base's alone.
static bool areNamedAlike(const CastExpr* ToBase) {
  const CXXRecordDecl* Class = ToBase->getSubExpr()->getType()->getPointeeCXXRecordDecl();
  std::vector<const CXXRecordDecl*> Derived;
  for (const CXXBaseSpecifier* Step : ToBase->path()) {
    if (!Class || Class->getNumBases() != 1 || Step->isVirtual() ||
        (!Derived.empty() && Step->getAccessSpecifier() == AS_private))
      return false;
    Derived.push_back(Class);
    Class = Step->getType()->getAsCXXRecordDecl();
  }
  const std::function<bool(const CXXRecordDecl*)> Fit = [&](const CXXRecordDecl* Base) {
    return llvm::all_of(Base->fields(),
                        [&](const FieldDecl* Field) {
                          return Field->getAccess() != AS_private &&
                                 llvm::all_of(Derived, [&](const CXXRecordDecl* Of) {
                                   return Of->lookup(Field->getDeclName()).empty();
                                 });
                        }) &&
           llvm::all_of(Base->bases(), [&](const CXXBaseSpecifier& Of) {
             const CXXRecordDecl* Next = Of.getType()->getAsCXXRecordDecl();
             return Next && Fit(Next);
           });
  };
  return Class && Fit(Class);
}

bool isThis(const Expr* E) {
  while (const auto* Cast = dyn_cast<ImplicitCastExpr>(E->IgnoreParens())) {
    const bool IsBase =
        Cast->getCastKind() == CK_UncheckedDerivedToBase || Cast->getCastKind() == CK_DerivedToBase;
    if (Cast->getCastKind() != CK_NoOp && !(IsBase && areNamedAlike(Cast)))
      return false;
    E = Cast->getSubExpr();
  }
  return isa<CXXThisExpr>(E->IgnoreParens());
}

bool holdsArrays(QualType Ty) {
  Ty = Ty.getNonReferenceType();
  if (const auto* Array = dyn_cast_or_null<ConstantArrayType>(Ty->getAsArrayTypeUnsafe()))
    return rankOfArray(Array->getElementType()) != 0 || holdsArrays(Array->getElementType());
  if (isStdClass(Ty, "array"))
    return rankOfArray(elementOfContainer(Ty)) != 0 || holdsArrays(elementOfContainer(Ty));
  const CXXRecordDecl* Class = Ty->getAsCXXRecordDecl();
  return Class && Class->hasDefinition() && rankOfArray(Ty) == 0 && !isInStd(Class) &&
         !Class->isLambda() && llvm::any_of(Class->fields(), [](const FieldDecl* Field) {
           const QualType Of = Field->getType();
           return !Of->isReferenceType() && (rankOfArray(Of) != 0 || holdsArrays(Of));
         });
}

std::optional<MemberOfVariable> placeOfVariable(const Expr* E, const Receiver& This) {
  E = E->IgnoreParens();
  if (const auto* Cast = dyn_cast<ImplicitCastExpr>(E); Cast && Cast->getCastKind() == CK_NoOp)
    E = Cast->getSubExpr()->IgnoreParens();
  if (std::optional<MemberOfVariable> Member = memberOfVariable(E, This))
    return Member;
  const VarDecl* V = variableNamed(E);
  if (const auto Known = This.Names.find(V); Known != This.Names.end())
    return MemberOfVariable{Known->second.first, Known->second.second};
  return V && V->hasLocalStorage() && !isa<DecompositionDecl>(V)
             ? std::optional(MemberOfVariable{V, V->getNameAsString()})
             : std::nullopt;
}

std::optional<Receiver> receiverOf(const CalledCode& Of, const Receiver& This) {
  Receiver Out = This;
  for (unsigned K = 0; K < Of.Code->getNumParams() && K < Of.Arguments.size(); ++K) {
    const ParmVarDecl* P = Of.Code->getParamDecl(K);
    if (!P->getType()->isReferenceType() || !holdsArrays(P->getType()))
      continue;
    if (const std::optional<MemberOfVariable> Place = placeOfVariable(Of.Arguments[K], This))
      Out.Names[P] = {Place->Of, Place->Text};
  }
  // `*this += 2`
  const auto* Leads = Of.Object ? dyn_cast<UnaryOperator>(Of.Object->IgnoreParens()) : nullptr;
  if (!Of.Object || isThis(Of.Object) ||
      (Leads && Leads->getOpcode() == UO_Deref && isThis(Leads->getSubExpr())))
    return Out;
  const std::optional<MemberOfVariable> Place = placeOfVariable(Of.Object, This);
  if (!Place)
    return std::nullopt;
  Out.Of = Place->Of;
  Out.Text = Place->Text;
  return Out;
}

} // namespace ikra
