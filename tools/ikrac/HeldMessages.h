// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages of an attempt, of which nobody is to hear should its text not compile, or a better one
// say the same.

#ifndef IKRA_TOOLS_HELDMESSAGES_H
#define IKRA_TOOLS_HELDMESSAGES_H

#include "Analysis/Prepare/MutableSections.h"

#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/FileManager.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "clang/Tooling/Core/Replacement.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>
#include <string>
#include <vector>

namespace ikra {

/// The user's file, and what makes of it the text that is parsed in its place.
struct UsersFile {
  std::string Path;
  std::string Text;
  clang::tooling::Replacements Edits;
};

class HeldMessages : public clang::DiagnosticConsumer {
public:
  HeldMessages();
  /// \param Of messages on the main file are on this one
  void quote(const UsersFile& Of);

  void BeginSourceFile(const clang::LangOptions& Language, const clang::Preprocessor* PP) override;
  void EndSourceFile() override;
  void HandleDiagnostic(clang::DiagnosticsEngine::Level Level,
                        const clang::Diagnostic& Info) override;

  /// Forgets the errors in the library's templates that \p Section caused: those that lie outside
  /// its call, and whose notes lead there or name the lambda's type.
  void forgetErrorsCausedBy(const MutableSection& Section, const clang::SourceManager& Sources);
  void print(llvm::raw_ostream& Out) const;

private:
  /// A message with its notes.
  struct Message {
    clang::DiagnosticsEngine::Level Level;
    std::vector<clang::SourceLocation> Places; ///< its own, and those of its notes
    std::string Text;
  };

  /// The user's file as clang's printer quotes it.
  struct Quoted {
    Quoted(const UsersFile& Of, clang::DiagnosticsEngine& Engine);

    const UsersFile& Of;
    clang::FileManager Files;
    clang::SourceManager Sources;
    clang::FileID Main;

    /// What a place in the parsed text is of the user's; invalid where it is in no such text.
    clang::SourceLocation locOf(clang::SourceLocation At, const clang::SourceManager& In) const;
  };
  bool printQuoted(clang::DiagnosticsEngine::Level Level, const clang::Diagnostic& Info);

  llvm::IntrusiveRefCntPtr<clang::DiagnosticOptions> Options;
  std::string Text; ///< of the message that is being printed
  llvm::raw_string_ostream Stream;
  clang::TextDiagnosticPrinter Printer;
  const UsersFile* Users = nullptr;
  std::vector<Message> Messages;
};

} // namespace ikra

#endif
