// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last stage: writes the emitted file from the three plans. It decides nothing.

#ifndef IKRA_EMIT_EMIT_H
#define IKRA_EMIT_EMIT_H

#include "Emit/Host/HostMacros.h"
#include "Fusion/Sequences.h"
#include "Fusion/Turns.h"
#include "Layout/Layout.h"

#include <string>

namespace ikra {

struct EmitInput {
  const ProgramModel& Model;
  const FusionPlan& Fusion;
  const LayoutPlan& Layout;
  const HostLoops& Loops;
  const std::vector<TurnPlan>& Turns;
  const std::vector<SequencePlan>& Sequences;
  const MacroNames& Macros;
  std::string SourceName; ///< of the program's file, as readers of the emitted one know it
  std::string OutputName; ///< as #line names the emitted file
};

/// The emitted file, around \p HostText, the program's own text with its operations replaced.
std::string emit(const EmitInput& Input, const std::string& HostText);

} // namespace ikra

#endif
