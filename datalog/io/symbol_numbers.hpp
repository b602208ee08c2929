// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers for the symbols of several parts of a file, on all cores. Symbols get the numbers that
// they would have if parts were read one after the other. Private to this folder.
//
// 1. Each part looks for its symbols in the program's table, to which nothing is added meanwhile.
// 2. The others are divided among threads by their hashes: one thread has all that are equal, and
//    finds the first of each.
// 3. First ones are counted part by part. So each part knows the number of its first new symbol,
//    and puts its new ones into the table.
// 4. The others take the number of the first one that equals them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "datalog/frontend/domain.hpp"
#include "datalog/io/parallel.hpp"

namespace ikra::datalog::io {

/// Symbols of a part, in the order in which they are met. Texts stay where they were read.
struct met_symbols {
  std::vector<std::string_view> texts;
  std::vector<std::size_t> hashes;    ///< std::hash's
  std::vector<core::word> numbers;    ///< of the program's table, by number_in_order()
  std::vector<std::uint32_t> unknown; ///< which of them the table had not; for number_in_order()
};

namespace numbering {

constexpr std::size_t ahead = 16; ///< symbols that memory is asked for before they are looked up

/// By one thread.
inline void number_one_by_one(symbol_table& symbols, met_symbols& met) {
  met.numbers.resize(met.texts.size());
  for (std::size_t i = 0; i < met.texts.size(); ++i) {
    if (i + ahead < met.texts.size())
      symbols.prefetch(met.hashes[i + ahead]);
    met.numbers[i] = symbols.number(met.texts[i], met.hashes[i]);
  }
}

/// Notes those that the table has not.
inline void look_up(const symbol_table& symbols, met_symbols& met) {
  met.numbers.resize(met.texts.size());
  met.unknown.clear();
  for (std::size_t i = 0; i < met.texts.size(); ++i) {
    if (i + ahead < met.texts.size())
      symbols.prefetch(met.hashes[i + ahead]);
    if (const auto known = symbols.known(met.texts[i], met.hashes[i]))
      met.numbers[i] = *known;
    else
      met.unknown.push_back(static_cast<std::uint32_t>(i));
  }
}

/// Symbols that the table had not: of all parts, one after the other.
struct unknown_symbols {
  std::vector<std::string_view> texts;
  std::vector<std::size_t> hashes;
  std::vector<std::size_t> first;  ///< the first one that equals it
  std::vector<core::word> numbers; ///< of first ones
};

/// Finds the first of equal symbols, for those that are this thread's.
inline void find_first(unknown_symbols& all, std::size_t thread, std::size_t threads) {
  // The upper bits: the lower ones say where symbols stand in tables.
  const auto is_own = [&](std::size_t hash) { return (hash >> 40U) % threads == thread; };
  const auto own =
      static_cast<std::size_t>(std::count_if(all.hashes.begin(), all.hashes.end(), is_own));
  std::vector<std::size_t> places(std::bit_ceil(2 * own + 1), 0); // one and its index; 0: free
  for (std::size_t i = 0; i < all.hashes.size(); ++i) {
    const std::size_t hash = all.hashes[i];
    if (!is_own(hash))
      continue;
    for (std::size_t at = hash & (places.size() - 1);; at = (at + 1) & (places.size() - 1)) {
      if (places[at] == 0) {
        places[at] = i + 1;
        all.first[i] = i;
        break;
      }
      if (const std::size_t known = places[at] - 1;
          all.hashes[known] == hash && all.texts[known] == all.texts[i]) {
        all.first[i] = known;
        break;
      }
    }
  }
}

} // namespace numbering

/// Gives all symbols of the parts their numbers, and adds to the table those that it has not.
inline void number_in_order(symbol_table& symbols, const std::vector<met_symbols*>& parts) {
  using namespace numbering;
  if (parts.size() == 1)
    return number_one_by_one(symbols, *parts[0]);
  constexpr std::size_t worth_threads = 1U << 12;
  std::vector<std::size_t> begin(parts.size() + 1, 0); // of each part's unknown symbols
  for_parts(parts.size(), [&](std::size_t part) { look_up(symbols, *parts[part]); });
  for (std::size_t part = 0; part < parts.size(); ++part)
    begin[part + 1] = begin[part] + parts[part]->unknown.size();
  const std::size_t count = begin.back();
  if (count < worth_threads) {
    for (met_symbols* const part : parts)
      for (const std::uint32_t i : part->unknown)
        part->numbers[i] = symbols.number(part->texts[i], part->hashes[i]);
    return;
  }
  unknown_symbols all;
  all.texts.resize(count);
  all.hashes.resize(count);
  all.first.resize(count);
  all.numbers.resize(count);
  for_parts(parts.size(), [&](std::size_t part) {
    std::size_t to = begin[part];
    for (const std::uint32_t i : parts[part]->unknown) {
      all.texts[to] = parts[part]->texts[i];
      all.hashes[to++] = parts[part]->hashes[i];
    }
  });
  for_parts(parts.size(), [&](std::size_t thread) { find_first(all, thread, parts.size()); });
  std::vector<std::size_t> added(parts.size() + 1, 0); // before each part
  for_parts(parts.size(), [&](std::size_t part) {
    for (std::size_t i = begin[part]; i < begin[part + 1]; ++i)
      added[part + 1] += all.first[i] == i ? 1 : 0;
  });
  for (std::size_t part = 0; part < parts.size(); ++part)
    added[part + 1] += added[part];
  const core::word next = symbols.extend(added.back());
  for_parts(parts.size(), [&](std::size_t part) {
    core::word number = next + added[part];
    for (std::size_t i = begin[part]; i < begin[part + 1]; ++i) {
      if (all.first[i] != i)
        continue;
      symbols.put(number, all.texts[i], all.hashes[i]);
      all.numbers[i] = number++;
    }
  });
  for_parts(parts.size(), [&](std::size_t part) {
    std::size_t from = begin[part];
    for (const std::uint32_t i : parts[part]->unknown)
      parts[part]->numbers[i] = all.numbers[all.first[from++]];
  });
}

} // namespace ikra::datalog::io
