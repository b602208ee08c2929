// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A class has one role in a translation unit: either sections reach its objects through pointers
// and references, and they have IDs and columns, or its values are copied, and it is what it is in
// C++. One function may then serve all its callers. Decided from the types at the operations alone,
// before any body is looked at.

#ifndef IKRA_ANALYSIS_REACH_CLASSROLES_H
#define IKRA_ANALYSIS_REACH_CLASSROLES_H

#include "Analysis/Ast/SectionFinder.h"
#include "Model/ProgramModel.h"

namespace ikra {

/// The classes that pointers lead to: from the elements of operations and from what sections
/// capture, on through the members of these classes, their bases and what derives from them. What a
/// section captures by reference is an object too, unless the program shows it to be a value: it is
/// an element, a result, a captured copy or a member.
ClassRoles findRoles(const Findings& Found);

} // namespace ikra

#endif
