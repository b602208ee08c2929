// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last stage: text. It decides nothing: what it writes is in the three plans. docs/emit.md and
// docs/emitted-code.md describe it.

#ifndef IKRA_EMIT_EMIT_H
#define IKRA_EMIT_EMIT_H

#include "HostText.h"
#include "Layout/Layout.h"
#include "Macros.h"

namespace clang {
class ASTContext;
namespace syntax {
class TokenBuffer;
} // namespace syntax
} // namespace clang

namespace ikra {

struct EmitInput {
  const ProgramModel& Model;
  const FusionPlan& Fusion;
  const LayoutPlan& Layout;
  clang::ASTContext& Ast;
  const std::vector<Inclusion>& Includes;
  const clang::syntax::TokenBuffer& Tokens; ///< what the preprocessor gave
  const MacroNames& Macros;
  std::string OutputName;  ///< as #line names the emitted file
  std::string OverlayPath; ///< folder for headers that hold sections
};

/// The emitted file, with an empty path, behind rewritten copies of headers that hold sections.
std::vector<RewrittenFile> emit(const EmitInput& Input);

} // namespace ikra

#endif
