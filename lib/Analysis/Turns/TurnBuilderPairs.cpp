// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays in a built-in array or a std::array, `buf[1 - now] = step(buf[now])`, and references to
// arrays. A place is a constant; or, of two arrays, a number by its lowest bit. While a turn is
// made, two such arrays are what the number chooses and the other one: where its bit is turned
// over, they change places. So they are as two variables that are swapped, and nothing is chosen
// where turns run. A bit that changes in a way that is not seen ends the attempt.
#include "TurnBuilder.h"

#include "Analysis/Ast/Expressions.h"
#include "Analysis/Ast/Names.h"
#include "Analysis/Ast/Types.h"

using namespace clang;

namespace ikra {

/// Entries that are known no more.
static constexpr unsigned NoRegion = ~0U;

//===-- bits -------------------------------------------------------------------------------===//

static std::optional<bool> constantBit(const Expr* E, const ASTContext& Context) {
  const auto Value = E->getType()->isIntegerType() ? constantInteger(E, Context) : std::nullopt;
  return Value ? std::optional((*Value)[0]) : std::nullopt;
}

/// Whether an expression is zero where its lowest bit is, so that it is true where that is set.
bool TurnBuilder::isBit(const Expr* E) const {
  E = E->IgnoreParens();
  const auto Value = E->getType()->isIntegerType() ? constantInteger(E, Context) : std::nullopt;
  if (E->getType()->isBooleanType() || (Value && Value->isIntN(1)))
    return true;
  if (const auto* Cast = dyn_cast<CastExpr>(E))
    return Cast->getSubExpr()->getType()->isIntegerType() && isBit(Cast->getSubExpr());
  if (isa<DeclRefExpr>(E)) {
    const auto Known = Inits.find(variableNamed(E));
    return Known != Inits.end() && isBit(Known->second.Is);
  }
  const auto* Operator = dyn_cast<BinaryOperator>(E);
  if (!Operator)
    return false;
  const Expr *Left = Operator->getLHS(), *Right = Operator->getRHS();
  const auto IsConstant = [&](const Expr* Of, unsigned Number) {
    const std::optional<llvm::APSInt> Is = constantInteger(Of, Context);
    return Is && *Is == Number;
  };
  switch (Operator->getOpcode()) {
  case BO_And:
    return IsConstant(Right, 1) || IsConstant(Left, 1);
  case BO_Rem:
    return IsConstant(Right, 2); // -1, too
  case BO_Sub:
    return IsConstant(Left, 1) && isBit(Right);
  case BO_Xor:
    return isBit(Left) && isBit(Right);
  default:
    return false;
  }
}

std::optional<TurnBuilder::LowestBit> TurnBuilder::known(const KnownBit& Of) const {
  if (Of.Region == NoRegion || (!Of.IsDeclared && Of.Region != Region))
    return std::nullopt;
  // Its next turn may find another one.
  for (unsigned Inner = Of.Depth; Inner < Depth; ++Inner) {
    const std::set<const ValueDecl*> Here = changedBy(LoopsAround[Inner]);
    if (Here.contains(Of.Is.Holder) || Here.contains(Of.Own))
      return std::nullopt;
  }
  return Of.Is;
}

/// Of a variable, or a member.
std::optional<TurnBuilder::LowestBit> TurnBuilder::bitOfScalar(const Expr* E) {
  if (!Scalar.wouldAccept(E))
    return std::nullopt;
  const std::string Name = nameOf(E);
  if (Name.empty() || llvm::StringRef(Name).contains('.')) // or a part of a whole
    return std::nullopt;
  if (const auto Known = Bits.find(Name); Known != Bits.end())
    return known(Known->second);
  const std::optional<MemberOfVariable> Member = memberOfVariable(E, Scalar.This);
  return LowestBit{Name, false, Member ? Member->Of : namedVariable(declNamed(E))};
}

/// The lowest bit of an integer's value, in two's complement. Nothing where that is not seen.
std::optional<TurnBuilder::LowestBit> TurnBuilder::bitOf(const Expr* E) {
  E = E->IgnoreParens();
  if (const auto* Full = dyn_cast<FullExpr>(E))
    E = Full->getSubExpr()->IgnoreParens();
  if (const auto* List = dyn_cast<InitListExpr>(E); List && List->getNumInits() == 1)
    E = List->getInit(0)->IgnoreParens();
  if (!E->getType()->isIntegerType())
    return std::nullopt;
  if (const std::optional<bool> Is = constantBit(E, Context))
    return LowestBit{"", *Is};
  const auto TurnedOver = [](std::optional<LowestBit> Of, bool IsOdd = true) {
    if (Of)
      Of->IsOdd ^= IsOdd;
    return Of;
  };
  if (const auto* Cast = dyn_cast<CastExpr>(E)) {
    const Expr* Of = Cast->getSubExpr();
    return E->getType()->isBooleanType() && !isBit(Of) ? std::nullopt : bitOf(Of);
  }
  if (isa<DeclRefExpr, MemberExpr>(E))
    return bitOfScalar(E);
  if (const auto* Operator = dyn_cast<UnaryOperator>(E)) {
    const Expr* Of = Operator->getSubExpr();
    switch (Operator->getOpcode()) {
    case UO_LNot:
      return isBit(Of) ? TurnedOver(bitOf(Of)) : std::nullopt;
    case UO_Not:
      return TurnedOver(bitOf(Of));
    case UO_Minus:
    case UO_Plus:
      return bitOf(Of);
    default:
      return std::nullopt;
    }
  }
  if (const auto* Choice = dyn_cast<ConditionalOperator>(E)) {
    const auto Then = constantBit(Choice->getTrueExpr(), Context),
               Else = constantBit(Choice->getFalseExpr(), Context);
    if (!Then || !Else || !isBit(Choice->getCond()))
      return std::nullopt;
    return *Then == *Else ? LowestBit{"", *Then} : TurnedOver(bitOf(Choice->getCond()), *Else);
  }
  const auto* Operator = dyn_cast<BinaryOperator>(E);
  if (!Operator || Operator->isAssignmentOp())
    return std::nullopt;
  const Expr *Left = Operator->getLHS(), *Right = Operator->getRHS();
  switch (Operator->getOpcode()) {
  case BO_Add:
  case BO_Sub:
  case BO_Xor: {
    const std::optional<LowestBit> One = bitOf(Left), Other = bitOf(Right);
    if (!One || !Other)
      return std::nullopt;
    if (One->Of == Other->Of)
      return LowestBit{"", One->IsOdd != Other->IsOdd};
    if (!One->Of.empty() && !Other->Of.empty())
      return std::nullopt;
    return TurnedOver(One->Of.empty() ? Other : One, One->Of.empty() ? One->IsOdd : Other->IsOdd);
  }
  case BO_And: // with an odd number
    if (constantBit(Left, Context) == true)
      return bitOf(Right);
    return constantBit(Right, Context) == true ? bitOf(Left) : std::nullopt;
  case BO_Rem: // by an even one
    return constantBit(Right, Context) == false ? bitOf(Left) : std::nullopt;
  case BO_EQ:
  case BO_NE: { // with zero
    const std::optional<llvm::APSInt> Value = constantInteger(Right, Context);
    const bool IsTest = Value && Value->isZero() && isBit(Left);
    return IsTest ? TurnedOver(bitOf(Left), Operator->getOpcode() == BO_EQ) : std::nullopt;
  }
  default:
    return std::nullopt;
  }
}

//===-- what changes them ------------------------------------------------------------------===//

void TurnBuilder::turnOver(const std::string& Of, TurnSteps& Out) {
  const auto Turn = [&](KnownBit& Each) {
    if (Each.Is.Of != Of)
      return;
    if (Each.Region == Region)
      Each.Is.IsOdd ^= true;
    else
      Each.Region = NoRegion;
  };
  for (auto& [Name, Each] : Bits)
    Turn(Each);
  for (auto& [V, Each] : PairNames)
    Turn(Each.second);
  for (const TurnPair& Pair : Made.Pairs)
    if (Pair.By == Of) {
      Current.erase(Pair.Now);
      Current.erase(Pair.Other);
      std::erase_if(Values, [&](const auto& Each) { // parameters that are names
        return !Each.second.IsCommand &&
               (Each.second.Number == Pair.Now || Each.second.Number == Pair.Other);
      });
    }
  TurnStep Step(TurnStep::Swap);
  Step.Condition = named(Of);
  Out.push_back(std::move(Step));
}

/// \param To what the bit is from here on; nothing: that is not seen
void TurnBuilder::noteChange(const Expr* Place, std::optional<LowestBit> To, const Stmt* At,
                             TurnSteps& Out) {
  Place = written(Place);
  const std::string Name = isa<DeclRefExpr, MemberExpr>(Place) ? nameOf(Place) : "";
  if (Name.empty() || llvm::StringRef(Name).contains('.'))
    return;
  if (To && To->Of == Name && !Bits.contains(Name)) {
    if (To->IsOdd)
      turnOver(Name, Out);
    return;
  }
  if (Depth == 0 && To && !(To->Holder && Changed.contains(To->Holder))) {
    StartBits[Name] = *To;
    return;
  }
  Unsteady.try_emplace(Name, At);
  for (auto& [Other, Each] : Bits)
    if (Each.Is.Of == Name)
      Each.Region = NoRegion;
  for (auto& [V, Each] : PairNames)
    if (Each.second.Is.Of == Name)
      Each.second.Region = NoRegion;
  if (To && To->Of != Name) {
    const std::optional<MemberOfVariable> Own = placeOfVariable(Place, Scalar.This);
    Bits[Name] = {*To, Region, Depth, false, Own ? Own->Of : nullptr};
  } else if (const auto Known = Bits.find(Name); Known != Bits.end())
    Known->second.Region = NoRegion;
}

/// A number that the turn declares, or a parameter of what it calls.
void TurnBuilder::noteDeclared(const VarDecl* V, const std::string& Name, const Expr* Init) {
  if (!HasPairs || !V->getType().getNonReferenceType()->isIntegerType())
    return;
  const std::optional<LowestBit> Is = Init ? bitOf(Init) : std::nullopt;
  const bool IsBool = V->getType().getNonReferenceType()->isBooleanType();
  const bool IsSeen = Is && !(IsBool && !isBit(Init));
  if (Depth == 0 && IsSeen && !(Is->Holder && Changed.contains(Is->Holder))) {
    StartBits[Name] = *Is;
    return;
  }
  if (Depth == 0 && IsSeen)
    StartsWithChanged[V] = Is->Holder;
  Unsteady.try_emplace(Name, Init);
  if (IsSeen)
    Bits[Name] = {*Is, Region, Depth, true, V};
  else
    Bits.erase(Name);
}

/// The variable of a loop through numbers, which is what it counts.
void TurnBuilder::noteCounted(const VarDecl* V, const Counted& Bounds, const std::string& Place,
                              TurnSteps& Step) {
  const std::optional<LowestBit> First = bitOf(Bounds.First);
  if (Depth == 0 && First && !(First->Holder && Changed.contains(First->Holder)))
    StartBits[Place] = *First;
  else
    Unsteady.try_emplace(Place, Bounds.First);
  turnOver(Place, Step);
  Bits[Made.Scalars[scalarOf(V)].Name] = {{Place, false, nullptr}, Region, Depth + 1, true};
}

void TurnBuilder::noteChanges(const Stmt* S, TurnSteps& Out) {
  if (!HasPairs)
    return;
  const auto* E = dyn_cast<Expr>(S);
  E = E ? E->IgnoreUnlessSpelledInSource() : nullptr;
  if (const auto* Both = dyn_cast_or_null<BinaryOperator>(E); Both && Both->isCommaOp()) {
    noteChanges(Both->getLHS(), Out);
    return noteChanges(Both->getRHS(), Out);
  }
  if (const auto* Counts = dyn_cast_or_null<UnaryOperator>(E);
      Counts && Counts->isIncrementDecrementOp()) {
    std::optional<LowestBit> To = bitOf(Counts->getSubExpr());
    if (To)
      To->IsOdd ^= true;
    return noteChange(Counts->getSubExpr(), To, S, Out);
  }
  if (const auto* Sets = dyn_cast_or_null<BinaryOperator>(E);
      Sets && Sets->isAssignmentOp() && changedHere(Sets->getRHS()).empty()) {
    std::optional<LowestBit> To = bitOf(Sets->getRHS());
    if (Sets->isCompoundAssignmentOp()) {
      const std::optional<LowestBit> Was = bitOf(Sets->getLHS());
      const bool Adds = Sets->getOpcode() == BO_AddAssign || Sets->getOpcode() == BO_SubAssign ||
                        Sets->getOpcode() == BO_XorAssign;
      const bool Keeps = Sets->getOpcode() == BO_AndAssign && To && To->Of.empty() && To->IsOdd;
      if (Keeps)
        To->IsOdd = false;
      const bool IsSeen = (Adds || Keeps) && Was && To && To->Of.empty();
      To = IsSeen ? std::optional(LowestBit{Was->Of, Was->IsOdd != To->IsOdd, Was->Holder})
                  : std::nullopt;
    }
    return noteChange(Sets->getLHS(), To, S, Out);
  }
  loseBits(S);
}

/// The same where it is not seen, or not in the order of the text.
void TurnBuilder::loseBits(const Stmt* S) {
  if (!HasPairs)
    return;
  for (const ValueDecl* V : changedBy(S)) {
    if (const auto Known = Scalars.find(dyn_cast<VarDecl>(V)); Known != Scalars.end())
      loseBit(Made.Scalars[Known->second].Name, S);
    for (const auto& [Member, Number] : Members)
      if (Member.first == V)
        loseBit(Made.Scalars[Number].Name, S);
  }
}
void TurnBuilder::loseBit(const std::string& Name, const Stmt* At) {
  Unsteady.try_emplace(Name, At);
  Bits.erase(Name);
}

//===-- arrays -----------------------------------------------------------------------------===//

/// The first variable in an expression that is among others; null: none is.
template <class Among> static const VarDecl* namedIn(const Stmt* S, const Among& All) {
  const VarDecl* Found = nullptr;
  anyPart(S, [&](const Stmt* Part) {
    Found = variableNamed(Part);
    return Found && All.contains(Found);
  });
  return Found && All.contains(Found) ? Found : nullptr;
}

/// `buf[k]`, of a variable or a member that holds arrays.
std::optional<TurnBuilder::ArrayPlace> TurnBuilder::placeInArray(const Expr* E) {
  const Expr* Whole = written(arrayWith(E));
  const Expr* At = placeIn(E);
  const auto Refuse = [&](std::string Why) { return none(E, std::move(Why)); };
  const std::optional<MemberOfVariable> Place = placeOfVariable(Whole, Scalar.This);
  const ArrayPlace In = Place ? ArrayPlace{Place->Of, Place->Text} : ArrayPlace{nullptr, ""};
  if (!In.first || isOfLoop(In.first))
    return Refuse("it is an element of what is no variable from before the loop, and no member of "
                  "one");
  const std::uint64_t Size = constantSize(Whole->getType()).value_or(0);
  const std::string BothForms = "'" + In.second +
                                "' is named with a constant, and with a number that chooses (use "
                                "one of these in a loop)";
  const auto Numbered = [&](std::uint64_t Number) -> std::optional<ArrayPlace> {
    if (Pairs.contains(In.second) || Rings.contains(In.second))
      return Refuse(BothForms);
    if (Number >= Size)
      return Refuse("'" + In.second + "' has no such element");
    AreNumbered.insert(In.second);
    return ArrayPlace{In.first, In.second + "[" + std::to_string(Number) + "]"};
  };
  if (const auto Number = constantInteger(At, Context); Number && !Number->isNegative())
    return Numbered(Number->getZExtValue());
  if (Size != 2) {
    if (std::optional<ArrayPlace> Of = placeInRing(E, In, At, Size))
      return Of;
    return AreNumbered.contains(In.second)
               ? Refuse(BothForms)
               : Refuse("a number chooses one of the arrays in '" + In.second +
                        "' (turns know constants, (t + 1) % " + std::to_string(Size) +
                        " of the loop's own counter that starts from a constant, and the lowest "
                        "bit of a number that chooses one of two; or use std::swap)");
  }
  const std::optional<LowestBit> Is = bitOf(At);
  if (const VarDecl* V = Is ? nullptr : namedIn(At, StartsWithChanged))
    return Refuse("'" + V->getNameAsString() + "' starts with '" +
                  StartsWithChanged[V]->getNameAsString() +
                  "', which the loop changes (keep what it was in another variable)");
  if (!Is)
    return Refuse("it is not seen how this place in '" + In.second +
                  "' follows from a number that turns change by one (write t & 1, or 1 - now)");
  if (Is->Of.empty())
    return Numbered(Is->IsOdd ? 1 : 0);
  if (AreNumbered.contains(In.second))
    return Numbered(0); // refused: both
  const auto [Known, IsNew] = Pairs.try_emplace(In.second, Made.Pairs.size());
  if (!IsNew && Made.Pairs[Known->second].By != Is->Of)
    return Refuse("two numbers choose in '" + In.second + "', '" + Made.Pairs[Known->second].By +
                  "' and '" + Is->Of + "' (make one of the other where it is used)");
  if (IsNew) {
    PairPlaces.push_back(In);
    PairHolders.push_back(Is->Holder);
    TurnPair& New = Made.Pairs.emplace_back();
    New.By = Is->Of;
    for (const bool IsOdd : {false, true}) {
      const std::optional<std::size_t> Number =
          arrayOf(placeOf(Known->second, IsOdd), E->getType(), E);
      if (!Number)
        return std::nullopt;
      (IsOdd ? New.Other : New.Now) = *Number;
    }
    if (!haveOneShape(Made.Arrays[New.Now].Space, Made.Arrays[New.Other].Space, E))
      return std::nullopt;
  }
  return placeOf(Known->second, Is->IsOdd);
}

/// A reference to an array, or a parameter that is one: a name of it as long as it is seen.
bool TurnBuilder::nameArray(const VarDecl* V, const ArrayPlace& Place, QualType Ty,
                            const Stmt* At) {
  const std::optional<std::size_t> Number = arrayOf(Place, Ty, At);
  if (!Number)
    return false;
  if (AreMoved.contains(*Number))
    return refuse(At, "'" + Place.second + "' has been moved");
  for (std::size_t K = 0; K < Made.Pairs.size(); ++K)
    if (const TurnPair& Pair = Made.Pairs[K]; *Number == Pair.Now || *Number == Pair.Other) {
      LowestBit Is{Pair.By, *Number == Pair.Other, PairHolders[K]};
      PairNames[V] = {K, {std::move(Is), Region, Depth, true}};
      Arrays.erase(placeOf(V)); // of an earlier call
      return true;
    }
  PairNames.erase(V);
  Arrays[placeOf(V)] = *Number;
  return true;
}

//===-- the turn ---------------------------------------------------------------------------===//

/// Whether a part of a statement over numbers alone changes one that chooses an array: where that
/// part runs, arrays change places.
bool TurnBuilder::mayTurnOver(const Stmt* S) {
  if (!HasPairs || !isa<IfStmt, SwitchStmt, ForStmt, WhileStmt, DoStmt>(S))
    return false;
  if (Choosers.empty())
    anyPart(Loop, [&](const Stmt* Part) {
      const auto* E = dyn_cast<Expr>(Part);
      if (E && rankOfArray(E->getType()) != 0 && arrayWith(E))
        Choosers.merge(namedBy(placeIn(E), Scalar.This));
      return false;
    });
  for (std::size_t Known = 0; Known != Choosers.size();) { // `const int next = 1 - now`
    Known = Choosers.size();
    std::set<const ValueDecl*> More;
    for (const ValueDecl* Of : Choosers)
      if (const auto* V = dyn_cast<VarDecl>(Of); V && V->getInit())
        More.merge(namedBy(V->getInit(), Scalar.This));
    Choosers.merge(More);
  }
  return llvm::any_of(changedBy(S), [&](const ValueDecl* V) { return Choosers.contains(V); });
}

/// Has arrays change places where a bit is turned over, now that all pairs are known.
void TurnBuilder::exchangePairs(TurnSteps& Steps) {
  TurnSteps Out;
  for (TurnStep& Step : Steps) {
    if (isOfPairs(Step)) {
      const std::string Of = std::get<body::Name>(Step.Condition->Is).Ident;
      for (const TurnPair& Pair : Made.Pairs)
        if (Pair.By == Of)
          assign(Pair.Turned, negated(Pair.Turned), Out);
      for (const TurnPair& Pair : Made.Pairs)
        if (Pair.By == Of)
          Out.push_back(swapOf(Pair.Now, Pair.Other));
      rotateRings(Of, Out);
      continue;
    }
    exchangePairs(Step.Then);
    exchangePairs(Step.Else);
    if (Step.Is == TurnStep::Loop)
      noteCarried({&Step.Then, &Step.Else}, Step.Carried);
    // What mayTurnOver() has looked at, where no array changes places after all.
    if (std::optional<body::Stmts> Code = Step.IsOfNumbers ? asCode(Step) : std::nullopt)
      addCode(*std::move(Code), Out);
    else
      addStep(std::move(Step), Out);
  }
  Steps = std::move(Out);
}

/// Whether it is seen which array of each pair comes first.
bool TurnBuilder::pairsAreKnown() {
  for (std::size_t K = 0; K < Made.Pairs.size(); ++K) {
    TurnPair& Pair = Made.Pairs[K];
    const std::string By =
        "'" + (PairHolders[K] ? PairHolders[K]->getNameAsString() : Pair.By) + "'";
    const std::string Names =
        "'" + Made.Arrays[Pair.Now].HostName + "' and '" + Made.Arrays[Pair.Other].HostName + "'";
    if (const auto Lost = Unsteady.find(Pair.By); Lost != Unsteady.end())
      return refuse(Lost->second ? Lost->second : Loop,
                    By + " chooses one of " + Names +
                        ", and this sets it to what is not seen (change it by one, as in ++t or "
                        "now = 1 - now)");
    Pair.Start = Pair.By;
    if (const auto Starts = StartBits.find(Pair.By); Starts != StartBits.end()) {
      Pair.Start = Starts->second.Of;
      Pair.StartsOdd = Starts->second.IsOdd;
    }
    const bool IsGiven = llvm::any_of(Made.Scalars, [&](const TurnScalar& Of) {
      return Of.Name == Pair.Start && !Of.HostName.empty();
    });
    if (!Pair.Start.empty() && !IsGiven)
      return refuse(Loop, "it is not seen what " + By + ", which chooses one of " + Names +
                              ", is at first (set it before the loop)");
    Pair.Turned = flag("turned");
    Made.Begin.insert(Made.Begin.begin(), assignment(Pair.Turned, "false"));
  }
  for (TurnSteps* Steps : {&Made.Begin, &Made.Body, &Made.Test})
    exchangePairs(*Steps);
  noteCarried({&Made.Body, &Made.Test}, Made.Carried);
  return true;
}

} // namespace ikra
