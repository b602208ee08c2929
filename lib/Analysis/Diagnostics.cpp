// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers the table of messages with clang's engine. Each text ends with its ID in brackets, by
// which docs/diagnostics.md explains it.

#include "Diagnostics.h"

#include "llvm/Support/ErrorHandling.h"

#include <string>

namespace ikra {

namespace {

enum class Level { Error, Unsupported, Warning, Note };

struct Row {
  Level Of;
  const char* Text;
  const char* ID;
};
const Row Rows[] = {
#define DIAG(ID, LEVEL, TEXT) {Level::LEVEL, TEXT, #ID},
#include "Diagnostics.def"
};

clang::DiagnosticIDs::Level levelOf(Level Of) {
  switch (Of) {
  case Level::Error:
  case Level::Unsupported:
    return clang::DiagnosticIDs::Error;
  case Level::Warning:
    return clang::DiagnosticIDs::Warning;
  case Level::Note:
    return clang::DiagnosticIDs::Note;
  }
  llvm_unreachable("level of a message");
}

} // namespace

bool isUnsupported(Diag Message) {
  return Rows[static_cast<unsigned>(Message)].Of == Level::Unsupported;
}

Diagnoser::Diagnoser(clang::DiagnosticsEngine& Engine) : Engine(Engine) {
  clang::DiagnosticIDs& Known = *Engine.getDiagnosticIDs();
  for (const Row& R : Rows) {
    std::string Text = R.Text;
    if (R.Of != Level::Note) {
      std::string Flag = R.ID;
      for (char& C : Flag)
        if (C == '_')
          C = '-';
      Text += " [ikra-" + Flag + "]";
    }
    IDs.push_back(Known.getCustomDiagID(levelOf(R.Of), Text));
    WarningIDs.push_back(R.Of == Level::Note
                             ? IDs.back()
                             : Known.getCustomDiagID(clang::DiagnosticIDs::Warning, Text));
  }
  Silent = Known.getCustomDiagID(clang::DiagnosticIDs::Ignored, "repeated");
}

clang::DiagnosticBuilder Diagnoser::report(clang::SourceLocation At, Diag Message, bool FallsBack,
                                           bool AlsoErrors) {
  const auto Number = static_cast<unsigned>(Message);
  const bool IsWarning = FallsBack && (AlsoErrors || Rows[Number].Of == Level::Unsupported);
  const unsigned ID = IsWarning ? WarningIDs[Number] : IDs[Number];
  if (Rows[Number].Of != Level::Note) {
    IsRepeated = !Reported.emplace(At, ID).second;
    Last = At;
  } else if (IsRepeated && Message == Diag::reached_from) {
    SharedReasons.try_emplace(At, Last);
  }
  return Engine.Report(At, IsRepeated ? Silent : ID);
}

} // namespace ikra
