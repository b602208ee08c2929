// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Places.h"

#include "Analysis/Ast/Names.h"
#include "Analysis/Ast/Types.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <limits>

using namespace clang;

namespace ikra {

namespace {

/// Numbers beyond this end the attempt, so that nothing here overflows.
constexpr std::int64_t MostNumber = std::numeric_limits<std::int32_t>::max();

bool isConstant(const GreatestPlace& Of) { return Of.Times == 0; }
std::int64_t valueOf(const GreatestPlace& Of) { return Of.Plus / Of.Per + Of.Then; }

PlaceBounds constant(std::int64_t Value) { return {Value, {{GreatestPlace{0, 0, 1, Value}, 0}}}; }

/// The value of bounds that are one constant.
std::optional<std::int64_t> oneOf(const PlaceBounds& Of) {
  const bool IsOne =
      Of.Most.size() == 1 && isConstant(Of.Most[0].first) && valueOf(Of.Most[0].first) == Of.Least;
  return IsOne ? std::optional(Of.Least) : std::nullopt;
}

class PlaceReader {
public:
  using Leaf = llvm::function_ref<std::optional<PlaceBounds>(const Expr*)>;
  PlaceReader(const ASTContext& Context, Leaf Known) : Context(Context), Known(Known) {}

  std::optional<PlaceBounds> boundsOf(const Expr* E) const {
    E = E->IgnoreParens();
    if (const auto* Held = dyn_cast<MaterializeTemporaryExpr>(E))
      E = Held->getSubExpr()->IgnoreParens();
    if (const auto* Full = dyn_cast<FullExpr>(E))
      E = Full->getSubExpr()->IgnoreParens();
    if (E->isValueDependent() || !E->getType()->isIntegerType())
      return std::nullopt;
    if (const auto Value = constantInteger(E, Context))
      return Value->isSignedIntN(32) || (Value->isUnsigned() && Value->isIntN(31))
                 ? std::optional(constant(Value->getExtValue()))
                 : std::nullopt;
    std::optional<PlaceBounds> Found = Known(E);
    if (!Found && Context.getTypeSize(E->getType()) >= 32)
      Found = computed(E);
    // What is less than zero is another number without a sign.
    return Found && isSmall(*Found) && (Found->Least >= 0 || E->getType()->isSignedIntegerType())
               ? Found
               : std::nullopt;
  }

private:
  static bool isSmall(const PlaceBounds& Of) {
    const auto Fits = [](std::int64_t Value) {
      return Value >= -MostNumber && Value <= MostNumber;
    };
    return Fits(Of.Least) && llvm::all_of(Of.Most, [&](const auto& Each) {
             const GreatestPlace& Is = Each.first;
             return Fits(Is.Times) && Fits(Is.Plus) && Fits(Is.Per) && Fits(Is.Then);
           });
  }

  std::optional<PlaceBounds> computed(const Expr* E) const {
    if (const auto* Name = dyn_cast<DeclRefExpr>(E)) { // const auto k = i / 2
      const auto* V = dyn_cast<VarDecl>(Name->getDecl());
      return V && V->isLocalVarDecl() && V->hasLocalStorage() && V->getInit() &&
                     V->getType().isConstQualified()
                 ? boundsOf(V->getInit())
                 : std::nullopt;
    }
    if (const auto* Cast = dyn_cast<CastExpr>(E))
      return cast(*Cast);
    if (const auto* Choice = dyn_cast<ConditionalOperator>(E))
      return either(boundsOf(Choice->getTrueExpr()), boundsOf(Choice->getFalseExpr()));
    if (const auto* Call = dyn_cast<CallExpr>(E))
      return call(*Call);
    const auto* Operator = dyn_cast<BinaryOperator>(E);
    if (!Operator || Operator->isAssignmentOp() || Operator->isCommaOp())
      return std::nullopt;
    const auto Left = boundsOf(Operator->getLHS()), Right = boundsOf(Operator->getRHS());
    const auto By = Right ? oneOf(*Right) : std::nullopt;
    switch (Operator->getOpcode()) {
    case BO_And: // with what is not negative
      if (By && *By >= 0)
        return PlaceBounds{0, constant(*By).Most};
      return Left && oneOf(*Left) && Left->Least >= 0 ? std::optional(PlaceBounds{0, Left->Most})
                                                      : std::nullopt;
    case BO_Rem:
      if (By && *By > 0 &&
          ((Left && Left->Least >= 0) || Operator->getType()->isUnsignedIntegerType()))
        return PlaceBounds{0, constant(*By - 1).Most};
      return std::nullopt;
    case BO_Add:
      if (Left && oneOf(*Left) && Right)
        return sum(*Right, *oneOf(*Left));
      return Left && By ? std::optional(sum(*Left, *By)) : std::nullopt;
    case BO_Sub:
      return Left && By ? std::optional(sum(*Left, -*By)) : std::nullopt;
    case BO_Mul:
      if (Left && oneOf(*Left) && Right)
        return product(*Right, *oneOf(*Left));
      return Left && By ? product(*Left, *By) : std::nullopt;
    case BO_Div:
      return Left && By ? quotient(*Left, *By) : std::nullopt;
    case BO_Shl:
      return Left && By && *By >= 0 && *By < 31 ? product(*Left, std::int64_t(1) << *By)
                                                : std::nullopt;
    case BO_Shr:
      return Left && By && *By >= 0 && *By < 31 ? quotient(*Left, std::int64_t(1) << *By)
                                                : std::nullopt;
    default:
      return std::nullopt;
    }
  }

  /// To a type that has all such numbers.
  std::optional<PlaceBounds> cast(const CastExpr& Cast) const {
    const Expr* Of = Cast.getSubExpr();
    std::optional<PlaceBounds> Found = boundsOf(Of);
    if (!Found)
      return std::nullopt;
    const bool IsConstant =
        llvm::all_of(Found->Most, [](const auto& Each) { return isConstant(Each.first); });
    const bool HasAll = Context.getTypeSize(Cast.getType()) >= Context.getTypeSize(Of->getType());
    return IsConstant || HasAll ? Found : std::nullopt;
  }

  std::optional<PlaceBounds> call(const CallExpr& Call) const {
    const FunctionDecl* Callee = Call.getDirectCallee();
    if (isNamedInStd(Callee, {"max"}) && Call.getNumArgs() == 2)
      return greater(boundsOf(Call.getArg(0)), boundsOf(Call.getArg(1)));
    if (isNamedInStd(Callee, {"min"}) && Call.getNumArgs() == 2)
      return less(boundsOf(Call.getArg(0)), boundsOf(Call.getArg(1)));
    if (isNamedInStd(Callee, {"clamp"}) && Call.getNumArgs() == 3)
      return less(greater(boundsOf(Call.getArg(0)), boundsOf(Call.getArg(1))),
                  boundsOf(Call.getArg(2)));
    return std::nullopt;
  }

  static std::optional<PlaceBounds> either(std::optional<PlaceBounds> A,
                                           std::optional<PlaceBounds> B) {
    if (!A || !B)
      return std::nullopt;
    A->Least = std::min(A->Least, B->Least);
    A->Most.append(B->Most);
    return A;
  }
  static std::optional<PlaceBounds> greater(std::optional<PlaceBounds> A,
                                            std::optional<PlaceBounds> B) {
    if (!A || !B)
      return std::nullopt;
    const std::int64_t Least = std::max(A->Least, B->Least);
    A = either(std::move(A), std::move(B));
    A->Least = Least;
    return A;
  }
  static std::optional<PlaceBounds> less(std::optional<PlaceBounds> A,
                                         std::optional<PlaceBounds> B) {
    if (!A || !B)
      return std::nullopt;
    if (oneOf(*B))
      A->Most = B->Most;
    A->Least = std::min(A->Least, B->Least);
    return A;
  }
  static PlaceBounds sum(PlaceBounds Of, std::int64_t With) {
    Of.Least += With;
    for (auto& [Each, Dimension] : Of.Most)
      Each.Then += With;
    return Of;
  }
  static std::optional<PlaceBounds> product(PlaceBounds Of, std::int64_t By) {
    if (By < 0)
      return std::nullopt;
    Of.Least *= By;
    for (auto& [Each, Dimension] : Of.Most) {
      if (Each.Per != 1)
        return std::nullopt;
      Each = {Each.Times * By, (Each.Plus + Each.Then) * By, 1, 0};
    }
    return Of;
  }
  /// Of what is not negative.
  static std::optional<PlaceBounds> quotient(PlaceBounds Of, std::int64_t By) {
    if (By <= 0 || Of.Least < 0)
      return std::nullopt;
    Of.Least /= By;
    for (auto& [Each, Dimension] : Of.Most) {
      if (Each.Per != 1)
        return std::nullopt;
      Each = {Each.Times, Each.Plus + Each.Then, By, 0};
    }
    return Of;
  }

  const ASTContext& Context;
  Leaf Known;
};

} // namespace

std::optional<PlaceBounds>
boundsOfPlace(const Expr* E, const ASTContext& Context,
              llvm::function_ref<std::optional<PlaceBounds>(const Expr*)> Known) {
  return PlaceReader(Context, Known).boundsOf(E);
}

} // namespace ikra
