// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Order and layout of messages. Messages with a place come first, by place; errors come before
// warnings there.
#include "datalog/frontend/diagnostic.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <tuple>

#include "datalog/frontend/values.hpp"

namespace ikra::datalog {
namespace {

auto order(const diagnostic& message) {
  const bool placed = message.primary.where.has_value();
  const location where = placed ? *message.primary.where : location{};
  return std::make_tuple(!placed, where.begin, where.end, message.level,
                         std::string_view{message.primary.text});
}

// A line, or the part of a long one around a column, which becomes the column in that part. What is
// no text is replaced: a terminal may take it for commands.
std::string shown_part(std::string_view line, std::size_t& column) {
  constexpr std::size_t most = 200, before = 60;
  const auto is_inside = [&](std::size_t at) { // of a character of several bytes
    return at < line.size() && (static_cast<unsigned char>(line[at]) & 0xC0U) == 0x80U;
  };
  std::string text;
  std::size_t first = 0, last = line.size();
  if (line.size() > most) {
    first = column > before ? std::min(column - before, line.size() - most) : 0;
    last = first + most;
    for (int i = 0; i < 3 && is_inside(first); ++i)
      ++first;
    for (int i = 0; i < 3 && is_inside(last); ++i)
      --last;
    column -= first;
    if (first != 0) {
      text = "...";
      column += 3;
    }
  }
  text += line.substr(first, last - first);
  if (last != line.size())
    text += "...";
  const bool is_text = is_utf8(text);
  for (char& c : text)
    if ((static_cast<unsigned char>(c) < ' ' && c != '\t') || c == '\x7f' ||
        (!is_text && static_cast<unsigned char>(c) >= 0x80U))
      c = '?';
  return text;
}

void print(std::ostream& out, const remark& said, const source_text& source) {
  out << said.text;
  if (said.where) {
    const place at = source.locate(said.where->begin);
    out << " in file " << std::filesystem::path{at.file}.filename().string() << " at line "
        << at.line << "\n";
    std::size_t wanted = at.column;
    const std::string text = shown_part(at.text, wanted);
    out << text << "\n";
    // The ruler is as long as the line and its end.
    const std::size_t length = std::max<std::size_t>(text.size() + 1, wanted);
    for (std::size_t column = 1; column <= length; ++column)
      out << (column == wanted ? '^' : '-');
  }
  out << "\n";
}

} // namespace

void diagnostics::add(diagnostic message) {
  const auto at = std::lower_bound(
      messages_.begin(), messages_.end(), message,
      [](const diagnostic& a, const diagnostic& b) { return order(a) < order(b); });
  if (at != messages_.end() && order(*at) == order(message))
    return;
  errors_ += message.level == severity::error ? 1 : 0;
  messages_.insert(at, std::move(message));
}

void diagnostics::error(std::string text, location where, std::vector<remark> notes) {
  add({severity::error, {std::move(text), where}, std::move(notes)});
}

void diagnostics::error(std::string text, std::vector<remark> notes) {
  add({severity::error, {std::move(text), std::nullopt}, std::move(notes)});
}

void diagnostics::warning(std::string text, location where) {
  add({severity::warning, {std::move(text), where}, {}});
}

void diagnostics::print(std::ostream& out, const source_text& source, bool warnings) const {
  for (const diagnostic& message : messages_) {
    if (message.level == severity::warning && !warnings)
      continue;
    out << (message.level == severity::error ? "Error: " : "Warning: ");
    datalog::print(out, message.primary, source);
    for (const remark& note : message.notes)
      datalog::print(out, note, source);
  }
  if (errors_ > 0)
    out << errors_ << " errors generated, evaluation aborted\n";
}

} // namespace ikra::datalog
