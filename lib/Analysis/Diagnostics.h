// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ikrac's messages, reported through clang's engine so that they look, and are counted, like the
// compiler's own.

#ifndef IKRA_ANALYSIS_DIAGNOSTICS_H
#define IKRA_ANALYSIS_DIAGNOSTICS_H

#include "clang/Basic/Diagnostic.h"

#include <array>

namespace ikra {

enum class Diag : unsigned {
#define DIAG(ID, LEVEL, TEXT) ID,
#include "Diagnostics.def"
};

/// Reports the messages of Diagnostics.def.
class Diagnoser {
public:
  explicit Diagnoser(clang::DiagnosticsEngine& Engine);

  clang::DiagnosticBuilder report(clang::SourceLocation At, Diag Message);
  clang::DiagnosticsEngine& engine() { return Engine; }
  bool hasErrors() const { return Engine.hasErrorOccurred(); }

private:
  clang::DiagnosticsEngine& Engine;
  std::vector<unsigned> IDs;
};

} // namespace ikra

#endif
