// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which file a directive means, which format it is in, and the names that files get in the end.
#include "datalog/io/fact_files.hpp"

#include <algorithm>
#include <compare>
#include <filesystem>
#include <numeric>
#include <ostream>

#include "datalog/io/formats.hpp"

namespace ikra::datalog {
namespace {

namespace fs = std::filesystem;

std::string in_folder(const std::string& folder, const std::string& name) {
  return fs::path{name}.is_absolute() || folder.empty() ? name : (fs::path{folder} / name).string();
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

void fail_writing(const parameters& how, const std::string& path, const std::string& problem) {
  throw io_error("Error writing " + how.relation().name + " data: " + path + ": " + problem);
}

} // namespace io

void read_facts(value_text& text, const core::directive& directive, const std::string& folder,
                const std::function<void(row)>& add) {
  const io::parameters how(text.program(), directive);
  const std::string format = how.get("IO", "file");
  if (format == "file" || format == "stdin") {
    const std::string name = how.get("filename", how.relation().name + ".facts");
    return io::read_text(text, how, format == "stdin" ? "" : in_folder(folder, name), add);
  }
  if (format == "jsonfile" || format == "json")
    return io::read_json(
        text, how, in_folder(folder, how.get("filename", how.relation().name + ".json")), add);
  if (format == "sqlite") {
    const std::string name =
        how.get("filename", how.get("dbname", how.relation().name + ".sqlite"));
    return io::read_sqlite(text, how, in_folder(folder, name), add);
  }
  throw io_error("Error: Requested input type <" + format + "> of relation " + how.relation().name +
                 " is not supported");
}

void write_relation(value_text& text, const core::directive& directive, const row_list& rows,
                    output_files& files, std::ostream& terminal) {
  const io::parameters how(text.program(), directive);
  const std::string format = how.get("IO", "file");
  if (format == "stdout")
    return io::write_text(text, how, rows, "", terminal);
  if (format == "stdoutprintsize") {
    terminal << how.relation().name << '\t' << rows.rows << '\n';
    return;
  }
  if (format == "file") {
    const std::string name =
        how.get("filename", how.relation().name + ".csv" + (how.flag("compress") ? ".gz" : ""));
    return io::write_text(text, how, rows, files.add(name), terminal);
  }
  if (format == "stdoutjson")
    return io::write_json(text, how, rows, "", terminal);
  if (format == "jsonfile" || format == "json")
    return io::write_json(text, how, rows,
                          files.add(how.get("filename", how.relation().name + ".json")), terminal);
  if (format == "sqlite") {
    const std::string name =
        how.get("filename", how.get("dbname", how.relation().name + ".sqlite"));
    return io::write_sqlite(text, how, rows, files.add(name));
  }
  throw io_error("Error: Requested output type <" + format + "> of relation " +
                 how.relation().name + " is not supported");
}

output_files::~output_files() {
  for (const auto& [temporary, path] : pending_) {
    std::error_code ignored;
    fs::remove(temporary, ignored);
  }
}

std::string output_files::add(const std::string& name) {
  std::string path = in_folder(folder_, name);
  // Several relations may go to one database.
  for (const auto& [temporary, known] : pending_)
    if (known == path)
      return temporary;
  std::string temporary = path + ".partial";
  pending_.emplace_back(temporary, std::move(path));
  return temporary;
}

void output_files::commit() {
  for (const auto& [temporary, path] : pending_) {
    std::error_code problem;
    fs::rename(temporary, path, problem);
    if (problem)
      throw io_error("Error: cannot write " + path + ": " + problem.message());
  }
  pending_.clear();
}

void sort_rows(const value_text& text, const core::relation& relation, row_list& rows) {
  const std::size_t width = relation.columns.size();
  if (width == 0)
    return;
  auto less = [&](std::uint64_t a, std::uint64_t b) {
    for (std::size_t column = 0; column < width; ++column) {
      const auto order = text.compare(rows.values[a * width + column],
                                      rows.values[b * width + column], relation.columns[column]);
      if (order != 0)
        return order < 0;
    }
    return false;
  };
  std::vector<std::uint64_t> order(rows.rows);
  std::iota(order.begin(), order.end(), 0);
  if (std::is_sorted(order.begin(), order.end(), less))
    return;
  std::sort(order.begin(), order.end(), less);
  std::vector<core::word> sorted;
  sorted.reserve(rows.values.size());
  for (const std::uint64_t at : order)
    sorted.insert(sorted.end(), rows.values.begin() + static_cast<std::ptrdiff_t>(at * width),
                  rows.values.begin() + static_cast<std::ptrdiff_t>((at + 1) * width));
  rows.values = std::move(sorted);
}

} // namespace ikra::datalog
