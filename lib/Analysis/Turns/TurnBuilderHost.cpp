// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops with code in them that the host alone runs, `if (t % 100 == 0) std::printf(…)`. Where it is
// known before a turn whether that turn comes to such code, turns stop before it. So the loop's
// block asks for turns at its begin: they are those up to the next one of the host, which the loop
// then runs as it is written. What the device has decided is never taken back.
#include "TurnBuilder.h"

#include "Analysis/Ast/Constants.h"
#include "Analysis/Ast/Names.h"
#include "Analysis/Ast/Types.h"

using namespace clang;

namespace ikra {

/// Has the turn begin in the loop's block, where its condition holds.
bool TurnBuilder::stopsForHost(LoopParts& Parts) {
  if (!Block || isa<CXXForRangeStmt>(Loop))
    return refuse(Loop, "it stands in no block of a for, while or do (put the loop's body in "
                        "braces)");
  if (Block->getLBracLoc().isMacroID())
    return refuse(Loop, "a macro's expansion holds it");
  Made.Block = Block;
  for (const Stmt* S : Block->body())
    if (!llvm::is_contained(HostIfs, S) && leavesOf(S).Returns)
      return refuse(S, "the loop returns at line " +
                           std::to_string(Context.getSourceManager().getExpansionLineNumber(
                               S->getBeginLoc())) +
                           " (leave it by break, and return after it)");
  Parts.Init = nullptr; // done
  Parts.TestsFirst = true;
  return llvm::all_of(HostIfs, [&](const IfStmt* S) { return isKnownBefore(S); });
}

/// Whether a statement is `++t`, `t += 2`, or `t = k + 1`, of a local variable.
static const VarDecl* numberChangedBy(const Stmt* S) {
  const auto* E = dyn_cast<Expr>(S);
  E = E ? written(E) : nullptr;
  const auto* Counts = dyn_cast_or_null<UnaryOperator>(E);
  const auto* Sets = dyn_cast_or_null<BinaryOperator>(E);
  const Expr* Of = Counts && Counts->isIncrementDecrementOp() ? Counts->getSubExpr()
                   : Sets && Sets->isAssignmentOp()           ? Sets->getLHS()
                                                              : nullptr;
  const VarDecl* V = Of ? variableNamed(Of->IgnoreParenImpCasts()) : nullptr;
  return V && V->hasLocalStorage() && V->getType()->isArithmeticType() ? V : nullptr;
}

/// Whether an expression divides by an integer that may be zero.
static bool mayDivideByZero(const Expr* E, const ASTContext& Context) {
  return anyPart(E, [&](const Stmt* Part) {
    const auto* Of = dyn_cast<BinaryOperator>(Part);
    const bool Divides =
        Of && Of->getType()->isIntegerType() &&
        llvm::is_contained({BO_Div, BO_Rem, BO_DivAssign, BO_RemAssign}, Of->getOpcode());
    const auto By = Divides ? constantInteger(Of->getRHS(), Context) : std::nullopt;
    return Divides && !(By && By->isStrictlyPositive());
  });
}

/// Whether it is known before a turn what a condition will be in it.
bool TurnBuilder::isKnownBefore(const IfStmt* S) {
  const Expr* Condition = S->getCond();
  if (S->getElse() || S->getInit() || S->getConditionVariable() || S->isConstexpr() ||
      S->isConsteval())
    return refuse(S, S->getElse() ? "it has an else (write a second if)"
                                  : "it declares something (declare that before it)");
  if (hasSteps(Condition))
    return refuse(Condition, "its condition reads an array, or calls a function (test what the "
                             "turn before has computed, or numbers alone)");
  if (!changedOutside(Condition).empty())
    return refuse(Condition, "its condition changes something");
  const auto IsOfBlock = [&](const ValueDecl* V) {
    return !isa<FieldDecl>(V) && isWithin(V, Block->getSourceRange());
  };
  // What changes numbers before the condition is done ahead of the turn, on copies.
  HostAct Act{Condition, {}, {}};
  std::set<const ValueDecl*> Needed = namedBy(Condition, Scalar.This), ChangedBefore;
  const auto* End = llvm::find(Block->body(), S);
  if (mayDivideByZero(Condition, Context) &&
      std::any_of(Block->body_begin(), End, [](const Stmt* Each) { return leavesOf(Each).any(); }))
    return refuse(Condition, "its condition divides where the turn may have been left (put the if "
                             "before that)");
  for (const Stmt* Each : llvm::reverse(llvm::make_range(Block->body_begin(), End))) {
    const std::set<const ValueDecl*> Here = changedBy(Each);
    if (llvm::none_of(Here, [&](const ValueDecl* V) { return Needed.contains(V); }))
      continue;
    const VarDecl* V = numberChangedBy(Each);
    if (!V || Here.size() != 1 || hasSteps(Each) || IsOfBlock(V) ||
        mayDivideByZero(cast<Expr>(Each), Context)) {
      const auto Of = llvm::find_if(Here, [&](const ValueDecl* D) { return Needed.contains(D); });
      return refuse(Condition, "its condition follows from '" + (*Of)->getNameAsString() +
                                   "', which the turn sets before it (test that before, or what "
                                   "counts the turns)");
    }
    Needed.merge(namedBy(Each, Scalar.This));
    Act.Before.insert(Act.Before.begin(), cast<Expr>(Each));
    if (!llvm::is_contained(Act.Changed, V))
      Act.Changed.push_back(V);
  }
  for (const ValueDecl* V : Needed)
    if (IsOfBlock(V))
      return refuse(Condition, "its condition follows from '" + V->getNameAsString() +
                                   "', which the turn declares (test what the turn before has "
                                   "computed, or what counts the turns)");
  Made.HostActs.push_back(std::move(Act));
  return true;
}

/// Another turn follows if the loop goes on, and the host has nothing to do in it.
bool TurnBuilder::stopForHost(TurnStep& Out, TurnSteps& Before) {
  TurnScalar& Ended = Made.Scalars[addScalar("ended", Types.classify(Context.BoolTy))];
  Ended.HostName = "ikra_ended";
  Ended.IsWritten = true;
  const std::string Name = Ended.Name;
  TurnSteps Tests = std::exchange(Out.Else, {});
  assign(Name, negated(std::move(Out.Condition)), Tests);
  for (TurnStep& Each : Tests)
    addStep(std::move(Each), Out.Then);
  assign(Name, literal("false"), Before);
  Out.Condition = negated(Name);
  for (const HostAct& Act : Made.HostActs) {
    std::map<const VarDecl*, std::string> Copies;
    for (const VarDecl* V : Act.Changed)
      assign(Copies[V] = newScalar("ahead", V->getType()), named(nameOf(V)), Out.Else);
    const auto Named = [&](const Expr* E) {
      const auto Copy = Copies.find(variableNamed(E));
      return Copy != Copies.end() ? Copy->second : nameOf(E);
    };
    for (const Expr* E : Act.Before) {
      if (!Scalar.accepts(E, [](const Expr*) { return false; }))
        return false;
      addCode(BodyBuilder(Context, Diags, Model, Types, HomeFunction, Named).codeOf(E), Out.Else);
    }
    if (!Scalar.accepts(Act.Condition, [](const Expr*) { return false; }))
      return false;
    body::ExprRef Acts =
        BodyBuilder(Context, Diags, Model, Types, HomeFunction, Named).valueOf(Act.Condition);
    Out.Condition = operation("&&", std::move(Out.Condition), negated(std::move(Acts)));
  }
  return true;
}

} // namespace ikra
