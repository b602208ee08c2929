// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which buffers a loop's turns use on all cores: two for what each turn makes anew, the first of
// which is the variable's own, if nobody else has that.
#include <catch2/catch.hpp>

#include <ikra/generated/turns/turns.hpp>

#include <set>
#include <utility>
#include <vector>

namespace {

constexpr ikra::rt::section_info where{"test", __FILE__, __LINE__, 1, {}};

struct scalars {
  int left;
};
struct has_turn {
  bool operator()(const scalars& of) const { return of.left > 0; }
};
struct goes_on {
  bool operator()(scalars& of) const { return --of.left > 0; }
};
struct increment {
  int operator()(int x) const { return x + 1; }
};
struct make_increment {
  [[maybe_unused]] static constexpr bool uses_scalars = false;
  increment operator()(const scalars&) const { return {}; }
};

/// a = a + 1, so many turns. \param known whether the loop says how many buffers it needs
/// \returns where the variable's elements were
std::set<const int*> added(ikra::array<int>& a, int turns, bool known = true) {
  std::set<const int*> places;
  ikra::rt::turn<scalars, ikra::rt::turn_form::graph, false> t(where);
  ikra::rt::turn_space<1> space;
  t.scalars().left = turns;
  ikra::rt::turn_array<int> held;
  REQUIRE(t.add_assigned(space, held, a, true));
  if (known)
    t.expect_arrays<int>(space, 2);
  places.insert(held.data());
  const auto assigned = std::tuple(&held);
  REQUIRE(t.start(assigned));
  t.repeat(true, has_turn{}, goes_on{}, assigned, [&] {
    auto result = t.elementwise<int, 0>(space, make_increment{}, held);
    held = result;
    places.insert(held.data());
  });
  t.finish(assigned);
  t.give(space, held, a);
  return places;
}

std::vector<int> elements(const ikra::array<int>& a) { return {a.data(), a.data() + a.size()}; }

} // namespace

TEST_CASE("turns take the memory of a vector that the variable has alone") {
  for (const int turns : {2, 3, 6, 7}) {
    ikra::array<int> a(std::vector<int>{1, 2, 3});
    CHECK(added(a, turns).size() == 2);
    CHECK(elements(a) == std::vector<int>{1 + turns, 2 + turns, 3 + turns});
  }
}

TEST_CASE("turns take the memory of what turns gave before") {
  ikra::array<int> a(std::vector<int>{1, 2, 3});
  const std::set<const int*> first = added(a, 3), second = added(a, 4);
  CHECK(second.size() == 2);
  CHECK(elements(a) == std::vector<int>{8, 9, 10});
}

TEST_CASE("what somebody else has stays as it is") {
  ikra::array<int> a(std::vector<int>{1, 2, 3});
  const ikra::array<int> b = a;
  CHECK(added(a, 6).size() == 3);
  CHECK(elements(a) == std::vector<int>{7, 8, 9});
  CHECK(elements(b) == std::vector<int>{1, 2, 3});
}

TEST_CASE("a loop that may run as written keeps its first arrays") {
  ikra::array<int> a(std::vector<int>{1, 2, 3});
  CHECK(added(a, 6, false).size() == 3);
  CHECK(elements(a) == std::vector<int>{7, 8, 9});
}

TEST_CASE("without turns nothing is given up") {
  ikra::array<int> a(std::vector<int>{1, 2, 3});
  CHECK(added(a, 0).size() == 1);
  CHECK(elements(a) == std::vector<int>{1, 2, 3});
}
