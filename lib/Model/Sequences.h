// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sequences as data (docs/sequences.md): statements one after the other that are each a peach over
// objects, and counted loops of such. And the host sections that open a resident scope.

#ifndef IKRA_MODEL_SEQUENCES_H
#define IKRA_MODEL_SEQUENCES_H

#include "Type.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace clang {
class CompoundStmt;
class Stmt;
} // namespace clang

namespace ikra {

struct SequenceStep {
  Index Section;
  std::size_t Array = 0; ///< among the sequence's
  std::string Ticks;     ///< host text of peach's first argument; empty: there is none
  /// Captures that are the loop's variable.
  std::vector<std::size_t> Turns;
};

struct SequenceArray {
  std::string Text; ///< of the host
  Index Class;      ///< static, of its objects
};

struct Sequence {
  std::string Ident;  ///< unique in emitted code
  std::string Inside; ///< the name of the function around it
  SourceLoc At;
  std::vector<SequenceArray> Arrays;
  std::vector<SequenceStep> Steps;
  bool IsLoop = false;
  std::string Begin, End; ///< host text of the loop's bounds
  std::string Count;      ///< the function of the runtime that counts turns between them
  bool IsDown = false;    ///< the variable is counted down
  std::int64_t By = 1;    ///< what it changes by in a turn
  /// Host text that gives the loop's variable its last value; empty where it ends with the loop.
  std::string Rest;
  /// The statements, which stay in the host text; of a loop both are the loop.
  const clang::Stmt* First = nullptr;
  const clang::Stmt* Last = nullptr;
};

/// A loop with sections over objects that is no sequence.
struct UnjoinedLoop {
  SourceLoc At;
  std::string Keyword, Why;
  unsigned Line = 0; ///< of what is the reason
};

/// A host section that opens a resident scope by itself.
struct HostScope {
  SourceLoc At;
  std::vector<Index> Sections; ///< over the same objects
  const clang::CompoundStmt* Body = nullptr;
};

} // namespace ikra

#endif
