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

/// What a loop reads an element of in each turn: a capture, or one line of it.
struct TiledLine {
  std::string Array;
  /// Of a capture of several dimensions: the places of the line, of which that in the dimension
  /// along which the loop goes is null.
  body::Exprs Places;

  /// The dimension along which the loop goes.
  std::size_t along() const;
};

/// Of one section.
struct ArrayTiles {
  /// By what a loop repeats.
  std::map<const body::Stmts*, std::vector<TiledLine>> Loops;
  struct Read {
    const body::Stmts* Loop;
    std::size_t Line; ///< among the loop's
  };
  /// Those reads in loops with a counter.
  std::map<const body::Expr*, Read> Reads;
};

/// By section.
std::map<Index, ArrayTiles> planArrayTiles(const ProgramModel& Model);

} // namespace ikra

#endif
