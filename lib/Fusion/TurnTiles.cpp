// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops of turns over one stencil's results: a device does several of their turns in one kernel, in
// tiles. Nothing but scalars decides how many turns there are, so it is known before a turn whether
// so many follow. What is left of them runs as other turns do.

#include "Turns.h"

#include "llvm/ADT/STLExtras.h"

#include <functional>
#include <map>

namespace ikra {

namespace {

class StencilLoop {
public:
  StencilLoop(const ProgramModel& Model, const Turn& Of, const TurnPlan& Plan)
      : Model(Model), Of(Of), Plan(Plan) {}

  /// The command that a loop's turns consist of, and how several of them are done at once.
  std::optional<std::pair<std::size_t, TurnTiles>> find(const TurnSteps& Body,
                                                        const TurnSteps& Test, Device On) {
    const auto IsCode = [](const TurnStep& Step) { return Step.Is == TurnStep::Code; };
    if (!llvm::all_of(Test, IsCode) || !takesStencil(Body))
      return std::nullopt;
    TurnTiles Out;
    Out.Steps = stepsInTiles(Model, *Of.Commands[Command].Section, On);
    if (Out.Steps < 2 || !severalTurns(Body, Out) || !turnsAlone(Body, Out))
      return std::nullopt;
    return std::pair(Command, Out);
  }

private:
  /// Whether a turn is a stencil over a variable, with code and changes of variables around it.
  bool takesStencil(const TurnSteps& Body) {
    unsigned Commands = 0;
    for (const TurnStep& Step : Body) {
      if (Step.Is == TurnStep::Run) {
        Command = Step.Number;
        ++Commands;
      } else if (Step.Is != TurnStep::Code && Step.Is != TurnStep::Set &&
                 Step.Is != TurnStep::Swap) {
        return false;
      }
    }
    if (Commands != 1)
      return false;
    const TurnCommand& Run = Of.Commands[Command];
    const std::optional<TurnLaunch>& Launch = Plan.Launches[Command];
    return Launch && !Launch->Kernel && !Launch->ReducedBy && Launch->ByIndex.empty() &&
           Run.Section && Model.Sections[*Run.Section].Op == Operation::PStencil &&
           Run.Inputs.size() == 1 && !Run.Inputs.front().IsCommand && Run.CapturedArrays.empty() &&
           llvm::all_of(Run.Captures, [&](const body::ExprRef& E) { return staysTheSame(E); }) &&
           staysTheSame(Run.First);
  }
  /// Whether no turn changes a scalar in \p E.
  bool staysTheSame(const body::ExprRef& E) const {
    if (!E)
      return true;
    if (const auto* Name = std::get_if<body::Name>(&E->Is)) {
      const llvm::StringRef Whole = llvm::StringRef(Name->Ident).split('.').first;
      for (const TurnScalar& Scalar : Of.Scalars)
        if (Scalar.Name == Whole && !Scalar.Is && (Scalar.HostName.empty() || Scalar.IsWritten))
          return false;
    }
    return llvm::all_of(body::operandsOf(*E),
                        [&](const body::ExprRef& Operand) { return staysTheSame(Operand); });
  }

  /// Goes through a turn with what variables hold. \p Result: the command's
  /// \returns false if one is set to something else than a variable's array, or the result
  template <class Held>
  bool turn(const TurnSteps& Body, std::map<std::size_t, Held>& Now, const Held& Result,
            llvm::function_ref<bool(const Held&)> MayRead) {
    bool HasRun = false;
    for (const TurnStep& Step : Body) {
      if (Step.Is == TurnStep::Run) {
        HasRun = true;
        if (!MayRead(Now.at(Of.Commands[Command].Inputs.front().Number)))
          return false;
      } else if (Step.Is == TurnStep::Swap) {
        std::swap(Now.at(Step.Number), Now.at(Step.Other));
      } else if (Step.Is == TurnStep::Set) {
        if (Step.Value.IsCommand && (!HasRun || Step.Value.Number != Command))
          return false;
        Now.at(Step.Number) = Step.Value.IsCommand ? Result : Now.at(Step.Value.Number);
      }
    }
    return true;
  }

  /// Whether several turns are the stencil, over its own results: the last of these is what some
  /// variables hold, and others hold what they did. What they would hold of the results between is
  /// not there.
  bool severalTurns(const TurnSteps& Body, TurnTiles& Out) {
    struct Held {
      std::size_t Turn;     ///< a result of it; 0: what a variable held before
      std::size_t Variable; ///< that one
    };
    std::map<std::size_t, Held> Now;
    for (std::size_t N = 0; N < Of.Arrays.size(); ++N)
      Now[N] = {0, N};
    for (std::size_t Turn = 1; Turn <= Out.Steps; ++Turn)
      if (!turn<Held>(Body, Now, {Turn, 0}, [&](const Held& Read) {
            if (Turn == 1)
              Out.Input = Read.Variable;
            return Read.Turn + 1 == Turn;
          }))
        return false;
    for (const auto& [Array, Is] : Now) {
      if (Is.Turn == 0 && Is.Variable != Array)
        return false;
      if (Is.Turn == Out.Steps)
        Out.Set.push_back(Array);
      else if (Is.Turn != 0)
        Out.Missing.push_back(Array);
    }
    return llvm::is_contained(Out.Set, Out.Input);
  }

  /// Finds how many turns have to follow, one by one, so that variables hold what they should.
  bool turnsAlone(const TurnSteps& Body, TurnTiles& Out) {
    constexpr unsigned Most = 2;
    std::map<std::size_t, bool> Holds;
    for (std::size_t N = 0; N < Of.Arrays.size(); ++N)
      Holds[N] = !llvm::is_contained(Out.Missing, N);
    const auto HoldsAll = [&] {
      return llvm::all_of(Holds, [](const auto& Each) { return Each.second; });
    };
    for (; !HoldsAll(); ++Out.Alone)
      if (Out.Alone == Most ||
          !turn<bool>(Body, Holds, true, [](const bool& IsThere) { return IsThere; }))
        return false;
    return true;
  }

  const ProgramModel& Model;
  const Turn& Of;
  const TurnPlan& Plan;
  std::size_t Command = 0;
};

} // namespace

void planTurnTiles(const ProgramModel& Model, const Turn& Of, TurnPlan& Plan) {
  // A turn that may fail, or stop for the host, may have to run again from its begin.
  if (!Of.Fails.empty() || Of.Block)
    return;
  const auto Loop = [&](const TurnSteps& Body, const TurnSteps& Test, bool TestsFirst) {
    if (!TestsFirst)
      return;
    if (const auto Found = StencilLoop(Model, Of, Plan).find(Body, Test, Device::Gpu))
      Plan.Launches[Found->first]->InTiles = Found->second;
    if (const auto Found = StencilLoop(Model, Of, Plan).find(Body, Test, Device::Cores))
      Plan.Launches[Found->first]->InTilesOnCores = Found->second;
  };
  const std::function<void(const TurnSteps&)> Inside = [&](const TurnSteps& Steps) {
    for (const TurnStep& Step : Steps) {
      if (Step.Is == TurnStep::Loop)
        Loop(Step.Then, Step.Else, Step.TestsFirst);
      Inside(Step.Then);
      Inside(Step.Else);
    }
  };
  for (const TurnSteps* Steps : {&Of.Begin, &Of.Body, &Of.Test})
    Inside(*Steps);
  Loop(Of.Body, Of.Test, Of.TestsFirst);
}

} // namespace ikra
