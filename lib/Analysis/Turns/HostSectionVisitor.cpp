// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HostSectionVisitor.h"

#include "Analysis/Ast/Expressions.h"
#include "Analysis/Ast/Names.h"
#include "Analysis/Ast/Types.h"

using namespace clang;

namespace ikra {

bool HostSectionVisitor::TraverseDecl(Decl* D) {
  if (const auto* F = dyn_cast_or_null<FunctionDecl>(D); F && F->isDependentContext())
    return true;
  return AstVisitor::TraverseDecl(D);
}

bool HostSectionVisitor::VisitCallExpr(CallExpr* Call) {
  if (!isNamedInIkra(Call->getDirectCallee(), {"host_section"}) || Call->getNumArgs() != 1)
    return true;
  if (const auto* Code = dyn_cast<LambdaExpr>(written(Call->getArg(0)));
      Code && !Code->isGenericLambda())
    visitHostSection(*Code);
  return true;
}

} // namespace ikra
