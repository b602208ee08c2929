// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which turns one block of a GPU may run, where their arrays are small: nothing is launched in
// them, and threads that wait for each other cost little beside kernels in a graph.

#include "Turns.h"

#include "llvm/ADT/STLExtras.h"

namespace ikra {

/// A thread has eight elements then; a reduction's groups are still those of one block.
static constexpr unsigned MostInBlock = 2048;
/// The same where an element may take long: one a thread, so that no other processor is missed.
static constexpr unsigned MostLongInBlock = 256;
/// A kernel has all of a turn's code. More is left to kernels of their own, which take nvcc less.
static constexpr std::size_t MostLaunchesInBlock = 16;

std::optional<unsigned> mostInBlock(const ProgramModel& Model, const Turn& Of,
                                    const TurnPlan& Plan) {
  const auto IsByIndex = [&](const TurnCommand& Command) {
    return operationOf(Model, Command) == Operation::PReduceByIndex;
  };
  if (llvm::any_of(Of.Commands, IsByIndex) || kernelsOf(Plan) > MostLaunchesInBlock)
    return std::nullopt;
  const bool IsLong = llvm::any_of(Of.Commands, [&](const TurnCommand& Command) {
    const Section& S = Model.Sections[*Command.Section];
    return diverges(Model, S) || repeats(Model, S);
  });
  return IsLong ? MostLongInBlock : MostInBlock;
}

} // namespace ikra
