// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What runs sometimes, or several times, in a turn, where the text has no if and no counted loop:
// the sides of `&&`, `||` and `?:`, and loops through lists of numbers.
#include "TurnBuilder.h"

#include "Analysis/Ast/Constants.h"
#include "Analysis/Ast/Expressions.h"
#include "Analysis/Ast/Names.h"
#include "Analysis/Ast/Types.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace clang;

namespace ikra {

/// Loops through longer lists count.
static constexpr std::size_t MostUnrolled = 8;

/// The parts of an expression that may not run: the right side of `&&`, both of `?:`.
static llvm::SmallVector<const Expr*, 2> sidesOf(const Expr* E) {
  if (const auto* Operator = dyn_cast<BinaryOperator>(E); Operator && Operator->isLogicalOp())
    return {Operator->getRHS()};
  if (const auto* Choice = dyn_cast<ConditionalOperator>(E))
    return {Choice->getTrueExpr(), Choice->getFalseExpr()};
  return {};
}

/// Whether what an expression reads may be computed though the program does not ask for it.
bool TurnBuilder::isSpeculatable(const Expr* E) const {
  const std::function<bool(const Stmt*)> May = [&](const Stmt* S) {
    const auto* Of = dyn_cast_or_null<Expr>(S);
    if (!S || isa<LambdaExpr>(S))
      return true;
    if (Of && calledCode(Of))
      return false;
    const auto IsHarmless = [&](Index N) { return Model.Sections[N].Flow.Speculatable; };
    if (const auto Known = Of ? Sections.Arrays.find(Of) : Sections.Arrays.end();
        Known != Sections.Arrays.end() && !IsHarmless(Known->second))
      return false;
    if (const auto Known = Of ? Sections.Numbers.find(Of) : Sections.Numbers.end();
        Known != Sections.Numbers.end() && !llvm::all_of(Known->second, IsHarmless))
      return false;
    // An element may not be there.
    const auto* Call = dyn_cast<CXXOperatorCallExpr>(S);
    if (Call && arrayReadBy(Call) &&
        !llvm::all_of(llvm::drop_begin(Call->arguments()),
                      [&](const Expr* Place) { return Place->isEvaluatable(Context); }))
      return false;
    return llvm::all_of(S->children(), May);
  };
  return changedHere(E).empty() && May(E);
}

bool TurnBuilder::isChoice(const Expr* E) const {
  const llvm::SmallVector<const Expr*, 2> Sides = sidesOf(E);
  if (Sides.empty() || rankOfArray(E->getType()) != 0)
    return false;
  // What stands first may change what the sides read.
  const Expr* First = isa<BinaryOperator>(E) ? cast<BinaryOperator>(E)->getLHS()
                                             : cast<ConditionalOperator>(E)->getCond();
  return (hasSteps(First) && !changedOutside(First).empty()) ||
         llvm::any_of(Sides,
                      [&](const Expr* Side) { return hasSteps(Side) && !isSpeculatable(Side); });
}

/// Runs steps that the device chooses.
bool TurnBuilder::side(TurnSteps& Out, llvm::function_ref<bool(TurnSteps&)> Make) {
  const auto Outer = std::exchange(Current, {});
  const llvm::SaveAndRestore Here(Region, ++Regions);
  const llvm::SaveAndRestore Asked(IsConditional, false);
  const bool Done = Make(Out);
  if (anyStep(Out, [](const TurnStep& Step) {
        return Step.Is == TurnStep::Set || Step.Is == TurnStep::Swap;
      }))
    Current.clear();
  else
    Current = Outer;
  return Done;
}

/// A number that one of two ways gives, as a branch that sets a scalar.
bool TurnBuilder::choice(const Expr* E, TurnSteps& Out) {
  const auto* Operator = dyn_cast<BinaryOperator>(E);
  const auto* Choice = dyn_cast<ConditionalOperator>(E);
  TurnStep Step(TurnStep::Branch);
  Step.Condition = value(Operator ? Operator->getLHS() : Choice->getCond(), Out);
  if (!Step.Condition)
    return false;
  const std::string Chosen = newScalar("chosen", E->getType());
  if (Operator)
    assign(Chosen, std::exchange(Step.Condition, named(Chosen)), Out);
  const auto Set = [&](const Expr* To, TurnSteps& In) {
    return side(In, [&](TurnSteps& Steps) {
      body::ExprRef Value = value(To, Steps);
      if (!Value)
        return false;
      assign(Chosen, std::move(Value), Steps);
      return true;
    });
  };
  if (Operator ? !Set(Operator->getRHS(), Operator->getOpcode() == BO_LAnd ? Step.Then : Step.Else)
               : !Set(Choice->getTrueExpr(), Step.Then) || !Set(Choice->getFalseExpr(), Step.Else))
    return false;
  Out.push_back(std::move(Step));
  Results[E] = Chosen;
  return true;
}

/// Both sides of `?:`, as an if would run them.
bool TurnBuilder::either(const ConditionalOperator* E, TurnSteps& Out,
                         llvm::function_ref<bool(const Expr* Side, TurnSteps& In)> Make) {
  TurnStep Step(TurnStep::Branch);
  Step.Condition = value(E->getCond(), Out);
  if (!Step.Condition || !Make(E->getTrueExpr(), Step.Then) || !Make(E->getFalseExpr(), Step.Else))
    return false;
  Out.push_back(std::move(Step));
  return true;
}

/// Sets an array to what one of two ways gives.
bool TurnBuilder::setByChoice(std::size_t Array, const ConditionalOperator* E, TurnSteps& Out,
                              const Stmt* At) {
  bool Holds = false;
  if (E->getCond()->EvaluateAsBooleanCondition(Holds, Context))
    return set(Array, Holds ? E->getTrueExpr() : E->getFalseExpr(), Out, At);
  const bool Done = either(E, Out, [&](const Expr* To, TurnSteps& In) {
    return side(In, [&](TurnSteps& Steps) { return set(Array, To, Steps, To); });
  });
  Current.erase(Array);
  return Done;
}

/// `(c ? a : b) = x`: first x, then c.
bool TurnBuilder::setOneOf(const ConditionalOperator* Places, const Expr* To, TurnSteps& Out,
                           const Stmt* At) {
  if (hasSteps(Places->getCond()) && !changedOutside(Places->getCond()).empty())
    return refuse(Places, "the choice of what it assigns changes something else (write an if)");
  const std::optional<TurnInput> Value = arrayToSet(To, Out, At);
  if (!Value)
    return false;
  const bool Done = either(Places, Out, [&](const Expr* Side, TurnSteps& In) {
    const std::optional<ArrayPlace> Place = arrayPlace(written(Side));
    if (!Place)
      return refuse(At,
                    "it assigns to a choice of more than two variables, or of other arrays than "
                    "variables and their members (write an if)");
    const std::optional<std::size_t> Number = arrayOf(*Place, Side->getType(), At);
    return Number && haveOneShape(Made.Arrays[*Number].Space, spaceOf(*Value), At) &&
           side(In, [&](TurnSteps& Steps) { return set(*Number, *Value, Steps); });
  });
  Current.clear();
  return Done;
}

/// The array that `?:` gives, as a variable of the turn's own.
std::optional<TurnInput> TurnBuilder::chosen(const ConditionalOperator* E, TurnSteps& Out) {
  const std::size_t Number = addOwn("chosen", E->getType());
  if (!setByChoice(Number, E, Out, E))
    return std::nullopt;
  return TurnInput{false, Number};
}

//===-- loops through lists ----------------------------------------------------------------===//

/// What a loop counts from and to, of `std::views::iota(0, n)`; nothing where it does not.
std::optional<Counted> TurnBuilder::boundsOf(const CXXForRangeStmt* S) {
  return S && !S->getInit() ? countedRange(S->getRangeInit()) : std::nullopt;
}

/// What a range for goes through, as it is written; empty where that is no list in braces.
static llvm::ArrayRef<Expr*> listed(const CXXForRangeStmt* S) {
  const auto* List = dyn_cast<CXXStdInitializerListExpr>(S->getRangeInit()->IgnoreImplicit());
  const auto* Elements =
      List ? dyn_cast<InitListExpr>(List->getSubExpr()->IgnoreImplicit()) : nullptr;
  return Elements ? Elements->inits() : llvm::ArrayRef<Expr*>();
}

/// What the variable of a loop through a list is in turn, by its number: a list in braces, or a
/// std::array.
std::optional<TurnBuilder::ListOfNumbers> TurnBuilder::list(const CXXForRangeStmt* S,
                                                            TurnSteps& Before) {
  const VarDecl* V = S->getLoopVariable();
  const Expr* In = S->getRangeInit()->IgnoreParenImpCasts();
  const VarDecl* Array = variableNamed(In);
  const bool IsArray =
      Array && (Scalar.isConstantArray(Array) ||
                (Array->hasLocalStorage() && (isStdClass(Array->getType(), "array") ||
                                              Context.getAsConstantArrayType(Array->getType()))));
  if (S->getInit() || (!IsArray && listed(S).empty()))
    return none(S, rankOfArray(In->getType()) != 0
                       ? "the host goes through all elements of an array (combine them by "
                         "preduce(), sum() or count())"
                       : "it goes through what is no list of numbers, and no array of a constant "
                         "size in a variable (make a std::array, or an ikra::array, of it before "
                         "the loop, and count its places)");
  const bool IsReference = V->getType()->isReferenceType();
  if (!Scalar.isNumber(V->getType()) ||
      (IsReference && (!V->getType().getNonReferenceType().isConstQualified() ||
                       (IsArray && Changed.contains(Array)))))
    return none(S, rankOfArray(V->getType()) != 0
                       ? "'" + V->getNameAsString() +
                             "' is in turn one of several arrays (write the statements once for "
                             "each, as in buf[0] and buf[1], or call a function for each)"
                       : "'" + V->getNameAsString() +
                             "' is no number that the loop has for itself "
                             "(declare it as a copy, `for (double x : list)`)");
  if (IsReference)
    Scalar.addAlias(V);
  ListOfNumbers Out;
  if (IsArray) {
    const body::ExprRef Of = value(In, Before);
    for (std::uint64_t K = 0; Of && K < constantSize(Array->getType()).value_or(0); ++K)
      Out.push_back(body::expr(body::Subscript{Of, literal(std::to_string(K))}));
    return Of ? std::optional(Out) : std::nullopt;
  }
  for (const Expr* E : listed(S)) {
    body::ExprRef Value = value(E, Before);
    if (!Value)
      return std::nullopt;
    if (!E->isEvaluatable(Context)) { // as it is before the loop
      const std::size_t Number =
          addScalar("listed", Types.classify(E->getType().getUnqualifiedType()));
      assign(Made.Scalars[Number].Name, std::exchange(Value, named(Made.Scalars[Number].Name)),
             Before);
    }
    Out.push_back(std::move(Value));
  }
  return Out;
}

/// A loop through a list, as the statements that it has, once for each number.
bool TurnBuilder::unroll(const CXXForRangeStmt* S, const ListOfNumbers& Of, TurnSteps& Out) {
  const std::string Variable = Made.Scalars[scalarOf(S->getLoopVariable())].Name;
  return llvm::all_of(Of, [&](const body::ExprRef& Value) {
    assign(Variable, Value, Out);
    return statement(S->getBody(), Out);
  });
}

bool TurnBuilder::throughList(const CXXForRangeStmt* S, TurnSteps& Out) {
  if (boundsOf(S))
    return loop(S, {"for", S->getBody()}, Out);
  const std::optional<ListOfNumbers> Of = list(S, Out);
  if (!Of)
    return false;
  if (Of->size() <= MostUnrolled && !leavesOf(S->getBody()).any())
    return unroll(S, *Of, Out);
  return loop(S, {"for", S->getBody()}, Out, &*Of);
}

/// What a loop through a list counts: its head, and what stands in front of its body.
void TurnBuilder::count(const CXXForRangeStmt* S, const ListOfNumbers& Of, TurnSteps& Before,
                        CountedList& Out) {
  const std::string Place = newScalar("index", Context.IntTy);
  const std::string Variable = Made.Scalars[scalarOf(S->getLoopVariable())].Name;
  assign(Place, literal("0"), Before);
  Out.Condition = operation("<", named(Place), literal(std::to_string(Of.size())));
  body::ExprRef Value = Of.back();
  for (std::size_t K = Of.size() - 1; K-- > 0;)
    Value = body::expr(body::Choice{operation("==", named(Place), literal(std::to_string(K))),
                                    Of[K], std::move(Value)});
  assign(Variable, std::move(Value), Out.Begin);
  assign(Place, operation("+", named(Place), literal("1")), Out.Step);
}

/// The same of a loop that counts.
bool TurnBuilder::count(const CXXForRangeStmt* S, const Counted& Bounds, TurnSteps& Before,
                        CountedList& Out) {
  const VarDecl* V = S->getLoopVariable();
  const QualType Ty = V->getType();
  if (!Scalar.isNumber(Ty) ||
      (Ty->isReferenceType() && !Ty.getNonReferenceType().isConstQualified()))
    return refuse(S, "'" + V->getNameAsString() + "' is no number that the loop has for itself");
  llvm::SmallVector<std::string, 2> Ends;
  for (const Expr* Bound : {Bounds.First, Bounds.Last}) {
    if (!changedOutside(Bound).empty())
      return refuse(Bound, "a bound of the loop changes something else");
    body::ExprRef Value = value(Bound, Before);
    if (!Value)
      return false;
    const QualType Of = Bound->getType().getNonReferenceType().getUnqualifiedType();
    Ends.push_back(
        Made.Scalars[addScalar(Ends.empty() ? "index" : "end", Types.classify(Of))].Name);
    assign(Ends.back(), std::move(Value), Before);
  }
  if (Ty->isReferenceType())
    Scalar.addAlias(V);
  if (HasPairs)
    noteCounted(V, Bounds, Ends[0], Out.Step);
  Out.Condition = operation("!=", named(Ends[0]), named(Ends[1]));
  assign(Made.Scalars[scalarOf(V)].Name, named(Ends[0]), Out.Begin);
  TurnSteps Counts;
  assign(Ends[0], operation("+", named(Ends[0]), literal("1")), Counts);
  Out.Step.insert(Out.Step.begin(), std::move(Counts.front()));
  return true;
}

} // namespace ikra
