// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pool behind the host's device: what is used again, how much is kept, and what happens when
// there is no memory.
#include "devices/host_pool.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <cstring>
#include <limits>
#include <set>
#include <thread>
#include <vector>

namespace rt = ikra::rt;

namespace {

constexpr std::size_t mebi = std::size_t(1) << 20;

bool is_aligned(const void* memory, std::size_t to) {
  return reinterpret_cast<std::uintptr_t>(memory) % to == 0;
}

} // namespace

TEST_CASE("a block that was given back is used again", "[host_pool]") {
  rt::host_pool pool;
  void* const first = pool.allocate(3 * mebi);
  std::memset(first, 1, 3 * mebi);
  CHECK(pool.kept() == 0);
  CHECK(pool.in_use() >= 3 * mebi);
  pool.deallocate(first);
  CHECK(pool.in_use() == 0);
  CHECK(pool.kept() >= 3 * mebi);

  SECTION("for as many bytes") {
    void* const again = pool.allocate(3 * mebi);
    CHECK(again == first);
    CHECK(pool.kept() == 0);
    pool.deallocate(again);
  }
  SECTION("for somewhat fewer") {
    void* const again = pool.allocate(2 * mebi);
    CHECK(again == first);
    std::memset(again, 2, 2 * mebi);
    pool.deallocate(again);
    // and then for as many as before
    void* const whole = pool.allocate(3 * mebi);
    CHECK(whole == first);
    std::memset(whole, 3, 3 * mebi);
    pool.deallocate(whole);
  }
  SECTION("not for far fewer") {
    void* const small = pool.allocate(mebi / 2);
    CHECK(small != first);
    pool.deallocate(small);
  }
  SECTION("not for more") {
    void* const large = pool.allocate(5 * mebi);
    CHECK(large != first);
    std::memset(large, 4, 5 * mebi);
    pool.deallocate(large);
  }
  SECTION("unless it was trimmed") {
    pool.trim();
    CHECK(pool.kept() == 0);
  }
}

TEST_CASE("the smallest block that fits is taken", "[host_pool]") {
  rt::host_pool pool;
  void* const large = pool.allocate(3 * mebi);
  void* const small = pool.allocate(2 * mebi);
  pool.deallocate(small);
  pool.deallocate(large);
  CHECK(pool.allocate(2 * mebi) == small);
  CHECK(pool.allocate(2 * mebi) == large);
  pool.deallocate(small);
  pool.deallocate(large);
}

TEST_CASE("blocks are apart and aligned", "[host_pool]") {
  rt::host_pool pool;
  const std::size_t sizes[] = {1,
                               100,
                               rt::host_pool::smallest - 1,
                               rt::host_pool::smallest,
                               mebi + 1,
                               rt::host_pool::huge_from - 1,
                               rt::host_pool::huge_from,
                               9 * mebi + 5};
  std::vector<unsigned char*> blocks;
  for (const std::size_t size : sizes) {
    auto* const block = static_cast<unsigned char*>(pool.allocate(size));
    REQUIRE(block != nullptr);
    CHECK(is_aligned(block, rt::host_pool::alignment));
    std::memset(block, static_cast<int>(blocks.size()), size);
    blocks.push_back(block);
  }
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    CHECK(blocks[i][0] == i);
    CHECK(blocks[i][sizes[i] - 1] == i);
    pool.deallocate(blocks[i]);
  }
  CHECK(pool.in_use() == 0);
}

TEST_CASE("large blocks begin at different places of their pages", "[host_pool]") {
  rt::host_pool pool;
  constexpr std::size_t large = 3 * mebi;
  std::set<std::uintptr_t> places;
  std::vector<void*> blocks;
  for (int k = 0; k < 16; ++k) {
    blocks.push_back(pool.allocate(large));
    std::memset(blocks.back(), k, large);
    places.insert(reinterpret_cast<std::uintptr_t>(blocks.back()) % 4096);
  }
  CHECK(places.size() == 16);
  for (int k = 0; k < 16; ++k) {
    CHECK(static_cast<unsigned char*>(blocks[static_cast<std::size_t>(k)])[large - 1] == k);
    pool.deallocate(blocks[static_cast<std::size_t>(k)]);
  }
}

TEST_CASE("no more is kept than was in use at once", "[host_pool]") {
  const std::size_t floor = 4 * mebi;
  rt::host_pool pool(floor);

  SECTION("blocks of sizes that do not fit make way for each other") {
    for (const std::size_t size : {16 * mebi, 4 * mebi, mebi, 16 * mebi, 6 * mebi, mebi}) {
      void* const block = pool.allocate(size);
      REQUIRE(block != nullptr);
      CHECK(pool.in_use() + pool.kept() <= 16 * mebi);
      pool.deallocate(block);
    }
  }
  SECTION("the oldest first") {
    void* const first = pool.allocate(4 * mebi);
    void* const second = pool.allocate(8 * mebi);
    pool.deallocate(first);
    pool.deallocate(second);
    void* const large = pool.allocate(2 * mebi - 1); // fits neither, has room beside one of them
    CHECK(pool.kept() == 8 * mebi);
    CHECK(pool.allocate(8 * mebi) == second);
    pool.deallocate(second);
    pool.deallocate(large);
  }
  SECTION("but for a floor") {
    for (const std::size_t size : {2 * mebi, mebi / 2, mebi / 8}) { // none fits another
      void* const block = pool.allocate(size);
      REQUIRE(block != nullptr);
      pool.deallocate(block);
    }
    CHECK(pool.kept() == 21 * (mebi / 8));
  }
}

TEST_CASE("no memory is told by null, after what was kept went back", "[host_pool]") {
  rt::host_pool pool;
  void* const block = pool.allocate(8 * mebi);
  pool.deallocate(block);
  CHECK(pool.allocate(std::numeric_limits<std::size_t>::max()) == nullptr);
  CHECK(pool.kept() != 0); // nothing that could be given back would have sufficed
  CHECK(pool.allocate(std::size_t(1) << 60) == nullptr);
  CHECK(pool.kept() == 0);
  CHECK(pool.in_use() == 0);
  void* const again = pool.allocate(8 * mebi);
  REQUIRE(again != nullptr);
  std::memset(again, 1, 8 * mebi);
  pool.deallocate(again);
}

TEST_CASE("threads share a pool", "[host_pool]") {
  rt::host_pool pool;
  constexpr int threads = 4, rounds = 200;
  std::vector<int> wrong(threads, 0);
  {
    std::vector<std::jthread> workers;
    for (int t = 0; t < threads; ++t)
      workers.emplace_back([&pool, &wrong, t] {
        const std::size_t size = rt::host_pool::smallest * static_cast<std::size_t>(1 + t % 2);
        for (int i = 0; i < rounds; ++i) {
          auto* const mine = static_cast<unsigned char*>(pool.allocate(size));
          std::memset(mine, t, size);
          for (std::size_t j = 0; j < size; j += 4096)
            if (mine[j] != t)
              ++wrong[static_cast<std::size_t>(t)];
          pool.deallocate(mine);
        }
      });
  }
  CHECK(wrong == std::vector<int>(threads, 0));
  CHECK(pool.in_use() == 0);
}
