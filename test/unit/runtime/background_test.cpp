// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// array::start() on all cores: trees overlap, and whoever needs a part of one waits for it. On a
// GPU the same calls queue work.
#include "value_sections.hpp"

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <thread>

namespace ikra_unit_values {

std::atomic<int> arrived = 0;

/// Waits until two sections are here at once; gives up after a while.
struct meet {
  int operator()(int x) const {
    ++arrived;
    for (int i = 0; i < 2000 && arrived < 2; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return arrived < 2 ? -1 : x + 1;
  }
};
std::mutex threads_mutex;
std::set<std::uint64_t>
    threads_met; ///< one for each thread that was there, also where one has ended
struct note_thread {
  int operator()(int x) const {
    static std::atomic<std::uint64_t> threads = 0;
    static thread_local const std::uint64_t id = ++threads;
    const std::lock_guard lock(threads_mutex);
    threads_met.insert(id);
    return x;
  }
};
struct slowly_double {
  int operator()(int x) const {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return 2 * x;
  }
};
struct add_ints {
  int operator()(int a, int b) const { return a + b; }
};
struct outside {
  int operator()(int) const { throw ikra::error(ikra::error_kind::failed_check, "not today"); }
};

} // namespace ikra_unit_values

using namespace ikra_unit_values;

TEST_CASE("two trees that were started run at once, and the program beside them") {
  arrived = 0;
  const auto a = ikra::array(std::vector<int>{1}).pmap(combine_section<int, meet, int>());
  const auto b = ikra::array(std::vector<int>{5}).pmap(combine_section<int, meet, int>());
  a.start();
  b.start();
  CHECK(a[0] == 2);
  CHECK(b[0] == 6);
  CHECK(a.ready());

  // The calling thread computes the other one.
  arrived = 0;
  const auto c = ikra::array(std::vector<int>{1}).pmap(combine_section<int, meet, int>());
  const auto d = ikra::array(std::vector<int>{5}).pmap(combine_section<int, meet, int>());
  c.start();
  CHECK(d[0] == 6);
  CHECK(c[0] == 2);
}

TEST_CASE("started arrays have few threads, one after the other") {
  threads_met.clear();
  for (int i = 0; i < 50; ++i) {
    const auto a = ikra::array(std::vector<int>{i}).pmap(combine_section<int, note_thread, int>());
    a.start();
    REQUIRE(a[0] == i);
  }
  CHECK(threads_met.size() <= 5); // those that are kept, and this one
}

TEST_CASE("what is being computed is waited for, by reads, views, trees and other works") {
  const auto base = ikra::array(counted<int>(100)).pmap(combine_section<int, slowly_double, int>());
  const auto view = base.slice(10, 20);
  base.start();
  const auto later = base.pmap(combine_section<int, slowly_double, int>());
  later.start(); // after base
  const auto view_of_view = view.slice(1, 3);
  const auto sum = base.pcombine(later, combine_section<int, add_ints, int, int>());
  CHECK(sum[99] == 6 * 99);
  CHECK(view_of_view[0] == 22);
  CHECK(later[50] == 200);
  while (!base.ready())
    std::this_thread::yield();
  CHECK(base[1] == 2);
}

TEST_CASE("a started array may be dropped, and an error waits for whoever asks") {
  for (int i = 0; i < 20; ++i)
    ikra::array(counted<int>(5)).pmap(combine_section<int, slowly_double, int>()).start();
  const auto failing = ikra::array(std::vector<int>{1}).pmap(combine_section<int, outside, int>());
  const auto after = failing.pmap(combine_section<int, slowly_double, int>());
  after.start();
  while (!after.ready())
    std::this_thread::yield();
  CHECK_THROWS_WITH(after.wait(), Catch::Contains("not today"));
  CHECK_THROWS_WITH(failing[0], Catch::Contains("not today"));
}

TEST_CASE("limits of memory are numbers of bytes with a unit") {
  CHECK(rt::parse_memory_limit("8G") == std::size_t(8) << 30);
  CHECK(rt::parse_memory_limit("512M") == std::size_t(512) << 20);
  CHECK(rt::parse_memory_limit("1000") == 1000);
  for (const char* text : {"", "G", "8GB", "-1", "0", "1.5G", "99999999999T"})
    CHECK_THROWS_WITH(rt::parse_memory_limit(text), Catch::Contains("set it to a number of bytes"));
}
