// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Races.h"

#include "Analysis/Ast/Expressions.h"
#include "Analysis/Ast/Names.h"
#include "Analysis/Ast/Types.h"

#include "clang/AST/ExprCXX.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace clang;

namespace ikra {

/// What a pointer, or a container of pointers, says of who else may reach what it leads to.
static bool isShared(QualType Ty) {
  if (const QualType Element = elementOfContainer(Ty); !Element.isNull())
    return isShared(Element);
  return !pointeeOf(Ty).isNull() && !isStdClass(Ty, "unique_ptr");
}

/// The variable that a section captures, if the expression names one.
static const VarDecl* capturedBy(const Function& F, const Expr* E) {
  const auto* Name = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
  const VarDecl* V = variableNamed(Name);
  if (!V || !F.IsSection)
    return nullptr;
  const bool IsInit = V->isInitCapture() && V->getDeclContext() == F.Decl; // [h = &town]
  return IsInit || (Name->refersToEnclosingVariableOrCapture() && !isDeclaredIn(V, F.Decl))
             ? V
             : nullptr;
}

/// Whether all elements get the same one from a captured container: all[0], all.front().
static bool isOneOfCaptured(const Function& F, const Expr* Container, const Expr* Place) {
  const VarDecl* V = capturedBy(F, Container);
  return V && !elementOfContainer(V->getType().getNonReferenceType()).isNull() &&
         (!Place || (!Place->isValueDependent() && Place->isEvaluatable(V->getASTContext())));
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
    return Method && Method->getParent()->isLambda() ? Owner::Elsewhere : Owner::Receiver;
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
    const Owner Holder = Next(Member->getBase());
    if (!isShared(Member->getType()))
      return Holder;
    if (Holder == Owner::Receiver)
      return Owner::OfReceiver;
    return Holder == Owner::Element && !isSelf(F, Member->getBase()) ? Owner::Elsewhere
                                                                     : Owner::Shared;
  }
  if (const auto* Choice = dyn_cast<ConditionalOperator>(E)) { // what is shared may be chosen
    const Owner One = Next(Choice->getTrueExpr()), Other = Next(Choice->getFalseExpr());
    const auto IsElsewhere = [](Owner Of) { return isOfSeveral(Of) || Of == Owner::OfReceiver; };
    if (One == Other || IsElsewhere(One))
      return One;
    return IsElsewhere(Other) ? Other : Owner::Unknown;
  }
  if (const auto* Call = dyn_cast<CXXOperatorCallExpr>(E);
      Call && Call->getOperator() == OO_Subscript && Call->getNumArgs() == 2 &&
      isOneOfCaptured(F, Call->getArg(0), Call->getArg(1)))
    return Owner::Elsewhere;
  if (const auto* Call = dyn_cast<CXXMemberCallExpr>(E);
      Call && hasName(Call->getMethodDecl(), {"front", "back"}) &&
      isOneOfCaptured(F, Call->getImplicitObjectArgument(), nullptr))
    return Owner::Elsewhere;
  if (const auto* Call = dyn_cast<CXXOperatorCallExpr>(E)) // ->, * and [], and those of iterators
    return Call->getNumArgs() > 0 && isInStd(Call->getDirectCallee()) ? Next(Call->getArg(0))
                                                                      : Owner::Unknown;
  if (const auto* Call = dyn_cast<CXXMemberCallExpr>(E)) // get(), front(), begin()
    return Call->getMethodDecl() && isInStd(Call->getMethodDecl())
               ? Next(Call->getImplicitObjectArgument())
               : Owner::Unknown;
  if (const auto* Subscript = dyn_cast<ArraySubscriptExpr>(E);
      Subscript && isOneOfCaptured(F, Subscript->getBase(), Subscript->getIdx()))
    return Owner::Elsewhere;
  if (const auto* Subscript = dyn_cast<ArraySubscriptExpr>(E))
    return Next(Subscript->getBase());
  const VarDecl* V = variableNamed(E);
  if (!V)
    return Owner::Unknown;
  if (capturedBy(F, E)) {
    // One object for all elements. Of a container, an element may be any.
    const QualType Ty = V->getType().getNonReferenceType();
    return elementOfContainer(Ty).isNull() ? Owner::Elsewhere : Owner::Unknown;
  }
  const bool IsLocal = V->isLocalVarDecl() && V->getInit() && isDeclaredIn(V, F.Decl);
  if (!IsLocal)
    return Owner::Unknown;
  // Iterators of a range for move on within their container.
  const bool Moves = !V->isImplicit() && !V->isCXXForRangeDecl() && V->getType()->isPointerType() &&
                     isModified(F.Decl, V);
  return Moves ? Owner::Unknown : Next(V->getInit());
}

Races::Owner Races::resolved(Owner Of, Owner Receiver) {
  if (Of == Owner::OfReceiver)
    return Receiver == Owner::Shared ? Owner::Shared : Owner::Elsewhere;
  return Of == Owner::Receiver ? Receiver : Of;
}

Races::Part Races::partOf(const MemberExpr* Place, const ClassRoles& Roles) {
  Part Out;
  for (const Expr* E = Place;;) {
    const auto* Member = dyn_cast<MemberExpr>(E);
    const auto* Field = Member ? dyn_cast<FieldDecl>(Member->getMemberDecl()) : nullptr;
    if (!Field)
      return {};
    Out.Path.insert(Out.Path.begin(), Field->getCanonicalDecl());
    Out.Object = Member->getBase();
    if (!isValueClass(cast<CXXRecordDecl>(Field->getParent()), Roles))
      return Out;
    E = Member->getBase()->IgnoreParenImpCasts();
  }
}

void Races::addUpdate(Index Number, const Function& F, const Expr* Place, bool Always,
                      const ClassRoles& Roles) {
  const auto* Member = dyn_cast<MemberExpr>(Place->IgnoreParenImpCasts());
  if (!Member || !isa<FieldDecl>(Member->getMemberDecl()))
    return;
  Part Updated = partOf(Member, Roles);
  if (Updated.Path.empty()) // of a value, or of what gives one
    Updated = {{cast<FieldDecl>(Member->getMemberDecl())}, Member->getBase()};
  if (const Owner Of = ownerOf(F, Updated.Object); Of != Owner::Unknown)
    Updates[Number].push_back({std::move(Updated.Path), Place->getExprLoc(), Of, Always});
}

/// The class that an expression gives an object of, or leads to one of, before it is taken for a
/// base.
static const CXXRecordDecl* classOf(const Expr* E) {
  const QualType Ty = E->IgnoreParenImpCasts()->getType();
  const QualType Pointee = Ty->getPointeeType();
  return (Pointee.isNull() ? Ty : Pointee)->getAsCXXRecordDecl();
}

void Races::addRead(Index Number, const Function& F, const MemberExpr* Place,
                    const ClassRoles& Roles) {
  Part What = partOf(Place, Roles);
  if (What.Path.empty() || llvm::any_of(What.Path, [](const FieldDecl* Field) {
        return !elementOfContainer(Field->getType()).isNull() || Field->getType()->isArrayType();
      }))
    return; // elements may read one half, and write the other
  if (const Owner Of = ownerOf(F, What.Object);
      Of == Owner::Shared || Of == Owner::Receiver || Of == Owner::OfReceiver)
    Reads[Number].push_back(
        {std::move(What.Path), Place->getMemberLoc(), Of, classOf(What.Object)});
}

void Races::addCall(Index Number, const Function& F, const Expr* Site, const Expr* Receiver) {
  if (const Owner Of = ownerOf(F, Receiver); Of != Owner::Element && Of != Owner::Unknown)
    Calls[Number].push_back({Site, Of, classOf(Receiver)});
}

std::vector<Races::MethodCall> Races::callsOf(const Function& Of, Index F, Owner Receiver,
                                              const CXXRecordDecl* Class) const {
  std::map<const Expr*, MethodCall> Known;
  if (const auto It = Calls.find(F); It != Calls.end())
    for (const MethodCall& Each : It->second)
      Known[Each.Site] = {Each.Site, resolved(Each.Of, Receiver),
                          Each.Of == Owner::Receiver && Class ? Class : Each.Class};
  std::vector<MethodCall> Out;
  for (const auto& [Site, Call] : Of.Calls) {
    const auto It = Known.find(Site);
    Out.push_back(It == Known.end() ? MethodCall{Site, Owner::Unknown, nullptr} : It->second);
  }
  llvm::sort(Out, [&](const MethodCall& A, const MethodCall& B) {
    return Of.Calls.at(A.Site).Position < Of.Calls.at(B.Site).Position;
  });
  return Out;
}

void Races::reportPath(const std::vector<const Expr*>& Path, const Section& From,
                       Diagnoser& Diags) {
  for (const Expr* Site : llvm::reverse(Path))
    Diags.report(Site->getExprLoc(), Diag::called_here);
  if (!Path.empty())
    Diags.report(From.Site.Argument->getExprLoc(), Diag::reached_from);
}

void Races::follow(Walk& W, Index F, Owner Of) const {
  if (!W.Seen.insert({F, Of}).second)
    return;
  if (const auto It = Updates.find(F); It != Updates.end())
    for (const Update& Each : It->second)
      if (isOfSeveral(resolved(Each.Of, Of))) {
        W.Diags.report(Each.At, Diag::unshared_update)
            << Each.Path.back()->getQualifiedNameAsString();
        reportPath(W.Path, W.From, W.Diags);
      }
  const Function& Code = W.Model.Functions[F];
  for (const MethodCall& Its : callsOf(Code, F, Of, nullptr)) {
    W.Path.push_back(Its.Site);
    for (const CallTarget& Target : Code.Calls.at(Its.Site).Targets)
      follow(W, Target.Function, Its.Of);
    W.Path.pop_back();
  }
}

bool Races::mayBe(const ProgramModel& Model, const Kinds& Of, Index Class) {
  if (!Of.Chosen.empty() && !llvm::is_contained(Of.Chosen, Class))
    return false;
  const CXXRecordDecl* const Decl = Model.Classes[Class].Decl;
  return !Of.Class || !Decl || Decl->getCanonicalDecl() == Of.Class->getCanonicalDecl() ||
         Decl->isDerivedFrom(Of.Class);
}

void Races::gather(const ProgramModel& Model, const State& Of, std::vector<const Expr*>& Path,
                   std::set<State>& Seen, Uses& Out) const {
  if (!Seen.insert(Of).second)
    return;
  if (const auto It = Updates.find(Of.F); It != Updates.end())
    for (const Update& Each : It->second)
      if (Of.Always && Each.Always && Each.Of == Owner::Element)
        Out.Updated[Each.Path].insert(Of.Element.begin(), Of.Element.end());
  if (const auto It = Reads.find(Of.F); It != Reads.end())
    for (const Read& Each : It->second)
      if (resolved(Each.Of, Of.Of) == Owner::Shared)
        Out.Read[Each.Path].push_back(
            {Each.At, Path, Each.Of == Owner::Receiver ? Of.Receiver : Kinds{Each.Class, {}}});
  const Function& Code = Model.Functions[Of.F];
  for (const MethodCall& Its : callsOf(Code, Of.F, Of.Of, Of.Receiver.Class)) {
    const Call& Called = Code.Calls.at(Its.Site);
    // The classes that have a function in common, together.
    std::map<Index, Classes> Targets;
    for (const CallTarget& Target : Called.Targets) {
      Classes& Chosen = Targets[Target.Function];
      if (Target.Class)
        Chosen.push_back(*Target.Class);
    }
    Path.push_back(Its.Site);
    for (auto& [F, Chosen] : Targets) {
      State Next{F, Its.Of, {Its.Class, {}}, Of.Element, Of.Always && Called.Unconditional};
      if (Called.ReceiverIsSelf && !Chosen.empty())
        llvm::erase_if(Next.Element, [&](Index C) { return !llvm::is_contained(Chosen, C); });
      else
        Next.Receiver.Chosen = std::move(Chosen);
      gather(Model, Next, Path, Seen, Out);
    }
    Path.pop_back();
  }
}

void Races::reportReads(const ProgramModel& Model, Diagnoser& Diags) const {
  std::set<SourceLocation> Told;
  for (const Section& S : Model.Sections) {
    if (S.Op != Operation::PEach || !S.isOverObjects())
      continue;
    Uses Of;
    std::set<State> Seen;
    std::vector<const Expr*> Path;
    const Classes& Elements = Model.Classes[*S.element().Class].Concrete;
    gather(Model, {S.Code.Function, Owner::Unknown, {}, Elements, /*Always=*/true}, Path, Seen, Of);
    std::map<SourceLocation, std::pair<const FieldDecl*, const Uses::OtherRead*>> Found;
    for (const auto& [Path, Others] : Of.Read)
      for (const auto& [Updated, Updating] : Of.Updated) {
        // The same, or one is a part of the other.
        const std::size_t Common = std::min(Path.size(), Updated.size());
        if (!std::equal(Path.begin(), Path.begin() + static_cast<std::ptrdiff_t>(Common),
                        Updated.begin()))
          continue;
        const auto IsElement = [&](const Uses::OtherRead& Each) {
          return llvm::any_of(Updating, [&](Index Class) { return mayBe(Model, Each.Of, Class); });
        };
        if (const auto First = llvm::find_if(Others, IsElement);
            First != Others.end() && Told.insert(First->At).second)
          Found[First->At] = {Path.back(), &*First};
      }
    for (const auto& [At, Read] : Found) {
      Diags.report(At, Diag::unshared_read) << Read.first->getQualifiedNameAsString();
      reportPath(Read.second->Path, S, Diags);
    }
  }
}

void Races::report(const ProgramModel& Model, Diagnoser& Diags) const {
  std::set<std::pair<Index, Owner>> Seen;
  for (const Section& S : Model.Sections)
    if (S.Op == Operation::PEach) {
      Walk W{Model, Diags, S, Seen};
      follow(W, S.Code.Function, Owner::Unknown);
    }
  reportReads(Model, Diags);
}

} // namespace ikra
