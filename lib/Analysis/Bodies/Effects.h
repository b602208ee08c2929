// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the evaluation of an expression in device code reads and changes: as much as it takes to
// say whether the order of two operands can be seen.

#ifndef IKRA_ANALYSIS_BODIES_EFFECTS_H
#define IKRA_ANALYSIS_BODIES_EFFECTS_H

#include "Model/ProgramModel.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace clang {
class Stmt;
} // namespace clang

namespace ikra {

/// Three kinds of memory: local variables, each its own; members of objects; and what references
/// and pointers to values lead to, which may be either.
struct Effects {
  llvm::SmallPtrSet<const clang::VarDecl*, 4> Reads, Writes;
  bool ReadsObjects = false, WritesObjects = false;
  bool ReadsPointees = false, WritesPointees = false;

  bool reads() const { return !Reads.empty() || ReadsObjects || ReadsPointees; }
  bool writes() const { return !Writes.empty() || WritesObjects || WritesPointees; }
  bool empty() const { return !reads() && !writes(); }
  /// True if it matters which of the two comes first.
  bool conflictsWith(const Effects& Other) const;
};

/// \param In the function whose body holds \p S
Effects effectsOf(const clang::Stmt* S, const Function& In, const ProgramModel& Model);

} // namespace ikra

#endif
