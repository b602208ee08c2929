// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pointers to values, iterators, which are pointers on devices, and the standard library's
// algorithms over them. A pointer is used as it is; what it may lead to is said where an address is
// taken: members are read there, and written if the pointer lets one write.

#include "BodyWalker.h"

#include "Analysis/Ast/Names.h"

#include "llvm/ADT/StringSet.h"

using namespace clang;

namespace ikra {

//===-- addresses --------------------------------------------------------------------------===//

/// True where \p E is a place in emitted code too: constants are printed as their values.
bool BodyWalker::isAddressable(const Expr* E) {
  E = E->IgnoreParens();
  if (const auto* Cast = dyn_cast<ImplicitCastExpr>(E))
    return isAddressable(Cast->getSubExpr());
  if (const auto* Name = dyn_cast<DeclRefExpr>(E)) {
    const auto* V = dyn_cast<VarDecl>(Name->getDecl());
    const bool IsOwn = V == nullptr || isDeclaredIn(V, Decl) ||
                       (function().IsSection && Name->refersToEnclosingVariableOrCapture());
    return IsOwn ? V == nullptr || !V->isStaticLocal() || isTable(V, roles()) : isTable(V, roles());
  }
  if (const auto* Member = dyn_cast<MemberExpr>(E)) {
    const auto* Field = dyn_cast<FieldDecl>(Member->getMemberDecl());
    return Field != nullptr && !Field->isBitField();
  }
  if (const auto* Choice = dyn_cast<ConditionalOperator>(E))
    return isAddressable(Choice->getTrueExpr()) && isAddressable(Choice->getFalseExpr());
  if (const auto* Deref = dyn_cast<UnaryOperator>(E))
    return Deref->getOpcode() == UO_Deref;
  return isa<ArraySubscriptExpr>(E) || (isa<CallExpr>(E) && E->isLValue());
}

/// The variable of the program that \p E is a part of, or is itself; null for other places.
static const VarDecl* globalOf(const Expr* E) {
  while (true) {
    E = E->IgnoreParenImpCasts();
    if (const auto* Element = dyn_cast<ArraySubscriptExpr>(E)) {
      E = Element->getBase();
      if (!E->IgnoreParenImpCasts()->getType()->isArrayType())
        return nullptr;
    } else if (const auto* Member = dyn_cast<MemberExpr>(E);
               Member && !Member->isArrow() && isa<FieldDecl>(Member->getMemberDecl())) {
      E = Member->getBase();
    } else {
      break;
    }
  }
  const auto* Name = dyn_cast<DeclRefExpr>(E);
  const auto* Member = dyn_cast<MemberExpr>(E);
  const auto* V = dyn_cast_or_null<VarDecl>(Name     ? Name->getDecl()
                                            : Member ? Member->getMemberDecl()
                                                     : nullptr);
  return V && V->hasGlobalStorage() && !V->isStaticLocal() ? V : nullptr;
}

void BodyWalker::visitAddressed(const Expr* E, bool Writes) {
  const VarDecl* Global = globalOf(E);
  if (Global && !constantText(Global) && !isTable(Global, roles()) && (Writes || !isAddressable(E)))
    return refuse(E->getExprLoc(), Diag::address_of_global, Global->getName());
  if (!isAddressable(E))
    return refuse(E->getExprLoc(), Diag::address_of);
  visit(E, Writes ? Access::ReadWrite : Access::Read);
}

/// True for it + n and it - n of an iterator.
static bool isSum(const CXXOperatorCallExpr* E) {
  return E != nullptr && E->getNumArgs() == 2 &&
         (E->getOperator() == OO_Plus || E->getOperator() == OO_Minus);
}

void BodyWalker::visitPointer(const Expr* E, bool Writes) {
  E = E->IgnoreParens();
  if (const auto* Address = dyn_cast<UnaryOperator>(E);
      Address && Address->getOpcode() == UO_AddrOf)
    return visitAddressed(Address->getSubExpr(), Writes);
  if (const auto* Cast = dyn_cast<CastExpr>(E)) {
    if (Cast->getCastKind() == CK_ArrayToPointerDecay)
      return visitAddressed(Cast->getSubExpr(), Writes);
    if (Cast->getCastKind() == CK_NoOp || Cast->getCastKind() == CK_ConstructorConversion)
      return visitPointer(Cast->getSubExpr(), Writes);
  }
  if (const auto* Temporary = dyn_cast<MaterializeTemporaryExpr>(E))
    return visitPointer(Temporary->getSubExpr(), Writes);
  if (const auto* Construct = dyn_cast<CXXConstructExpr>(E)) { // of an iterator
    if (Construct->getNumArgs() > 0)
      visitPointer(Construct->getArg(0), Writes);
    return;
  }
  if (const auto* Call = dyn_cast<CXXMemberCallExpr>(E)) {
    const CXXMethodDecl* Method = Call->getMethodDecl();
    if (Method && (isInStd(Method) || isInIkra(Method)) && Method->getIdentifier() &&
        givesIterator(Method->getName()))
      return visit(Call->getImplicitObjectArgument(), Writes ? Access::ReadWrite : Access::Read);
  }
  llvm::SmallVector<const Expr*, 2> Operands;
  if (const auto* Sum = dyn_cast<BinaryOperator>(E); Sum && Sum->isAdditiveOp())
    Operands = {Sum->getLHS(), Sum->getRHS()};
  else if (const auto* OfIterator = dyn_cast<CXXOperatorCallExpr>(E); isSum(OfIterator))
    Operands = {OfIterator->getArg(0), OfIterator->getArg(1)};
  if (Operands.empty())
    return visit(E, Access::Read);
  for (const Expr* Side : Operands)
    if (isPointer(Side->getType()))
      visitPointer(Side, Writes);
    else
      visit(Side, Access::Read);
}

//===-- iterators and algorithms -----------------------------------------------------------===//

void BodyWalker::visitPointerOperator(const CXXOperatorCallExpr* E) {
  if (isSum(E) && isPointer(E->getType()))
    return visitPointer(E);
  if (isSum(E) || E->isComparisonOp() || E->getOperator() == OO_Spaceship) { // leads nowhere
    for (const Expr* Side : E->arguments())
      visitPointer(Side, /*Writes=*/false);
    return;
  }
  const bool Moves =
      E->isAssignmentOp() || E->getOperator() == OO_PlusPlus || E->getOperator() == OO_MinusMinus;
  for (unsigned K = 0; K < E->getNumArgs(); ++K)
    visit(E->getArg(K), Moves && K == 0 ? Access::ReadWrite : Access::Read);
}

/// Up to how many elements libstdc++'s std::sort leaves equal ones in their order.
static constexpr std::uint64_t SortedByInsertion = 16;

/// True for a lambda that only compares two elements, `[](int a, int b) { return a > b; }`.
static bool comparesElements(QualType Function, QualType Element) {
  const CXXRecordDecl* Class = Function.getNonReferenceType()->getAsCXXRecordDecl();
  const CXXMethodDecl* Call = Class && Class->isLambda() ? Class->getLambdaCallOperator() : nullptr;
  const auto* Body = Call ? dyn_cast_or_null<CompoundStmt>(Call->getBody()) : nullptr;
  const auto* Only = Body && Body->size() == 1 ? dyn_cast<ReturnStmt>(Body->body_front()) : nullptr;
  const auto* Compares = Only && Only->getRetValue()
                             ? dyn_cast<BinaryOperator>(Only->getRetValue()->IgnoreParenImpCasts())
                             : nullptr;
  if (!Compares || Call->getNumParams() != 2 ||
      (Compares->getOpcode() != BO_LT && Compares->getOpcode() != BO_GT))
    return false;
  const auto IsParameter = [&](const Expr* Side, unsigned K) {
    const QualType Ty = Call->getParamDecl(K)->getType().getNonReferenceType();
    return declNamed(Side->IgnoreParenImpCasts()) == Call->getParamDecl(K) &&
           (Ty->isDependentType() || Ty.getUnqualifiedType().getCanonicalType() ==
                                         Element.getUnqualifiedType().getCanonicalType());
  };
  return (IsParameter(Compares->getLHS(), 0) && IsParameter(Compares->getRHS(), 1)) ||
         (IsParameter(Compares->getLHS(), 1) && IsParameter(Compares->getRHS(), 0));
}

void BodyWalker::visitAlgorithm(const CallExpr* E, bool IsUnused) {
  const FunctionDecl* Callee = E->getDirectCallee();
  const AlgorithmCall Of = algorithmCall(E).value();
  const std::size_t Count = Of.Arguments.size();
  const bool Writes = Of.Row->As == StdFunction::Form::Writes;
  const std::string Qualified =
      Of.IsOfRanges ? "std::ranges::" + Of.Name.str() : Callee->getQualifiedNameAsString();
  const auto Refuse = [&] { refuse(E->getExprLoc(), Diag::no_device_version, Qualified); };
  const std::optional<AlgorithmCalls> Calls = callsOfAlgorithm(Of);
  const Expr* Last = functionOf(Of);
  const Expr* Function = Calls ? Last : nullptr;
  // The function that adds products up: device code calls it as it is.
  const Expr* Adds = Of.Name == "inner_product" && Count == 6 ? Of.Arguments[4].Given : nullptr;
  if ((Of.Name == "equal" && Count != 3) || (Of.Name == "inclusive_scan" && Count > 4) ||
      (Adds && !isClosure(Adds->getType()) && !isOperatorObject(Adds->getType())))
    return Refuse();
  if (Of.Row->With == StdFunction::Nothing &&
      (isOperatorObject(Last->getType()) || isFunction(Last)))
    return Refuse();
  bool HasFunction = false, CallsUsers = false;
  for (const AlgorithmArgument& Argument : Of.Arguments) {
    const QualType Ty = Argument.Given->getType();
    if (Argument.Given == Function) {
      HasFunction = true;
      if (!visitCallable(Function, Calls->Lists, Calls->Result, /*IsCopied=*/true))
        return Refuse();
      continue;
    }
    if (Argument.Part == AlgorithmArgument::First)
      visit(Argument.Given,
            Writes && !elementIn(Argument).isConstQualified() ? Access::ReadWrite : Access::Read);
    else if (Argument.Part == AlgorithmArgument::Last)
      continue;
    else if (isPointer(Ty))
      visitPointer(Argument.Given, Writes && mayWriteThrough(Ty));
    else if (isOperatorObject(Ty))
      HasFunction = true;
    else
      visit(Argument.Given, Access::Read);
    function().ComparesObjects |= elementIn(Argument)->isPointerType();
    // The algorithm calls operators of elements as they are.
    CallsUsers |= !elementIn(Argument)->isArithmeticType() && !isOperatorObject(Ty);
  }
  // Where it is given a function, it calls that, and operators of what it counts with.
  if (NativeFunctions& Natives = Collector.Builder.Natives;
      CallsUsers && !Function && !Natives.contains(Callee) &&
      !Natives.containsOperatorsOf(Callee, elementIn(Of.Arguments[0])))
    return Refuse();
  // Those that write give classes of std::ranges, and nothing on devices.
  if (Of.IsOfRanges && Writes && !IsUnused)
    return refuse(E->getExprLoc(), Diag::unsupported_expression,
                  "the result of " + Qualified + "; call it as a statement of its own");
  const QualType Result = Callee->getReturnType();
  if (!(Of.IsOfRanges && Writes) && !Result->isVoidType() && !isClosure(Result))
    checkType(Result, E->getExprLoc());
  // Of equal elements the library may put any first, unless they cannot be told apart.
  const auto IsNumber = [&] {
    const Type Element = classify(elementIn(Of.Arguments[0]).getUnqualifiedType());
    return Element.Kind == TypeKind::Value && !Element.IsClass;
  };
  const bool IsOrdered = !HasFunction || isOperatorObject(Last->getType()) ||
                         comparesElements(Last->getType(), elementIn(Of.Arguments[0]));
  const std::optional<std::uint64_t> Most = mostElements(Of.Arguments[0]);
  if (Of.Name == "sort" && !(IsNumber() && IsOrdered) && !(Most && *Most <= SortedByInsertion))
    refuse(E->getExprLoc(), Diag::unsupported_expression,
           "an unstable sort of more than 16 elements that may be equal and differ; call "
           "std::stable_sort");
}

} // namespace ikra
