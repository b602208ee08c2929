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

void CodeWriter::line(const llvm::Twine& Text) {
  const std::string Written = Text.str();
  llvm::StringRef Rest = Written;
  do { // a lambda in an expression has lines of its own
    const auto [First, Others] = Rest.split('\n');
    if (!First.empty()) {
      Out.append(std::size_t(2) * Depth, ' ');
      Out += First;
    }
    Out += '\n';
    ++PhysicalLine;
    ++PresumedLine;
    Rest = Others;
  } while (!Rest.empty());
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

void CodeWriter::place(const Place& At) {
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

void CodeWriter::ownPlace() {
  if (PresumedFile == FileName && PresumedLine == PhysicalLine)
    return;
  ++PhysicalLine;
  Out += "#line " + std::to_string(PhysicalLine) + " \"" + escaped(FileName) + "\"\n";
  PresumedFile = FileName;
  PresumedLine = PhysicalLine;
}

} // namespace ikra
