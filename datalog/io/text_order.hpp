// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Symbols in the order of their bytes. Names of a program begin alike, so comparing texts reads the
// same bytes again and again, wherever they are in memory. Here eight bytes stand beside each
// symbol: those after the bytes that all symbols begin with. They are sorted as numbers, and those
// with the same eight bytes once more, by the bytes after those that they begin with. So each text
// is read a few times. Private to this folder.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "datalog/frontend/domain.hpp"
#include "datalog/io/parallel.hpp"

namespace ikra::datalog::io {

/// A symbol beside bytes of its text.
struct ordered_symbol {
  core::word value;
  std::uint64_t bytes;
};

class text_order {
public:
  explicit text_order(const symbol_table& symbols) : symbols_(symbols) {}

  /// Sorts different symbols, on all cores.
  void sort(std::vector<ordered_symbol>& items) const { sort(items, {0, 0}, true); }

private:
  static constexpr std::size_t fewest = 1U << 14; ///< symbols that are worth a thread
  static constexpr std::size_t few = 8;           ///< symbols that are compared as they are
  static constexpr std::size_t at_once = sizeof(std::uint64_t);
  static constexpr unsigned most_rounds = 100; ///< then texts are compared: the stack is bounded

  struct progress {
    std::size_t equal; ///< bytes that all of them are known to begin with
    unsigned rounds;
  };

  const std::string& text(const ordered_symbol& item) const { return symbols_.text(item.value); }

  /// Eight bytes of a text, the first one in the upper bits; 0 after its end.
  static std::uint64_t bytes_of(const std::string& text, std::size_t from) {
    std::uint64_t bytes = 0;
    for (std::size_t i = from; i < from + at_once; ++i)
      bytes = bytes << 8U | (i < text.size() ? static_cast<unsigned char>(text[i]) : 0U);
    return bytes;
  }

  /// How many bytes both begin with, at least `from` and at most `most`.
  static std::size_t common_bytes(const std::string& a, const std::string& b, std::size_t from,
                                  std::size_t most) {
    most = std::min({most, a.size(), b.size()});
    while (from < most && a[from] == b[from])
      ++from;
    return from;
  }

  void compare(std::span<ordered_symbol> items) const {
    std::sort(items.begin(), items.end(),
              [this](const auto& a, const auto& b) { return text(a) < text(b); });
  }

  void sort(std::span<ordered_symbol> items, progress now, bool on_all_cores) const {
    if (items.size() <= few || now.rounds == most_rounds)
      return compare(items);
    const std::size_t parts = on_all_cores ? threads_for(items.size(), fewest) : 1;
    const std::size_t common = set_bytes(items, now.equal, parts);
    const auto less = [](const ordered_symbol& a, const ordered_symbol& b) {
      return a.bytes < b.bytes;
    };
    if (parts > 1) {
      std::vector<ordered_symbol> sorted(items.begin(), items.end());
      sort_items(sorted, less);
      std::copy(sorted.begin(), sorted.end(), items.begin());
    } else {
      std::sort(items.begin(), items.end(), less);
    }
    sort_equal(items, {common + at_once, now.rounds + 1}, parts);
  }

  /// \returns how many bytes all of them begin with
  std::size_t set_bytes(std::span<ordered_symbol> items, std::size_t from,
                        std::size_t parts) const {
    const std::string& first = text(items[0]);
    std::vector<std::size_t> common(parts, first.size());
    for_ranges(items.size(), parts, [&](std::size_t part, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        common[part] = common_bytes(first, text(items[i]), from, common[part]);
    });
    const std::size_t all = *std::min_element(common.begin(), common.end());
    for_ranges(items.size(), parts, [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        items[i].bytes = bytes_of(text(items[i]), all);
    });
    return all;
  }

  /// Sorts those with the same bytes: a few of them by one thread, many on all cores.
  void sort_equal(std::span<ordered_symbol> items, progress now, std::size_t parts) const {
    using group = std::span<ordered_symbol>;
    std::vector<std::vector<group>> groups(parts); // that begin in a part
    for_ranges(items.size(), parts, [&](std::size_t part, std::size_t begin, std::size_t end) {
      const auto follows = [&](std::size_t i) {
        return i > 0 && i < items.size() && items[i].bytes == items[i - 1].bytes;
      };
      while (begin < end && follows(begin))
        ++begin;
      for (std::size_t next = begin; begin < end; begin = next) {
        while (follows(++next)) {
        }
        if (next - begin > 1)
          groups[part].push_back(items.subspan(begin, next - begin));
      }
    });
    const auto is_large = [&](group equal) { return parts > 1 && equal.size() > fewest; };
    for_parts(parts, [&](std::size_t part) {
      for (const group equal : groups[part])
        if (!is_large(equal))
          sort_rest(equal, now, false);
    });
    for (const std::vector<group>& of_part : groups)
      for (const group equal : of_part)
        if (is_large(equal))
          sort_rest(equal, now, true);
  }

  /// Where a text ends within its eight bytes, zeros follow, as they may stand in another one.
  void sort_rest(std::span<ordered_symbol> equal, progress now, bool on_all_cores) const {
    const bool ended = std::any_of(equal.begin(), equal.end(), [&](const ordered_symbol& item) {
      return text(item).size() < now.equal;
    });
    if (ended)
      compare(equal);
    else
      sort(equal, now, on_all_cores);
  }

  const symbol_table& symbols_;
};

} // namespace ikra::datalog::io
