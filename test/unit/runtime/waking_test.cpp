// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether other threads are woken for a section: by times that are given, since none is taken here.
#include "sections/waking.hpp"

#include <catch2/catch.hpp>

using ikra::rt::waking_record;

namespace {

constexpr double short_time = 1e-9, long_time = 3e-9;

/// Runs alone that follow. \param each what they take for an element
int runs_alone(waking_record& record, double each) {
  int runs = 0;
  while (!record.wakes()) {
    ++runs;
    record.alone(each);
  }
  return runs;
}

} // namespace

TEST_CASE("others are woken where they help") {
  waking_record record;
  for (int k = 0; k < 100; ++k) {
    CHECK(record.wakes());
    record.together(short_time, 1.9 * short_time, true);
  }
}

TEST_CASE("others that do not help are asked more and more rarely") {
  waking_record record;
  CHECK(record.wakes());
  record.together(long_time, short_time, true);
  CHECK(runs_alone(record, short_time) == 1);
  for (const int runs : {2, 4, 8, 16, 32, 64, 64}) {
    record.together(long_time, short_time, true);
    CHECK(runs_alone(record, short_time) == runs);
  }
  // They do now.
  record.together(0.5 * short_time, short_time, true);
  CHECK(runs_alone(record, short_time) == 0);
  record.together(long_time, short_time, true);
  CHECK(runs_alone(record, short_time) == 1);
}

TEST_CASE("first elements that took less than others cost one run alone") {
  waking_record record;
  record.together(long_time, short_time, true);
  CHECK(runs_alone(record, 2 * long_time) == 1);
  for (int k = 0; k < 100; ++k) {
    CHECK(record.wakes());
    record.together(long_time, short_time, true);
  }
}

TEST_CASE("elements that have come to take longer are one thread's once") {
  waking_record record;
  record.together(long_time, short_time, true);
  CHECK(runs_alone(record, 2 * long_time) == 1);
  record.together(10 * long_time, short_time, true);
  CHECK(runs_alone(record, 20 * long_time) == 1);
  record.together(10 * long_time, short_time, true);
  CHECK(runs_alone(record, 20 * long_time) == 0);
}

TEST_CASE("long runs are not tried on one thread") {
  waking_record record;
  record.together(long_time, short_time, false);
  CHECK(record.wakes());
}
