// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one instantiation of RecursiveASTVisitor. It stays with clang's queue of statements, so that
// long chains of expressions take no stack; what a visitor may replace goes through it.

#include "AstVisitor.h"

#include "Types.h"

#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/STLExtras.h"

namespace ikra {

class AstVisitor::Walk : public clang::RecursiveASTVisitor<AstVisitor::Walk> {
public:
  explicit Walk(AstVisitor& For) : For(For) {}

  bool shouldVisitTemplateInstantiations() const { return (For.Also & Instantiations) != 0; }
  bool shouldVisitImplicitCode() const { return (For.Also & ImplicitCode) != 0; }

  bool TraverseDecl(clang::Decl* D) { return For.TraverseDecl(D); }
  bool TraverseTypeLoc(clang::TypeLoc T) { return For.TraverseTypeLoc(T); }
  bool dataTraverseStmtPost(clang::Stmt* S) { return For.dataTraverseStmtPost(S); }

#define IKRA_NODE(NAME)                                                                            \
  bool Traverse##NAME(clang::NAME* Node) { return For.Traverse##NAME(Node); }
  IKRA_TRAVERSED_NODES(IKRA_NODE)
#undef IKRA_NODE
#define IKRA_NODE(NAME)                                                                            \
  bool Visit##NAME(clang::NAME* Node) { return For.Visit##NAME(Node); }
  IKRA_VISITED_NODES(IKRA_NODE)
#undef IKRA_NODE
#define IKRA_NODE(NAME)                                                                            \
  bool Visit##NAME(clang::NAME Node) { return For.Visit##NAME(Node); }
  IKRA_VISITED_TYPE_LOCS(IKRA_NODE)
#undef IKRA_NODE

private:
  AstVisitor& For;
};

bool AstVisitor::TraverseAST(clang::ASTContext& Context) {
  return Walk(*this).TraverseAST(Context);
}

bool AstVisitor::TraverseDecl(clang::Decl* D) {
  if ((Also & NoLibraries) != 0 && D && isOfLibrary(D, D->getASTContext().getSourceManager()))
    return true;
  return Walk(*this).RecursiveASTVisitor::TraverseDecl(D);
}

bool AstVisitor::TraverseStmt(clang::Stmt* S) { return Walk(*this).TraverseStmt(S); }

bool AstVisitor::TraverseType(clang::QualType T) { return Walk(*this).TraverseType(T); }

bool AstVisitor::TraverseTypeLoc(clang::TypeLoc T) {
  return Walk(*this).RecursiveASTVisitor::TraverseTypeLoc(T);
}

bool AstVisitor::TraverseLambdaCapture(clang::LambdaExpr* E, const clang::LambdaCapture* Capture,
                                       clang::Expr* Init) {
  return Walk(*this).TraverseLambdaCapture(E, Capture, Init);
}

#define IKRA_NODE(NAME)                                                                            \
  bool AstVisitor::Traverse##NAME(clang::NAME* Node) {                                             \
    return Walk(*this).RecursiveASTVisitor::Traverse##NAME(Node) && traverseInstances(Node);       \
  }
IKRA_TRAVERSED_NODES(IKRA_NODE)
#undef IKRA_NODE

bool AstVisitor::traverseInstances(clang::LambdaExpr* E) {
  const clang::FunctionTemplateDecl* Of = E->getCallOperator()->getDescribedFunctionTemplate();
  if ((Also & LambdaInstances) == 0 || Of == nullptr)
    return true;
  return llvm::all_of(Of->specializations(),
                      [this](clang::FunctionDecl* Instance) { return TraverseDecl(Instance); });
}

} // namespace ikra
