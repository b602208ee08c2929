// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which kernels a turn launches: one for each command that has a name, or that several kernels
// read, with all that it alone needs and that may run where it stands. The rules are those of all
// fused kernels; the kernels are the turn's own, since it knows its commands one by one.

#include "Turns.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <functional>
#include <set>

namespace ikra {

/// As many as other kernels have.
static constexpr std::size_t MostInKernel = 64;

/// In one turn.
static auto kernelsOf(const TurnPlan& Plan) {
  return llvm::count_if(Plan.Launches, [](const std::optional<TurnLaunch>& Launch) {
    return Launch && !Launch->Stores;
  });
}

namespace {

class Launches {
public:
  Launches(const ProgramModel& Model, const FusionPlan& Fusion, const Turn& Of)
      : Model(Model), Fusion(Fusion), Of(Of), Uses(Of.Commands.size(), 0),
        Places(Of.Commands.size()), IsInside(Of.Commands.size(), false) {
    for (const TurnSteps* Steps : {&Of.Begin, &Of.Body, &Of.Test})
      note(*Steps);
    for (const TurnCommand& Command : Of.Commands)
      for (const TurnInput& Input : Command.Inputs)
        if (Input.IsCommand)
          ++Uses[Input.Number];
    for (const TurnCommand& Command : Of.Commands)
      for (const auto& [Capture, Input] : Command.CapturedArrays)
        if (Input.IsCommand)
          Uses[Input.Number] += 2; // read at any index: from memory
  }

  TurnPlan plan() {
    TurnPlan Out;
    Out.Launches.resize(Of.Commands.size());
    for (std::size_t N = Of.Commands.size(); N-- > 0;)
      if (!IsInside[N] && Places[N].Steps)
        Out.Launches[N] = launchOf(N, Out.Kernels);
    for (std::size_t N = 0; N < Of.Commands.size(); ++N)
      if (Out.Launches[N] && operation(N) == Operation::PReduce)
        storeInPassing(N, Out);
    return Out;
  }

private:
  struct Place {
    const TurnSteps* Steps = nullptr;
    std::size_t At = 0;
  };

  void note(const TurnSteps& Steps) {
    for (std::size_t K = 0; K < Steps.size(); ++K) {
      const TurnStep& Step = Steps[K];
      if (Step.Is == TurnStep::Run)
        Places[Step.Number] = {&Steps, K};
      if (Step.Is == TurnStep::Set && Step.Value.IsCommand)
        ++Uses[Step.Value.Number];
      if (Step.Is == TurnStep::Read && Step.Value.IsCommand)
        Uses[Step.Value.Number] += 2; // from memory
      note(Step.Then);
      note(Step.Else);
    }
  }

  /// Whether the command computes the same at \p Later, where another one is launched.
  bool mayWait(std::size_t Command, const Place& Later) const {
    const Place& Here = Places[Command];
    if (Here.Steps != Later.Steps)
      return false;
    const TurnCommand& At = Of.Commands[Command];
    const auto Reads = [&](std::size_t Array) {
      return llvm::any_of(At.Inputs,
                          [&](const TurnInput& Input) {
                            return !Input.IsCommand && Input.Number == Array;
                          }) ||
             llvm::any_of(At.CapturedArrays, [&](const auto& Captured) {
               return !Captured.second.IsCommand && Captured.second.Number == Array;
             });
    };
    for (std::size_t K = Here.At; K < Later.At; ++K) {
      const TurnStep& Step = (*Here.Steps)[K];
      if (Step.Is == TurnStep::Branch || Step.Is == TurnStep::Loop ||
          (Step.Is == TurnStep::Code && Of.Commands[Command].UsesScalars) ||
          (Step.Is == TurnStep::Set && Reads(Step.Number)) ||
          (Step.Is == TurnStep::Swap && (Reads(Step.Number) || Reads(Step.Other))))
        return false;
    }
    return true;
  }

  Operation operation(std::size_t Command) const {
    return Model.Sections[Of.Commands[Command].Section].Op;
  }

  /// Lets a reduction compute an array that it reads, if it may stand where that is computed.
  void storeInPassing(std::size_t Reduction, TurnPlan& Out) const {
    TurnLaunch& At = *Out.Launches[Reduction];
    for (const TurnInput& Leaf : At.Leaves) {
      if (!Leaf.IsCommand || !Out.Launches[Leaf.Number] || Out.Launches[Leaf.Number]->ReducedBy ||
          !isStoredInPassing(*Out.Launches[Leaf.Number], Out) ||
          llvm::count_if(At.Leaves,
                         [&](const TurnInput& Other) {
                           return Other.IsCommand && Other.Number == Leaf.Number;
                         }) != 1 ||
          !mayStandAt(At, Places[Reduction], Places[Leaf.Number]))
        continue;
      Out.Launches[Leaf.Number]->ReducedBy = Reduction;
      At.Stores = true;
      return;
    }
  }

  /// Whether a reduction may compute what a launch does, element by element.
  bool isStoredInPassing(const TurnLaunch& Launch, const TurnPlan& Out) const {
    const Section& S = Model.Sections[Of.Commands[Launch.Commands.front()].Section];
    return isElementwise(S.Op) && !S.Result.IsClass &&
           llvm::none_of(Launch.Commands,
                         [&](std::size_t N) {
                           return gathers(Model, Model.Sections[Of.Commands[N].Section]);
                         }) &&
           !(Launch.Kernel && Out.Kernels[*Launch.Kernel].hasStencils());
  }

  /// Whether a launch computes the same at an earlier place.
  bool mayStandAt(const TurnLaunch& Launch, const Place& Here, const Place& Earlier) const {
    if (Here.Steps != Earlier.Steps)
      return false;
    std::vector<TurnInput> Reads = Launch.Leaves;
    bool UsesScalars = false;
    for (const std::size_t Command : Launch.Commands) {
      UsesScalars |= Of.Commands[Command].UsesScalars;
      for (const auto& [Capture, Input] : Of.Commands[Command].CapturedArrays) {
        if (Input.IsCommand && Places[Input.Number].At >= Earlier.At)
          return false;
        Reads.push_back(Input);
      }
    }
    const auto ReadsArray = [&](std::size_t Array) {
      return llvm::any_of(
          Reads, [&](const TurnInput& Input) { return !Input.IsCommand && Input.Number == Array; });
    };
    for (const TurnInput& Input : Reads)
      if (Input.IsCommand && Places[Input.Number].Steps == Earlier.Steps &&
          Places[Input.Number].At > Earlier.At)
        return false;
    for (std::size_t K = Earlier.At; K < Here.At; ++K) {
      const TurnStep& Step = (*Here.Steps)[K];
      const bool SetsScalars =
          Step.Is == TurnStep::Code || Step.Is == TurnStep::Read ||
          (Step.Is == TurnStep::Run && operation(Step.Number) == Operation::PReduce);
      if (Step.Is == TurnStep::Branch || Step.Is == TurnStep::Loop ||
          (SetsScalars && UsesScalars) || (Step.Is == TurnStep::Set && ReadsArray(Step.Number)) ||
          (Step.Is == TurnStep::Swap && (ReadsArray(Step.Number) || ReadsArray(Step.Other))))
        return false;
    }
    return true;
  }

  /// Whether \p Producer's element is computed where \p Consumer's is, in a kernel of results
  /// that are stored or, if \p Combines, reduced.
  bool sharesKernel(std::size_t Producer, std::size_t Consumer, bool Combines) const {
    const Section& From = Model.Sections[Of.Commands[Producer].Section];
    const Section& To = Model.Sections[Of.Commands[Consumer].Section];
    if (From.Op == Operation::PReduce || (From.Op == Operation::PStencil && Combines))
      return false;
    if (To.Op != Operation::PStencil || From.IsZip)
      return true;
    return llvm::any_of(Fusion.Edges, [&](const FusionEdge& Edge) {
      return Edge.Fused && Edge.Producer == Of.Commands[Producer].Section &&
             Edge.Consumer == Of.Commands[Consumer].Section;
    });
  }

  /// The arrays that commands of one kernel read, each once, with the nodes that do.
  struct Inputs {
    std::vector<TurnInput> Arrays;
    std::vector<FusedLeaf> Leaves;
    std::vector<FusedNode> Nodes;
  };
  Inputs inputsOf(const std::vector<std::size_t>& Commands) const {
    Inputs Out;
    for (std::size_t N = 0; N < Commands.size(); ++N) {
      const TurnCommand& At = Of.Commands[Commands[N]];
      FusedNode& Node = Out.Nodes.emplace_back(FusedNode{At.Section, {}, false});
      for (std::size_t K = 0; K < At.Inputs.size(); ++K) {
        const TurnInput& Input = At.Inputs[K];
        if (const auto Inside = llvm::find(Commands, Input.Number);
            Input.IsCommand && Inside != Commands.end()) {
          Node.Inputs.push_back({false, static_cast<std::size_t>(Inside - Commands.begin())});
          continue;
        }
        const auto Known = llvm::find_if(Out.Arrays, [&](const TurnInput& Leaf) {
          return Leaf.IsCommand == Input.IsCommand && Leaf.Number == Input.Number;
        });
        Node.Inputs.push_back({true, static_cast<std::size_t>(Known - Out.Arrays.begin())});
        if (Known == Out.Arrays.end()) {
          Out.Arrays.push_back(Input);
          Out.Leaves.push_back({N, K});
        }
      }
    }
    return Out;
  }

  /// The largest kernel that ends with a command. Commands are numbered in their order.
  TurnLaunch launchOf(std::size_t Command, std::vector<FusedKernel>& Kernels) {
    std::vector<std::size_t> Commands{Command};
    std::vector<bool> AreNeighbours{false}; // of some stencil
    const bool Combines = operation(Command) == Operation::PReduce;
    for (std::size_t N = Command; N-- > 0 && Commands.size() < MostInKernel;) {
      unsigned Here = 0;
      bool Fits = true, IsNeighbour = false;
      for (std::size_t K = 0; K < Commands.size(); ++K)
        for (const TurnInput& Input : Of.Commands[Commands[K]].Inputs)
          if (Input.IsCommand && Input.Number == N) {
            ++Here;
            Fits &= sharesKernel(N, Commands[K], Combines);
            IsNeighbour |= AreNeighbours[K] || operation(Commands[K]) == Operation::PStencil;
          }
      if (Here == 0 || Here != Uses[N] || !Fits || !mayWait(N, Places[Command]) ||
          (IsNeighbour && Model.Sections[Of.Commands[N].Section].mayFail()))
        continue;
      Commands.push_back(N);
      AreNeighbours.push_back(IsNeighbour);
      if (inputsOf(Commands).Arrays.size() > MostLeaves) {
        Commands.pop_back();
        AreNeighbours.pop_back();
      }
    }
    Inputs Of = inputsOf(Commands);
    TurnLaunch Out{std::nullopt, std::move(Commands), std::move(Of.Arrays), std::nullopt, false};
    if (Out.Commands.size() == 1) {
      Out.Leaves = this->Of.Commands[Command].Inputs; // one may be there twice
    } else {
      for (const std::size_t Inside : llvm::drop_begin(Out.Commands))
        IsInside[Inside] = true;
      FusedKernel Kernel;
      Kernel.Nodes = std::move(Of.Nodes);
      Kernel.Leaves = std::move(Of.Leaves);
      Kernel.Ident = this->Of.Ident + "_kernel_" + std::to_string(Command);
      Kernel.complete(Model);
      Out.Kernel = Kernels.size();
      Kernels.push_back(std::move(Kernel));
    }
    return Out;
  }

  const ProgramModel& Model;
  const FusionPlan& Fusion;
  const Turn& Of;
  std::vector<unsigned> Uses; ///< by commands and variables
  std::vector<Place> Places;
  std::vector<bool> IsInside; ///< another one's kernel
};

class TurnPrinter {
public:
  TurnPrinter(const ProgramModel& Model, const Turn& Of, const TurnPlan& Plan,
              llvm::raw_ostream& OS)
      : Model(Model), Of(Of), Plan(Plan), OS(OS) {}

  void print() {
    OS << "turn " << Of.Ident << " at line " << Of.At.Line << ": " << Of.Keyword << "\n  arrays:";
    list(Of.Arrays, [](const TurnArray& Array) {
      if (Array.HostName.empty())
        return Array.Name + " (its own)";
      return Array.Name + (Array.IsAssigned ? " (carried)" : "");
    });
    OS << "\n  scalars on the device:";
    list(Of.Scalars, [](const TurnScalar& Scalar) {
      return Scalar.Name + (Scalar.IsWritten ? " (carried)" : "");
    });
    OS << "\n";
    steps("before", Of.Begin);
    steps("turn", Of.Body);
    steps("test", Of.Test);
    if (Of.Waits == 0)
      OS << "  launches: one, not " << kernelsOf(Plan) << " a turn\n";
    else
      OS << "  host waits: once, not " << Of.Waits << " time" << (Of.Waits == 1 ? "" : "s")
         << " a turn\n";
  }

private:
  template <class Range, class Text> void list(const Range& All, const Text& TextOf) {
    for (const auto& Each : All)
      OS << (&Each == &All.front() ? " " : ", ") << TextOf(Each);
  }
  std::string text(const TurnInput& Input) const {
    return Input.IsCommand ? "result of " + Model.Sections[Of.Commands[Input.Number].Section].Ident
                           : Of.Arrays[Input.Number].Name;
  }

  void launch(const TurnLaunch& Launch, std::size_t Last) {
    for (const std::size_t Command : llvm::reverse(Launch.Commands))
      OS << Model.Sections[Of.Commands[Command].Section].Ident << (Command == Last ? "" : " -> ");
    OS << " over";
    list(Launch.Leaves, [&](const TurnInput& Input) { return text(Input); });
  }

  void steps(llvm::StringRef Title, const TurnSteps& Steps) {
    if (Steps.empty())
      return;
    OS << "  " << Title << ":\n";
    steps(Steps, 4);
  }
  void steps(const TurnSteps& Steps, unsigned Indent) {
    for (const TurnStep& Step : Steps)
      print(Step, Indent);
  }
  void print(const TurnStep& Step, unsigned Indent) {
    switch (Step.Is) {
    case TurnStep::Run:
      if (const std::optional<TurnLaunch>& Launch = Plan.Launches[Step.Number];
          Launch && !Launch->Stores) {
        OS.indent(Indent) << "kernel ";
        launch(*Launch, Step.Number);
        if (Launch->ReducedBy) {
          OS << ", stored; ";
          launch(*Plan.Launches[*Launch->ReducedBy], *Launch->ReducedBy);
        }
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
  const TurnPlan& Plan;
  llvm::raw_ostream& OS;
};

} // namespace

/// A turn without what only the last turn's results are asked for, as the program's lazy commands
/// are: these compute that once.
static Turn withoutUnneeded(Turn Of) {
  for (bool Dropped = true; Dropped;) {
    std::set<std::size_t> Arrays, Commands; // that something reads, in this turn or in a later one
    const auto Note = [&](const TurnInput& Input) {
      (Input.IsCommand ? Commands : Arrays).insert(Input.Number);
    };
    const std::function<void(const TurnSteps&)> NoteSteps = [&](const TurnSteps& Steps) {
      for (const TurnStep& Step : Steps) {
        if (Step.Is == TurnStep::Set || Step.Is == TurnStep::Read)
          Note(Step.Value);
        if (Step.Is == TurnStep::Swap)
          Arrays.insert({Step.Number, Step.Other});
        NoteSteps(Step.Then);
        NoteSteps(Step.Else);
      }
    };
    for (const TurnCommand& Command : Of.Commands) {
      llvm::for_each(Command.Inputs, Note);
      for (const auto& [Capture, Input] : Command.CapturedArrays)
        Note(Input);
    }
    Dropped = false;
    const std::function<void(TurnSteps&)> Drop = [&](TurnSteps& Steps) {
      Dropped |= llvm::any_of(Steps, [&](const TurnStep& Step) {
        return (Step.Is == TurnStep::Set && !Arrays.contains(Step.Number)) ||
               (Step.Is == TurnStep::Run && !Commands.contains(Step.Number));
      });
      llvm::erase_if(Steps, [&](const TurnStep& Step) {
        if (Step.Is == TurnStep::Run && !Commands.contains(Step.Number)) {
          Of.Commands[Step.Number].Inputs.clear();
          Of.Commands[Step.Number].CapturedArrays.clear();
          return true;
        }
        return Step.Is == TurnStep::Set && !Arrays.contains(Step.Number);
      });
      for (TurnStep& Step : Steps) {
        Drop(Step.Then);
        Drop(Step.Else);
      }
    };
    TurnSteps* const All[] = {&Of.Begin, &Of.Body, &Of.Test};
    for (const TurnSteps* Steps : All)
      NoteSteps(*Steps);
    for (TurnSteps* Steps : All)
      Drop(*Steps);
  }
  return Of;
}

/// Whether a turn that reads nothing is faster than its commands are as the program's, which the
/// host queues without a wait: it launches one graph, of no more kernels.
static bool pays(const ProgramModel& Model, const FusionPlan& Fusion, const Turn& Of) {
  const bool HasOther = llvm::any_of(Of.Commands, [&](const TurnCommand& Command) {
    return Model.Sections[Command.Section].Op != Operation::PMap || !Command.CapturedArrays.empty();
  });
  const bool HasTiles = llvm::any_of(Fusion.Edges, [&](const FusionEdge& Edge) {
    const auto IsOfTurn = [&](Index Section) {
      return llvm::any_of(Of.Commands, [&](const TurnCommand& C) { return C.Section == Section; });
    };
    return Edge.InTiles && IsOfTurn(Edge.Producer) && IsOfTurn(Edge.Consumer);
  });
  if (!HasOther || HasTiles || Of.Carried.empty())
    return false;
  const Turn Lazy = withoutUnneeded(Of);
  return kernelsOf(Launches(Model, Fusion, Of).plan()) <=
         kernelsOf(Launches(Model, Fusion, Lazy).plan());
}

std::vector<TurnPlan> planTurns(const ProgramModel& Model, const FusionPlan& Fusion,
                                HostLoops& Loops) {
  llvm::erase_if(Loops.Turns,
                 [&](const Turn& Of) { return Of.Waits == 0 && !pays(Model, Fusion, Of); });
  std::vector<TurnPlan> Out;
  for (const Turn& Of : Loops.Turns)
    Out.push_back(Launches(Model, Fusion, Of).plan());
  return Out;
}

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
