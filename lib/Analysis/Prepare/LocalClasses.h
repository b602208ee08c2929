// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Classes that are local to a function have names that emitted code, which stands after the
// program's text, cannot write. They are lifted out of their functions before anything else is
// done: the text that this leaves behind is parsed in place of the file.

#ifndef IKRA_ANALYSIS_PREPARE_LOCALCLASSES_H
#define IKRA_ANALYSIS_PREPARE_LOCALCLASSES_H

#include "clang/AST/ASTContext.h"
#include "clang/Tooling/Core/Replacement.h"

#include <string>

namespace ikra {

/// Puts the local classes and enumerations of functions that call operations in namespaces in front
/// of these functions, in the main file. What they need of their function, types and constants, is
/// copied with them; what needs more stays where it is. Lines keep their numbers, by #line.
/// \p Unit is part of the names of these namespaces.
void liftLocalClasses(clang::ASTContext& Context, const std::string& Unit,
                      clang::tooling::Replacements& Edits);

} // namespace ikra

#endif
