// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What stands in the user's text in place of sections: calls that name the section's tag and hand
// on its captures.

#ifndef IKRA_EMIT_HOST_HOSTSECTIONS_H
#define IKRA_EMIT_HOST_HOSTSECTIONS_H

#include "HostMacros.h"
#include "HostText.h"
#include "Layout/Layout.h"
#include "Model/Turns.h"

namespace clang {
class ASTContext;
namespace syntax {
class TokenBuffer;
} // namespace syntax
} // namespace clang

namespace ikra {

struct HostInput {
  const ProgramModel& Model;
  const FusionPlan& Fusion;
  const HostLoops& Loops;
  clang::ASTContext& Ast;
  const std::vector<Inclusion>& Includes;
  const clang::syntax::TokenBuffer& Tokens; ///< what the preprocessor gave
  const MacroNames& Macros;
  std::string OverlayPath; ///< folder for headers that hold sections
};

/// The program's text with its operations replaced: the main file comes last, with an empty path,
/// after rewritten copies of headers that hold sections.
std::vector<RewrittenFile> rewriteHostText(const HostInput& Input);
/// What is replaced there, and by what.
void printHostEdits(const HostInput& Input, llvm::raw_ostream& OS);

} // namespace ikra

#endif
