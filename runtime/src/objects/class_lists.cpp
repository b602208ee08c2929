// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "class_lists.hpp"

#include "support/parallel.hpp"

#include <algorithm>

namespace ikra::rt {

namespace {

constexpr std::size_t list_grain = std::size_t(1) << 15U; // elements
constexpr std::size_t warp = 32;

/// Null has the first list, and each class the next one.
std::size_t list_of(std::uint16_t code) {
  return code == reference_ops::null_code ? 0 : code + std::size_t(1);
}

unsigned class_of_list(std::size_t list) {
  return list == 0 ? class_list::of_null : static_cast<unsigned>(list - 1);
}

/// The parts of lists that each round has.
void add_parts(std::span<const std::uint16_t> codes, std::size_t lists,
               const element_rounds& rounds, class_lists& all) {
  std::vector<std::uint64_t> next(lists, 0);
  for (const class_list& each : all.lists)
    next[each.class_index == class_list::of_null ? 0 : each.class_index + std::size_t(1)] =
        each.first_thread;
  std::vector<std::uint32_t> counts(lists, 0);
  std::vector<std::size_t> met; // lists: a round may have few of them
  std::size_t begin = 0;
  for (const std::size_t end : rounds.ends) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t list = list_of(codes[rounds.places[i]]);
      if (counts[list]++ == 0)
        met.push_back(list);
    }
    std::ranges::sort(met);
    for (const std::size_t list : met) {
      all.parts.push_back({class_of_list(list), counts[list], next[list]});
      next[list] += counts[list];
      counts[list] = 0;
    }
    all.rounds.push_back(all.parts.size());
    met.clear();
    begin = end;
  }
}

} // namespace

class_lists lists_by_class(std::span<const std::uint16_t> codes, std::size_t classes,
                           const element_rounds& rounds) {
  const std::size_t size = codes.size(), lists = classes + 1;
  const bool in_order = rounds.places.empty();
  const auto element = [&](std::size_t i) { return in_order ? i : rounds.places[i]; };
  std::vector<std::vector<std::size_t>> next(chunk_count(size, list_grain),
                                             std::vector<std::size_t>(lists, 0));
  for_chunks(size, next.size(), [&](std::size_t chunk, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      ++next[chunk][list_of(codes[element(i)])];
  });

  // Counts become the threads from which on a chunk's elements are.
  class_lists all;
  for (std::size_t list = 0; list < lists; ++list) {
    const bool follows_nulls =
        !all.lists.empty() && all.lists.back().class_index == class_list::of_null;
    const std::size_t first = follows_nulls ? all.threads : (all.threads + warp - 1) / warp * warp;
    std::size_t end = first;
    for (std::vector<std::size_t>& chunk : next) {
      const std::size_t n = chunk[list];
      chunk[list] = end;
      end += n;
    }
    if (end == first)
      continue;
    all.lists.push_back({class_of_list(list), end - first, first});
    all.threads = end;
  }
  if (in_order && all.lists.size() <= 1) // threads are elements
    return all;

  all.places.resize(all.threads, 0);
  for_chunks(size, next.size(), [&](std::size_t chunk, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      all.places[next[chunk][list_of(codes[element(i)])]++] = element(i);
  });
  add_parts(codes, lists, rounds, all);
  return all;
}

} // namespace ikra::rt
