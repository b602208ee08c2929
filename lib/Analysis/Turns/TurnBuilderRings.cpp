// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Three arrays or more in a built-in array or a std::array, of which the loop's counter chooses by
// its remainder: `buf[(t + 1) % 3]`. While a turn is made, they are variables that each turn
// rotates by one place, so that nothing is chosen where turns run.
#include "TurnBuilder.h"

#include "Analysis/Ast/Expressions.h"
#include "Analysis/Ast/Names.h"
#include "Analysis/Ast/Types.h"

using namespace clang;

namespace ikra {

/// More are more kernels in a graph, whose loop has a part for each.
static constexpr std::uint64_t MostInRing = 8;
/// Narrower counters may begin anew.
static constexpr unsigned LeastBits = 32, LeastUnsignedBits = 64;

/// Notes the variable that a for loop counts up from a constant, and that nothing else changes.
void TurnBuilder::noteCounter(const LoopParts& Parts) {
  const VarDecl* V = variableDeclared(Parts.Init);
  const auto* Step = dyn_cast_or_null<UnaryOperator>(Parts.Step);
  const bool Counts =
      V && Step && Step->isIncrementOp() && variableNamed(written(Step->getSubExpr())) == V;
  if (!Counts || !V->getInit() || !V->getType()->isIntegerType() ||
      Context.getIntWidth(V->getType()) <
          (V->getType()->isSignedIntegerType() ? LeastBits : LeastUnsignedBits) ||
      changedBy(Parts.Body).contains(V) ||
      (Parts.Condition && changedBy(Parts.Condition).contains(V)))
    return;
  const std::optional<std::int64_t> First = constantOf(V->getInit());
  if (First && *First >= 0)
    RingCounter = {V, *First};
}

/// A sum of constants and, so many times, of the counter.
std::optional<TurnBuilder::CounterSum> TurnBuilder::sumOf(const Expr* E) const {
  E = E->IgnoreParens();
  if (!E->getType()->isIntegerType())
    return std::nullopt;
  if (const std::optional<llvm::APSInt> Value = constantInteger(E, Context))
    return Value->isSignedIntN(LeastBits) ? std::optional(CounterSum{0, Value->getExtValue()})
                                          : std::nullopt;
  if (const auto* Cast = dyn_cast<CastExpr>(E)) {
    const Expr* Of = Cast->getSubExpr();
    return Of->getType()->isIntegerType() &&
                   Context.getIntWidth(Of->getType()) <= Context.getIntWidth(E->getType())
               ? sumOf(Of)
               : std::nullopt;
  }
  if (isa<DeclRefExpr>(E)) {
    const VarDecl* V = variableNamed(E);
    if (V && V == RingCounter.Of)
      return CounterSum{1, 0};
    const auto Known = Inits.find(V);
    return Known != Inits.end() && Context.getIntWidth(E->getType()) >= LeastBits
               ? sumOf(Known->second.Is)
               : std::nullopt;
  }
  const auto* Operator = dyn_cast<BinaryOperator>(E);
  if (!Operator || (Operator->getOpcode() != BO_Add && Operator->getOpcode() != BO_Sub))
    return std::nullopt;
  const std::optional<CounterSum> Left = sumOf(Operator->getLHS()),
                                  Right = sumOf(Operator->getRHS());
  if (!Left || !Right)
    return std::nullopt;
  const int Sign = Operator->getOpcode() == BO_Add ? 1 : -1;
  return CounterSum{Left->Times + Sign * Right->Times, Left->Constant + Sign * Right->Constant};
}

/// Which of so many arrays a place names in the loop's first turn: `(t + 1) % 3`.
std::optional<std::uint64_t> TurnBuilder::firstInRing(const Expr* At, std::uint64_t Size) const {
  At = At->IgnoreParens();
  if (At->getType()->isBooleanType())
    return std::nullopt;
  if (const auto* Cast = dyn_cast<CastExpr>(At))
    return firstInRing(Cast->getSubExpr(), Size);
  if (isa<DeclRefExpr>(At)) {
    const auto Known = Inits.find(variableNamed(At));
    return Known != Inits.end() ? firstInRing(Known->second.Is, Size) : std::nullopt;
  }
  const auto* Rest = dyn_cast<BinaryOperator>(At);
  if (!Rest || Rest->getOpcode() != BO_Rem)
    return std::nullopt;
  const std::optional<llvm::APSInt> By = constantInteger(Rest->getRHS(), Context);
  if (!By || By->getExtValue() != static_cast<std::int64_t>(Size))
    return std::nullopt;
  const std::optional<CounterSum> Sum = sumOf(Rest->getLHS());
  if (!Sum || Sum->Times != 1 || RingCounter.First + Sum->Constant < 0)
    return std::nullopt;
  return static_cast<std::uint64_t>(RingCounter.First + Sum->Constant) % Size;
}

/// The array that the counter chooses; nothing where it is not seen that it does.
std::optional<TurnBuilder::ArrayPlace>
TurnBuilder::placeInRing(const Expr* E, const ArrayPlace& In, const Expr* At, std::uint64_t Size) {
  const std::optional<std::uint64_t> First = firstInRing(At, Size);
  if (!First || Size > MostInRing || Made.Block || AreNumbered.contains(In.second))
    return std::nullopt;
  const auto Place = [&](std::uint64_t Number) {
    return ArrayPlace{In.first, In.second + "[" + std::to_string(Number) + "]"};
  };
  if (Rings.insert(In.second).second) {
    TurnRing New;
    New.By = nameOf(RingCounter.Of);
    for (std::uint64_t K = 0; K < Size; ++K) {
      const std::optional<std::size_t> Number = arrayOf(Place(K), E->getType(), E);
      if (!Number || (K > 0 && !haveOneShape(Made.Arrays[New.Arrays.front()].Space,
                                             Made.Arrays[*Number].Space, E)))
        return std::nullopt;
      New.Arrays.push_back(*Number);
    }
    New.Turned = newScalar("turned", Context.UnsignedIntTy);
    Made.Begin.insert(Made.Begin.begin(), assignment(New.Turned, "0"));
    Made.Rings.push_back(std::move(New));
  }
  return Place(*First);
}

/// Where the counter goes on, the arrays do: the first becomes the last.
void TurnBuilder::rotateRings(const std::string& By, TurnSteps& Out) {
  for (const TurnRing& Ring : Made.Rings) {
    if (Ring.By != By)
      continue;
    const auto Next = body::expr(body::Paren{operation("+", named(Ring.Turned), literal("1"))});
    assign(Ring.Turned, operation("%", Next, literal(std::to_string(Ring.Arrays.size()) + "U")),
           Out);
    for (std::size_t K = 1; K < Ring.Arrays.size(); ++K)
      Out.push_back(swapOf(Ring.Arrays[K - 1], Ring.Arrays[K]));
  }
}

} // namespace ikra
