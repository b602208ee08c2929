// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls that stand in no text of the program, as the compiler would have made them there: with the
// overload that it chooses, and with the user's constructors and conversion operators around
// arguments and results. What calls a function object, or hands a section its element, is code of
// libraries; device code has calls of its own in place of these.

#ifndef IKRA_ANALYSIS_AST_CONVERSIONS_H
#define IKRA_ANALYSIS_AST_CONVERSIONS_H

#include "Model/ProgramModel.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/ArrayRef.h"

namespace clang {
class Sema;
} // namespace clang

namespace ikra {

/// True where a value of type \p From becomes one of type \p To by a function of some class, not as
/// the language converts numbers, or a class to its base.
bool isConvertedByClass(clang::QualType From, clang::QualType To);

/// What the code of a section is given as, and what it gives becomes, where a class converts it.
/// \param Code   what is called; stands around the parts of the handover
/// \param Given  the types that it is given; a null one is handed on as it is
/// \param Result what its result has to be; null: it is used as it is
/// \returns null Given where no class converts anything; nothing where a conversion is not found
std::optional<Handover> handOver(clang::Sema& Compiler, const clang::FunctionDecl* Code,
                                 llvm::ArrayRef<clang::QualType> Given, clang::QualType Result);

/// What is called, how, from where.
struct CallShape {
  /// The type of the object that is called, its first parameter, a reference; null for a function.
  clang::QualType Object;
  const clang::FunctionDecl* Function = nullptr; ///< what is called in place of an object
  /// The types of the arguments, references: to an rvalue, what may be moved from.
  llvm::SmallVector<clang::QualType, 3> Given;
  clang::QualType Result; ///< what the result becomes; null: what it is
};

/// `[](Object& function_object, Given... given) { return function_object(given...); }`
/// \param Inside the function in whose text it is printed
/// \returns null where the object cannot be called so
const clang::FunctionDecl* callOf(clang::Sema& Compiler, const CallShape& Shape,
                                  const clang::FunctionDecl* Inside, clang::SourceLocation At);

} // namespace ikra

#endif
