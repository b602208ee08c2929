// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of any type as text, as fact files have them and outputs show them: `12`, `abc`, `[1,
// nil]`, `$Leaf(3)`. Relies on the front end's value_format and domain.
#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

#include "datalog/frontend/core.hpp"
#include "datalog/frontend/domain.hpp"
#include "datalog/frontend/values.hpp"

namespace ikra::datalog {

class value_text {
public:
  /// \param program and \param values outlive this; reading adds to values
  value_text(const core::program& program, domain& values)
      : program_(program), values_(values), format_(program.bits) {}

  /// Appends a value. \param quoted whether symbols in structures are put into quotes
  void write(core::word value, const core::field& type, std::string& out,
             bool quoted = false) const;

  /// Reads a whole text as a value.
  /// \throws undefined_value that says what is wrong
  core::word read(std::string_view text, const core::field& type);
  /// The same of what adds nothing to values: a number, unsigned number or float; whether a text is
  /// a symbol. For several threads at once.
  core::word read_number(std::string_view text, value_kind kind) const;
  static void check_symbol(std::string_view text);

  /// \throws undefined_value if there is no such symbol or structure
  void check(core::word value, const core::field& type) const;

  /// How two values of a type compare: numbers by size, symbols by text, structures by their
  /// contents.
  std::strong_ordering compare(core::word left, core::word right, const core::field& type) const;

  const value_format& format() const noexcept { return format_; }
  const core::program& program() const noexcept { return program_; }
  domain& values() noexcept { return values_; }
  const symbol_table& symbols() const noexcept { return values_.symbols; }

private:
  /// A structure whose fields are being read.
  struct open_structure {
    structure_value made;
    const std::vector<core::field>* types;
    char close;
  };
  core::word read_prefix(std::string_view& text, const core::field& type);
  core::word read_field(std::string_view& text, const core::field& type);
  core::word read_quoted(std::string_view& text, const core::field& type);
  /// \returns whether fields follow; else value is set
  bool begin_structure(std::string_view& text, const core::field& type,
                       std::vector<open_structure>& path, core::word& value);
  core::word end_structure(std::string_view& text, std::vector<open_structure>& path);
  core::word read_plain(std::string_view text, const core::field& type);

  const core::program& program_;
  domain& values_;
  value_format format_;
};

} // namespace ikra::datalog
