// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the loops of host sections, and makes turns of those that can be (Model/Turns.h).

#ifndef IKRA_ANALYSIS_TURNS_TURNFINDER_H
#define IKRA_ANALYSIS_TURNS_TURNFINDER_H

#include "Analysis/Diagnostics.h"
#include "Model/ProgramModel.h"
#include "Model/Turns.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace ikra {

/// The sections of the program's calls, as SectionBuilder has them.
struct SectionsOfCalls {
  const llvm::DenseMap<const clang::Expr*, Index>& Arrays;
  /// Of sum() and its kin: what combines, and before it a predicate's if there is one.
  const llvm::DenseMap<const clang::Expr*, std::vector<Index>>& Numbers;
  /// Of phistogram(bins, f): what gives the keys.
  const llvm::DenseMap<const clang::Expr*, Index>& Keys;
};

/// Which instantiation of the templates around a function it is; nothing where it is none.
/// \p Obstacle says why that cannot be told from others.
using InstantiationOf = llvm::function_ref<std::optional<Instantiation>(
    const clang::FunctionDecl& Function, std::string& Obstacle)>;

/// Finds the loops of host sections; one that stays and waits in each turn is a warning, too.
/// \param Loops has the sequences, which are left alone
/// \param UniqueIdent makes a name of emitted code that nothing else has
void findTurns(clang::ASTContext& Context, Diagnoser& Diags, const SectionsOfCalls& Sections,
               InstantiationOf InstanceOf,
               llvm::function_ref<std::string(const std::string&)> UniqueIdent, ProgramModel& Model,
               HostLoops& Loops);

} // namespace ikra

#endif
