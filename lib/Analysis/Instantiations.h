// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the instantiations of a template are told apart: by its parameters, as its text can name
// them, and by its arguments, as code outside of all functions and classes can.

#ifndef IKRA_ANALYSIS_INSTANTIATIONS_H
#define IKRA_ANALYSIS_INSTANTIATIONS_H

#include "ProgramModel.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"

namespace ikra {

/// Parameters of the templates around a place in the text, and their arguments in one
/// instantiation.
class TemplateLevels {
public:
  /// \param Inside an instantiated function, or a function in one.
  TemplateLevels(const clang::ASTContext& Context, const clang::FunctionDecl* Inside);

  std::vector<std::string> InText, Arguments;
  std::string Obstacle; ///< why they cannot be named; empty if they can

private:
  void addFunction(const clang::FunctionDecl* F, const clang::FunctionDecl* Pattern,
                   llvm::ArrayRef<clang::TemplateArgument> Given);
  void add(const clang::TemplateParameterList* Parameters,
           llvm::ArrayRef<clang::TemplateArgument> Given);
  void addArgument(llvm::StringRef Name, const clang::TemplateArgument& Argument);
  void addParameter(const clang::FunctionDecl* F, const clang::ParmVarDecl* OfPattern);

  const clang::ASTContext& Context;
};

/// Why one text cannot serve \p S and \p Others, other instantiations; empty if it can.
std::string difference(const Section& S, const ProgramModel& Model,
                       const std::vector<Index>& Others);

} // namespace ikra

#endif
