// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CodeWriter.h"

namespace ikra {

std::string escaped(llvm::StringRef Text) {
  std::string Result;
  for (char C : Text) {
    if (C == '"' || C == '\\')
      Result += '\\';
    Result += C;
  }
  return Result;
}

/// Where a line of the generated file's own is broken that is longer than \p Width: after a comma
/// or an opening brace, outside of strings. 0: nowhere.
static std::size_t breakOf(llvm::StringRef Line, std::size_t Width) {
  if (Line.size() <= Width || Line.ltrim().starts_with("#") || Line.contains("//"))
    return 0;
  std::size_t At = 0;
  bool InString = false;
  for (std::size_t I = 0; I + 1 < Width; ++I) {
    if (Line[I] == '\\')
      ++I;
    else if (Line[I] == '"')
      InString = !InString;
    else if (!InString && (Line[I] == ',' || Line[I] == '{') && Line[I + 1] == ' ')
      At = I + 2;
  }
  return At;
}

void CodeWriter::line(const llvm::Twine& Text) {
  const std::string Written = Text.str();
  llvm::StringRef Rest = Written;
  do { // a lambda in an expression has lines of its own
    const auto [First, Others] = Rest.split('\n');
    if (!First.empty())
      write(First);
    else
      endLine();
    Rest = Others;
  } while (!Rest.empty());
}

void CodeWriter::write(llvm::StringRef Line) {
  const std::size_t Indent = std::size_t(2) * Depth;
  const bool IsOwn = PresumedFile.empty() || PresumedFile == FileName;
  for (std::size_t More = 0; !Line.empty(); More = 4) { // columns that go on are indented by
    const std::size_t Used = Indent + More;
    const std::size_t At = IsOwn && Used < Longest ? breakOf(Line, Longest - Used) : 0;
    Out.append(Used, ' ');
    Out += At == 0 ? Line : Line.take_front(At).rtrim();
    endLine();
    Line = At == 0 ? llvm::StringRef() : Line.drop_front(At);
  }
}

void CodeWriter::endLine() {
  Out += '\n';
  ++PhysicalLine;
  ++PresumedLine;
}

void CodeWriter::open(const llvm::Twine& Text) {
  line(Text);
  indent();
}

void CodeWriter::close(const llvm::Twine& Text) {
  dedent();
  line(Text);
}

void CodeWriter::raw(llvm::StringRef Text) {
  Out += Text;
  PhysicalLine += static_cast<unsigned>(Text.count('\n'));
  if (!Text.empty() && !Text.ends_with("\n")) {
    Out += '\n';
    ++PhysicalLine;
  }
  PresumedFile = "?"; // the text may hold #line directives
}

void CodeWriter::heading(const llvm::Twine& Text) {
  std::string Line = "//===-- " + Text.str() + " ";
  if (Line.size() < 90)
    Line.append(90 - Line.size(), '-');
  line("");
  line(Line + "===//");
}

void CodeWriter::setLine(const SourceLoc& At) {
  if (At.File == PresumedFile && At.Line == PresumedLine)
    return;
  // Going back a few empty lines costs more text than going on: only lines that differ need a
  // directive.
  Out += "#line " + std::to_string(At.Line);
  if (At.File != PresumedFile)
    Out += " \"" + escaped(At.File) + "\"";
  Out += '\n';
  ++PhysicalLine;
  PresumedFile = At.File;
  PresumedLine = At.Line;
}

void CodeWriter::ownLine() {
  if (PresumedFile == FileName && PresumedLine == PhysicalLine)
    return;
  ++PhysicalLine;
  Out += "#line " + std::to_string(PhysicalLine) + " \"" + escaped(FileName) + "\"\n";
  PresumedFile = FileName;
  PresumedLine = PhysicalLine;
}

} // namespace ikra
