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

namespace ikra::datalog {
namespace {

auto order(const diagnostic& message) {
  const bool placed = message.primary.where.has_value();
  const location where = placed ? *message.primary.where : location{};
  return std::make_tuple(!placed, where.begin, where.end, message.level,
                         std::string_view{message.primary.text});
}

void print(std::ostream& out, const remark& said, const source_text& source) {
  out << said.text;
  if (said.where) {
    const place at = source.locate(said.where->begin);
    out << " in file " << std::filesystem::path{at.file}.filename().string() << " at line "
        << at.line << "\n"
        << at.text << "\n";
    // The ruler is as long as the line and its end.
    const std::size_t length = std::max<std::size_t>(at.text.size() + 1, at.column);
    for (std::size_t column = 1; column <= length; ++column)
      out << (column == at.column ? '^' : '-');
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
