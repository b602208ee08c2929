// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is the same for all results of a section over values: numbers, captures and their elements
// at places that do not depend on the result, and the variables that a planner finds to be.

#ifndef IKRA_FUSION_SHAREDVALUES_H
#define IKRA_FUSION_SHAREDVALUES_H

#include "Model/ProgramModel.h"

#include <initializer_list>
#include <optional>
#include <set>
#include <string>

namespace ikra::body {

bool isLoop(const StmtRef& S);
bool isAssignment(llvm::StringRef Sign);
/// The variable whose value, or part of it, an expression names; null for others.
const Name* rootOf(const ExprRef& E);
/// Whether a body may change a variable after it was declared, itself or by what it calls.
bool mayChange(const Body& Of, llvm::StringRef Variable);
/// A value of which each result may have its own: a number, or a struct of few of them.
bool isSmallValue(const TypeRef& Ty);

/// Whether a section computes a value for each element, from values, and cannot fail.
bool computesValuesAlone(const ProgramModel& Model, const Section& S);

/// Of one section.
class SharedValues {
public:
  SharedValues(const ProgramModel& Model, const Section& S) : Model(Model), S(S) {}

  /// Variables that are the same for all.
  std::set<std::string> Variables;

  /// The captured container of one dimension that an expression names; null for others.
  const Capture* containerOf(const ExprRef& E) const;
  /// An element of a captured container, at a place for each dimension.
  struct ElementRead {
    const Capture* From;
    Exprs Places;
  };
  /// What an expression reads of one: `a[i]`, `a(i, d)` or `a[{i, d}]`.
  std::optional<ElementRead> elementOf(const Expr& E) const;
  /// Whether an expression, if there is one, has the same value for all.
  bool isShared(const ExprRef& E) const;
  /// Whether a declaration is a constant that has such a value.
  bool isConstant(const Declare& N) const;
  /// Whether an expression may change one of the variables: itself, not what it consists of.
  bool changes(const Expr& E) const;
  /// Whether a declaration makes a reference that could change one of them.
  bool binds(const Declare& N) const;
  /// The variable of a loop in steps of one from a value that is the same for all; null for others.
  /// Whether its condition is the same for all, too, is to be asked with the variable added.
  const Declare* counterOf(const For& N) const;

private:
  const Capture* viewOf(const ExprRef& E) const;
  bool isShape(const ExprRef& E) const;
  bool leadsToVariable(const ExprRef& E) const {
    const Name* const N = rootOf(E);
    return N && Variables.contains(N->Ident);
  }

  const ProgramModel& Model;
  const Section& S;
};

} // namespace ikra::body

#endif
