// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order in which operands are evaluated. C++ has one for braces, for the object of a member
// call, and for operators that are overloaded; on a device all of these may be arguments of a
// function, which have none. Where an order can be seen, a node keeps it.

#include "BodyBuilder.h"
#include "Effects.h"

using namespace clang;

namespace ikra {

BodyBuilder::Order BodyBuilder::orderOf(const Expr* Site) {
  if (const auto* Construct = dyn_cast<CXXConstructExpr>(Site))
    return Construct->isListInitialization() ? Order::LeftToRight : Order::Any;
  if (isa<CXXMemberCallExpr>(Site))
    return Order::FirstBefore;
  const auto* Operator = dyn_cast<CXXOperatorCallExpr>(Site);
  if (!Operator)
    return Order::Any;
  if (Operator->isAssignmentOp())
    return Order::RightToLeft;
  switch (Operator->getOperator()) {
  case OO_LessLess:
  case OO_GreaterGreater:
  case OO_Subscript:
  case OO_Call:
  case OO_Comma:
  case OO_AmpAmp:
  case OO_PipePipe:
  case OO_ArrowStar:
    return Order::FirstBefore;
  default:
    return Order::Any;
  }
}

bool BodyBuilder::orderMatters(Order How, llvm::ArrayRef<const Expr*> Operands) const {
  if (How == Order::Any || Operands.size() < 2)
    return false;
  std::vector<Effects> Before;
  for (const Expr* E : Operands) {
    Effects Here = effectsOf(E, F, Model);
    for (const Effects& Earlier : Before)
      if (Earlier.conflictsWith(Here))
        return true;
    if (How != Order::FirstBefore || Before.empty())
      Before.push_back(std::move(Here));
  }
  return false;
}

/// True if \p E is the value of something that has a place, which its node names.
static bool isValueOfLValue(const Expr* E) {
  if (E->isGLValue())
    return false;
  for (;;) {
    E = E->IgnoreParens();
    if (E->isGLValue() && !isa<MaterializeTemporaryExpr>(E))
      return true;
    if (const auto* Cast = dyn_cast<ImplicitCastExpr>(E)) {
      E = Cast->getSubExpr();
    } else if (const auto* Full = dyn_cast<FullExpr>(E)) {
      E = Full->getSubExpr();
    } else if (const auto* Made = dyn_cast<MaterializeTemporaryExpr>(E)) {
      E = Made->getSubExpr();
    } else if (const auto* Copy = dyn_cast<CXXConstructExpr>(E);
               Copy && Copy->getConstructor()->isCopyOrMoveConstructor()) {
      E = Copy->getArg(0);
    } else {
      return false;
    }
  }
}

body::ExprRef BodyBuilder::inOrder(const Expr* E, Order How, llvm::ArrayRef<Operand> Operands,
                                   bool GivesLValue,
                                   llvm::function_ref<ExprRef(body::Exprs)> Call) {
  body::Exprs Values;
  llvm::SmallVector<const Expr*> Expressions;
  for (const Operand& Of : Operands) {
    Values.push_back(Of.Value);
    Expressions.push_back(Of.E);
  }
  if (How == Order::RightToLeft)
    std::reverse(Expressions.begin(), Expressions.end());
  if (!orderMatters(How, Expressions))
    return Call(std::move(Values));
  body::Ordered Out{{}, nullptr, GivesLValue};
  for (unsigned K = 0; K < Operands.size(); ++K) {
    const Operand& Of = Operands[K];
    if (Of.IsElement || effectsOf(Of.E, F, Model).empty()) // the same whenever it is evaluated
      continue;
    const std::string Ident = unusedName("operand_" + std::to_string(K + 1));
    const QualType Ty = Of.E->getType().getUnqualifiedType();
    Out.Operands.push_back({Ident, isValueOfLValue(Of.E) && !isClosure(Ty)
                                       ? staticCast(Of.E, typeOf(Ty), Of.Value)
                                       : Of.Value});
    Values[K] = node(Of.E, Of.E->isXValue() ? body::Expr::Node(body::Forwarded{Ident})
                                            : body::Expr::Node(body::Name{Ident}));
  }
  if (How == Order::RightToLeft)
    std::reverse(Out.Operands.begin(), Out.Operands.end());
  Out.Result = Call(std::move(Values));
  return node(E, std::move(Out));
}

} // namespace ikra
