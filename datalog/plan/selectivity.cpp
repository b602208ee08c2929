// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The number of different values in a relation is estimated from a sample by Chao's formula (A.
// Chao, Nonparametric Estimation of the Number of Classes in a Population, 1984).
#include "datalog/plan/selectivity.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

namespace ikra::datalog {

namespace {

/// The finaliser of splitmix64.
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

} // namespace

double guessed_matches(std::uint64_t tuples, column_set known, std::size_t columns) {
  const auto of = static_cast<double>(std::max<std::size_t>(columns, 1));
  return std::pow(static_cast<double>(std::max<std::uint64_t>(tuples, 2)),
                  1.0 - static_cast<double>(std::popcount(known)) / of);
}

tuple_sample::tuple_sample(std::vector<std::uint64_t> values, std::size_t columns,
                           std::uint64_t population)
    : values_(std::move(values)), columns_(columns),
      rows_(columns == 0 ? 0 : values_.size() / columns), population_(population) {}

double tuple_sample::matches(column_set known) {
  const auto all = static_cast<double>(population_);
  if (known == 0 || rows_ == 0)
    return all;
  const auto [found, is_new] = matches_.try_emplace(known, 0);
  if (is_new)
    found->second = all / different(known);
  return found->second;
}

double tuple_sample::different(column_set known) const {
  // Hashes stand for values: that two of a few thousand agree does not matter to an estimate.
  struct entry {
    std::uint32_t hash, times;
  };
  const std::size_t mask = std::bit_ceil(2 * rows_) - 1;
  std::vector<entry> table(mask + 1, entry{0, 0});
  for (std::size_t row = 0; row < rows_; ++row) {
    std::uint64_t all = 0;
    for (std::size_t c = 0; c < columns_; ++c)
      if (((known >> c) & 1) != 0)
        all = mixed(all + values_[row * columns_ + c] + 0x9e3779b97f4a7c15u);
    const auto hash = static_cast<std::uint32_t>(all >> 32);
    std::size_t at = all & mask;
    while (table[at].times != 0 && table[at].hash != hash)
      at = (at + 1) & mask;
    table[at].hash = hash;
    ++table[at].times;
  }
  double seen = 0, once = 0, twice = 0;
  for (const entry& e : table) {
    seen += e.times != 0 ? 1 : 0;
    once += e.times == 1 ? 1 : 0;
    twice += e.times == 2 ? 1 : 0;
  }
  if (rows_ == population_)
    return seen;
  return std::min(seen + once * (once - 1) / (2 * (twice + 1)), static_cast<double>(population_));
}

std::vector<std::uint64_t> sampled_rows(std::uint64_t population) {
  std::vector<std::uint64_t> rows(std::min(population, tuple_sample::most));
  if (rows.size() == population) {
    std::iota(rows.begin(), rows.end(), std::uint64_t(0));
    return rows;
  }
  // Not every n-th: in sorted runs these would nearly all differ. The numbers are sorted once.
  static const std::vector<std::uint64_t> numbers = [] {
    std::vector<std::uint64_t> made(tuple_sample::most);
    for (std::size_t i = 0; i < made.size(); ++i)
      made[i] = mixed((i + 1) * 0x9e3779b97f4a7c15u);
    std::sort(made.begin(), made.end());
    return made;
  }();
  __extension__ using wide = unsigned __int128;
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i] = static_cast<std::uint64_t>((wide(numbers[i]) * population) >> 64);
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

} // namespace ikra::datalog
