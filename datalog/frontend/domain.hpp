// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the numbers behind symbols, records and algebraic values stand for. Grows while a program
// runs. Relies on core.hpp and the standard library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "datalog/frontend/core.hpp"

namespace ikra::datalog {

/// Symbols by number; each text has one number. Not for several threads at once.
class symbol_table {
public:
  symbol_table() = default;
  symbol_table(const symbol_table&) = delete;
  symbol_table& operator=(const symbol_table&) = delete;
  ~symbol_table() = default;

  core::word number(std::string_view text) {
    if (const auto known = numbers_.find(text); known != numbers_.end())
      return known->second;
    texts_.emplace_back(text); // a deque leaves what it holds in place, so that views stay valid
    numbers_.emplace(texts_.back(), texts_.size() - 1);
    return texts_.size() - 1;
  }
  const std::string& text(core::word number) const {
    return texts_[static_cast<std::size_t>(number)];
  }
  bool contains(std::string_view text) const { return numbers_.contains(text); }
  std::size_t size() const noexcept { return texts_.size(); }

private:
  std::deque<std::string> texts_;
  std::unordered_map<std::string_view, core::word> numbers_;
};

/// A record or an algebraic value.
struct structure_value {
  int structure = 0;
  int branch = 0;
  std::vector<core::word> fields;
  friend auto operator<=>(const structure_value&, const structure_value&) = default;
};

/// Records and algebraic values by number, from 1; 0 is nil.
class structure_store {
public:
  core::word number(structure_value value) {
    const auto [known, is_new] = numbers_.emplace(std::move(value), values_.size() + 1);
    if (is_new)
      values_.push_back(&known->first);
    return known->second;
  }
  const structure_value& value(core::word number) const {
    return *values_[static_cast<std::size_t>(number) - 1];
  }

private:
  std::map<structure_value, core::word> numbers_;
  std::vector<const structure_value*> values_; // into numbers_
};

/// What runs a functor of the user's: a function of words that are its parameters' and its result's
/// kinds. \throws undefined_value (functions.hpp)
using external_function = std::function<core::word(std::span<const core::word>)>;

/// All of it, for one run of one program.
struct domain {
  explicit domain(const core::program& program) {
    for (const std::string& text : program.symbols)
      symbols.number(text);
    externals.resize(program.functors.size());
  }
  symbol_table symbols;
  structure_store structures;
  std::vector<external_function> externals; ///< by core::program::functors
  /// Of the stratum that is evaluated, from 1; 0 while its rules without recursion are.
  std::uint64_t iteration = 0;
};

} // namespace ikra::datalog
