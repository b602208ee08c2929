// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mutable lambdas that are given to operations. The library's templates refuse them, in many lines
// that do not name the cause.

#ifndef IKRA_ANALYSIS_MUTABLESECTIONS_H
#define IKRA_ANALYSIS_MUTABLESECTIONS_H

#include <vector>

namespace clang {
class ASTContext;
class SourceLocation;
} // namespace clang

namespace ikra {

/// Where mutable lambdas begin that are arguments of ikra's functions, in a file that may have
/// errors.
std::vector<clang::SourceLocation> mutableSections(clang::ASTContext& Context);

} // namespace ikra

#endif
