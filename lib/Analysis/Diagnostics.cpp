// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers the table of messages with clang's engine. Each text ends with its ID in brackets, by
// which docs/diagnostics.md explains it.

#include "Diagnostics.h"

#include "clang/Basic/SourceManager.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
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

std::string flagOf(const Row& R) {
  std::string Flag = "ikra-";
  for (const char* C = R.ID; *C; ++C)
    Flag += *C == '_' ? '-' : *C;
  return Flag;
}

/// Line \p Number of \p File, without its end; empty if there is none.
llvm::StringRef lineOf(const clang::SourceManager& Sources, clang::FileID File, unsigned Number) {
  const clang::SourceLocation Start = Sources.translateLineCol(File, Number, 1);
  if (Number == 0 || Start.isInvalid())
    return {};
  const llvm::StringRef Text = Sources.getBufferData(File);
  return Text.substr(Sources.getFileOffset(Start)).take_until([](char C) { return C == '\n'; });
}

/// Whether a comment in \p Line, \p Keyword and a list in parentheses, names \p Flag.
bool names(llvm::StringRef Line, llvm::StringRef Keyword, llvm::StringRef Flag) {
  const std::size_t Comment = Line.find("//");
  const std::size_t At = Line.find((Keyword + "(").str(), Comment);
  if (Comment == llvm::StringRef::npos || At == llvm::StringRef::npos)
    return false;
  llvm::SmallVector<llvm::StringRef> Flags;
  Line.substr(At + Keyword.size() + 1)
      .take_until([](char C) { return C == ')'; })
      .split(Flags, ',');
  return llvm::any_of(Flags, [&](llvm::StringRef Each) { return Each.trim() == Flag; });
}

} // namespace

bool isUnsupported(Diag Message) {
  return Rows[static_cast<unsigned>(Message)].Of == Level::Unsupported;
}

Diagnoser::Diagnoser(clang::DiagnosticsEngine& Engine) : Engine(Engine) {
  clang::DiagnosticIDs& Known = *Engine.getDiagnosticIDs();
  for (const Row& R : Rows) {
    std::string Text = R.Text;
    if (R.Of != Level::Note)
      Text += " [" + flagOf(R) + "]";
    IDs.push_back(Known.getCustomDiagID(levelOf(R.Of), Text));
    WarningIDs.push_back(R.Of == Level::Note
                             ? IDs.back()
                             : Known.getCustomDiagID(clang::DiagnosticIDs::Warning, Text));
  }
  Silent = Known.getCustomDiagID(clang::DiagnosticIDs::Ignored, "repeated");
}

bool Diagnoser::isAnswered(clang::SourceLocation At, Diag Message) const {
  if (At.isInvalid() || !Engine.hasSourceManager())
    return false;
  const clang::SourceManager& Sources = Engine.getSourceManager();
  const auto [File, Offset] = Sources.getDecomposedLoc(Sources.getFileLoc(At));
  const unsigned Line = Sources.getLineNumber(File, Offset);
  const std::string Flag = flagOf(Rows[static_cast<unsigned>(Message)]);
  return names(lineOf(Sources, File, Line), "NOLINT", Flag) ||
         names(lineOf(Sources, File, Line - 1), "NOLINTNEXTLINE", Flag);
}

clang::DiagnosticBuilder Diagnoser::report(clang::SourceLocation At, Diag Message, bool FallsBack,
                                           bool AlsoErrors) {
  const auto Number = static_cast<unsigned>(Message);
  const bool IsWarning = FallsBack && (AlsoErrors || Rows[Number].Of == Level::Unsupported);
  const unsigned ID = IsWarning ? WarningIDs[Number] : IDs[Number];
  if (Rows[Number].Of != Level::Note) {
    const bool IsAnswered =
        (IsWarning || Rows[Number].Of == Level::Warning) && isAnswered(At, Message);
    IsSilent = !Reported.emplace(At, ID).second || IsAnswered;
    Last = IsAnswered ? clang::SourceLocation() : At; // nothing is said there to point to
  } else if (IsSilent && Last.isValid() && Message == Diag::reached_from) {
    SharedReasons.try_emplace(At, Last);
  }
  return Engine.Report(At, IsSilent ? Silent : ID);
}

} // namespace ikra
