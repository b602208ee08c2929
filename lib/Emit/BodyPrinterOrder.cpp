// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order in which operands are evaluated. C++ has one for braces, for the object of a member
// call, and for operators that are overloaded; in print all of these may be arguments of a
// function, which have none. Where an order can be seen, ikra::in_order keeps it.

#include "BodyPrinter.h"

#include "Analysis/Effects.h"

#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace ikra {

BodyPrinter::Order BodyPrinter::orderOf(const Expr* Site) {
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

bool BodyPrinter::orderMatters(Order How, llvm::ArrayRef<const Expr*> Operands) const {
  if (How == Order::Any || Operands.size() < 2)
    return false;
  std::vector<Effects> Before;
  for (const Expr* E : Operands) {
    Effects Here = effectsOf(E, F, Context.Model);
    for (const Effects& Earlier : Before)
      if (Earlier.conflictsWith(Here))
        return true;
    if (How != Order::FirstBefore || Before.empty())
      Before.push_back(std::move(Here));
  }
  return false;
}

/// True if \p E is the value of something that has a place, which its text names.
static bool isValueOfPlace(const Expr* E) {
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

std::string BodyPrinter::inOrder(Order How, llvm::ArrayRef<Operand> Operands, bool GivesPlace,
                                 llvm::function_ref<std::string(std::vector<std::string>)> Call) {
  std::vector<std::string> Texts, Evaluated, Names;
  llvm::SmallVector<const Expr*> Expressions;
  for (const Operand& Of : Operands) {
    Texts.push_back(Of.Text);
    Expressions.push_back(Of.E);
  }
  if (How == Order::RightToLeft)
    std::reverse(Expressions.begin(), Expressions.end());
  if (!orderMatters(How, Expressions))
    return Call(std::move(Texts));
  for (unsigned K = 0; K < Operands.size(); ++K) {
    const Operand& Of = Operands[K];
    if (Of.IsSelf || effectsOf(Of.E, F, Context.Model).empty()) // the same whenever it is evaluated
      continue;
    const std::string Name = unusedName("operand_" + std::to_string(K + 1));
    const QualType Ty = Of.E->getType().getUnqualifiedType();
    Evaluated.push_back(isValueOfPlace(Of.E) && !isClosure(Ty)
                            ? "static_cast<" + typeText(Ty) + ">(" + Of.Text + ")"
                            : Of.Text);
    Names.push_back("auto&& " + Name);
    Texts[K] = Of.E->isXValue() ? "static_cast<decltype(" + Name + ")>(" + Name + ")" : Name;
  }
  if (How == Order::RightToLeft) {
    std::reverse(Evaluated.begin(), Evaluated.end());
    std::reverse(Names.begin(), Names.end());
  }
  return "ikra::in_order{" + llvm::join(Evaluated, ", ") + "}([&](" + llvm::join(Names, ", ") +
         ")" + (GivesPlace ? " -> decltype(auto)" : "") + " { return " + Call(std::move(Texts)) +
         "; })";
}

std::string BodyPrinter::inBrackets(const CXXConstructExpr* E, const std::string& Arguments) const {
  const bool Braces =
      E->isListInitialization() &&
      orderMatters(Order::LeftToRight, llvm::ArrayRef<const Expr*>(E->getArgs(), E->getNumArgs()));
  return Braces ? "{" + Arguments + "}" : "(" + Arguments + ")";
}

std::string BodyPrinter::made(const CXXConstructExpr* E, const std::string& Arguments) {
  return typeText(E->getType().getUnqualifiedType()) + inBrackets(E, Arguments);
}

} // namespace ikra
