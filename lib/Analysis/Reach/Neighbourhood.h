// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What pstencil is told about neighbours, evaluated when the program is compiled: the offsets of
// the neighbourhood, the border, and the offsets at which a section reads its window.

#ifndef IKRA_ANALYSIS_REACH_NEIGHBOURHOOD_H
#define IKRA_ANALYSIS_REACH_NEIGHBOURHOOD_H

#include "Analysis/Diagnostics.h"
#include "Model/ProgramModel.h"

#include "clang/AST/ExprCXX.h"

namespace ikra {

/// The offsets that the first argument of pstencil spells: a braced list, or an array of indices.
/// Reports what is not a constant.
std::optional<std::vector<Offset>> neighbourhoodOf(const clang::Expr* Argument, unsigned Rank,
                                                   const clang::ASTContext& Context,
                                                   Diagnoser& Diags);

/// What the second argument of pstencil says of the border.
Border borderOf(const clang::Expr* Argument);

/// The offset at which a window is read with these arguments; none if it is not a constant.
std::optional<Offset> constantOffset(llvm::ArrayRef<const clang::Expr*> Arguments,
                                     const clang::ASTContext& Context);

/// Reports constant offsets that are read outside of a section's neighbourhood.
void checkWindowReads(const ProgramModel& Model, Diagnoser& Diags);

} // namespace ikra

#endif
