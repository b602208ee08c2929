// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which variables of the program the code of sections names. Asked before any body is understood,
// since the classes that these lead to have a role, too.

#ifndef IKRA_ANALYSIS_REACH_REACHEDGLOBALS_H
#define IKRA_ANALYSIS_REACH_REACHEDGLOBALS_H

#include "Analysis/Ast/SectionFinder.h"

namespace ikra {

/// The global variables and static members that sections, or functions that these reach, name, in
/// the order in which they are met.
std::vector<const clang::VarDecl*> findReachedGlobals(const Findings& Found);

} // namespace ikra

#endif
