// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The standard library's usual matcher calls itself for each character of the text. libstdc++ has
// another one (__polynomial), which goes through the text once with a set of states; it lacks
// back-references alone. What is recursive still, the reading of a pattern and the steps between
// two characters, is bounded by the pattern, so that patterns are what has limits here.
#include "datalog/frontend/match.hpp"

// Read by <regex>: states of one pattern.
#define _GLIBCXX_REGEX_STATE_LIMIT 10000 // NOLINT: libstdc++'s name

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iostream>
#include <mutex>
#include <optional>
#include <regex>
#include <set>

#include "datalog/frontend/functions.hpp"

namespace ikra::datalog {
namespace {

// Each tried with 1 MiB of stack, and 8 MiB under AddressSanitizer.
constexpr std::size_t max_pattern = 2'000; // bytes
constexpr int max_nesting = 100;
constexpr std::uint64_t max_steps = 4'000; // of the recursive matcher

// A type of our own, because the limit above holds for this file only.
struct traits : std::regex_traits<char> {};
using regex = std::basic_regex<char, traits>;

// How deep groups are within each other.
int nesting(const std::string& pattern) {
  int depth = 0, most = 0;
  bool in_class = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '\\')
      ++i;
    else if (in_class)
      in_class = c != ']';
    else if (c == '[')
      in_class = true;
    else if (c == '(')
      most = std::max(most, ++depth);
    else if (c == ')')
      --depth;
  }
  return most;
}

// The pattern's length with {n} and {n,m} written out, or a little more.
std::uint64_t written_out(const std::string& pattern) {
  std::uint64_t length = pattern.size();
  for (std::size_t open = pattern.find('{'); open != std::string::npos && length <= max_steps;
       open = pattern.find('{', open + 1)) {
    const char* at = pattern.data() + open;
    const char* const end = pattern.data() + pattern.size();
    std::uint64_t times = 1;
    while (at != end && (*at == '{' || *at == ',')) {
      std::uint64_t bound = 1;
      at = std::from_chars(at + 1, end, bound).ptr;
      times = std::max(times, std::min(bound, max_steps + 1));
    }
    length *= times;
  }
  return length;
}

[[noreturn]] void refuse(const std::string& pattern, const std::string& why) {
  constexpr std::size_t shown = 60;
  throw undefined_value(
      "Pattern \"" +
      (pattern.size() > shown ? pattern.substr(0, shown) + "\"..." : pattern + "\"") +
      " of match is refused: " + why);
}

// Once for each pattern. What the library says of it differs.
void warn_of(const std::string& pattern, const std::string& text) {
  static std::mutex one_at_a_time;
  static std::set<std::string> known;
  const std::lock_guard<std::mutex> guard(one_at_a_time);
  if (known.insert(pattern).second)
    std::cerr << "warning: wrong pattern provided for match(\"" << pattern << "\",\"" << text
              << "\").\n";
}

// Nothing for a pattern with back-references.
std::optional<bool> matches_in_one_pass([[maybe_unused]] const std::string& pattern,
                                        [[maybe_unused]] const std::string& text) {
#ifdef __GLIBCXX__
  try {
    return std::regex_match(text,
                            regex(pattern, regex::ECMAScript | std::regex_constants::__polynomial));
  } catch (const std::regex_error& problem) {
    if (problem.code() != std::regex_constants::error_complexity)
      throw;
  }
#endif
  return std::nullopt;
}

} // namespace

std::optional<bool> matches(const std::string& pattern, const std::string& text) {
  if (pattern.size() > max_pattern)
    refuse(pattern, "it has " + std::to_string(pattern.size()) + " bytes, more than " +
                        std::to_string(max_pattern));
  if (nesting(pattern) > max_nesting)
    refuse(pattern, "its groups are nested more than " + std::to_string(max_nesting) + " deep");
  try {
    if (const auto found = matches_in_one_pass(pattern, text))
      return found;
    if (written_out(pattern) > max_steps / (text.size() + 1))
      refuse(pattern,
             "with back-references, its length, with {n} written out, times the text's may "
             "be " +
                 std::to_string(max_steps) + "; the text has " + std::to_string(text.size()) +
                 " bytes");
    return std::regex_match(text, regex(pattern));
  } catch (const std::regex_error& problem) {
    if (problem.code() == std::regex_constants::error_space)
      refuse(pattern, "it has too many states; write fewer repeats");
    warn_of(pattern, text);
    return std::nullopt;
  }
}

} // namespace ikra::datalog
