// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the numbers behind symbols, records and algebraic values stand for. Grows while a program
// runs. Relies on core.hpp and the standard library.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "datalog/frontend/core.hpp"

namespace ikra::datalog {

/// A value that does not exist: division by zero, a text that is no number. what() says which.
class undefined_value : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Of numbers that `as` took for symbols or structures. \param kind "symbol" or "structure"
[[noreturn]] inline void fail_for_number(const char* kind, core::word number) {
  throw undefined_value("there is no " + std::string{kind} + " with the number " +
                        std::to_string(number));
}

/// Symbols by number; each text has one number. Not for several threads at once, but for what says
/// so.
class symbol_table {
public:
  symbol_table() = default;
  symbol_table(const symbol_table&) = delete;
  symbol_table& operator=(const symbol_table&) = delete;
  ~symbol_table() = default;

  core::word number(std::string_view text) {
    return number(text, std::hash<std::string_view>{}(text));
  }
  /// \param hash std::hash's
  core::word number(std::string_view text, std::size_t hash) {
    make_places(1);
    place& at = places_[find(text, hash)];
    if (at == 0) {
      texts_.emplace_back(text);
      hashes_.push_back(hash);
      at = place_of(texts_.size() - 1, hash);
    }
    return number_in(at);
  }
  /// The number of a text that is there. For several threads at once, while none is added.
  std::optional<core::word> known(std::string_view text, std::size_t hash) const {
    const place at = places_.empty() ? 0 : places_[find(text, hash)];
    return at == 0 ? std::nullopt : std::optional{number_in(at)};
  }
  /// Makes room for texts that put() brings. \returns the first one's number
  core::word extend(std::size_t count) {
    make_places(count);
    const core::word first = texts_.size();
    texts_.resize(texts_.size() + count);
    hashes_.resize(texts_.size());
    return first;
  }
  /// Gives a number that extend() made room for its text, which no other one has. For several
  /// threads at once.
  void put(core::word number, std::string_view text, std::size_t hash) {
    texts_[static_cast<std::size_t>(number)] = text;
    hashes_[static_cast<std::size_t>(number)] = hash;
    const place made = place_of(number, hash);
    for (std::size_t i = hash & (places_.size() - 1);; i = (i + 1) & (places_.size() - 1))
      if (place free = 0; std::atomic_ref(places_[i])
                              .compare_exchange_strong(free, made, std::memory_order_relaxed))
        return;
  }
  /// Asks memory for what number() will look at.
  void prefetch(std::size_t hash) const {
    if (!places_.empty())
      __builtin_prefetch(&places_[hash & (places_.size() - 1)]);
  }
  /// \throws undefined_value
  const std::string& text(core::word number) const {
    if (number >= texts_.size())
      fail_for_number("symbol", number);
    return texts_[static_cast<std::size_t>(number)];
  }
  bool contains(std::string_view text) const {
    return !places_.empty() && places_[find(text, std::hash<std::string_view>{}(text))] != 0;
  }
  std::size_t size() const noexcept { return texts_.size(); }

private:
  /// Of a text: 1 and its number, and bits of its hash, which tell nearly all others from it
  /// without waiting for their memory; 0 if there is none.
  using place = std::uint64_t;
  static constexpr int hash_bits = 24;

  static place place_of(core::word number, std::size_t hash) {
    return (number + 1) << hash_bits | (hash >> (64 - hash_bits));
  }
  static core::word number_in(place at) { return (at >> hash_bits) - 1; }

  /// The text's place, or the one that it would have. Places are a power of two, half of them free.
  std::size_t find(std::string_view text, std::size_t hash) const {
    constexpr place of_hash = (place{1} << hash_bits) - 1;
    for (std::size_t i = hash & (places_.size() - 1);; i = (i + 1) & (places_.size() - 1)) {
      const place at = places_[i];
      if (at == 0 || ((at & of_hash) == hash >> (64 - hash_bits) &&
                      texts_[static_cast<std::size_t>(number_in(at))] == text))
        return i;
    }
  }

  /// Places for so many further texts.
  void make_places(std::size_t count) {
    if (2 * (texts_.size() + count) <= places_.size())
      return;
    places_.assign(std::bit_ceil(std::max<std::size_t>(64, 4 * (texts_.size() + count - 1))), 0);
    for (std::size_t number = 0; number < hashes_.size(); ++number) {
      std::size_t i = hashes_[number] & (places_.size() - 1);
      while (places_[i] != 0)
        i = (i + 1) & (places_.size() - 1);
      places_[i] = place_of(number, hashes_[number]);
    }
  }

  std::deque<std::string> texts_;   // a deque copies no text as it grows
  std::vector<std::size_t> hashes_; ///< of each text, so that places are made without reading texts
  std::vector<place> places_;
};

/// A record or an algebraic value.
struct structure_value {
  int structure = 0;
  int branch = 0;
  std::vector<core::word> fields;
  friend auto operator<=>(const structure_value&, const structure_value&) = default;
};

/// \throws undefined_value, since `as` may have made it a value of a type with more fields
inline core::word field_of(const structure_value& value, std::size_t field) {
  if (field >= value.fields.size())
    throw undefined_value("a value with fewer fields was cast to the type that is taken apart");
  return value.fields[field];
}

/// Records and algebraic values by number, from 1; 0 is nil.
class structure_store {
public:
  core::word number(structure_value value) {
    const auto [known, is_new] = numbers_.emplace(std::move(value), values_.size() + 1);
    if (is_new)
      values_.push_back(&known->first);
    return known->second;
  }
  /// \throws undefined_value
  const structure_value& value(core::word number) const {
    if (number - 1 >= values_.size())
      fail_for_number("record or algebraic value", number);
    return *values_[static_cast<std::size_t>(number) - 1];
  }
  std::size_t size() const noexcept { return values_.size(); }

private:
  std::map<structure_value, core::word> numbers_;
  std::vector<const structure_value*> values_; // into numbers_
};

/// What runs a functor of the user's. Its arguments are words of its parameters' kinds. What it
/// throws ends the run: undefined_value (functions.hpp), or what the user's function throws.
struct external_function {
  /// Gives a word of the result's kind; of a functor with texts as results null if `text` is set.
  std::function<core::word(std::span<const core::word>)> run = {};
  std::function<std::string(std::span<const core::word>)> text = {};
  /// Several threads may call it at once, as long as nobody adds symbols.
  bool for_all_threads = false;
  std::string code = {}; ///< what kernels have for it (docs/datalog-kernels.md); empty: nothing

  explicit operator bool() const { return run != nullptr || text != nullptr; }
  core::word operator()(std::span<const core::word> arguments, symbol_table& symbols) const {
    return text ? symbols.number(text(arguments)) : run(arguments);
  }
};

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
