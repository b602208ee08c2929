// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Facts in and results out, as Soufflé's `.input`, `.output` and `.printsize` say it
// (docs/datalog-language.md, "Input and output"). Relies on core.hpp, output_files.hpp, zlib, and
// for the other formats SQLite and nlohmann's JSON.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <span>
#include <string>

#include "datalog/frontend/core.hpp"
#include "datalog/frontend/domain.hpp"
#include "datalog/frontend/value_text.hpp"
#include "datalog/io/output_files.hpp"

namespace ikra::datalog {

using row = std::span<const core::word>;
/// Takes so many rows, one after the other in one array.
using add_rows = std::function<void(row values, std::uint64_t count)>;

/// The rows of a relation, wherever they are.
struct row_source {
  std::uint64_t rows = 0;
  /// Calls its argument with each row.
  std::function<void(const std::function<void(row)>&)> each;
  /// Gives the row with this number, for several threads at once. Empty if rows have no numbers.
  std::function<void(std::uint64_t, std::span<core::word>)> at = {};
};

/// Reads the facts of an input directive.
/// \param folder where relative file names are looked for
/// \param add    called with some facts at a time, one at least
/// \param missing_is_empty whether a text file that is not there has no facts; else it is an error
/// \throws io_error
void read_facts(value_text& text, const core::directive& directive, const std::string& folder,
                const add_rows& add, bool missing_is_empty = false);

/// Whether the outputs can be written, as far as their names say that. A long evaluation should not
/// end in a folder that is not there, or with one result in another's place.
/// \param folder  where relative file names go
/// \param profile the name of one more file that will be written; may be empty
/// \throws io_error
void check_outputs(const core::program& program, const std::string& folder,
                   const std::string& profile = "");

/// The same rows as outputs show them: by columns from the left, numbers by size, symbols by text.
/// \param rows in the order of their bit patterns, and each time the same. Where that is the order
/// of
///             outputs, as for numbers that are not negative, they are handed through; otherwise
///             they are gathered and sorted
row_source sorted_rows(const value_text& text, const core::relation& relation, row_source rows);

/// Writes the result of an output directive.
/// \param rows     in the order of outputs
/// \param terminal for IO=stdout
/// \throws io_error
void write_relation(value_text& text, const core::directive& directive, const row_source& rows,
                    output_files& files, std::ostream& terminal);

} // namespace ikra::datalog
