// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Line tables, and the C preprocessor in front. The preprocessor is a program of the system's; it
// runs only where there is something for it to do, because it changes texts that are not C (it
// complains about apostrophes).
#include "datalog/frontend/source.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <limits>
#include <memory>

#include "datalog/frontend/include.hpp"
#include "ikra/error.hpp"

namespace ikra::datalog {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// What a line marker says; line is 0 if the text is none.
struct marker {
  std::uint32_t line = 0;
  std::string file;
};

marker read_marker(std::string_view text) {
  std::size_t at = 0;
  auto skip_blanks = [&] {
    while (at < text.size() && is_blank(text[at]))
      ++at;
  };
  skip_blanks();
  if (at == text.size() || text[at] != '#')
    return {};
  ++at;
  skip_blanks();
  if (text.substr(at).starts_with("line")) {
    at += 4;
    skip_blanks();
  }
  marker found;
  std::uint64_t line = 0;
  const std::size_t digits = at;
  for (; at < text.size() && is_digit(text[at]) && line < std::numeric_limits<std::uint32_t>::max();
       ++at)
    line = line * 10 + static_cast<std::uint64_t>(text[at] - '0');
  if (at == digits || line > std::numeric_limits<std::uint32_t>::max())
    return {};
  skip_blanks();
  if (at < text.size() && text[at] == '"') {
    for (++at; at < text.size() && text[at] != '"'; ++at) {
      if (text[at] == '\\' && at + 1 < text.size())
        ++at;
      found.file += text[at];
    }
  }
  found.line = static_cast<std::uint32_t>(line);
  return found;
}

// Without the mark of UTF-8 that some editors put first.
std::string read_stream(std::istream& in) {
  std::string text{std::istreambuf_iterator<char>{in}, std::istreambuf_iterator<char>{}};
  if (text.starts_with("\xEF\xBB\xBF"))
    text.erase(0, 3);
  return text;
}

// A word for the shell that popen starts.
std::string shell_word(std::string_view word) {
  std::string out = "'";
  for (const char c : word) {
    if (c == '\'')
      out += "'\\''";
    else
      out += c;
  }
  return out + "'";
}

bool on_path(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::string_view rest = path != nullptr ? path : "";
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    std::error_code ignored;
    if (end > 0 &&
        std::filesystem::exists(std::filesystem::path{rest.substr(0, end)} / program, ignored))
      return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

// Whether any line is a preprocessor directive, or a macro is to be replaced.
bool needs_preprocessor(std::string_view text, const source_options& options) {
  if (text.find('\0') != std::string_view::npos)
    return false; // no program; a preprocessor would say so of each byte
  if (!options.macros.empty())
    return true;
  bool at_start = true;
  for (const char c : text) {
    if (c == '\n')
      at_start = true;
    else if (at_start && c == '#')
      return true;
    else if (!is_blank(c))
      at_start = false;
  }
  return false;
}

std::string preprocess(const std::string& file, const std::string& command,
                       const source_options& options) {
  std::string line = command;
  for (const std::string& folder : options.include_folders)
    line += " -I " + shell_word(folder);
  // As Soufflé does it; first, so that the user's own value is the last word.
  line += " -D RAM_DOMAIN_SIZE=" + std::to_string(options.bits);
  for (const std::string& macro : options.macros)
    line += (macro.starts_with("RAM_DOMAIN_SIZE") ? " -U RAM_DOMAIN_SIZE -D " : " -D ") +
            shell_word(macro);
  // A file name may begin with a dash.
  line += " " + shell_word(file.starts_with("-") ? "./" + file : file);
  std::fflush(nullptr);
  FILE* pipe = ::popen(line.c_str(), "r");
  if (pipe == nullptr)
    throw error(error_kind::unsupported, "cannot start the preprocessor: " + command);
  std::string out;
  std::array<char, 65536> buffer{};
  for (std::size_t got = 0; (got = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    out.append(buffer.data(), got);
  if (::pclose(pipe) != 0)
    throw error(error_kind::unsupported, "the preprocessor failed on " + file + ": " + command);
  return out;
}

} // namespace

source_text::source_text(std::string file, std::string text)
    : file_(std::move(file)), text_(std::move(text)) {
  if (text_.size() >= std::numeric_limits<std::uint32_t>::max())
    throw error(error_kind::unsupported, "the program " + file_ + " is larger than 4 GiB");
  files_.push_back(file_);
  std::uint32_t begin = 0;
  std::uint32_t current_file = 0;
  std::uint32_t number = 1;
  const auto size = static_cast<std::uint32_t>(text_.size());
  while (true) {
    lines_.push_back({begin, current_file, number});
    const std::size_t newline = text_.find('\n', begin);
    const std::uint32_t end =
        newline == std::string::npos ? size : static_cast<std::uint32_t>(newline);
    ++number;
    const marker found = read_marker(std::string_view{text_}.substr(begin, end - begin));
    if (found.line != 0) {
      number = found.line;
      if (!found.file.empty()) {
        const auto known = std::find(files_.begin(), files_.end(), found.file);
        current_file = static_cast<std::uint32_t>(known - files_.begin());
        if (known == files_.end())
          files_.push_back(found.file);
      }
    }
    if (end == size)
      return;
    begin = end + 1;
  }
}

place source_text::locate(std::uint32_t offset) const {
  offset = std::min(offset, static_cast<std::uint32_t>(text_.size()));
  const auto after = std::upper_bound(lines_.begin(), lines_.end(), offset,
                                      [](std::uint32_t at, const line& l) { return at < l.begin; });
  const line& found = *std::prev(after);
  std::string_view whole = std::string_view{text_}.substr(found.begin);
  whole = whole.substr(0, whole.find('\n'));
  if (whole.ends_with('\r'))
    whole.remove_suffix(1);
  return {files_[found.file], found.number, offset - found.begin + 1, whole};
}

namespace {

std::string read_text(const std::string& file, const source_options& options) {
  if (file == "-")
    return read_stream(std::cin);
  std::error_code problem;
  if (std::filesystem::is_directory(file, problem))
    throw error(error_kind::unsupported, "cannot read the program " + file + ": it is a folder");
  std::ifstream in(file, std::ios::binary);
  if (!in)
    throw error(error_kind::unsupported, "cannot open the program " + file);
  std::string text = read_stream(in);
  if (options.preprocessor == "none")
    return text;
  if (!options.preprocessor.empty())
    return preprocess(file, options.preprocessor, options);
  if (!needs_preprocessor(text, options))
    return text;
  // -undef: `linux` and `unix` are ordinary names in a program.
  if (on_path("mcpp"))
    return preprocess(file, "mcpp -W0 -e utf8", options);
  if (on_path("cpp"))
    return preprocess(file, "cpp -undef -w -x c", options);
  throw error(
      error_kind::unsupported,
      file +
          " has preprocessor directives, and neither mcpp nor cpp was found: install one of them");
}

} // namespace

source_text read_source(const std::string& file, const source_options& options) {
  std::string text = read_text(file, options);
  const std::string name = file == "-" ? "<stdin>" : file;
  return source_text(name,
                     with_includes(
                         name, std::move(text),
                         [&](const std::string& included) { return read_text(included, options); },
                         options.include_folders));
}

} // namespace ikra::datalog
