// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ikrac's messages, reported through clang's engine so that they look, and are counted, like the
// compiler's own.

#ifndef IKRA_ANALYSIS_DIAGNOSTICS_H
#define IKRA_ANALYSIS_DIAGNOSTICS_H

#include "clang/Basic/Diagnostic.h"

#include <map>
#include <set>
#include <utility>
#include <vector>

namespace ikra {

enum class Diag : unsigned {
#define DIAG(ID, LEVEL, TEXT) ID,
#include "Diagnostics.def"
};

/// True for what this version cannot compile, but the plain library can run.
bool isUnsupported(Diag Message);

/// Reports the messages of Diagnostics.def, each at its place once: sections are analysed again
/// where one was left to the plain library. Comments answer warnings; isAnswered says how.
class Diagnoser {
public:
  explicit Diagnoser(clang::DiagnosticsEngine& Engine);

  /// \param FallsBack the operation is left to the plain library: what is unsupported is a warning.
  /// \param AlsoErrors so is what sections may not do
  clang::DiagnosticBuilder report(clang::SourceLocation At, Diag Message, bool FallsBack = false,
                                  bool AlsoErrors = false);
  /// Where a message stands that was given for another section, and holds for the one at
  /// \p Section too; invalid if there is none.
  clang::SourceLocation sharedReason(clang::SourceLocation Section) const {
    const auto It = SharedReasons.find(Section);
    return It == SharedReasons.end() ? clang::SourceLocation() : It->second;
  }
  clang::DiagnosticsEngine& engine() { return Engine; }
  bool hasErrors() const { return Engine.hasErrorOccurred(); }

private:
  /// Whether a comment at the line of \p At, or at the one before, says that the warning is known:
  /// `// NOLINT(ikra-unshared-update)`, `// NOLINTNEXTLINE(…)`, as for clang-tidy.
  bool isAnswered(clang::SourceLocation At, Diag Message) const;

  clang::DiagnosticsEngine& Engine;
  std::vector<unsigned> IDs;
  std::vector<unsigned> WarningIDs; ///< the same messages, for operations that are left
  unsigned Silent;                  ///< says nothing
  std::set<std::pair<clang::SourceLocation, unsigned>> Reported;
  std::map<clang::SourceLocation, clang::SourceLocation> SharedReasons; ///< by section
  clang::SourceLocation Last; ///< of the last message that is no note
  bool IsSilent = false;      ///< the last message, to which the notes after it belong
};

} // namespace ikra

#endif
