// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a call in a section's body is to device code. The walk that accepts bodies and the builder
// that makes their nodes both switch over it, so what one knows the other has to say too.

#ifndef IKRA_ANALYSIS_AST_CALLFORMS_H
#define IKRA_ANALYSIS_AST_CALLFORMS_H

#include "Model/ProgramModel.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace ikra {

/// Of a call that names a function, neither a method nor an operator.
enum class CallForm {
  Unknown,        ///< device code has no such function
  Modelled,       ///< of the user's, or of the standard library's that is followed like these
  Constant,       ///< a number: std::numeric_limits<T>::max()
  Limit,          ///< the same, of a value that is printed as it is written
  Rank,           ///< of an ikra::array, a number
  Atomic,         ///< ikra::atomic_*
  Forwarded,      ///< std::move, std::forward, std::as_const: their argument
  ElementOfArray, ///< std::get of a std::array
  OfVariant,      ///< std::get of a std::variant, which may fail
  Visit,          ///< std::visit of variants
  Apply,          ///< std::apply of a tuple or pair
  Invoke,         ///< std::invoke
  Algorithm,      ///< over iterators
  Iterator,       ///< std::begin(c) and its kin
  Size,           ///< std::size(c) and its kin
  OfComplex,      ///< of std::complex
  ComplexLiteral, ///< 2.0i
  OfIntegers,     ///< of <bit> and <numeric>, over integers
  OfBits,         ///< __builtin_popcount and its kin
  CopiedBits,     ///< memcpy of a number into another
  Expected,       ///< __builtin_expect: its first argument
  Unreachable,    ///< __builtin_unreachable
  Assertion,      ///< of assert, where its condition does not hold
  GetIf,          ///< std::get_if
  ExtremumOfList, ///< std::max({a, b}), std::min({a, b}) of numbers
  OfValues,       ///< of the standard library's value classes
  Native,         ///< the CUDA toolkit has it for both devices
};

/// Of a call of a method.
enum class MethodForm {
  Unknown,       ///< device code has no such method
  Modelled,      ///< of the user's
  Closure,       ///< f.operator()(x) of a lambda
  Random,        ///< of ikra::random
  Atomic,        ///< of a std::atomic or std::atomic_ref (Atomics.h)
  At,            ///< of a container, which may fail
  OptionalValue, ///< value() of a std::optional, which may fail
  Iterator,      ///< begin() and its kin
  OfContainer,   ///< size(), empty(), shape(), front(), back()
  PartOfSpan,    ///< first(n), last(n), subspan(k, n)
  OfValue,       ///< of the standard library's value classes
  Pointer,       ///< get() of a smart pointer to an object, lock() of a weak one
  PointerIsSet,  ///< its conversion to bool
  PointerIsNull, ///< expired() of a weak one
};

/// Of a call of an overloaded operator.
enum class OperatorForm {
  Unknown,    ///< device code has no such operator
  Modelled,   ///< of the user's, or of ikra::max and ikra::min
  Closure,    ///< f(x) of a lambda
  Atomic,     ///< of a std::atomic or std::atomic_ref (Atomics.h)
  Subscript,  ///< of a container
  Location,   ///< a(i, j) of an ikra::array
  OfPointer,  ///< of an iterator
  OfSpan,     ///< assignment to a variable
  Algorithm,  ///< std::ranges::sort(v) and its kin
  Extremum,   ///< std::ranges::max and min of numbers
  WindowRead, ///< of a stencil's window
  Random,     ///< of ikra::random
  ToObject,   ///< of a smart pointer to an object
  OfComplex,  ///< arithmetic of std::complex, and assignments that convert to it
  OfValue,    ///< of value classes: as it is written
};

/// How types are represented (Types.h).
using Classifier = llvm::function_ref<Type(clang::QualType)>;

CallForm formOf(const clang::CallExpr* E, const clang::ASTContext& Context, Classifier Classify);
MethodForm formOf(const clang::CXXMemberCallExpr* E, Classifier Classify);
OperatorForm formOf(const clang::CXXOperatorCallExpr* E, const ClassRoles& Roles,
                    Classifier Classify);

/// The function of ikra::complex_math that an operator of std::complex is; empty if there is none.
llvm::StringRef complexOperator(clang::OverloadedOperatorKind Operator);

} // namespace ikra

#endif
