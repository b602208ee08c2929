// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers the table of messages with clang's engine. Each text ends with its ID in brackets, by
// which docs/diagnostics.md explains it.

#include "Diagnostics.h"

#include <string>

namespace ikra {

namespace {
struct Row {
  clang::DiagnosticIDs::Level Level;
  const char* Text;
  const char* ID;
};
const Row Rows[] = {
#define DIAG(ID, LEVEL, TEXT) {clang::DiagnosticIDs::LEVEL, TEXT, #ID},
#include "Diagnostics.def"
};
} // namespace

Diagnoser::Diagnoser(clang::DiagnosticsEngine& Engine) : Engine(Engine) {
  for (const Row& R : Rows) {
    std::string Text = R.Text;
    if (R.Level != clang::DiagnosticIDs::Note) {
      std::string Flag = R.ID;
      for (char& C : Flag)
        if (C == '_')
          C = '-';
      Text += " [ikra-" + Flag + "]";
    }
    IDs.push_back(Engine.getDiagnosticIDs()->getCustomDiagID(R.Level, Text));
  }
}

clang::DiagnosticBuilder Diagnoser::report(clang::SourceLocation At, Diag Message) {
  return Engine.Report(At, IDs[static_cast<unsigned>(Message)]);
}

} // namespace ikra
