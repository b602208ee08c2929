// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects in the order of what they refer to: columns move together, and are as before when anybody
// looks at IDs. CTest runs all of these tests with IKRA_REORDER=always, too; without, nothing
// moves.
#include "traced.hpp"

#include <cstdlib>
#include <numeric>
#include <string_view>

namespace {

struct horse {
  int weight = 0;
};

struct rider {
  struct position {
    double x, y, z;
    bool operator==(const position&) const = default;
  };
  position place{};
  bool tired = false;
  short number = 0;
  horse* mount = nullptr;
  rider* friend_of = nullptr;
};

using rider_class = rt::concrete_class<0, rider>;
using horse_class = rt::concrete_class<1, horse>;
using rider_references = rt::references<rider, rider_class>;
using horse_references = rt::references<horse, horse_class>;

struct access {
  static auto& place(rider& o) { return o.place; }
  static auto& tired(rider& o) { return o.tired; }
  static auto& number(rider& o) { return o.number; }
  static auto& mount(rider& o) { return o.mount; }
  static auto& friend_of(rider& o) { return o.friend_of; }
  static auto& weight(horse& o) { return o.weight; }
};

enum : unsigned { place, tired, number, mount, weight, friend_of };

/// \tparam Friends whether riders refer to riders
template <bool Friends> const rt::layout& plan() {
  using namespace ikra::rt;
  static const class_info classes[] = {describe<rider_class>("rider", 0),
                                       describe<horse_class>("horse", 1)};
  static const column_info columns[] = {
      value_column<&access::place, rider_class>("rider::place"),
      value_column<&access::tired, rider_class>("rider::tired"),
      value_column<&access::number, rider_class>("rider::number"),
      reference_column<&access::mount, horse_references, rider_class>("rider::mount"),
      value_column<&access::weight, horse_class>("horse::weight"),
      reference_column<&access::friend_of, rider_references, rider_class>("rider::friend_of")};
  static const layout result(classes, std::span(columns).first(Friends ? 6 : 5));
  return result;
}

constexpr rt::column_use all_uses[] = {{place, rt::reads},
                                       {tired, rt::reads_and_writes},
                                       {number, rt::reads},
                                       {mount, rt::reads_and_writes},
                                       {weight, rt::reads}};
constexpr rt::section_info section{"ride", "test.cpp", 1, 2, all_uses};

bool reorders() {
  const char* const wish = std::getenv("IKRA_REORDER");
  return wish != nullptr && std::string_view(wish) == "always";
}

/// Riders on horses, two of them without one.
struct stable {
  std::vector<horse> horses = std::vector<horse>(40);
  std::vector<rider> riders = std::vector<rider>(500);
  std::vector<rider*> base;
  std::vector<horse*> all_horses; // traced first, so that IDs are those of the vector

  stable() {
    for (horse& h : horses)
      all_horses.push_back(&h);
    for (std::size_t i = 0; i < riders.size(); ++i) {
      rider& r = riders[i];
      r.place = {double(i), double(2 * i), double(3 * i)};
      r.tired = i % 3 == 0;
      r.number = short(i);
      r.mount = i % 250 == 7 ? nullptr : &horses[(i * 17 + i / 40) % horses.size()];
      base.push_back(&r);
    }
  }
  template <bool Friends = false> traced trace(std::vector<unsigned> columns) {
    return {plan<Friends>(),
            {source<horse_references>(all_horses), source<rider_references>(base)},
            std::move(columns)};
  }
};

const std::vector<unsigned> everything{place, tired, number, mount, weight};
constexpr std::size_t riders_base = 1;

std::vector<short> in_order(std::size_t n) {
  std::vector<short> result(n);
  std::iota(result.begin(), result.end(), short(0));
  return result;
}

} // namespace

TEST_CASE("objects are put into the order of what they refer to, with all of their members") {
  stable s;
  traced t = s.trace(everything);
  const std::size_t n = s.riders.size();
  for (int time = 0; time < 2; ++time) { // sorted again, too
    t.object_graph.any_order(riders_base, 1, section);
    const auto numbers = t.column<short>(number, 0, n);
    const auto places = t.column<rider::position>(place, 0, n);
    const auto mounts = t.column<object_id>(mount, 0, n);
    const auto tireds = t.column<bool>(tired, 0, n);
    CHECK((numbers == in_order(n)) == !reorders());
    if (reorders())
      CHECK(std::ranges::is_sorted(mounts, {}, [](object_id id) { return id.value; }));
    std::vector<bool> seen(n, false);
    for (std::size_t i = 0; i < n; ++i) {
      const auto rider = static_cast<std::size_t>(numbers[i]);
      REQUIRE_FALSE(seen[rider]);
      seen[rider] = true;
      REQUIRE(places[i] == s.riders[rider].place);
      REQUIRE(tireds[i] == s.riders[rider].tired);
      REQUIRE(bool(mounts[i]) == (time == 1 || s.riders[rider].mount != nullptr));
    }
    // From now on everybody rides another horse.
    std::vector<object_id> others(mounts);
    for (std::size_t i = 0; i < n; ++i) {
      others[i] = object_id(static_cast<std::uint32_t>((numbers[i] * 29 + time) % 40));
    }
    t.set(mount, 0, others);
  }
  t.object_graph.restore_order(section);
  CHECK(t.column<short>(number, 0, n) == in_order(n));
  const unsigned written[] = {mount};
  t.object_graph.write_back(written, section);
  for (std::size_t i = 0; i < n; ++i)
    REQUIRE(s.riders[i].mount == &s.horses[(i * 29 + 1) % 40]);
}

TEST_CASE("what is written while objects stand in another order comes back to its own object") {
  stable s;
  traced t = s.trace(everything);
  const std::size_t n = s.riders.size();
  t.object_graph.any_order(riders_base, 1, section);
  const auto numbers = t.column<short>(number, 0, n);
  std::vector<bool> tireds(n);
  for (std::size_t i = 0; i < n; ++i)
    tireds[i] = numbers[i] % 7 == 0;
  t.set(tired, 0, tireds);
  const unsigned written[] = {tired};
  t.object_graph.write_back(written, section);
  for (std::size_t i = 0; i < n; ++i)
    REQUIRE(s.riders[i].tired == (i % 7 == 0));
}

TEST_CASE("columns that come later, and those uploaded anew, are of the same objects") {
  stable s;
  traced t = s.trace({place, mount, weight});
  const std::size_t n = s.riders.size();
  static constexpr rt::column_use uses[] = {
      {place, rt::reads}, {mount, rt::reads_and_writes}, {weight, rt::reads}};
  constexpr rt::section_info first{"first", "test.cpp", 1, 2, uses};
  t.object_graph.any_order(riders_base, 1, first);
  t.object_graph.upload(everything, section);
  const auto check = [&] {
    const auto numbers = t.column<short>(number, 0, n);
    const auto places = t.column<rider::position>(place, 0, n);
    for (std::size_t i = 0; i < n; ++i)
      REQUIRE(places[i] == s.riders[static_cast<std::size_t>(numbers[i])].place);
  };
  check();
  t.object_graph.any_order(riders_base, 100, section);
  check();
  t.object_graph.forget(); // the host has changed objects
  s.riders[3].place.y = -1;
  t.object_graph.upload(everything, section);
  CHECK(t.column<short>(number, 0, n) == in_order(n));
  check();
}

TEST_CASE("an array of some of the objects is not run in another order") {
  stable s;
  const std::vector<rider*> some(s.base.begin() + 20, s.base.begin() + 60);
  traced t(plan<false>(),
           {source<horse_references>(s.all_horses), source<rider_references>(s.base),
            source<rider_references>(some)},
           everything);
  const std::size_t n = s.riders.size();
  t.object_graph.any_order(riders_base, 1, section);
  t.object_graph.any_order(2, 1, section);
  CHECK(t.column<short>(number, 0, n) == in_order(n));
}

TEST_CASE("objects that others refer to stay where their IDs say") {
  stable s;
  traced t = s.trace<true>(everything);
  const std::size_t n = s.riders.size();
  t.object_graph.any_order(riders_base, 1000, section);
  CHECK(t.column<short>(number, 0, n) == in_order(n));
}

TEST_CASE("a device sorts by the bits that count, stably, and moves elements there and back") {
  rt::device& where = rt::current_device();
  where.make_current(test_section);
  const std::vector<std::uint32_t> keys{9, 3, 0xffffffff, 3, 17, 0, 8, 3};
  const auto n = static_cast<std::uint32_t>(keys.size());
  const rt::device_memory in(where, 4 * n, "keys", test_section);
  const rt::device_memory order(where, 4 * n, "order", test_section);
  where.upload(in.data(), keys.data(), in.bytes(), test_section);
  const auto sorted_by = [&](int bits) {
    where.sort_order(static_cast<const std::uint32_t*>(in.data()),
                     static_cast<std::uint32_t*>(order.data()), n, bits, test_section);
    std::vector<std::uint32_t> result(n);
    where.download(result.data(), order.data(), order.bytes(), test_section);
    return result;
  };
  CHECK(sorted_by(3) == std::vector<std::uint32_t>{5, 6, 0, 4, 1, 3, 7, 2});
  CHECK(sorted_by(32) == std::vector<std::uint32_t>{5, 1, 3, 7, 6, 0, 4, 2});

  for (const std::size_t bytes : {1U, 2U, 3U, 4U, 6U, 8U, 12U, 16U, 40U}) {
    std::vector<unsigned char> elements(n * bytes), moved(n * bytes), back(n * bytes);
    std::iota(elements.begin(), elements.end(), static_cast<unsigned char>(0));
    const rt::device_memory memory(where, n * bytes, "elements", test_section);
    const rt::device_memory scratch(where, n * bytes, "scratch", test_section);
    const auto* const places = static_cast<const std::uint32_t*>(order.data());
    where.upload(memory.data(), elements.data(), memory.bytes(), test_section);
    where.reorder(memory.data(), scratch.data(), bytes, places, n, false, test_section);
    where.download(moved.data(), memory.data(), memory.bytes(), test_section);
    where.reorder(memory.data(), scratch.data(), bytes, places, n, true, test_section);
    where.download(back.data(), memory.data(), memory.bytes(), test_section);
    const std::vector<std::uint32_t> from = sorted_by(32);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t b = 0; b < bytes; ++b)
        REQUIRE(moved[i * bytes + b] == elements[from[i] * bytes + b]);
    CHECK(back == elements);
  }
}
