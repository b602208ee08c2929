// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fused chains that all cores run node by node. A division of integers by a constant is some ten
// operations that wait for each other. A loop over a long chain of them has one vector under way at
// a time; a loop for each section has several, and what is between two sections stays in the
// first-level cache. The rule is on docs/fusion.md.

#include "Fusion.h"
#include "SelfContained.h"

#include "llvm/ADT/DenseSet.h"

#include <algorithm>

namespace ikra {

/// As many sections of a chain have to divide.
static constexpr std::size_t FewestDivisions = 3;

/// Whether a section, or what it calls, divides.
static bool divides(const ProgramModel& Model, const Section& S) {
  llvm::DenseSet<Index> Seen{S.Code.Function};
  std::vector<Index> Work{S.Code.Function};
  while (!Work.empty()) {
    const Function& Code = Model.Functions[Work.back()];
    Work.pop_back();
    if (Code.Takes.Divides)
      return true;
    for (const auto& [Site, Call] : Code.Calls)
      for (const CallTarget& Target : Call.Targets)
        if (Seen.insert(Target.Function).second)
          Work.push_back(Target.Function);
  }
  return false;
}

/// True for maps of numbers to numbers of one type, after a pnew of it or an array.
static bool isChainOfSteps(const ProgramModel& Model, const FusedKernel& Kernel) {
  if (!Kernel.isChain() || Kernel.InTiles)
    return false;
  for (std::size_t N = 0; N < Kernel.Nodes.size(); ++N) {
    const Section& S = Model.Sections[Kernel.Nodes[N].Section];
    const bool Starts = N + 1 == Kernel.Nodes.size() && S.Op == Operation::PNew;
    if (!(Starts ? isSelfContained(S) : isStep(S)))
      return false;
    if (N > 0 && !mayMeet(S, Model.Sections[Kernel.Nodes[N - 1].Section]))
      return false;
  }
  return true;
}

void planBlocked(const ProgramModel& Model, FusionPlan& Plan) {
  for (FusedKernel& Kernel : Plan.Kernels) {
    if (Kernel.Nodes.size() < FewestDivisions || !isChainOfSteps(Model, Kernel))
      continue;
    const auto Divisions = static_cast<std::size_t>(
        std::count_if(Kernel.Nodes.begin(), Kernel.Nodes.end(), [&](const FusedNode& Node) {
          const Section& S = Model.Sections[Node.Section];
          return !S.Code.Known && divides(Model, S);
        }));
    Kernel.Blocked = Divisions >= FewestDivisions && 2 * Divisions >= Kernel.Nodes.size();
  }
}

} // namespace ikra
