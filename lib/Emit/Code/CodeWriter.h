// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes indented C++ and keeps track of which line of whose file the compiler thinks it reads.
// User code is announced by place(); the writer adds #line only where the lines would drift apart.

#ifndef IKRA_EMIT_CODE_CODEWRITER_H
#define IKRA_EMIT_CODE_CODEWRITER_H

#include "Model/ProgramModel.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

#include <string>

namespace ikra {

class CodeWriter {
public:
  /// \p FileName as #line names the generated file.
  explicit CodeWriter(std::string FileName) : FileName(std::move(FileName)) {}

  /// One line at the present indentation. An empty text is an empty line.
  void line(const llvm::Twine& Text);
  /// A line that opens a block, and one that closes it.
  void open(const llvm::Twine& Text);
  void close(const llvm::Twine& Text = "}");
  void indent() { ++Depth; }
  void dedent() { --Depth; }
  /// Text as it is, whole lines.
  void raw(llvm::StringRef Text);
  /// A heading that readers find.
  void heading(const llvm::Twine& Text);

  /// The next line comes from the user's sources.
  void setLine(const SourceLoc& At);
  /// The next line is the generated file's own again.
  void ownLine();

  std::string take() { return std::move(Out); }

private:
  /// Lines of the user's text stay whole, so that #line holds for all of them.
  static constexpr std::size_t Longest = 140;
  void write(llvm::StringRef Line);
  void endLine();

  std::string FileName;
  std::string Out;
  unsigned Depth = 0;
  unsigned PhysicalLine = 1;
  std::string PresumedFile; ///< empty: the generated file
  unsigned PresumedLine = 1;
};

/// \p Text as the inside of a C++ string literal.
std::string escaped(llvm::StringRef Text);

} // namespace ikra

#endif
