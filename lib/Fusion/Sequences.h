// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels of sequences (docs/sequences.md).

#ifndef IKRA_FUSION_SEQUENCES_H
#define IKRA_FUSION_SEQUENCES_H

#include "Model/ProgramModel.h"
#include "Model/Turns.h"

#include <vector>

namespace ikra {

/// Two steps that are in two kernels, and a member that one of them writes and one of them uses of
/// other elements.
struct SequenceConflict {
  std::size_t Before, After;
  Index Member;
};

struct SequencePlan {
  std::vector<std::vector<std::size_t>> Kernels; ///< the steps of each
  /// Of a loop: there is one kernel, and each thread runs all turns of its element.
  bool InThread = false;
  std::vector<SequenceConflict> Apart;
};

/// One plan for each of the sequences.
std::vector<SequencePlan> planSequences(const ProgramModel& Model, const HostLoops& Loops);
void print(const std::vector<SequencePlan>& Plans, const HostLoops& Loops,
           const ProgramModel& Model, llvm::raw_ostream& OS);

} // namespace ikra

#endif
