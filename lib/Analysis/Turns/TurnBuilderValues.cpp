// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What turns compute: numbers, and arrays by commands.
#include "TurnBuilder.h"

#include "Analysis/Ast/Constants.h"
#include "Analysis/Ast/Names.h"
#include "Analysis/Ast/Types.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace clang;

namespace ikra {

//===-- scalars ----------------------------------------------------------------------------===//

std::size_t TurnBuilder::addScalar(std::string Name, const Type& Ty) {
  TurnScalar New;
  New.Name = unusedName(std::move(Name));
  New.Ty = Ty;
  Made.Scalars.push_back(std::move(New));
  return Made.Scalars.size() - 1;
}

/// A built-in array is a std::array on the device, which can be assigned.
Type TurnBuilder::typeOf(QualType Ty) {
  const auto* Array = Context.getAsConstantArrayType(Ty);
  if (!Array)
    return Types.classify(Ty.getUnqualifiedType());
  Type Out = typeOf(Array->getElementType());
  const std::uint64_t Size = Array->getSize().getZExtValue();
  Out.Spelling = "std::array<" + Out.Spelling + ", " + std::to_string(Size) + ">";
  Out.Bytes *= static_cast<unsigned>(Size);
  Out.IsClass = true;
  return Out;
}

std::size_t TurnBuilder::scalarOf(const VarDecl* V) {
  if (const auto Known = Scalars.find(V); Known != Scalars.end())
    return Known->second;
  const std::size_t Number =
      addScalar(V->getNameAsString(), typeOf(V->getType().getNonReferenceType()));
  if (!isOfLoop(V)) {
    Made.Scalars[Number].HostName = V->getNameAsString();
    Made.Scalars[Number].IsWritten = Changed.contains(V);
  }
  return Scalars[V] = Number;
}

/// A struct that is a scalar as a whole, or a part of one. \param Text as the loop would write it
std::string TurnBuilder::nameOfPart(const ValueDecl* Of, llvm::StringRef Text) {
  if (const auto Field = Scalar.valueFieldAround({Of, Text.str()}); Field && !Scalar.isWhole(Of))
    return Made.Scalars[memberOf({Of, Field->Text}, Field->Ty)].Name +
           Text.substr(Field->Text.size()).str();
  if (const auto* V = dyn_cast<VarDecl>(Of))
    return nameOf(V) + Text.substr(V->getName().size()).str();
  const std::string Whole = "this->" + Of->getNameAsString();
  return Made.Scalars[memberOf({Of, Whole}, Of->getType())].Name + Text.substr(Whole.size()).str();
}

std::string TurnBuilder::nameOf(const VarDecl* V) {
  const auto Known = Parts.find(V);
  return Known != Parts.end() ? Known->second : Made.Scalars[scalarOf(V)].Name;
}

std::size_t TurnBuilder::memberOf(const MemberOfVariable& Member, QualType Ty) {
  const auto [Known, IsNew] = Members.try_emplace({Member.Of, Member.Text});
  if (IsNew) {
    const std::size_t Name = Member.Text.find_last_of(".>") + 1;
    Known->second = addScalar(Member.Text.substr(Name), typeOf(Ty));
    if (!isOfLoop(Member.Of))
      Made.Scalars[Known->second].HostName = Member.Text;
  }
  // A method that is const names as const what others change.
  Made.Scalars[Known->second].IsWritten |=
      !isOfLoop(Member.Of) && Changed.contains(Member.Of) && !Ty.isConstQualified();
  return Known->second;
}

std::string TurnBuilder::nameOf(const Expr* E) {
  if (const auto Known = Results.find(E); Known != Results.end())
    return Known->second;
  if (isa<CXXThisExpr>(E) && Scalar.isWholeReceiver())
    return nameOfPart(Scalar.This.Of, Scalar.This.Text);
  if (const auto Member = isa<MemberExpr>(E) ? Scalar.fieldOf(E) : std::nullopt)
    return Made.Scalars[memberOf(*Member, E->getType())].Name;
  const ValueDecl* Name = declNamed(E);
  if (const auto* Part = dyn_cast_or_null<BindingDecl>(Name); Part && isPart(Part)) {
    const auto Of = Scalars.find(cast<VarDecl>(Part->getDecomposedDecl()));
    if (Of == Scalars.end() && !isOfLoop(Part)) // of a variable without a name
      return Made.Scalars[memberOf({Part, Part->getNameAsString()}, Part->getType())].Name;
    return Of == Scalars.end()
               ? ""
               : Made.Scalars[Of->second].Name + "." +
                     cast<MemberExpr>(Part->getBinding())->getMemberDecl()->getNameAsString();
  }
  const VarDecl* V = Name ? namedVariable(Name) : nullptr;
  if (!V || !V->hasLocalStorage() || (constantText(V) && !isDeclaredIn(V, HomeFunction.Decl)))
    return "";
  // What scalar code declares is its own.
  if (isOfLoop(V) && !Scalars.contains(V) && !Parts.contains(V))
    return "";
  return nameOf(V);
}

/// Runs what \p S reads of arrays in front of it.
bool TurnBuilder::readsIn(const Stmt* S, TurnSteps& Out) {
  if (!S || isa<LambdaExpr>(S))
    return true;
  if (const auto* E = dyn_cast<Expr>(S); E && isChoice(E))
    return choice(E, Out);
  if (const auto* E = dyn_cast<Expr>(S); E && arrayReadBy(E))
    return read(E, Out);
  if (const auto* E = dyn_cast<Expr>(S))
    if (const std::optional<AskedSize> Asked = sizeAskedBy(E, Context))
      return readSize(E, *Asked, Out);
  if (const auto* E = dyn_cast<Expr>(S))
    if (const std::optional<CalledCode> Of = calledCode(E)) {
      return call(E, *Of, Out, [&](const Expr* Result) {
        body::ExprRef Value = value(Result, Out);
        if (!Value)
          return false;
        Results[E] = newScalar("called", E->getType());
        assign(Results[E], std::move(Value), Out);
        return true;
      });
    }
  const auto Sometimes = [&](const Stmt* Part) {
    const bool Was = std::exchange(IsConditional, true);
    const bool Done = readsIn(Part, Out);
    IsConditional = Was;
    return Done;
  };
  if (const auto* Operator = dyn_cast<BinaryOperator>(S); Operator && Operator->isLogicalOp())
    return readsIn(Operator->getLHS(), Out) && Sometimes(Operator->getRHS());
  if (const auto* Choice = dyn_cast<ConditionalOperator>(S))
    return readsIn(Choice->getCond(), Out) && Sometimes(Choice->getTrueExpr()) &&
           Sometimes(Choice->getFalseExpr());
  return llvm::all_of(S->children(), [&](const Stmt* Part) { return readsIn(Part, Out); });
}

/// What no turn changes: an array from before the loop has to have the turn's shape then.
bool TurnBuilder::readSize(const Expr* E, const AskedSize& Asked, TurnSteps& Out) {
  const std::optional<TurnInput> Of = array(Asked.Array, Out);
  if (!Of)
    return false;
  if (isReduction(*Of))
    return refuse(E, "the size of a reduction's result is asked");
  if (!Of->IsCommand)
    AreSized.insert(Of->Number);
  const TurnScalar::Size Size{leaderOf(spaceOf(*Of)), Asked.Dimension};
  std::string& Name = Sizes[Size];
  if (Name.empty()) {
    const auto* Member = dyn_cast<MemberExpr>(Asked.Array);
    const std::string Array =
        (Member ? Member->getMemberDecl() : cast<DeclRefExpr>(Asked.Array)->getDecl())
            ->getNameAsString();
    TurnScalar& New = Made.Scalars[addScalar(
        Array + (Asked.Dimension ? "_extent" + std::to_string(*Asked.Dimension) : "_size"),
        Types.classify(E->getType().getUnqualifiedType()))];
    New.Is = Size;
    Name = New.Name;
  }
  Results[E] = Name;
  return true;
}

bool TurnBuilder::read(const Expr* E, TurnSteps& Out) {
  const llvm::SaveAndRestore Array(IsOfArray, true);
  const auto* Call = cast<CallExpr>(E);
  std::optional<TurnInput> Of;
  if (const auto Known = Sections.Numbers.find(E); Known != Sections.Numbers.end()) {
    Of = operand(arrayReadBy(E), Out);
    for (const Index S : Known->second) {
      if (!Of || !canRun(Model.Sections[S], E))
        return false;
      TurnCommand New;
      New.Section = S;
      New.Inputs = {*Of};
      New.Over = New.Space = spaceOf(*Of);
      if (!capturesOf(Call, Model.Sections[S], New, Out) ||
          !firstOf(Call, Model.Sections[S], New, Out))
        return false;
      Of = add(std::move(New), Out);
    }
  } else {
    const std::string Name = Call->getDirectCallee()->getNameAsString();
    if (Name == "peach")
      return refuse(E, "'peach' is over objects, and a turn has arrays of values alone (keep what "
                       "it changes in arrays)");
    if (Name != "value" && Name != "operator[]" && Name != "operator()")
      return refuse(E, "'" + Name + "' of an array is no read of an element");
    Of = array(arrayReadBy(E), Out);
    if (!Of)
      return false;
    const bool IsResult = isReduction(*Of);
    if (!IsResult && Name != "value")
      return element(Call, *Of, Out);
    const auto* Place = Call->getNumArgs() == 2
                            ? dyn_cast<IntegerLiteral>(Call->getArg(1)->IgnoreParenImpCasts())
                            : nullptr;
    if (!IsResult || (Name != "value" && !(Place && Place->getValue().isZero())))
      return refuse(E, "the array that is read is no reduction's result");
  }
  if (!Of)
    return false;
  if (Where[Of->Number] == Region && !IsConditional)
    AreRead.insert(Of->Number);
  Results[E] = Made.Scalars[Made.Commands[Of->Number].Result].Name;
  return true;
}

/// Reads one element. Where there is none, the loop runs as written, which fails as it should.
bool TurnBuilder::element(const CallExpr* Call, TurnInput Of, TurnSteps& Out) {
  if (!Scalar.isValue(Call->getType()))
    return refuse(Call, "the element is no number");
  TurnStep Step(TurnStep::Read);
  Step.Value = Of;
  llvm::ArrayRef<const Expr*> Places(Call->getArgs() + 1, Call->getNumArgs() - 1);
  if (const auto* Index =
          Places.size() == 1 ? dyn_cast<CXXConstructExpr>(Places[0]->IgnoreImplicit()) : nullptr;
      Index && isIndex(Index->getType()) && !Index->getConstructor()->isCopyOrMoveConstructor())
    Places = {Index->getArgs(), Index->getNumArgs()}; // a[{i, j}]
  for (const Expr* Place : Places) {
    if (!Place->getType()->isIntegralOrEnumerationType() || !Scalar.isNumber(Place->getType()))
      return refuse(Place, "the element's place is given by no number (write a(i, k), or "
                           "a[{i, k}])");
    if (IsConditional && !Place->isEvaluatable(Context))
      return refuse(Call, "the element may not be there where the program does not read it");
    Step.Place.push_back(value(Place, Out));
    if (!Step.Place.back())
      return false;
  }
  mayFailAt(Call);
  Step.Number = addScalar("element_" + std::to_string(++Reductions),
                          Types.classify(Call->getType().getUnqualifiedType()));
  Results[Call] = Made.Scalars[Step.Number].Name;
  if (IsConditional)
    AreMaybeRead.insert(Step.Number);
  if (llvm::all_of(Places, [&](const Expr* Place) {
        const std::optional<llvm::APSInt> Value = constantInteger(Place, Context);
        return Value && Value->isZero();
      }))
    AreThere.insert(Step.Number);
  Out.push_back(std::move(Step));
  return true;
}

bool TurnBuilder::scalarCode(const Stmt* S, TurnSteps& Out) {
  bool HasRead = false;
  const bool Accepted = Scalar.accepts(S, [&](const Expr*) { return HasRead = true; });
  if (!Accepted)
    return false;
  if (HasRead) {
    const auto* E = dyn_cast<Expr>(S);
    const Expr* Root = E ? E->IgnoreUnlessSpelledInSource() : nullptr;
    const Stmt* Pure = S;
    if (const auto* Assigns = dyn_cast_or_null<BinaryOperator>(Root);
        Assigns && Assigns->isAssignmentOp())
      Pure = Assigns->getRHS();
    if (const auto* Assigns = dyn_cast_or_null<CXXOperatorCallExpr>(Root);
        Assigns && Assigns->isAssignmentOp())
      Pure = Assigns->getArg(1);
    if (!E || !mayReadBefore(Pure))
      return refuse(S, "it reads an array within code that changes numbers");
    if (!readsIn(Pure, Out))
      return false;
  }
  const auto Named = [this](const Expr* E) { return nameOf(E); };
  BodyBuilder Builder(Context, Diags, Model, Types, HomeFunction, Named);
  addCode(Builder.codeOf(S), Out);
  noteChanges(S, Out);
  return true;
}

/// An expression without effects: one that has some is computed before, into a scalar of the turn's
/// own. Null where it cannot be one.
body::ExprRef TurnBuilder::value(const Expr* E, TurnSteps& Out) {
  if (!Scalar.accepts(E, [](const Expr*) { return true; }))
    return nullptr;
  const bool HasEffects = !changedOutside(E).empty();
  if (HasEffects && (IsConditional || !mayReadBefore(E))) {
    refuse(E, IsConditional ? "it changes a number where the program may not do so"
                            : "it reads an array within code that changes numbers");
    return nullptr;
  }
  if (!readsIn(E, Out))
    return nullptr;
  const auto Named = [this](const Expr* Of) { return nameOf(Of); };
  body::ExprRef Value = BodyBuilder(Context, Diags, Model, Types, HomeFunction, Named).valueOf(E);
  if (!HasEffects)
    return Value;
  const std::string Name = newScalar("value", E->getType());
  assign(Name, std::move(Value), Out);
  loseBits(E);
  return named(Name);
}

//===-- arrays -----------------------------------------------------------------------------===//

std::optional<TurnBuilder::ArrayPlace> TurnBuilder::arrayPlace(const Expr* E) {
  E = written(E);
  if (rankOfArray(E->getType()) == 0)
    return std::nullopt;
  if (arrayWith(E))
    return placeInArray(E);
  if (const auto* Leads = dyn_cast<UnaryOperator>(E); Leads && Leads->getOpcode() == UO_Deref)
    return none(E, throughPointer());
  if (const std::optional<MemberOfVariable> Member = memberOfVariable(E, Scalar.This))
    return ArrayPlace{Member->Of, Member->Text};
  const ValueDecl* Name = declNamed(E);
  const VarDecl* V = Name ? namedVariable(Name) : nullptr;
  if (const auto Known = PairNames.find(V); Known != PairNames.end()) {
    const std::optional<LowestBit> Is = known(Known->second.second);
    if (!Is)
      refuse(E, "'" + V->getNameAsString() +
                    "' was bound before the number changed that chooses its array (bind it after)");
    return Is ? std::optional(placeOf(Known->second.first, Is->IsOdd)) : std::nullopt;
  }
  return V ? std::optional(placeOf(V)) : std::nullopt;
}

std::optional<std::size_t> TurnBuilder::arrayOf(const ArrayPlace& Place, QualType Ty,
                                                const Stmt* At) {
  const ValueDecl* V = Place.first;
  if (const auto Known = Arrays.find(Place); Known != Arrays.end())
    return Known->second;
  const auto Refuse = [&](std::string Why) {
    return none(At, "'" + V->getNameAsString() + "' " + std::move(Why));
  };
  if (const auto* Variable = dyn_cast<VarDecl>(V); Variable && !Variable->hasLocalStorage())
    return Refuse("is no local variable");
  if (isOfPack(V) && !isOfLoop(V))
    return Refuse("is one of a pack");
  if (mayNameAnother(V))
    return none(At, ofAnother(V));
  const QualType Element = elementOfContainer(Ty);
  if (const Type Of = Types.classify(Element); Of.Kind != TypeKind::Value || !Of.isAsInProgram())
    return Refuse("holds no values");
  TurnArray New;
  New.Space = addSpace(rankOfArray(Ty));
  New.Name = unusedName(identOf(Place.second.substr(Place.second.find_last_of(".>") + 1)));
  New.Element = Types.classify(Element.getUnqualifiedType());
  New.IsAssigned = Changed.contains(V);
  if (!isOfLoop(V))
    New.HostName = Place.second;
  DepthOfArray.push_back(New.HostName.empty() ? Depth : 0);
  Made.Arrays.push_back(std::move(New));
  return Arrays[Place] = Made.Arrays.size() - 1;
}

bool TurnBuilder::canRun(const ikra::Section& S, const Stmt* At) {
  const auto IsValue = [](const Type& T) { return T.Kind == TypeKind::Value && T.isAsInProgram(); };
  switch (S.Op) {
  case ikra::Operation::PNew:
  case ikra::Operation::PMap:
  case ikra::Operation::PCombine:
  case ikra::Operation::PStencil:
  case ikra::Operation::PReduce:
  case ikra::Operation::PReduceByIndex:
    break;
  default:
    return refuse(At, std::string("turns have no ") + ikra::nameOf(S.Op));
  }
  if (S.Access.UsesColumns || !IsValue(S.Result) || !llvm::all_of(S.Elements, IsValue))
    return refuse(At, "its section is over something else than values");
  if (S.Op == ikra::Operation::PReduce && S.Result.IsClass) {
    QualType Ty = cast<Expr>(At)->getType();
    if (rankOfArray(Ty) != 0)
      Ty = elementOfContainer(Ty);
    if (!Scalar.isStruct(Ty))
      return refuse(At, "the result of this '" + std::string(ikra::nameOf(S.Op)) +
                            "' is no number, and no struct of public numbers that is copied "
                            "byte by byte");
  }
  if (S.Access.CallsAt || S.Access.ChecksNull)
    return refuse(At, "its section may fail");
  if (IsConditional && !S.Flow.Speculatable)
    return refuse(At, "it may only run where the program asks for its result");
  return true;
}

TurnInput TurnBuilder::add(TurnCommand Command, TurnSteps& Out) {
  if (operationOf(Model, Command) == ikra::Operation::PReduce)
    Command.Result = addScalar("result_" + std::to_string(++Reductions),
                               Model.Sections[*Command.Section].Result);
  Made.Commands.push_back(std::move(Command));
  Where.push_back(IsConditional ? ++Regions : Region);
  TurnStep Step(TurnStep::Run);
  Step.Number = Made.Commands.size() - 1;
  Out.push_back(std::move(Step));
  return {true, Made.Commands.size() - 1};
}

/// What a section captures, as values over the turn's scalars where it stands.
bool TurnBuilder::capturesOf(const Expr* Call, const ikra::Section& S, TurnCommand& Out,
                             TurnSteps& Steps) {
  const auto Add = [&](const Expr* E) {
    if (!changedHere(E).empty()) // others may have captured it before
      return refuse(E, "it changes a number that is captured");
    body::ExprRef Value = value(E, Steps);
    Out.UsesScalars |= Value && !E->isEvaluatable(Context);
    Out.Captures.push_back(std::move(Value));
    return Out.Captures.back() != nullptr;
  };
  const auto Inits = [&](const ValueDecl* V) -> const Expr* {
    // That of a lambda around it is a variable here.
    if (llvm::any_of(S.Site.Lambda->captures(), [&](const LambdaCapture& C) {
          return S.Site.Lambda->isInitCapture(&C) && C.getCapturedVar() == V;
        }))
      return cast<VarDecl>(V)->getInit();
    for (const Expr* E : S.Site.Lambda->capture_inits())
      if (E && declNamed(written(E)) == V)
        return E;
    return nullptr;
  };
  for (std::size_t K = 0; K < S.Code.Captures.size(); ++K) {
    const Capture& C = S.Code.Captures[K];
    const ValueDecl* Holder =
        isa_and_nonnull<VarDecl, BindingDecl>(C.Decl) ? cast<ValueDecl>(C.Decl) : nullptr;
    if (C.Kind == CaptureKind::View && Holder && rankOfArray(Holder->getType()) != 0 &&
        S.Site.Lambda && S.Site.From == CapturesFrom::Names && !C.IsOfLambda) {
      const Expr* Init = Inits(Holder);
      const std::optional<TurnInput> Of = Init ? array(Init, Steps) : std::nullopt;
      if (!Of)
        return refuse(Call, "'" + C.Name + "', which its section captures, is no array here");
      if (isReduction(*Of))
        return refuse(Call, "its section captures a reduction's result");
      Out.CapturedArrays.emplace_back(K, *Of);
      Out.Captures.push_back(nullptr);
      continue;
    }
    if (C.Kind != CaptureKind::Value || C.IsOfLambda ||
        (Holder && Holder->getType().getNonReferenceType()->isArrayType()) ||
        (C.Ty.IsClass && !(Holder && Scalar.isStruct(Holder->getType()))))
      return refuse(Call, "its section captures '" + C.Name +
                              (C.Kind == CaptureKind::View
                                   ? "', a container (make an ikra::array of it before the loop)"
                                   : "', which is no number (capture the numbers of it that are "
                                     "read)"));
    if (S.Site.Written == Rewriting::Operator) {
      const auto Operand = llvm::find_if(cast<CallExpr>(Call)->arguments(), [](const Expr* E) {
        return rankOfArray(E->getType()) == 0;
      });
      if (Operand == cast<CallExpr>(Call)->arg_end() || !Add(*Operand))
        return refuseElse(Call, "its operand is no number");
      continue;
    }
    if (!S.Site.Lambda || !Holder || S.Site.From != CapturesFrom::Names)
      return refuse(Call, "its section does not stand in the call");
    const Expr* Init = Inits(Holder);
    if (!Init || !Add(Init))
      return refuse(Call, "'" + C.Name + "', which its section captures, is no variable here");
  }
  return true;
}

/// What a reduction starts with, or a stencil gives outside.
bool TurnBuilder::firstOf(const CallExpr* Call, const ikra::Section& S, TurnCommand& Out,
                          TurnSteps& Steps) {
  if (S.Op == ikra::Operation::PReduce && S.FromInit &&
      S.Site.Written == Rewriting::NewArgument) { // sum() and its kin
    const std::string Name = Call->getDirectCallee()->getNameAsString();
    if (S.Result.IsClass) { // T() is what its constructor or its members' initialisers make
      CodeType Ty;
      Ty.Of = S.Result;
      Out.First =
          body::expr(body::Make{std::make_shared<const CodeType>(std::move(Ty)), {}, false});
      return true;
    }
    const char* const OfNumbers = Name == "all" ? "true" : "0";
    Out.First = literal(Name == "any" ? "false" : OfNumbers);
    return true;
  }
  const bool IsStencil = S.Op == ikra::Operation::PStencil && S.AtBorder == Border::Value;
  const bool IsByIndex = S.Op == ikra::Operation::PReduceByIndex;
  const bool HasFirst = S.Op == ikra::Operation::PReduce && S.FromInit;
  if (!IsStencil && !HasFirst && !IsByIndex)
    return true;
  const unsigned Place = IsStencil ? 1 : 0;
  const Expr* E = Call->getArg(IsByIndex ? 2 : Place);
  if (!Scalar.isValue(E->getType()))
    return refuse(E, std::string(IsStencil ? "the result at the border of this 'pstencil'"
                                           : "what this reduction starts with") +
                         " is no number, and no struct of public numbers that is copied byte by "
                         "byte");
  Out.First = value(E, Steps);
  Out.UsesScalars |= !E->isEvaluatable(Context);
  return Out.First != nullptr;
}

std::optional<TurnInput> TurnBuilder::command(const Expr* E, Index Section, TurnSteps& Out) {
  const auto* Call = cast<CallExpr>(E);
  const ikra::Section& S = Model.Sections[Section];
  if (!canRun(S, E))
    return std::nullopt;
  if (S.Op == ikra::Operation::PReduceByIndex)
    return byIndex(cast<CXXMemberCallExpr>(Call), Section, Out);
  TurnCommand New;
  New.Section = Section;
  std::vector<const Expr*> Inputs;
  if (const auto* Method = dyn_cast<CXXMemberCallExpr>(Call)) {
    const Expr* Object = written(Method->getImplicitObjectArgument());
    if (S.WithIndex)
      if (const auto* Indexed = dyn_cast<CXXMemberCallExpr>(Object))
        Object = Indexed->getImplicitObjectArgument();
    Inputs.push_back(Object);
  }
  for (const Expr* Argument : Call->arguments())
    if (rankOfArray(Argument->getType()) != 0)
      Inputs.push_back(Argument);
  if (Inputs.size() != S.Elements.size())
    return none(E, "its arrays are not seen");
  std::optional<std::size_t> Over;
  if (S.Op == ikra::Operation::PNew) {
    Over = shapeOf(Call, S.Rank);
    if (!Over)
      return std::nullopt;
  }
  for (const Expr* Input : Inputs) {
    const std::optional<TurnInput> Of = operand(Input, Out);
    if (!Of || (Over && !haveOneShape(*Over, spaceOf(*Of), E)))
      return std::nullopt;
    Over = spaceOf(*Of);
    New.Inputs.push_back(*Of);
  }
  New.Over = New.Space = *Over;
  if (!capturesOf(Call, S, New, Out) || !firstOf(Call, S, New, Out))
    return std::nullopt;
  return add(std::move(New), Out);
}

std::optional<TurnInput> TurnBuilder::operand(const Expr* E, TurnSteps& Out) {
  const std::optional<TurnInput> Of = array(E, Out);
  if (Of && isReduction(*Of))
    return none(E, "it reads a reduction's result as an array");
  return Of;
}

std::optional<TurnInput> TurnBuilder::array(const Expr* E, TurnSteps& Out) {
  E = written(E);
  // Nothing else reads what the call of a function changes, if a variable is set to what it gives.
  const bool IsAlone = std::exchange(IsWhole, false) && calledCode(E);
  const llvm::SaveAndRestore Array(IsOfArray, !IsAlone);
  const auto* Call = arrayWith(E) ? nullptr : dyn_cast<CallExpr>(E);
  if (Call && Call->getDirectCallee()) {
    const FunctionDecl* Callee = Call->getDirectCallee();
    if (const auto Known = Sections.Arrays.find(E); Known != Sections.Arrays.end())
      return command(E, Known->second, Out);
    if (const std::optional<CalledCode> Of = calledCode(E)) {
      std::optional<TurnInput> Given;
      const bool Done = call(E, *Of, Out, [&](const Expr* Result) {
        Given = array(Result, Out);
        return Given.has_value();
      });
      return Done ? Given : std::nullopt;
    }
    if (isNamedInStd(Callee, {"move"}) && Call->getNumArgs() == 1)
      return moved(Call, Out);
    if (isNamedInIkra(Callee, {"phistogram"}))
      return counts(cast<CXXMemberCallExpr>(Call), Out);
    const auto* Method = dyn_cast<CXXMethodDecl>(Callee);
    return none(E, Method && !isInIkra(Method) ? ofMethod(Method)
                   : isInStd(Callee)
                       ? "turns do not follow 'std::" + Callee->getNameAsString() +
                             "' of arrays (use std::swap, or b = std::move(a))"
                       : "'" + Callee->getNameAsString() + "' is no array command that turns have");
  }
  if (const auto* Choice = dyn_cast<ConditionalOperator>(E))
    return chosen(Choice, Out);
  if (E->getType()->isPointerType())
    return none(E, throughPointer());
  const std::optional<ArrayPlace> Place = arrayPlace(E);
  if (!Place)
    return none(E, "this array is no variable, no member of one, and no command's result");
  if (const auto* V = dyn_cast<VarDecl>(Place->first)) {
    if (const auto Known = Values.find(V); Known != Values.end())
      return Known->second;
    if (isOfLoop(V) && !Arrays.contains(*Place))
      return none(E, "'" + V->getNameAsString() + "' has been moved");
  }
  return held(*Place, E->getType(), E);
}

/// `std::move(b)`. What is from before the loop may be moved where each turn comes along. After
/// the loop it is empty then, unless the turn sets it again.
std::optional<TurnInput> TurnBuilder::moved(const CallExpr* Call, TurnSteps& Out) {
  const Expr* Of = Call->getArg(0);
  const std::optional<ArrayPlace> Place = arrayPlace(Of);
  const auto Known = Place ? Values.find(dyn_cast<VarDecl>(Place->first)) : Values.end();
  if (Known != Values.end()) {
    const TurnInput Moved = Known->second;
    Values.erase(Known); // it is empty from here on
    return Moved;
  }
  const std::optional<std::size_t> Number =
      Place ? arrayOf(*Place, Of->getType(), Call) : std::nullopt;
  const bool IsOfPair =
      Number && (llvm::any_of(Made.Pairs,
                              [&](const TurnPair& Pair) {
                                return *Number == Pair.Now || *Number == Pair.Other;
                              }) ||
                 llvm::any_of(Made.Rings, [&](const TurnRing& Ring) {
                   return llvm::is_contained(Ring.Arrays, *Number);
                 }));
  const bool IsOwn = Number && Made.Arrays[*Number].HostName.empty();
  if (Number && !IsOfPair &&
      (IsOwn ? DepthOfArray[*Number] == Depth : Depth == 1 && Region == RegionOfBody)) {
    const std::optional<TurnInput> Is = array(Of, Out);
    AreMoved.insert(*Number);
    return Is;
  }
  const std::string What = Place ? "'" + Place->second + "'" : "the array";
  return none(Call, "it moves " + What + " in a part of the turn, or in a loop within it (write " +
                        What + " alone: a copy shares its elements; or use std::swap)");
}

/// Whether what is moved at a turn's end is set by the next one before that reads it.
bool TurnBuilder::movedAreSet() {
  for (const std::size_t Number : AreMoved) {
    TurnArray& Of = Made.Arrays[Number];
    if (Of.HostName.empty())
      continue;
    if (!Of.IsSetFirst)
      return refuse(Loop,
                    "'" + Of.HostName +
                        "' has been moved when the next turn begins, and that does not set it "
                        "first (write '" +
                        Of.HostName + "' alone: a copy shares its elements)");
    Of.IsMoved = true;
  }
  return true;
}

std::size_t TurnBuilder::addOwn(const char* Name, QualType Ty) {
  TurnArray New;
  New.Space = addSpace(rankOfArray(Ty));
  New.Name = unusedName(Name);
  New.Element = Types.classify(elementOfContainer(Ty).getUnqualifiedType());
  New.IsAssigned = true;
  DepthOfArray.push_back(Depth);
  Made.Arrays.push_back(std::move(New));
  return Made.Arrays.size() - 1;
}

/// What a variable holds here.
std::optional<TurnInput> TurnBuilder::held(const ArrayPlace& Place, QualType Ty, const Stmt* At) {
  const std::optional<std::size_t> Number = arrayOf(Place, Ty, At);
  if (!Number)
    return std::nullopt;
  if (AreMoved.contains(*Number))
    return none(At, "'" + Place.first->getNameAsString() + "' has been moved");
  if (const auto Now = Current.find(*Number); Now != Current.end())
    return Now->second;
  return TurnInput{false, *Number};
}

} // namespace ikra
