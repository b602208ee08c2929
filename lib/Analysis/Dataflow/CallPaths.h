// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which sections meet on which ways through the program's calls: functions of a library are called
// from many places, and each call joins its sections with others. ArrayFlow says what may meet
// anywhere; this follows arguments, results and members call by call. What it finds are guesses
// that only fusion uses: the runtime sees which of them hold.

#ifndef IKRA_ANALYSIS_DATAFLOW_CALLPATHS_H
#define IKRA_ANALYSIS_DATAFLOW_CALLPATHS_H

#include "Model/ProgramModel.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"

#include <vector>

namespace ikra {

class ArrayFlow;

/// Where a section stands, and the arrays that it reads as far as the program names them: of the
/// second section of count(f), what the first one gives has no name.
struct SectionSite {
  const clang::CallExpr* Operation = nullptr;
  std::vector<const clang::Expr*> Arrays;
  bool GivesResult = false; ///< its result is the operation's
};

/// Appends the sections' uses to the model, as far as one of them has an input that the model's
/// sections do not say. Changes nothing else.
/// \param Sites by section
void findUses(clang::ASTContext& Context, const std::vector<SectionSite>& Sites,
              const ArrayFlow& Flow, ProgramModel& Model);

} // namespace ikra

#endif
