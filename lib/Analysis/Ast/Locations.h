// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where code stands, as its readers know it.

#ifndef IKRA_ANALYSIS_AST_LOCATIONS_H
#define IKRA_ANALYSIS_AST_LOCATIONS_H

#include "Model/Type.h"

namespace clang {
class SourceLocation;
class SourceManager;
} // namespace clang

namespace ikra {

/// The place of \p At in its file, as the program's #line directives have it; of a macro's code
/// where the macro is used. Nothing where there is no file.
SourceLoc locOf(clang::SourceLocation At, const clang::SourceManager& SM);

} // namespace ikra

#endif
