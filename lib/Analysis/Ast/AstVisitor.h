// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks over clang's AST. RecursiveASTVisitor takes seconds to instantiate, for each class that
// derives from it; here it is instantiated once, in AstVisitor.cpp.

#ifndef IKRA_ANALYSIS_AST_ASTVISITOR_H
#define IKRA_ANALYSIS_AST_ASTVISITOR_H

#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclFriend.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/AST/TypeLoc.h"

namespace ikra {

// The nodes that a visitor may name, in the order of clang's lists. A name that is missing is added
// here, and nowhere else.
#define IKRA_VISITED_NODES(NODE)                                                                   \
  NODE(Stmt)                                                                                       \
  NODE(CompoundStmt)                                                                               \
  NODE(CXXForRangeStmt)                                                                            \
  NODE(ReturnStmt)                                                                                 \
  NODE(Expr)                                                                                       \
  NODE(BinaryOperator)                                                                             \
  NODE(CallExpr)                                                                                   \
  NODE(CastExpr)                                                                                   \
  NODE(CXXConstructExpr)                                                                           \
  NODE(CXXDependentScopeMemberExpr)                                                                \
  NODE(CXXOperatorCallExpr)                                                                        \
  NODE(CXXParenListInitExpr)                                                                       \
  NODE(CXXThisExpr)                                                                                \
  NODE(DeclRefExpr)                                                                                \
  NODE(DependentScopeDeclRefExpr)                                                                  \
  NODE(LambdaExpr)                                                                                 \
  NODE(MemberExpr)                                                                                 \
  NODE(OverloadExpr)                                                                               \
  NODE(RecoveryExpr)                                                                               \
  NODE(UnaryOperator)                                                                              \
  NODE(BindingDecl)                                                                                \
  NODE(CXXConstructorDecl)                                                                         \
  NODE(CXXRecordDecl)                                                                              \
  NODE(FriendDecl)                                                                                 \
  NODE(FunctionDecl)                                                                               \
  NODE(NamedDecl)                                                                                  \
  NODE(UsingDecl)                                                                                  \
  NODE(VarDecl)                                                                                    \
  NODE(TemplateTypeParmType)
#define IKRA_VISITED_TYPE_LOCS(NODE)                                                               \
  NODE(DecltypeTypeLoc)                                                                            \
  NODE(DependentNameTypeLoc)                                                                       \
  NODE(TagTypeLoc)                                                                                 \
  NODE(TemplateSpecializationTypeLoc)                                                              \
  NODE(TypedefTypeLoc)                                                                             \
  NODE(UsingTypeLoc)
/// Those whose children a visitor may leave out, or walk in another way.
#define IKRA_TRAVERSED_NODES(NODE)                                                                 \
  NODE(CXXMemberCallExpr)                                                                          \
  NODE(CXXNoexceptExpr)                                                                            \
  NODE(LambdaExpr)                                                                                 \
  NODE(MemberExpr)                                                                                 \
  NODE(UnaryExprOrTypeTraitExpr)                                                                   \
  NODE(CXXRecordDecl)                                                                              \
  NODE(StaticAssertDecl)

/// What clang's RecursiveASTVisitor is, with virtual functions in place of the derived class's own:
/// names, order and results are the same. Each function returns false to end the walk.
class AstVisitor {
public:
  bool TraverseAST(clang::ASTContext& Context);
  virtual bool TraverseDecl(clang::Decl* D);
  bool TraverseStmt(clang::Stmt* S);
  bool TraverseType(clang::QualType T);
  virtual bool TraverseTypeLoc(clang::TypeLoc T);
  bool TraverseLambdaCapture(clang::LambdaExpr* E, const clang::LambdaCapture* Capture,
                             clang::Expr* Init);

  /// After a statement's or an expression's children.
  virtual bool dataTraverseStmtPost(clang::Stmt*) { return true; }

#define IKRA_NODE(NAME) virtual bool Traverse##NAME(clang::NAME* Node);
  IKRA_TRAVERSED_NODES(IKRA_NODE)
#undef IKRA_NODE
#define IKRA_NODE(NAME)                                                                            \
  virtual bool Visit##NAME(clang::NAME*) { return true; }
  IKRA_VISITED_NODES(IKRA_NODE)
#undef IKRA_NODE
#define IKRA_NODE(NAME)                                                                            \
  virtual bool Visit##NAME(clang::NAME) { return true; }
  IKRA_VISITED_TYPE_LOCS(IKRA_NODE)
#undef IKRA_NODE

protected:
  /// What else than the code as written is walked.
  enum Also : unsigned {
    WrittenOnly = 0,
    Instantiations = 1,
    ImplicitCode = 2,
    LambdaInstances = 4, ///< what generic lambdas are called with, after their text
    NoLibraries = 8,     ///< but for what the program has from others
  };

  explicit AstVisitor(unsigned Also = WrittenOnly) : Also(Also) {}
  AstVisitor(const AstVisitor&) = default;
  AstVisitor& operator=(const AstVisitor&) = default;
  ~AstVisitor() = default;

private:
  class Walk;
  /// Nothing else leads to the instantiations of a generic lambda.
  bool traverseInstances(clang::LambdaExpr* E);
  static bool traverseInstances(clang::Decl*) { return true; }
  static bool traverseInstances(clang::Expr*) { return true; }
  unsigned Also;
};

} // namespace ikra

#endif
