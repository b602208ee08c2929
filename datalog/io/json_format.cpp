// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A relation as a JSON array: of arrays (format=list, the default) or of objects with the columns'
// names (format=object); when it is read, each element says which it is. Records are arrays or
// objects in the same way, nil is null, algebraic values are text as in fact files.
#include <cerrno>
#include <cstring>
#include <fstream>
#include <ostream>
#include <utility>

#include <nlohmann/json.hpp>

#include "datalog/frontend/functions.hpp"
#include "datalog/io/formats.hpp"

namespace ikra::datalog::io {
namespace {

using nlohmann::json;

constexpr int max_depth = 1'000;

bool is_object_format(const parameters& how) {
  const std::string format = how.get("format", "list");
  if (format != "list" && format != "object")
    throw io_error("Error: Requested JSON format <" + format + "> of relation " +
                   how.relation().name + " is not supported");
  return format == "object";
}

json to_json(value_text& text, core::word value, const core::field& type, bool objects, int depth) {
  if (type.kind == value_kind::number)
    return text.format().number(value);
  if (type.kind == value_kind::unsigned_number)
    return text.format().unsigned_number(value);
  if (type.kind == value_kind::real)
    return text.format().real(value);
  if (type.kind != value_kind::record || depth > max_depth) {
    std::string shown;
    text.write(value, type, shown);
    return shown;
  }
  if (value == 0)
    return nullptr;
  json fields = objects ? json::object() : json::array();
  const structure_value& held = text.values().structures.value(value);
  const auto& types =
      text.program().structures[static_cast<std::size_t>(held.structure)].branches[0].fields;
  for (std::size_t i = 0; i < types.size(); ++i) {
    json field = to_json(text, held.fields[i], types[i], objects, depth + 1);
    if (objects)
      fields[types[i].name] = std::move(field);
    else
      fields.push_back(std::move(field));
  }
  return fields;
}

core::word from_json(value_text& text, const json& value, const core::field& type, int depth) {
  if (type.kind == value_kind::record && !value.is_string()) {
    if (depth > max_depth) // written as text from here on
      throw undefined_value("value is nested more than " + std::to_string(max_depth) + " deep");
    if (value.is_null())
      return 0;
    const auto& types =
        text.program().structures[static_cast<std::size_t>(type.structure)].branches[0].fields;
    if (!value.is_object() && (!value.is_array() || value.size() != types.size()))
      throw undefined_value("expected an array of " + std::to_string(types.size()) +
                            " values for a record, or an object");
    structure_value made{type.structure, 0, {}};
    for (std::size_t i = 0; i < types.size(); ++i) {
      if (value.is_object() && !value.contains(types[i].name))
        throw undefined_value("a record has no " + types[i].name);
      made.fields.push_back(from_json(text, value.is_object() ? value[types[i].name] : value[i],
                                      types[i], depth + 1));
    }
    return text.values().structures.number(std::move(made));
  }
  if (value.is_string())
    return text.read(value.get_ref<const std::string&>(), type);
  if (value.is_structured()) // which may be as deep as it likes
    throw undefined_value(std::string("expected another type of value, found an ") +
                          value.type_name());
  if (!value.is_number() || type.kind == value_kind::symbol)
    throw undefined_value("expected another type of value, found " + value.dump());
  return text.read(value.dump(), type);
}

} // namespace

void read_json(value_text& text, const parameters& how, const std::string& path,
               const add_rows& add) {
  static_cast<void>(is_object_format(how)); // checked, though elements say it themselves
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in)
    fail_loading(how, path, std::string{"Cannot open json file: "} + std::strerror(errno));
  json document;
  try {
    document = json::parse(in);
  } catch (const json::parse_error& problem) {
    // "[json.exception.parse_error.101] parse error at line 2, column 4: what is wrong"
    std::string said = problem.what();
    if (const std::size_t at = said.find(" at line "); at != std::string::npos)
      said.erase(0, at + 4);
    constexpr std::size_t most = 200;
    if (said.size() > most)
      said = said.substr(0, most) + "...";
    fail_loading(how, path, "the file is no JSON: " + said);
  } catch (const json::out_of_range& problem) {
    // "[json.exception.out_of_range.406] number overflow parsing '1e400'": of doubles
    const std::string said = problem.what();
    const std::size_t at = said.find("] ");
    fail_loading(how, path, at == std::string::npos ? said : said.substr(at + 2));
  }
  if (!document.is_array())
    fail_loading(how, path, "the file is no JSON array");
  const std::vector<core::column>& columns = how.relation().columns;
  std::vector<core::word> fact(columns.size());
  std::uint64_t number = 0;
  for (const json& item : document) {
    const std::string where = path + ": element " + std::to_string(number++);
    const bool objects = item.is_object();
    if (!objects && (!item.is_array() || item.size() != columns.size()))
      fail_loading(how, where,
                   "expected an object, or an array of " + std::to_string(columns.size()) +
                       " values");
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (objects && !item.contains(columns[i].name))
        fail_loading(how, where, "there is no " + columns[i].name);
      try {
        fact[i] = from_json(text, objects ? item[columns[i].name] : item[i], columns[i], 0);
      } catch (const undefined_value& problem) {
        fail_loading(how, where, columns[i].name + ": " + problem.what());
      }
    }
    add(fact, 1);
  }
}

void write_json(value_text& text, const parameters& how, const row_source& rows,
                const output_file& written, std::ostream& terminal) {
  const bool objects = is_object_format(how);
  errno = 0;
  std::ofstream file;
  const bool to_file = !written.path.empty();
  const auto check = [&] {
    if (to_file && !file)
      fail_writing(how, written, errno != 0 ? std::strerror(errno) : "cannot be written");
    errno = 0;
  };
  if (to_file)
    file.open(written.path,
              std::ios::binary | (written.place.is_stream ? std::ios::app : std::ios::trunc));
  check();
  std::ostream& out = to_file ? file : terminal;
  const std::vector<core::column>& columns = how.relation().columns;
  out << "[";
  bool first = true;
  rows.each([&](row found) {
    json item = objects ? json::object() : json::array();
    for (std::size_t column = 0; column < columns.size(); ++column) {
      json value = to_json(text, found[column], columns[column], objects, 0);
      if (objects)
        item[columns[column].name] = std::move(value);
      else
        item.push_back(std::move(value));
    }
    out << (std::exchange(first, false) ? "\n" : ",\n")
        << item.dump(-1, ' ', false, json::error_handler_t::replace);
    check();
  });
  out << "\n]\n";
  out.flush();
  check();
}

} // namespace ikra::datalog::io
