// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the values of array variables and members come from: initialisers, assignments, arguments
// of functions and constructors, and what functions return, whatever the order in which they run.
// An over-approximation for values that come from code in this translation unit, and silent on all
// others: fusion asks it which sections may meet, never whether they do.

#ifndef IKRA_ANALYSIS_ARRAYFLOW_H
#define IKRA_ANALYSIS_ARRAYFLOW_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"

#include <map>
#include <set>
#include <vector>

namespace ikra {

class ArrayFlow {
public:
  explicit ArrayFlow(clang::ASTContext& Context);

  /// The calls whose results \p E may be, with_index() taken off.
  std::vector<const clang::CallExpr*> sourcesOf(const clang::Expr* E) const;

  /// Whether a variable or member is assigned, behind its initialiser.
  bool isAssigned(const clang::Decl* D) const { return Assigned.contains(D); }

private:
  /// What variables, parameters and results of functions are given.
  std::map<const clang::Decl*, std::vector<const clang::Expr*>> Given;
  std::set<const clang::Decl*> Assigned;
};

} // namespace ikra

#endif
