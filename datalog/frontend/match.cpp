// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// By RE2, which takes time in proportion to the text's length whatever the pattern is, and a
// bounded stack. Bytes are matched, not characters, as Soufflé does it.
#include "datalog/frontend/match.hpp"

#include <re2/re2.h>

#include <iostream>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <unordered_map>

#include "datalog/frontend/functions.hpp"

namespace ikra::datalog {
namespace {

std::unique_ptr<re2::RE2> compiled(const std::string& pattern) {
  re2::RE2::Options options;
  options.set_encoding(re2::RE2::Options::EncodingLatin1);
  options.set_log_errors(false);
  options.set_max_mem(std::int64_t{64} << 20);
  return std::make_unique<re2::RE2>(pattern, options);
}

// A pattern is mostly asked of many texts. Each thread has its own, and needs no lock for them.
const re2::RE2& known(const std::string& pattern) {
  constexpr std::size_t most = 100;
  thread_local std::unordered_map<std::string, std::unique_ptr<re2::RE2>> patterns;
  if (const auto found = patterns.find(pattern); found != patterns.end())
    return *found->second;
  if (patterns.size() == most)
    patterns.clear();
  return *patterns.emplace(pattern, compiled(pattern)).first->second;
}

[[noreturn]] void refuse(const std::string& pattern, const std::string& why) {
  constexpr std::size_t shown = 60;
  throw undefined_value(
      "Pattern \"" +
      (pattern.size() > shown ? pattern.substr(0, shown) + "\"..." : pattern + "\"") +
      " of match is refused: " + why);
}

// Once for each pattern.
void warn_of(const std::string& pattern, const std::string& text) {
  static std::mutex one_at_a_time;
  static std::set<std::string> told;
  const std::lock_guard<std::mutex> guard(one_at_a_time);
  if (told.insert(pattern).second)
    std::cerr << "warning: wrong pattern provided for match(\"" << pattern << "\",\"" << text
              << "\").\n";
}

} // namespace

std::optional<bool> matches(const std::string& pattern, const std::string& text) {
  const re2::RE2& asked = known(pattern);
  if (asked.ok())
    return re2::RE2::FullMatch(text, asked);
  if (asked.error_code() == re2::RE2::ErrorPatternTooLarge)
    refuse(pattern, "it has too many states; write fewer repeats");
  warn_of(pattern, text);
  return std::nullopt;
}

} // namespace ikra::datalog
