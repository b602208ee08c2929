// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A relation as a table of an SQLite database, with the relation's name. Structures are text as in
// fact files.
#include <sqlite3.h>

#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "datalog/frontend/functions.hpp"
#include "datalog/io/formats.hpp"

namespace ikra::datalog::io {
namespace {

namespace fs = std::filesystem;

struct closer {
  void operator()(sqlite3* database) const { sqlite3_close(database); }
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using database = std::unique_ptr<sqlite3, closer>;
using statement = std::unique_ptr<sqlite3_stmt, closer>;

database open(const std::string& path, int flags, std::string& problem) {
  sqlite3* opened = nullptr;
  if (sqlite3_open_v2(path.c_str(), &opened, flags, nullptr) != SQLITE_OK)
    problem = opened != nullptr ? sqlite3_errmsg(opened) : "out of memory";
  return database(opened);
}

statement prepare(sqlite3* in, const std::string& text) {
  sqlite3_stmt* made = nullptr;
  sqlite3_prepare_v2(in, text.c_str(), -1, &made, nullptr);
  return statement(made);
}

std::string quoted_name(const std::string& name) {
  std::string out = "\"";
  for (const char c : name)
    out += c == '"' ? std::string{"\"\""} : std::string(1, c);
  return out + "\"";
}

const char* type_of(value_kind kind) {
  if (kind == value_kind::real)
    return "REAL";
  return kind <= value_kind::unsigned_number ? "INTEGER" : "TEXT";
}

// What is in the database that will be replaced stays, but for the tables that are written.
void copy_tables(sqlite3* into, const parameters& how, const output_file& file) {
  std::error_code unknown;
  for (const char* journal : {"-wal", "-journal"}) {
    const fs::path beside = file.place.target.string() + journal;
    if (fs::exists(beside, unknown))
      fail_writing(how, file, "the database is in use, as there is " + beside.string());
  }
  std::string problem;
  const database from = open(file.place.target.string(), SQLITE_OPEN_READONLY, problem);
  if (!problem.empty())
    fail_writing(how, file, "Cannot open database: " + problem);
  sqlite3_backup* copy = sqlite3_backup_init(into, "main", from.get(), "main");
  if (copy != nullptr)
    sqlite3_backup_step(copy, -1);
  if (copy == nullptr || sqlite3_backup_finish(copy) != SQLITE_OK)
    fail_writing(how, file, sqlite3_errmsg(into));
}

} // namespace

void read_sqlite(value_text& text, const parameters& how, const std::string& path,
                 const add_rows& add) {
  std::string problem;
  const database in =
      open(path, SQLITE_OPEN_READONLY | (is_uri(path) ? SQLITE_OPEN_URI : 0), problem);
  if (!problem.empty())
    fail_loading(how, path, "Cannot open database: " + problem);
  const std::string& table = how.relation().name;
  const statement query = prepare(in.get(), "SELECT * FROM " + quoted_name(table));
  if (query == nullptr)
    fail_loading(how, path, sqlite3_errmsg(in.get()));
  const std::vector<core::column>& columns = how.relation().columns;
  if (static_cast<std::size_t>(sqlite3_column_count(query.get())) != columns.size())
    fail_loading(how, path,
                 "table " + table + " has " + std::to_string(sqlite3_column_count(query.get())) +
                     " columns, the relation has " + std::to_string(columns.size()));
  std::vector<core::word> fact(columns.size());
  int outcome = SQLITE_ROW;
  for (std::uint64_t number = 1; (outcome = sqlite3_step(query.get())) == SQLITE_ROW; ++number) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const auto at = static_cast<int>(i);
      const auto* value = reinterpret_cast<const char*>(sqlite3_column_text(query.get(), at));
      const auto size = static_cast<std::size_t>(sqlite3_column_bytes(query.get(), at));
      try {
        fact[i] = text.read(value == nullptr ? std::string_view{} : std::string_view{value, size},
                            columns[i]);
      } catch (const undefined_value& wrong) {
        fail_loading(how, path + ": row " + std::to_string(number),
                     columns[i].name + ": " + wrong.what());
      }
    }
    add(fact, 1);
  }
  if (outcome != SQLITE_DONE)
    fail_loading(how, path, sqlite3_errmsg(in.get()));
}

void write_sqlite(value_text& text, const parameters& how, const row_source& rows,
                  const output_file& file) {
  const core::relation& relation = how.relation();
  if (relation.columns.empty())
    fail_writing(how, file, "a relation without columns cannot be a table");
  if (file.place.is_stream)
    fail_writing(how, file, "a database cannot be a device or a pipe");
  std::string problem;
  const database out = open(file.path, SQLITE_OPEN_READWRITE, problem);
  if (!problem.empty())
    fail_writing(how, file, "Cannot open database: " + problem);
  auto execute = [&](const std::string& command) {
    if (sqlite3_exec(out.get(), command.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
      fail_writing(how, file, sqlite3_errmsg(out.get()));
  };
  // It is thrown away if anything fails; so no journal may lie beside it, on a full disk either.
  execute("PRAGMA journal_mode = OFF");
  execute("PRAGMA synchronous = OFF");
  std::error_code unknown;
  if (fs::file_size(file.path, unknown) == 0 && fs::exists(file.place.target, unknown))
    copy_tables(out.get(), how, file);
  execute("PRAGMA journal_mode = OFF"); // the copy has its own mode, which may be another
  std::string declared;
  std::string holes;
  for (const core::column& column : relation.columns) {
    declared +=
        (declared.empty() ? "" : ", ") + quoted_name(column.name) + " " + type_of(column.kind);
    holes += holes.empty() ? "?" : ", ?";
  }
  execute("DROP TABLE IF EXISTS " + quoted_name(relation.name));
  execute("CREATE TABLE " + quoted_name(relation.name) + " (" + declared + ")");
  execute("BEGIN");
  const statement insert =
      prepare(out.get(), "INSERT INTO " + quoted_name(relation.name) + " VALUES (" + holes + ")");
  if (insert == nullptr)
    fail_writing(how, file, sqlite3_errmsg(out.get()));
  std::string shown;
  rows.each([&](row found) {
    for (std::size_t column = 0; column < found.size(); ++column) {
      const core::word value = found[column];
      const auto at = static_cast<int>(column) + 1;
      const value_kind kind = relation.columns[column].kind;
      if (kind == value_kind::number) {
        sqlite3_bind_int64(insert.get(), at, text.format().number(value));
      } else if (kind == value_kind::unsigned_number) {
        sqlite3_bind_int64(insert.get(), at, static_cast<sqlite3_int64>(value));
      } else if (kind == value_kind::real) {
        sqlite3_bind_double(insert.get(), at, text.format().real(value));
      } else {
        shown.clear();
        text.write(value, relation.columns[column], shown);
        sqlite3_bind_text(insert.get(), at, shown.data(), static_cast<int>(shown.size()),
                          SQLITE_TRANSIENT);
      }
    }
    if (sqlite3_step(insert.get()) != SQLITE_DONE)
      fail_writing(how, file, sqlite3_errmsg(out.get()));
    sqlite3_reset(insert.get());
  });
  execute("COMMIT");
}

} // namespace ikra::datalog::io
