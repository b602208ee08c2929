// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The second stage: which sections share a kernel. Every section has a kernel of its own; beside
// these, chains of maps get one kernel each, which the runtime takes where the chain has not been
// computed in part (DESIGN: fusing never decides whether a program works, only how fast).
// docs/fusion.md describes it.

#ifndef IKRA_FUSION_FUSION_H
#define IKRA_FUSION_FUSION_H

#include "Analysis/ProgramModel.h"

namespace ikra {

/// One kernel for several sections, the last one first.
struct FusedKernel {
  std::vector<Index> Chain;
};

/// Two sections of which one gives the other's input, and what becomes of it.
struct FusionEdge {
  Index Producer;
  Index Consumer;
  bool Fused;
  std::string Reason;
};

struct FusionPlan {
  std::vector<FusedKernel> Kernels;
  std::vector<FusionEdge> Edges;
};

FusionPlan planFusion(const ProgramModel& Model);

void print(const FusionPlan& Plan, const ProgramModel& Model, llvm::raw_ostream& OS);

} // namespace ikra

#endif
