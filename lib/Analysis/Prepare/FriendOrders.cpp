// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FriendOrders.h"

#include "Analysis/Ast/AstVisitor.h"
#include "Analysis/Ast/Types.h"

#include "clang/AST/DeclFriend.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace ikra {

namespace {

class OrderFinder final : public AstVisitor {
public:
  explicit OrderFinder(const SourceManager& SM) : SM(SM) {}

  bool VisitFriendDecl(FriendDecl* D) override {
    const auto* Order = dyn_cast_or_null<FunctionDecl>(D->getFriendDecl());
    if (Order && Order->isExplicitlyDefaulted() && Order->getOverloadedOperator() == OO_Spaceship &&
        Order->getNumParams() == 2 && !isInIkra(Order) && !D->getLocation().isMacroID() &&
        !SM.isInSystemHeader(D->getLocation()) &&
        !hasEquality(cast<CXXRecordDecl>(D->getLexicalDeclContext())))
      Found.push_back(Order);
    return true;
  }

  std::vector<const FunctionDecl*> Found;

private:
  /// Whether the class says itself how its objects are equal.
  static bool hasEquality(const CXXRecordDecl* Class) {
    return llvm::any_of(Class->decls(), [](const Decl* D) {
      if (const auto* Friend = dyn_cast<FriendDecl>(D); Friend && Friend->getFriendDecl())
        D = Friend->getFriendDecl();
      const auto* Function = dyn_cast<FunctionDecl>(D);
      return Function && !Function->isImplicit() &&
             Function->getOverloadedOperator() == OO_EqualEqual;
    });
  }

  const SourceManager& SM;
};

} // namespace

std::vector<const FunctionDecl*> findFriendOrders(ASTContext& Context) {
  OrderFinder Finder(Context.getSourceManager());
  for (Decl* D : Context.getTranslationUnitDecl()->decls())
    if (!Context.getSourceManager().isInSystemHeader(D->getLocation()))
      Finder.TraverseDecl(D);
  return std::move(Finder.Found);
}

} // namespace ikra
