// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the values of array variables and members come from: initialisers, assignments, arguments
// of functions and constructors, and what functions return, whatever the order in which they run.
// An over-approximation for values that come from code in this translation unit, and silent on all
// others: fusion asks it which sections may meet, never whether they do.

#ifndef IKRA_ANALYSIS_DATAFLOW_ARRAYFLOW_H
#define IKRA_ANALYSIS_DATAFLOW_ARRAYFLOW_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"

#include <map>
#include <set>
#include <vector>

namespace ikra {

/// What a call gives to a variable or member that is there already. From is null where an operator
/// of the program decides.
struct Assignment {
  const clang::Decl* To;
  const clang::Expr* From;
};

/// The assignments of arrays, and of objects of the program's classes, that a call is: an operator,
/// or std::swap.
std::vector<Assignment> assignmentsBy(const clang::CallExpr* Call);

class ArrayFlow {
public:
  explicit ArrayFlow(clang::ASTContext& Context);

  /// The calls whose results \p E may be, with_index() taken off.
  std::vector<const clang::CallExpr*> sourcesOf(const clang::Expr* E) const;

  /// What a variable, a parameter or a function's result may be given; null where nothing is seen.
  const std::vector<const clang::Expr*>* givenTo(const clang::Decl* D) const {
    const auto Found = Given.find(D);
    return Found == Given.end() ? nullptr : &Found->second;
  }

  /// Whether a member is named in one place at most, and gets no value but from constructors.
  bool isReadOnce(const clang::FieldDecl* Member) const {
    const auto Found = Named.find(Member);
    return (Found == Named.end() || Found->second < 2) && !isAssigned(Member);
  }

  /// Whether a variable or member is assigned, after its initialiser.
  bool isAssigned(const clang::Decl* D) const { return Assigned.contains(D); }
  /// The calls that assign it, in the whole file; null where nothing is seen, as in what a generic
  /// lambda is instantiated to.
  const std::set<const clang::CallExpr*>* assignmentsOf(const clang::Decl* D) const {
    const auto Found = Assigned.find(D);
    return Found == Assigned.end() ? nullptr : &Found->second;
  }

private:
  /// What variables, parameters and results of functions are given.
  std::map<const clang::Decl*, std::vector<const clang::Expr*>> Given;
  std::map<const clang::Decl*, std::set<const clang::CallExpr*>> Assigned;
  std::map<const clang::Decl*, unsigned> Named; ///< members, in how many places
};

} // namespace ikra

#endif
