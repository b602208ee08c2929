// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns as `--print=fusion` shows them: their arrays and scalars, and steps with the kernels.

#include "Turns.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <set>

namespace ikra {

namespace {

class TurnPrinter {
public:
  TurnPrinter(const ProgramModel& Model, const Turn& Of, const TurnPlan& Plan,
              llvm::raw_ostream& OS)
      : Model(Model), Of(Of), Plan(&Plan), OS(OS) {}

  void print() {
    OS << "turn " << Of.Ident << " at line " << Of.At.Line << ": " << Of.Keyword << "\n  arrays:";
    list(Of.Arrays, [](const TurnArray& Array) {
      if (Array.HostName.empty())
        return Array.Name + " (its own)";
      return Array.Name + (Array.IsMoved ? " (moved)" : Array.IsAssigned ? " (carried)" : "");
    });
    OS << "\n  scalars on the device:";
    list(Of.Scalars, [](const TurnScalar& Scalar) {
      return Scalar.Name + (Scalar.IsWritten ? " (carried)" : "");
    });
    OS << "\n";
    if (Of.Block)
      OS << "  stops before each turn in which the host acts\n";
    for (const TurnPair& Pair : Of.Pairs)
      OS << "  by the lowest bit of " << Pair.By << ": " << Of.Arrays[Pair.Now].Name << ", not "
         << Of.Arrays[Pair.Other].Name << "\n";
    for (const TurnRing& Ring : Of.Rings) {
      OS << "  by the remainder of " << Ring.By << ":";
      list(Ring.Arrays, [&](std::size_t Array) { return Of.Arrays[Array].Name; });
      OS << "\n";
    }
    if (!Plan->Buffers.empty()) {
      OS << "  buffers:";
      list(Plan->Buffers, [&](const TurnBuffers& Each) {
        const std::string In =
            Of.Spaces.size() > 1 ? " in space " + std::to_string(Each.Space) : "";
        return std::to_string(Each.Number) + " of " + Each.Element.Spelling + In;
      });
      OS << "\n";
    }
    steps("");
    const auto Kernels = kernelsOf(*Plan);
    const std::optional<unsigned> InBlock = Plan->InBlock;
    const std::optional<std::size_t> InGraph =
        Plan->IsUnrolled ? std::optional(graphKernelsOf(*Plan, Model, Of)) : std::nullopt;
    if (!Plan->OnCores.empty()) {
      Plan = &Plan->OnCores.front();
      IsOfCores = true;
      steps(" on all cores");
    }
    if (InBlock)
      OS << "  one block of a GPU: up to " << *InBlock << " elements\n";
    if (Of.Waits == 0)
      OS << "  launches: " << Kernels << " a turn, queued by the host\n";
    else
      OS << "  host waits: once, not " << Of.Waits << " time" << (Of.Waits == 1 ? "" : "s")
         << " a turn\n";
    if (InGraph)
      OS << "  a GPU's graph: " << *InGraph << " kernel" << (*InGraph == 1 ? "" : "s")
         << " a turn, several turns in a row\n";
  }

private:
  template <class Range, class Text> void list(const Range& All, const Text& TextOf) {
    for (const auto& Each : All)
      OS << (&Each == &All.front() ? " " : ", ") << TextOf(Each);
  }
  std::string text(const TurnInput& Input) const {
    return Input.IsCommand ? "result of " + nameOf(Input.Number) : Of.Arrays[Input.Number].Name;
  }
  std::string nameOf(std::size_t Command) const {
    const std::optional<Index> Section = Of.Commands[Command].Section;
    return Section ? Model.Sections[*Section].Ident : "counts of keys";
  }

  bool isByIndex(std::size_t Command) const {
    return operationOf(Model, Of.Commands[Command]) == Operation::PReduceByIndex;
  }

  /// The commands of a launch that lead to one of its results, that last.
  void chain(const TurnLaunch& Launch, std::size_t Result, std::set<std::size_t>& Seen) {
    for (const TurnInput& Input : Of.Commands[Result].Inputs)
      if (Input.IsCommand && llvm::is_contained(Launch.Commands, Input.Number) &&
          Seen.insert(Input.Number).second) {
        chain(Launch, Input.Number, Seen);
        OS << " -> ";
      }
    const std::vector<std::size_t>& Repeated = Of.Commands[Result].Chain;
    for (const std::size_t Part : Repeated)
      OS << (Part == Repeated.front() ? "" : " -> ") << nameOf(Part);
    if (Repeated.empty())
      OS << nameOf(Result);
    else
      OS << ", " << Of.Commands[Result].Times << " times";
  }
  void launch(const TurnLaunch& Launch) {
    std::vector<TurnInput> Leaves;
    for (const TurnInput& Leaf : Launch.Leaves) {
      const TurnLaunch* const There =
          Leaf.IsCommand && Plan->Launches[Leaf.Number] ? &*Plan->Launches[Leaf.Number] : nullptr;
      if (!There || !There->IsComputedThere) {
        Leaves.push_back(Leaf);
        continue;
      }
      std::set<std::size_t> Seen{Leaf.Number};
      chain(*There, Leaf.Number, Seen);
      OS << " -> ";
      llvm::append_range(Leaves, There->Leaves);
    }
    std::set<std::size_t> Seen(Launch.Results.begin(), Launch.Results.end());
    for (const std::size_t Result : Launch.Results) {
      OS << (Result == Launch.Results.front() ? "" : ", ");
      chain(Launch, Result, Seen);
    }
    OS << " over";
    list(Leaves, [&](const TurnInput& Input) { return text(Input); });
  }

  void steps(llvm::StringRef Where) {
    const std::pair<const char*, const TurnSteps*> Parts[] = {
        {"before", &Of.Begin}, {"turn", &Of.Body}, {"test", &Of.Test}};
    for (const auto& [Title, Steps] : Parts)
      if (!Steps->empty()) {
        OS << "  " << Title << Where << ":\n";
        steps(*Steps, 4);
      }
  }
  void steps(const TurnSteps& Steps, unsigned Indent) {
    for (const TurnStep& Step : Steps)
      print(Step, Indent);
  }
  void print(const TurnStep& Step, unsigned Indent) {
    switch (Step.Is) {
    case TurnStep::Run:
      if (const std::optional<TurnLaunch>& Launch = Plan->Launches[Step.Number];
          Launch && !Launch->Stores && !Launch->IsComputedThere) {
        OS.indent(Indent) << "kernel ";
        launch(*Launch);
        std::vector<std::size_t> Others = Launch->ByIndex;
        if (Launch->ReducedBy)
          Others.insert(Others.begin(), *Launch->ReducedBy);
        llvm::erase(Others, Launch->Results.front());
        OS << (Others.empty() || isByIndex(Step.Number) ? "" : ", stored");
        for (const std::size_t Other : Others) {
          OS << "; ";
          launch(*Plan->Launches[Other]);
        }
        const auto Say = [&](const std::optional<TurnTiles>& Tiles, const char* Where) {
          if (Tiles)
            OS << "; on " << Where << " " << Tiles->Steps << " turns at once, in tiles"
               << (Tiles->Alone == 0 ? "" : ", but the last");
        };
        if (!IsOfCores)
          Say(Launch->InTiles, "a GPU");
        if (IsOfCores || Plan->OnCores.empty())
          Say(Launch->InTilesOnCores, "all cores");
        OS << "\n";
      }
      return;
    case TurnStep::Set:
      OS.indent(Indent) << Of.Arrays[Step.Number].Name << " = " << text(Step.Value) << "\n";
      return;
    case TurnStep::Swap:
      OS.indent(Indent) << "swap " << Of.Arrays[Step.Number].Name << ", "
                        << Of.Arrays[Step.Other].Name << "\n";
      return;
    case TurnStep::Code:
      OS.indent(Indent) << "scalar code\n";
      return;
    case TurnStep::Read:
      OS.indent(Indent) << "element of " << text(Step.Value) << "\n";
      return;
    case TurnStep::Loop:
      OS.indent(Indent) << "loop";
      if (!Step.Carried.empty()) {
        OS << " with";
        list(Step.Carried, [&](std::size_t Array) { return Of.Arrays[Array].Name; });
      }
      OS << "\n";
      steps(Step.Then, Indent + 2);
      steps(Step.Else, Indent + 2);
      return;
    case TurnStep::Branch:
      OS.indent(Indent) << "branch\n";
      steps(Step.Then, Indent + 2);
      if (!Step.Else.empty()) {
        OS.indent(Indent) << "else\n";
        steps(Step.Else, Indent + 2);
      }
      return;
    }
  }

  const ProgramModel& Model;
  const Turn& Of;
  const TurnPlan* Plan; ///< of the device that is printed
  bool IsOfCores = false;
  llvm::raw_ostream& OS;
};

} // namespace

void print(const std::vector<TurnPlan>& Plans, const HostLoops& Loops, const ProgramModel& Model,
           llvm::raw_ostream& OS) {
  for (std::size_t N = 0; N < Loops.Turns.size(); ++N)
    TurnPrinter(Model, Loops.Turns[N], Plans[N], OS).print();
  for (const LeftLoop& Left : Loops.Left)
    OS << "no turn at line " << Left.At.Line << ": " << Left.Keyword << ", since " << Left.Why
       << "; the host waits " << Left.Waits << " time" << (Left.Waits == 1 ? "" : "s")
       << " a turn\n";
}

} // namespace ikra
