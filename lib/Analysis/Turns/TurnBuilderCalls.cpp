// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of lambdas that are local variables: their statements stand where the call does. What they
// name is the loop's, since they capture by reference.
#include "TurnBuilder.h"

#include "Analysis/Ast/Types.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace clang;

namespace ikra {

bool TurnBuilder::parameter(const ParmVarDecl* P, const Expr* Given, bool MayChange,
                            TurnSteps& Out) {
  const QualType Ty = P->getType();
  const bool IsReference = Ty->isReferenceType();
  if (IsReference && !Ty.getNonReferenceType().isConstQualified())
    return refuse(Given, "'" + P->getNameAsString() + "' is another variable's name");
  if (rankOfArray(Ty) == 0) {
    if (!Scalar.isNumber(Ty))
      return refuse(Given, "'" + P->getNameAsString() + "' is no number");
    body::ExprRef Value = value(Given, Out);
    if (!Value)
      return false;
    assign(Made.Scalars[scalarOf(P)].Name, std::move(Value), Out);
    return true;
  }
  if (Changed.contains(P))
    return set(P, Given, Out, Given);
  const std::optional<TurnInput> Of = array(Given, Out);
  if (!Of)
    return false;
  if (MayChange && !Of->IsCommand && Made.Arrays[Of->Number].IsAssigned)
    return refuse(Given, "the array that it is given may change");
  Values[P] = *Of;
  return true;
}

/// \param Result takes what the body returns at its end
bool TurnBuilder::call(const Expr* E, const CalledLambda& Of, TurnSteps& Out,
                       llvm::function_ref<bool(const Expr*)> Result) {
  if (Of.Lambda->isGenericLambda())
    return refuse(E, "the lambda that it calls is generic");
  for (const LambdaCapture& C : Of.Lambda->captures())
    if (!C.capturesVariable() || C.getCaptureKind() != LCK_ByRef ||
        !isa<VarDecl>(C.getCapturedVar()) || cast<VarDecl>(C.getCapturedVar())->isInitCapture())
      return refuse(E, "the lambda that it calls captures other than by reference");
  if (!Calling.insert(Of.Lambda).second)
    return refuse(E, "the lambda that it calls calls itself");
  Called.insert(Of.Lambda);
  const bool IsValue = !Of.Operator->getReturnType()->isVoidType();
  const auto* Call = cast<CXXOperatorCallExpr>(E);
  for (unsigned K = 0; K < Of.Operator->getNumParams(); ++K)
    if (!parameter(Of.Operator->getParamDecl(K), Call->getArg(K + 1), !IsValue, Out))
      return false;
  const llvm::SaveAndRestore Home(HomeFunction.Decl, static_cast<const FunctionDecl*>(Of.Operator));
  const auto* Block = cast<CompoundStmt>(Of.Operator->getBody());
  std::vector<const Stmt*> All(Block->body_begin(), Block->body_end());
  const auto* Return = All.empty() ? nullptr : dyn_cast<ReturnStmt>(All.back());
  if (Return)
    All.pop_back();
  for (const Stmt* S : All)
    if (leavesOf(S).Returns)
      return refuse(E, "the lambda that it calls returns from within");
  // A value is asked for where it stands, so that its call must change nothing that others read.
  if (IsValue)
    for (const VarDecl* V : changedBy(Block))
      if (!isWithin(V, Of.Lambda))
        return refuse(E, "the lambda that it calls gives a value and changes '" +
                             V->getNameAsString() + "'");
  if (!sequence(All, Out))
    return false;
  if (IsValue && (!Return || !Return->getRetValue() || !Result(Return->getRetValue())))
    return refuse(E, "the lambda that it calls returns something else than its last value");
  Calling.erase(Of.Lambda);
  return true;
}

} // namespace ikra
