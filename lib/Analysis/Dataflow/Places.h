// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which places in arrays a section reads, as far as its text says: its own position, constants,
// counters of its loops, and what is computed of these.

#ifndef IKRA_ANALYSIS_DATAFLOW_PLACES_H
#define IKRA_ANALYSIS_DATAFLOW_PLACES_H

#include "Model/Turns.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>
#include <utility>

namespace ikra {

/// Between which places a place is.
struct PlaceBounds {
  std::int64_t Least = 0;
  /// None is greater than all of these; by the position's dimension.
  llvm::SmallVector<std::pair<GreatestPlace, unsigned>, 2> Most;
};

/// \param Known the bounds of variables and of positions; nothing for what has none
std::optional<PlaceBounds>
boundsOfPlace(const clang::Expr* E, const clang::ASTContext& Context,
              llvm::function_ref<std::optional<PlaceBounds>(const clang::Expr*)> Known);

} // namespace ikra

#endif
