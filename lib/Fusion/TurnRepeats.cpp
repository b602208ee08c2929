// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops in a turn that are maps of one array: each element goes through all of their turns in one
// kernel, and is loaded and stored once. Code over scalars counts the turns before.

#include "SelfContained.h"
#include "Turns.h"

#include "Model/BodyQueries.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

namespace ikra {

namespace {

class MapLoops {
public:
  MapLoops(const ProgramModel& Model, const FusionPlan& Fusion, Turn& Of)
      : Model(Model), Fusion(Fusion), Of(Of) {}

  void join(TurnSteps& Steps) {
    for (std::size_t K = 0; K < Steps.size(); ++K) {
      join(Steps[K].Then);
      join(Steps[K].Else);
      if (Steps[K].Is != TurnStep::Loop)
        continue;
      const std::optional<TurnSteps> Made = joined(Steps[K]);
      if (!Made)
        continue;
      Steps.erase(Steps.begin() + static_cast<std::ptrdiff_t>(K));
      Steps.insert(Steps.begin() + static_cast<std::ptrdiff_t>(K), Made->begin(), Made->end());
      K += Made->size() - 1;
    }
    for (std::size_t K = 0; K < Steps.size(); ++K)
      if (Steps[K].Is == TurnStep::Set && Steps[K].Value.IsCommand &&
          !Of.Commands[Steps[K].Value.Number].Chain.empty())
        readResult(Steps, K);
  }

private:
  /// Has what reads the variable after a step that sets it read the result.
  void readResult(TurnSteps& Steps, std::size_t At) {
    const TurnInput Variable{false, Steps[At].Number}, Result = Steps[At].Value;
    const auto Read = [&](TurnInput& Input) {
      if (Input == Variable)
        Input = Result;
    };
    const auto Sets = [&](const TurnStep& Step) {
      return (Step.Is == TurnStep::Set && Step.Number == Variable.Number) ||
             (Step.Is == TurnStep::Swap &&
              (Step.Number == Variable.Number || Step.Other == Variable.Number));
    };
    for (std::size_t K = At + 1; K < Steps.size(); ++K) {
      TurnStep& Step = Steps[K];
      if (Step.Is == TurnStep::Run) {
        TurnCommand& Command = Of.Commands[Step.Number];
        llvm::for_each(Command.Inputs, Read);
        for (auto& [Capture, Input] : Command.CapturedArrays)
          Read(Input);
      }
      if (Step.Is == TurnStep::Set || Step.Is == TurnStep::Read)
        Read(Step.Value);
      if (Sets(Step) || anyStep(Step.Then, Sets) || anyStep(Step.Else, Sets))
        return;
    }
  }

  /// Code that counts the loop's turns, the command that applies its maps so often, and what sets
  /// the variable to that; none if the loop is another one.
  std::optional<TurnSteps> joined(const TurnStep& Loop) {
    const auto IsCode = [](const TurnStep& Step) { return Step.Is == TurnStep::Code; };
    std::vector<std::size_t> Chain;
    const TurnStep* Sets = nullptr;
    for (const TurnStep& Step : Loop.Then) {
      if (Step.Is == TurnStep::Run)
        Chain.push_back(Step.Number);
      else if (Step.Is == TurnStep::Set && !Sets)
        Sets = &Step;
      else if (!IsCode(Step))
        return std::nullopt;
    }
    if (Chain.empty() || !Sets || !Loop.Condition || !llvm::all_of(Loop.Else, IsCode) ||
        Sets->Value != TurnInput{true, Chain.back()})
      return std::nullopt;
    const std::set<std::string> Changed = scalarsIn(Loop);
    TurnInput From{false, Sets->Number};
    for (const std::size_t N : Chain) {
      const TurnCommand& Map = Of.Commands[N];
      if (Map.Inputs != std::vector{From} || !isPlainMap(Map) || namesOne(Map, Changed))
        return std::nullopt;
      From = {true, N};
    }
    TurnStep Code(TurnStep::Code), Run(TurnStep::Run), Set = *Sets;
    Run.Number = Chain.back();
    TurnCommand& All = Of.Commands[Run.Number];
    All.Times = addCounter(Chain.back());
    All.Inputs = {{false, Set.Number}};
    All.UsesScalars = true;
    for (const std::size_t N : llvm::drop_end(Chain))
      Of.Commands[N].Inputs.clear(); // it runs there alone
    All.Chain = std::move(Chain);
    Code.Statements = counting(Loop, All.Times);
    return TurnSteps{std::move(Code), std::move(Run), std::move(Set)};
  }

  /// Whether a command is a map whose element takes less time than to load and to store it.
  bool isPlainMap(const TurnCommand& Of) const {
    if (!Of.Section || !Of.CapturedArrays.empty() || !Of.Chain.empty())
      return false;
    const ikra::Section& S = Model.Sections[*Of.Section];
    return isStep(S) && !S.mayFail() && !diverges(Model, S) && !repeats(Model, S) &&
           !Fusion.InLanes.contains(*Of.Section) && !Fusion.Tiled.contains(*Of.Section);
  }

  static void noteNames(const body::Stmts& Code, std::set<std::string>& To) {
    for (const std::string& Name : body::namesIn(Code))
      To.insert(llvm::StringRef(Name).split('.').first.str()); // of a part: the whole
  }
  /// What the loop's code names: more than it changes.
  static std::set<std::string> scalarsIn(const TurnStep& Loop) {
    std::set<std::string> Out;
    for (const TurnSteps* Steps : {&Loop.Then, &Loop.Else})
      for (const TurnStep& Step : *Steps)
        noteNames(Step.Statements, Out);
    return Out;
  }
  static bool namesOne(const TurnCommand& Command, const std::set<std::string>& Some) {
    std::set<std::string> Named;
    for (const body::ExprRef& Captured : Command.Captures)
      if (Captured)
        noteNames({body::stmt(body::Evaluate{Captured})}, Named);
    return llvm::any_of(Named, [&](const std::string& Name) { return Some.contains(Name); });
  }

  std::string addCounter(std::size_t Command) {
    std::string Name = "times_" + std::to_string(Command);
    while (llvm::any_of(Of.Scalars, [&](const TurnScalar& S) { return S.Name == Name; }))
      Name += "_";
    TurnScalar& Scalar = Of.Scalars.emplace_back();
    Scalar.Name = Name;
    Scalar.Ty.Kind = TypeKind::Value;
    Scalar.Ty.Spelling = Scalar.Ty.HostSpelling = "unsigned long long";
    Scalar.Ty.Bytes = sizeof(unsigned long long);
    return Name;
  }

  /// The loop without its maps, and with a count of its turns.
  static body::Stmts counting(const TurnStep& Loop, const std::string& Counter) {
    const body::ExprRef Name = body::expr(body::Name{Counter});
    const auto Run = [](const TurnSteps& Steps, body::Stmts& To) {
      for (const TurnStep& Step : Steps)
        if (Step.Is == TurnStep::Code)
          To.push_back(body::stmt(body::Block{Step.Statements}));
    };
    body::Stmts Turn{
        body::stmt(body::Evaluate{body::expr(body::Unary{"++", Name, /*IsPostfix=*/false})})};
    Run(Loop.Then, Turn);
    Run(Loop.Else, Turn);
    body::Stmts Out{body::stmt(
        body::Evaluate{body::expr(body::Binary{"=", Name, body::expr(body::Literal{"0"})})})};
    if (Loop.TestsFirst) {
      Run(Loop.Else, Out);
      Out.push_back(body::stmt(body::While{nullptr, Loop.Condition, std::move(Turn)}));
    } else {
      Out.push_back(body::stmt(body::Do{std::move(Turn), Loop.Condition}));
    }
    return Out;
  }

  const ProgramModel& Model;
  const FusionPlan& Fusion;
  Turn& Of;
};

} // namespace

void joinMapLoops(const ProgramModel& Model, const FusionPlan& Fusion, Turn& Of) {
  MapLoops Loops(Model, Fusion, Of);
  for (TurnSteps* const Steps : {&Of.Begin, &Of.Body, &Of.Test})
    Loops.join(*Steps);
  dropOverwritten(Of);
}

} // namespace ikra
