// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which objects the elements of a section are, by the host's text: whether others of their class
// can be anything else.

#include "Races.h"

#include "Analysis/Ast/AstVisitor.h"
#include "Analysis/Ast/Expressions.h"
#include "Analysis/Ast/Names.h"
#include "Analysis/Ast/Types.h"

#include "clang/AST/ASTContext.h"
#include "clang/Basic/SourceManager.h"

#include <set>

using namespace clang;

namespace ikra {

namespace {

/// Where objects of classes live: variables and members that hold them by value, and what makes
/// them elsewhere.
class HomeFinder : public AstVisitor {
public:
  struct Homes {
    std::set<const ValueDecl*> Containers; ///< in one dimension
    bool Others = false;
  };
  std::map<const CXXRecordDecl*, Homes> Found;
  std::set<const VarDecl*> Changed; ///< arrays that may be other ones than they were made as

  HomeFinder() : AstVisitor(Instantiations | NoLibraries) {}

  bool VisitNamedDecl(NamedDecl* D) override {
    if (const auto* V = dyn_cast<ValueDecl>(D); V && isa<VarDecl, FieldDecl>(D))
      add(V);
    return true;
  }
  bool VisitVarDecl(VarDecl* V) override {
    addChanged(V->getType(), V->getInit());
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator* E) override {
    if (E->getOpcode() == UO_AddrOf)
      addChanged(E->getSubExpr());
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr* E) override {
    addArguments(*E->getConstructor(), *E, 0);
    return true;
  }
  bool VisitExpr(Expr* E) override {
    if (const auto* New = dyn_cast<CXXNewExpr>(E))
      addOther(New->getAllocatedType());
    return true;
  }
  bool VisitCallExpr(CallExpr* E) override {
    const FunctionDecl* F = E->getDirectCallee();
    const auto* Method = dyn_cast_or_null<CXXMethodDecl>(F);
    const bool IsOperator = isa<CXXOperatorCallExpr>(E) && Method && Method->isInstance();
    if (IsOperator && !Method->isConst())
      addChanged(E->getArg(0));
    if (F)
      addArguments(*F, *E, IsOperator ? 1 : 0);
    if (F && isInStd(F) && F->getIdentifier() && F->getName().starts_with("make_"))
      addOther(pointeeOf(F->getReturnType()));
    return true;
  }

private:
  void addChanged(const Expr* Named) {
    const auto* Name = dyn_cast<DeclRefExpr>(Named->IgnoreParenImpCasts());
    const auto* V = Name ? dyn_cast<VarDecl>(Name->getDecl()) : nullptr;
    if (V && rankOfArray(V->getType()) != 0)
      Changed.insert(V);
  }
  void addChanged(QualType Given, const Expr* Init) {
    if (Init && Given->isReferenceType() && !Given->getPointeeType().isConstQualified())
      addChanged(Init);
  }
  template <class Call> void addArguments(const FunctionDecl& F, const Call& E, unsigned First) {
    for (unsigned K = 0; K < F.getNumParams() && K + First < E.getNumArgs(); ++K)
      addChanged(F.getParamDecl(K)->getType(), E.getArg(K + First));
  }
  static const CXXRecordDecl* classOf(QualType Ty) {
    const CXXRecordDecl* Class =
        Ty.isNull() || Ty->isDependentType() ? nullptr : Ty->getAsCXXRecordDecl();
    return Class ? Class->getCanonicalDecl() : nullptr;
  }
  void addOther(QualType Ty) {
    if (const CXXRecordDecl* Class = classOf(Ty))
      Found[Class].Others = true;
  }
  void add(const ValueDecl* V) {
    QualType Ty = V->getType();
    if (Ty.isNull() || Ty->isReferenceType() || Ty->isDependentType() || Ty->isPointerType())
      return;
    const QualType Element = elementOfContainer(Ty);
    if (Element.isNull())
      return addOther(Ty);
    if (const CXXRecordDecl* Class = classOf(Element))
      Found[Class].Containers.insert(V);
    for (QualType Inner = elementOfContainer(Element); !Inner.isNull();
         Inner = elementOfContainer(Inner))
      addOther(Inner);
  }
};

/// The variable all of whose objects are the elements of an array; null where none is seen.
/// \param Names gets the arrays that are found on the way
const ValueDecl* containerOf(const Expr* Array, const std::set<const VarDecl*>& Changed,
                             std::set<const ValueDecl*>& Names, unsigned Depth = 0) {
  if (!Array || Depth > 16)
    return nullptr;
  Array = Array->IgnoreImplicit()->IgnoreParenImpCasts();
  const auto Next = [&](const Expr* E) { return containerOf(E, Changed, Names, Depth + 1); };
  if (const auto* Call = dyn_cast<CXXMemberCallExpr>(Array))
    return Call->getMethodDecl() && isNamedInIkra(Call->getMethodDecl(), {"with_index"})
               ? Next(Call->getImplicitObjectArgument())
               : nullptr;
  if (const auto* Call = dyn_cast<CallExpr>(Array))
    return Call->getDirectCallee() && isNamedInIkra(Call->getDirectCallee(), {"objects"}) &&
                   Call->getNumArgs() == 1
               ? Next(Call->getArg(0))
               : nullptr;
  if (const auto* Cast = dyn_cast<CXXFunctionalCastExpr>(Array))
    return Next(Cast->getSubExpr());
  if (const auto* Made = dyn_cast<CXXConstructExpr>(Array))
    return Made->getNumArgs() == 1 ? Next(Made->getArg(0)) : nullptr;
  if (const auto* List = dyn_cast<InitListExpr>(Array))
    return List->getNumInits() == 1 ? Next(List->getInit(0)) : nullptr;
  if (const auto* Member = dyn_cast<MemberExpr>(Array))
    return isa<CXXThisExpr>(Member->getBase()->IgnoreParenImpCasts()) ? Member->getMemberDecl()
                                                                      : nullptr;
  const auto* Name = dyn_cast<DeclRefExpr>(Array);
  const auto* V = Name ? dyn_cast<VarDecl>(Name->getDecl()) : nullptr;
  if (!V || rankOfArray(V->getType()) == 0) // a container, or a reference to one
    return V;
  Names.insert(V);
  const bool IsAsMade =
      V->getType().isConstQualified() || (V->isLocalVarDecl() && !Changed.contains(V));
  const ValueDecl* From = IsAsMade && V->getInit() ? Next(V->getInit()) : nullptr;
  return From ? From : V;
}

} // namespace

ElementsBySection findElements(ASTContext& Context,
                               const llvm::DenseMap<const Expr*, Index>& SectionsOfCalls,
                               const ProgramModel& Model) {
  ElementsBySection Out;
  std::vector<std::pair<Index, const CXXMemberCallExpr*>> Each;
  for (const auto& [Site, S] : SectionsOfCalls)
    if (const auto* Call = dyn_cast<CXXMemberCallExpr>(Site);
        Call && Model.Sections[S].Op == Operation::PEach && Model.Sections[S].isOverObjects())
      Each.emplace_back(S, Call);
  if (Each.empty())
    return Out;
  HomeFinder Homes;
  Homes.TraverseAST(Context);
  for (const auto& [S, Call] : Each) {
    ElementsOf Of;
    Of.Container = containerOf(Call->getImplicitObjectArgument(), Homes.Changed, Of.Names);
    for (const Capture& C : Model.Sections[S].Code.Captures) {
      const auto* V = dyn_cast_or_null<VarDecl>(C.Decl);
      std::set<const ValueDecl*> Way;
      if (V && V->isInitCapture() && Of.Container &&
          containerOf(V->getInit(), Homes.Changed, Way) == Of.Container)
        Of.Names.insert(V);
    }
    const auto [It, IsNew] = Out.try_emplace(S, Of);
    if (!IsNew && It->second.Container != Of.Container)
      It->second = ElementsOf();
  }
  const SourceManager& SM = Context.getSourceManager();
  for (auto& [S, Of] : Out) {
    const Index Class = *Model.Sections[S].element().Class;
    const CXXRecordDecl* Decl = Model.Classes[Class].Decl;
    // Other files may have objects of what a header defines.
    if (!Of.Container || !Decl || !SM.isInMainFile(SM.getExpansionLoc(Decl->getLocation())) ||
        Model.Classes[Class].Concrete != std::vector<Index>{Class})
      continue;
    const QualType Element = elementOfContainer(Of.Container->getType().getNonReferenceType());
    const auto Found = Homes.Found.find(Decl->getCanonicalDecl());
    Of.AreAll = !Element.isNull() && Element->getAsCXXRecordDecl() &&
                Element->getAsCXXRecordDecl()->getCanonicalDecl() == Decl->getCanonicalDecl() &&
                Found != Homes.Found.end() && !Found->second.Others &&
                Found->second.Containers.size() == 1 &&
                (Of.Container->getType()->isReferenceType() ||
                 Found->second.Containers.contains(Of.Container));
  }
  return Out;
}

} // namespace ikra
