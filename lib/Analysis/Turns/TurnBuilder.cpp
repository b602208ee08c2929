// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns as a whole, and their statements.
#include "TurnBuilder.h"

#include "Analysis/Ast/Constants.h"
#include "Analysis/Ast/Names.h"
#include "Analysis/Ast/Types.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/SaveAndRestore.h"

#include <algorithm>
#include <functional>

using namespace clang;

namespace ikra {

//===-- statements -------------------------------------------------------------------------===//

bool TurnBuilder::set(const ArrayPlace& Place, QualType Ty, const Expr* To, TurnSteps& Out,
                      const Stmt* At) {
  // Of a choice, each side sets it.
  if (isa<ConditionalOperator>(written(To))) {
    const std::optional<std::size_t> Number = arrayOf(Place, Ty, At);
    return Number && set(*Number, To, Out, At);
  }
  const std::optional<TurnInput> Value = arrayToSet(To, Out, At);
  const std::optional<std::size_t> Number = Value ? arrayOf(Place, Ty, At) : std::nullopt;
  return Number && haveOneShape(Made.Arrays[*Number].Space, spaceOf(*Value), At) &&
         set(*Number, *Value, Out);
}

bool TurnBuilder::set(std::size_t Array, const Expr* To, TurnSteps& Out, const Stmt* At) {
  if (const auto* Choice = dyn_cast<ConditionalOperator>(written(To)))
    return setByChoice(Array, Choice, Out, At);
  const std::optional<TurnInput> Value = arrayToSet(To, Out, At);
  return Value && haveOneShape(Made.Arrays[Array].Space, spaceOf(*Value), At) &&
         set(Array, *Value, Out);
}

std::optional<TurnInput> TurnBuilder::arrayToSet(const Expr* E, TurnSteps& Out, const Stmt* At) {
  IsWhole = true;
  const std::optional<TurnInput> Value = array(E, Out);
  if (Value && isReduction(*Value))
    return none(At, "a variable holds a reduction's result over the turns");
  return Value;
}

bool TurnBuilder::set(std::size_t Array, const TurnInput& To, TurnSteps& Out) {
  if (const std::string& Host = Made.Arrays[Array].HostName;
      !Host.empty() && AreMoved.contains(Array)) {
    if (Region != RegionOfBody)
      return refuse(Loop, "'" + Host + "' has been moved, and only a part of the turn sets it");
    AreMoved.erase(Array);
  }
  TurnStep Step(TurnStep::Set);
  Step.Number = Array;
  Step.Value = To;
  Out.push_back(std::move(Step));
  Current.erase(Array);
  if (To.IsCommand)
    Current[Array] = To;
  return true;
}

/// What a std::pair or a std::tuple is made of; empty where that is not seen.
static llvm::SmallVector<const Expr*> partsOfTuple(const Expr* E) {
  if (const auto* Cast = dyn_cast<CXXFunctionalCastExpr>(E)) // std::pair(a, b)
    return partsOfTuple(written(Cast->getSubExpr()));
  const auto* Made = dyn_cast<CXXConstructExpr>(E);
  const bool IsMaker = isNamedInStd(calleeOf(E), {"make_pair", "make_tuple"});
  if (!IsMaker && (!Made || Made->getConstructor()->isCopyOrMoveConstructor()))
    return {};
  llvm::SmallVector<const Expr*> Out;
  for (const Expr* Part : IsMaker ? cast<CallExpr>(E)->arguments() : Made->arguments())
    if (!isa<CXXDefaultArgExpr>(Part))
      Out.push_back(Part);
  return Out;
}

/// `auto [next, change] = …` of a std::pair or a std::tuple: each name is a variable of its own.
bool TurnBuilder::parts(const DecompositionDecl* D, const Expr* Of, TurnSteps& Out) {
  Of = written(Of);
  if (const std::optional<CalledCode> Called = calledCode(Of))
    return call(Of, *Called, Out, [&](const Expr* Result) { return parts(D, Result, Out); });
  const llvm::SmallVector<const Expr*> Parts = partsOfTuple(Of);
  if (D->getType()->isReferenceType() || Parts.size() != D->bindings().size())
    return refuse(Of, "its names are those of no struct's fields, nor of what a std::pair or a "
                      "std::tuple is made of here");
  for (const auto& [Name, Part] : llvm::zip_equal(D->bindings(), Parts)) {
    const VarDecl* V = Name->getHoldingVar();
    const QualType Ty = V ? Name->getType().getNonReferenceType() : QualType();
    const bool IsArray = V && rankOfArray(Ty) != 0;
    if (!V || (!IsArray && !Scalar.isNumber(Ty)) || (IsArray && Changed.contains(V)))
      return refuse(Part, "'" + Name->getNameAsString() +
                              (IsArray ? "' is an array in a structured binding, which changes "
                                         "(make it a variable)"
                                       : "' is no variable of a number"));
    if (IsArray) {
      const std::optional<TurnInput> Value = operand(Part, Out);
      if (!Value)
        return false;
      if (!Value->IsCommand)
        return refuse(Part, "'" + Name->getNameAsString() + "' is a variable's array");
      Values[V] = *Value;
      continue;
    }
    body::ExprRef Value = value(Part, Out);
    if (!Value)
      return false;
    assign(Made.Scalars[scalarOf(V)].Name, std::move(Value), Out);
  }
  return true;
}

bool TurnBuilder::declaration(const VarDecl* V, TurnSteps& Out) {
  const Stmt* At = V->getInit() ? static_cast<const Stmt*>(V->getInit()) : Loop;
  if (Scalar.isConstant(V))
    return true;
  if (const CXXRecordDecl* Class = V->getType()->getAsCXXRecordDecl(); Class && Class->isLambda()) {
    const auto* Lambda = V->getInit() ? dyn_cast<LambdaExpr>(written(V->getInit())) : nullptr;
    return !Lambda || keep(Lambda, Out); // the rest where it is called
  }
  if (holdsArrays(V->getType()) && !V->getType()->isReferenceType() && !V->isStaticLocal() &&
      V->getInit() && !isa<DecompositionDecl>(V))
    return setStruct({V, V->getNameAsString()}, V->getType(), V->getInit(), Out);
  if (rankOfArray(V->getType()) == 0) {
    if (const auto* Bindings = dyn_cast<DecompositionDecl>(V);
        Bindings && !llvm::all_of(Bindings->bindings(), isPart))
      return parts(Bindings, V->getInit(), Out);
    if (V->isStaticLocal() || V->getType()->isReferenceType() || !Scalar.isValue(V->getType()))
      return refuse(At, "'" + V->getNameAsString() + "' is no variable of a number");
    body::ExprRef Value;
    if (V->getInit()) {
      Value = value(V->getInit(), Out);
      if (!Value)
        return false;
      if (!Changed.contains(V))
        Inits[V] = {V->getInit(), Scalar.This};
    }
    const std::size_t Number = scalarOf(V);
    if (Value)
      assign(Made.Scalars[Number].Name, std::move(Value), Out);
    noteDeclared(V, Made.Scalars[Number].Name, V->getInit());
    return true;
  }
  if (!V->hasInit() || V->isStaticLocal())
    return refuse(At, "'" + V->getNameAsString() + "' holds no array of the turn");
  const Expr* Init = written(V->getInit());
  if (V->getType()->isReferenceType() && (arrayWith(Init) || !isa<CallExpr>(Init))) {
    const std::optional<ArrayPlace> Place = arrayPlace(Init);
    return Place ? nameArray(V, *Place, Init->getType(), At)
                 : refuse(At, "'" + V->getNameAsString() +
                                  "' is a reference to what is no variable, and no member of one");
  }
  if (V->getType()->isReferenceType() && (Changed.contains(V) || !Init->isPRValue()))
    return refuse(At, "'" + V->getNameAsString() + "' is a reference to what a call gives");
  if (isa<CXXConstructExpr>(Init))
    return refuse(At, "'" + V->getNameAsString() + "' is made of something else than arrays");
  if (Changed.contains(V) || !isa<CallExpr>(Init) || arrayWith(Init))
    return declare(V, Init, Out, At);
  IsWhole = true;
  const std::optional<TurnInput> Value = array(Init, Out);
  if (!Value)
    return false;
  if (!Value->IsCommand)
    return refuse(At, "'" + V->getNameAsString() + "' is made of a variable that is moved");
  Values[V] = *Value;
  return true;
}

bool TurnBuilder::swap(const CallExpr* Call, TurnSteps& Out) {
  TurnStep Step(TurnStep::Swap);
  std::size_t* const To[] = {&Step.Number, &Step.Other};
  for (unsigned K = 0; K < 2; ++K) {
    const std::optional<ArrayPlace> Place = arrayPlace(Call->getArg(K));
    const std::optional<std::size_t> Number =
        Place ? arrayOf(*Place, Call->getArg(K)->getType(), Call) : std::nullopt;
    if (!Number || AreMoved.contains(*Number))
      return refuse(Call, "it swaps something else than variables that hold arrays");
    *To[K] = *Number;
    Current.erase(*Number);
  }
  if (!haveOneShape(Made.Arrays[Step.Number].Space, Made.Arrays[Step.Other].Space, Call))
    return false;
  Out.push_back(std::move(Step));
  return true;
}

const Stmt* taken(const Stmt* S, const ASTContext& Context) {
  const auto* If = dyn_cast<IfStmt>(S);
  const std::optional<const Stmt*> Side =
      If && If->isConstexpr() && !If->getInit() ? If->getNondiscardedCase(Context) : std::nullopt;
  return Side ? *Side : S;
}

/// The condition of an if, after what is declared in front of it.
body::ExprRef TurnBuilder::condition(const IfStmt* S, TurnSteps& Out) {
  if (S->isConstexpr() || S->isConsteval()) {
    refuse(S, "its condition is decided by the compiler (write an if without constexpr)");
    return nullptr;
  }
  const bool IsDeclared =
      (!S->getInit() || statement(S->getInit(), Out)) &&
      (!S->getConditionVariable() || declaration(S->getConditionVariable(), Out));
  return IsDeclared ? value(S->getCond(), Out) : nullptr;
}

/// \p Side makes the steps of a side, which may be null.
bool TurnBuilder::branch(const IfStmt* S, TurnSteps& Out,
                         llvm::function_ref<bool(const Stmt* Of, TurnSteps& To)> Side) {
  TurnStep Step(TurnStep::Branch);
  Step.Condition = condition(S, Out);
  if (!Step.Condition)
    return false;
  const auto Part = [&](const Stmt* Of, TurnSteps& To) {
    Current.clear();
    const llvm::SaveAndRestore Here(Region, ++Regions);
    return Side(Of, To);
  };
  if (!Part(S->getThen(), Step.Then) || !Part(S->getElse(), Step.Else))
    return false;
  Current.clear();
  Out.push_back(std::move(Step));
  return true;
}

bool TurnBuilder::branch(const IfStmt* S, TurnSteps& Out) {
  return branch(S, Out, [&](const Stmt* Of, TurnSteps& To) { return !Of || statement(Of, To); });
}

/// A break or a continue, where nothing comes after it in the same statements.
bool TurnBuilder::leave(const Stmt* S, TurnSteps& Out) {
  if (const auto* Return = dyn_cast<ReturnStmt>(S))
    return giveBack(Return, Out);
  if (!isa<BreakStmt, ContinueStmt>(S))
    return refuse(S, "it leaves the loop by a jump");
  Jump& To = isa<BreakStmt>(S) ? *BreakTo : *ContinueTo;
  if (!To.IsNoted)
    return true;
  if (To.Flag.empty())
    To.Flag = flag(isa<BreakStmt>(S) ? "leaves_loop" : "ends_turn");
  assign(To.Flag, literal("true"), Out);
  return true;
}

/// The host returns what the turn computed: the names that the expression has may be the loop's.
bool TurnBuilder::giveBack(const ReturnStmt* S, TurnSteps& Out) {
  if (!ReturnsToHost) { // from what is called
    body::ExprRef Value = ReturnedValue.empty() ? nullptr : value(S->getRetValue(), Out);
    if (!ReturnedValue.empty() && !Value)
      return false;
    if (Value)
      assign(ReturnedValue, std::move(Value), Out);
    assign(Returned, literal("true"), Out);
    return true;
  }
  const QualType Result = HomeFunction.Decl->getReturnType().getCanonicalType();
  if (!Result->isVoidType() && (!S->getRetValue() || !Scalar.isNumber(Result)))
    return refuse(S, "it returns something else than a number from within the loop");
  if (!Result->isVoidType() && HomeFunction.Decl->getTemplateInstantiationPattern())
    return refuse(S, "it returns a number, whose type may differ between instantiations");
  const auto Add = [&](const char* Name, const char* HostName, QualType Ty) {
    TurnScalar& New = Made.Scalars[addScalar(Name, Types.classify(Ty))];
    New.HostName = HostName;
    New.IsWritten = true;
    return New.Name;
  };
  if (Made.Returns.empty()) {
    PrintingPolicy Policy(Context.getLangOpts());
    Made.Returns = Result.getUnqualifiedType().getAsString(Policy);
    Returned = Add("returns", "ikra_return.happened", Context.BoolTy);
    if (!Result->isVoidType())
      ReturnedValue = Add("returned", "ikra_return.value", Result.getUnqualifiedType());
  }
  if (!Result->isVoidType()) {
    body::ExprRef Value = value(S->getRetValue(), Out);
    if (!Value)
      return false;
    assign(ReturnedValue, std::move(Value), Out);
  }
  assign(Returned, literal("true"), Out);
  return true;
}

/// Whether nothing that comes after \p S in its block ever runs.
static bool alwaysLeaves(const Stmt* S) {
  if (const auto* Block = dyn_cast_or_null<CompoundStmt>(S))
    return !Block->body_empty() && alwaysLeaves(Block->body_back());
  return isa_and_nonnull<BreakStmt, ContinueStmt, ReturnStmt>(S);
}

/// An if of which a side ends what it stands in: what comes after it is the other side's.
bool TurnBuilder::leaving(const IfStmt* S, llvm::ArrayRef<const Stmt*> Rest, TurnSteps& Out) {
  return branch(S, Out, [&](const Stmt* Of, TurnSteps& To) {
    std::vector<const Stmt*> All;
    if (Of)
      All.push_back(Of);
    if (!alwaysLeaves(Of))
      llvm::append_range(All, Rest);
    return sequence(All, To);
  });
}

bool TurnBuilder::sequence(llvm::ArrayRef<const Stmt*> All, TurnSteps& Out) {
  for (std::size_t K = 0; K < All.size(); ++K) {
    const Stmt* S = taken(All[K], Context);
    if (!S || llvm::is_contained(HostIfs, S))
      continue;
    noteFailing(S);
    if (alwaysLeaves(S))
      return statement(S, Out);
    const Leaves Of = leavesOf(S);
    const llvm::ArrayRef<const Stmt*> Rest = All.drop_front(K + 1);
    if (!Of.any() || Rest.empty()) {
      if (!statement(S, Out))
        return false;
      continue;
    }
    if (const auto* If = dyn_cast<IfStmt>(S);
        If && (alwaysLeaves(If->getThen()) || alwaysLeaves(If->getElse())))
      return leaving(If, Rest, Out);
    {
      const llvm::SaveAndRestore Breaks(BreakTo->IsNoted, true);
      const llvm::SaveAndRestore Continues(ContinueTo->IsNoted, true);
      if (!statement(S, Out))
        return false;
    }
    TurnStep Unless(TurnStep::Branch);
    Unless.Condition = anyOf({Of.Breaks ? BreakTo->Flag : "", Of.Continues ? ContinueTo->Flag : "",
                              Of.Returns ? Returned : ""});
    Current.clear();
    {
      const llvm::SaveAndRestore Here(Region, ++Regions);
      if (!sequence(Rest, Unless.Else))
        return false;
    }
    Current.clear();
    Out.push_back(std::move(Unless));
    return true;
  }
  return true;
}

//===-- loops and switches -----------------------------------------------------------------===//

std::optional<LoopParts> partsOf(const Stmt* S) {
  if (const auto* For = dyn_cast<ForStmt>(S))
    return LoopParts{"for",
                     For->getBody(),
                     For->getCond(),
                     For->getInit(),
                     For->getInc(),
                     true,
                     For->getConditionVariable()};
  if (const auto* While = dyn_cast<WhileStmt>(S))
    return LoopParts{"while",
                     While->getBody(),
                     While->getCond(),
                     nullptr,
                     nullptr,
                     true,
                     While->getConditionVariable()};
  if (const auto* Do = dyn_cast<DoStmt>(S))
    return LoopParts{"do", Do->getBody(), Do->getCond(), nullptr, nullptr, false};
  if (const auto* Range = dyn_cast<CXXForRangeStmt>(S))
    return LoopParts{"for", Range->getBody()};
  return std::nullopt;
}

/// Makes a loop's step: its body and, in Else, what its condition reads.
bool TurnBuilder::partsOfLoop(const Stmt* S, const LoopParts& Parts, TurnSteps& Before,
                              TurnStep& Out, const ListOfNumbers* Through) {
  const auto* Range = dyn_cast<CXXForRangeStmt>(S);
  const std::optional<Counted> Bounds = boundsOf(Range);
  if (Range && !Through && !Bounds) {
    const std::optional<ListOfNumbers> All = list(Range, Before);
    return All && partsOfLoop(S, Parts, Before, Out, &*All);
  }
  if (Parts.Variable && (!HostIfs.empty() || !Scalar.isNumber(Parts.Variable->getType())))
    return refuse(S, "a variable is declared in its condition (declare it before the loop)");
  if (Parts.Variable) // the body names it, and the test before that sets it
    scalarOf(Parts.Variable);
  if (Parts.Init && !statement(Parts.Init, Before))
    return false;
  if (Depth == 0)
    noteCounter(Parts);
  CountedList List;
  if (Through)
    count(Range, *Through, Before, List);
  else if (Range && !count(Range, *Bounds, Before, List))
    return false;
  Out.Then = std::move(List.Begin);
  Out.TestsFirst = Parts.TestsFirst;
  Out.HasTurn = !Parts.TestsFirst || (Through && !Through->empty()) || hasTurn(Parts);
  if (Bounds) {
    const auto First = constantOf(Bounds->First), Last = constantOf(Bounds->Last);
    Out.HasTurn = First && Last && *First < *Last;
  }
  Current.clear();
  LoopsAround.push_back(S);
  Jump Break{true, {}}, Continue{false, {}};
  {
    const llvm::SaveAndRestore To(BreakTo, &Break);
    const llvm::SaveAndRestore Next(ContinueTo, &Continue);
    const llvm::SaveAndRestore Here(Region, ++Regions);
    if (Depth == 0)
      RegionOfBody = Region;
    const llvm::SaveAndRestore Inside(Depth, Depth + 1);
    if (!statement(Parts.Body, Out.Then))
      return false;
  }
  if (!Continue.Flag.empty())
    Out.Then.insert(Out.Then.begin(), assignment(Continue.Flag, "false"));
  Current.clear();
  const llvm::SaveAndRestore Here(Region, ++Regions);
  const unsigned Outside = std::exchange(Depth, Depth + 1); // the step and the test turn, too
  std::vector<std::string> Ends;
  if (!Break.Flag.empty())
    Ends.push_back(Break.Flag);
  if (leavesOf(S).Returns && !Returned.empty())
    Ends.push_back(Returned);
  TurnSteps Step = std::move(List.Step);
  if (Parts.Step && !statement(Parts.Step, Step))
    return false;
  if (!Step.empty() && !Ends.empty()) { // not after a break
    // But arrays may change places then, if nothing comes after the loop.
    TurnSteps Exchanges;
    TurnStep Unless(TurnStep::Branch);
    Unless.Condition = anyOf(Ends);
    for (TurnStep& Each : Step)
      (Outside == 0 && isOfPairs(Each) ? Exchanges : Unless.Else).push_back(std::move(Each));
    Out.Then.push_back(std::move(Unless));
    llvm::move(Exchanges, std::back_inserter(Out.Then));
  } else {
    for (TurnStep& Each : Step)
      addStep(std::move(Each), Out.Then);
  }
  const std::size_t FirstOfTest = Made.Commands.size();
  Out.Condition = Range ? List.Condition : literal("true");
  if (Parts.Variable) {
    if (!declaration(Parts.Variable, Out.Else))
      return false;
    loseBit(nameOf(Parts.Variable), S);
  }
  if (Parts.Condition) {
    Out.Condition = value(Parts.Condition, Out.Else);
    if (!Out.Condition)
      return false;
  }
  const bool MayFail = llvm::any_of(llvm::drop_begin(Made.Commands, FirstOfTest),
                                    [&](auto& Of) { return !isSpeculatable(Of); });
  const bool Reads = llvm::any_of(Out.Else, [](auto& Of) { return Of.Is == TurnStep::Read; });
  const bool Changes = Parts.Condition && !changedOutside(Parts.Condition).empty();
  if (!Ends.empty() && (MayFail || Reads || Changes)) { // not after a break either
    const std::string GoesOn = flag("goes_on");
    TurnStep Unless(TurnStep::Branch);
    Unless.Condition = anyOf(Ends);
    Unless.Then.push_back(assignment(GoesOn, "false"));
    Unless.Else = std::exchange(Out.Else, {});
    assign(GoesOn, std::exchange(Out.Condition, named(GoesOn)), Unless.Else);
    Out.Else.push_back(std::move(Unless));
    Ends.clear();
  }
  if (!Made.Fails.empty())
    Ends.push_back(Made.Fails);
  for (const std::string& End : Ends)
    Out.Condition = operation("&&", negated(End), Out.Condition);
  if (!Break.Flag.empty())
    assign(Break.Flag, literal("false"), Before);
  if (Outside == 0 && !HostIfs.empty() && !stopForHost(Out, Before))
    return false;
  Depth = Outside;
  noteCarried({&Out.Then, &Out.Else}, Out.Carried);
  Current.clear();
  return true;
}

/// Arrays that steps set and that live longer than a turn of the loop around these.
void TurnBuilder::noteCarried(std::initializer_list<const TurnSteps*> In,
                              std::vector<std::size_t>& Out) const {
  for (const TurnSteps* Steps : In)
    for (const TurnStep& Step : *Steps) {
      const auto Add = [&](std::size_t Array) {
        if (DepthOfArray[Array] <= Depth && !llvm::is_contained(Out, Array))
          Out.push_back(Array);
      };
      if (isOfPairs(Step))
        continue; // noted where these are known
      if (Step.Is == TurnStep::Set || Step.Is == TurnStep::Swap)
        Add(Step.Number);
      if (Step.Is == TurnStep::Swap)
        Add(Step.Other);
      noteCarried({&Step.Then, &Step.Else}, Out);
    }
}

bool TurnBuilder::loop(const Stmt* S, const LoopParts& Parts, TurnSteps& Out,
                       const ListOfNumbers* Through) {
  TurnStep Step(TurnStep::Loop);
  if (!partsOfLoop(S, Parts, Out, Step, Through))
    return false;
  Out.push_back(std::move(Step));
  return true;
}

/// A switch is a sequence of branches; what falls through is there twice.
bool TurnBuilder::choose(const SwitchStmt* S, TurnSteps& Out) {
  const auto* Block = dyn_cast<CompoundStmt>(S->getBody());
  if (!Block)
    return refuse(S, "it has no block");
  if ((S->getInit() && !statement(S->getInit(), Out)) ||
      (S->getConditionVariable() && !declaration(S->getConditionVariable(), Out)))
    return false;
  struct Group {
    std::size_t First;
    bool IsDefault = false;
    std::vector<const Expr*> Values;
  };
  std::vector<Group> Groups;
  std::vector<const Stmt*> All;
  const std::function<bool(const Stmt*)> HasLabels = [&](const Stmt* Of) {
    return Of && !isa<SwitchStmt, LambdaExpr>(Of) &&
           (isa<SwitchCase>(Of) || llvm::any_of(Of->children(), HasLabels));
  };
  for (const Stmt* Part : Block->body()) {
    Group New{All.size(), false, {}};
    while (const auto* Label = dyn_cast<SwitchCase>(Part)) {
      if (const auto* Case = dyn_cast<CaseStmt>(Label)) {
        if (Case->getRHS())
          return refuse(Case, "a label is a range");
        New.Values.push_back(Case->getLHS());
      } else {
        New.IsDefault = true;
      }
      Part = Label->getSubStmt();
    }
    if (HasLabels(Part))
      return refuse(Part, "a label stands within a statement");
    if (New.IsDefault || !New.Values.empty())
      Groups.push_back(std::move(New));
    else if (Groups.empty())
      return refuse(Part, "this stands before the first label");
    All.push_back(Part);
  }
  std::stable_partition(Groups.begin(), Groups.end(), [](const Group& G) { return !G.IsDefault; });
  body::ExprRef Value = value(S->getCond(), Out);
  if (!Value)
    return false;
  const std::string Chosen = newScalar("chosen", S->getCond()->getType());
  assign(Chosen, std::move(Value), Out);
  Jump Break{false, {}};
  const llvm::SaveAndRestore To(BreakTo, &Break);
  const std::size_t At = Out.size();
  TurnSteps* Into = &Out;
  for (const Group& Of : Groups) {
    Current.clear();
    const llvm::SaveAndRestore Here(Region, ++Regions);
    const llvm::ArrayRef<const Stmt*> Rest = llvm::ArrayRef(All).drop_front(Of.First);
    if (Of.IsDefault) {
      if (!sequence(Rest, *Into))
        return false;
      continue;
    }
    TurnStep Step(TurnStep::Branch);
    for (const Expr* Label : Of.Values) {
      const body::ExprRef Is = operation("==", named(Chosen), value(Label, Out));
      Step.Condition = Step.Condition ? operation("||", Step.Condition, Is) : Is;
    }
    if (!sequence(Rest, Step.Then))
      return false;
    Into->push_back(std::move(Step));
    Into = &Into->back().Else;
  }
  if (!Break.Flag.empty())
    Out.insert(Out.begin() + static_cast<std::ptrdiff_t>(At), assignment(Break.Flag, "false"));
  Current.clear();
  return true;
}

bool TurnBuilder::statement(const Stmt* S, TurnSteps& Out) {
  S = taken(S, Context);
  if (!S)
    return true;
  if (const auto* Block = dyn_cast<CompoundStmt>(S))
    return sequence({Block->body_begin(), Block->size()}, Out);
  if (isa<NullStmt>(S))
    return true;
  if (const auto* Attributed = dyn_cast<AttributedStmt>(S))
    return statement(Attributed->getSubStmt(), Out);
  if (isa<BreakStmt, ContinueStmt, ReturnStmt, GotoStmt, IndirectGotoStmt>(S))
    return leave(S, Out);
  if (const auto* Declares = dyn_cast<DeclStmt>(S))
    return llvm::all_of(Declares->decls(), [&](const Decl* D) {
      if (const auto* V = dyn_cast<VarDecl>(D))
        return declaration(V, Out);
      return isa<StaticAssertDecl, TypedefNameDecl>(D) ||
             refuse(S, "it declares something else than a variable");
    });
  const auto* CallOf = dyn_cast<Expr>(S);
  if (const auto* Sets = CallOf ? dyn_cast<CXXOperatorCallExpr>(written(CallOf)) : nullptr;
      Sets && Sets->getOperator() == OO_Equal && holdsArrays(Sets->getArg(0)->getType()) &&
      !cast<CXXMethodDecl>(Sets->getDirectCallee())->isUserProvided()) {
    const std::optional<MemberOfVariable> Place = placeOfVariable(Sets->getArg(0), Scalar.This);
    return Place ? setStruct(*Place, Sets->getArg(0)->getType(), Sets->getArg(1), Out)
                 : refuse(Sets, "what it assigns is no variable, and no member of one");
  }
  const bool HasCode = CallOf ? calledCode(written(CallOf)).has_value() : hasSteps(S);
  const bool IsOfNumbers = !leavesOf(S).any() && !namesArrays(S) && !HasCode;
  if (IsOfNumbers && !mayTurnOver(S))
    return scalarCode(S, Out);
  const auto NoteNumbers = llvm::make_scope_exit([&, Before = Out.size()] {
    for (TurnStep& Step : llvm::drop_begin(Out, std::min(Before, Out.size())))
      Step.IsOfNumbers = IsOfNumbers;
  });
  if (const auto* If = dyn_cast<IfStmt>(S))
    return branch(If, Out);
  if (const auto* Choice = dyn_cast<SwitchStmt>(S))
    return choose(Choice, Out);
  if (const auto* Range = dyn_cast<CXXForRangeStmt>(S))
    return throughList(Range, Out);
  if (const std::optional<LoopParts> Parts = partsOf(S))
    return loop(S, *Parts, Out);
  if (const auto* E = dyn_cast<Expr>(S)) {
    const Expr* Written = written(E);
    if (const auto* Pair = dyn_cast<BinaryOperator>(Written); Pair && Pair->isCommaOp())
      return statement(Pair->getLHS(), Out) && statement(Pair->getRHS(), Out);
    if (const std::optional<CalledCode> Of = calledCode(Written))
      return call(Written, *Of, Out, [&](const Expr* Result) { // nothing but what it does
        return changedOutside(Result).empty() || value(Result, Out);
      });
    if (const auto* Call = dyn_cast<CXXOperatorCallExpr>(Written);
        Call && Call->getOperator() == OO_Equal && rankOfArray(Call->getArg(0)->getType()) != 0) {
      if (const auto* Places = dyn_cast<ConditionalOperator>(written(Call->getArg(0))))
        return setOneOf(Places, Call->getArg(1), Out, Written);
      const std::optional<ArrayPlace> Place = arrayPlace(Call->getArg(0));
      return Place ? set(*Place, Call->getArg(0)->getType(), Call->getArg(1), Out, Written)
                   : refuse(Written, "what it assigns is no variable, and no member of one (keep "
                                     "arrays in variables, or in a std::array)");
    }
    if (const auto* Call = dyn_cast<CallExpr>(Written);
        Call && isNamedInStd(Call->getDirectCallee(), {"swap"}) && Call->getNumArgs() == 2 &&
        rankOfArray(Call->getArg(0)->getType()) != 0)
      return swap(Call, Out);
    return scalarCode(S, Out);
  }
  return refuse(S, "turns have no such statement");
}

/// Compilers warn of an else that an if before the loop seems to own.
static bool hasOpenElse(const Stmt* Body) {
  if (const std::optional<LoopParts> Inner = partsOf(Body))
    return !isa<DoStmt>(Body) && hasOpenElse(Inner->Body);
  if (const auto* Choice = dyn_cast<SwitchStmt>(Body))
    return hasOpenElse(Choice->getBody());
  const auto* If = dyn_cast<IfStmt>(Body);
  return If && (If->getElse() || hasOpenElse(If->getThen()));
}

bool TurnBuilder::build(const LoopParts& Of) {
  LoopParts Parts = Of;
  Block = dyn_cast<CompoundStmt>(Parts.Body);
  if (!HostIfs.empty() && !stopsForHost(Parts)) {
    RefusesHost = true;
    return false;
  }
  if (HostIfs.empty() && !isa<DoStmt>(Loop) && hasOpenElse(Parts.Body))
    return refuse(Loop, "its body is an if with an else (put it in braces)");
  if (Loop->getBeginLoc().isMacroID() || Loop->getEndLoc().isMacroID())
    return refuse(Loop, "a macro's expansion holds it");
  Names = {"given", "t", "s", "from", "first", "enters", "assigned"};
  HasPairs = namesArraysInArrays(Loop);
  for (const Stmt* Part : Made.Block ? Made.Block->children() : Loop->children())
    if (Part && !llvm::is_contained(HostIfs, Part))
      Changed.merge(changedBy(Part));
  if (Made.Block)
    for (const Stmt* Part : {Parts.Condition, Parts.Step})
      if (Part)
        Changed.merge(changedBy(Part));
  Scalar.setWhole([this, Named = namedAsWhole(Loop)](const ValueDecl* V) {
    return Scalar.isStruct(V->getType()) && (Named.contains(V) || isOfLoop(V));
  });
  TurnStep All(TurnStep::Loop);
  if (!partsOfLoop(Loop, Parts, Made.Begin, All))
    return false;
  Made.Body = std::move(All.Then);
  Made.Test = std::move(All.Else);
  Made.Condition = std::move(All.Condition);
  Made.Carried = std::move(All.Carried);
  Made.TestsFirst = All.TestsFirst;
  bool Holds = false;
  const bool IsEndless = Parts.Condition
                             ? Parts.Condition->EvaluateAsBooleanCondition(Holds, Context) && Holds
                             : !isa<CXXForRangeStmt>(Loop);
  Made.EndsByReturn = !Made.Returns.empty() && IsEndless && !leavesOf(Parts.Body).Breaks;
  if (Made.Block && !Made.Fails.empty())
    return refuse(FirstFailing,
                  "it reads an element, or has a key, which may be outside, in a loop with code of "
                  "the host (put the turns before that into a loop of their own)");
  WaitsForNothing = Made.Commands.empty();
  if (WaitsForNothing)
    return refuse(Loop, "it runs no command but in code of the host");
  if (!pairsAreKnown())
    return false;
  if (!Made.Fails.empty())
    Made.Begin.insert(Made.Begin.begin(), assignment(Made.Fails, "false"));
  for (std::size_t N = 0; N < Made.Arrays.size(); ++N)
    noteFirstSet(N);
  if (!movedAreSet() || !shapesAreKnown())
    return false;
  bool HasReferences = false, MayChangeThem = false;
  const auto Note = [&](const ValueDecl* V) {
    const bool IsReference = V->getType()->isReferenceType(), IsMember = isa<FieldDecl>(V);
    HasReferences |= IsReference && !isOfLoop(V);
    MayChangeThem |= (IsReference || IsMember) && !isOfLoop(V) && Changed.contains(V);
    const auto* Class = dyn_cast<CXXRecordDecl>(V->getDeclContext());
    return !Class || !Model.Roles.Objects.contains(Class->getCanonicalDecl()) ||
           refuse(Loop, "'" + V->getNameAsString() + "' is a member of objects");
  };
  if (!llvm::all_of(Arrays, [&](const auto& Of) { return Note(Of.first.first); }) ||
      !llvm::all_of(Scalars, [&](const auto& Of) { return Note(Of.first); }) ||
      !llvm::all_of(Members, [&](const auto& Of) { return Note(Of.first.first); }))
    return false;
  Made.ChangesReferences = HasReferences && MayChangeThem;
  Model.UsesComplex |= Scalar.UsesComplex;
  return isAskedFor(All.HasTurn);
}

} // namespace ikra
