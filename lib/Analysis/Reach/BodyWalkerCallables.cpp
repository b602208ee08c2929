// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Function objects, functions and lambdas that the bodies hand to the standard library: std::visit,
// std::apply, std::invoke and algorithms. In device code these call what they are given as it is,
// so an object of the user's class comes with functions that call it (Conversions.h), one for each
// list of types that it is called with; so does a lambda whose arguments a class converts.

#include "Analysis/Ast/Conversions.h"
#include "Analysis/Ast/Names.h"
#include "BodyWalker.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace clang;

namespace ikra {

/// The function that \p E names, as an argument; null for all else.
static const FunctionDecl* functionNamed(const Expr* E) {
  E = E->IgnoreParenImpCasts();
  if (const auto* Address = dyn_cast<UnaryOperator>(E);
      Address && Address->getOpcode() == UO_AddrOf)
    E = Address->getSubExpr()->IgnoreParens();
  const auto* F = dyn_cast_or_null<FunctionDecl>(declNamed(E));
  return F && (!isa<CXXMethodDecl>(F) || cast<CXXMethodDecl>(F)->isStatic()) ? F : nullptr;
}

/// True where \p E copies an object that stays.
static bool copiesWhatStays(const Expr* E) {
  const auto* Construct = dyn_cast<CXXConstructExpr>(E->IgnoreImplicit());
  return Construct && Construct->getConstructor()->isCopyOrMoveConstructor();
}

bool BodyWalker::isCallable(const Expr* E) const {
  const QualType Ty = E->getType();
  return functionNamed(E) || isClosure(Ty) ||
         (!isOperatorObject(Ty) && valueClassOf(Ty, roles()) &&
          isUserClass(Ty.getNonReferenceType()->getAsCXXRecordDecl()));
}

bool BodyWalker::isFunction(const Expr* E) const {
  const CXXRecordDecl* Class = E->getType().getNonReferenceType()->getAsCXXRecordDecl();
  const DeclarationName Call =
      Collector.Builder.Context.DeclarationNames.getCXXOperatorName(OO_Call);
  return isCallable(E) && (!Class || Class->isLambda() || !Class->lookup(Call).empty());
}

/// What a function of callOf() calls; null where it converts the result.
static const FunctionDecl* calledBy(const FunctionDecl* Call) {
  const Stmt* Only = cast<CompoundStmt>(Call->getBody())->body_front();
  const Expr* E = isa<ReturnStmt>(Only) ? cast<ReturnStmt>(Only)->getRetValue() : cast<Expr>(Only);
  const auto* Made = dyn_cast<CallExpr>(E->IgnoreImplicit());
  return Made && !isa<CXXMemberCallExpr>(Made) ? Made->getDirectCallee() : nullptr;
}

/// Makes the types constant whose values a function takes, or reads alone. \returns whether some
/// were not
static bool takeConstants(const FunctionDecl* Callee, llvm::SmallVectorImpl<QualType>& Given,
                          const ASTContext& Context) {
  bool Were = true;
  for (unsigned K = 0; Callee && K < Given.size() && K < Callee->getNumParams(); ++K) {
    const QualType Takes = Callee->getParamDecl(K)->getType();
    const QualType Gives = Given[K].getNonReferenceType();
    const bool Changes =
        Takes->isReferenceType() && !Takes.getNonReferenceType().isConstQualified();
    if (Changes || !Given[K]->isLValueReferenceType() || Gives.isConstQualified())
      continue;
    Given[K] = Context.getLValueReferenceType(Gives.withConst());
    Were = false;
  }
  return !Were;
}

/// Whether the calls of a lambda are as device code makes them by itself.
static bool callsAsItIs(const FunctionDecl* Call, const CallShape& Shape) {
  const FunctionDecl* Callee = calledBy(Call);
  if (!Callee)
    return false; // around it stands a conversion
  for (unsigned K = 0; K < Shape.Given.size() && K < Callee->getNumParams(); ++K)
    if (isConvertedByClass(Shape.Given[K], Callee->getParamDecl(K)->getType()))
      return false;
  return true;
}

/// Whether a class may convert what a lambda, or one of several in a class, is called with, or what
/// it gives. Generic ones take what they are given.
static bool mayConvert(QualType Closure, llvm::ArrayRef<llvm::SmallVector<QualType, 3>> Lists,
                       QualType Result) {
  const CXXRecordDecl* Class = Closure.getNonReferenceType()->getAsCXXRecordDecl();
  llvm::SmallVector<const CXXRecordDecl*> Lambdas{Class};
  for (const CXXBaseSpecifier& Base : Class->bases())
    Lambdas.push_back(Base.getType()->getAsCXXRecordDecl());
  bool Converts = false;
  for (const CXXRecordDecl* Lambda : Lambdas) {
    const CXXMethodDecl* Operator = Lambda->isLambda() ? Lambda->getLambdaCallOperator() : nullptr;
    if (!Operator)
      continue;
    if (Operator->getDescribedFunctionTemplate())
      return false;
    Converts |= !Result.isNull() && isConvertedByClass(Operator->getReturnType(), Result);
    for (const auto& Types : Lists)
      for (unsigned K = 0; K < Types.size() && K < Operator->getNumParams(); ++K)
        Converts |= isConvertedByClass(Types[K], Operator->getParamDecl(K)->getType());
  }
  return Converts;
}

bool BodyWalker::visitCallable(const Expr* E, llvm::ArrayRef<CallList> Lists, QualType Result,
                               bool IsCopied, llvm::ArrayRef<const Expr*> Variants) {
  const bool TellsIds =
      llvm::any_of(Variants, [](const Expr* Variant) { return holdsObjects(Variant->getType()); });
  if (isClosure(E->getType()) && !TellsIds && !mayConvert(E->getType(), Lists, Result)) {
    visit(E, Access::Read);
    return true;
  }
  ASTContext& Context = Collector.Builder.Context;
  Adapter Out;
  CallShape Shape;
  Shape.Result = Result;
  Shape.Function = functionNamed(E);
  Out.HasObject = Shape.Function == nullptr;
  Out.IsCopied = IsCopied && copiesWhatStays(E);
  if (Out.HasObject) {
    const QualType Ty = E->getType().getNonReferenceType();
    Shape.Object =
        Context.getLValueReferenceType(E->isLValue() && !IsCopied ? Ty : Ty.getUnqualifiedType());
  }
  bool AreNeeded = !isClosure(E->getType()) || TellsIds;
  std::set<std::vector<const void*>> Known;
  for (const CallList& Types : Lists) {
    std::vector<const void*> Key;
    for (const QualType Ty : Types)
      Key.push_back(Ty.getCanonicalType().getAsOpaquePtr());
    if (!Known.insert(Key).second)
      continue;
    Shape.Given.assign(Types.begin(), Types.end());
    const FunctionDecl* Call = callOf(Collector.Builder.Compiler, Shape, Decl, E->getExprLoc());
    // Columns that a section only reads hold constants.
    if (Call && TellsIds && takeConstants(calledBy(Call), Shape.Given, Context))
      Call = callOf(Collector.Builder.Compiler, Shape, Decl, E->getExprLoc());
    if (Call && TellsIds) {
      Out.Alternatives.emplace_back();
      for (std::size_t K = 0; K < Types.size(); ++K)
        Out.Alternatives.back().push_back(alternativeIn(Variants[K]->getType(), Types[K]));
    }
    if (Call)
      Out.Calls.push_back(Call);
    else if (!isClosure(E->getType()))
      return false;
    AreNeeded = AreNeeded || (Call && !callsAsItIs(Call, Shape));
  }
  if (Out.HasObject)
    visit(E, Access::Read);
  if (!AreNeeded)
    return true;
  if (Out.Calls.size() != Known.size())
    return false;
  for (const FunctionDecl* Call : Out.Calls) {
    if (!Call->getReturnType()->isVoidType())
      checkType(Call->getReturnType(), E->getExprLoc());
    for (const ParmVarDecl* P : Call->parameters().drop_front(Out.HasObject ? 1 : 0))
      checkType(P->getType(), E->getExprLoc());
    llvm::SaveAndRestore Depth(Conditional, Conditional + 1);
    llvm::SaveAndRestore Left(MayHaveLeft, MayHaveLeft);
    llvm::SaveAndRestore Function(Returning, Call);
    visit(Call->getBody());
  }
  function().Adapters[E] = std::move(Out);
  return true;
}

void BodyWalker::visitInvoke(const CallExpr* E) {
  const llvm::ArrayRef<const Expr*> Arguments(E->getArgs(), E->getNumArgs());
  ASTContext& Context = Collector.Builder.Context;
  const Expr* Called = Arguments.front();
  const CXXRecordDecl* Class = Called->getType().getNonReferenceType()->getAsCXXRecordDecl();
  if ((isOperatorObject(Called->getType()) || (Class && isExtremum(Class))) &&
      llvm::all_of(Arguments.drop_front(),
                   [](const Expr* Given) { return Given->getType()->isArithmeticType(); }))
    return visitAll(Arguments);
  if (!isCallable(Called))
    return refuseCall(E, E->getDirectCallee());
  CallShape Shape;
  Shape.Function = functionNamed(Called);
  if (!Shape.Function)
    Shape.Object = lvalueOf(Called->getType());
  for (const Expr* Given : Arguments.drop_front()) {
    const QualType Ty = Given->getType();
    if (Given->isLValue())
      Shape.Given.push_back(lvalueOf(Ty));
    else
      Shape.Given.push_back(Ty->isScalarType() ? Ty.getUnqualifiedType()
                                               : Context.getRValueReferenceType(Ty));
  }
  const FunctionDecl* Call = callOf(Collector.Builder.Compiler, Shape, Decl, E->getExprLoc());
  const FunctionDecl* Callee = Call ? calledBy(Call) : nullptr;
  if (!Callee || !visitCallable(Called, CallList(Shape.Given), QualType(), /*IsCopied=*/false))
    return refuseCall(E, E->getDirectCallee());
  visitArguments(Callee, Arguments.drop_front());
}

//===-- what functions are called with -----------------------------------------------------===//

/// The types that a tuple, pair or variant holds.
static llvm::SmallVector<QualType> typesIn(QualType Ty) {
  llvm::SmallVector<QualType> Out;
  const auto* Class = dyn_cast_or_null<ClassTemplateSpecializationDecl>(
      Ty.getNonReferenceType()->getAsCXXRecordDecl());
  if (!Class)
    return Out;
  for (const TemplateArgument& Argument : Class->getTemplateArgs().asArray())
    if (Argument.getKind() == TemplateArgument::Pack)
      for (const TemplateArgument& Of : Argument.getPackAsArray())
        Out.push_back(Of.getAsType());
    else if (Argument.getKind() == TemplateArgument::Type)
      Out.push_back(Argument.getAsType());
  return Out;
}

QualType BodyWalker::lvalueOf(QualType Ty) const {
  return Collector.Builder.Context.getLValueReferenceType(Ty.getNonReferenceType());
}

std::vector<BodyWalker::CallList> BodyWalker::callsOfVisit(llvm::ArrayRef<const Expr*> Variants) {
  std::vector<CallList> Out{{}};
  for (const Expr* Variant : Variants) {
    const bool IsConst = Variant->getType().getNonReferenceType().isConstQualified();
    std::vector<CallList> Longer;
    for (const CallList& Before : Out)
      for (const QualType Held : typesIn(Variant->getType())) {
        Longer.push_back(Before);
        Longer.back().push_back(lvalueOf(IsConst ? Held.withConst() : Held));
      }
    Out = std::move(Longer);
  }
  return Out;
}

BodyWalker::CallList BodyWalker::callOfApply(const Expr* Tuple) {
  ASTContext& Context = Collector.Builder.Context;
  const bool IsConst = Tuple->getType().getNonReferenceType().isConstQualified();
  CallList Out;
  for (const QualType Held : typesIn(Tuple->getType()))
    if (Held->isReferenceType())
      Out.push_back(Held);
    else if (Tuple->isLValue() || IsConst)
      Out.push_back(lvalueOf(IsConst ? Held.withConst() : Held));
    else
      Out.push_back(Context.getRValueReferenceType(Held));
  return Out;
}

QualType BodyWalker::elementIn(const AlgorithmArgument& Given) {
  const QualType Ty = Given.Given->getType();
  if (Given.Part == AlgorithmArgument::Whole)
    return isPointer(Ty) ? pointedTo(Ty) : Ty.getNonReferenceType();
  const QualType Element = elementOfContainer(Ty);
  return Ty.getNonReferenceType().isConstQualified() ? Element.withConst() : Element;
}

std::optional<BodyWalker::AlgorithmCalls> BodyWalker::callsOfAlgorithm(const AlgorithmCall& Of) {
  const std::size_t Count = Of.Arguments.size();
  const auto Given = [&](unsigned K) { return Of.Arguments[K].Given; };
  const auto Element = [&](unsigned K) { return lvalueOf(elementIn(Of.Arguments[K])); };
  const auto Value = [&](unsigned K) {
    return lvalueOf(Given(K)->getType().getNonReferenceType().withConst());
  };
  const QualType Truth = Collector.Builder.Context.BoolTy;
  if (!isCallable(functionOf(Of)))
    return std::nullopt;
  switch (Of.Row->With) {
  case StdFunction::Nothing:
    break;
  case StdFunction::Test:
    if (Count == (Of.Name == "copy_if" || Of.Name == "replace_if" ? 4 : 3))
      return AlgorithmCalls{{{Element(0)}}, Truth};
    break;
  case StdFunction::Each:
    if (Count == 3)
      return AlgorithmCalls{{{Element(0)}}, QualType()};
    break;
  case StdFunction::Made:
    if (Count == 3)
      return AlgorithmCalls{{CallList()}, Element(0).getNonReferenceType()};
    break;
  case StdFunction::Order:
    if (Count == 3)
      return AlgorithmCalls{{{Element(0), Element(0)}}, Truth};
    break;
  case StdFunction::Transform:
    if (Count == 4)
      return AlgorithmCalls{{{Element(0)}}, Element(2).getNonReferenceType()};
    if (Count == 5)
      return AlgorithmCalls{{{Element(0), Element(2)}}, Element(3).getNonReferenceType()};
    break;
  case StdFunction::Fold:
    if (Count == 4) {
      const QualType Sum = Given(2)->getType().getNonReferenceType().getUnqualifiedType();
      return AlgorithmCalls{{{lvalueOf(Sum), Element(0)}}, Sum};
    }
    break;
  case StdFunction::Running:
    if (Count == 4) {
      const QualType Kept = elementIn(Of.Arguments[0]).getUnqualifiedType();
      return AlgorithmCalls{{{lvalueOf(Kept), lvalueOf(Kept)}}, Kept};
    }
    break;
  case StdFunction::Product:
    if (Count == 6)
      return AlgorithmCalls{{{Element(0), Element(2)}}, QualType()};
    break;
  case StdFunction::ElementAndValue:
    if (Count == 4)
      return AlgorithmCalls{{{Element(0), Value(2)}}, Truth};
    break;
  case StdFunction::ValueAndElement:
    if (Count == 4)
      return AlgorithmCalls{{{Value(2), Element(0)}}, Truth};
    break;
  case StdFunction::BothWays:
    if (Count == 4)
      return AlgorithmCalls{{{Element(0), Value(2)}, {Value(2), Element(0)}}, Truth};
    break;
  }
  return std::nullopt;
}

} // namespace ikra
