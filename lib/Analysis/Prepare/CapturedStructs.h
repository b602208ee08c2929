// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structs of containers that sections capture, such as structs of arrays. Sections hold containers
// and values; a struct of them is captured as its members. The text that this leaves behind is
// parsed in place of the file.

#ifndef IKRA_ANALYSIS_PREPARE_CAPTUREDSTRUCTS_H
#define IKRA_ANALYSIS_PREPARE_CAPTUREDSTRUCTS_H

#include "clang/AST/ASTContext.h"
#include "clang/Tooling/Core/Replacement.h"

namespace ikra {

/// Makes `[p](int i) { return p.x[i]; }` to `[p_x = p.x](int i) { return p_x[i]; }`, where the
/// lambda is an argument of an operation in the main file, p is a struct with vectors or ikra
/// arrays that is captured by value, and the lambda does nothing with p but name such members.
void splitCapturedStructs(clang::ASTContext& Context, clang::tooling::Replacements& Edits);

} // namespace ikra

#endif
