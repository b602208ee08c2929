// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order in which rows that need each other are computed, and the turning of blocks of bits.
#include "datalog/engine/bits/dense_blocks.hpp"
#include "datalog/engine/bits/scc_order.hpp"

#include <catch2/catch.hpp>

#include <random>

using namespace ikra::datalog;

namespace {

/// What rows need, as lists.
struct needs {
  std::vector<u64> offsets{0};
  std::vector<u32> columns;
  explicit needs(const std::vector<std::vector<u32>>& rows) {
    for (const std::vector<u32>& row : rows) {
      columns.insert(columns.end(), row.begin(), row.end());
      offsets.push_back(columns.size());
    }
  }
  sparse_rows view() const { return {offsets.data(), columns.data()}; }
};

row_order order(const std::vector<std::vector<u32>>& rows, const std::vector<u8>& starts) {
  return *order_rows(static_cast<u32>(rows.size()), {needs(rows).view()}, false, starts);
}

} // namespace

TEST_CASE("rows come after those that they need, rows on cycles together") {
  // 0 <- 1 <- 2 <-> 3 <- 4, and 5 needs itself and 4; 6 and 7 have nothing to start from.
  const row_order made =
      order({{}, {0}, {1, 3}, {2}, {3}, {5, 4}, {7}, {}}, {1, 0, 0, 0, 0, 0, 0, 0});
  REQUIRE(made.rows == std::vector<u32>{0, 1, 2, 3, 4, 5});
  REQUIRE(made.stages.size() == 2);
  REQUIRE(made.stages[0].cyclic == 2);
  REQUIRE(made.stages[0].end == 4);
  REQUIRE(made.stages[1].cyclic == 5);
  REQUIRE(made.stages[1].end == 6);
  REQUIRE(made.most_cyclic == 2);
  REQUIRE(made.levels == std::vector<u64>{1, 2, 4, 5, 6});
}

TEST_CASE("where rows need themselves, all are on cycles") {
  const needs none({{}, {}, {}});
  const row_order made = *order_rows(3, {none.view()}, true, {1, 0, 1});
  REQUIRE(made.rows == std::vector<u32>{0, 2});
  REQUIRE(made.most_cyclic == 2);
}

TEST_CASE("without cycles, rows come by their levels, and orders that are too narrow are none") {
  // 0 <- 1 <- 3, 0 <- 2 <- 3 <- 4; 5 has nothing to start from, and 6 needs it alone.
  const needs all({{}, {0}, {0}, {1, 2}, {3, 5}, {}, {5}});
  const std::vector<u8> starts{1, 0, 0, 0, 0, 0, 0};
  const row_order made = *order_rows(7, {all.view()}, false, starts, 1);
  REQUIRE(made.rows == std::vector<u32>{0, 1, 2, 3, 4});
  REQUIRE(made.levels == std::vector<u64>{1, 3, 4, 5});
  REQUIRE(made.stages.size() == 1);
  REQUIRE(made.stages[0].cyclic == 5);
  REQUIRE(made.stages[0].end == 5);
  REQUIRE(made.most_cyclic == 0);
  REQUIRE(!order_rows(7, {all.view()}, false, starts, 2));
  REQUIRE(!order_rows(7, {all.view()}, false, starts, 7));
  // On cycles no row counts.
  const needs round({{1}, {0}});
  REQUIRE(!order_rows(2, {round.view()}, false, {1, 0}, 1));
  REQUIRE(order_rows(2, {round.view()}, false, {1, 0}, 0));
  REQUIRE(order_rows(2, {needs({{}, {}}).view()}, false, {0, 0}, 0)->rows.empty());
}

TEST_CASE("random orders keep to what is needed") {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    const u32 n = 1 + static_cast<u32>(random() % 60), count = static_cast<u32>(random() % 120);
    std::vector<std::vector<u32>> first(n), second(n);
    for (u32 i = 0; i < count; ++i) {
      u32 row = static_cast<u32>(random() % n), other = static_cast<u32>(random() % n);
      if (seed >= 100 && row <= other) { // without cycles
        if (row == other)
          continue;
        std::swap(row, other);
      }
      (random() % 2 == 0 ? first : second)[row].push_back(other);
    }
    std::vector<u8> starts(n);
    for (u8& s : starts)
      s = random() % 4 == 0 ? 1 : 0;
    const needs a(first), b(second);
    const row_order made = *order_rows(n, {a.view(), b.view()}, false, starts);
    REQUIRE((seed < 100 || made.most_cyclic == 0));
    // Which rows can have tuples, by going on until nothing changes.
    std::vector<u8> filled = starts;
    for (bool more = true; more;) {
      more = false;
      for (u32 r = 0; r < n; ++r)
        for (const auto* rows : {&first, &second})
          for (const u32 other : (*rows)[r])
            if (filled[other] != 0 && filled[r] == 0) {
              filled[r] = 1;
              more = true;
            }
    }
    std::vector<u64> place(n, ~u64(0));
    for (u64 p = 0; p < made.rows.size(); ++p)
      place[made.rows[p]] = p;
    for (u32 r = 0; r < n; ++r)
      REQUIRE((place[r] != ~u64(0)) == (filled[r] != 0));
    REQUIRE((made.rows.empty() || made.levels.back() == made.rows.size()));
    for (const row_stage& stage : made.stages)
      for (u64 p = stage.begin; p < stage.end; ++p)
        for (const auto* rows : {&first, &second})
          for (const u32 other : (*rows)[made.rows[p]]) {
            if (filled[other] == 0)
              continue;
            if (p < stage.cyclic) {
              // Of an earlier part, since those of one part are computed together.
              const auto end = std::upper_bound(made.levels.begin(), made.levels.end(), p);
              REQUIRE(place[other] < (end == made.levels.begin() ? 0 : *(end - 1)));
            } else {
              REQUIRE(place[other] < stage.end);
            }
          }
  }
}

TEST_CASE("a block of bits is turned") {
  std::mt19937_64 random(1);
  u64 block[block_rows], turned[block_rows];
  for (u64& word : block)
    word = random();
  std::copy(block, block + block_rows, turned);
  turn_block(turned);
  for (unsigned r = 0; r < block_rows; ++r)
    for (unsigned c = 0; c < block_rows; ++c)
      REQUIRE(((block[r] >> c) & 1) == ((turned[c] >> r) & 1));
}
