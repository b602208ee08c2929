// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels of turns: loops of host sections that run on the device (docs/turns.md).

#ifndef IKRA_FUSION_TURNS_H
#define IKRA_FUSION_TURNS_H

#include "Fusion.h"
#include "Model/Turns.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>
#include <vector>

namespace ikra {

/// How a device does several turns of a loop at once, which are one stencil over its own results.
struct TurnTiles {
  std::size_t Steps = 1;            ///< turns
  std::size_t Input = 0;            ///< the array that the first one reads
  std::vector<std::size_t> Set;     ///< arrays that hold the result then
  std::vector<std::size_t> Missing; ///< arrays that would hold a result between: it is not there
  unsigned Alone = 0;               ///< turns that follow one by one, so that these are set
};

/// A kernel that a turn launches.
struct TurnLaunch {
  std::optional<std::size_t> Kernel; ///< of TurnPlan::Kernels; none: of one section
  std::vector<std::size_t> Results;  ///< commands whose results it stores: several arrays, or one
  std::vector<std::size_t> Commands; ///< by the kernel's nodes; the results come first
  std::vector<TurnInput> Leaves;
  /// A reduction whose kernel computes this launch's results where it reads some, and stores them.
  std::optional<std::size_t> ReducedBy;
  bool Stores = false; ///< a reduction of such results: it stands where the first is computed
  /// Reductions by index that this launch's kernel does, too: of its results, or a reduction by
  /// index itself, that reads what is computed where it is read.
  std::vector<std::size_t> ByIndex;
  std::optional<TurnTiles> InTiles, InTilesOnCores;
  bool IsComputedThere = false; ///< by the reduction by index that alone reads it, and not stored
};

/// Buffers of one size.
struct TurnBuffers {
  std::size_t Space;
  Type Element;
  unsigned Number; ///< that are held at once, at most
};

/// The launches of a turn, by command; none for what another one's kernel computes.
struct TurnPlan {
  std::vector<std::optional<TurnLaunch>> Launches;
  /// What arrays that turns set, and results, take; none where the loop may run as written after
  /// its first turn.
  std::vector<TurnBuffers> Buffers;
  std::vector<FusedKernel> Kernels; ///< of several sections; the program's others do not have them
  /// No scalar depends on an array, so the host runs the turns, and queues their kernels.
  bool IsQueued = false;
  /// A GPU's graph has several turns of the loop in a row, without tests of its own between them:
  /// all kernels are such that can do nothing once the loop has ended.
  bool IsUnrolled = false;
  /// Elements that arrays have at most where one block of a GPU runs the loop; none: it never does.
  std::optional<unsigned> InBlock;
  /// The launches of all cores, where these are others than a GPU's: one plan, or none.
  std::vector<TurnPlan> OnCores;
};

/// Kernels that a turn launches, if all its branches run.
std::size_t kernelsOf(const TurnPlan& Plan);

/// Whether a step launches a kernel, and whether the last thing that one does is to give a scalar.
/// \{
bool launches(const TurnPlan& Plan, const TurnStep& Step);
bool endsInScalar(const TurnPlan& Plan, const ProgramModel& Model, const Turn& Of,
                  const TurnStep& Step);
/// \}
/// How a turn of a loop ends.
struct TurnEnd {
  std::optional<std::size_t> Code; ///< the last of its steps, which the test does
};
/// The code at the end of a loop's turn: a step of the test or, if that has none, of the body.
/// Arrays that change places after it do not matter to it.
std::optional<std::size_t> lastCode(const TurnSteps& Body, const TurnSteps& Test);
/// What the kernel of a reduction does at its end.
struct TurnTail {
  std::vector<std::size_t> Code; ///< steps
  bool Tests = false;            ///< then the loop's test, which does TurnEnd::Code
};
/// All code up to the next kernel, and the test if nothing after it concerns scalars. \p End: of
/// the loop's turn, if the steps are its last ones
TurnTail tailOf(const TurnPlan& Plan, const ProgramModel& Model, const Turn& Of,
                const TurnSteps& Steps, std::size_t At, const TurnEnd* End);
/// Kernels of a turn in a graph that is unrolled, the ones of code and of the test among them.
std::size_t graphKernelsOf(const TurnPlan& Plan, const ProgramModel& Model, const Turn& Of);
/// Drops what sets a variable that is set again before anything reads it: as written, a result that
/// has no name. Commands that read it name the command that gives it.
void dropOverwritten(Turn& Of);
/// Has a loop in the turn that is maps of one array be one command, which applies them so often.
void joinMapLoops(const ProgramModel& Model, const FusionPlan& Fusion, Turn& Of);
/// Has maps wait for later ones that read the same arrays, where both share a kernel then.
void delayMaps(const ProgramModel& Model, Turn& Of,
               llvm::function_ref<TurnPlan(const Turn&)> PlanOf);
/// Moves code over scalars up to the reduction that is launched last before it.
void orderCode(const ProgramModel& Model, Turn& Of, const TurnPlan& Plan);

std::optional<unsigned> mostInBlock(const ProgramModel& Model, const Turn& Of,
                                    const TurnPlan& Plan);
/// Finds loops that a device goes through several turns at a time.
void planTurnTiles(const ProgramModel& Model, const Turn& Of, TurnPlan& Plan);
std::vector<TurnBuffers> buffersOf(const ProgramModel& Model, const Turn& Of, const TurnPlan& Plan);

/// One plan for each of the turns. Drops turns that the host waits for nowhere, and that are no
/// faster than their commands are as the program's.
std::vector<TurnPlan> planTurns(const ProgramModel& Model, const FusionPlan& Fusion,
                                HostLoops& Loops);
void print(const std::vector<TurnPlan>& Plans, const HostLoops& Loops, const ProgramModel& Model,
           llvm::raw_ostream& OS);

} // namespace ikra

#endif
