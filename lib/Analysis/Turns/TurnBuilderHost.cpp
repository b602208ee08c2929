// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops with code in them that the host alone runs, `if (t % 100 == 0) std::printf(…)`. Where it is
// known before a turn whether that turn comes to such code, turns stop before it. So the loop's
// block asks for turns at its begin: they are those up to the next one of the host, which the loop
// then runs as it is written. What the device has decided is never taken back.
#include "TurnBuilder.h"

using namespace clang;

namespace ikra {

/// Has the turn begin in the loop's block, where its condition holds.
bool TurnBuilder::stopsForHost(LoopParts& Parts) {
  if (!Block || isa<CXXForRangeStmt>(Loop))
    return refuse(Loop, "code of the host stands in no block of a for, while or do");
  if (Block->getLBracLoc().isMacroID())
    return refuse(Loop, "a macro's expansion holds it");
  Made.Block = Block;
  for (const Stmt* S : Block->body())
    if (!llvm::is_contained(HostIfs, S) && leavesOf(S).Returns)
      return refuse(S, "it returns from a loop with code of the host");
  Parts.Init = nullptr; // done
  Parts.TestsFirst = true;
  return llvm::all_of(HostIfs, [&](const IfStmt* S) { return isKnownBefore(S); });
}

/// Whether nothing in a turn changes what a condition names before it is asked.
bool TurnBuilder::isKnownBefore(const IfStmt* S) {
  const Expr* Condition = S->getCond();
  if (S->getElse() || S->getInit() || S->getConditionVariable() || S->isConstexpr() ||
      S->isConsteval())
    return refuse(S, "code of the host stands in an if with an else, or that declares something");
  std::set<const ValueDecl*> ChangedBefore;
  for (const Stmt* Each : Block->body()) {
    if (Each == S)
      break;
    ChangedBefore.merge(changedBy(Each));
  }
  const bool IsKnown = !hasSteps(Condition) && changedOutside(Condition).empty() &&
                       llvm::none_of(namedBy(Condition, Scalar.This), [&](const ValueDecl* V) {
                         return ChangedBefore.contains(V) ||
                                (!isa<FieldDecl>(V) && isWithin(V, Block->getSourceRange()));
                       });
  return IsKnown ||
         refuse(Condition, "it is not known before a turn whether the host acts in it (let the "
                           "condition name what the turn has not changed by then)");
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
  for (const IfStmt* S : HostIfs) {
    Made.HostActs.push_back(S->getCond());
    body::ExprRef Acts = value(S->getCond(), Out.Else);
    if (!Acts)
      return false;
    Out.Condition = operation("&&", std::move(Out.Condition), negated(std::move(Acts)));
  }
  return true;
}

} // namespace ikra
