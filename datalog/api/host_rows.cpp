// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values are ordered by keys whose unsigned order is that of the values.
#include "datalog/api/host_rows.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

namespace ikra::datalog {
namespace {

using detail::value_class;

core::word sort_key(core::word value, const detail::column_type& type) {
  const core::word sign = core::word{1} << (type.bits - 1);
  const core::word all = sign | (sign - 1);
  switch (type.is) {
  case value_class::number:
    return value ^ sign;
  case value_class::real:
    return (value & sign) != 0 ? value ^ all : value ^ sign;
  case value_class::unsigned_number:
  case value_class::object:
  case value_class::text:
    break;
  }
  return value;
}

void store(core::word value, unsigned bits, char* to) {
  if (bits == 32) {
    const auto narrow = static_cast<std::uint32_t>(value);
    std::memcpy(to, &narrow, sizeof narrow);
  } else {
    std::memcpy(to, &value, sizeof value);
  }
}

} // namespace

std::vector<core::word> words_in(const ikra::detail::any_buffer& elements, std::size_t offset,
                                 unsigned bits, std::uint64_t rows) {
  std::vector<core::word> words(rows);
  const std::size_t stride = elements.element_bytes();
  const char* at = static_cast<const char*>(elements.data()) + offset;
  for (core::word& word : words) {
    if (bits == 32) {
      std::uint32_t narrow = 0;
      std::memcpy(&narrow, at, sizeof narrow);
      word = narrow;
    } else {
      std::memcpy(&word, at, sizeof word);
    }
    at += stride;
  }
  return words;
}

std::vector<char*> allocate_on_host(std::span<const detail::result_column> columns,
                                    std::uint64_t rows) {
  std::vector<std::pair<const ikra::detail::any_buffer*, char*>> memory;
  std::vector<char*> first;
  for (const detail::result_column& column : columns) {
    if (column.elements == nullptr) {
      first.push_back(nullptr);
      continue;
    }
    auto known = std::find_if(memory.begin(), memory.end(),
                              [&](const auto& one) { return one.first == column.elements; });
    if (known == memory.end())
      known = memory.emplace(memory.end(), column.elements,
                             static_cast<char*>(column.elements->allocate(rows)));
    first.push_back(known->second + column.offset);
  }
  return first;
}

void store_sorted(std::uint64_t rows, const column_words& words,
                  std::vector<std::vector<std::string>> texts,
                  std::span<const detail::result_column> to) {
  column_words keys(words.size());
  for (std::size_t column = 0; column < words.size(); ++column)
    for (const core::word word : words[column])
      keys[column].push_back(sort_key(word, to[column].type));
  std::vector<std::uint64_t> order(rows);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::uint64_t a, std::uint64_t b) {
    for (std::size_t column = 0; column < to.size(); ++column) {
      const bool is_text = to[column].texts != nullptr;
      const auto compared =
          is_text ? texts[column][a] <=> texts[column][b] : keys[column][a] <=> keys[column][b];
      if (compared != 0)
        return compared < 0;
    }
    return false;
  });
  const std::vector<char*> first = allocate_on_host(to, rows);
  for (std::size_t column = 0; column < to.size(); ++column) {
    if (to[column].texts != nullptr) {
      for (const std::uint64_t row : order)
        to[column].texts->push_back(std::move(texts[column][row]));
      continue;
    }
    const std::size_t stride = to[column].elements->element_bytes();
    char* at = first[column];
    for (const std::uint64_t row : order) {
      store(words[column][row], to[column].type.bits, at);
      at += stride;
    }
  }
}

} // namespace ikra::datalog
