// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structs that hold arrays, beside numbers, `struct state { ikra::array<float> p, v; float dt; }`:
// each field is a variable of the turn. What sets such a struct as a whole sets its fields, after
// all of what they become is known: `s = {s.v, s.p, s.dt}`.
#include "TurnBuilder.h"

#include "Analysis/Ast/Names.h"
#include "Analysis/Ast/Types.h"

using namespace clang;

namespace ikra {

/// Of a class whose fields are all there is to it; null for all others.
static const CXXRecordDecl* classOfFields(QualType Ty) {
  const CXXRecordDecl* Class = Ty.getNonReferenceType()->getAsCXXRecordDecl();
  const bool Is = Class && Class->isAggregate() && Class->getNumBases() == 0 && !Class->isUnion() &&
                  !Class->hasUserDeclaredDestructor();
  return Is ? Class : nullptr;
}

/// Whether a struct's fields are variables of the turn: it has arrays, or is a part of one that
/// has.
static bool isOfFields(QualType Ty) {
  const CXXRecordDecl* Class = classOfFields(Ty);
  return holdsArrays(Ty) || (Class && !isInStd(Class));
}

/// Whether a default names other fields, by the object that is made.
static bool usesThis(const Stmt* S) {
  return anyPart(S, [](const Stmt* Part) { return isa<CXXThisExpr>(Part); });
}

/// What copies or moves make their copy of.
static const Expr* withoutCopies(const Expr* E) {
  for (;;) {
    E = written(E);
    if (const auto* Call = dyn_cast<CallExpr>(E);
        Call && isNamedInStd(Call->getDirectCallee(), {"move"}) && Call->getNumArgs() == 1) {
      E = Call->getArg(0);
      continue;
    }
    // World{…}, and World(…) of an aggregate
    if (const auto* Typed = dyn_cast<CXXFunctionalCastExpr>(E);
        Typed && isa<InitListExpr, CXXParenListInitExpr>(written(Typed->getSubExpr()))) {
      E = Typed->getSubExpr();
      continue;
    }
    const auto* Copy = dyn_cast<CXXConstructExpr>(E);
    if (!Copy || !Copy->getConstructor()->isCopyOrMoveConstructor() ||
        Copy->getConstructor()->isUserProvided())
      return E;
    E = Copy->getArg(0);
  }
}

/// Whether a field is one scalar, and has more than a number in it.
bool TurnBuilder::isValueField(const FieldDecl* Field, const MemberOfVariable& Place) const {
  return !Field->getType()->isReferenceType() && Scalar.isStruct(Field->getType()) &&
         Scalar.valueFieldAround(Place).has_value();
}

/// The fields of one struct become those of another.
bool TurnBuilder::copiedFields(const MemberOfVariable& Place, const MemberOfVariable& From,
                               QualType Ty, const Expr* At, std::vector<FieldValue>& All) {
  const CXXRecordDecl* Class = classOfFields(Ty);
  if (!Class)
    return refuse(At,
                  "'" + From.Text + "' is a struct, and no aggregate (set its fields one by one)");
  for (const FieldDecl* Field : Class->fields()) {
    const QualType Of = Field->getType();
    const auto In = [&](const MemberOfVariable& Whole) {
      return MemberOfVariable{Whole.Of, Whole.Text + "." + Field->getNameAsString()};
    };
    FieldValue New{In(Place), Of, std::nullopt, nullptr};
    if (isOfFields(Of) && !isValueField(Field, In(Place))) {
      if (!copiedFields(In(Place), In(From), Of, At, All))
        return false;
      continue;
    }
    if (rankOfArray(Of) != 0) {
      New.Array = held({From.Of, In(From).Text}, Of, At);
      if (!New.Array)
        return false;
    } else if ((Scalar.isNumber(Of) || isValueField(Field, In(Place))) && !Field->isBitField() &&
               !Of->isReferenceType()) {
      if (!Scalar.isWhole(From.Of) && isOfLoop(From.Of) && !holdsArrays(From.Of->getType()))
        return refuse(At, "'" + From.Text + "' is no struct that turns hold");
      New.Value = named(Scalar.isWhole(From.Of) ? nameOfPart(From.Of, In(From).Text)
                                                : Made.Scalars[memberOf(In(From), Of)].Name);
    } else {
      return refuse(
          At, "'" + In(From).Text +
                  "' is no array, no number, and no struct of these that is copied byte by byte");
    }
    All.push_back(std::move(New));
  }
  return true;
}

/// What the fields of a struct become.
bool TurnBuilder::fieldsOf(const MemberOfVariable& Place, QualType Ty, const Expr* To,
                           std::vector<FieldValue>& All, TurnSteps& Out) {
  To = withoutCopies(To);
  const auto* List = dyn_cast<InitListExpr>(To);
  if (List && List->isSyntacticForm() && List->getSemanticForm())
    List = List->getSemanticForm();
  const CXXRecordDecl* Class = classOfFields(Ty);
  if (const auto* Made = dyn_cast<CXXConstructExpr>(To);
      Class && Made && Made->getConstructor()->isDefaultConstructor())
    return refuse(To, "a struct is made without its fields (give them in braces)");
  llvm::ArrayRef<const Expr*> Inits;
  if (const auto* InParens = dyn_cast<CXXParenListInitExpr>(To))
    Inits = {InParens->getInitExprs().begin(), InParens->getInitExprs().end()};
  else if (List)
    Inits = {List->getInits(), List->getNumInits()};
  if ((!List && !isa<CXXParenListInitExpr>(To)) || !Class) {
    const std::optional<MemberOfVariable> From = placeOfVariable(To, Scalar.This);
    return From ? copiedFields(Place, *From, Ty, To, All)
                : refuse(To, "a struct is made of no list in braces, and of no variable (set its "
                             "fields one by one)");
  }
  unsigned K = 0;
  for (const FieldDecl* Field : Class->fields()) {
    if (K == Inits.size())
      return refuse(To, "its list in braces does not name all fields");
    const Expr* Init = Inits[K++];
    if (const auto* Default = dyn_cast<CXXDefaultInitExpr>(Init)) {
      Init = Default->getExpr();
      if (usesThis(Init))
        return refuse(To, "its list in braces leaves out '" + Field->getNameAsString() +
                              "', whose default names other fields");
    }
    const QualType Of = Field->getType();
    FieldValue New{
        {Place.Of, Place.Text + "." + Field->getNameAsString()}, Of, std::nullopt, nullptr};
    const bool IsValue = isValueField(Field, New.Place);
    if (isOfFields(Of) && !IsValue) {
      if (!fieldsOf(New.Place, Of, Init, All, Out))
        return false;
      continue;
    }
    if (rankOfArray(Of) != 0) {
      New.Array = operand(Init, Out);
      if (!New.Array)
        return false;
    } else if ((Scalar.isNumber(Of) || IsValue) && !Field->isBitField() && !Of->isReferenceType()) {
      New.Value = value(Init, Out);
      if (!New.Value)
        return false;
    } else {
      return refuse(
          Init, "'" + Field->getNameAsString() +
                    "' is no array, no number, and no struct of these that is copied byte by byte");
    }
    All.push_back(std::move(New));
  }
  return true;
}

bool TurnBuilder::setStruct(const MemberOfVariable& Place, QualType Ty, const Expr* To,
                            TurnSteps& Out) {
  To = withoutCopies(To);
  if (const std::optional<CalledCode> Of = calledCode(To))
    return call(To, *Of, Out,
                [&](const Expr* Result) { return setStruct(Place, Ty, Result, Out); });
  std::vector<FieldValue> All;
  if (!fieldsOf(Place, Ty, To, All, Out))
    return false;
  // One field may become what another one was.
  for (FieldValue& Field : All) {
    if (Field.Array && !Field.Array->IsCommand) {
      const std::size_t Copy = addOwn("copied", Field.Ty);
      if (!haveOneShape(Made.Arrays[Copy].Space, spaceOf(*Field.Array), To))
        return false;
      set(Copy, *Field.Array, Out);
      Field.Array = TurnInput{false, Copy};
    }
    if (Field.Value) {
      const std::string Copy = Made.Scalars[addScalar("copied", typeOf(Field.Ty))].Name;
      assign(Copy, std::exchange(Field.Value, named(Copy)), Out);
    }
  }
  for (const FieldValue& Field : All) {
    if (Field.Value) {
      const std::string& Name = Made.Scalars[memberOf(Field.Place, Field.Ty)].Name;
      assign(Name, Field.Value, Out);
      loseBit(Name, To);
      continue;
    }
    const std::optional<std::size_t> Number =
        arrayOf({Field.Place.Of, Field.Place.Text}, Field.Ty, To);
    if (!Number || !haveOneShape(Made.Arrays[*Number].Space, spaceOf(*Field.Array), To))
      return false;
    if (Made.Arrays[*Number].HostName.empty())
      AreMoved.erase(*Number);
    if (!set(*Number, *Field.Array, Out))
      return false;
  }
  return true;
}

} // namespace ikra
