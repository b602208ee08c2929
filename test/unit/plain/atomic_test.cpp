// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The atomics return the value before, for all number types, and are atomic between host threads.
#include <ikra/atomic.hpp>

#include <catch2/catch.hpp>

#include <cstdint>
#include <thread>
#include <vector>

TEMPLATE_TEST_CASE("atomics return the value before", "", int, unsigned, std::int64_t,
                   std::uint64_t, std::int8_t, std::uint16_t, float, double) {
  TestType x = 5;
  CHECK(ikra::atomic_add(x, 3) == 5);
  CHECK(x == 8);
  CHECK(ikra::atomic_min(x, 9) == 8);
  CHECK(x == 8);
  CHECK(ikra::atomic_min(x, 2) == 8);
  CHECK(x == 2);
  CHECK(ikra::atomic_max(x, 7) == 2);
  CHECK(x == 7);
  CHECK(ikra::atomic_exchange(x, 1) == 7);
  CHECK(x == 1);
  CHECK(ikra::atomic_compare_exchange(x, 4, 9) == 1);
  CHECK(x == 1);
  CHECK(ikra::atomic_compare_exchange(x, 1, 9) == 1);
  CHECK(x == 9);
}

TEMPLATE_TEST_CASE("differences and bits", "", int, unsigned, std::int64_t, std::uint64_t,
                   std::int8_t, std::uint16_t) {
  TestType x = 12;
  CHECK(ikra::atomic_sub(x, 2) == 12);
  CHECK(ikra::atomic_and(x, 6) == 10);
  CHECK(ikra::atomic_or(x, 5) == 2);
  CHECK(ikra::atomic_xor(x, 3) == 7);
  CHECK(x == 4);
  CHECK(ikra::atomic_sub(x, 5) == 4);
  CHECK(x == static_cast<TestType>(-1));
}

TEST_CASE("exchange works on pointers, enums and bool too") {
  enum class state { idle, busy };
  state s = state::idle;
  CHECK(ikra::atomic_compare_exchange(s, state::idle, state::busy) == state::idle);
  CHECK(s == state::busy);
  int target = 0;
  int* p = nullptr;
  CHECK(ikra::atomic_exchange(p, &target) == nullptr);
  CHECK(p == &target);
  bool flag = false;
  CHECK_FALSE(ikra::atomic_exchange(flag, true));
  CHECK(flag);
}

TEST_CASE("adding from several threads loses nothing") {
  std::vector<std::int64_t> sums(1);
  double total = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 10'000; ++i) {
        ikra::atomic_add(sums[0], i);
        ikra::atomic_add(total, 1);
      }
    });
  for (std::thread& t : threads)
    t.join();
  CHECK(sums[0] == 4LL * 49'995'000);
  CHECK(total == 40'000);
}
