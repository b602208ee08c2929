// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the lines of a fact file are made of, as its directive says, and the reader that takes many
// of them at once. Private to this folder.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "datalog/io/formats.hpp"

namespace ikra::datalog::io {

constexpr std::size_t max_line = std::size_t{64} << 20;
constexpr const char* line_too_long = "line is longer than 64 MiB";
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF"; // some editors' mark of UTF-8

/// What stands between values. \throws io_error if that is nothing
std::string delimiter_of(const parameters& how);

/// The values of a line, and the columns that they are for.
struct line_form {
  /// \throws io_error for parameters that are none
  explicit line_form(const parameters& how);

  std::string delimiter;
  bool quoted;                           ///< values may be in quotes
  bool headers;                          ///< the first line has names
  bool by_place;                         ///< lines may have more values than are taken
  std::vector<std::size_t> places;       ///< of each column's value in the line
  std::vector<const core::field*> types; ///< by place; null where no column is
  const std::vector<core::column>& columns;

  bool is_complete(std::size_t values) const {
    return by_place ? values >= types.size() : values == columns.size();
  }
  std::string incomplete(std::size_t values) const;
  /// What is wrong with a column's value.
  std::string wrong_value(std::size_t column, const char* problem) const;
};

/// Reads a file block by block, large ones on all cores. \returns whether it did: the file has to
/// be plain, and its values without quotes and structures.
bool read_in_blocks(value_text& text, const parameters& how, const line_form& form,
                    const std::string& path, const add_rows& add);

} // namespace ikra::datalog::io
