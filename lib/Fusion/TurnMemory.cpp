// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many buffers a turn needs at once: each holds what an array was when the turn began, or a
// result of a kernel. A loop that has so many allocates none any more. So it may give up its first
// arrays' memory then, though it could not run as written after that.

#include "Turns.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace ikra {

namespace {

class BufferCounter {
public:
  BufferCounter(const ProgramModel& Model, const Turn& Of, const TurnPlan& Plan)
      : Model(Model), Of(Of), Plan(Plan), Arrays(Of.Arrays.size()) {}

  std::vector<TurnBuffers> count() {
    for (std::size_t N = 0; N < Of.Arrays.size(); ++N) {
      const TurnArray& Array = Of.Arrays[N];
      const bool IsHeld = Array.IsAssigned || Array.HostName.empty();
      if (IsHeld && !(IsOneByOne && Array.IsSetByTurn))
        Arrays[N] = add(Array.Space, Array.Element);
    }
    note();
    if (IsOneByOne) {
      llvm::for_each(Of.Body, [&](const TurnStep& Step) { run(Step); });
      llvm::for_each(Of.Test, [&](const TurnStep& Step) { run(Step); });
    } else {
      for (std::size_t N = 0; N < Plan.Launches.size(); ++N)
        launch(N);
    }
    return std::move(Most);
  }

private:
  /// A buffer's contents, by number; what others have is no such.
  using Value = std::optional<std::size_t>;

  Value add(std::size_t Space, const Type& Element) {
    const auto Known = llvm::find_if(Most, [&](const TurnBuffers& Each) {
      return Each.Space == Space && Each.Element.Spelling == Element.Spelling;
    });
    KindOf.push_back(static_cast<std::size_t>(Known - Most.begin()));
    if (Known == Most.end())
      Most.push_back({Space, Element, 0});
    return KindOf.size() - 1;
  }

  /// Counts what is held now.
  void note() {
    std::set<std::size_t> Held;
    for (const Value& Of : Arrays)
      if (Of)
        Held.insert(*Of);
    for (const auto& [Command, Of] : Results)
      Held.insert(Of);
    std::vector<unsigned> Now(Most.size());
    for (const std::size_t Of : Held)
      ++Now[KindOf[Of]];
    for (std::size_t Kind = 0; Kind < Most.size(); ++Kind)
      Most[Kind].Number = std::max(Most[Kind].Number, Now[Kind]);
  }

  /// The results that a command's kernel stores are there from here on, up to the turn's end.
  void launch(std::size_t Command) {
    const std::optional<TurnLaunch>& Launch = Plan.Launches[Command];
    if (!Launch || Launch->IsComputedThere)
      return;
    if (operationOf(Model, Of.Commands[Launch->Results.front()]) == Operation::PReduce)
      return;
    for (const std::size_t Result : Launch->Results) {
      const TurnCommand& Gives = Of.Commands[Result];
      Results[Result] = *add(Gives.Space, Model.Sections[*Gives.Section].Result);
    }
    note();
  }

  void run(const TurnStep& Step) {
    if (Step.Is == TurnStep::Run)
      launch(Step.Number);
    if (Step.Is == TurnStep::Set)
      Arrays[Step.Number] =
          Step.Value.IsCommand ? Value(Results.at(Step.Value.Number)) : Arrays[Step.Value.Number];
    if (Step.Is == TurnStep::Swap)
      std::swap(Arrays[Step.Number], Arrays[Step.Other]);
  }

  static bool setArrays(const TurnSteps& Steps) {
    return anyStep(Steps, [](const TurnStep& Step) {
      return Step.Is == TurnStep::Run || Step.Is == TurnStep::Set || Step.Is == TurnStep::Swap;
    });
  }
  static bool choosesArrays(const TurnStep& Step) {
    return setArrays(Step.Then) || setArrays(Step.Else);
  }
  bool allRunOnce() const {
    const bool TestsBefore = Of.TestsFirst && setArrays(Of.Test);
    return !setArrays(Of.Begin) && !TestsBefore && llvm::none_of(Of.Body, choosesArrays) &&
           llvm::none_of(Of.Test, choosesArrays);
  }

  const ProgramModel& Model;
  const Turn& Of;
  const TurnPlan& Plan;
  const bool IsOneByOne = allRunOnce();
  std::vector<Value> Arrays;
  std::map<std::size_t, std::size_t> Results; ///< by command
  std::vector<std::size_t> KindOf;            ///< of contents
  std::vector<TurnBuffers> Most;
};

} // namespace

std::vector<TurnBuffers> buffersOf(const ProgramModel& Model, const Turn& Of,
                                   const TurnPlan& Plan) {
  if (!Of.Fails.empty()) // it may run as written after some turns
    return {};
  return BufferCounter(Model, Of, Plan).count();
}

} // namespace ikra
