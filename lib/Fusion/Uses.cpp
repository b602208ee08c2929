// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels for single ways through the program's calls. What functions of a library are given
// differs from call to call, so sections alone do not say which of them meet. Here each use of a
// section is planned as if it were a section of its own, whose inputs are known; the kernels become
// further rows of the sections' tables, and the runtime takes those that fit.

#include "Fusion.h"

#include "llvm/ADT/STLExtras.h"

namespace ikra {

/// Each takes its time to compile.
static constexpr std::size_t MostOfUses = 64;

/// A program in which each use is a section.
static ProgramModel usesAsSections(const ProgramModel& Model) {
  ProgramModel Out = Model;
  Out.Uses.clear();
  Out.Together.clear();
  Out.Sections.clear();
  for (const SectionUse& Use : Model.Uses) {
    Section S = Model.Sections[Use.Of];
    S.Inputs = Use.Inputs;
    S.IsTemporary = Use.IsTemporary;
    S.MayFollow.clear();
    S.Enclosing = nullptr; // all are joined as if they stood in one function
    Out.Sections.push_back(std::move(S));
  }
  return Out;
}

void planUses(const ProgramModel& Model, FusionPlan& Plan) {
  if (Model.Uses.empty())
    return;
  FusionPlan OfUses = planKernels(usesAsSections(Model));
  for (const FusionEdge& Edge : OfUses.Edges) {
    const Index Producer = Model.Uses[Edge.Producer].Of, Consumer = Model.Uses[Edge.Consumer].Of;
    const auto IsKnown = [&](const FusionEdge& Other) {
      return Other.Producer == Producer && Other.Consumer == Consumer;
    };
    if (llvm::none_of(Plan.Edges, IsKnown))
      Plan.Edges.push_back({Producer, Consumer, Edge.Fused, Edge.Reason});
  }
  std::size_t Added = 0;
  for (FusedKernel& Kernel : OfUses.Kernels) {
    for (FusedNode& Node : Kernel.Nodes)
      Node.Section = Model.Uses[Node.Section].Of;
    if (llvm::any_of(Plan.Kernels,
                     [&](const FusedKernel& Other) { return Other.Nodes == Kernel.Nodes; }))
      continue;
    if (Added == MostOfUses) {
      ++Plan.LeftOut;
      continue;
    }
    ++Added;
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

} // namespace ikra
