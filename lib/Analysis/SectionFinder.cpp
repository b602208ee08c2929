// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One traversal of everything outside of system headers and of the plain library, template
// instantiations included.

#include "SectionFinder.h"

#include "ModelBuilder.h"

#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringSet.h"

using namespace clang;

namespace ikra {

namespace {

class Finder : public RecursiveASTVisitor<Finder> {
public:
  Finder(ASTContext& Context, Findings& Out) : SM(Context.getSourceManager()), Out(Out) {}

  bool shouldVisitTemplateInstantiations() const { return true; }
  bool shouldVisitImplicitCode() const { return false; }

  bool TraverseDecl(Decl* D) {
    if (!D)
      return true;
    if (!isa<TranslationUnitDecl>(D)) {
      if (SM.isInSystemHeader(SM.getExpansionLoc(D->getLocation())))
        return true;
      if (const auto* NS = dyn_cast<NamespaceDecl>(D);
          NS && NS->getDeclContext()->getRedeclContext()->isTranslationUnit() &&
          NS->getName() == "ikra")
        return true;
    }
    const auto* Function = dyn_cast<FunctionDecl>(D);
    if (!Function)
      return RecursiveASTVisitor::TraverseDecl(D);
    const FunctionDecl* Outer = Inside;
    Inside = Function;
    const bool Result = RecursiveASTVisitor::TraverseDecl(D);
    Inside = Outer;
    return Result;
  }

  bool VisitCXXRecordDecl(CXXRecordDecl* D) {
    if (D->isThisDeclarationADefinition() && !D->isLambda() && !D->isDependentContext())
      Out.UserClasses.push_back(D);
    return true;
  }

  bool VisitCXXMemberCallExpr(CXXMemberCallExpr* Call) {
    const CXXMethodDecl* Method = Call->getMethodDecl();
    if (!Method || !isInIkra(Method) || !Method->getIdentifier() || Call->getNumArgs() == 0)
      return true;
    static const llvm::StringSet<> Operations = {
        "pmap", "pcombine", "pstencil", "preduce", "pselect", "peach", "count", "any", "all"};
    if (!Operations.contains(Method->getName()))
      return true;
    const auto* Class = dyn_cast<ClassTemplateSpecializationDecl>(Method->getParent());
    if (!Class)
      return true;
    const TemplateArgumentList& Arguments = Class->getTemplateArgs();
    if (Arguments.size() < 2 || Arguments[0].getKind() != TemplateArgument::Type ||
        Arguments[1].getKind() != TemplateArgument::Integral)
      return true;
    OperationCall Found;
    Found.Call = Call;
    Found.Name = Method->getName().str();
    Found.Element = Arguments[0].getAsType();
    Found.Rank = static_cast<unsigned>(Arguments[1].getAsIntegral().getZExtValue());
    Found.WithIndex = Class->getName() != "array";
    Found.Inside = Inside;
    for (const DeclContext* C = Inside; C && !C->isFileContext(); C = C->getParent()) {
      if (const auto* F = dyn_cast<FunctionDecl>(C))
        Found.InTemplate |= F->isTemplateInstantiation();
      if (const auto* R = dyn_cast<ClassTemplateSpecializationDecl>(C))
        Found.InTemplate |= !R->isExplicitSpecialization();
    }
    Out.Operations.push_back(std::move(Found));
    return true;
  }

private:
  const SourceManager& SM;
  Findings& Out;
  const FunctionDecl* Inside = nullptr;
};

} // namespace

Findings findSections(ASTContext& Context) {
  Findings Out;
  Finder(Context, Out).TraverseDecl(Context.getTranslationUnitDecl());
  const SourceManager& SM = Context.getSourceManager();
  // A chain's outer call is visited before its inner one, though it stands behind it.
  std::stable_sort(Out.Operations.begin(), Out.Operations.end(),
                   [&](const OperationCall& A, const OperationCall& B) {
                     return SM.isBeforeInTranslationUnit(A.Call->getExprLoc(),
                                                         B.Call->getExprLoc());
                   });
  return Out;
}

} // namespace ikra
