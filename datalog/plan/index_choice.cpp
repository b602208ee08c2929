// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// By Dilworth's theorem, through a maximal matching of sets with strict supersets: chains are the
// paths of matched pairs.
#include "datalog/plan/index_choice.hpp"

#include <algorithm>
#include <bit>

namespace ikra::datalog {

namespace {

bool strictly_within(column_set a, column_set b) { return a != b && (a & b) == a; }

/// Kuhn's algorithm: finds an augmenting path from `from`.
bool augment(const std::vector<column_set>& sets, std::size_t from, std::vector<int>& before,
             std::vector<char>& seen) {
  for (std::size_t to = 0; to < sets.size(); ++to) {
    if (!strictly_within(sets[from], sets[to]) || seen[to] != 0)
      continue;
    seen[to] = 1;
    if (before[to] < 0 || augment(sets, static_cast<std::size_t>(before[to]), before, seen)) {
      before[to] = static_cast<int>(from);
      return true;
    }
  }
  return false;
}

void append_columns(std::vector<std::uint8_t>& order, column_set set) {
  for (; set != 0; set &= set - 1)
    order.push_back(static_cast<std::uint8_t>(std::countr_zero(set)));
}

} // namespace

bool is_prefix(column_set set, const std::vector<std::uint8_t>& order) {
  column_set first = 0;
  const auto length = static_cast<std::size_t>(std::popcount(set));
  for (std::size_t i = 0; i < length && i < order.size(); ++i)
    first |= column_set(1) << order[i];
  return first == set;
}

std::vector<std::vector<std::uint8_t>> choose_orders(std::vector<column_set> searches,
                                                     std::size_t columns) {
  std::sort(searches.begin(), searches.end());
  searches.erase(std::unique(searches.begin(), searches.end()), searches.end());
  std::erase(searches, column_set(0));
  const column_set all = columns == 32 ? ~column_set(0) : (column_set(1) << columns) - 1;

  std::vector<int> before(searches.size(), -1);
  for (std::size_t i = 0; i < searches.size(); ++i) {
    std::vector<char> seen(searches.size(), 0);
    augment(searches, i, before, seen);
  }
  std::vector<int> after(searches.size(), -1);
  for (std::size_t i = 0; i < searches.size(); ++i)
    if (before[i] >= 0)
      after[static_cast<std::size_t>(before[i])] = static_cast<int>(i);

  std::vector<std::vector<std::uint8_t>> orders;
  for (std::size_t i = 0; i < searches.size(); ++i) {
    if (before[i] >= 0)
      continue; // not the start of a chain
    std::vector<std::uint8_t> order;
    column_set done = 0;
    for (int at = static_cast<int>(i); at >= 0; at = after[static_cast<std::size_t>(at)]) {
      append_columns(order, searches[static_cast<std::size_t>(at)] & ~done);
      done |= searches[static_cast<std::size_t>(at)];
    }
    append_columns(order, all & ~done);
    orders.push_back(std::move(order));
  }
  if (orders.empty())
    orders.emplace_back();
  if (orders.front().empty())
    append_columns(orders.front(), all);
  std::sort(orders.begin(), orders.end()); // the natural order, if there, is the first
  return orders;
}

} // namespace ikra::datalog
