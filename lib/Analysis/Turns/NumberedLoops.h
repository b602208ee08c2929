// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which loops of host sections count their turns where they run as they are written
// (docs/turns.md): those in which sections may be made, and whose text takes the count.

#ifndef IKRA_ANALYSIS_TURNS_NUMBEREDLOOPS_H
#define IKRA_ANALYSIS_TURNS_NUMBEREDLOOPS_H

#include "Model/ProgramModel.h"
#include "Model/Turns.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/DenseMap.h"

#include <vector>

namespace ikra {

/// \param SectionsInCall all sections of an operation's call
/// \param Loops gets them
void findNumberedLoops(clang::ASTContext& Context,
                       const llvm::DenseMap<const clang::Expr*, std::vector<Index>>& SectionsInCall,
                       HostLoops& Loops);

} // namespace ikra

#endif
