// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks over the program to its host sections. Templates are seen as their instantiations, if at
// all, and the library is left out.

#ifndef IKRA_ANALYSIS_TURNS_HOSTSECTIONVISITOR_H
#define IKRA_ANALYSIS_TURNS_HOSTSECTIONVISITOR_H

#include "Analysis/Ast/AstVisitor.h"

namespace ikra {

class HostSectionVisitor : public AstVisitor {
public:
  bool TraverseDecl(clang::Decl* D) override;
  bool VisitCallExpr(clang::CallExpr* Call) override;

protected:
  explicit HostSectionVisitor(unsigned Also = WrittenOnly) : AstVisitor(Also | NoLibraries) {}
  ~HostSectionVisitor() = default;

  /// The code of a host section.
  virtual void visitHostSection(const clang::LambdaExpr& Code) = 0;
};

} // namespace ikra

#endif
