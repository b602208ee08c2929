// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches on all cores: which part each thread gets, that every element is run once, and launches
// within a parallel region of the program's own.
#include "traced.hpp"

#include <ikra/generated/launch/launch.hpp>
#include <ikra/generated/sections/sequence.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace rt = ikra::rt;

namespace {

struct first_class {};
struct second_class {};
struct third_class {};

/// Counts how often an ID is run for each tick of a body that loops over ticks itself.
struct counting {
  std::uint32_t* runs;
  std::int64_t ticks;

  template <class Class> IKRA_HD void operator()(Class, ikra::object_id id) const {
    for (std::int64_t tick = 0; tick < ticks; ++tick)
      ++runs[id.value];
  }
};

/// Notes the last tick, and whether the one before was the tick before.
struct in_turn {
  std::int64_t* last;

  template <class Class>
  IKRA_HD void operator()(Class, ikra::object_id id, std::int64_t tick) const {
    last[id.value] = last[id.value] + 1 == tick ? tick : -100;
  }
};

/// Kernels of a sequence, each of which reads what the one before wrote for the object at the other
/// end. \{
struct at_other_end {
  rt::launch_table<3> table;
  std::size_t size;
  std::int64_t *told, *copied, *wrong;

  IKRA_HD std::size_t other(ikra::object_id id) const { return size - 1 - id.value; }
  IKRA_HD void expect(std::size_t other, bool right, ikra::object_id id) const {
    for (std::size_t k = 0; k < 3; ++k)
      if (other - table.first_id[k] < table.count[k])
        wrong[id.value] += !right;
  }
};
struct tells {
  at_other_end in;
  std::int64_t turn;
  IKRA_HD tells at(std::int64_t now) const { return {in, turn + now}; }
  template <class Class> IKRA_HD void operator()(Class, ikra::object_id id) const {
    in.told[id.value] = turn;
  }
};
struct copies {
  at_other_end in;
  template <class Class> IKRA_HD void operator()(Class, ikra::object_id id) const {
    in.expect(in.other(id), in.told[in.other(id)] == in.copied[id.value] + 1, id);
    ++in.copied[id.value];
  }
};
struct counting_own {
  at_other_end in;
  template <class Class> IKRA_HD void operator()(Class, ikra::object_id id) const {
    in.wrong[id.value] += in.told[id.value] != ++in.copied[id.value] + 5;
  }
};
struct compares {
  at_other_end in;
  template <class Class>
  IKRA_HD void operator()(Class, ikra::object_id id, std::int64_t tick) const {
    in.wrong[id.value] += tick;
    in.expect(in.other(id), in.copied[in.other(id)] == in.told[id.value], id);
  }
};
/// \}

/// Takes long, until three cores have an element: of few objects the first is one core's.
class meeting {
public:
  void come() {
    {
      const std::lock_guard lock(noting_);
      cores_.insert(std::this_thread::get_id());
      come_ = cores_.size();
    }
    for (int looks = 0; looks < (is_first_.exchange(false) ? 1 : 10'000) && come_ < 3; ++looks)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::size_t cores() const { return cores_.size(); }

private:
  std::mutex noting_;
  std::set<std::thread::id> cores_;
  std::atomic<std::size_t> come_{0};
  std::atomic<bool> is_first_{true};
};
/// Bodies come through a pointer: a GPU has no such function. \{
void come_to(meeting& of) { of.come(); }
struct counting_slowly : counting {
  static constexpr bool repeats = true;
  meeting* of;
  void (*come)(meeting&) = come_to;
  template <class Class> IKRA_HD void operator()(Class c, ikra::object_id id) const {
    come(*of);
    counting::operator()(c, id);
  }
};
struct slowly_in_turn : in_turn {
  static constexpr bool diverges = true;
  meeting* of;
  void (*come)(meeting&) = come_to;
  template <class Class>
  IKRA_HD void operator()(Class c, ikra::object_id id, std::int64_t tick) const {
    come(*of);
    in_turn::operator()(c, id, tick);
  }
};
struct copies_slowly : copies {
  static constexpr bool repeats = true;
  meeting* of;
  void (*come)(meeting&) = come_to;
  template <class Class> IKRA_HD void operator()(Class c, ikra::object_id id) const {
    come(*of);
    copies::operator()(c, id);
  }
};
/// \}

/// Three classes with these numbers of objects, each from a multiple of 32 on.
rt::launch_table<3> table_of(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  rt::launch_table<3> table{};
  const std::uint32_t counts[] = {a, b, c};
  std::uint32_t next = 32;
  for (std::size_t k = 0; k < 3; ++k) {
    table.first_thread[k] = table.threads;
    table.first_id[k] = next;
    table.count[k] = counts[k];
    table.threads += (counts[k] + std::uint64_t(31)) / 32 * 32;
    next += (counts[k] + 31) / 32 * 32;
  }
  return table;
}

/// What counting should have left behind.
std::vector<std::uint32_t> expected_runs(const rt::launch_table<3>& table, std::size_t size,
                                         std::uint32_t ticks) {
  std::vector<std::uint32_t> result(size, 0);
  for (std::size_t k = 0; k < 3; ++k)
    for (std::uint32_t i = 0; i < table.count[k]; ++i)
      result[table.first_id[k] + i] = ticks;
  return result;
}

} // namespace

TEST_CASE("parts of threads follow each other, end at cache lines and differ by one at most",
          "[launch]") {
  for (const std::uint64_t n : {0, 1, 63, 64, 65, 2048, 2049, 100'000})
    for (const std::uint64_t threads : {1, 2, 3, 16, 64}) {
      std::uint64_t next = 0, least = ~std::uint64_t(0), most = 0;
      for (std::uint64_t t = 0; t < threads; ++t) {
        const rt::host_range part = rt::host_part(n, t, threads);
        REQUIRE(part.begin <= part.end);
        if (part.begin != part.end) {
          REQUIRE(part.begin == next);
          REQUIRE(part.begin % 64 == 0);
          next = part.end;
        }
        const std::uint64_t lines = (part.end - part.begin + 63) / 64;
        least = std::min(least, lines);
        most = std::max(most, lines);
      }
      REQUIRE(next == n);
      REQUIRE(most - least <= 1);
    }
}

TEST_CASE("every element of every class is run once for each tick", "[launch]") {
  const std::size_t size = 20'000;
  for (const int n : {1, 3, 8}) {
    const threads limit(n);
    for (const auto& table :
         {table_of(0, 0, 0), table_of(10, 0, 1), table_of(5000, 33, 7777), table_of(0, 9000, 2)})
      for (const std::int64_t ticks : {0, 1, 2, 5}) {
        std::vector<std::uint32_t> runs(size, 0);
        rt::host_launch<first_class, second_class, third_class>(
            rt::each_job<counting>{counting{runs.data(), ticks}}, table, table.threads);
        REQUIRE(runs == expected_runs(table, size, static_cast<std::uint32_t>(ticks)));
      }
  }
}

TEST_CASE("ticks come one after the other", "[launch]") {
  const threads limit(4);
  const rt::launch_table<3> table = table_of(5000, 33, 7777);
  std::vector<std::int64_t> last(20'000, -1);
  rt::host_launch_ticks<first_class, second_class, third_class>(in_turn{last.data()}, table, 9);
  for (std::size_t k = 0; k < 3; ++k)
    for (std::uint32_t i = 0; i < table.count[k]; ++i)
      REQUIRE(last[table.first_id[k] + i] == 8);
}

TEST_CASE("few objects that take long are shared by all cores, each run once a tick", "[launch]") {
  const threads limit(3);
  const rt::launch_table<3> table = table_of(10, 0, 25);
  const std::size_t size = 200;
  SECTION("in a launch") {
    meeting of;
    std::vector<std::uint32_t> runs(size, 0);
    rt::host_launch<first_class, second_class, third_class>(
        rt::each_job<counting_slowly>{{{runs.data(), 2}, &of}}, table, table.threads);
    CHECK(runs == expected_runs(table, size, 2));
    CHECK(of.cores() == 3);
  }
  SECTION("in a launch with a list of objects") {
    meeting of;
    rt::launch_table<3> listed = table;
    std::vector<ikra::object_id> ids(listed.threads);
    for (std::size_t k = 0; k < 3; ++k)
      for (std::uint32_t i = 0; i < table.count[k]; ++i)
        ids[table.first_thread[k] + i] = ikra::object_id(table.first_id[k] + i);
    listed.ids = ids.data();
    std::vector<std::uint32_t> runs(size, 0);
    rt::host_launch<first_class, second_class, third_class>(
        rt::each_job<counting_slowly>{{{runs.data(), 1}, &of}}, listed, listed.threads);
    CHECK(runs == expected_runs(table, size, 1));
    CHECK(of.cores() == 3);
  }
  SECTION("in ticks") {
    meeting of;
    std::vector<std::int64_t> last(size, -1);
    rt::host_launch_ticks<first_class, second_class, third_class>(
        slowly_in_turn{{last.data()}, &of}, table, 9);
    CHECK(std::ranges::count(last, 8) == 10 + 25);
    CHECK(std::ranges::count(last, -1) == std::ptrdiff_t(size) - (10 + 25));
    CHECK(of.cores() == 3);
  }
  SECTION("in a sequence") {
    meeting of;
    std::vector<std::int64_t> told(size, -1), copied(size, -1), wrong(size, 0);
    const at_other_end shared{table, size, told.data(), copied.data(), wrong.data()};
    rt::host_launch_turns<first_class, second_class, third_class>(
        table, 7, rt::step_list{tells{shared, 0}},
        rt::step_list{rt::same_step{copies_slowly{{shared}, &of}}},
        rt::step_list{rt::same_step{compares{shared}}});
    CHECK(std::ranges::count(copied, 6) == 10 + 25);
    CHECK(std::ranges::count(wrong, 0) == std::ptrdiff_t(size));
    CHECK(of.cores() == 3);
  }
}

TEST_CASE("kernels of a sequence come one after the other, turn after turn", "[launch]") {
  const auto table = table_of(100, 5'000, 33);
  const std::size_t size = 6'000;
  std::vector<std::int64_t> told(size, -1), copied(size, -1), wrong(size, 0);
  const at_other_end shared{table, size, told.data(), copied.data(), wrong.data()};
  rt::host_launch_turns<first_class, second_class, third_class>(
      table, 7, rt::step_list{tells{shared, 0}}, rt::step_list{rt::same_step{copies{shared}}},
      rt::step_list{rt::same_step{compares{shared}}});
  CHECK(std::ranges::count(copied, 6) == 100 + 5'000 + 33);
  CHECK(std::ranges::count(wrong, 0) == std::ptrdiff_t(size));
}

TEST_CASE("all turns of an element's steps come in their order", "[launch]") {
  const auto table = table_of(100, 5'000, 33);
  std::vector<std::int64_t> told(6'000, -1), copied(6'000, -1), wrong(6'000, 0);
  const at_other_end all{table, 6'000, told.data(), copied.data(), wrong.data()};
  rt::host_launch_all_turns<first_class, second_class, third_class>(
      table, 9, rt::step_list{tells{all, 5}, rt::same_step{counting_own{all}}});
  CHECK(std::ranges::count(told, 13) == 100 + 5'000 + 33);
  CHECK(std::ranges::count(copied, 8) == 100 + 5'000 + 33);
  CHECK(std::ranges::count(wrong, 0) == 6'000);
}

TEST_CASE("turns of a counted loop", "[launch]") {
  CHECK(rt::turns_between(3, 7) == 4);
  // By steps: as many as the loop has, or none where its last step would leave the type's values.
  CHECK(rt::turns_by(1, 6, 2) == 3);
  CHECK(rt::turns_by(1, 7, 2) == 4);
  CHECK(rt::turns_by(1, 0, 2) == 0);
  CHECK(rt::turns_by(std::uint8_t(0), 250, 10) == 25);
  CHECK(rt::turns_by(std::uint8_t(0), 251, 10) == 0);
  CHECK(rt::turns_by(std::uint64_t(1) << 63U, 5, 2) == 0);
  CHECK(rt::turns_by(INT64_MAX - 9, 8, 3) == 3);
  CHECK(rt::turns_by(INT64_MAX - 8, 8, 3) == 0);
  CHECK(rt::turns_by(INT64_MIN, INT64_MAX - 1, 2) == INT64_MAX / 2);
  CHECK(rt::turns_down_by(9, 10, 3) == 4);
  CHECK(rt::turns_down_by(10U, 10, 3) == 0);
  CHECK(rt::turns_down_by(INT64_MIN + 9, 8, 3) == 3);
  CHECK(rt::turns_down_by(INT64_MIN + 8, 8, 3) == 0);
  CHECK(rt::turns_between(7, 3) == 0);
  CHECK(rt::turns_between(-3, 3) == 6);
  CHECK(rt::turns_between(0U, 0U) == 0);
  CHECK(rt::turns_between<std::uint64_t>(5, 6) == 1);
  CHECK(rt::turns_between(INT32_MIN, INT32_MAX) == (std::int64_t(1) << 32) - 1);
  CHECK(rt::turns_between<std::int8_t>(-128, 127) == 255);
  // As the loop compares them; 0 where it would leave the type, or not end.
  CHECK(rt::turns_between(std::uint8_t(200), 255) == 55);
  CHECK(rt::turns_between(std::uint8_t(200), 256) == 0);
  CHECK(rt::turns_between(-1, std::size_t(3)) == 0);
  CHECK(rt::turns_between(0U, 3) == 3);
  CHECK(rt::turns_between(0, std::size_t(1) << 40) == 0);
  CHECK(rt::turns_through(1, 1) == 1);
  CHECK(rt::turns_through(2, 1) == 0);
  CHECK(rt::turns_through(-3, 4) == 8);
  CHECK(rt::turns_through(0, INT32_MAX) == 0);
  CHECK(rt::turns_until(2, 5) == 3);
  CHECK(rt::turns_until(5, 5) == 0);
  CHECK(rt::turns_until(6, 5) == 0);
  CHECK(rt::turns_down_to(5, 0) == 5);
  CHECK(rt::turns_down_to(3U, 0) == 3);
  CHECK(rt::turns_down_to(0, 5) == 0);
  CHECK(rt::turns_down_through(5, 0) == 6);
  CHECK(rt::turns_down_through(-3, -3) == 1);
  CHECK(rt::turns_down_through(3U, 0U) == 0);
}

TEST_CASE("a launch within a parallel region has no threads to wait for", "[launch]") {
  const rt::launch_table<3> table = table_of(5000, 33, 7777);
  std::vector<std::int64_t> ends(3, -2);
#pragma omp parallel for num_threads(3) schedule(static, 1)
  for (int t = 0; t < 3; ++t) { // different numbers of ticks: a common barrier would never open
    std::vector<std::int64_t> last(20'000, -1);
    rt::host_launch_ticks<first_class, second_class, third_class>(in_turn{last.data()}, table,
                                                                  3 + 2 * t);
    ends[static_cast<std::size_t>(t)] = last[table.first_id[2]];
  }
  CHECK(ends == std::vector<std::int64_t>{2, 4, 6});
}
