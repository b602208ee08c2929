// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels for single ways through the program's calls. What functions of a library are given
// differs from call to call, so sections alone do not say which of them meet. Here each use of a
// section is a node of the graph, whose inputs are known; the kernels become further rows of the
// sections' tables, and the runtime takes those that fit.

#include "Fusion.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

namespace ikra {

/// Each takes its time to compile.
static constexpr std::size_t MostOfUses = 64;

/// Whether a loop's kernel runs the same sections.
static bool isInLoop(const FusedKernel& Kernel, const std::vector<LoopKernel>& Loops) {
  return Kernel.isChain() && llvm::any_of(Loops, [&](const LoopKernel& Loop) {
           return llvm::all_of(Kernel.Nodes, [&](const FusedNode& Node) {
             return llvm::is_contained(Loop.Sections, Node.Section) ||
                    (&Node == &Kernel.Nodes.back() &&
                     llvm::is_contained(Loop.Starts, Node.Section));
           });
         });
}

/// Which kernels are made where there are too many. Those that no other stands in for come first;
/// of these, each section has its smallest one, then each its next one: small ones fit often.
/// \param HasOther whether other kernels compute the same
static std::vector<bool> choose(const std::vector<FusedKernel>& Kernels,
                                const std::vector<bool>& HasOther) {
  std::vector<std::size_t> BySize;
  for (std::size_t N = 0; N < Kernels.size(); ++N)
    BySize.push_back(N);
  llvm::stable_sort(BySize, [&](std::size_t A, std::size_t B) {
    return Kernels[A].Nodes.size() < Kernels[B].Nodes.size();
  });
  std::map<Index, std::size_t> Counts;
  std::vector<std::size_t> Turns(Kernels.size());
  for (const std::size_t N : BySize)
    Turns[N] = Counts[Kernels[N].last()]++;
  llvm::stable_sort(BySize, [&](std::size_t A, std::size_t B) {
    return std::pair(bool(HasOther[A]), Turns[A]) < std::pair(bool(HasOther[B]), Turns[B]);
  });
  std::vector<bool> Out(Kernels.size(), false);
  for (std::size_t N = 0; N < BySize.size() && N < MostOfUses; ++N)
    Out[BySize[N]] = true;
  return Out;
}

/// Notes of a kernel's nodes what another of the same nodes knows.
static void keepAlso(FusedKernel& Of, const FusedKernel& Other) {
  for (std::size_t N = 0; N < Of.Nodes.size(); ++N)
    Of.Nodes[N].IsKept |= Other.Nodes[N].IsKept;
}

void planUses(const ProgramModel& Model, Device On, FusionPlan& Plan) {
  if (Model.Uses.empty())
    return;
  FusionPlan OfUses = planKernels(FusionGraph::ofUses(Model), On);
  for (const FusionEdge& Edge : OfUses.Edges) {
    const Index Producer = Model.Uses[Edge.Producer].Of, Consumer = Model.Uses[Edge.Consumer].Of;
    const auto IsKnown = [&](const FusionEdge& Other) {
      return Other.Producer == Producer && Other.Consumer == Consumer;
    };
    const auto Known = llvm::find_if(Plan.Edges, IsKnown);
    if (Known == Plan.Edges.end())
      Plan.Edges.push_back({Producer, Consumer, Edge.Fused, Edge.Reason});
    else if (Edge.Fused && !Known->Fused)
      *Known = {Producer, Consumer, true, Edge.Reason};
  }
  Plan.LeftOut = Model.ContextsLeftOut;
  Plan.AreMoreLeftOut = Model.ContextsLeftOut != 0;
  const std::vector<LoopKernel> Loops = planLoops(Model);
  std::vector<FusedKernel> New;
  std::vector<bool> HasOther;
  for (FusedKernel& Kernel : OfUses.Kernels) {
    const Index Last = Kernel.last();
    for (FusedNode& Node : Kernel.Nodes)
      Node.Section = Model.Uses[Node.Section].Of;
    const auto IsSame = [&](const FusedKernel& Other) { return Other.Nodes == Kernel.Nodes; };
    if (const auto Known = llvm::find_if(Plan.Kernels, IsSame); Known != Plan.Kernels.end()) {
      keepAlso(*Known, Kernel);
      continue;
    }
    if (const auto Known = llvm::find_if(New, IsSame); Known != New.end()) {
      keepAlso(*Known, Kernel);
      continue;
    }
    const auto GoesOn = [&](const FusionEdge& Edge) { return Edge.Fused && Edge.Producer == Last; };
    HasOther.push_back(llvm::any_of(OfUses.Edges, GoesOn) || isInLoop(Kernel, Loops));
    New.push_back(std::move(Kernel));
  }
  const std::vector<bool> Kept = choose(New, HasOther);
  for (std::size_t N = 0; N < New.size(); ++N) {
    FusedKernel& Kernel = New[N];
    if (!Kept[N]) {
      ++Plan.LeftOut;
      continue;
    }
    const auto IsOfLast = [&](const FusedKernel& Other) { return Other.last() == Kernel.last(); };
    Kernel.Path = 1 + static_cast<unsigned>(llvm::count_if(Plan.Kernels, [&](const auto& Other) {
                    return IsOfLast(Other) && Other.Path != 0;
                  }));
    // The runtime takes the first that fits, so larger ones stand in front.
    const auto At = llvm::find_if(Plan.Kernels, [&](const FusedKernel& Other) {
      return IsOfLast(Other) && Other.Nodes.size() < Kernel.Nodes.size();
    });
    Plan.Kernels.insert(At, std::move(Kernel));
  }
}

void noteUnfollowed(const ProgramModel& Model, FusionPlan& Plan) {
  for (const auto& [Producer, Consumer, Why] : Model.Unfollowed) {
    const bool IsKnown = llvm::any_of(Plan.Edges, [&](const FusionEdge& Edge) {
      return Edge.Producer == Producer && Edge.Consumer == Consumer;
    });
    const bool InLoop = llvm::any_of(Plan.Loops, [&](const LoopKernel& Loop) {
      return llvm::is_contained(Loop.Sections, Consumer) &&
             (llvm::is_contained(Loop.Sections, Producer) ||
              llvm::is_contained(Loop.Starts, Producer));
    });
    if (!IsKnown && !InLoop)
      Plan.Edges.push_back({Producer, Consumer, false, Why});
  }
}

} // namespace ikra
