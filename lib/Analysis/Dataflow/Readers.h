// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who else may read an array that a section reads. What a variable holds and somebody reads again
// is better computed once and stored; what nobody reads again stays in registers. Over clang's
// control-flow graph for local variables, through calls for parameters and results. What is not
// seen (members, globals, captures) counts as read.

#ifndef IKRA_ANALYSIS_DATAFLOW_READERS_H
#define IKRA_ANALYSIS_DATAFLOW_READERS_H

#include "Model/ProgramModel.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"

#include <utility>
#include <vector>

namespace ikra {

class ArrayFlow;

/// What an expression does with an array, as far as it makes no other of it.
enum class ArrayAccess { None, Computes, AsksForSize };

/// Where a variable is named, if that is all of an expression; null for all else.
const clang::DeclRefExpr* nameIn(const clang::Expr* E);

/// The array that a call reads elements of, or asks for its size.
std::pair<const clang::Expr*, ArrayAccess> readBy(const clang::Expr* E);

/// Fills SectionFlow::OtherReaders.
/// \param Arrays by section, what it reads as far as the program names it
void findOtherReaders(clang::ASTContext& Context,
                      const std::vector<std::vector<const clang::Expr*>>& Arrays,
                      const ArrayFlow& Flow, ProgramModel& Model);

} // namespace ikra

#endif
