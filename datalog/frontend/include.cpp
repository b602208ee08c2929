// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks for directives outside of strings and comments. What is wrong with a directive is left in
// the text, where the parser finds it.
#include "datalog/frontend/include.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>

#include "datalog/frontend/lexer.hpp"
#include "datalog/frontend/source.hpp"
#include "ikra/error.hpp"

namespace ikra::datalog {
namespace {

namespace fs = std::filesystem;

class includer {
public:
  includer(const std::function<std::string(const std::string&)>& read,
           const std::vector<std::string>& folders)
      : read_(read), folders_(folders) {}

  void add(const std::string& file, const std::string& text) {
    open_.push_back(real_path(file));
    std::size_t copied = 0;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t after = end_of_quiet(text, at);
      if (after != at) {
        at = after;
      } else if (is_directive(text, at, ".once")) {
        once_.insert(open_.back());
        out_.append(text, copied, at - copied);
        copied = at += 5;
      } else if (const auto named = included(text, at)) {
        out_.append(text, copied, at - copied);
        // Places are asked for where a directive is, and only there.
        const source_text whole(file, text);
        const place here = whole.locate(static_cast<std::uint32_t>(at));
        include(named->first, here);
        copied = at = named->second;
        out_ += "\n# " + std::to_string(here.line) + " " + quoted(here.file) + "\n";
      } else {
        ++at;
      }
    }
    out_.append(text, copied);
    open_.pop_back();
  }

  std::string take() { return std::move(out_); }

private:
  static fs::path real_path(const std::string& file) {
    std::error_code unknown;
    const fs::path real = fs::weakly_canonical(file, unknown);
    return unknown ? fs::path(file) : real;
  }

  static std::string quoted(const std::string& file) {
    std::string text = "\"";
    for (const char c : file) {
      if (c == '"' || c == '\\')
        text += '\\';
      text += c;
    }
    return text + "\"";
  }

  // The end of a string or comment that begins here; the place itself if none does.
  static std::size_t end_of_quiet(std::string_view text, std::size_t at) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("//"))
      return std::min(text.find('\n', at), text.size());
    if (rest.starts_with("/*")) {
      const std::size_t close = text.find("*/", at + 2);
      return close == std::string_view::npos ? text.size() : close + 2;
    }
    if (!rest.starts_with("\""))
      return at;
    for (++at; at < text.size() && text[at] != '"'; ++at)
      if (text[at] == '\\')
        ++at;
    return std::min(at + 1, text.size());
  }

  static bool is_directive(std::string_view text, std::size_t at, std::string_view word) {
    return text.substr(at).starts_with(word) && (at == 0 || !is_name(text[at - 1])) &&
           (at + word.size() == text.size() || !is_name(text[at + word.size()]));
  }

  // The file that a directive names, and where the directive ends.
  static std::optional<std::pair<std::string, std::size_t>> included(std::string_view text,
                                                                     std::size_t at) {
    constexpr std::string_view word = ".include";
    if (!is_directive(text, at, word))
      return std::nullopt;
    at = text.find_first_not_of(" \t\r\n", at + word.size());
    if (at == std::string_view::npos || text[at] != '"')
      return std::nullopt;
    const std::size_t close = text.find_first_of("\"\n", at + 1);
    if (close == std::string_view::npos || text[close] != '"')
      return std::nullopt;
    return std::pair{std::string(text.substr(at + 1, close - at - 1)), close + 1};
  }

  void include(const std::string& named, const place& here) {
    const std::string from = here.file + ":" + std::to_string(here.line) + ": ";
    std::vector<fs::path> folders{fs::path(here.file).parent_path()};
    folders.insert(folders.end(), folders_.begin(), folders_.end());
    const auto is_file = [](const fs::path& file) {
      std::error_code unknown;
      return fs::exists(file, unknown) && !fs::is_directory(file, unknown);
    };
    const auto folder = std::find_if(folders.begin(), folders.end(),
                                     [&](const fs::path& f) { return is_file(f / named); });
    if (folder == folders.end())
      throw error(error_kind::unsupported, from + "cannot find the included file " + named);
    const std::string file = (*folder / named).string();
    const fs::path real = real_path(file);
    if (once_.contains(real))
      return;
    if (std::find(open_.begin(), open_.end(), real) != open_.end())
      throw error(error_kind::unsupported, from + "the file " + named + " includes itself");
    out_ += "\n# 1 " + quoted(file) + "\n";
    add(file, read_(file));
  }

  const std::function<std::string(const std::string&)>& read_;
  const std::vector<std::string>& folders_;
  std::string out_;
  std::vector<fs::path> open_; ///< files that are being read, each included by the one before
  std::set<fs::path> once_;
};

} // namespace

std::string with_includes(const std::string& file, std::string text,
                          const std::function<std::string(const std::string&)>& read,
                          const std::vector<std::string>& folders) {
  if (text.find(".include") == std::string::npos && text.find(".once") == std::string::npos)
    return text;
  includer work(read, folders);
  work.add(file, text);
  return work.take();
}

} // namespace ikra::datalog
