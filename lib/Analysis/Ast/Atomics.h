// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations of std::atomic and std::atomic_ref of numbers. On a device an atomic is the number
// that it holds, and a std::atomic_ref a reference to one; the operations are functions of
// ikra::atomics.

#ifndef IKRA_ANALYSIS_AST_ATOMICS_H
#define IKRA_ANALYSIS_AST_ATOMICS_H

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace ikra {

struct AtomicOperation {
  enum What { Load, Store, Exchange, CompareExchange, Update } Does;
  llvm::StringRef Operator; ///< of an update: add, sub, and, or, xor
  bool GivesAfter = false;  ///< an update: gives the value after it, not the one before
  bool ByOne = false;       ///< an update by 1, which no argument says
  bool IsRelaxed = false; ///< of std::memory_order_relaxed; any other order counts as the strongest
  bool IsPointed = false; ///< Of is a pointer to the atomic
  const clang::Expr* Of;  ///< the atomic, or what a std::atomic_ref refers to
  llvm::SmallVector<const clang::Expr*, 2> Values; ///< arguments but for orders of memory
};

/// Nothing for other calls, and for operations that device code has not.
std::optional<AtomicOperation> atomicOperation(const clang::CallExpr* E);
/// What a variable refers to that is a std::atomic_ref of a number; null for other variables.
const clang::Expr* referredAtomically(const clang::VarDecl* V);
/// The number of a std::atomic_ref; null for other types, and for what is no number.
clang::QualType numberReferredAtomically(clang::QualType Ty);

} // namespace ikra

#endif
