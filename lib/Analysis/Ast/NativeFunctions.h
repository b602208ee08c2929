// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that the device's compiler takes as they are: those of the standard library's value
// classes, and the operators that the compiler writes. nvcc takes a constexpr function for one of
// both devices, and a defaulted one for what the functions that it calls are, so these need no
// emitted form, as long as all that they call is of that kind.

#ifndef IKRA_ANALYSIS_AST_NATIVEFUNCTIONS_H
#define IKRA_ANALYSIS_AST_NATIVEFUNCTIONS_H

#include "clang/AST/Decl.h"
#include "llvm/ADT/DenseMap.h"

namespace ikra {

class NativeFunctions {
public:
  /// True if \p F and all that it calls are constexpr or written by the compiler.
  bool contains(const clang::FunctionDecl* F);

  /// True if all operators are such that \p Algorithm, of the standard library, calls with
  /// elements.
  bool containsOperatorsOf(const clang::FunctionDecl* Algorithm, clang::QualType Element);

private:
  llvm::DenseMap<const clang::FunctionDecl*, bool> Known;
};

/// True for a function of std::numeric_limits, infinity() for example, all of which are constants.
bool isLimit(const clang::FunctionDecl* F);

} // namespace ikra

#endif
