// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Races.h"

#include "Analysis/Ast/Expressions.h"
#include "Analysis/Ast/Types.h"

#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace ikra {

/// What a pointer, or a container of pointers, says of who else may reach what it leads to.
static bool isShared(QualType Ty) {
  if (const QualType Element = elementOfContainer(Ty); !Element.isNull())
    return isShared(Element);
  return !pointeeOf(Ty).isNull() && !isStdClass(Ty, "unique_ptr");
}

Races::Owner Races::ownerOf(const Function& F, const Expr* E, unsigned Depth) {
  if (Depth > 16)
    return Owner::Unknown;
  E = E->IgnoreParenImpCasts();
  const auto Next = [&](const Expr* Of) { return ownerOf(F, Of, Depth + 1); };
  if (isSelf(F, E))
    return Owner::Element;
  if (isa<CXXThisExpr>(E)) {
    const auto* Method = dyn_cast<CXXMethodDecl>(F.Decl);
    return Method && Method->getParent()->isLambda() ? Owner::Shared : Owner::Receiver;
  }
  if (const auto* Full = dyn_cast<FullExpr>(E))
    return Next(Full->getSubExpr());
  if (const auto* Temporary = dyn_cast<MaterializeTemporaryExpr>(E))
    return Next(Temporary->getSubExpr());
  if (const auto* Cast = dyn_cast<CXXStaticCastExpr>(E))
    return Next(Cast->getSubExpr());
  if (const auto* Op = dyn_cast<UnaryOperator>(E))
    return Op->getOpcode() == UO_Deref || Op->getOpcode() == UO_AddrOf ? Next(Op->getSubExpr())
                                                                       : Owner::Unknown;
  if (const auto* Member = dyn_cast<MemberExpr>(E)) {
    if (!isa<FieldDecl>(Member->getMemberDecl()))
      return Owner::Unknown;
    return isShared(Member->getType()) ? Owner::Shared : Next(Member->getBase());
  }
  if (const auto* Call = dyn_cast<CXXOperatorCallExpr>(E)) // ->, * and [], and those of iterators
    return Call->getNumArgs() > 0 && isInStd(Call->getDirectCallee()) ? Next(Call->getArg(0))
                                                                      : Owner::Unknown;
  if (const auto* Call = dyn_cast<CXXMemberCallExpr>(E)) // get(), front(), begin()
    return Call->getMethodDecl() && isInStd(Call->getMethodDecl())
               ? Next(Call->getImplicitObjectArgument())
               : Owner::Unknown;
  if (const auto* Subscript = dyn_cast<ArraySubscriptExpr>(E))
    return Next(Subscript->getBase());
  const auto* Name = dyn_cast<DeclRefExpr>(E);
  const auto* V = Name ? dyn_cast<VarDecl>(Name->getDecl()) : nullptr;
  if (!V)
    return Owner::Unknown;
  if (F.IsSection && Name->refersToEnclosingVariableOrCapture() && !isDeclaredIn(V, F.Decl)) {
    // One object for all elements. Of a container, an element may be any.
    const QualType Ty = V->getType().getNonReferenceType();
    return elementOfContainer(Ty).isNull() ? Owner::Shared : Owner::Unknown;
  }
  const bool IsLocal = V->isLocalVarDecl() && V->getInit() && isDeclaredIn(V, F.Decl);
  if (!IsLocal)
    return Owner::Unknown;
  // Iterators of a range for move on within their container.
  const bool Moves = !V->isImplicit() && !V->isCXXForRangeDecl() && V->getType()->isPointerType() &&
                     isModified(F.Decl, V);
  return Moves ? Owner::Unknown : Next(V->getInit());
}

void Races::addUpdate(Index Number, const Function& F, const Expr* Place) {
  const auto* Member = dyn_cast<MemberExpr>(Place->IgnoreParenImpCasts());
  const auto* Field = Member ? dyn_cast<FieldDecl>(Member->getMemberDecl()) : nullptr;
  if (!Field)
    return;
  if (const Owner Of = ownerOf(F, Member->getBase()); Of == Owner::Shared || Of == Owner::Receiver)
    Updates[Number].push_back({Field, Place->getExprLoc(), Of});
}

void Races::addCall(Index Number, const Function& F, const Expr* Site, const Expr* Receiver) {
  if (const Owner Of = ownerOf(F, Receiver); Of != Owner::Element && Of != Owner::Unknown)
    Calls[Number].push_back({Site, Of});
}

void Races::follow(Walk& W, Index F, Owner Of) const {
  if (!W.Seen.insert({F, Of}).second)
    return;
  if (const auto It = Updates.find(F); It != Updates.end())
    for (const Update& Each : It->second)
      if (Each.Of == Owner::Shared || Of == Owner::Shared) {
        W.Diags.report(Each.At, Diag::unshared_update) << Each.Field->getQualifiedNameAsString();
        for (const Expr* Site : llvm::reverse(W.Path))
          W.Diags.report(Site->getExprLoc(), Diag::called_here);
        if (!W.Path.empty())
          W.Diags.report(W.From.Site.Argument->getExprLoc(), Diag::reached_from);
      }
  const auto FollowCall = [&](const Expr* Site, const std::vector<CallTarget>& Targets, Owner Its) {
    W.Path.push_back(Site);
    for (const CallTarget& Target : Targets)
      follow(W, Target.Function, Its);
    W.Path.pop_back();
  };
  const auto& Known = W.Model.Functions[F].Calls;
  std::set<const Expr*> Followed;
  if (const auto It = Calls.find(F); It != Calls.end())
    for (const MethodCall& Each : It->second)
      if (const auto Call = Known.find(Each.Site); Call != Known.end()) {
        Followed.insert(Each.Site);
        FollowCall(Each.Site, Call->second.Targets, Each.Of == Owner::Receiver ? Of : Each.Of);
      }
  for (const auto& [Site, Call] : Known)
    if (!Followed.contains(Site))
      FollowCall(Site, Call.Targets, Owner::Unknown);
}

void Races::report(const ProgramModel& Model, Diagnoser& Diags) const {
  std::set<std::pair<Index, Owner>> Seen;
  for (const Section& S : Model.Sections)
    if (S.Op == Operation::PEach) {
      Walk W{Model, Diags, S, Seen};
      follow(W, S.Code.Function, Owner::Unknown);
    }
}

} // namespace ikra
