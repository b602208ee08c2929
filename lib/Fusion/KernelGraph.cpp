// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelGraph.h"

#include "Cost.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <functional>

namespace ikra {

static void widen(std::vector<Footprint>& What, const std::vector<Footprint>& By) {
  if (What.empty())
    What = By;
  for (std::size_t D = 0; D < What.size(); ++D) {
    What[D].Least = std::min(What[D].Least, By[D].Least);
    What[D].Most = std::max(What[D].Most, By[D].Most);
  }
}

/// What all stencils read around the location that the kernel computes.
static std::vector<Footprint> haloOf(const KernelGraph& Graph, const ProgramModel& Model) {
  const unsigned Rank = Graph.section(0, Model).Rank;
  std::vector<std::vector<Footprint>> Around(Graph.Nodes.size()); // where each node is computed
  Around.front().resize(Rank);
  std::vector<Footprint> All;
  for (std::size_t N = 0; N < Graph.Nodes.size(); ++N) {
    const Section& S = Graph.section(N, Model);
    std::vector<Footprint> Read = Around[N];
    if (S.Op == Operation::PStencil) {
      for (unsigned D = 0; D < Read.size(); ++D) {
        const auto [Least, Most] = S.spanOf(D);
        Read[D].Least += Least;
        Read[D].Most += Most;
      }
      widen(All, Read);
    }
    for (const FusedInput& Input : Graph.Nodes[N].Inputs)
      if (!Input.IsLeaf)
        widen(Around[Input.Number], Read);
  }
  return All;
}

/// Whether the results of a kernel are worth loops of their own, and nothing that two of them have
/// in common would be computed twice.
static bool hasParts(const KernelGraph& Graph, const ProgramModel& Model) {
  if (Graph.Results < 2 || !Graph.IsLong || Graph.hasStencils() || Model.IsChecked)
    return false;
  for (std::size_t N = 0; N < Graph.Nodes.size(); ++N)
    if (!Graph.InBody[N] || (N >= Graph.Results && Graph.Uses[N] > 1))
      return false;
  return true;
}

static std::vector<std::size_t> partsInTurn(const KernelGraph& Graph) {
  std::vector<std::size_t> Order;
  const std::function<void(std::size_t)> Visit = [&](std::size_t N) {
    if (llvm::is_contained(Order, N)) // or a chain of squares would be visited 2^n times
      return;
    for (const FusedInput& Input : Graph.Nodes[N].Inputs)
      if (!Input.IsLeaf)
        Visit(Input.Number);
    if (N < Graph.Results)
      Order.push_back(N);
  };
  for (std::size_t N = 0; N < Graph.Results; ++N)
    Visit(N);
  return Order;
}

void KernelGraph::complete(const ProgramModel& Model) {
  InBody.assign(Nodes.size(), true);
  Uses.assign(Nodes.size(), 0);
  std::size_t Stencils = 0;
  bool AreBordersPlain = true;
  double Operations = 0;
  for (std::size_t N = 0; N < Nodes.size(); ++N) {
    const Section& S = section(N, Model);
    InBody[N] = N >= Results || (!isReduction(S.Op) && S.Op != Operation::PSelect);
    WithIndex |= InBody[N] && S.WithIndex;
    Diverges |= InBody[N] && diverges(Model, S);
    Repeats |= InBody[N] && repeats(Model, S);
    Operations += InBody[N] ? operationsOf(Model, S) : 0;
    if (Results > 1 && N < Results && InBody[N])
      ++Uses[N]; // it is stored
    for (const FusedInput& Input : Nodes[N].Inputs)
      if (!Input.IsLeaf)
        ++Uses[Input.Number];
    if (S.Op == Operation::PStencil) {
      ++Stencils;
      AreBordersPlain &= S.AtBorder == Border::Value || S.AtBorder == Border::Keep;
      ReadsMembersOnce =
          Stencils == 1 && Nodes[N].Inputs.front().IsLeaf && readsMembersOnce(Model, S);
    }
  }
  IsLong = Operations >= OperationsOfLong;
  HasPlainBorder = Stencils == 1 && AreBordersPlain;
  if (Stencils != 0)
    Halo = haloOf(*this, Model);
  if (hasParts(*this, Model))
    PartsInTurn = partsInTurn(*this);
}

} // namespace ikra
