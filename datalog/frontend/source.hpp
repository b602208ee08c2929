// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of a Datalog program and where its characters come from. Everything after the lexer
// speaks of places as offsets into one text; this file turns them back into file, line and column,
// also where a C preprocessor has pasted files together and left line markers. Relies on the
// standard library only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ikra::datalog {

/// A range of characters of a source_text: [begin, end), in bytes.
struct location {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

/// From the start of one range to the end of another.
inline location join(location first, location last) { return {first.begin, last.end}; }

/// A place as people write it.
struct place {
  std::string file;         ///< as the line marker or the command line names it
  std::uint32_t line = 0;   ///< from 1
  std::uint32_t column = 0; ///< from 1, in bytes
  std::string_view text;    ///< the whole line, without its end
};

/// A program's text, whole and unchanging. Lines of the forms `# 12 "file"` and `#line 12 "file"`
/// say where the lines after them come from.
class source_text {
public:
  /// \param file the name that messages show
  /// \param text the program; at most 4 GiB
  /// \throws ikra::error if the text is longer
  source_text(std::string file, std::string text);

  const std::string& file() const noexcept { return file_; }
  std::string_view text() const noexcept { return text_; }

  /// Where an offset lies; an offset past the end is the end.
  place locate(std::uint32_t offset) const;

private:
  struct line {
    std::uint32_t begin;  // offset of the line's first character
    std::uint32_t file;   // index into files_
    std::uint32_t number; // in that file
  };
  std::string file_;
  std::string text_;
  std::vector<std::string> files_;
  std::vector<line> lines_;
};

/// How a program file becomes a source_text.
struct source_options {
  /// The preprocessor's command, to which the file's name is added; empty: `mcpp -W0 -e utf8` or
  /// `cpp`, whichever is there, for programs that have a directive. "none": the file is taken as it
  /// is.
  std::string preprocessor;
  std::vector<std::string> include_folders; ///< for the preprocessor's -I
  std::vector<std::string> macros;          ///< NAME or NAME=VALUE, for the preprocessor's -D
  int bits = 32;                            ///< of numbers: what RAM_DOMAIN_SIZE is
};

/// Reads a program.
/// \param file a path, or "-" for the standard input (which is not preprocessed)
/// \throws ikra::error if the file cannot be read or the preprocessor fails
source_text read_source(const std::string& file, const source_options& options);

} // namespace ikra::datalog
