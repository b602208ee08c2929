// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects of classes that this translation unit does not know: which sections may meet them, and
// what these need then: the drivers of other files, or their code as the user wrote it.

#ifndef IKRA_ANALYSIS_REACH_UNKNOWNCLASSES_H
#define IKRA_ANALYSIS_REACH_UNKNOWNCLASSES_H

#include "Model/ProgramModel.h"

#include <string>

namespace clang {
class ASTContext;
class Expr;
class FunctionDecl;
class SourceLocation;
} // namespace clang

namespace ikra {

/// Under which name all files know a section that stands in an inline function; empty where one
/// file alone has it. \param Inside the function, or null
std::string sharedNameOf(const clang::FunctionDecl* Inside, const SourceLoc& At);

/// Under which name all files know the place of a section in a header, or "": of a template's
/// instantiations there is one for all. \param Inside the function around it, or null
std::string keyNameOf(const clang::FunctionDecl* Inside, clang::SourceLocation At,
                      const SourceLoc& Written);

/// Whether \p Init, what a lambda captures, may be evaluated a second time: it changes nothing, and
/// gives the same.
bool mayBeEvaluatedTwice(const clang::Expr* Init, const clang::ASTContext& Context);

/// Sets MeetsUnknownClasses, MayRunInPlace and MayRunAlone of all sections. The model's classes are
/// all known.
void findUnknownClasses(ProgramModel& Model);

} // namespace ikra

#endif
