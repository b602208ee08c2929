// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that read captured arrays from one element to the next, whatever the section's own element
// is: all pairs. The threads of a GPU's block run such a loop together: they bring a piece of the
// arrays to the block's memory, and all of them read it there. docs/fusion.md has the rule.

#ifndef IKRA_FUSION_ARRAYTILES_H
#define IKRA_FUSION_ARRAYTILES_H

#include "Model/ProgramModel.h"

#include <map>
#include <string>
#include <vector>

namespace ikra {

/// Of one section.
struct ArrayTiles {
  /// By what a loop repeats: the captures that it reads an element of in each turn.
  std::map<const body::Stmts*, std::vector<std::string>> Loops;
  /// Those reads in loops with a counter, and the loop.
  std::map<const body::Subscript*, const body::Stmts*> Reads;
};

/// By section.
std::map<Index, ArrayTiles> planArrayTiles(const ProgramModel& Model);

} // namespace ikra

#endif
