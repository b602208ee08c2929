// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which kernels a turn launches: one for each command that has a name, or that several kernels
// read, with all that it alone needs and that may run where it stands. The rules are those of all
// fused kernels; the kernels are the turn's own, since it knows its commands one by one.

#include "Turns.h"

#include "Model/BodyQueries.h"

#include "llvm/ADT/STLExtras.h"

#include <functional>
#include <set>

namespace ikra {

/// As many as other kernels have.
static constexpr std::size_t MostInTurnKernel = 64;
/// Of a stencil that a reduction computes: a box of 3 by 3; and the size of its results, of which
/// a reduction's thread computes 16 bytes side by side.
static constexpr std::size_t MostNeighbours = 9;
static constexpr unsigned LeastBytes = 4;
/// Reductions by index that one kernel does: each has results in a block's shared memory.
static constexpr std::size_t MostByIndex = 4;

std::size_t kernelsOf(const TurnPlan& Plan) {
  return static_cast<std::size_t>(
      llvm::count_if(Plan.Launches, [](const std::optional<TurnLaunch>& Launch) {
        return Launch && !Launch->Stores && !Launch->IsComputedThere;
      }));
}

namespace {

class Launches {
public:
  Launches(const ProgramModel& Model, const FusionPlan& Fusion, const Turn& Of, Device On)
      : Model(Model), Fusion(Fusion), Of(Of), On(On), Uses(Of.Commands.size(), 0),
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
        Out.Launches[N] = launchOf(N);
    for (std::size_t N = 0; N < Of.Commands.size(); ++N)
      if (Out.Launches[N] && operation(N) == Operation::PReduce)
        storeInPassing(N, Out);
    const auto ForEachByIndex = [&](auto Do) {
      for (std::size_t N = 0; N < Of.Commands.size(); ++N)
        if (Out.Launches[N] && operation(N) == Operation::PReduceByIndex)
          Do(N);
    };
    ForEachByIndex([&](std::size_t N) { computeWhereRead(N, Out); });
    for (std::size_t N = 0; N < Of.Commands.size(); ++N)
      for (std::size_t M = N + 1; M < Of.Commands.size(); ++M)
        join(N, M, Out);
    ForEachByIndex([&](std::size_t N) { joinStored(N, Out); });
    ForEachByIndex([&](std::size_t N) { joinOthers(N, Out); });
    for (std::size_t N = 0; N < Of.Commands.size(); ++N)
      if (Out.Launches[N])
        addKernel(N, *Out.Launches[N], Out.Kernels);
    Out.IsQueued = !readsArrays(Of.Begin) && !readsArrays(Of.Body) && !readsArrays(Of.Test);
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

  bool readsArrays(const TurnSteps& Steps) const {
    return anyStep(Steps, [&](const TurnStep& Step) {
      return Step.Is == TurnStep::Read ||
             (Step.Is == TurnStep::Run && isReduction(operation(Step.Number)));
    });
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
    return operationOf(Model, Of.Commands[Command]);
  }

  /// Lets a reduction compute an array that it reads, if it may stand where that is computed.
  void storeInPassing(std::size_t Reduction, TurnPlan& Out) const {
    TurnLaunch& At = *Out.Launches[Reduction];
    for (const TurnInput& Leaf : At.Leaves) {
      if (!Leaf.IsCommand || !Out.Launches[Leaf.Number] || Out.Launches[Leaf.Number]->ReducedBy ||
          !isStoredInPassing(*Out.Launches[Leaf.Number]) ||
          llvm::count_if(At.Leaves,
                         [&](const TurnInput& Other) {
                           return Other.IsCommand && Other.Number == Leaf.Number;
                         }) != 1 ||
          !mayStandAt(At, Places[Reduction], Places[Leaf.Number], {}))
        continue;
      Out.Launches[Leaf.Number]->ReducedBy = Reduction;
      At.Stores = true;
      return;
    }
  }

  /// Has a reduction by index compute what it alone reads.
  void computeWhereRead(std::size_t Reduction, TurnPlan& Out) const {
    for (const TurnInput& Input : Of.Commands[Reduction].Inputs)
      if (Input.IsCommand && mayBeComputedThere(Input.Number, Reduction, Out)) {
        Out.Launches[Input.Number]->IsComputedThere = true;
        Out.Launches[Reduction]->ByIndex = {Reduction};
      }
  }

  /// Launches of what a reduction by index computes where it reads it, and its own.
  std::vector<std::size_t> partsOf(std::size_t Reduction, const TurnPlan& Out) const {
    std::vector<std::size_t> Parts{Reduction};
    for (const TurnInput& Input : Of.Commands[Reduction].Inputs)
      if (Input.IsCommand && Out.Launches[Input.Number] &&
          Out.Launches[Input.Number]->IsComputedThere)
        Parts.push_back(Input.Number);
    return Parts;
  }
  /// Whether a reduction by index may stand where another launch of the same space does, and be in
  /// its kernel.
  bool mayShare(std::size_t Reduction, std::size_t Launch, const TurnPlan& Out) const {
    const TurnLaunch& At = *Out.Launches[Launch];
    const std::vector<std::size_t> Parts = partsOf(Reduction, Out);
    std::set<std::size_t> Known(At.Results.begin(), At.Results.end());
    Known.insert(Parts.begin(), Parts.end());
    return Of.Commands[At.Results.front()].Over == Of.Commands[Reduction].Over &&
           llvm::all_of(Parts, [&](std::size_t Part) {
             return mayStandAt(*Out.Launches[Part], Places[Part], Places[Launch], Known);
           });
  }

  /// Has a reduction by index stand where its keys or elements are computed and stored.
  void joinStored(std::size_t Reduction, TurnPlan& Out) const {
    for (std::size_t N = 0; N < Reduction; ++N) {
      std::optional<TurnLaunch>& Stored = Out.Launches[N];
      if (!Stored || Stored->IsComputedThere || Stored->ByIndex.size() == MostByIndex ||
          !isStoredInPassing(*Stored) || hasStencils(*Stored) ||
          (Stored->ReducedBy && !addsIntegers(*Stored->ReducedBy)))
        continue;
      const bool Reads = llvm::any_of(partsOf(Reduction, Out), [&](std::size_t Part) {
        return llvm::any_of(Out.Launches[Part]->Leaves, [&](const TurnInput& Leaf) {
          return Leaf.IsCommand && llvm::is_contained(Stored->Results, Leaf.Number);
        });
      });
      if (!Reads || !mayShare(Reduction, N, Out))
        continue;
      Stored->ByIndex.push_back(Reduction);
      Out.Launches[Reduction]->ByIndex.clear();
      Out.Launches[Reduction]->Stores = true;
      return;
    }
  }

  /// Has later reductions by index over a common array share a kernel.
  void joinOthers(std::size_t Reduction, TurnPlan& Out) const {
    TurnLaunch& At = *Out.Launches[Reduction];
    if (At.Stores)
      return;
    const auto ArraysOf = [&](std::size_t Of) {
      std::vector<TurnInput> All;
      for (const std::size_t Part : partsOf(Of, Out))
        llvm::append_range(All, Out.Launches[Part]->Leaves);
      llvm::erase_if(All, [&](const TurnInput& Leaf) {
        return Leaf.IsCommand && Out.Launches[Leaf.Number] &&
               Out.Launches[Leaf.Number]->IsComputedThere;
      });
      return All;
    };
    std::vector<TurnInput> Arrays = ArraysOf(Reduction);
    for (std::size_t N = Reduction + 1; N < Of.Commands.size(); ++N) {
      std::optional<TurnLaunch>& Other = Out.Launches[N];
      if (!Other || Other->Stores || operation(N) != Operation::PReduceByIndex ||
          At.ByIndex.size() == MostByIndex || !mayShare(N, Reduction, Out))
        continue;
      const std::vector<TurnInput> More = ArraysOf(N);
      if (llvm::is_contained(More, TurnInput{true, Reduction}) ||
          llvm::none_of(More,
                        [&](const TurnInput& Leaf) { return llvm::is_contained(Arrays, Leaf); }))
        continue;
      llvm::append_range(Arrays, More);
      if (At.ByIndex.empty())
        At.ByIndex = {Reduction};
      At.ByIndex.push_back(N);
      Other->ByIndex.clear();
      Other->Stores = true;
    }
  }

  bool mayBeComputedThere(std::size_t Command, std::size_t Reduction, const TurnPlan& Out) const {
    const std::optional<TurnLaunch>& Launch = Out.Launches[Command];
    return Launch && Uses[Command] == 1 && Launch->Results.size() == 1 && !Launch->ReducedBy &&
           Launch->ByIndex.empty() && isElementwise(operation(Command)) && !hasStencils(*Launch) &&
           !section(Command).mayFail() && llvm::all_of(Launch->Commands, [&](std::size_t N) {
             return Places[N].Steps == Places[Reduction].Steps && mayWait(N, Places[Reduction]) &&
                    !setsScalars(N, Reduction);
           });
  }
  /// Whether a command's body names scalars that a step between it and another one sets.
  bool setsScalars(std::size_t From, std::size_t To) const {
    if (!Of.Commands[From].UsesScalars)
      return false;
    for (std::size_t K = Places[From].At; K < Places[To].At; ++K) {
      const TurnStep& Step = (*Places[To].Steps)[K];
      if (Step.Is == TurnStep::Read ||
          (Step.Is == TurnStep::Run && operation(Step.Number) == Operation::PReduce))
        return true;
    }
    return false;
  }
  /// Whether a reduction adds integers, in any order.
  bool addsIntegers(std::size_t Reduction) const {
    const Section& S = section(Reduction);
    return addsElements(Model, S) &&
           llvm::is_contained(
               {"int", "unsigned int", "long", "unsigned long", "long long", "unsigned long long"},
               llvm::StringRef(S.Result.Spelling));
  }

  /// Whether a reduction may compute what a launch does, element by element.
  bool isStoredInPassing(const TurnLaunch& Launch) const {
    if (operation(Launch.Commands.front()) == Operation::PReduceByIndex)
      return false;
    const Section& S = section(Launch.Commands.front());
    if (S.Result.IsClass)
      return false;
    return hasStencils(Launch) ? !gathers(Launch) && isPlainStencil(Launch) : isElementwise(S.Op);
  }

  const Section& section(std::size_t Command) const {
    return Model.Sections[*Of.Commands[Command].Section];
  }
  bool gathers(const TurnLaunch& Launch) const {
    return llvm::any_of(Launch.Commands,
                        [&](std::size_t N) { return ikra::gathers(Model, section(N)); });
  }
  bool hasStencils(const TurnLaunch& Launch) const {
    return llvm::any_of(Launch.Commands,
                        [&](std::size_t N) { return operation(N) == Operation::PStencil; });
  }

  /// Has the second of two launches computed where the first one is, in one kernel that stores the
  /// results of both, if that may be.
  void join(std::size_t First, std::size_t Second, TurnPlan& Out) const {
    std::optional<TurnLaunch>& A = Out.Launches[First];
    std::optional<TurnLaunch>& B = Out.Launches[Second];
    if (!A || !B || A->IsComputedThere || B->IsComputedThere || !mayBeJoined(*A) ||
        !mayBeJoined(*B) || (A->ReducedBy && B->ReducedBy))
      return;
    TurnLaunch Both = joined(*A, *B);
    const std::set<std::size_t> Here(Both.Results.begin(), Both.Results.end());
    const std::optional<std::size_t> Reduction = A->ReducedBy ? A->ReducedBy : B->ReducedBy;
    if (!haveCommonArray(*A, *B) || Both.Results.size() > MostStored ||
        Both.Commands.size() > MostInTurnKernel || Both.Leaves.size() > MostLeaves ||
        !mayStandAt(*B, Places[Second], Places[First], Here) ||
        (B->ReducedBy &&
         !mayStandAt(*Out.Launches[*Reduction], Places[*Reduction], Places[First], Here)))
      return;
    Both.ReducedBy = Reduction;
    A = std::move(Both);
    B = std::nullopt;
  }

  /// Whether a kernel of several results may have a launch's. What takes long, or turns of its own
  /// for each element, has its own kernel.
  bool mayBeJoined(const TurnLaunch& Launch) const {
    return llvm::all_of(Launch.Commands, [&](std::size_t N) {
      if (operation(N) == Operation::PReduceByIndex || !Of.Commands[N].Chain.empty())
        return false;
      const Section& S = section(N);
      return isElementwise(S.Op) && S.Result.Kind == TypeKind::Value && !S.Result.IsClass &&
             !diverges(Model, S) && !Fusion.InLanes.contains(*Of.Commands[N].Section) &&
             !Fusion.Tiled.contains(*Of.Commands[N].Section) && !ikra::gathers(Model, S);
    });
  }

  /// Whether one kernel has an array to load, or to store, less than two. Without, it is slower.
  static bool haveCommonArray(const TurnLaunch& A, const TurnLaunch& B) {
    return llvm::any_of(B.Leaves, [&](const TurnInput& Leaf) {
      return (Leaf.IsCommand && llvm::is_contained(A.Results, Leaf.Number)) ||
             llvm::is_contained(A.Leaves, Leaf);
    });
  }

  /// One launch with the results of two. A result that only the kernel's commands read is not
  /// stored.
  TurnLaunch joined(const TurnLaunch& A, const TurnLaunch& B) const {
    TurnLaunch Out;
    std::vector<std::size_t> All = A.Commands;
    llvm::append_range(All, B.Commands);
    llvm::sort(All, std::greater<>());
    std::vector<unsigned> Here(Of.Commands.size(), 0);
    for (const std::size_t N : All)
      for (const TurnInput& Input : Of.Commands[N].Inputs)
        if (Input.IsCommand)
          ++Here[Input.Number];
    for (const TurnLaunch* Launch : {&A, &B})
      for (const std::size_t N : Launch->Results)
        if (Here[N] == 0 || Here[N] != Uses[N])
          Out.Results.push_back(N);
    Out.Commands = Out.Results;
    for (const std::size_t N : All)
      if (!llvm::is_contained(Out.Results, N))
        Out.Commands.push_back(N);
    Out.Leaves = inputsOf(Out.Commands).Arrays;
    return Out;
  }

  /// Whether a reduction's threads, which go along rows, compute a stencil's results as fast as
  /// its own, which go across rows and keep what several results have in common.
  bool isPlainStencil(const TurnLaunch& Launch) const {
    std::size_t Stencils = 0;
    for (const std::size_t N : Launch.Commands)
      if (operation(N) == Operation::PStencil) {
        ++Stencils;
        if (section(N).Neighbourhood.size() > MostNeighbours)
          return false;
        for (const TurnInput& Input : Of.Commands[N].Inputs)
          if (!isLoaded(Input, Launch))
            return false; // computed anew for each neighbour
      }
    const Type& Result = section(Launch.Commands.front()).Result;
    return Stencils == 1 && Result.Bytes >= LeastBytes;
  }

  /// Whether a launch has an input's elements in memory, or pairs those of such arrays.
  bool isLoaded(const TurnInput& Input, const TurnLaunch& Launch) const {
    if (!Input.IsCommand || !llvm::is_contained(Launch.Commands, Input.Number))
      return true;
    return section(Input.Number).IsZip &&
           llvm::all_of(Of.Commands[Input.Number].Inputs,
                        [&](const TurnInput& Part) { return isLoaded(Part, Launch); });
  }

  /// Whether a launch computes the same at an earlier place, with the results of others that do.
  bool mayStandAt(const TurnLaunch& Launch, const Place& Here, const Place& Earlier,
                  const std::set<std::size_t>& Others) const {
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
          Places[Input.Number].At > Earlier.At && !Others.contains(Input.Number))
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
    if (isReduction(operation(Producer)) || operation(Consumer) == Operation::PReduceByIndex)
      return false; // in memory
    if (!Of.Commands[Producer].Chain.empty() || !Of.Commands[Consumer].Chain.empty())
      return false; // a kernel's bodies run once
    const Section& From = section(Producer);
    const Section& To = section(Consumer);
    if (From.Op == Operation::PStencil && Combines)
      return false;
    if (To.Op != Operation::PStencil || From.IsZip)
      return true;
    return llvm::any_of(Fusion.Edges, [&](const FusionEdge& Edge) {
      return Edge.Fused && !(Edge.OnGpuAlone && On == Device::Cores) &&
             Edge.Producer == *Of.Commands[Producer].Section &&
             Edge.Consumer == *Of.Commands[Consumer].Section;
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
      FusedNode& Node = Out.Nodes.emplace_back(FusedNode{*At.Section, {}, false});
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
  TurnLaunch launchOf(std::size_t Command) {
    std::vector<std::size_t> Commands{Command};
    std::vector<bool> AreNeighbours{false}; // of some stencil
    const bool Combines = operation(Command) == Operation::PReduce;
    for (std::size_t N = Command; N-- > 0 && Commands.size() < MostInTurnKernel;) {
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
          (IsNeighbour && section(N).mayFail()))
        continue;
      Commands.push_back(N);
      AreNeighbours.push_back(IsNeighbour);
      if (inputsOf(Commands).Arrays.size() > MostLeaves) {
        Commands.pop_back();
        AreNeighbours.pop_back();
      }
    }
    for (const std::size_t Inside : llvm::drop_begin(Commands))
      IsInside[Inside] = true;
    TurnLaunch Out;
    Out.Results = {Command};
    Out.Leaves = Commands.size() == 1 ? Of.Commands[Command].Inputs // one may be there twice
                                      : inputsOf(Commands).Arrays;
    Out.Commands = std::move(Commands);
    return Out;
  }

  /// The kernel of a launch of several commands, the first of which is \p Command.
  void addKernel(std::size_t Command, TurnLaunch& Launch, std::vector<FusedKernel>& Kernels) const {
    if (Launch.Commands.size() == 1)
      return;
    Inputs Of = inputsOf(Launch.Commands);
    FusedKernel Kernel;
    Kernel.Nodes = std::move(Of.Nodes);
    Kernel.Leaves = std::move(Of.Leaves);
    Kernel.Results = Launch.Results.size();
    Kernel.Ident = this->Of.Ident + "_kernel_" + std::to_string(Command);
    Kernel.OfCores = On == Device::Cores;
    if (Kernel.OfCores)
      Kernel.Ident += "_on_cores";
    Kernel.complete(Model);
    Launch.Kernel = Kernels.size();
    Kernels.push_back(std::move(Kernel));
  }

  const ProgramModel& Model;
  const FusionPlan& Fusion;
  const Turn& Of;
  Device On;
  std::vector<unsigned> Uses; ///< by commands and variables
  std::vector<Place> Places;
  std::vector<bool> IsInside; ///< another one's kernel
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
    const auto NoteStep = [&](const TurnStep& Step) {
      if (Step.Is == TurnStep::Set || Step.Is == TurnStep::Read)
        Note(Step.Value);
      if (Step.Is == TurnStep::Swap)
        Arrays.insert({Step.Number, Step.Other});
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
      forEachStep(*Steps, NoteStep);
    for (TurnSteps* Steps : All)
      Drop(*Steps);
  }
  return Of;
}

/// Whether a turn that reads nothing is faster than its commands are as the program's, which the
/// host makes without a wait: it launches kernels alone, and no more of them.
static bool pays(const ProgramModel& Model, const FusionPlan& Fusion, const Turn& Of) {
  const bool HasOther = llvm::any_of(Of.Commands, [&](const TurnCommand& Command) {
    return operationOf(Model, Command) != Operation::PMap || !Command.CapturedArrays.empty();
  });
  const bool HasTiles = llvm::any_of(Fusion.Edges, [&](const FusionEdge& Edge) {
    const auto IsOfTurn = [&](Index Section) {
      return llvm::any_of(Of.Commands, [&](const TurnCommand& C) { return C.Section == Section; });
    };
    return Edge.InTiles && !Edge.OnCoresAlone && IsOfTurn(Edge.Producer) && IsOfTurn(Edge.Consumer);
  });
  if (!HasOther || HasTiles || Of.Carried.empty())
    return false;
  const Turn Lazy = withoutUnneeded(Of);
  return kernelsOf(Launches(Model, Fusion, Of, Device::Gpu).plan()) <=
         kernelsOf(Launches(Model, Fusion, Lazy, Device::Gpu).plan());
}

/// Whether two plans launch the same kernels.
static bool launchSame(const TurnPlan& A, const TurnPlan& B) {
  for (std::size_t N = 0; N < A.Launches.size(); ++N) {
    const std::optional<TurnLaunch>&One = A.Launches[N], &Other = B.Launches[N];
    if (One.has_value() != Other.has_value() ||
        (One && (One->Commands != Other->Commands || One->Results != Other->Results ||
                 One->ReducedBy != Other->ReducedBy || One->ByIndex != Other->ByIndex ||
                 One->IsComputedThere != Other->IsComputedThere)))
      return false;
  }
  return true;
}

/// Whether all steps on a GPU are code, and kernels that can do nothing.
static bool mayUnroll(const ProgramModel& Model, const Turn& Of, const TurnPlan& Plan) {
  const auto MayBe = [](const TurnStep& Step) {
    return Step.Is != TurnStep::Branch && Step.Is != TurnStep::Loop;
  };
  return llvm::all_of(Of.Begin, MayBe) && llvm::all_of(Of.Body, MayBe) &&
         llvm::all_of(Of.Test, MayBe) &&
         llvm::all_of(Plan.Launches, [&](const std::optional<TurnLaunch>& Launch) {
           return !Launch ||
                  (!Launch->InTiles && llvm::all_of(Launch->Commands, [&](std::size_t N) {
                    return operationOf(Model, Of.Commands[N]) != Operation::PReduceByIndex;
                  }));
         });
}

std::vector<TurnPlan> planTurns(const ProgramModel& Model, const FusionPlan& Fusion,
                                HostLoops& Loops) {
  llvm::for_each(Loops.Turns, dropOverwritten);
  llvm::erase_if(Loops.Turns,
                 [&](const Turn& Of) { return Of.Waits == 0 && !pays(Model, Fusion, Of); });
  std::vector<TurnPlan> Out;
  for (Turn& Of : Loops.Turns) {
    joinMapLoops(Model, Fusion, Of);
    delayMaps(Model, Of, [&](const Turn& Ordered) {
      return Launches(Model, Fusion, Ordered, Device::Gpu).plan();
    });
    TurnPlan& Plan = Out.emplace_back(Launches(Model, Fusion, Of, Device::Gpu).plan());
    if (!Plan.IsQueued)
      orderCode(Model, Of, Plan);
    TurnPlan OnCores = Launches(Model, Fusion, Of, Device::Cores).plan();
    for (TurnPlan* Each : {&Plan, &OnCores})
      Each->Buffers = buffersOf(Model, Of, *Each);
    Plan.InBlock = mostInBlock(Model, Of, Plan);
    for (TurnPlan* Each : {&Plan, &OnCores})
      planTurnTiles(Model, Of, *Each);
    Plan.IsUnrolled = !Plan.IsQueued && mayUnroll(Model, Of, Plan);
    if (!launchSame(Plan, OnCores))
      Plan.OnCores.push_back(std::move(OnCores));
  }
  return Out;
}

} // namespace ikra
