// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statements one after the other that are each a peach over an array of objects, and counted loops
// of such: nothing of the host's stands between them, so they may run as one (docs/sequences.md).

#ifndef IKRA_ANALYSIS_TURNS_SEQUENCES_H
#define IKRA_ANALYSIS_TURNS_SEQUENCES_H

#include "Model/ProgramModel.h"
#include "Model/Turns.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace ikra {

/// \param SectionOfCall the section of an operation's call
/// \param UniqueIdent makes a name of emitted code that nothing else has
/// \param Loops gets them
void findSequences(clang::ASTContext& Context,
                   const llvm::DenseMap<const clang::Expr*, Index>& SectionOfCall,
                   llvm::function_ref<std::string(const std::string&)> UniqueIdent,
                   const ProgramModel& Model, HostLoops& Loops);

} // namespace ikra

#endif
