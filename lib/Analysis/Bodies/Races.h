// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warnings of races between the elements of a peach, which run at the same time. They are found in
// the bodies of what a section reaches, with each function once for what it is given:
//
// - an update of a place that several elements may reach, `t->to->balance += t->amount`: one of two
//   updates may be lost;
// - a value of the element's own that every element stores at one place, `all.last = t->amount`;
// - a read of what other elements write, `f->x += f->ahead->x`: the value before or after.
//
// Nothing is said where the program may be right for a reason that is not in the text: a store to
// another object (it may be the only one's), a place that depends on the element, levels and
// colours, an object that a comparison or an atomic has given to one element. The page is
// docs/language.md#races.

#ifndef IKRA_ANALYSIS_BODIES_RACES_H
#define IKRA_ANALYSIS_BODIES_RACES_H

#include "Analysis/Diagnostics.h"
#include "Model/ProgramModel.h"

#include "llvm/ADT/DenseMap.h"

#include <map>
#include <set>

namespace clang {
class ASTContext;
class Expr;
class ValueDecl;
} // namespace clang

namespace ikra {

/// What the host's text says of the elements of a section.
struct ElementsOf {
  const clang::ValueDecl* Container = nullptr; ///< all of its objects are elements; may be null
  std::set<const clang::ValueDecl*> Names;     ///< arrays and captures of the same objects
  /// And the program has no others of their class.
  bool AreAll = false;
};
using ElementsBySection = std::map<Index, ElementsOf>;

ElementsBySection findElements(clang::ASTContext& Context,
                               const llvm::DenseMap<const clang::Expr*, Index>& SectionsOfCalls,
                               const ProgramModel& Model);

/// After bodies are built.
void reportRaces(const ProgramModel& Model, const ElementsBySection& Elements, Diagnoser& Diags);

} // namespace ikra

#endif
