// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HeldMessages.h"

#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace clang;

namespace ikra {

HeldMessages::HeldMessages()
    : Options(new DiagnosticOptions), Stream(Text), Printer(Stream, &*Options) {
  Options->ShowColors = llvm::errs().has_colors();
  Options->ShowPresumedLoc = true;
}

void HeldMessages::quote(const UsersFile& Of) { Users = &Of; }

HeldMessages::Quoted::Quoted(const UsersFile& Of, DiagnosticsEngine& Engine)
    : Of(Of), Files(FileSystemOptions()), Sources(Engine, Files) {
  const FileEntryRef File =
      Files.getVirtualFileRef(Of.Path, static_cast<off_t>(Of.Text.size()), /*ModificationTime=*/0);
  Sources.overrideFileContents(File, llvm::MemoryBuffer::getMemBuffer(Of.Text, Of.Path));
  Main = Sources.createFileID(File, SourceLocation(), SrcMgr::C_User);
  Sources.setMainFileID(Main);
}

SourceLocation HeldMessages::Quoted::locOf(SourceLocation At, const SourceManager& In) const {
  if (At.isInvalid() || !At.isFileID() || In.getFileID(At) != In.getMainFileID())
    return {};
  const unsigned Offset = In.getFileOffset(At);
  unsigned Begin = 0, Shift = 0; // of an edit's text; by how much what follows it is further on
  for (const tooling::Replacement& Edit : Of.Edits) {
    const auto Length = static_cast<unsigned>(Edit.getReplacementText().size());
    Begin = Edit.getOffset() + Shift;
    if (Offset < Begin)
      break;
    // What is moved has its lines and columns.
    if (Offset < Begin + Length && Edit.getLength() == 0)
      return Sources.translateLineCol(Main, In.getPresumedLoc(At).getLine(),
                                      In.getSpellingColumnNumber(At));
    if (Offset < Begin + Length)
      return Sources.getLocForStartOfFile(Main).getLocWithOffset(
          static_cast<int>(Edit.getOffset()));
    Shift += Length - Edit.getLength();
  }
  return Sources.getLocForStartOfFile(Main).getLocWithOffset(static_cast<int>(Offset - Shift));
}

/// Prints a message on the main file as one on the user's. \returns false where it is on another
bool HeldMessages::printQuoted(DiagnosticsEngine::Level Level, const Diagnostic& Info) {
  if (!Users || !Info.hasSourceManager())
    return false;
  DiagnosticsEngine Engine(Info.getDiags()->getDiagnosticIDs(), Options, &Printer,
                           /*ShouldOwnClient=*/false);
  Quoted File(*Users, Engine);
  const SourceManager& In = Info.getSourceManager();
  const SourceLocation At = File.locOf(Info.getLocation(), In);
  if (At.isInvalid())
    return false;
  llvm::SmallVector<CharSourceRange, 4> Ranges;
  for (const CharSourceRange& Of : Info.getRanges()) {
    const SourceRange Its(File.locOf(Of.getBegin(), In), File.locOf(Of.getEnd(), In));
    if (Its.isValid() && Its.getBegin() <= Its.getEnd())
      Ranges.emplace_back(Its, Of.isTokenRange());
  }
  llvm::SmallString<256> Message;
  Info.FormatDiagnostic(Message);
  Engine.setSourceManager(&File.Sources);
  Engine.Report(
      StoredDiagnostic(Level, Info.getID(), Message, FullSourceLoc(At, File.Sources), Ranges, {}));
  return true;
}

void HeldMessages::BeginSourceFile(const LangOptions& Language, const Preprocessor* PP) {
  Printer.BeginSourceFile(Language, PP);
}

void HeldMessages::EndSourceFile() { Printer.EndSourceFile(); }

// Does not count as its base does: clang prints counts at once.
void HeldMessages::HandleDiagnostic(DiagnosticsEngine::Level Level, const Diagnostic& Info) {
  if (!printQuoted(Level, Info))
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
