// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which file a directive means, and which format it is in.
#include "datalog/io/fact_files.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <optional>
#include <ostream>
#include <vector>

#include "datalog/io/formats.hpp"

namespace ikra::datalog {
namespace {

namespace fs = std::filesystem;

// The name of the file that an output directive writes; none if it goes to the terminal.
std::optional<std::string> output_name(const io::parameters& how) {
  const std::string format = how.get("IO", "file"), &relation = how.relation().name;
  if (format == "file")
    return how.get("filename", relation + ".csv" + (how.flag("compress") ? ".gz" : ""));
  if (format == "jsonfile" || format == "json")
    return how.get("filename", relation + ".json");
  if (format == "sqlite")
    return how.get("filename", how.get("dbname", relation + ".sqlite"));
  return std::nullopt;
}

void check_folder(const fs::path& folder) {
  if (folder.empty()) // the current one
    return;
  if (!fs::exists(folder))
    throw io_error("Error: output directory " + folder.string() + " does not exist");
  if (!fs::is_directory(folder))
    throw io_error("Error: output directory " + folder.string() + " is not a directory");
}

bool same_to_sqlite(const std::string& a, const std::string& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) ==
           std::tolower(static_cast<unsigned char>(y));
  });
}

// Two outputs of one file: right for tables of one database, and where the second is the first
// again.
void check_together(const core::program& program, const core::directive* first,
                    const core::directive* second, const std::string& path) {
  if (first == nullptr || second == nullptr)
    throw io_error("Error: the profile and a relation would be written to one file: " + path);
  const io::parameters one(program, *first), other(program, *second);
  if (first->relation == second->relation && first->parameters == second->parameters)
    return;
  const std::string &a = one.relation().name, &b = other.relation().name;
  const bool tables = one.get("IO", "file") == "sqlite" && other.get("IO", "file") == "sqlite";
  if (tables && (first->relation == second->relation || !same_to_sqlite(a, b)))
    return;
  if (tables)
    throw io_error("Error: relations " + a + " and " + b +
                   " would be one table of a database, which tells no case: " + path);
  if (first->relation == second->relation)
    throw io_error("Error: relation " + a + " would be written to one file in two ways: " + path);
  throw io_error("Error: relations " + a + " and " + b + " would be written to one file: " + path);
}

void write_rows(value_text& text, const io::parameters& how, const row_source& rows,
                output_files& files, std::ostream& terminal) {
  const std::string format = how.get("IO", "file");
  if (format == "stdout")
    return io::write_text(text, how, rows, {}, terminal);
  if (format == "stdoutprintsize") {
    terminal << how.relation().name << '\t' << rows.rows << '\n';
    return;
  }
  if (format == "stdoutjson")
    return io::write_json(text, how, rows, {}, terminal);
  const std::optional<std::string> name = output_name(how);
  if (!name)
    throw io_error("Error: Requested output type <" + format + "> of relation " +
                   how.relation().name + " is not supported");
  const output_file file = files.add(*name);
  if (file.place.is_stream)
    terminal.flush(); // it may be the same
  if (format == "file")
    io::write_text(text, how, rows, file, terminal);
  else if (format == "sqlite")
    io::write_sqlite(text, how, rows, file);
  else
    io::write_json(text, how, rows, file, terminal);
  if (file.place.descriptor >= 0) // what else is written there comes after this
    ::lseek(file.place.descriptor, 0, SEEK_END);
}

} // namespace

namespace io {

bool parameters::flag(const std::string& key) const {
  const std::string value = get(key, "false");
  if (value != "true" && value != "false")
    throw io_error("Error: parameter " + key + " of relation " + relation().name +
                   " is neither true nor false: " + value);
  return value == "true";
}

void fail_loading(const parameters& how, const std::string& where, const std::string& problem) {
  throw io_error("Error loading " + how.relation().name + " data: " + where + ": " + problem);
}

void fail_writing(const core::relation& relation, const std::string& problem) {
  throw io_error("Error writing " + relation.name + " data: " + problem);
}

void fail_writing(const parameters& how, const output_file& file, const std::string& problem) {
  fail_writing(how.relation(), file.name + ": " + problem);
}

} // namespace io

void read_facts(value_text& text, const core::directive& directive, const std::string& folder,
                const add_rows& add, bool missing_is_empty) {
  const io::parameters how(text.program(), directive);
  const std::string format = how.get("IO", "file");
  if (format == "stdin")
    return io::read_text(text, how, "", add);
  if (format == "file") {
    const std::string path =
        io::in_folder(folder, how.get("filename", how.relation().name + ".facts"));
    std::error_code ignored;
    if (missing_is_empty && fs::status(path, ignored).type() == fs::file_type::not_found)
      return;
    return io::read_text(text, how, path, add);
  }
  if (format == "jsonfile" || format == "json")
    return io::read_json(
        text, how, io::in_folder(folder, how.get("filename", how.relation().name + ".json")), add);
  if (format == "sqlite") {
    const std::string name =
        how.get("filename", how.get("dbname", how.relation().name + ".sqlite"));
    return io::read_sqlite(text, how, io::is_uri(name) ? name : io::in_folder(folder, name), add);
  }
  throw io_error("Error: Requested input type <" + format + "> of relation " + how.relation().name +
                 " is not supported");
}

void check_outputs(const core::program& program, const std::string& folder,
                   const std::string& profile) {
  check_folder(folder);
  struct taken {
    output_place place;
    const core::directive* directive; // null: the profile
  };
  std::vector<taken> known;
  const auto take = [&](const std::string& path, const core::directive* directive) {
    check_folder(fs::path{path}.parent_path());
    const output_place place = place_of(path);
    for (const taken& other : known)
      if (other.place.target == place.target && !place.is_shared)
        check_together(program, other.directive, directive, path);
    known.push_back({place, directive});
  };
  if (!profile.empty())
    take(profile, nullptr);
  for (const core::directive& directive : program.directives)
    if (directive.kind == core::directive_kind::output)
      if (const auto name = output_name(io::parameters(program, directive)))
        take(io::in_folder(folder, *name), &directive);
}

void write_relation(value_text& text, const core::directive& directive, const row_source& rows,
                    output_files& files, std::ostream& terminal) {
  const io::parameters how(text.program(), directive);
  try {
    write_rows(text, how, rows, files, terminal);
  } catch (const undefined_value& problem) {
    io::fail_writing(how.relation(), problem.what());
  }
}

} // namespace ikra::datalog
