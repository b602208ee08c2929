// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which sections of a sequence share a kernel. A thread runs them one after the other for its own
// element, and other threads may be ahead of it or behind: so what one section writes, the others
// have to leave alone, or each has to use it of its own element. Sections over different arrays
// have different threads.

#include "Sequences.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace ikra {

/// A member for which two sections cannot share a kernel; none if they can.
static std::optional<Index> conflictOf(const MemberUse& A, const MemberUse& B) {
  const auto IsOfOthers = [](const MemberUse& Of, Index M) {
    return Of.ReadOther.contains(M) || Of.WriteOther.contains(M) || Of.Atomic.contains(M);
  };
  const auto Find = [&](const MemberUse& Writer, const MemberUse& Other) -> std::optional<Index> {
    for (const Index M : Writer.written())
      if ((Other.read().contains(M) || Other.written().contains(M)) &&
          (IsOfOthers(Writer, M) || IsOfOthers(Other, M)))
        return M;
    return std::nullopt;
  };
  const std::optional<Index> First = Find(A, B);
  return First ? First : Find(B, A);
}

std::vector<SequencePlan> planSequences(const ProgramModel& Model, const HostLoops& Loops) {
  std::vector<SequencePlan> All;
  for (const Sequence& Of : Loops.Sequences) {
    const auto UsesOf = [&](std::size_t Step) -> const MemberUse& {
      return Model.Functions[Model.Sections[Of.Steps[Step].Section].Code.Function].Total;
    };
    SequencePlan Plan;
    for (std::size_t N = 0; N < Of.Steps.size(); ++N) {
      std::optional<SequenceConflict> Why;
      const bool IsOver =
          !Plan.Kernels.empty() && Of.Steps[Plan.Kernels.back().front()].Array == Of.Steps[N].Array;
      if (IsOver)
        for (const std::size_t Before : Plan.Kernels.back())
          if (const std::optional<Index> M = conflictOf(UsesOf(Before), UsesOf(N)); M && !Why)
            Why = SequenceConflict{Before, N, *M};
      if (!IsOver || Why)
        Plan.Kernels.emplace_back();
      Plan.Kernels.back().push_back(N);
      if (Why)
        Plan.Apart.push_back(*Why);
    }
    // In two turns two elements may write to one object, and the order of turns then counts.
    Plan.InThread = Of.IsLoop && Plan.Kernels.size() == 1;
    for (std::size_t N = 0; N < Of.Steps.size(); ++N)
      Plan.InThread &= Model.Sections[Of.Steps[N].Section].Access.Ticks == TickLoop::InThread &&
                       UsesOf(N).WriteOther.empty() && UsesOf(N).Atomic.empty();
    All.push_back(std::move(Plan));
  }
  return All;
}

void print(const std::vector<SequencePlan>& Plans, const HostLoops& Loops,
           const ProgramModel& Model, llvm::raw_ostream& OS) {
  for (std::size_t N = 0; N < Plans.size(); ++N) {
    const Sequence& Of = Loops.Sequences[N];
    const SequencePlan& Plan = Plans[N];
    const auto Name = [&](std::size_t Step) {
      return Model.Sections[Of.Steps[Step].Section].Ident;
    };
    OS << Of.Ident << " at line " << Of.At.Line << ":";
    for (const std::vector<std::size_t>& Kernel : Plan.Kernels) {
      OS << (&Kernel == &Plan.Kernels.front() ? " " : " | ");
      for (const std::size_t Step : Kernel)
        OS << (Step == Kernel.front() ? "" : ", ") << Name(Step);
    }
    if (Plan.InThread)
      OS << "; one kernel for all turns";
    else
      OS << "; " << Plan.Kernels.size() << " kernel" << (Plan.Kernels.size() == 1 ? "" : "s")
         << (Of.IsLoop ? " a turn" : "");
    OS << "\n";
    for (const SequenceConflict& Why : Plan.Apart) {
      const Member& M = Model.Members[Why.Member];
      OS << "  " << Name(Why.Before) << " and " << Name(Why.After)
         << " apart: " << Model.Classes[M.Class].Name << "::" << M.Name << " of other elements\n";
    }
  }
  for (const UnjoinedLoop& Left : Loops.Unjoined)
    OS << "no sequence at line " << Left.At.Line << ": " << Left.Keyword << ", since at line "
       << Left.Line << " " << Left.Why << "\n";
  for (const HostScope& Of : Loops.Scopes) {
    OS << "scope of the host section at line " << Of.At.Line << ":";
    for (const Index S : Of.Sections)
      OS << (S == Of.Sections.front() ? " " : ", ") << Model.Sections[S].Ident;
    OS << "\n";
  }
  for (const UnjoinedLoop& Left : Loops.Unscoped)
    OS << "no scope of the host section at line " << Left.At.Line << ", since at line " << Left.Line
       << " " << Left.Why << "\n";
}

} // namespace ikra
