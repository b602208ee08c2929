// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of the standard library's functions (StdFunctions.def), by name.

#ifndef IKRA_ANALYSIS_AST_STDFUNCTIONS_H
#define IKRA_ANALYSIS_AST_STDFUNCTIONS_H

#include "clang/AST/Decl.h"

namespace ikra {

struct StdFunction {
  enum class Form {
    Native,      ///< the same, declared for both devices by the CUDA toolkit
    Followed,    ///< its body, which Analysis follows like a user's function
    Reads,       ///< ikra::algorithm::, which reads through its iterators
    Writes,      ///< ikra::algorithm::, which writes, or hands on iterators to be written through
    Arranges,    ///< nothing: each library puts the elements in an order of its own
    OfIntegers,  ///< ikra::algorithm:: for integers
    OfComplex,   ///< ikra::complex_math::, of numbers and complex numbers
    OfValues,    ///< the same, where all that it calls is constexpr (NativeFunctions.h)
    Handled,     ///< its argument, or a call of it: rules of their own
    OfLocale,    ///< nothing: it depends on the locale
    InputOutput, ///< nothing: devices have no files
    Allocation,  ///< nothing: objects are made outside of sections
  };
  enum Cost {
    Short,
    Long, ///< as long as many operations
  };
  /// What an algorithm calls the function with that it may be given last.
  enum Calls {
    Nothing,         ///< it takes none
    Test,            ///< an element; gives a bool
    Each,            ///< an element; gives what nobody reads
    Made,            ///< nothing; gives what is stored
    Order,           ///< two elements; gives a bool
    Transform,       ///< an element, or one of each range; gives what is stored
    Fold,            ///< the sum so far and an element; gives the sum
    Running,         ///< two elements; gives what is stored, and handed on
    Product,         ///< an element of each range; gives what a function before it adds up
    ElementAndValue, ///< an element and the value looked for; gives a bool
    ValueAndElement, ///< the same, the other way round
    BothWays,        ///< the last two
  };
  Form As;
  Cost Takes;
  Calls With = Nothing;
};

/// The row for a name; null where there is none.
const StdFunction* findStdFunction(llvm::StringRef Name);
/// The same for a function of namespace std, or of C.
const StdFunction* findStdFunction(const clang::FunctionDecl* Callee);
/// What namespace std calls a function of it or of C: C's function for floats, sqrtf, is an
/// overload of std::sqrt.
llvm::StringRef stdName(const clang::FunctionDecl* Callee);
/// Whether \p Callee is a function of namespace std that takes or gives complex numbers, and that
/// ikra::complex_math has for devices.
bool isComplexFunction(const clang::FunctionDecl* Callee);
/// Whether \p Callee is a function of namespace std that has this form.
bool isStdFunction(const clang::FunctionDecl* Callee, StdFunction::Form As);

} // namespace ikra

#endif
