// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mutable lambdas that are given to operations. The library's templates refuse them, in many lines
// that do not name the cause.

#ifndef IKRA_ANALYSIS_PREPARE_MUTABLESECTIONS_H
#define IKRA_ANALYSIS_PREPARE_MUTABLESECTIONS_H

#include "clang/Basic/SourceLocation.h"

#include <vector>

namespace clang {
class ASTContext;
} // namespace clang

namespace ikra {

struct MutableSection {
  clang::SourceLocation Lambda; ///< where it begins
  clang::SourceRange Call;      ///< of the operation
};

/// Mutable lambdas that are arguments of operations, in a file that may have errors. That of a host
/// section may be mutable.
std::vector<MutableSection> mutableSections(clang::ASTContext& Context);

} // namespace ikra

#endif
