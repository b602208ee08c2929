// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays over one input that are asked for together: local variables of one block whose elements
// the program reads on every way through the rest of the block. What is in front of these reads may
// throw, and then some are never asked for; whether their sections may run all the same is found
// here too. Fusion computes such arrays in one kernel (docs/fusion.md, horizontal fusion).

#ifndef IKRA_ANALYSIS_DATAFLOW_RESULTGROUPS_H
#define IKRA_ANALYSIS_DATAFLOW_RESULTGROUPS_H

#include "Model/ProgramModel.h"
#include "Model/Turns.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/DenseMap.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ikra {

/// Appends the groups to the model.
/// \param SectionOfCall the section that gives a call's result
void findResultGroups(clang::ASTContext& Context,
                      const llvm::DenseMap<const clang::Expr*, Index>& SectionOfCall,
                      ProgramModel& Model);

/// What a section does that the program may see where it would not have run it.
struct Risk {
  std::string Why; ///< in words that follow "the section"
  clang::SourceLocation At;
};

/// An array that a section reads at its own position, `x[j]`, `x(p[0], k)`, at that of a loop, at a
/// constant one, or at one computed of these, `x[j / 2]`: what it has to have in a dimension.
struct ReadInPlace {
  const clang::ValueDecl* Array; ///< a captured one; null: one of a constant size
  unsigned Dimension = 0;
  GreatestPlace Most;
  unsigned OverDimension = 0; ///< of the position
  std::int64_t Elements = 0;  ///< of an array of a constant size
  clang::SourceLocation At = {};
};

inline constexpr auto OutsidePlace =
    "reads an element at a place that may be outside of its container";

/// What of \p S can be seen where the program would not have run it: a loop that may not end, a
/// division by what may be zero, an element of a container that may not be there. Nothing: it may
/// run unasked.
/// \param InPlace where not null: gets such reads. They are no risk then, if the arrays have
/// enough elements
std::optional<Risk> riskOf(const ProgramModel& Model, const Section& S,
                           std::vector<ReadInPlace>* InPlace = nullptr);
inline bool isSpeculatable(const ProgramModel& Model, const Section& S) {
  return !riskOf(Model, S);
}

} // namespace ikra

#endif
