// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of the program that the emitted file has already: nvcc includes CUDA's headers in front of
// everything, which declare float3, min and all at file scope.

#ifndef IKRA_ANALYSIS_PREPARE_TAKENNAMES_H
#define IKRA_ANALYSIS_PREPARE_TAKENNAMES_H

#include "Analysis/Diagnostics.h"
#include "Model/ProgramModel.h"

namespace clang {
class ASTContext;
} // namespace clang

namespace ikra {

/// The names to replace. Warns of those that cannot be, since after their first declaration a
/// library's entity is named so too.
std::vector<TakenName> findTakenNames(clang::ASTContext& Context, Diagnoser& Diags);

} // namespace ikra

#endif
