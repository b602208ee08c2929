// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Questions about bodies that later stages decide by.

#ifndef IKRA_MODEL_BODYQUERIES_H
#define IKRA_MODEL_BODYQUERIES_H

#include "Body.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <set>
#include <string>

namespace ikra::body {

/// Calls \p See with each expression of a body, those in its lambdas' bodies among them: an
/// expression after what it stands in.
void forEachExpr(const Body& Of, llvm::function_ref<void(const Expr&)> See);
void forEachExpr(const Stmts& In, llvm::function_ref<void(const Expr&)> See);
void forEachExpr(const ExprRef& In, llvm::function_ref<void(const Expr&)> See);
/// The same with each statement.
void forEachStmt(const Body& Of, llvm::function_ref<void(const Stmt&)> See);

/// The variables that statements name or declare.
std::set<std::string> namesIn(const Stmts& All);

/// How many neighbours a loop in a stencil's code goes through, if it reads some, and the number
/// is known and small.
std::optional<unsigned> neighboursOf(const For& Loop);

/// What a body takes, each of its operations counted once; what it calls is not in it.
Work workOf(const Body& Of);

/// Whether a body does nothing but add its two parameters, which have the type \p Spelling.
bool addsParameters(const Body& Of, llvm::StringRef Spelling);

/// Whether a stencil's body reads each member of its neighbours from one of them alone, as lattice
/// methods do: v(-1, 0).f[1], or v(y(q), x(q)).f[q] for all q.
bool readsMembersOnce(const Body& Of);

} // namespace ikra::body

#endif
