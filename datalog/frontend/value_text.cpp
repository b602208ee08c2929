// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writing walks structures with a stack of its own, because a list is a structure as deep as it is
// long; reading refuses what is nested too deeply.
#include "datalog/frontend/value_text.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include "datalog/frontend/functions.hpp"

namespace ikra::datalog {
namespace {

constexpr std::size_t max_depth = 10'000;

void skip_blanks(std::string_view& text) {
  while (!text.empty() && (text[0] == ' ' || text[0] == '\t'))
    text.remove_prefix(1);
}

std::string shown(std::string_view text) {
  constexpr std::size_t longest = 40;
  return "'" + std::string{text.substr(0, longest)} + (text.size() > longest ? "...'" : "'");
}

void append_quoted(std::string_view text, std::string& out) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out += '\\';
    out += c;
  }
  out += '"';
}

const char* name_of(value_kind kind) {
  switch (kind) {
  case value_kind::number:
    return "number";
  case value_kind::unsigned_number:
    return "unsigned";
  case value_kind::real:
    return "float";
  case value_kind::symbol:
    return "symbol";
  case value_kind::record:
    return "record";
  case value_kind::sum:
    break;
  }
  return "algebraic data type";
}

} // namespace

void value_text::write(core::word value, const core::field& type, std::string& out,
                       bool quoted) const {
  struct open {
    const structure_value* value;
    const core::branch* types;
    std::size_t next;
    bool sum;
  };
  std::vector<open> path;
  auto begin = [&](core::word number, const core::field& of) {
    if (of.kind == value_kind::symbol && quoted && !path.empty()) {
      append_quoted(values_.symbols.text(number), out);
    } else if (of.kind == value_kind::symbol) {
      out += values_.symbols.text(number);
    } else if (of.structure < 0) {
      out += format_.write(number, of.kind);
    } else if (number == 0) {
      out += "nil";
    } else {
      const structure_value& held = values_.structures.value(number);
      const core::structure& structure =
          program_.structures[static_cast<std::size_t>(held.structure)];
      const core::branch& branch = structure.branches[static_cast<std::size_t>(held.branch)];
      if (structure.sum)
        out += "$" + branch.name;
      if (!structure.sum)
        out += "[";
      else if (!branch.fields.empty())
        out += "(";
      path.push_back({&held, &branch, 0, structure.sum});
    }
  };
  begin(value, type);
  while (!path.empty()) {
    open& top = path.back();
    if (top.next == top.value->fields.size()) {
      if (!top.sum)
        out += "]";
      else if (top.next > 0)
        out += ")";
      path.pop_back();
      continue;
    }
    if (top.next > 0)
      out += ", ";
    const std::size_t field = top.next++;
    begin(top.value->fields[field], top.types->fields[field]);
  }
}

core::word value_text::read(std::string_view text, const core::field& type) {
  if (type.structure < 0)
    return read_plain(text, type);
  const std::string_view whole = text;
  const core::word value = read_prefix(text, type);
  skip_blanks(text);
  if (!text.empty())
    throw undefined_value("unexpected text after the value " + shown(whole));
  return value;
}

core::word value_text::read_plain(std::string_view text, const core::field& type) {
  if (type.kind == value_kind::symbol) {
    check_symbol(text);
    return values_.symbols.number(text);
  }
  return read_number(text, type.kind);
}

void value_text::check_symbol(std::string_view text) {
  if (!is_utf8(text))
    throw undefined_value("symbol is not valid UTF-8");
}

core::word value_text::read_number(std::string_view text, value_kind kind) const {
  const auto value = format_.read(text, kind);
  if (!value)
    throw undefined_value("cannot convert " + shown(text) + " to a value of type " + name_of(kind) +
                          " (" + std::to_string(program_.bits) + " bits)");
  return *value;
}

core::word value_text::read_field(std::string_view& text, const core::field& type) {
  if (type.kind == value_kind::symbol && text.starts_with('"'))
    return read_quoted(text, type);
  // Up to what ends a field; a symbol without quotes has no way to contain it.
  std::size_t end = 0;
  while (end < text.size() && text[end] != ',' && text[end] != ']' && text[end] != ')')
    ++end;
  std::string_view field = text.substr(0, end);
  while (type.kind != value_kind::symbol && (field.ends_with(' ') || field.ends_with('\t')))
    field.remove_suffix(1);
  const core::word value = read_plain(field, type);
  text.remove_prefix(end);
  return value;
}

core::word value_text::read_quoted(std::string_view& text, const core::field& type) {
  std::string symbol;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') {
      text.remove_prefix(i + 1);
      return read_plain(symbol, type);
    }
    if (text[i] == '\\' && i + 1 < text.size())
      ++i;
    symbol += text[i];
  }
  throw undefined_value("a quote is not closed: " + shown(text));
}

// Structures that are not closed yet are in a list of their own: values may be nested deeply.
core::word value_text::read_prefix(std::string_view& text, const core::field& type) {
  std::vector<open_structure> path;
  const core::field* wanted = &type;
  while (true) {
    skip_blanks(text);
    core::word value = 0;
    if (wanted->structure < 0) {
      value = read_field(text, *wanted);
    } else {
      if (path.size() > max_depth)
        throw undefined_value("value is nested more than " + std::to_string(max_depth) + " deep");
      const bool is_open = begin_structure(text, *wanted, path, value);
      if (is_open && !path.back().types->empty()) {
        wanted = &path.back().types->front();
        continue;
      }
      if (is_open)
        value = end_structure(text, path);
    }
    // The value is whole; it may be the last field of those around it.
    for (wanted = nullptr; wanted == nullptr;) {
      if (path.empty())
        return value;
      open_structure& top = path.back();
      std::vector<core::word>& fields = top.made.fields;
      fields.push_back(value);
      if (fields.size() == top.types->size()) {
        value = end_structure(text, path);
        continue;
      }
      skip_blanks(text);
      if (!text.starts_with(","))
        throw undefined_value("expected ',' before field " + std::to_string(fields.size() + 1) +
                              ", found " + shown(text));
      text.remove_prefix(1);
      wanted = &(*top.types)[fields.size()];
    }
  }
}

bool value_text::begin_structure(std::string_view& text, const core::field& type,
                                 std::vector<open_structure>& path, core::word& value) {
  const core::structure& structure = program_.structures[static_cast<std::size_t>(type.structure)];
  structure_value made{type.structure, 0, {}};
  if (!structure.sum) {
    if (text.starts_with("nil")) {
      text.remove_prefix(3);
      value = 0;
      return false;
    }
    if (!text.starts_with("["))
      throw undefined_value("expected a record of type " + structure.name + ", found " +
                            shown(text));
    text.remove_prefix(1);
    path.push_back({std::move(made), &structure.branches[0].fields, ']'});
    return true;
  }
  if (!text.starts_with("$"))
    throw undefined_value("expected a value of type " + structure.name + ", found " + shown(text));
  text.remove_prefix(1);
  const std::size_t end = std::min(text.find_first_of("(,)] \t"), text.size());
  const std::string_view name = text.substr(0, end);
  text.remove_prefix(end);
  const auto& branches = structure.branches;
  while (static_cast<std::size_t>(made.branch) < branches.size() &&
         branches[static_cast<std::size_t>(made.branch)].name != name)
    ++made.branch;
  if (static_cast<std::size_t>(made.branch) == branches.size())
    throw undefined_value("type " + structure.name + " has no branch " + shown(name));
  const std::vector<core::field>& fields = branches[static_cast<std::size_t>(made.branch)].fields;
  if (text.starts_with("(")) {
    text.remove_prefix(1);
    path.push_back({std::move(made), &fields, ')'});
    return true;
  }
  if (!fields.empty())
    throw undefined_value("branch " + std::string{name} + " has " + std::to_string(fields.size()) +
                          " fields, none was given");
  value = values_.structures.number(std::move(made));
  return false;
}

core::word value_text::end_structure(std::string_view& text, std::vector<open_structure>& path) {
  open_structure whole = std::move(path.back());
  path.pop_back();
  skip_blanks(text);
  if (text.empty() || text[0] != whole.close)
    throw undefined_value(std::string{"expected '"} + whole.close + "', found " + shown(text));
  text.remove_prefix(1);
  return values_.structures.number(std::move(whole.made));
}

void value_text::check(core::word value, const core::field& type) const {
  if (type.kind == value_kind::symbol)
    values_.symbols.text(value);
  else if (type.structure >= 0 && value != 0)
    values_.structures.value(value);
}

std::strong_ordering value_text::compare(core::word left, core::word right,
                                         const core::field& type) const {
  if (left == right)
    return std::strong_ordering::equal;
  if (type.kind == value_kind::number)
    return format_.number(left) <=> format_.number(right);
  if (type.kind == value_kind::real)
    return format_.order_of_real(left) <=> format_.order_of_real(right);
  if (type.kind == value_kind::symbol)
    return values_.symbols.text(left) <=> values_.symbols.text(right);
  if (type.structure < 0 || left == 0 || right == 0)
    return left <=> right;
  // Only the outermost level: deeper ones are rarely asked for, and numbers of structures are an
  // order, too.
  const structure_value& a = values_.structures.value(left);
  const structure_value& b = values_.structures.value(right);
  if (a.branch != b.branch)
    return a.branch <=> b.branch;
  const auto& types = program_.structures[static_cast<std::size_t>(a.structure)]
                          .branches[static_cast<std::size_t>(a.branch)]
                          .fields;
  for (std::size_t i = 0; i < types.size(); ++i) {
    const auto found = types[i].structure >= 0 ? a.fields[i] <=> b.fields[i]
                                               : compare(a.fields[i], b.fields[i], types[i]);
    if (found != 0)
      return found;
  }
  return std::strong_ordering::equal;
}

} // namespace ikra::datalog
