// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replacements keep the number of lines, so that one #line at the start of each file is enough;
// those that add lines are whole lines, and a #line follows them.

#include "HostText.h"

#include "clang/Lex/Lexer.h"

#include "Emit/Code/CodeWriter.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

#include <algorithm>
#include <map>
#include <tuple>

using namespace clang;

namespace ikra {

static std::string absolutePath(llvm::StringRef Path) {
  llvm::SmallString<256> Absolute(Path);
  (void)llvm::sys::fs::make_absolute(
      Absolute); // fails with the folder gone: the path stays as it is
  llvm::sys::path::remove_dots(Absolute, /*remove_dot_dot=*/true);
  return std::string(Absolute);
}

void IncludeRecorder::InclusionDirective(SourceLocation HashLoc, const Token&, StringRef,
                                         bool IsAngled, CharSourceRange FilenameRange,
                                         OptionalFileEntryRef File, StringRef SearchPath, StringRef,
                                         const Module*, bool, SrcMgr::CharacteristicKind) {
  if (!File || HashLoc.isMacroID() || SM.isInSystemHeader(HashLoc))
    return;
  SourceLocation End = FilenameRange.getEnd();
  if (FilenameRange.getBegin().isMacroID()) { // #include NAME
    const SourceLocation Last = SM.getExpansionRange(FilenameRange.getBegin()).getEnd();
    End =
        Last.getLocWithOffset(static_cast<int>(Lexer::MeasureTokenLength(Last, SM, LangOptions())));
  }
  Inclusion I;
  I.Includer = SM.getFileID(HashLoc);
  I.Offset = SM.getFileOffset(SM.getExpansionLoc(FilenameRange.getBegin()));
  I.Length = SM.getFileOffset(End) - I.Offset;
  I.Path = absolutePath(File->getName());
  if (const OptionalFileEntryRef Includer = SM.getFileEntryRefForID(I.Includer);
      Includer && !IsAngled)
    I.Beside =
        absolutePath(llvm::sys::path::parent_path(Includer->getName())) == absolutePath(SearchPath);
  Out.push_back(std::move(I));
}

std::string applied(llvm::StringRef Text, std::vector<Replacement> Edits,
                    llvm::function_ref<std::string(unsigned)> LineOf) {
  std::stable_sort(Edits.begin(), Edits.end(), [](const Replacement& A, const Replacement& B) {
    return std::pair(A.Offset, A.Nesting) < std::pair(B.Offset, B.Nesting);
  });
  std::string Out;
  unsigned At = 0;
  for (const Replacement& R : Edits) {
    if (R.Offset < At) // inside of what was replaced before
      continue;
    Out += Text.substr(At, R.Offset - At);
    Out += R.Text;
    At = R.Offset + R.Length;
    const std::size_t Was = Text.slice(R.Offset, At).count('\n');
    const std::size_t Is = llvm::StringRef(R.Text).count('\n');
    if (Is <= Was)
      Out.append(Was - Is, '\n');
    else
      Out += (Out.back() == '\n' ? "" : "\n") + LineOf(At);
  }
  return Out + Text.substr(At).str();
}

void print(const SourceManager& SM, std::vector<Replacement> Edits, llvm::raw_ostream& OS) {
  std::stable_sort(Edits.begin(), Edits.end(), [](const Replacement& A, const Replacement& B) {
    return std::tuple(A.File, A.Offset, A.Nesting) < std::tuple(B.File, B.Offset, B.Nesting);
  });
  const auto Quoted = [&](llvm::StringRef Text) {
    OS << "'";
    OS.write_escaped(Text) << "'";
  };
  for (const Replacement& R : Edits) {
    const OptionalFileEntryRef Entry = SM.getFileEntryRefForID(R.File);
    OS << llvm::sys::path::filename(Entry ? Entry->getName() : "") << ":"
       << SM.getLineNumber(R.File, R.Offset) << ":" << SM.getColumnNumber(R.File, R.Offset) << ": ";
    if (R.Length == 0) {
      OS << "insert ";
    } else {
      Quoted(SM.getBufferData(R.File).substr(R.Offset, R.Length));
      OS << " -> ";
    }
    Quoted(R.Text);
    OS << "\n";
  }
}

namespace {

class Rewriter {
public:
  Rewriter(const SourceManager& SM, std::vector<Replacement> Replacements,
           const std::vector<Inclusion>& Includes, llvm::StringRef OverlayPath)
      : SM(SM), Replacements(std::move(Replacements)), Includes(Includes),
        OverlayPath(OverlayPath) {}

  std::vector<RewrittenFile> run() {
    findOverlaid();
    std::vector<RewrittenFile> Out;
    for (const auto& [Path, File] : Overlaid)
      Out.push_back({overlayOf(Path), textOf(File)});
    Out.push_back({"", textOf(SM.getMainFileID())});
    return Out;
  }

private:
  std::string pathOf(FileID File) const {
    const OptionalFileEntryRef Entry = SM.getFileEntryRefForID(File);
    return Entry ? absolutePath(Entry->getName()) : std::string();
  }

  std::string overlayOf(const std::string& Path) const {
    // Two headers of one name in different folders stay apart.
    const std::string Hash =
        llvm::utohexstr(llvm::xxh3_64bits(Path), /*LowerCase=*/true).substr(0, 8);
    llvm::SmallString<256> Out(OverlayPath);
    llvm::sys::path::append(Out, Hash, llvm::sys::path::filename(Path));
    return std::string(Out);
  }

  /// Headers that hold replacements, and those through which they are included.
  void findOverlaid() {
    for (const Replacement& R : Replacements)
      if (R.File != SM.getMainFileID())
        Overlaid.emplace(pathOf(R.File), R.File);
    for (bool Grown = true; Grown;) {
      Grown = false;
      for (const Inclusion& I : Includes)
        if (Overlaid.contains(I.Path) && I.Includer != SM.getMainFileID())
          Grown |= Overlaid.emplace(pathOf(I.Includer), I.Includer).second;
    }
  }

  /// The text itself may hold #line.
  std::string lineOf(FileID File, unsigned Offset) const {
    const OptionalFileEntryRef Entry = SM.getFileEntryRefForID(File);
    const unsigned Line = SM.getPresumedLineNumber(SM.getComposedLoc(File, Offset));
    return "#line " + std::to_string(Line) + " \"" + escaped(Entry ? Entry->getName() : "") +
           "\"\n";
  }

  std::string textOf(FileID File) {
    const llvm::StringRef Text = SM.getBufferData(File);
    std::vector<Replacement> Here;
    for (const Replacement& R : Replacements)
      if (R.File == File)
        Here.push_back(R);
    for (const Inclusion& I : Includes) {
      if (I.Includer != File)
        continue;
      if (Overlaid.contains(I.Path)) // wherever the compiler is started
        Here.push_back({File, I.Offset, I.Length, "\"" + absolutePath(overlayOf(I.Path)) + "\""});
      else if (I.Beside)
        Here.push_back({File, I.Offset, I.Length, "\"" + I.Path + "\""});
    }
    std::string Out = lineOf(File, 0);
    // A byte order mark is one at a file's beginning alone.
    if (const llvm::StringRef Mark = "\xEF\xBB\xBF"; Text.starts_with(Mark))
      Here.push_back({File, 0, static_cast<unsigned>(Mark.size()), ""});
    Out += applied(Text, std::move(Here), [&](unsigned Offset) { return lineOf(File, Offset); });
    if (!Out.empty() && Out.back() != '\n')
      Out += '\n';
    return Out;
  }

  const SourceManager& SM;
  std::vector<Replacement> Replacements;
  const std::vector<Inclusion>& Includes;
  llvm::StringRef OverlayPath;
  std::map<std::string, FileID> Overlaid;
};

} // namespace

std::vector<RewrittenFile> rewrite(const SourceManager& SM, std::vector<Replacement> Replacements,
                                   const std::vector<Inclusion>& Includes,
                                   llvm::StringRef OverlayPath) {
  return Rewriter(SM, std::move(Replacements), Includes, OverlayPath).run();
}

} // namespace ikra
