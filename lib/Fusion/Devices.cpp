// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows for single devices. A GPU computes while it waits for memory, so a stencil's neighbours are
// computed anew for up to some hundred operations. All cores wait for each operation, and find what
// was stored in their caches. So the kernels of both are planned, each by its own costs; what the
// two have in common stands once, and the rest are rows for one of them.

#include "Fusion.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace ikra {

/// Whether a stencil's neighbours are computed in the kernel: only there the devices differ.
static bool computesNeighbours(const ProgramModel& Model, const FusedKernel& Kernel) {
  return llvm::any_of(Kernel.Nodes, [&](const FusedNode& Node) {
    return Model.Sections[Node.Section].Op == Operation::PStencil &&
           !llvm::all_of(Node.Inputs, [](const FusedInput& In) { return In.IsLeaf; });
  });
}

void planCores(const ProgramModel& Model, FusionPlan& Plan) {
  if (llvm::none_of(Plan.Kernels,
                    [&](const FusedKernel& Kernel) { return computesNeighbours(Model, Kernel); }))
    return;
  FusionPlan OfCores = planKernels(FusionGraph::ofSections(Model), Device::Cores);
  planUses(Model, Device::Cores, OfCores);
  const auto IsIn = [](const FusedKernel& Kernel, const std::vector<FusedKernel>& Kernels) {
    return llvm::any_of(Kernels,
                        [&](const FusedKernel& Other) { return Other.Nodes == Kernel.Nodes; });
  };
  for (FusedKernel& Kernel : Plan.Kernels)
    if (computesNeighbours(Model, Kernel) && !IsIn(Kernel, OfCores.Kernels))
      Kernel.Only = Device::Gpu;
  for (FusedKernel& Kernel : OfCores.Kernels) {
    if (IsIn(Kernel, Plan.Kernels))
      continue;
    Kernel.Only = Device::Cores;
    Kernel.OfCores = true;
    // The runtime takes the first that fits, so larger ones stand in front.
    const auto At = llvm::find_if(Plan.Kernels, [&](const FusedKernel& Other) {
      return Other.last() == Kernel.last() && Other.Nodes.size() < Kernel.Nodes.size();
    });
    Plan.Kernels.insert(At, std::move(Kernel));
  }
  for (FusionEdge& Edge : Plan.Edges) {
    const auto Same = llvm::find_if(OfCores.Edges, [&](const FusionEdge& Other) {
      return Other.Producer == Edge.Producer && Other.Consumer == Edge.Consumer;
    });
    if (!Edge.Fused || Same == OfCores.Edges.end() || Same->Fused)
      continue;
    Edge.OnGpuAlone = true;
    Edge.Reason = Same->Reason;
  }
}

void noteFewOnCores(const ProgramModel& Model, FusedKernel& Kernel) {
  if (Kernel.Only != Device::Gpu && !Kernel.InTiles && !Kernel.HasPlainBorder &&
      computesNeighbours(Model, Kernel))
    for (const Footprint& Along : Kernel.Halo)
      Kernel.FewOnCores.push_back(std::max<std::int64_t>(Along.Most, 0) -
                                  std::min<std::int64_t>(Along.Least, 0));
}

} // namespace ikra
