// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where some objects are in memory: whether a pointer leads to one of them, or to a part of one,
// can then be told without a look at it.
#pragma once

#include <ikra/macros_aside.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>

namespace ikra::detail {

class object_memory {
public:
  void add(const void* object, std::size_t bytes) {
    auto begin = reinterpret_cast<std::uintptr_t>(object);
    std::uintptr_t end = begin + std::max<std::size_t>(bytes, 1);
    auto next = ranges_.lower_bound(begin);
    if (next != ranges_.begin() && std::prev(next)->second >= begin)
      --next;
    while (next != ranges_.end() && next->first <= end) {
      begin = std::min(begin, next->first);
      end = std::max(end, next->second);
      next = ranges_.erase(next);
    }
    ranges_.emplace(begin, end);
  }
  void add(const object_memory& others) {
    for (const auto& [begin, end] : others.ranges_)
      add(reinterpret_cast<const void*>(begin), end - begin);
  }
  /// Calls use(begin, end) with the addresses of each.
  template <class Use> void each(const Use& use) const {
    for (const auto& [begin, end] : ranges_)
      use(reinterpret_cast<const void*>(begin), reinterpret_cast<const void*>(end));
  }
  bool empty() const { return ranges_.empty(); }
  void clear() { ranges_.clear(); }

  /// \returns whether an object overlaps one of them.
  bool cover(const void* object, std::size_t bytes) const {
    if (ranges_.empty())
      return false;
    const auto begin = reinterpret_cast<std::uintptr_t>(object);
    const auto after = ranges_.lower_bound(begin + bytes);
    return after != ranges_.begin() && std::prev(after)->second > begin;
  }

private:
  std::map<std::uintptr_t, std::uintptr_t> ranges_; ///< disjoint, from their begin to their end
};

} // namespace ikra::detail

#include <ikra/macros_back.hpp>
