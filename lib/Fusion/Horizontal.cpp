// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Horizontal fusion: results over one input in one kernel, which reads it once. Analysis says which
// the program asks for together. What several of them need is computed once for each place.

#include "Fusion.h"
#include "SelfContained.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <functional>
#include <map>

namespace ikra {

/// A kernel with more results has too many streams to memory, and too many registers.
static constexpr std::size_t MostResults = 8;
static constexpr std::size_t MostSections = 64;
static constexpr std::size_t MostInputs = 16;

static bool storesElements(Operation Op) {
  return Op == Operation::PMap || Op == Operation::PCombine;
}

std::string obstacleToSeveralResults(const Section& S) {
  if (S.isOverObjects() || S.takesIds() || S.Access.UsesColumns ||
      llvm::any_of(S.Code.Captures, [](const Capture& C) {
        return C.Kind == CaptureKind::Object || C.Kind == CaptureKind::ObjectView;
      }))
    return "a section uses objects";
  if (S.Op == Operation::PStencil)
    return "a stencil has a kernel of its own";
  return "";
}

namespace {

class HorizontalPlanner {
public:
  HorizontalPlanner(const ProgramModel& Model, MayShareKernel IsFused)
      : Model(Model), IsFused(IsFused) {}

  std::vector<HorizontalGroup> run() {
    for (const ResultGroup& Group : Model.Horizontal)
      plan(Group);
    return std::move(Out);
  }

private:
  void plan(const ResultGroup& Group) {
    std::vector<std::size_t> Horizontal, Alone;
    std::map<std::size_t, std::string> Reasons;
    for (std::size_t K = 0; K < Group.Sections.size(); ++K) {
      if (!Group.AreAskedFor[K] && isReadByOthers(Group, K))
        continue; // part of the others' kernel at most
      std::string Reason = obstacle(Group, K);
      (Reason.empty() ? Horizontal : Alone).push_back(K);
      Reasons[K] = std::move(Reason);
    }
    const auto IsReduction = [&](std::size_t K) {
      return operationOf(Group, K) == Operation::PReduce;
    };
    if (llvm::any_of(Horizontal, IsReduction))
      llvm::erase_if(Horizontal, [&](std::size_t K) {
        const bool IsStruct = !isNumber(Model.Sections[Group.Sections[K]].Result);
        if (IsStruct) {
          Alone.push_back(K);
          Reasons[K] = "reductions are combined beside arrays of numbers alone";
        }
        return IsStruct;
      });
    // Arrays first: others may read them.
    llvm::stable_sort(Horizontal, [&](std::size_t A, std::size_t B) {
      return storesElements(operationOf(Group, A)) > storesElements(operationOf(Group, B));
    });
    add(Group, Horizontal);
    for (const std::size_t K : Alone)
      addApart(Group, K, Reasons[K]);
  }

  bool isReadByOthers(const ResultGroup& Group, std::size_t K) const {
    return llvm::any_of(Group.Sections, [&](Index Other) {
      return llvm::is_contained(Model.Sections[Other].Flow.Inputs, Group.Sections[K]);
    });
  }
  Operation operationOf(const ResultGroup& Group, std::size_t K) const {
    return Model.Sections[Group.Sections[K]].Op;
  }

  /// Why a result is not computed beside others; empty if it is.
  std::string obstacle(const ResultGroup& Group, std::size_t K) const {
    const Section& S = Model.Sections[Group.Sections[K]];
    if (!storesElements(S.Op) && S.Op != Operation::PReduce)
      return std::string(nameOf(S.Op)) + " has a kernel of its own";
    if (S.Op == Operation::PReduce && !isNumber(S.Result))
      return "a reduction to a struct has a kernel of its own";
    if (!Group.AreAskedFor[K])
      return Group.Variables[K] + " may never be asked for";
    std::set<Index> Seen;
    return obstacleIn(Group.Sections[K], Seen);
  }
  std::string obstacleIn(Index I, std::set<Index>& Seen) const {
    if (!Seen.insert(I).second)
      return "";
    const Section& S = Model.Sections[I];
    if (std::string Reason = obstacleToSeveralResults(S); !Reason.empty())
      return Reason;
    if (!S.Flow.Speculatable)
      return "a section may fail or not end, and must not run if the program stops before it";
    for (const std::optional<Index>& Input : S.Flow.Inputs)
      if (Input && IsFused(*Input, I))
        if (std::string Reason = obstacleIn(*Input, Seen); !Reason.empty())
          return Reason;
    return "";
  }

  void add(const ResultGroup& Group, const std::vector<std::size_t>& Members) {
    if (Members.size() < 2)
      return;
    HorizontalGroup Results = named(Group, Members);
    Results.Ident = Group.Ident;
    Results.Tag = Group.Tag;
    const unsigned Rank = Model.Sections[Results.Sections.front()].Rank;
    if (llvm::any_of(Results.Sections, [&](Index S) { return Model.Sections[S].Rank != Rank; })) {
      Results.Reason = "the arrays have different ranks";
    } else if (Members.size() > MostResults) {
      Results.Reason = "more than " + std::to_string(MostResults) + " results";
    } else {
      for (const bool WithVariables : {true, false})
        addKernel(kernelOf(Results.Sections, WithVariables), Results);
      Results.Reason = Results.Kernels.empty() ? "too many sections or arrays for one kernel"
                                               : "all are asked for, over " + Group.Input;
    }
    Out.push_back(std::move(Results));
  }

  static void addKernel(HorizontalKernel Kernel, HorizontalGroup& To) {
    if (Kernel.Nodes.size() > MostSections || Kernel.Leaves.size() > MostInputs)
      return;
    if (To.Kernels.empty() || To.Kernels.back().Nodes.size() != Kernel.Nodes.size())
      To.Kernels.push_back(std::move(Kernel));
  }

  void addApart(const ResultGroup& Group, std::size_t K, std::string Reason) {
    HorizontalGroup Results = named(Group, {K});
    Results.Reason = std::move(Reason);
    Out.push_back(std::move(Results));
  }

  static HorizontalGroup named(const ResultGroup& Group, const std::vector<std::size_t>& Members) {
    HorizontalGroup Results;
    for (const std::size_t K : Members) {
      Results.Sections.push_back(Group.Sections[K]);
      Results.Variables.push_back(Group.Variables[K]);
    }
    Results.Last = Group.Last;
    return Results;
  }

  /// \p WithVariables: with the sections whose results variables hold, which may be computed
  /// before.
  HorizontalKernel kernelOf(const std::vector<Index>& Results, bool WithVariables) const {
    const auto IsNode = [&](const std::optional<Index>& Input, Index Consumer) {
      if (!Input)
        return false;
      return llvm::is_contained(Results, *Input) ||
             (IsFused(*Input, Consumer) &&
              (WithVariables || Model.Sections[*Input].Flow.IsTemporary));
    };
    std::vector<Index> Order; // producers first
    std::set<Index> Seen(Results.begin(), Results.end());
    const std::function<void(Index)> Visit = [&](Index At) {
      for (const std::optional<Index>& Input : Model.Sections[At].Flow.Inputs)
        if (IsNode(Input, At) && Seen.insert(*Input).second)
          Visit(*Input);
      if (!llvm::is_contained(Results, At))
        Order.push_back(At);
    };
    for (const Index S : Results)
      Visit(S);
    std::vector<Index> Sections = Results;
    Sections.insert(Sections.end(), Order.rbegin(), Order.rend());

    HorizontalKernel Kernel;
    Kernel.Results = Results.size();
    std::map<Index, std::size_t> NodeOf;
    for (std::size_t N = 0; N < Sections.size(); ++N)
      NodeOf[Sections[N]] = N;
    std::map<LeafKey, std::size_t> LeafOf;
    for (std::size_t N = 0; N < Sections.size(); ++N) {
      const Section& S = Model.Sections[Sections[N]];
      FusedNode Node{Sections[N], {}};
      for (std::size_t K = 0; K < S.Elements.size(); ++K) {
        if (IsNode(S.Flow.Inputs[K], Sections[N])) {
          Node.Inputs.push_back({false, NodeOf[*S.Flow.Inputs[K]]});
          continue;
        }
        const auto [Leaf, IsNew] = LeafOf.emplace(leafKey(Sections[N], K), Kernel.Leaves.size());
        if (IsNew)
          Kernel.Leaves.push_back({N, K});
        Node.Inputs.push_back({true, Leaf->second});
      }
      Kernel.Nodes.push_back(std::move(Node));
    }
    return Kernel;
  }

  /// Inputs that are one array: of one section or in one variable.
  struct LeafKey {
    std::optional<Index> Section;
    const clang::VarDecl* Variable = nullptr;
    std::pair<Index, std::size_t> Own; ///< where neither is known
    auto operator<=>(const LeafKey&) const = default;
  };
  LeafKey leafKey(Index S, std::size_t K) const {
    const Section& Code = Model.Sections[S];
    if (K < Code.Flow.InputVariables.size() && Code.Flow.InputVariables[K])
      return {std::nullopt, Code.Flow.InputVariables[K], {}};
    if (Code.Flow.Inputs[K])
      return {Code.Flow.Inputs[K], nullptr, {}};
    return {std::nullopt, nullptr, {S, K}};
  }

  const ProgramModel& Model;
  MayShareKernel IsFused;
  std::vector<HorizontalGroup> Out;
};

} // namespace

std::vector<HorizontalGroup> planHorizontal(const ProgramModel& Model, MayShareKernel IsFused) {
  return HorizontalPlanner(Model, IsFused).run();
}

} // namespace ikra
