// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results that a kernel computes in passing, though somebody holds them and may read them later.
// They would be computed again for each reader. What costs little is; all else is computed once, by
// its own kernel, where the runtime sees that somebody holds it. The rule is on docs/fusion.md.

#include "Cost.h"
#include "Fusion.h"
#include "SelfContained.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <map>
#include <set>

namespace ikra {

/// A kernel of more held nodes has one row that reads all from memory, instead of one for each.
static constexpr std::size_t MostCuts = 3;

/// Who may read a node's result later.
enum class Later { Nobody, Unlikely, Others };

/// Whether somebody who is no node of the kernel may read a node's result, if it is held.
static Later readLater(const ProgramModel& Model, llvm::ArrayRef<FusedNode> Nodes, std::size_t N) {
  const auto Reads = [N](const FusedNode& Node) {
    return llvm::any_of(Node.Inputs,
                        [N](const FusedInput& In) { return !In.IsLeaf && In.Number == N; });
  };
  const auto IsOfKernel = [&](Index S) {
    return llvm::any_of(Nodes,
                        [&](const FusedNode& Node) { return Node.Section == S && Reads(Node); });
  };
  Later Found = Later::Nobody;
  for (const FusedNode& Node : Nodes) {
    const std::vector<Readers>& Others = Model.Sections[Node.Section].Flow.OtherReaders;
    for (std::size_t K = 0; K < Node.Inputs.size() && K < Others.size(); ++K)
      if (!Node.Inputs[K].IsLeaf && Node.Inputs[K].Number == N) {
        if (Others[K].AreUnseen || !llvm::all_of(Others[K].Sections, IsOfKernel))
          return Later::Others;
        if (Others[K].IsNamed)
          Found = Later::Unlikely;
      }
  }
  return Found;
}

/// What \p Anew costs over \p Loaded, which loads the result of \p S, and what becomes of it.
static std::optional<HeldNode> decide(std::size_t Node, Later Read, const Section& S,
                                      const KernelWork& Anew, const KernelWork& Loaded) {
  const double Bytes = bytesOf(S.Result);
  const double Operations = std::max(0.0, Anew.Operations - Loaded.Operations);
  const double Moved = std::max(0.0, Anew.Bytes + Bytes - Loaded.Bytes);
  const bool IsShort = Moved <= 2 * Bytes;
  if (IsShort && Operations <= OperationsPerByteOnCores * Bytes)
    return std::nullopt;
  const std::string Reason =
      llvm::formatv("{0:f0} operations and {1:f0} bytes to compute it anew, {2:f0} bytes to load",
                    Operations, Moved, Bytes)
          .str();
  return HeldNode{Node, IsShort && Operations <= OperationsPerByte * Bytes, Read == Later::Unlikely,
                  Reason};
}

/// What computing a node takes with all that is in front of it, once. A kernel for one way through
/// the calls has inputs that its sections do not name.
static KernelWork workInFront(const ProgramModel& Model, llvm::ArrayRef<FusedNode> Nodes,
                              std::size_t N) {
  KernelWork Out{0, 0};
  std::set<std::size_t> Seen{N};
  std::vector<std::size_t> Work{N};
  while (!Work.empty()) {
    const FusedNode& Node = Nodes[Work.back()];
    Work.pop_back();
    const Section& S = Model.Sections[Node.Section];
    Out.Operations += operationsOf(Model, S, body::OperationsPerLongOne);
    for (std::size_t K = 0; K < Node.Inputs.size(); ++K)
      if (Node.Inputs[K].IsLeaf)
        Out.Bytes += bytesOf(S.Elements[K]);
      else if (Seen.insert(Node.Inputs[K].Number).second)
        Work.push_back(Node.Inputs[K].Number);
  }
  return Out;
}

/// Whether a kernel's producer hands its result to a consumer without storing it.
static auto fusedEdges(llvm::ArrayRef<FusedNode> Nodes) {
  return [Nodes](Index Producer, Index Consumer) {
    return llvm::any_of(Nodes, [&](const FusedNode& Node) {
      return Node.Section == Consumer && llvm::any_of(Node.Inputs, [&](const FusedInput& In) {
               return !In.IsLeaf && Nodes[In.Number].Section == Producer;
             });
    });
  };
}

static std::vector<HeldNode> heldIn(const FusionGraph& Graph, const FusedKernel& Kernel) {
  const ProgramModel& Model = Graph.model();
  const auto IsFused = fusedEdges(Kernel.Nodes);
  std::vector<HeldNode> Out;
  for (std::size_t N = 1; N < Kernel.Nodes.size(); ++N) {
    const Index S = Kernel.Nodes[N].Section;
    if (Kernel.Nodes[N].IsKept) {
      Out.push_back({N, false, false, "the next turn reads it"});
      continue;
    }
    const Later Read = readLater(Model, Kernel.Nodes, N);
    if (Read == Later::Nobody)
      continue;
    KernelWork Anew = workOf(Graph, Kernel.last(), IsFused);
    const KernelWork Once = workInFront(Model, Kernel.Nodes, N);
    const KernelWork Loaded = workOf(Graph, Kernel.last(), [&](Index Producer, Index Consumer) {
      return Producer != S && IsFused(Producer, Consumer);
    });
    Anew.Operations = std::max(Anew.Operations, Loaded.Operations + Once.Operations);
    Anew.Bytes =
        std::max(Anew.Bytes, Loaded.Bytes + Once.Bytes - bytesOf(Model.Sections[S].Result));
    if (const auto Held = decide(N, Read, Model.Sections[S], Anew, Loaded))
      Out.push_back(*Held);
  }
  return Out;
}

static std::vector<HeldNode> heldIn(const FusionGraph& Graph, const HorizontalKernel& Kernel) {
  const ProgramModel& Model = Graph.model();
  std::vector<HeldNode> Out;
  for (std::size_t N = Kernel.Results; N < Kernel.Nodes.size(); ++N) {
    const Later Read = readLater(Model, Kernel.Nodes, N);
    if (Read == Later::Nobody)
      continue;
    const Index S = Kernel.Nodes[N].Section;
    // The kernel's other nodes need the same whether it is stored or not.
    const auto IsFused = fusedEdges(Kernel.Nodes);
    const double Bytes = bytesOf(Model.Sections[S].Result);
    if (const auto Held = decide(N, Read, Model.Sections[S], workOf(Graph, S, IsFused),
                                 {OperationsPerLoad, 2 * Bytes}))
      Out.push_back(*Held);
  }
  return Out;
}

/// The kernel that reads the results of some nodes from memory.
static FusedKernel without(const FusedKernel& Kernel, llvm::ArrayRef<std::size_t> Read) {
  const auto IsCut = [&](const FusedInput& In) {
    return !In.IsLeaf && llvm::is_contained(Read, In.Number);
  };
  std::map<std::size_t, std::size_t> Kept{{0, 0}}; // a node stands after all that use it
  for (std::size_t N = 0; N < Kernel.Nodes.size(); ++N)
    if (Kept.contains(N))
      for (const FusedInput& In : Kernel.Nodes[N].Inputs)
        if (!In.IsLeaf && !IsCut(In))
          Kept.emplace(In.Number, 0);
  std::size_t Next = 0;
  for (auto& [Old, New] : Kept)
    New = Next++;
  FusedKernel Out;
  Out.IsUnfolded = Kernel.IsUnfolded;
  Out.Without = Kernel.Without;
  Out.AfterStencils = Kernel.AfterStencils;
  Out.Path = Kernel.Path;
  Out.Only = Kernel.Only;
  Out.OfCores = Kernel.OfCores;
  Out.FromHeld = Read.size();
  std::map<std::size_t, std::size_t> LeafOf; // of those that the kernel has
  for (const auto& [Old, New] : Kept) {
    FusedNode Node{Kernel.Nodes[Old].Section, {}, Kernel.Nodes[Old].IsKept};
    for (std::size_t K = 0; K < Kernel.Nodes[Old].Inputs.size(); ++K) {
      const FusedInput& In = Kernel.Nodes[Old].Inputs[K];
      if (!In.IsLeaf && !IsCut(In)) {
        Node.Inputs.push_back({false, Kept[In.Number]});
        continue;
      }
      std::size_t Leaf = Out.Leaves.size();
      if (In.IsLeaf)
        Leaf = LeafOf.emplace(In.Number, Leaf).first->second;
      if (Leaf == Out.Leaves.size())
        Out.Leaves.push_back({New, K});
      Node.Inputs.push_back({true, Leaf});
    }
    Out.Nodes.push_back(std::move(Node));
  }
  return Out;
}

bool gathers(const ProgramModel& Model, const Section& S) {
  if (S.Code.Known || llvm::none_of(S.Code.Captures, [](const Capture& C) {
        return C.Ty.Kind == TypeKind::ValueList;
      }))
    return false;
  std::set<Index> Reached;
  addReached(Model, S.Code.Function, Reached);
  return llvm::any_of(Reached, [&](Index F) { return Model.Functions[F].Takes.Loops; });
}

/// The kernel with the results of its held nodes, which are numbers, as far as its sections may be
/// in a kernel of several results.
static std::optional<HorizontalKernel> storing(const ProgramModel& Model,
                                               const FusedKernel& Kernel) {
  const Operation Last = Kernel.section(0, Model).Op;
  if (Last != Operation::PMap && Last != Operation::PCombine && Last != Operation::PReduce)
    return std::nullopt;
  std::vector<std::size_t> Order; // held nodes as they stand, then the last section, then others
  for (const HeldNode& Node : Kernel.Held)
    if (!Node.FromSecondTime)
      Order.push_back(Node.Node);
  if (Order.empty() || Order.size() >= MostStored)
    return std::nullopt;
  HorizontalKernel Out;
  Order.push_back(0);
  Out.Results = Order.size();
  for (std::size_t N = 0; N < Kernel.Nodes.size(); ++N) {
    const Section& S = Kernel.section(N, Model);
    if (S.reportsFailures() || !obstacleToSeveralResults(S).empty())
      return std::nullopt;
    if (!llvm::is_contained(Order, N))
      Order.push_back(N);
    else if (!isNumber(S.Result) || (Last == Operation::PReduce && gathers(Model, S)))
      return std::nullopt;
  }
  std::vector<std::size_t> NewOf(Order.size());
  for (std::size_t New = 0; New < Order.size(); ++New)
    NewOf[Order[New]] = New;
  for (const std::size_t Old : Order) {
    FusedNode Node = Kernel.Nodes[Old];
    for (FusedInput& In : Node.Inputs)
      if (!In.IsLeaf)
        In.Number = NewOf[In.Number];
    Out.Nodes.push_back(std::move(Node));
  }
  for (const FusedLeaf& Leaf : Kernel.Leaves)
    Out.Leaves.push_back({NewOf[Leaf.Node], Leaf.Input});
  return Out;
}

/// The kernels that read held nodes' results from memory: those with which the kernel begins, more
/// and more of them, since what comes after is computed later.
static std::vector<FusedKernel> fromHeld(const ProgramModel& Model, const FusedKernel& Kernel) {
  std::vector<std::size_t> Held;
  for (const HeldNode& Node : Kernel.Held)
    if (!Node.FromSecondTime)
      Held.push_back(Node.Node);
  std::vector<FusedKernel> Out;
  const bool Some = Held.size() <= MostCuts && storing(Model, Kernel);
  for (std::size_t Count = Some ? 1 : Held.size(); Count != 0 && Count <= Held.size(); ++Count)
    Out.push_back(without(Kernel, llvm::ArrayRef(Held).take_back(Count)));
  return Out;
}

void planHeld(const FusionGraph& Graph, FusionPlan& Plan) {
  const ProgramModel& Model = Graph.model();
  std::vector<FusedKernel> New;
  for (FusedKernel& Kernel : Plan.Kernels) {
    Kernel.Held = heldIn(Graph, Kernel);
    for (FusedKernel& Rest : fromHeld(Model, Kernel)) {
      const auto IsSame = [&](const FusedKernel& Other) { return Other.Nodes == Rest.Nodes; };
      if (Rest.Nodes.size() < 2 || Rest.Leaves.size() > MostLeaves)
        continue;
      const auto Known = llvm::find_if(Plan.Kernels, IsSame);
      const auto KnownNew = llvm::find_if(New, IsSame);
      if (Known != Plan.Kernels.end() || KnownNew != New.end()) {
        FusedKernel& Same = Known != Plan.Kernels.end() ? *Known : *KnownNew;
        if (Same.Only != Rest.Only)
          Same.Only.reset();
        continue;
      }
      Rest.Held = heldIn(Graph, Rest);
      New.push_back(std::move(Rest));
    }
  }
  for (FusedKernel& Kernel : New) {
    // The runtime takes the first that fits, so larger ones stand in front.
    const auto At = llvm::find_if(Plan.Kernels, [&](const FusedKernel& Other) {
      return Other.last() == Kernel.last() && Other.Nodes.size() < Kernel.Nodes.size();
    });
    Plan.Kernels.insert(At, std::move(Kernel));
  }
  for (FusedKernel& Kernel : Plan.Kernels)
    Kernel.Storing = storing(Model, Kernel);
  for (HorizontalGroup& Results : Plan.Horizontal)
    for (HorizontalKernel& Kernel : Results.Kernels)
      Kernel.Held = heldIn(Graph, Kernel);
}

} // namespace ikra
