// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What stateful functors see of a program's values: tables of symbols and records
// (ikra/datalog_functors.hpp), and the translation between their values and a program's. A
// program's records know their type, those of the tables their number of fields alone; so values
// are translated by the types that a functor declares.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <ikra/datalog_functors.hpp>

#include "datalog/frontend/core.hpp"
#include "datalog/frontend/domain.hpp"

namespace ikra::datalog {

template <class Domain> class functor_symbols final : public functors::symbol_table<Domain> {
  using base = functors::symbol_table<Domain>;

public:
  explicit functor_symbols(symbol_table& symbols) : symbols_(symbols) {}

  typename base::iterator begin() const override { return at(0); }
  typename base::iterator end() const override { return at(symbols_.size()); }
  bool weakContains(const std::string& text) const override { return symbols_.contains(text); }
  Domain encode(const std::string& text) override { return findOrInsert(text).first; }
  const std::string& decode(Domain number) const override;
  Domain unsafeEncode(const std::string& text) override { return encode(text); }
  const std::string& unsafeDecode(Domain number) const override { return decode(number); }
  std::pair<Domain, bool> findOrInsert(const std::string& text) override;

  /// What a functor did that it may not, since the last call of this.
  std::string take_problem() { return std::exchange(problem_, {}); }

private:
  class cursor;
  typename base::iterator at(std::size_t number) const;

  symbol_table& symbols_;
  mutable std::string problem_; ///< exceptions do not go through a functor
};

template <class Domain> class functor_records final : public functors::record_table<Domain> {
public:
  void setNumLanes(std::size_t) override {}
  Domain pack(const Domain* fields, std::size_t count) override;
  Domain pack(const std::initializer_list<Domain>& fields) override {
    return pack(fields.begin(), fields.size());
  }
  const Domain* unpack(Domain number, std::size_t count) const override;
  void
  enumerate(const std::function<void(const Domain*, std::size_t, Domain)>& visit) const override;

private:
  std::map<std::vector<Domain>, Domain> numbers_;
  std::vector<const std::vector<Domain>*> records_; ///< into numbers_; by number, from 1
};

/// Both tables of a run, and values to and from them.
template <class Domain> class functor_tables {
public:
  functor_tables(const core::program& program, domain& values)
      : structures_(program.structures), values_(values), symbols(values.symbols) {}

  /// \param structure of records and algebraic values, else -1
  /// \throws undefined_value for values nested too deep
  Domain to_table(core::word value, int structure, int depth = 0);
  /// \throws undefined_value for a value that is not of the type
  core::word from_table(Domain value, value_kind kind, int structure, int depth = 0);

private:
  std::vector<int> sorted_branches(int structure) const;
  bool is_enumeration(int structure) const;
  std::vector<core::word> fields_from(const Domain* fields, const core::branch& branch, int depth);

  const std::vector<core::structure> structures_;
  domain& values_;
  std::map<core::word, Domain> known_; ///< by number of a structure: its value in the table
  std::map<std::pair<int, Domain>, core::word> back_;

public:
  functor_symbols<Domain> symbols;
  functor_records<Domain> records;
};

extern template class functor_tables<std::int32_t>;
extern template class functor_tables<std::int64_t>;

} // namespace ikra::datalog
