// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the plain and the compiled build of ikra::datalog::program share: the checked program and
// what its values stand for; the types of columns; facts and results as words, which is the way
// they take where there is text among them; files; and from the parts' exceptions to ikra::error.
// Each build derives from it and evaluates (plain.cpp, engine.cpp). Relies on
// ikra/datalog_columns.hpp and the front end.
#pragma once

#include <ikra/datalog_columns.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "datalog/frontend/core.hpp"
#include "datalog/frontend/domain.hpp"
#include "datalog/frontend/source.hpp"
#include "datalog/frontend/value_text.hpp"

namespace ikra::datalog {

/// A vector a column, as bit patterns.
using column_words = std::vector<std::vector<core::word>>;

class loaded_program : public detail::database {
public:
  /// \param known the program, if the text has been read before
  /// \throws program_error
  loaded_program(std::string_view text, const program_options& options,
                 const std::source_location& where,
                 std::optional<core::program> known = std::nullopt);

  std::uint32_t find(std::string_view relation) const final;
  std::uint32_t find(std::string_view relation,
                     std::span<const detail::column_type> types) const final;
  std::vector<detail::column_type> types(std::uint32_t relation) const final;
  void insert(std::uint32_t relation, std::span<const detail::fact_column> columns,
              std::uint64_t rows) override;
  void insert_file(std::uint32_t relation, const fact_file& file) final;
  void read_inputs(const std::string& folder) final;
  void run() final;
  void read(std::uint32_t relation, std::span<const detail::result_column> columns) override;
  void write_outputs(const std::string& folder) final;

protected:
  using take_row = std::function<void(std::span<const core::word>)>;

  const source_text& source() const noexcept { return source_; }
  const core::program& rules() const noexcept { return program_; }
  domain& values() noexcept { return values_; }

  /// Adds facts for the next run.
  virtual void add(std::uint32_t relation, const column_words& facts, std::uint64_t rows) = 0;
  virtual void evaluate() = 0;
  /// Calls take with each tuple that the last run gave a relation, in ascending order of bits.
  virtual void each(std::uint32_t relation, const take_row& take) = 0;

  /// "Datalog: …, in <program at file:line>, line 3, column 5".
  std::string with_place(const std::string& problem, location where) const;

private:
  /// Calls work() and turns what evaluators and files throw into ikra::error.
  void translating_errors(const std::function<void()>& work) const;
  void add_facts_of(const core::directive& directive, const std::string& folder);
  std::vector<core::word> words_of(const detail::fact_column& facts, const core::column& column,
                                   std::uint64_t rows);

  source_text source_;
  core::program program_;
  domain values_;
  value_text text_;
};

} // namespace ikra::datalog
