// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fusion over loops of the host: which commands follow each other is known only at run time, but
// which sections may is known here. Those that may follow themselves, over others or not, make a
// loop: a strongly connected part of the graph of what may follow what.

#include "Fusion.h"
#include "SelfContained.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace ikra {

/// Larger loops take long to compile, and their kernels many registers.
static constexpr std::size_t MostInLoop = 16;
static constexpr std::size_t MostStarts = 4;
/// All bodies are parameters of one kernel.
static constexpr std::size_t MostCaptures = 16;

bool isNumber(const Type& Ty) { return Ty.Kind == TypeKind::Value && !Ty.IsClass; }

bool isSelfContained(const Section& S) {
  return !S.Access.UsesColumns && !S.Access.CallsAt && !S.Access.ChecksNull && isNumber(S.Result) &&
         S.Code.Captures.size() <= MostCaptures &&
         std::all_of(S.Code.Captures.begin(), S.Code.Captures.end(), [](const Capture& C) {
           return C.Kind == CaptureKind::Value && isNumber(C.Ty);
         });
}

bool isStep(const Section& S) {
  return S.Op == Operation::PMap && isSelfContained(S) && isNumber(S.element()) &&
         S.element().Spelling == S.Result.Spelling;
}

bool mayMeet(const Section& From, const Section& To) {
  return From.Result.Spelling == To.Result.Spelling && From.Rank == To.Rank;
}

/// The steps that may run after \p S, at once or later.
static llvm::DenseSet<Index> reachableFrom(Index S, const std::vector<std::vector<Index>>& Next) {
  llvm::DenseSet<Index> Reached;
  std::vector<Index> Work{S};
  while (!Work.empty()) {
    const Index At = Work.back();
    Work.pop_back();
    for (const Index To : Next[At])
      if (Reached.insert(To).second)
        Work.push_back(To);
  }
  return Reached;
}

std::vector<LoopKernel> planLoops(const ProgramModel& Model) {
  const std::vector<Section>& Sections = Model.Sections;
  std::vector<std::vector<Index>> Next(Sections.size());
  for (Index To = 0; To < Sections.size(); ++To)
    if (isStep(Sections[To]))
      for (const Index From : Sections[To].Flow.FlowsFrom)
        if (isStep(Sections[From]) && mayMeet(Sections[From], Sections[To]))
          Next[From].push_back(To);
  std::vector<llvm::DenseSet<Index>> Reached;
  for (Index S = 0; S < Sections.size(); ++S)
    Reached.push_back(reachableFrom(S, Next));

  std::vector<LoopKernel> Loops;
  for (Index S = 0; S < Sections.size(); ++S) {
    LoopKernel Loop;
    for (Index Other = 0; Other < Sections.size(); ++Other)
      if (Reached[S].contains(Other) && Reached[Other].contains(S))
        Loop.Sections.push_back(Other);
    if (Loop.Sections.empty() || Loop.Sections.front() != S || Loop.Sections.size() > MostInLoop)
      continue;
    std::set<Index> Starts;
    for (const Index To : Loop.Sections)
      for (const Index From : Sections[To].Flow.FlowsFrom)
        if (Sections[From].Op == Operation::PNew && isSelfContained(Sections[From]) &&
            mayMeet(Sections[From], Sections[To]))
          Starts.insert(From);
    if (Starts.size() <= MostStarts)
      Loop.Starts.assign(Starts.begin(), Starts.end());
    Loops.push_back(std::move(Loop));
  }
  return Loops;
}

std::vector<Index> planEarly(const ProgramModel& Model) {
  const auto IsLink = [](const Section& S) {
    return (S.Op == Operation::PNew || S.Op == Operation::PMap || S.Op == Operation::PCombine ||
            S.Op == Operation::PStencil) &&
           S.Flow.Speculatable;
  };
  std::vector<std::vector<Index>> Next(Model.Sections.size());
  for (Index To = 0; To < Model.Sections.size(); ++To)
    if (IsLink(Model.Sections[To]))
      for (const Index From : Model.Sections[To].Flow.FlowsFrom)
        if (IsLink(Model.Sections[From]))
          Next[From].push_back(To);
  std::vector<llvm::DenseSet<Index>> Reached;
  for (Index S = 0; S < Model.Sections.size(); ++S)
    Reached.push_back(reachableFrom(S, Next));
  std::vector<Index> Early;
  for (Index S = 0; S < Model.Sections.size(); ++S)
    if (Reached[S].contains(S) ||
        llvm::any_of(Reached[S], [&](Index Later) { return Reached[Later].contains(Later); }))
      Early.push_back(S);
  return Early;
}

} // namespace ikra
