// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the Datalog programs that stand in the source as string literals, at their places in the
// source, and compiles those that are sound. Relies on datalog/frontend and datalog/kernels; what
// is sound here is what is sound at run time.

#ifndef IKRA_ANALYSIS_PREPARE_DATALOGCHECKER_H
#define IKRA_ANALYSIS_PREPARE_DATALOGCHECKER_H

#include "Model/ProgramModel.h"

#include <string>
#include <vector>

namespace clang {
class ASTContext;
class Expr;
class FunctionDecl;
class StringLiteral;
} // namespace clang

namespace ikra {

class Diagnoser;

/// What stands in the source of Datalog.
struct FoundDatalog {
  struct Program {
    const clang::StringLiteral* Text;
    std::vector<int> Bits;             ///< the widths that its numbers may have
    const clang::Expr* Made;           ///< the construction
    const clang::FunctionDecl* Inside; ///< the function around it
  };
  std::vector<Program> Programs;
  /// Those given by a name that is a literal. WhyNot is set where kernels cannot have one.
  std::vector<DatalogFunctor> Functors;
};

/// Finds what ikra::datalog::program and rule_function are constructed from.
FoundDatalog findDatalog(clang::ASTContext& Context);

/// Reports what is wrong with the programs.
/// \param Unit the namespace of emitted code
/// \param Found whose functors that no program's kernels call are dropped
/// \returns the programs without errors, each text once.
std::vector<DatalogProgram> checkDatalog(clang::ASTContext& Context, Diagnoser& Diags,
                                         const std::string& Unit, FoundDatalog& Found);

} // namespace ikra

#endif
