// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the program asks for, of that which a turn computes: a turn's commands run where they stand,
// and arrays from before the loop are computed before it starts. What may crash, or not end, must
// not be computed where the program as it is written would not.
#include "TurnBuilder.h"

#include "Analysis/Ast/Names.h"
#include "Analysis/Dataflow/ResultGroups.h"

#include "llvm/ADT/SetOperations.h"

#include <functional>

using namespace clang;

namespace ikra {

/// Notes whether each turn sets an array where all turns come along, and nothing reads it before.
void TurnBuilder::noteFirstSet(std::size_t Array) {
  const auto Is = [Array](const TurnInput& Input) {
    return !Input.IsCommand && Input.Number == Array;
  };
  const std::function<bool(const TurnStep&)> Names = [&](const TurnStep& Step) {
    return (Step.Is == TurnStep::Run && llvm::any_of(arraysOf(Made.Commands[Step.Number]), Is)) ||
           (Step.Is == TurnStep::Set && (Step.Number == Array || Is(Step.Value))) ||
           (Step.Is == TurnStep::Swap && (Step.Number == Array || Step.Other == Array)) ||
           (Step.Is == TurnStep::Read && Is(Step.Value)) || llvm::any_of(Step.Then, Names) ||
           llvm::any_of(Step.Else, Names);
  };
  const auto First = llvm::find_if(Made.Body, Names);
  TurnArray& Of = Made.Arrays[Array];
  Of.IsSetByTurn = First != Made.Body.end() && First->Is == TurnStep::Set && !Is(First->Value);
  Of.IsSetFirst = Of.IsSetByTurn && !Of.HostName.empty() && llvm::none_of(Made.Begin, Names) &&
                  !(Made.TestsFirst && llvm::any_of(Made.Test, Names)) &&
                  !AreSized.contains(Array); // of what it was
}

static std::string remedyOf(llvm::StringRef Risk) {
  if (Risk.contains("element"))
    return " (name it by the section's own position, constants, and counters: x[i], x[i / 2], "
           "x[2 * i + 1], x[k & 3], x[std::max(i - 1, std::int64_t(0))])";
  if (Risk.contains("divides"))
    return " (divide by a constant)";
  if (Risk.contains("loop"))
    return " (count up to a constant)";
  return "";
}

bool TurnBuilder::mayNotRun(const ikra::Section& S, const Risk& Since) {
  refuse(Loop, "the results of '" + std::string(ikra::nameOf(S.Op)) + "' at line " +
                   std::to_string(S.At.Line) +
                   " may only be computed where the program asks for them, as the section " +
                   Since.Why + remedyOf(Since.Why));
  Found.Place = Found.Place.isValid() ? Found.Place : Since.At;
  return false;
}

/// Whether a section may run unasked for if the arrays have enough elements that it reads at its
/// own position.
bool TurnBuilder::mayRunInPlace(const TurnCommand& Of) {
  const ikra::Section& S = Model.Sections[*Of.Section];
  std::vector<ReadInPlace> InPlace;
  if (const std::optional<Risk> Found = riskOf(Model, S, &InPlace))
    return mayNotRun(S, *Found);
  // An array never has more elements in a dimension than it has itself.
  const auto NeverFits = [&](const ReadInPlace& Read, const TurnInput& In) {
    const GreatestPlace& Most = Read.Most;
    return leaderOf(spaceOf(In)) == leaderOf(Of.Over) && Read.Dimension == Read.OverDimension &&
           Most.Per == 1 && Most.Times != 0 && (Most.Times > 1 || Most.Plus + Most.Then > 0);
  };
  for (const ReadInPlace& Read : InPlace) {
    if (!Read.Array)
      Made.Covers.push_back({0, 0, Of.Over, Read.OverDimension, Read.Most, Read.Elements});
    for (const auto& [Capture, Input] : Of.CapturedArrays)
      if (Read.Array && S.Code.Captures[Capture].Decl == Read.Array) {
        if (NeverFits(Read, Input))
          return mayNotRun(S, {OutsidePlace, Read.At});
        Made.Covers.push_back(
            {spaceOf(Input), Read.Dimension, Of.Over, Read.OverDimension, Read.Most, {}});
      }
  }
  return true;
}

std::optional<std::int64_t> TurnBuilder::constantOf(const Expr* E) const {
  const auto Known = Inits.find(variableNamed(E->IgnoreParenImpCasts()));
  if (Known != Inits.end())
    return constantOf(Known->second.Is);
  const auto Value = E->getType()->isIntegerType() ? constantInteger(E, Context) : std::nullopt;
  return Value && Value->isSignedIntN(32) ? std::optional(Value->getExtValue()) : std::nullopt;
}

/// Whether a counted loop has a turn, as constants say.
bool TurnBuilder::hasTurn(const LoopParts& Parts) const {
  const VarDecl* V = variableDeclared(Parts.Init);
  const auto* Test = dyn_cast_or_null<BinaryOperator>(Parts.Condition);
  if (!V || !V->getInit() || !Test || variableNamed(Test->getLHS()->IgnoreParenImpCasts()) != V)
    return false;
  const auto First = constantOf(V->getInit()), End = constantOf(Test->getRHS());
  return First && End && *First >= 0 &&
         ((Test->getOpcode() == BO_LT && *First < *End) ||
          (Test->getOpcode() == BO_LE && *First <= *End));
}

/// \param After what is asked for after the steps, whenever these run
/// \param Notes whether to note commands that are asked for whenever they run
TurnBuilder::Inputs TurnBuilder::askedBefore(const TurnSteps& Steps, Inputs After, bool Notes) {
  for (const TurnStep& Step : llvm::reverse(Steps))
    switch (Step.Is) {
    case TurnStep::Run: {
      const bool IsRead = AreRead.contains(Step.Number);
      if (After.erase({true, Step.Number}) == 0 && !IsRead)
        break;
      if (Notes)
        AreAsked.insert(Step.Number);
      for (const TurnInput& Input : arraysOf(Made.Commands[Step.Number]))
        After.insert({Input.IsCommand, Input.Number});
      break;
    }
    case TurnStep::Set:
      if (After.erase({false, Step.Number}) != 0)
        After.insert({Step.Value.IsCommand, Step.Value.Number});
      break;
    case TurnStep::Swap: {
      const bool One = After.erase({false, Step.Number}), Other = After.erase({false, Step.Other});
      if (One)
        After.insert({false, Step.Other});
      if (Other)
        After.insert({false, Step.Number});
      break;
    }
    case TurnStep::Read:
      if (!AreThere.contains(Step.Number)) // it may fail
        After.clear();
      if (!AreMaybeRead.contains(Step.Number))
        After.insert({Step.Value.IsCommand, Step.Value.Number});
      break;
    case TurnStep::Branch: {
      const Inputs Then = askedBefore(Step.Then, After, Notes);
      After = askedBefore(Step.Else, std::move(After), Notes);
      llvm::set_intersect(After, Then);
      break;
    }
    case TurnStep::Loop: {
      // At a turn's end another one may follow, or what comes after the loop.
      Inputs Turn = After;
      for (bool Fewer = true; Fewer;) {
        Turn = askedBefore(Step.Then, askedBefore(Step.Else, After, false), false);
        Fewer = llvm::any_of(After, [&](const auto& Of) { return !Turn.contains(Of); });
        llvm::set_intersect(After, Turn);
      }
      const Inputs Test = askedBefore(Step.Else, After, Notes);
      Turn = askedBefore(Step.Then, Test, Notes);
      After = !Step.HasTurn     ? Test
              : Step.TestsFirst ? askedBefore(Step.Else, std::move(Turn), false)
                                : std::move(Turn);
      break;
    }
    case TurnStep::Code:
      break;
    }
  return After;
}

/// Whether what must not run unasked for is needed by what the program reads, whenever it runs.
/// Notes which arrays from before the loop are.
bool TurnBuilder::isAskedFor(bool HasTurn) {
  const Inputs ByTest = askedBefore(Made.Test, {}, true);
  const Inputs ByTurn = askedBefore(Made.Body, ByTest, true);
  const Inputs ByFirst = Made.TestsFirst ? askedBefore(Made.Test, ByTurn, false) : ByTurn;
  const Inputs Always = askedBefore(Made.Begin, HasTurn ? ByFirst : ByTest, true);
  const Inputs WithTurn = askedBefore(Made.Begin, ByFirst, false);
  for (std::size_t N = 0; N < Made.Arrays.size(); ++N)
    Made.Arrays[N].IsAskedBy = Always.contains({false, N})     ? TurnArray::Loop
                               : WithTurn.contains({false, N}) ? TurnArray::Turns
                                                               : TurnArray::Nobody;
  const auto IsCode = [](const TurnStep& Step) { return Step.Is == TurnStep::Code; };
  // Sizes are known later.
  Made.IsEnteredByScalars =
      !Made.TestsFirst || (llvm::all_of(Made.Begin, IsCode) && llvm::all_of(Made.Test, IsCode) &&
                           llvm::none_of(Made.Scalars, [](const TurnScalar& Of) { return Of.Is; }));
  for (std::size_t N = 0; N < Made.Commands.size(); ++N)
    if (!isSpeculatable(Made.Commands[N]) && !AreAsked.contains(N) &&
        !mayRunInPlace(Made.Commands[N]))
      return false;
  return true;
}

} // namespace ikra
