// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The choice of indices: every search is a prefix of an order, and there are as few orders as
// possible.
#include "datalog/plan/index_choice.hpp"
#include "datalog/plan/layout.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>

using namespace ikra::datalog;

namespace {

bool strictly_within(column_set a, column_set b) { return a != b && (a & b) == a; }

/// The largest set of searches none of which is within another: as many orders are needed.
std::size_t largest_antichain(const std::vector<column_set>& searches) {
  std::size_t best = 0;
  for (std::uint32_t chosen = 0; chosen < (std::uint32_t(1) << searches.size()); ++chosen) {
    std::size_t size = 0;
    bool antichain = true;
    for (std::size_t i = 0; i < searches.size(); ++i) {
      if (((chosen >> i) & 1) == 0)
        continue;
      ++size;
      for (std::size_t k = 0; k < searches.size(); ++k)
        antichain =
            antichain && (((chosen >> k) & 1) == 0 || !strictly_within(searches[i], searches[k]));
    }
    if (antichain)
      best = std::max(best, size);
  }
  return best;
}

} // namespace

TEST_CASE("a relation that nothing searches has one index in the natural order") {
  const auto orders = choose_orders({}, 3);
  REQUIRE(orders == std::vector<std::vector<std::uint8_t>>{{0, 1, 2}});
}

TEST_CASE("searches within each other share an index") {
  const auto orders = choose_orders({0b001, 0b011, 0b111, 0b100}, 3);
  REQUIRE(orders.size() == 2);
}

TEST_CASE("orders are as few as searches demand and serve all of them") {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    const std::size_t columns = 1 + random() % 5;
    std::vector<column_set> searches;
    for (std::size_t n = random() % 8; n > 0; --n)
      searches.push_back(1 + static_cast<column_set>(random()) % ((1u << columns) - 1));
    std::sort(searches.begin(), searches.end());
    searches.erase(std::unique(searches.begin(), searches.end()), searches.end());
    const auto orders = choose_orders(searches, columns);
    REQUIRE(orders.size() == std::max<std::size_t>(1, largest_antichain(searches)));
    for (const column_set search : searches)
      REQUIRE(std::any_of(orders.begin(), orders.end(),
                          [&](const auto& order) { return is_prefix(search, order); }));
    for (auto order : orders) {
      std::sort(order.begin(), order.end());
      REQUIRE(order == identity_order(columns));
    }
  }
}

TEST_CASE("words of packed tuples compare as columns do") {
  const plan::type narrow{plan::kind::number, 32}, wide{plan::kind::number, 64};
  const std::vector<plan::type> types{narrow, wide, narrow, narrow};
  const std::vector<u8> order{2, 0, 1, 3};
  const layout packed(types, order);
  REQUIRE(packed.words == 3);
  REQUIRE(packed.fields[2].word == 0);
  REQUIRE(packed.fields[2].shift == 32);
  REQUIRE(packed.fields[0].word == 0);
  REQUIRE(packed.fields[0].shift == 0);
  REQUIRE(packed.fields[1].word == 1);
  REQUIRE(packed.fields[3].word == 2);
  REQUIRE(packed.fields[3].shift == 32);
  REQUIRE(packed.prefix_mask(1, 0) == 0xffffffff00000000u);
  REQUIRE(packed.prefix_mask(2, 0) == ~u64(0));
  REQUIRE(packed.prefix_mask(2, 1) == 0);
}
