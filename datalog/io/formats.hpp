// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What fact_files.cpp hands work to: one reader and one writer for each format. Private to this
// folder.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>

#include "datalog/io/fact_files.hpp"
#include "datalog/io/output_files.hpp"

namespace ikra::datalog::io {

/// A directive with its relation, and its parameters with their defaults.
class parameters {
public:
  parameters(const core::program& program, const core::directive& directive)
      : relation_(program.relations[directive.relation]), directive_(directive) {}

  const core::relation& relation() const noexcept { return relation_; }
  bool has(const std::string& key) const { return directive_.parameters.contains(key); }
  std::string get(const std::string& key, const std::string& otherwise) const {
    const auto found = directive_.parameters.find(key);
    return found == directive_.parameters.end() ? otherwise : found->second;
  }
  /// \throws io_error for another value than true or false
  bool flag(const std::string& key) const;

private:
  const core::relation& relation_;
  const core::directive& directive_;
};

void read_text(value_text& text, const parameters& how, const std::string& path,
               const add_rows& add);
void write_text(value_text& text, const parameters& how, const row_source& rows,
                const output_file& file, std::ostream& terminal);

void read_json(value_text& text, const parameters& how, const std::string& path,
               const add_rows& add);
void write_json(value_text& text, const parameters& how, const row_source& rows,
                const output_file& written, std::ostream& terminal);

void read_sqlite(value_text& text, const parameters& how, const std::string& path,
                 const add_rows& add);
void write_sqlite(value_text& text, const parameters& how, const row_source& rows,
                  const output_file& file);

/// A file's path; names that are absolute, and those of no folder, stay as they are.
std::string in_folder(const std::string& folder, const std::string& name);

/// Whether the name of a database is a URI for SQLite, as in `file:facts.db?immutable=1`.
inline bool is_uri(const std::string& name) { return name.starts_with("file:"); }

/// "Error loading edge data: facts/edge.facts:3: " and what is wrong.
[[noreturn]] void fail_loading(const parameters& how, const std::string& where,
                               const std::string& problem);
[[noreturn]] void fail_writing(const core::relation& relation, const std::string& problem);
[[noreturn]] void fail_writing(const parameters& how, const output_file& file,
                               const std::string& problem);

} // namespace ikra::datalog::io
