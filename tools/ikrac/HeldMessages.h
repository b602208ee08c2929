// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages of an attempt, of which nobody is to hear should its text not compile, or a better one
// say the same.

#ifndef IKRA_TOOLS_HELDMESSAGES_H
#define IKRA_TOOLS_HELDMESSAGES_H

#include "Analysis/Prepare/MutableSections.h"

#include "clang/Basic/Diagnostic.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace ikra {

class HeldMessages : public clang::DiagnosticConsumer {
public:
  HeldMessages();

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

  llvm::IntrusiveRefCntPtr<clang::DiagnosticOptions> Options;
  std::string Text; ///< of the message that is being printed
  llvm::raw_string_ostream Stream;
  clang::TextDiagnosticPrinter Printer;
  std::vector<Message> Messages;
};

} // namespace ikra

#endif
