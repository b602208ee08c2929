// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vertical fusion of maps: a map's element depends on its input's element in the same place, so any
// chain of maps may be one kernel (ARRAY'17, section 3: access pattern 'same location').

#include "Fusion.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace ikra {

/// A kernel of more stages than this takes long to compile, and gains nothing over two.
static constexpr std::size_t LongestChain = 64;

/// Why \p Consumer cannot share a kernel with \p Producer; empty if it can.
static std::string obstacle(const Section& Producer, const Section& Consumer) {
  if (Producer.Op != Operation::PMap)
    return std::string("the result of ") + nameOf(Producer.Op) + " is kept in memory";
  if (Consumer.Op != Operation::PMap)
    return std::string(nameOf(Consumer.Op)) + " reads its input from memory";
  if (Producer.Result.Kind == TypeKind::Object)
    return "its elements are objects, which have to be traced on the host first";
  return "";
}

FusionPlan planFusion(const ProgramModel& Model) {
  FusionPlan Plan;
  std::vector<bool> Joined(Model.Sections.size(), false);
  // Always part of its consumer's kernel: a kernel that ends with it would never be taken.
  std::vector<bool> Absorbed(Model.Sections.size(), false);
  for (Index I = 0; I < Model.Sections.size(); ++I) {
    const Section& S = Model.Sections[I];
    for (const std::optional<Index>& Input : S.Inputs) {
      if (!Input)
        continue;
      const std::string Reason = obstacle(Model.Sections[*Input], S);
      Joined[I] = Reason.empty();
      Absorbed[*Input] = Reason.empty() && Model.Sections[*Input].IsTemporary;
      Plan.Edges.push_back({*Input, I, Reason.empty(), Reason.empty() ? "same location" : Reason});
    }
  }
  for (Index I = 0; I < Model.Sections.size(); ++I) {
    if (!Joined[I] || Absorbed[I])
      continue;
    FusedKernel Kernel;
    for (Index At = I;; At = *Model.Sections[At].Inputs.front()) {
      Kernel.Chain.push_back(At);
      if (!Joined[At] || Kernel.Chain.size() == LongestChain)
        break;
    }
    Plan.Kernels.push_back(std::move(Kernel));
  }
  return Plan;
}

void print(const FusionPlan& Plan, const ProgramModel& Model, llvm::raw_ostream& OS) {
  const auto Name = [&](Index S) { return Model.Sections[S].Ident; };
  OS << "kernels: " << Model.Sections.size() + Plan.Kernels.size() << " (" << Model.Sections.size()
     << " of single sections)\n";
  for (const FusedKernel& Kernel : Plan.Kernels) {
    OS << "kernel ";
    llvm::interleave(llvm::reverse(Kernel.Chain), OS, [&](Index S) { OS << Name(S); }, " -> ");
    OS << "\n";
  }
  for (const FusionEdge& Edge : Plan.Edges)
    OS << "edge " << Name(Edge.Producer) << " -> " << Name(Edge.Consumer) << ": "
       << (Edge.Fused ? "fused" : "not fused") << " (" << Edge.Reason << ")\n";
}

} // namespace ikra
