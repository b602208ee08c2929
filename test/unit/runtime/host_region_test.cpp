// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops of one region of all cores: they give what they give outside of it, with many threads and
// with few, and errors reach the caller.
#include <catch2/catch.hpp>

#include <ikra/generated/launch/launch.hpp>
#include <ikra/generated/launch/launch_reduce.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <vector>

#include <omp.h>

namespace {

struct threads {
  explicit threads(int count) : before(omp_get_max_threads()) { omp_set_num_threads(count); }
  threads(const threads&) = delete;
  threads& operator=(const threads&) = delete;
  ~threads() { omp_set_num_threads(before); }
  int before;
};

constexpr std::uint64_t n = 100'000;

/// Adds one to each element, twenty times; combines them each time.
std::uint64_t turns(std::vector<std::uint64_t>& all) {
  std::uint64_t total = 0;
  for (int turn = 0; turn < 20; ++turn) {
    ikra::rt::host_parts(all.size(), [&](std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t i = begin; i < end; ++i)
        ++all[i];
    });
    total =
        total * 31 + ikra::rt::host_reduce<std::uint64_t>(
                         std::plus<>(), static_cast<const std::uint64_t*>(all.data()), all.size());
  }
  return total;
}

} // namespace

TEST_CASE("loops in a region of all cores give what they give outside", "[host_region]") {
  const threads of(GENERATE(1, 2, 5));
  std::vector<std::uint64_t> within(n), outside(n);
  std::uint64_t total = 0;
  ikra::rt::in_host_region(n, [&] { total = turns(within); });
  CHECK(total == turns(outside));
  CHECK(within == outside);
}

TEST_CASE("regions and loops within loops of a region run", "[host_region]") {
  const threads of(3);
  std::atomic<std::uint64_t> inner{0};
  ikra::rt::in_host_region(n, [&] {
    ikra::rt::in_host_region(n, [&] {
      ikra::rt::host_chunks(7, [&](std::uint64_t) {
        ikra::rt::host_parts(n,
                             [&](std::uint64_t begin, std::uint64_t end) { inner += end - begin; });
      });
    });
  });
  CHECK(inner == 7 * n);
}

TEST_CASE("errors leave a region, and the next one works", "[host_region]") {
  const threads of(3);
  for (int round = 0; round < 3; ++round) {
    std::uint64_t after = 0;
    CHECK_THROWS_AS(ikra::rt::in_host_region(n,
                                             [&] {
                                               ikra::rt::host_parts(
                                                   n, [](std::uint64_t, std::uint64_t end) {
                                                     if (end == n)
                                                       throw std::out_of_range("the last part");
                                                   });
                                               after = 1;
                                             }),
                    std::out_of_range);
    CHECK(after == 0);
    CHECK_THROWS_AS(ikra::rt::in_host_region(n, [] { throw std::logic_error("itself"); }),
                    std::logic_error);
  }
}
