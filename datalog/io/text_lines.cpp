// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parameters of a directive that say how lines are taken apart.
#include "datalog/io/text_lines.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace ikra::datalog::io {
namespace {

// columns="2:0": for each column of the relation the place in the line; in order without it.
std::vector<std::size_t> places_of(const parameters& how) {
  std::vector<std::size_t> places;
  if (!how.has("columns")) {
    for (std::size_t i = 0; i < how.relation().columns.size(); ++i)
      places.push_back(i);
    return places;
  }
  const std::string text = how.get("columns", "");
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    std::size_t place = 0;
    const auto [after, problem] = std::from_chars(at, end, place);
    if (problem != std::errc{} || (after != end && *after != ':') || place > 100'000)
      throw io_error("Error: Invalid column set <" + text + "> of relation " + how.relation().name);
    places.push_back(place);
    at = after == end ? end : after + 1;
  }
  if (places.size() != how.relation().columns.size())
    throw io_error("Error: Invalid column set <" + text + "> of relation " + how.relation().name +
                   ": it has " + std::to_string(how.relation().columns.size()) + " columns");
  return places;
}

} // namespace

std::string delimiter_of(const parameters& how) {
  const std::string delimiter = how.get("delimiter", how.flag("rfc4180") ? "," : "\t");
  if (delimiter.empty())
    throw io_error("Error: the delimiter of relation " + how.relation().name + " is empty");
  return delimiter;
}

line_form::line_form(const parameters& how)
    : delimiter(delimiter_of(how)), quoted(how.flag("rfc4180")), headers(how.flag("headers")),
      by_place(how.has("columns")), places(places_of(how)), columns(how.relation().columns) {
  for (std::size_t i = 0; i < places.size(); ++i) {
    types.resize(std::max(types.size(), places[i] + 1));
    types[places[i]] = &columns[i];
  }
}

std::string line_form::incomplete(std::size_t values) const {
  return "expected " + std::to_string(types.size()) + " values, found " + std::to_string(values);
}

std::string line_form::wrong_value(std::size_t column, const char* problem) const {
  return "column " + std::to_string(places[column] + 1) + ": " + problem;
}

} // namespace ikra::datalog::io
