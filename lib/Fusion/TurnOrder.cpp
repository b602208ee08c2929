// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of a turn's steps. In a graph a kernel of a small array takes what its launch does, so
// the fewer there are the better: a map waits for a later one that reads the same array, and code
// over scalars moves up to the reduction whose kernel can run it. What a variable holds only until
// it is set again is not stored for it.

#include "Turns.h"

#include "Model/BodyQueries.h"

#include "llvm/ADT/STLExtras.h"

#include <functional>
#include <set>
#include <string>

namespace ikra {

namespace {

using Names = std::set<std::string>;

Names scalarNames(const body::Stmts& Code) {
  Names Out;
  for (const std::string& Name : body::namesIn(Code))
    Out.insert(llvm::StringRef(Name).split('.').first.str()); // of a part: the whole
  return Out;
}
Names scalarNames(const body::ExprRef& E) {
  return E ? scalarNames(
                 {std::make_shared<body::Stmt>(body::Stmt{body::Evaluate{E}, std::nullopt})})
           : Names();
}
bool meet(const Names& A, const Names& B) {
  return llvm::any_of(A, [&](const std::string& Name) { return B.contains(Name); });
}

/// The scalars that a command's body is made from.
Names scalarsOf(const Turn& Of, const TurnCommand& Command) {
  Names Out = scalarNames(Command.First);
  const auto Note = [&](const TurnCommand& Each) {
    for (const body::ExprRef& Captured : Each.Captures)
      Out.merge(scalarNames(Captured));
  };
  Note(Command);
  for (const std::size_t Part : Command.Chain)
    Note(Of.Commands[Part]);
  if (!Command.Times.empty())
    Out.insert(Command.Times);
  return Out;
}

/// Has a map wait for a later one.
class MapDelay {
public:
  MapDelay(const ProgramModel& Model, const Turn& Of) : Model(Model), Of(Of) {}

  /// The steps with the map at \p From, and what it is set to, just in front of those at \p To.
  std::optional<TurnSteps> moved(const TurnSteps& Steps, std::size_t From, std::size_t To) const {
    const std::size_t Map = Steps[From].Number;
    const auto IsItsSet = [&](const TurnStep& Step) {
      return Step.Is == TurnStep::Set && Step.Value == TurnInput{true, Map};
    };
    std::set<std::size_t> Set; // variables that hold the result
    for (std::size_t K = From + 1; K < To; ++K)
      if (IsItsSet(Steps[K]))
        Set.insert(Steps[K].Number);
    TurnSteps Between, Late{Steps[From]};
    for (std::size_t K = From + 1; K < To; ++K) {
      if (!IsItsSet(Steps[K]) && !mayPass(Steps[K], Map, Set))
        return std::nullopt;
      (IsItsSet(Steps[K]) ? Late : Between).push_back(Steps[K]);
    }
    TurnSteps Out(Steps.begin(), Steps.begin() + static_cast<std::ptrdiff_t>(From));
    llvm::append_range(Out, Between);
    llvm::append_range(Out, Late);
    Out.insert(Out.end(), Steps.begin() + static_cast<std::ptrdiff_t>(To), Steps.end());
    return Out;
  }

private:
  /// Whether a step may run before the map, and before variables are set to its result.
  bool mayPass(const TurnStep& Step, std::size_t Map, const std::set<std::size_t>& Set) const {
    const TurnCommand& Moves = Of.Commands[Map];
    const auto IsRead = [&](std::size_t Array) {
      return llvm::is_contained(arraysOf(Moves), TurnInput{false, Array});
    };
    const auto IsResult = [&](const TurnInput& Input) {
      return Input.IsCommand ? Input.Number == Map : Set.contains(Input.Number);
    };
    switch (Step.Is) {
    case TurnStep::Run: {
      const TurnCommand& Other = Of.Commands[Step.Number];
      return llvm::none_of(arraysOf(Other), IsResult) &&
             (operationOf(Model, Other) != Operation::PReduce ||
              !scalarsOf(Of, Moves).contains(Of.Scalars[Other.Result].Name));
    }
    case TurnStep::Set:
      return !IsRead(Step.Number) && !Set.contains(Step.Number) && !IsResult(Step.Value);
    case TurnStep::Code:
      return !meet(scalarsOf(Of, Moves), scalarNames(Step.Statements));
    default:
      return false;
    }
  }

  const ProgramModel& Model;
  const Turn& Of;
};

/// Moves code up to reductions.
class CodeOrder {
public:
  CodeOrder(const ProgramModel& Model, Turn& Of, const TurnPlan& Plan)
      : Model(Model), Of(Of), Plan(Plan) {}

  void order(TurnSteps& Steps) {
    for (std::size_t K = 0; K < Steps.size(); ++K) {
      order(Steps[K].Then);
      order(Steps[K].Else);
      if (Steps[K].Is == TurnStep::Code)
        moveUp(Steps, K);
    }
  }

private:
  void moveUp(TurnSteps& Steps, std::size_t Code) {
    // Kernels between the reduction and the code, and the place in front of them.
    std::vector<std::size_t> Between;
    std::size_t At = Code;
    for (std::size_t K = Code;; --K) {
      if (K == 0)
        return;
      const TurnStep& Step = Steps[K - 1];
      if (endsInScalar(Plan, Model, Of, Step))
        break;
      if (launches(Plan, Step)) {
        if (!Plan.Launches[Step.Number]->ByIndex.empty() ||
            operationOf(Model, Of.Commands[Step.Number]) == Operation::PReduceByIndex)
          return;
        Between.push_back(Step.Number);
        At = K - 1;
      } else if (Step.Is == TurnStep::Code) {
        if (At == Code) // it stays where it is, and so does what follows it
          return;
      } else if (Step.Is != TurnStep::Set && Step.Is != TurnStep::Swap &&
                 Step.Is != TurnStep::Run) {
        return;
      }
    }
    if (Between.empty())
      return;
    const Names Changed = scalarNames(Steps[Code].Statements);
    const std::optional<std::set<std::size_t>> Passed = passed(Steps, Code, Between, Changed, At);
    if (!Passed)
      return;
    std::vector<std::pair<std::size_t, std::size_t>> Noted; // captures
    for (const std::size_t Command : *Passed) {
      const TurnCommand& Run = Of.Commands[Command];
      if (meet(scalarNames(Run.First), Changed) || setsOne(Run, Changed) ||
          (!Run.Chain.empty() && meet(scalarsOf(Of, Run), Changed)))
        return;
      for (std::size_t K = 0; K < Run.Captures.size(); ++K)
        if (meet(scalarNames(Run.Captures[K]), Changed))
          Noted.emplace_back(Command, K);
    }
    TurnStep Moved = std::move(Steps[Code]);
    Steps.erase(Steps.begin() + static_cast<std::ptrdiff_t>(Code));
    for (const auto& [Command, Capture] : Noted)
      Moved.Statements.insert(Moved.Statements.begin(), noted(Command, Capture));
    Steps.insert(Steps.begin() + static_cast<std::ptrdiff_t>(At), std::move(Moved));
  }

  /// Commands that code passes on its way up to \p At: those between, and those of the kernels
  /// there. Another device's kernels are planned for the new order, and may compute each where it
  /// stands. So code that changes what one captures goes up to it, if it may.
  std::optional<std::set<std::size_t>> passed(const TurnSteps& Steps, std::size_t Code,
                                              const std::vector<std::size_t>& Kernels,
                                              const Names& Changed, std::size_t& At) const {
    std::set<std::size_t> Out, Above;
    for (const std::size_t Launch : Kernels)
      Above.insert(Plan.Launches[Launch]->Commands.begin(), Plan.Launches[Launch]->Commands.end());
    const auto Pass = [&](const TurnStep& Step) {
      if (Step.Is == TurnStep::Run) {
        Out.insert(Step.Number);
        Above.erase(Step.Number);
      }
    };
    const auto IsChanged = [&](std::size_t Command) {
      return meet(scalarsOf(Of, Of.Commands[Command]), Changed);
    };
    for (std::size_t K = At; K < Code; ++K)
      Pass(Steps[K]);
    while (llvm::any_of(Above, IsChanged)) {
      if (At == 0 || endsInScalar(Plan, Model, Of, Steps[At - 1]) ||
          !llvm::is_contained({TurnStep::Run, TurnStep::Set, TurnStep::Swap}, Steps[At - 1].Is))
        return std::nullopt;
      Pass(Steps[--At]);
    }
    return Out;
  }

  /// Whether a command is a reduction to one of some scalars.
  bool setsOne(const TurnCommand& Command, const Names& Some) const {
    return operationOf(Model, Command) == Operation::PReduce &&
           Some.contains(Of.Scalars[Command.Result].Name);
  }

  /// A statement that notes what a body captures, since code changes that before the body is made.
  body::StmtRef noted(std::size_t Command, std::size_t Capture) {
    body::ExprRef& Value = Of.Commands[Command].Captures[Capture];
    const Type& Ty = Model.Sections[*Of.Commands[Command].Section].Code.Captures[Capture].Ty;
    std::string Ident = "captured_" + std::to_string(Command) + "_" + std::to_string(Capture);
    while (llvm::any_of(Of.Scalars, [&](const TurnScalar& S) { return S.Name == Ident; }))
      Ident += "_";
    TurnScalar& Scalar = Of.Scalars.emplace_back();
    Scalar.Name = Ident;
    Scalar.Ty = Ty;
    const auto Name = std::make_shared<body::Expr>(body::Expr{body::Name{Ident}, Value->Ty, {}});
    const body::ExprRef Sets =
        std::make_shared<body::Expr>(body::Expr{body::Binary{"=", Name, Value}, Value->Ty, {}});
    Value = Name;
    return std::make_shared<body::Stmt>(body::Stmt{body::Evaluate{Sets}, std::nullopt});
  }

  const ProgramModel& Model;
  Turn& Of;
  const TurnPlan& Plan;
};

} // namespace

bool launches(const TurnPlan& Plan, const TurnStep& Step) {
  if (Step.Is != TurnStep::Run)
    return false;
  const std::optional<TurnLaunch>& Launch = Plan.Launches[Step.Number];
  return Launch && !Launch->Stores && !Launch->IsComputedThere;
}

bool endsInScalar(const TurnPlan& Plan, const ProgramModel& Model, const Turn& Of,
                  const TurnStep& Step) {
  if (!launches(Plan, Step))
    return false;
  const TurnLaunch& Launch = *Plan.Launches[Step.Number];
  return Launch.ByIndex.empty() &&
         (Launch.ReducedBy || operationOf(Model, Of.Commands[Step.Number]) == Operation::PReduce);
}

std::optional<std::size_t> lastCode(const TurnSteps& Body, const TurnSteps& Test) {
  const TurnSteps& Last = Test.empty() ? Body : Test;
  std::size_t N = Last.size();
  while (N > 0 && (Last[N - 1].Is == TurnStep::Set || Last[N - 1].Is == TurnStep::Swap))
    --N;
  if (N == 0 || Last[N - 1].Is != TurnStep::Code)
    return std::nullopt;
  return N - 1;
}

TurnTail tailOf(const TurnPlan& Plan, const ProgramModel& Model, const Turn& Of,
                const TurnSteps& Steps, std::size_t At, const TurnEnd* End) {
  TurnTail Out;
  if (!endsInScalar(Plan, Model, Of, Steps[At]))
    return Out;
  bool IsOver = false; // another kernel has come
  for (std::size_t K = At + 1; K < Steps.size(); ++K) {
    const TurnStep& Step = Steps[K];
    if (launches(Plan, Step)) {
      IsOver = true;
      if (endsInScalar(Plan, Model, Of, Step))
        return Out;
    } else if (Step.Is == TurnStep::Code && End && End->Code == K) {
      if (!Plan.IsUnrolled || IsOver)
        return Out; // the test has a kernel of its own
    } else if (Step.Is == TurnStep::Code && !IsOver) {
      Out.Code.push_back(K);
    } else if (Step.Is != TurnStep::Run && Step.Is != TurnStep::Set && Step.Is != TurnStep::Swap) {
      return Out;
    }
  }
  Out.Tests = End && Plan.IsUnrolled;
  return Out;
}

std::size_t graphKernelsOf(const TurnPlan& Plan, const ProgramModel& Model, const Turn& Of) {
  const TurnEnd End{lastCode(Of.Body, Of.Test)};
  std::size_t Out = 1; // the test
  for (const TurnSteps* Steps : {&Of.Body, &Of.Test}) {
    const TurnEnd* const Here = (Steps == &Of.Test) != Of.Test.empty() ? &End : nullptr;
    for (std::size_t K = 0; K < Steps->size(); ++K) {
      const TurnStep& Step = (*Steps)[K];
      const TurnTail Then = tailOf(Plan, Model, Of, *Steps, K, Here);
      Out += launches(Plan, Step) || Step.Is == TurnStep::Read ||
             (Step.Is == TurnStep::Code && !(Here && Here->Code == K));
      Out -= Then.Code.size() + Then.Tests;
    }
  }
  return Out;
}

/// Whether a step, or one in it, reads or sets an array.
static bool names(const Turn& Of, const TurnStep& In, std::size_t Array) {
  const TurnInput Is{false, Array};
  return anyStep({In}, [&](const TurnStep& Step) {
    return (Step.Is == TurnStep::Run &&
            llvm::is_contained(arraysOf(Of.Commands[Step.Number]), Is)) ||
           (Step.Is == TurnStep::Set && (Step.Number == Array || Step.Value == Is)) ||
           (Step.Is == TurnStep::Swap && (Step.Number == Array || Step.Other == Array)) ||
           (Step.Is == TurnStep::Read && Step.Value == Is);
  });
}

void dropOverwritten(Turn& Of) {
  const auto NamedBy = [&](std::size_t Array) {
    return [&Of, Array](const TurnStep& Step) { return names(Of, Step, Array); };
  };
  // Of a variable that each turn declares: nothing reads what the last step sets it to.
  const auto EndsWithTurn = [&](const TurnSteps& Steps, std::size_t Array) {
    return &Steps == &Of.Body && Of.Arrays[Array].HostName.empty() &&
           Of.Arrays[Array].IsSetByTurn && llvm::none_of(Of.Begin, NamedBy(Array)) &&
           llvm::none_of(Of.Test, NamedBy(Array));
  };
  const auto IsOverwritten = [&](const TurnSteps& Steps, std::size_t At) {
    const std::size_t Array = Steps[At].Number;
    const llvm::ArrayRef<TurnStep> After = llvm::ArrayRef<TurnStep>(Steps).drop_front(At + 1);
    const auto* Next = llvm::find_if(After, NamedBy(Array));
    if (Next == After.end())
      return EndsWithTurn(Steps, Array);
    return Next->Is == TurnStep::Set && Next->Number == Array &&
           Next->Value != TurnInput{false, Array};
  };
  const std::function<void(TurnSteps&)> Drop = [&](TurnSteps& Steps) {
    for (std::size_t K = Steps.size(); K-- > 0;) {
      Drop(Steps[K].Then);
      Drop(Steps[K].Else);
      if (Steps[K].Is == TurnStep::Set && IsOverwritten(Steps, K))
        Steps.erase(Steps.begin() + static_cast<std::ptrdiff_t>(K));
    }
  };
  for (TurnSteps* const Steps : {&Of.Begin, &Of.Body, &Of.Test})
    Drop(*Steps);
}

void delayMaps(const ProgramModel& Model, Turn& Of,
               llvm::function_ref<TurnPlan(const Turn&)> PlanOf) {
  const auto IsMap = [&](const TurnPlan& Plan, const TurnStep& Step) {
    return launches(Plan, Step) && isElementwise(operationOf(Model, Of.Commands[Step.Number])) &&
           !Plan.Launches[Step.Number]->ReducedBy && Plan.Launches[Step.Number]->ByIndex.empty();
  };
  const auto Share = [](const TurnLaunch& A, const TurnLaunch& B) {
    return llvm::any_of(A.Leaves,
                        [&](const TurnInput& Leaf) { return llvm::is_contained(B.Leaves, Leaf); });
  };
  TurnPlan Plan = PlanOf(Of);
  for (std::size_t From = 0; From < Of.Body.size(); ++From)
    for (std::size_t To = From + 1; To < Of.Body.size() && IsMap(Plan, Of.Body[From]); ++To) {
      if (!IsMap(Plan, Of.Body[To]) ||
          !Share(*Plan.Launches[Of.Body[From].Number], *Plan.Launches[Of.Body[To].Number]))
        continue;
      std::optional<TurnSteps> Moved = MapDelay(Model, Of).moved(Of.Body, From, To);
      if (!Moved)
        continue;
      Turn Other = Of;
      Other.Body = std::move(*Moved);
      TurnPlan Then = PlanOf(Other);
      if (kernelsOf(Then) >= kernelsOf(Plan))
        continue;
      Of = std::move(Other);
      Plan = std::move(Then);
      To = From; // another step is there now
    }
}

void orderCode(const ProgramModel& Model, Turn& Of, const TurnPlan& Plan) {
  CodeOrder(Model, Of, Plan).order(Of.Body);
}

} // namespace ikra
