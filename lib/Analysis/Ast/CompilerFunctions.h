// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that C's headers or the compiler have, and that device code writes otherwise: assert,
// the copy of a number's bytes into another, builtins over the bits of integers.

#ifndef IKRA_ANALYSIS_AST_COMPILERFUNCTIONS_H
#define IKRA_ANALYSIS_AST_COMPILERFUNCTIONS_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"

#include <optional>

namespace ikra {

/// A function of ikra::algorithm, and whether its least bit alone is meant.
struct BitsFunction {
  llvm::StringRef Name;
  bool LeastBit = false;
};

/// What a builtin such as __builtin_popcountll is called in device code; none for other functions.
std::optional<BitsFunction> bitsFunction(const clang::FunctionDecl* Callee);

/// True for what assert() calls where its condition does not hold.
bool isAssertion(const clang::FunctionDecl* Callee);

/// True for a text as a condition, which always holds: assert(i >= 0 && "what went wrong").
bool isTextAsCondition(const clang::CastExpr* E);

/// memcpy(&To, &From, sizeof To) of two numbers of one size: the way to read a number's bits before
/// std::bit_cast.
struct CopiedBits {
  const clang::Expr* To;
  const clang::Expr* From;
};
std::optional<CopiedBits> copiedBits(const clang::CallExpr* E, const clang::ASTContext& Context);

} // namespace ikra

#endif
