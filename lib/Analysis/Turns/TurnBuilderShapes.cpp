// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which arrays of a turn have one shape, and where that is known from; and the commands that give
// arrays of another shape than they read: reductions by index.
#include "TurnBuilder.h"

#include "Analysis/Ast/Constants.h"
#include "Analysis/Ast/Names.h"
#include "Analysis/Ast/Types.h"
#include "Model/BodyQueries.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace clang;

namespace ikra {

std::size_t TurnBuilder::addSpace(unsigned Rank) {
  Made.Spaces.push_back({Rank, false, false});
  Leaders.push_back(Leaders.size());
  return Leaders.size() - 1;
}

std::size_t TurnBuilder::leaderOf(std::size_t Space) const {
  while (Leaders[Space] != Space)
    Space = Leaders[Space];
  return Space;
}

bool TurnBuilder::haveOneShape(std::size_t A, std::size_t B, const Stmt* At) {
  A = leaderOf(A);
  B = leaderOf(B);
  if (Made.Spaces[A].Rank != Made.Spaces[B].Rank)
    return refuse(At, "its arrays have different ranks");
  Leaders[std::max(A, B)] = std::min(A, B);
  return true;
}

/// Whether no turn changes what an expression names. What a function is given, or a constant of the
/// loop is made of, may be known before it: \p Before computes these.
bool TurnBuilder::isKnownBefore(const Stmt* S, TurnSteps& Before) {
  const auto* E = dyn_cast<Expr>(S);
  if (E && sizeAskedBy(E, Context))
    return true; // an array keeps its shape
  if (E && (calledCode(E) || arrayReadBy(E)))
    return false;
  if (const auto Member = E ? memberOfVariable(E, Scalar.This) : std::nullopt)
    return !Changed.contains(Member->Of) && !isOfLoop(Member->Of);
  if (const auto* Part = dyn_cast_or_null<BindingDecl>(declNamed(S)))
    return !Changed.contains(Part->getDecomposedDecl()) && !isOfLoop(Part->getDecomposedDecl());
  const VarDecl* V = variableNamed(S);
  if (V && !constantText(V) && (isOfLoop(V) || Changed.contains(V))) {
    const auto Known = Inits.find(V);
    if (Known == Inits.end())
      return false;
    const Initialiser Init = Known->second;
    const llvm::SaveAndRestore There(Scalar.This, Init.This);
    TurnSteps Reads; // none
    if (!isKnownBefore(Init.Is, Before))
      return false;
    body::ExprRef Value = value(Init.Is, Reads);
    if (!Value || !Reads.empty())
      return false;
    assign(Made.Scalars[scalarOf(V)].Name, std::move(Value), Before);
    return true;
  }
  return !isa<CXXThisExpr>(S) && llvm::all_of(S->children(), [&](const Stmt* Part) {
    return !Part || isKnownBefore(Part, Before);
  });
}

/// Notes that a space has the shape that these numbers say.
bool TurnBuilder::extents(const CallExpr* Call, llvm::ArrayRef<const Expr*> Of, std::size_t Space) {
  const auto Refuse = [&] {
    return refuse(Call, "the shape of what '" + Call->getDirectCallee()->getNameAsString() +
                            "' gives is not given by numbers from before the loop");
  };
  TurnShape New;
  TurnSteps Before;
  for (const Expr* E : Of) {
    E = written(E);
    if (const auto* Construct = dyn_cast<CXXConstructExpr>(E);
        Construct && Construct->getNumArgs() == 1)
      E = written(Construct->getArg(0));
    TurnSteps Reads; // none: it is computed before the loop
    if (!E->getType()->isIntegerType() || !isKnownBefore(E, Before))
      return Refuse();
    New.Extents.push_back(value(E, Reads));
    if (!New.Extents.back())
      return false;
    if (!Reads.empty())
      return Refuse();
  }
  if (New.Extents.size() != Made.Spaces[Space].Rank)
    return Refuse();
  for (TurnStep& Step : Before)
    llvm::append_range(New.Before, Step.Statements);
  New.Space = Space;
  Made.Shapes.push_back(std::move(New));
  return true;
}

/// The space of what pnew gives, which is known before the loop.
std::optional<std::size_t> TurnBuilder::shapeOf(const CallExpr* Call, unsigned Rank) {
  const Expr* Given = written(Call->getArg(0));
  const auto* Asks = dyn_cast<CXXMemberCallExpr>(Given);
  if (Asks && Asks->getMethodDecl()->getNameAsString() == "shape")
    if (const auto Place = arrayPlace(Asks->getImplicitObjectArgument())) {
      if (const auto Known = Values.find(dyn_cast<VarDecl>(Place->first)); Known != Values.end())
        return spaceOf(Known->second);
      const std::optional<std::size_t> Number =
          arrayOf(*Place, Asks->getImplicitObjectArgument()->getType(), Asks);
      if (Number && AreMoved.contains(*Number))
        refuse(Asks, "the shape of an array is asked that has been moved");
      return Number ? std::optional(Made.Arrays[*Number].Space) : std::nullopt;
    }
  llvm::SmallVector<const Expr*> Extents;
  if (const auto* List = dyn_cast<InitListExpr>(Given))
    llvm::append_range(Extents, List->inits());
  else
    Extents.push_back(Given);
  const std::size_t Space = addSpace(Rank);
  return extents(Call, Extents, Space) ? std::optional(Space) : std::nullopt;
}

/// Numbers the spaces that are left, and says which shapes are known before the loop.
bool TurnBuilder::shapesAreKnown() {
  std::vector<TurnSpace> Spaces;
  std::vector<std::size_t> Number(Leaders.size());
  for (std::size_t N = 0; N < Leaders.size(); ++N)
    if (Leaders[N] == N) {
      Number[N] = Spaces.size();
      Spaces.push_back(Made.Spaces[N]);
    }
  const auto Renumber = [&](std::size_t& Space) { Space = Number[leaderOf(Space)]; };
  for (TurnCommand& Of : Made.Commands) {
    Renumber(Of.Over);
    Renumber(Of.Space);
    Spaces[Of.Over].IsRunOver = Spaces[Of.Space].IsRunOver = true;
  }
  for (TurnArray& Of : Made.Arrays) {
    Renumber(Of.Space);
    Spaces[Of.Space].IsGiven |= !Of.HostName.empty() && !Of.IsSetFirst;
    Spaces[Of.Space].IsRunOver |= Of.IsAssigned;
  }
  for (TurnScalar& Of : Made.Scalars)
    if (Of.Is)
      Renumber(Of.Is->Space);
  std::vector<bool> IsKnown;
  for (const TurnSpace& Of : Spaces)
    IsKnown.push_back(Of.IsGiven);
  for (TurnShape& Shape : Made.Shapes) {
    std::set<std::string> Names;
    const auto Note = [&](const body::Expr& E) {
      if (const auto* Name = std::get_if<body::Name>(&E.Is))
        Names.insert(Name->Ident);
    };
    for (const body::ExprRef& E : Shape.Extents)
      body::forEachExpr(E, Note);
    body::forEachExpr(Shape.Before, Note);
    for (const TurnScalar& Of : Made.Scalars)
      if (Of.Is && Names.contains(Of.Name) && !IsKnown[Of.Is->Space])
        return refuse(Loop, "the shape of an array depends on one that is not known before it");
    Renumber(Shape.Space);
    IsKnown[Shape.Space] = true;
  }
  Made.Spaces = std::move(Spaces);
  bool AreKnown = true;
  for (std::size_t N = 0; N < IsKnown.size(); ++N)
    AreKnown &= IsKnown[N] || !Made.Spaces[N].IsRunOver;
  return AreKnown || refuse(Loop, "the shape of an array is not known before the loop");
}

/// The keys that a section gives of elements.
std::optional<TurnInput> TurnBuilder::keysOf(const CXXMemberCallExpr* Call, Index Section,
                                             const TurnInput& Of, TurnSteps& Out) {
  const ikra::Section& S = Model.Sections[Section];
  TurnCommand New;
  New.Section = Section;
  New.Inputs = {Of};
  New.Over = New.Space = spaceOf(Of);
  if (!canRun(S, Call) || !capturesOf(Call, S, New, Out))
    return std::nullopt;
  return add(std::move(New), Out);
}

/// The elements of each key, combined.
std::optional<TurnInput> TurnBuilder::byIndex(const CXXMemberCallExpr* Call, Index Section,
                                              TurnSteps& Out) {
  const ikra::Section& S = Model.Sections[Section];
  const Expr* Key = Call->getArg(1);
  std::optional<TurnInput> Of = operand(Call->getImplicitObjectArgument(), Out), Keys;
  if (!Of)
    return std::nullopt;
  if (rankOfArray(Key->getType()) != 0) {
    Keys = operand(Key, Out);
  } else if (const std::optional<Index> Maps = S.Flow.Inputs.front()) {
    Keys = keysOf(Call, *Maps, *Of, Out);
  }
  if (!Keys || !haveOneShape(spaceOf(*Of), spaceOf(*Keys), Call))
    return std::nullopt;
  TurnCommand New;
  New.Section = Section;
  New.Inputs = {*Keys, *Of};
  New.Over = spaceOf(*Of);
  New.Space = addSpace(1);
  if (!capturesOf(Call, S, New, Out) || !firstOf(Call, S, New, Out) ||
      !extents(Call, {Call->getArg(0)}, New.Space))
    return std::nullopt;
  mayFailAt(Call);
  return add(std::move(New), Out);
}

/// How often each key occurs.
std::optional<TurnInput> TurnBuilder::counts(const CXXMemberCallExpr* Call, TurnSteps& Out) {
  std::optional<TurnInput> Of = operand(Call->getImplicitObjectArgument(), Out);
  if (!Of)
    return std::nullopt;
  if (Call->getNumArgs() > 1) {
    const auto Maps = Sections.Keys.find(Call);
    if (Maps == Sections.Keys.end())
      return none(Call, "the keys of this 'phistogram' are given by no section");
    Of = keysOf(Call, Maps->second, *Of, Out);
    if (!Of)
      return std::nullopt;
  }
  TurnCommand New;
  New.Inputs = {*Of};
  New.Over = spaceOf(*Of);
  New.Space = addSpace(1);
  if (!extents(Call, {Call->getArg(0)}, New.Space))
    return std::nullopt;
  mayFailAt(Call);
  return add(std::move(New), Out);
}

} // namespace ikra
