// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vertical fusion. Where a section's element depends on its inputs' elements in the same place
// (ARRAY'17, section 3: access pattern 'same location'), the sections that give these inputs may
// run in its kernel: a chain where each has one input, a tree where pcombine has several, a graph
// where one result is used twice. In front of a stencil they may too, at the price of computing
// each element for every place that it is a neighbour of.

#include "Fusion.h"

#include "Cost.h"
#include "SelfContained.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>
#include <functional>
#include <map>

namespace ikra {

/// A kernel of more sections than this takes long to compile, and gains nothing over two.
static constexpr std::size_t MostInKernel = 64;
/// Sections that a kernel may begin with or not; each means one more kernel.
static constexpr std::size_t MostOptional = 4;

std::size_t HorizontalKernel::arrays(const ProgramModel& Model) const {
  std::size_t Count = 0;
  while (Count < Results && !isReduction(section(Count, Model).Op))
    ++Count;
  return Count;
}

bool FusedKernel::isChain() const {
  for (std::size_t N = 0; N < Nodes.size(); ++N) {
    std::size_t Fused = 0;
    for (const FusedInput& Input : Nodes[N].Inputs)
      Fused += !Input.IsLeaf;
    if (Fused != (N + 1 < Nodes.size() ? 1 : 0))
      return false;
  }
  return true;
}

/// Why \p Consumer cannot share a kernel with \p Producer; empty if it can.
static std::string obstacle(const Section& Producer, const Section& Consumer) {
  if (!isElementwise(Producer.Op) && Producer.Op != Operation::PStencil)
    return std::string("the result of ") + nameOf(Producer.Op) + " is kept in memory";
  if (!readsElements(Consumer.Op) && Consumer.Op != Operation::PStencil)
    return std::string(nameOf(Consumer.Op)) + " reads its input from memory";
  if (Producer.Result.Kind == TypeKind::Object)
    return "its elements are objects, which have to be traced on the host first";
  if (Producer.Rank != Consumer.Rank)
    return "the arrays have different ranks";
  return "";
}

/// A number of operations, as reasons have it.
static std::string rounded(double Operations) { return llvm::formatv("{0:f0}", Operations).str(); }

namespace {

class Planner {
public:
  Planner(const FusionGraph& Graph, Device On)
      : Graph(Graph), Model(Graph.model()), On(On), Consumers(Graph.size()), Kinds(Graph.size()),
        Absorbed(Graph.size(), false) {}

  FusionPlan run() {
    planSingle();
    planUses(Model, On, Plan);
    planCores(Model, Plan);
    Plan.Horizontal =
        planHorizontal(Model, [this](Index P, Index C) { return isFused(P, C) || isApart(P, C); });
    planHeld(Graph, Plan);
    planTiles(Model, Plan);
    Plan.Loops = planLoops(Model);
    Plan.Early = planEarly(Model);
    planBlocked(Model, Plan);
    noteUnfollowed(Model, Plan);
    for (FusedKernel& Kernel : Plan.Kernels) {
      Kernel.Ident = identOf(Kernel);
      Kernel.complete(Model);
      noteFewOnCores(Model, Kernel);
      if (Kernel.Storing)
        Kernel.Storing->complete(Model);
    }
    for (HorizontalGroup& Results : Plan.Horizontal)
      for (HorizontalKernel& Kernel : Results.Kernels)
        Kernel.complete(Model);
    return std::move(Plan);
  }

  FusionPlan runSingle() {
    planSingle();
    return std::move(Plan);
  }

private:
  std::string identOf(const FusedKernel& Kernel) const {
    return "fused_into_" + Model.Sections[Kernel.last()].Ident +
           (Kernel.IsUnfolded ? "_unfolded" : "") + (Kernel.OfCores ? "_on_cores" : "") +
           (Kernel.InTiles ? "_after_" + Model.Sections[Kernel.Nodes.back().Section].Ident : "") +
           (Kernel.InTiles && Kernel.Nodes.size() > 2
                ? "_" + std::to_string(Kernel.Nodes.size()) + "_times"
                : "") +
           (Kernel.Path ? "_on_path_" + std::to_string(Kernel.Path) : "") +
           (Kernel.Without ? "_without_" + Model.Sections[*Kernel.Without].Ident : "") +
           (Kernel.AfterStencils ? "_after_stencils" : "") + (Kernel.FromHeld ? "_from_held" : "") +
           (Kernel.FromHeld > 1 ? "_" + std::to_string(Kernel.FromHeld) : "");
  }

  void planSingle() {
    for (Index I = 0; I < Graph.size(); ++I)
      decideInputs(I);
    for (Index I = 0; I < Graph.size(); ++I)
      decideShared(I);
    for (Index I = 0; I < Graph.size(); ++I)
      for (const std::optional<Index>& Input : Graph[I].Inputs)
        if (Input)
          addEdge(*Input, I);
    for (Index I = 0; I < Graph.size(); ++I)
      if (!Absorbed[I]) {
        addKernel(I);
        addKernelAfterStencils(I);
      }
  }

  /// What a section's kernel holds.
  struct Kind {
    bool Known = false;
    bool OverObjects = false;
    bool Stencils = false;
    bool ReadsAround = false; ///< has stencils of which a neighbour outside is another element
    bool ReportsFailures = false;
    bool MayFail = false;
    bool LooksForNull = false;
    bool HoldsObjects = false; ///< has tuples that hold pointers to objects
  };
  struct Decision {
    bool Fused = false;
    std::string Reason;
    bool ForOthers = false; ///< not fused only because other kernels need the producer's result too
    bool AfterStencils = false; ///< not fused only because the producer's kernel has stencils
  };
  using Edge = std::pair<Index, Index>;

  bool isFused(Index Producer, Index Consumer) const {
    const auto It = Decisions.find({Producer, Consumer});
    return It != Decisions.end() && It->second.Fused;
  }
  bool isApart(Index Producer, Index Consumer) const {
    const auto It = Decisions.find({Producer, Consumer});
    return It != Decisions.end() && It->second.ForOthers;
  }
  double cost(Index Last) const { return cost(Last, Device::Gpu); }
  double cost(Index Last, Device Of) const {
    return costOf(Graph, Last, Of, [this](Index P, Index C) { return isFused(P, C); });
  }

  /// Whether the sections that give \p I's inputs run in its kernel; producers first.
  void decideInputs(Index I) {
    if (Kinds[I].Known)
      return;
    const Section& S = Graph.section(I);
    Kinds[I] = {true,
                S.isOverObjects(),
                S.Op == Operation::PStencil,
                S.Op == Operation::PStencil &&
                    (S.AtBorder == Border::Clamp || S.AtBorder == Border::Wrap),
                S.reportsFailures(),
                S.mayFail(),
                S.takesIds() && S.Access.ChecksNull,
                !S.Result.Held.empty() ||
                    llvm::any_of(S.Elements, [](const Type& T) { return !T.Held.empty(); })};
    for (const std::optional<Index>& Input : Graph[I].Inputs)
      if (Input)
        decideInputs(*Input);
    for (const std::optional<Index>& Input : Graph[I].Inputs) {
      if (!Input || Decisions.contains({*Input, I}))
        continue;
      Decision D = decide(*Input, I);
      const bool Fused = D.Fused;
      Decisions[{*Input, I}] = std::move(D);
      Consumers[*Input].insert(I);
      if (!Fused)
        continue;
      Kinds[I].OverObjects |= Kinds[*Input].OverObjects;
      Kinds[I].Stencils |= Kinds[*Input].Stencils;
      Kinds[I].ReadsAround |= Kinds[*Input].ReadsAround;
      Kinds[I].ReportsFailures |= Kinds[*Input].ReportsFailures;
      Kinds[I].MayFail |= Kinds[*Input].MayFail;
      Kinds[I].LooksForNull |= Kinds[*Input].LooksForNull;
      Kinds[I].HoldsObjects |= Kinds[*Input].HoldsObjects;
    }
  }

  Decision decide(Index Producer, Index Consumer) {
    const Section& S = Graph.section(Consumer);
    const Kind& From = Kinds[Producer];
    if (std::string Reason = obstacle(Graph.section(Producer), S); !Reason.empty())
      return {false, std::move(Reason)};
    const bool OneInput = S.Op == Operation::PMap;
    if (From.OverObjects && S.Op == Operation::PStencil)
      return {false, "a stencil's neighbours are not computed from objects"};
    if (From.OverObjects && !OneInput)
      return {false, S.Op == Operation::PCombine ? "a kernel over objects reads no other arrays"
                                                 : "a kernel over objects stores its results"};
    const bool Stencils = From.Stencils || S.Op == Operation::PStencil || Kinds[Consumer].Stencils;
    if (Stencils && (From.HoldsObjects || Kinds[Consumer].HoldsObjects))
      return {false, "a kernel of a stencil has no tuples that hold objects"};
    if (From.LooksForNull && !isElementwise(S.Op) && S.Op != Operation::PStencil)
      return {false, "threads end where they dereference null, which those that work together "
                     "must not"};
    if (From.Stencils && !isElementwise(S.Op) && S.Op != Operation::PStencil)
      return {false, "a kernel of a stencil stores its results", false, true};
    if ((From.Stencils || S.Op == Operation::PStencil) && S.Result.Kind == TypeKind::Object)
      return {false, "a kernel of a stencil gives values"};
    if ((From.Stencils && Kinds[Consumer].OverObjects) ||
        (From.OverObjects && Kinds[Consumer].Stencils))
      return {false, "a kernel over objects has no stencils"};
    if (S.Op != Operation::PStencil)
      return {true, From.Stencils ? "same location, after the stencil" : "same location"};
    if (From.MayFail)
      return {false, "its section may fail, and is to run for places that are no neighbours too"};
    return decideStencil(Producer, Consumer);
  }

  /// Neighbours are computed anew for each place, or once and kept in memory (ARRAY'17, section 7).
  Decision decideStencil(Index Producer, Index Stencil) {
    const auto Both = [&](Device Of) { return cost(Producer, Of) + cost(Stencil, Of); };
    const double Stored = Both(Device::Gpu), StoredOnCores = Both(Device::Cores);
    Decisions[{Producer, Stencil}].Fused = true;
    const double Fused = cost(Stencil), FusedOnCores = cost(Stencil, Device::Cores);
    if (std::isinf(Fused))
      return {false, "the stencil has too many neighbours to compute them anew for each"};
    const std::string Reason = "neighbours computed anew: " + rounded(Fused) +
                               " operations' time a result, " + rounded(Stored) +
                               " with them in memory";
    if (On == Device::Cores && Fused <= Stored && Kinds[Producer].Stencils &&
        (Kinds[Producer].ReadsAround || Kinds[Stencil].ReadsAround))
      return {false, Reason +
                         "; on all cores the border of two stencils takes long where neighbours "
                         "outside are other elements"};
    if (On == Device::Cores && Fused <= Stored && FusedOnCores >= StoredOnCores)
      return {false, Reason + "; on all cores " + rounded(FusedOnCores) + " and " +
                         rounded(StoredOnCores)};
    return {Fused <= Stored, Reason};
  }

  /// The sections at the ends of the kernels that \p I is in: those that no kernel goes on with.
  void addEnds(Index I, std::set<Index>& Seen, std::set<Index>& Ends) const {
    if (!Seen.insert(I).second)
      return;
    bool GoesOn = false;
    for (const Index Consumer : Consumers[I])
      if (isFused(I, Consumer)) {
        GoesOn = true;
        addEnds(Consumer, Seen, Ends);
      }
    if (!GoesOn)
      Ends.insert(I);
  }

  /// What several kernels need is computed in each of them, or once and kept in memory.
  void decideShared(Index I) {
    // In other functions, each call may make an array of its own.
    std::set<Index> Seen, Ends;
    std::vector<Decision*> Edges;
    for (const Index Consumer : Consumers[I])
      if (Decision& D = Decisions[{I, Consumer}]; D.Fused && !isAcrossFunctions(I, Consumer)) {
        Edges.push_back(&D);
        addEnds(Consumer, Seen, Ends);
      }
    std::map<std::pair<std::size_t, Index>, std::vector<Index>>
        Instances; // one end each is computed
    for (const Index End : Ends) {
      const std::size_t Instance = Graph[End].Instance;
      Instances[{Instance, Instance == 0 ? End : 0}].push_back(End);
    }
    const bool IsKept = Graph[I].IsKept; // its own kernel runs as well
    const std::size_t Kernels = Instances.size() + (IsKept ? 1 : 0);
    if (Edges.size() + (IsKept ? 1 : 0) < 2 || Kernels < 2) // or it is decided where the ways part
      return;
    const auto CostOfEnds = [&] {
      double Sum = 0;
      for (const auto& [Instance, Alternatives] : Instances) {
        double Most = 0;
        for (const Index End : Alternatives)
          Most = std::max(Most, cost(End));
        Sum += Most;
      }
      return Sum;
    };
    // The one kernel that reads what is kept may store it in passing.
    const bool Stores = IsKept && Instances.size() == 1 && isNumber(Graph.section(I).Result) &&
                        llvm::all_of(Ends, [&](Index End) { return mayStoreInPassing(End); });
    const double Kept = Stores ? OperationsPerByte * bytesOf(Graph.section(I).Result) : cost(I);
    const double InEach = CostOfEnds() + (IsKept ? Kept : 0);
    for (Decision* D : Edges)
      D->Fused = false;
    const double Once = cost(I) + CostOfEnds();
    const std::string Numbers =
        rounded(InEach) + " operations' time if " +
        (Stores ? "it is stored in passing, "
                : "each of " + std::to_string(Kernels) + " kernels computes it, ") +
        rounded(Once) + " if it is computed once";
    for (Decision* D : Edges)
      *D = {InEach <= Once, InEach <= Once ? D->Reason + "; " + Numbers : Numbers, InEach > Once};
  }

  /// Whether the kernel that ends with a section may store what it computes in passing.
  bool mayStoreInPassing(Index End) const {
    const Operation Op = Graph.section(End).Op;
    const Kind& All = Kinds[End];
    return (isElementwise(Op) || Op == Operation::PReduce) && !All.OverObjects && !All.Stencils &&
           !All.ReportsFailures && !All.HoldsObjects && isNumber(Graph.section(End).Result);
  }

  void addEdge(Index Producer, Index Consumer) {
    const Decision& D = Decisions[{Producer, Consumer}];
    Plan.Edges.push_back({Producer, Consumer, D.Fused, D.Reason});
    // A kernel that ends with what only its consumer's kernel uses would never be taken. Several
    // consumers of it are ways of one.
    if (D.Fused && Graph[Producer].IsTemporary)
      Absorbed[Producer] =
          llvm::all_of(Consumers[Producer], [&](Index Other) { return isFused(Producer, Other); });
  }

  /// As the kernel of \p Consumer has it, for which the results of \p Arrays are in memory.
  bool isNode(const std::optional<Index>& Producer, Index Consumer, const std::set<Index>& Arrays,
              bool AfterStencils = false) const {
    if (!Producer || Arrays.contains(*Producer))
      return false;
    if (isFused(*Producer, Consumer))
      return !AfterStencils || Graph.section(*Producer).Op != Operation::PStencil;
    const auto It = Decisions.find({*Producer, Consumer});
    return AfterStencils && It != Decisions.end() && It->second.AfterStencils &&
           Graph.section(*Producer).Op != Operation::PStencil;
  }

  /// Sections that \p I's kernel holds, each after all that use it.
  std::vector<Index> sectionsOf(Index I, const std::set<Index>& Arrays, bool AfterStencils) const {
    std::vector<Index> Order; // producers first
    std::set<Index> Seen;
    const std::function<void(Index)> Visit = [&](Index At) {
      if (Seen.size() == MostInKernel || !Seen.insert(At).second)
        return;
      for (const std::optional<Index>& Input : Graph[At].Inputs)
        if (isNode(Input, At, Arrays, AfterStencils))
          Visit(*Input);
      Order.push_back(At);
    };
    Visit(I);
    return {Order.rbegin(), Order.rend()};
  }

  /// The same. What one of them reads from memory is there for all: it joins \p Arrays.
  std::vector<Index> consistentSectionsOf(Index I, std::set<Index>& Arrays,
                                          bool AfterStencils) const {
    for (;;) {
      std::vector<Index> Sections = sectionsOf(I, Arrays, AfterStencils);
      const std::size_t Before = Arrays.size();
      for (const Index S : Sections)
        for (const std::optional<Index>& Input : Graph[S].Inputs)
          if (Input && !isNode(Input, S, Arrays, AfterStencils) &&
              llvm::is_contained(Sections, *Input))
            Arrays.insert(*Input);
      if (Arrays.size() == Before)
        return Sections;
    }
  }

  static std::set<Index> setOf(std::optional<Index> One) {
    return One ? std::set<Index>{*One} : std::set<Index>();
  }

  /// The kernel that ends with \p I, each section one node of it.
  /// \p Cut gets what it would hold if it were not large enough.
  /// \p AfterStencils: the results of stencils are arrays.
  FusedKernel kernelOf(Index I, std::optional<Index> Without, std::vector<Index>& Cut,
                       bool AfterStencils = false) const {
    std::set<Index> Arrays = setOf(Without);
    const std::vector<Index> Sections = consistentSectionsOf(I, Arrays, AfterStencils);
    FusedKernel Kernel;
    Kernel.Without = Without;
    Kernel.AfterStencils = AfterStencils;
    std::map<Index, std::size_t> NodeOf;
    for (const Index S : Sections)
      NodeOf.emplace(S, NodeOf.size());
    for (std::size_t N = 0; N < Sections.size(); ++N) {
      const Section& S = Graph.section(Sections[N]);
      FusedNode Node{Sections[N], {}, Graph[Sections[N]].IsKept};
      for (std::size_t K = 0; K < S.Elements.size(); ++K) {
        const std::optional<Index>& From = Graph[Sections[N]].Inputs[K];
        const bool IsNode =
            isNode(From, Sections[N], Arrays, AfterStencils) && NodeOf.contains(*From);
        Node.Inputs.push_back({!IsNode, IsNode ? NodeOf[*From] : Kernel.Leaves.size()});
        if (!IsNode)
          Kernel.Leaves.push_back({N, K});
        if (!IsNode && From && From != Without && Absorbed[*From])
          Cut.push_back(*From);
      }
      Kernel.Nodes.push_back(std::move(Node));
    }
    return Kernel;
  }

  /// The same with a node for each use of a section; may be too large.
  FusedKernel unfoldedKernelOf(Index I, std::optional<Index> Without) const {
    FusedKernel Kernel;
    Kernel.IsUnfolded = true;
    Kernel.Without = Without;
    const std::function<std::size_t(Index)> Add = [&](Index S) {
      const std::size_t N = Kernel.Nodes.size();
      Kernel.Nodes.push_back({S, {}, Graph[S].IsKept});
      const Section& Code = Graph.section(S);
      for (std::size_t K = 0; K < Code.Elements.size() && Kernel.Nodes.size() <= MostInKernel;
           ++K) {
        const std::optional<Index>& From = Graph[S].Inputs[K];
        const bool IsNode = isNode(From, S, setOf(Without));
        if (!IsNode)
          Kernel.Leaves.push_back({N, K});
        const std::size_t Number = IsNode ? Add(*From) : Kernel.Leaves.size() - 1;
        Kernel.Nodes[N].Inputs.push_back({!IsNode, Number});
      }
      return N;
    };
    Add(I);
    return Kernel;
  }

  void addKernel(Index I) {
    std::vector<Index> Cut;
    FusedKernel Kernel = kernelOf(I, std::nullopt, Cut);
    if (Kernel.Nodes.size() < 2)
      return;
    if (Kernel.Leaves.size() <= MostLeaves) {
      const std::vector<Index> First = firstOfOthers(Kernel);
      const bool MayUnfold = sharesAcrossFunctions(Kernel);
      Plan.Kernels.push_back(std::move(Kernel));
      if (MayUnfold)
        addIfSmall(unfoldedKernelOf(I, std::nullopt));
      for (const Index Without : First) {
        FusedKernel Rest = kernelOf(I, Without, Cut);
        addIfSmall(sharesAcrossFunctions(Rest) ? unfoldedKernelOf(I, Without) : std::move(Rest));
      }
    } else {
      for (const std::optional<Index>& Input : Graph[I].Inputs)
        if (Input)
          Cut.push_back(*Input);
    }
    for (const Index Producer : Cut)
      if (Absorbed[Producer]) {
        Absorbed[Producer] = false;
        addKernel(Producer);
      }
  }

  /// Where something that combines elements follows stencils, whose results others read too: these
  /// are stored, and the sections after them are in its kernel.
  void addKernelAfterStencils(Index I) {
    if (llvm::none_of(Graph[I].Inputs, [&](const std::optional<Index>& Input) {
          const auto It = Input ? Decisions.find({*Input, I}) : Decisions.end();
          return It != Decisions.end() && It->second.AfterStencils;
        }))
      return;
    std::vector<Index> Cut;
    FusedKernel Kernel = kernelOf(I, std::nullopt, Cut, true);
    const auto IsStored = [&](const FusedLeaf& Leaf) {
      const Index Reader = Kernel.Nodes[Leaf.Node].Section;
      const Section& S = Graph.section(Reader);
      const std::optional<Index>& From = Graph[Reader].Inputs[Leaf.Input];
      if (!From || Graph.section(*From).Op != Operation::PStencil)
        return true;
      return Leaf.Input < S.Flow.OtherReaders.size() &&
             (S.Flow.OtherReaders[Leaf.Input].AreUnseen ||
              !S.Flow.OtherReaders[Leaf.Input].Sections.empty());
    };
    if (llvm::all_of(Kernel.Leaves, IsStored))
      addIfSmall(std::move(Kernel));
  }

  void addIfSmall(FusedKernel Kernel) {
    if (Kernel.Nodes.size() > 1 && Kernel.Nodes.size() <= MostInKernel &&
        Kernel.Leaves.size() <= MostLeaves)
      Plan.Kernels.push_back(std::move(Kernel));
  }

  bool isAcrossFunctions(Index Producer, Index Consumer) const {
    return Graph[Producer].Enclosing != Graph[Consumer].Enclosing;
  }

  /// The sections with which a kernel begins, as far as they stand in other functions than their
  /// consumers: these may be given other arrays.
  std::vector<Index> firstOfOthers(const FusedKernel& Kernel) const {
    std::vector<Index> First;
    for (const FusedNode& Node : Kernel.Nodes)
      for (const FusedInput& Input : Node.Inputs) {
        if (Input.IsLeaf)
          continue;
        const FusedNode& From = Kernel.Nodes[Input.Number];
        if (llvm::all_of(From.Inputs, [](const FusedInput& In) { return In.IsLeaf; }) &&
            isAcrossFunctions(From.Section, Node.Section) &&
            !llvm::is_contained(First, From.Section))
          First.push_back(From.Section);
      }
    if (First.size() > MostOptional)
      First.clear();
    return First;
  }

  /// Whether several nodes use one that is not made in their function: that may be one array, or
  /// one for each of them.
  bool sharesAcrossFunctions(const FusedKernel& Kernel) const {
    std::vector<unsigned> Uses(Kernel.Nodes.size(), 0);
    std::vector<bool> FromElsewhere(Kernel.Nodes.size(), false);
    for (const FusedNode& Node : Kernel.Nodes)
      for (const FusedInput& Input : Node.Inputs)
        if (!Input.IsLeaf) {
          ++Uses[Input.Number];
          if (isAcrossFunctions(Kernel.Nodes[Input.Number].Section, Node.Section))
            FromElsewhere[Input.Number] = true;
        }
    for (std::size_t N = 0; N < Uses.size(); ++N)
      if (Uses[N] > 1 && FromElsewhere[N])
        return true;
    return false;
  }

  const FusionGraph& Graph;
  const ProgramModel& Model;
  Device On;
  FusionPlan Plan;
  std::map<Edge, Decision> Decisions;     ///< by producer and consumer
  std::vector<std::set<Index>> Consumers; ///< of each section's result
  std::vector<Kind> Kinds;
  std::vector<bool> Absorbed;
};

} // namespace

FusionPlan planFusion(const ProgramModel& Model) {
  const FusionGraph Graph = FusionGraph::ofSections(Model);
  FusionPlan Out = Planner(Graph, Device::Gpu).run();
  Out.InLanes = planSideBySide(Model);
  Out.Tiled = planArrayTiles(Model);
  return Out;
}

FusionPlan planKernels(const FusionGraph& Graph, Device On) {
  return Planner(Graph, On).runSingle();
}

} // namespace ikra
