// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CompilerFunctions.h"

#include "clang/AST/Decl.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace ikra {

static llvm::StringRef nameOf(const FunctionDecl* Callee) {
  return Callee && Callee->getIdentifier() ? Callee->getName() : "";
}

std::optional<BitsFunction> bitsFunction(const FunctionDecl* Callee) {
  const auto Found = [](llvm::StringRef Name, bool LeastBit = false) {
    return std::optional<BitsFunction>(BitsFunction{Name, LeastBit});
  };
  return llvm::StringSwitch<std::optional<BitsFunction>>(nameOf(Callee))
      .Cases("__builtin_popcount", "__builtin_popcountl", "__builtin_popcountll", Found("popcount"))
      .Cases("__builtin_parity", "__builtin_parityl", "__builtin_parityll",
             Found("popcount", /*LeastBit=*/true))
      .Cases("__builtin_clz", "__builtin_clzl", "__builtin_clzll", Found("countl_zero"))
      .Cases("__builtin_ctz", "__builtin_ctzl", "__builtin_ctzll", Found("countr_zero"))
      .Default(std::nullopt);
}

bool isAssertion(const FunctionDecl* Callee) {
  return nameOf(Callee) == "__assert_fail" && Callee->isExternC() && Callee->getNumParams() == 4;
}

bool isTextAsCondition(const CastExpr* E) {
  return E->getCastKind() == CK_PointerToBoolean &&
         isa<StringLiteral>(E->getSubExpr()->IgnoreParenImpCasts());
}

/// What the address that is given, converted to void*, is of; null for others.
static const Expr* numberAt(const Expr* Address) {
  const auto* Of = dyn_cast<UnaryOperator>(Address->IgnoreParenCasts());
  if (!Of || Of->getOpcode() != UO_AddrOf)
    return nullptr;
  const QualType Ty = Of->getSubExpr()->getType();
  const bool IsNumber = Ty->isArithmeticType() && !Ty->isAnyComplexType() &&
                        !Ty->isSpecificBuiltinType(BuiltinType::LongDouble);
  return IsNumber || Ty->isEnumeralType() ? Of->getSubExpr()->IgnoreParens() : nullptr;
}

std::optional<CopiedBits> copiedBits(const CallExpr* E, const ASTContext& Context) {
  const FunctionDecl* Callee = E->getDirectCallee();
  const llvm::StringRef Name = nameOf(Callee);
  const bool IsCopy = Name == "memcpy" || Name == "memmove" || Name == "__builtin_memcpy";
  if (!IsCopy || !Callee->isExternC() || E->getNumArgs() != 3 || E->isInstantiationDependent())
    return std::nullopt;
  const CopiedBits Out{numberAt(E->getArg(0)), numberAt(E->getArg(1))};
  Expr::EvalResult Size;
  if (!Out.To || !Out.From || !E->getArg(2)->EvaluateAsInt(Size, Context))
    return std::nullopt;
  const auto IsWhole = [&](const Expr* Of) {
    return Size.Val.getInt() == Context.getTypeSizeInChars(Of->getType()).getQuantity();
  };
  return IsWhole(Out.To) && IsWhole(Out.From) ? std::optional(Out) : std::nullopt;
}

} // namespace ikra
