// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HeldMessages.h"

#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace ikra {

HeldMessages::HeldMessages()
    : Options(new DiagnosticOptions), Stream(Text), Printer(Stream, &*Options) {
  Options->ShowColors = llvm::errs().has_colors();
  Options->ShowPresumedLoc = true;
}

void HeldMessages::BeginSourceFile(const LangOptions& Language, const Preprocessor* PP) {
  Printer.BeginSourceFile(Language, PP);
}

void HeldMessages::EndSourceFile() { Printer.EndSourceFile(); }

// Does not count as its base does: clang prints counts at once.
void HeldMessages::HandleDiagnostic(DiagnosticsEngine::Level Level, const Diagnostic& Info) {
  Printer.HandleDiagnostic(Level, Info);
  if (Level != DiagnosticsEngine::Note || Messages.empty())
    Messages.push_back({Level, {}, {}});
  Messages.back().Places.push_back(Info.getLocation());
  Messages.back().Text += Text;
  Text.clear();
}

void HeldMessages::forgetErrorsCausedBy(const MutableSection& Section,
                                        const SourceManager& Sources) {
  const SourceRange Range = Sources.getExpansionRange(Section.Call).getAsRange();
  // As clang prints the type. Bodies of virtual functions have no note that leads to the call.
  const std::string Type = "(lambda at " + Section.Lambda.printToString(Sources) + ")";
  const auto IsWithin = [&](SourceLocation At) {
    return At.isValid() &&
           Sources.isPointWithin(Sources.getExpansionLoc(At), Range.getBegin(), Range.getEnd());
  };
  llvm::erase_if(Messages, [&](const Message& M) {
    return M.Level >= DiagnosticsEngine::Error && !IsWithin(M.Places.front()) &&
           (llvm::any_of(M.Places, IsWithin) || llvm::StringRef(M.Text).contains(Type));
  });
}

void HeldMessages::print(llvm::raw_ostream& Out) const {
  for (const Message& M : Messages)
    Out << M.Text;
  const auto Count = [&](bool Counts(DiagnosticsEngine::Level), llvm::StringRef Of) {
    const auto N = llvm::count_if(Messages, [&](const Message& M) { return Counts(M.Level); });
    return N == 0 ? "" : (llvm::Twine(N) + " " + Of + (N == 1 ? "" : "s")).str();
  };
  const std::string Warnings =
      Count([](DiagnosticsEngine::Level L) { return L == DiagnosticsEngine::Warning; }, "warning");
  const std::string Errors =
      Count([](DiagnosticsEngine::Level L) { return L >= DiagnosticsEngine::Error; }, "error");
  if (!Warnings.empty() || !Errors.empty())
    Out << Warnings << (!Warnings.empty() && !Errors.empty() ? " and " : "") << Errors
        << " generated.\n";
}

} // namespace ikra
