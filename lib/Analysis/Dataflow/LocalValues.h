// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which values a function's variables may have where they are read: reaching definitions, over
// clang's control-flow graph, of arrays and of objects that hold some. Values that loops carry from
// one turn to the next are left out: an array that a loop assigns and goes on with is needed by the
// next turn, too, and what reads it is not its only consumer.

#ifndef IKRA_ANALYSIS_DATAFLOW_LOCALVALUES_H
#define IKRA_ANALYSIS_DATAFLOW_LOCALVALUES_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"

#include <map>
#include <set>
#include <vector>

namespace ikra {

class ArrayFlow;

struct ReachingValue {
  const clang::Expr* Value; ///< null stands for what a parameter was given
  /// A loop's turn sets a variable to it that lives longer: the next one may read it too.
  bool IsKept = false;
};

/// What a variable may have been set to, in the order of the text. One object for all places where
/// the variable may have these values.
struct ReachingValues {
  std::vector<ReachingValue> Values;
  /// It may also have what an earlier turn of a loop left there. What it had before the loop is not
  /// among the values then.
  bool FromEarlierTurn = false;
};

class LocalValues {
public:
  LocalValues(const clang::FunctionDecl& Function, clang::ASTContext& Context,
              const ArrayFlow& Flow);

  /// What the variable that is named there may be; null where that is not followed.
  const ReachingValues* at(const clang::DeclRefExpr* Name) const;

  /// Whether a loop, or a jump backwards, assigns a variable that lives longer than the turn.
  bool isCarried(const clang::VarDecl* V) const { return Carried.contains(V); }

  /// Whether such a variable, or a member, is set to it: its array is needed later, too.
  bool isKept(const clang::VarDecl* V) const { return Kept.contains(V); }

private:
  std::set<const clang::VarDecl*> Carried, Kept;
  std::map<std::pair<const clang::VarDecl*, std::set<unsigned>>, ReachingValues> Sets;
  std::map<const clang::DeclRefExpr*, const ReachingValues*> Reaching;
};

} // namespace ikra

#endif
