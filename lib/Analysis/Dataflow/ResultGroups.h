// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays over one input that are asked for together: local variables of one block whose elements
// the program reads on every way through the rest of the block. What is in front of these reads may
// throw, and then some are never asked for; whether their sections may run all the same is found
// here too. Fusion computes such arrays in one kernel (docs/fusion.md, horizontal fusion).

#ifndef IKRA_ANALYSIS_DATAFLOW_RESULTGROUPS_H
#define IKRA_ANALYSIS_DATAFLOW_RESULTGROUPS_H

#include "Model/ProgramModel.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/DenseMap.h"

namespace ikra {

/// Appends the groups to the model.
/// \param SectionOfCall the section that gives a call's result
void findResultGroups(clang::ASTContext& Context,
                      const llvm::DenseMap<const clang::Expr*, Index>& SectionOfCall,
                      ProgramModel& Model);

/// True if running \p S where the program would not have run it cannot be seen: it has no loop that
/// may not end, divides by constants alone, and reads nothing at an index.
bool mayRunUnasked(const ProgramModel& Model, const Section& S);

} // namespace ikra

#endif
