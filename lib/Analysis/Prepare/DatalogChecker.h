// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the Datalog programs that stand in the source as string literals, at their places in the
// source, and compiles those that are sound. Relies on datalog/frontend and datalog/kernels; what
// is sound here is what is sound at run time.

#ifndef IKRA_ANALYSIS_PREPARE_DATALOGCHECKER_H
#define IKRA_ANALYSIS_PREPARE_DATALOGCHECKER_H

#include "Model/ProgramModel.h"

namespace clang {
class ASTContext;
} // namespace clang

namespace ikra {

class Diagnoser;

/// Reports what is wrong with the literals that ikra::datalog::program is constructed from.
/// \returns the programs without errors, each text once.
std::vector<DatalogProgram> checkDatalog(clang::ASTContext& Context, Diagnoser& Diags);

} // namespace ikra

#endif
