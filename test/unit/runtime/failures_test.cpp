// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that runs out anywhere: for each N, the N-th allocation of a workload fails, on all cores.
// The error is one that a program can catch; data is as before; nothing is leaked; and the next
// call works. A program of its own, since it replaces operator new.
#include "crossing.hpp"
#include "value_sections.hpp"

#include <atomic>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

using namespace ikra_unit_values;

//===-- memory that fails --------------------------------------------------------------------===//

namespace {

std::atomic<long> until_failure{0}; ///< 0: nothing fails
std::atomic<long> blocks_alive{0};
std::atomic<long> blocks_taken{0}; ///< ever

void* allocated(std::size_t bytes, std::size_t alignment) noexcept {
  if (until_failure.load() > 0 && until_failure.fetch_sub(1) == 1)
    return nullptr;
  void* const memory = std::aligned_alloc(
      alignment, (std::max<std::size_t>(bytes, 1) + alignment - 1) / alignment * alignment);
  if (memory != nullptr) {
    blocks_alive.fetch_add(1);
    blocks_taken.fetch_add(1);
  }
  return memory;
}
void* allocated_or_thrown(std::size_t bytes, std::size_t alignment) {
  void* const memory = allocated(bytes, alignment);
  if (memory == nullptr)
    throw std::bad_alloc();
  return memory;
}
void released(void* memory) noexcept {
  if (memory != nullptr)
    blocks_alive.fetch_sub(1);
  std::free(memory);
}

constexpr std::size_t usual = alignof(std::max_align_t);

} // namespace

void* operator new(std::size_t n) { return allocated_or_thrown(n, usual); }
void* operator new[](std::size_t n) { return allocated_or_thrown(n, usual); }
void* operator new(std::size_t n, std::align_val_t a) {
  return allocated_or_thrown(n, static_cast<std::size_t>(a));
}
void* operator new[](std::size_t n, std::align_val_t a) {
  return allocated_or_thrown(n, static_cast<std::size_t>(a));
}
void* operator new(std::size_t n, const std::nothrow_t&) noexcept { return allocated(n, usual); }
void* operator new[](std::size_t n, const std::nothrow_t&) noexcept { return allocated(n, usual); }
void* operator new(std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept {
  return allocated(n, static_cast<std::size_t>(a));
}
void operator delete(void* p) noexcept { released(p); }
void operator delete[](void* p) noexcept { released(p); }
void operator delete(void* p, std::size_t) noexcept { released(p); }
void operator delete[](void* p, std::size_t) noexcept { released(p); }
void operator delete(void* p, std::align_val_t) noexcept { released(p); }
void operator delete[](void* p, std::align_val_t) noexcept { released(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { released(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { released(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { released(p); }
void operator delete(void* p, std::align_val_t, const std::nothrow_t&) noexcept { released(p); }

namespace {

enum class outcome { nothing_failed, recovered, out_of_memory, other };

/// Runs `work` with its n-th allocation failing.
template <class Work> outcome with_failure(long n, const Work& work) {
  outcome result = outcome::nothing_failed;
  until_failure = n;
  try {
    work();
    if (until_failure == 0)
      result = outcome::recovered;
  } catch (const ikra::error& failed) {
    result =
        failed.kind() == ikra::error_kind::out_of_memory ? outcome::out_of_memory : outcome::other;
  } catch (const std::bad_alloc&) {
    result = outcome::out_of_memory;
  }
  until_failure = 0;
  return result;
}

/// The same for each n. \param is_small whether the pool keeps none of the memory \param work
/// returns whether all results are right \param is_intact whether data is as before, or as after
/// the work \param restore makes data as before
template <class Work, class IsIntact, class Restore>
void with_each_failure(bool is_small, const Work& work, const IsIntact& is_intact,
                       const Restore& restore) {
  for (int warm = 0; warm < 3; ++warm) { // what is made once in a process
    REQUIRE(work());
    restore();
  }
  outcome found = outcome::recovered;
  for (long n = 1; found != outcome::nothing_failed; ++n) {
    bool is_right = true;
    const long before = blocks_alive;
    found = with_failure(n, [&] { is_right = work(); });
    const long after = blocks_alive;
    INFO("allocation " << n << " failed");
    CHECK(is_right);
    CHECK(found != outcome::other);
    CHECK(is_intact());
    if (is_small)
      CHECK(after == before);
    restore();
    CHECK(work());
    restore();
    REQUIRE(n < 5000);
  }
}
template <class Work> void with_each_failure(bool is_small, const Work& work) {
  with_each_failure(is_small, work, [] { return true; }, [] {});
}

struct weighted {
  IKRA_HD double operator()(std::int32_t x, std::int32_t y) const { return x * 0.5 + y; }
};
struct is_odd {
  IKRA_HD bool operator()(std::int32_t x) const { return x % 2 != 0; }
};
struct add_longs {
  IKRA_HD std::int64_t operator()(std::int64_t a, std::int64_t b) const { return a + b; }
};
struct greater {
  IKRA_HD bool operator()(std::int32_t a, std::int32_t b) const { return a > b; }
};

/// Few elements are one core's, and nothing of them is kept in the pool; many are all cores'.
constexpr std::size_t few_and_many[] = {700, 40'000};

} // namespace

TEST_CASE("memory runs out in combinations and reductions", "[failures]") {
  for (const std::size_t n : few_and_many) {
    const ikra::array x{counted<std::int32_t>(n)};
    const auto expected = x.pcombine(x, weighted{}).to_vector();
    const auto sum = x.preduce(std::int64_t(7), add_longs{})[0];
    const auto sums = x.reduce_by_index(100, x, std::int64_t(7), add_longs{}).to_vector();
    const auto counts = x.phistogram(100).to_vector();
    with_each_failure(n == few_and_many[0], [&] {
      const auto combined =
          x.pcombine(x, combine_section<double, weighted, std::int32_t, std::int32_t>());
      const auto total =
          x.preduce(std::int64_t(7), reduce_from_section<std::int32_t, std::int64_t, add_longs>());
      const auto by_index = x.reduce_by_index(
          100, x, std::int64_t(7),
          reduce_by_index_section<std::int32_t, std::int32_t, std::int64_t, add_longs>());
      return combined.to_vector() == expected && total[0] == sum && by_index.to_vector() == sums &&
             x.phistogram(100).to_vector() == counts;
    });
  }
}

TEST_CASE("memory runs out in selections, scans and sorts", "[failures]") {
  for (const std::size_t n : few_and_many) {
    const ikra::array x{counted<std::int32_t>(n)};
    const auto selected = x.pselect(is_odd{}).to_vector();
    const auto sorted = x.psort(greater{}).to_vector();
    const auto sums = x.pscan(std::int64_t(0), add_longs{}).to_vector();
    with_each_failure(n == few_and_many[0], [&] {
      return x.pselect(select_section<std::int32_t, is_odd>()).to_vector() == selected &&
             x.psort(sort_section<std::int32_t, greater>()).to_vector() == sorted &&
             x.pscan(std::int64_t(0), scan_from_section<std::int32_t, std::int64_t, add_longs>())
                     .to_vector() == sums;
    });
  }
}

namespace {

constexpr int few_objects = 40;

/// The work moves objects 12 and 8 times: they are as before, between, or after it.
template <class Work> void with_objects(int n, const Work& work) {
  const crossing before(n);
  crossing between(n), after(n);
  between.move(12, Weather::good);
  after.move(20, Weather::good);
  auto mine = std::make_unique<crossing>(n);
  with_each_failure(
      n == few_objects,
      [&] {
        work(*mine);
        return *mine == after;
      },
      [&] { return *mine == before || *mine == between || *mine == after; },
      [&] { mine = std::make_unique<crossing>(n); });
}

} // namespace

TEST_CASE("memory runs out in sections over objects", "[failures]") {
  for (const int n : {few_objects, 5000})
    with_objects(n, [](crossing& c) {
      simulate(c.actors, 12, Weather::good);
      simulate_tick_by_tick(c.actors, 8, Weather::good);
    });
}

TEST_CASE("memory runs out in resident scopes", "[failures]") {
  for (const int n : {few_objects, 5000})
    with_objects(n, [](crossing& c) {
      ikra::resident scope{c.actors};
      simulate(c.actors, 12, Weather::good);
      simulate(c.actors, 8, Weather::good);
      scope.sync();
    });
}

// The host's work for a section bounds how short a tick can be.
TEST_CASE("sections over objects that stay in columns take no memory of the host") {
  crossing mine, expected;
  ikra::resident scope{mine.actors};
  const ikra::array<Actor*, 1> actors = ikra::objects(mine.actors);
  const auto tick = [&] {
    actors.peach(2,
                 ikra::make_section<::ikra_unit_traffic::simulate_0, void(Actor*)>(Weather::good));
  };
  tick();
  expected.move(2, Weather::good);
  const long before = blocks_taken;
  for (int t = 0; t < 10; ++t)
    tick();
  CHECK(blocks_taken == before);
  expected.move(20, Weather::good);
  scope.sync();
  CHECK(mine == expected);
}

TEST_CASE("memory runs out while changes of the host and of sections meet", "[failures]") {
  for (const int n : {few_objects, 5000}) {
    const crossing before(n);
    crossing after(n);
    after.move(12, Weather::good);
    auto mine = std::make_unique<crossing>(n);
    bool is_whole = true; // when sync() has failed; the scope's end goes on where it can
    with_each_failure(
        n == few_objects,
        [&] {
          ikra::resident scope{mine->actors};
          simulate(mine->actors, 12, Weather::good);
          scope.changed();
          try {
            scope.sync();
          } catch (...) {
            is_whole = is_whole && (*mine == before || *mine == after);
            throw;
          }
          return *mine == after;
        },
        [&] { return is_whole && (*mine == before || *mine == after); },
        [&] { mine = std::make_unique<crossing>(n); });
  }
}
