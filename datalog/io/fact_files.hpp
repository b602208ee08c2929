// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Facts in and results out, as Soufflé's `.input`, `.output` and `.printsize` say it
// (docs/datalog-language.md, "Input and output"). Results go to temporary files beside their places
// first; only when all are written do they get their names. Relies on core.hpp, zlib, and for the
// other formats SQLite and nlohmann's JSON.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "datalog/frontend/core.hpp"
#include "datalog/frontend/domain.hpp"
#include "datalog/frontend/value_text.hpp"

namespace ikra::datalog {

/// A file that cannot be read or written, or does not hold what it should; what() has file and
/// line.
class io_error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

using row = std::span<const core::word>;

/// The rows of a relation, wherever they are.
struct row_source {
  std::uint64_t rows = 0;
  /// Calls its argument with each row.
  std::function<void(const std::function<void(row)>&)> each;
};

/// Reads the facts of an input directive.
/// \param folder where relative file names are looked for
/// \param add    called with each fact
/// \throws io_error
void read_facts(value_text& text, const core::directive& directive, const std::string& folder,
                const std::function<void(row)>& add);

/// Whether the outputs can be written, as far as folders say that. A long evaluation should not end
/// in a folder that is not there.
/// \param folder where relative file names go
/// \throws io_error
void check_output_folders(const core::program& program, const std::string& folder);

/// Files that appear all at once or not at all.
class output_files {
public:
  /// \param folder where relative file names go
  explicit output_files(std::string folder) : folder_(std::move(folder)) {}
  output_files(const output_files&) = delete;
  output_files& operator=(const output_files&) = delete;
  ~output_files(); ///< removes what was not committed

  /// A temporary file to be written, which commit() will give this name.
  /// \return its path
  std::string add(const std::string& name);
  /// \throws io_error
  void commit();
  const std::string& folder() const noexcept { return folder_; }

private:
  std::string folder_;
  std::vector<std::pair<std::string, std::string>> pending_; // temporary and final paths
};

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
