// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which host sections open a resident scope by themselves (docs/runtime.md): those that run
// sections over the same objects, and whose other code touches no object.

#ifndef IKRA_ANALYSIS_TURNS_HOSTSCOPES_H
#define IKRA_ANALYSIS_TURNS_HOSTSCOPES_H

#include "Model/ProgramModel.h"
#include "Model/Turns.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/DenseMap.h"

#include <vector>

namespace ikra {

/// \param SectionsInCall all sections of an operation's call
/// \param Loops gets them, and why others are none
void findHostScopes(clang::ASTContext& Context,
                    const llvm::DenseMap<const clang::Expr*, std::vector<Index>>& SectionsInCall,
                    const ProgramModel& Model, HostLoops& Loops);

} // namespace ikra

#endif
