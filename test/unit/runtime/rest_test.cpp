// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When the columns of a scope are left on all cores: by times that are given, since none is taken
// here.
#include "objects/rest.hpp"

#include <catch2/catch.hpp>

using ikra::rt::time_in_columns;
using ikra::rt::time_in_place;

namespace {

constexpr ikra::rt::section_info first{"first", "rest_test", 1, 1, {}};
constexpr ikra::rt::section_info other{"other", "rest_test", 2, 1, {}};
constexpr double worth = 0.01;

} // namespace

TEST_CASE("columns are lost once they took longer than tracing them anew would") {
  time_in_columns times;
  for (int k = 0; k < 9; ++k) {
    times.add(0.003, 0.002);
    CHECK_FALSE(times.is_lost(worth));
  }
  times.add_call(0.002);
  CHECK(times.is_lost(worth));
  CHECK_FALSE(times.is_lost(2 * worth));
}

TEST_CASE("columns that save time are kept, though the host's calls cost some") {
  time_in_columns times;
  for (int k = 0; k < 1000; ++k) {
    times.add(0.001, 0.003);
    times.add_call(0.0015);
  }
  CHECK_FALSE(times.is_lost(worth));
  // What they saved long ago does not count for ever.
  int sections = 0;
  while (!times.is_lost(worth) && sections < 1000) {
    times.add(0.003, 0.002);
    ++sections;
  }
  CHECK(sections < 100);
}

TEST_CASE("columns are kept where a section was never seen without") {
  time_in_columns times;
  times.add(1, std::nullopt);
  times.add(1, 0.1);
  CHECK_FALSE(times.is_lost(worth));
}

TEST_CASE("a section that was held up does not tell of columns") {
  time_in_columns times;
  times.add(100, 0.0001);
  CHECK_FALSE(times.is_lost(worth));
}

TEST_CASE("what a section traces counts as far as tracing once took") {
  time_in_columns times;
  times.add(0.8 * worth, 0.0001, worth);
  CHECK_FALSE(times.is_lost(worth));
  times.add(0.8 * worth, 0.0001, worth);
  CHECK(times.is_lost(worth));
  time_in_columns held_up;
  held_up.add(100, 0.0001, worth);
  CHECK_FALSE(held_up.is_lost(3 * worth));
}

TEST_CASE("a scope that left its columns rests longer each time") {
  time_in_columns times;
  CHECK(times.patience() == 1);
  times.add(1, 0.1);
  REQUIRE(times.is_lost(worth));
  times.leave();
  CHECK_FALSE(times.is_lost(worth));
  const double longer = times.patience();
  CHECK(longer > 1);
  times.add(1.3 * worth, 0.2 * worth);
  CHECK_FALSE(times.is_lost(worth)); // nor is it traced again and again
  times.add_call(longer * worth);
  CHECK(times.is_lost(worth));
  times.leave();
  CHECK(times.patience() > longer);
}

TEST_CASE("what a section took for an element on the objects as they are is known") {
  time_in_place times;
  CHECK_FALSE(times.of_element(first).has_value());
  times.add(first, 0.001, 1000, worth, 1);
  times.add(other, 0.004, 1000, worth, 1);
  CHECK(times.of_element(first).value() == Approx(1e-6));
  CHECK(times.of_element(other).value() == Approx(4e-6));
  times.add(first, 0.5, 1000, worth, 1); // held up
  CHECK(times.of_element(first).value() == Approx(1e-6).epsilon(0.02));
  times.clear();
  CHECK_FALSE(times.of_element(first).has_value());
}
