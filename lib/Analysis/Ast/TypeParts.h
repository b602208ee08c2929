// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Types.cpp and ValueClasses.cpp ask of types.

#ifndef IKRA_ANALYSIS_AST_TYPEPARTS_H
#define IKRA_ANALYSIS_AST_TYPEPARTS_H

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/Type.h"
#include "llvm/ADT/SmallVector.h"

namespace ikra {

/// The instance of the template of that name in namespace std that a type is; null for others.
const clang::ClassTemplateSpecializationDecl* stdTemplate(clang::QualType Ty, llvm::StringRef Name);
/// Types that host and devices agree on; long double and __int128 are not among them.
bool isNumber(clang::QualType Canonical);
/// Types that devices change atomically: numbers and enumerations of 1, 2, 4 or 8 bytes.
bool isAtomicNumber(clang::QualType Ty);
/// The std::tuple, pair, optional or variant that a type is; null for others.
const clang::ClassTemplateSpecializationDecl* holderOf(clang::QualType Ty);
/// The types of a holder's elements.
llvm::SmallVector<clang::QualType> elementsOf(const clang::ClassTemplateSpecializationDecl* Tuple);
/// What built-in arrays in any dimensions are of; other types themselves.
clang::QualType elementOfArrays(clang::QualType Ty);

} // namespace ikra

#endif
