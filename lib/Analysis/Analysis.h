// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first stage: AST in, ProgramModel out. docs/analysis.md describes it.

#ifndef IKRA_ANALYSIS_ANALYSIS_H
#define IKRA_ANALYSIS_ANALYSIS_H

#include "Model/ProgramModel.h"
#include "Model/Turns.h"

namespace clang {
class ASTContext;
class Sema;
} // namespace clang

namespace ikra {

class Diagnoser;

/// Models the sections of a translation unit. What cannot be compiled is reported to \p Diags; the
/// model is complete only if no error was reported. \p Unit names the emitted code's namespace.
/// \p Compiler has read the program. \p Loops gets the loops of its host sections.
/// \p Functors become functions of the model. \p IsChecked: device code gets checks, and loops of
/// the host stay as written.
ProgramModel analyse(clang::Sema& Compiler, clang::ASTContext& Context, Diagnoser& Diags,
                     const std::string& Unit, const std::vector<DatalogFunctor>& Functors,
                     bool IsChecked, HostLoops& Loops);

/// Says why kernels cannot have some functors (DatalogFunctor::WhyNot): those whose functions are
/// no device code, or need more than their arguments. Reports nothing.
void judgeFunctors(clang::Sema& Compiler, clang::ASTContext& Context,
                   std::vector<DatalogFunctor>& Functors);

} // namespace ikra

#endif
