// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program to analyse, as objects: its expressions, which refer to each other. A listing is drawn
// by chance, but with habits of C programs: functions with variables of their own, arguments,
// linked nodes, a few globals.
#pragma once

#include <ikra/ikra.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace points_to {

/// A variable `p`, or what one points to, `*p`.
class expression {
public:
  explicit expression(std::string text) : text_(std::move(text)) {}

  const std::string& text() const { return text_; }
  /// What is assigned to it.
  const std::vector<expression*>& sources() const { return sources_; }
  /// *p of p; null where it is never dereferenced.
  expression* content() const { return content_; }

  void assign(expression* source) { sources_.push_back(source); }
  void set_content(expression* content) { content_ = content; }

private:
  std::string text_;
  std::vector<expression*> sources_;
  expression* content_ = nullptr;
};

using listing = std::vector<std::unique_ptr<expression>>;

/// \param functions how many; each has six expressions
/// \param seed      of all chances
inline listing make_listing(int functions, std::uint64_t seed) {
  listing all;
  const auto add = [&](const std::string& text) {
    all.push_back(std::make_unique<expression>(text));
    return all.back().get();
  };
  const auto dereferenced = [&](expression* pointer) {
    if (pointer->content() == nullptr)
      pointer->set_content(add("*" + pointer->text()));
    return pointer->content();
  };

  expression* const heads[] = {add("list"), add("table")};
  std::vector<expression*> arguments, results;
  for (int f = 0; f < functions; ++f) {
    ikra::random random(seed, static_cast<std::uint64_t>(f));
    const std::string name = "f" + std::to_string(f) + ".";
    expression* const argument = add(name + "argument");
    expression* const local = add(name + "local");
    expression* const result = add(name + "result");
    local->assign(argument);
    switch (random.below(4)) {
    case 0: // result = *local
      result->assign(dereferenced(local));
      break;
    case 1: // *local = argument; result = local
      dereferenced(local)->assign(argument);
      result->assign(local);
      break;
    case 2: // result = *list, or *table
      result->assign(dereferenced(heads[random.below(2)]));
      break;
    default: // *list = local, or *table
      dereferenced(heads[random.below(2)])->assign(local);
      result->assign(argument);
      break;
    }
    // Calls go to functions that are there already: g.argument = f.local; f.local = g.result.
    if (!arguments.empty() && random.below(3) != 0) {
      const auto called = random.below(static_cast<std::uint32_t>(arguments.size()));
      arguments[called]->assign(local);
      local->assign(results[called]);
    }
    arguments.push_back(argument);
    results.push_back(result);
  }
  return all;
}

} // namespace points_to
