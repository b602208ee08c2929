// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Resident scopes: objects stay on the device between sections, and the host sees them after
// sync().
#include <catch2/catch.hpp>

#include "crossing.hpp"

#include <memory>
#include <utility>
#include <vector>

TEST_CASE("objects of a scope change on the host when it is synchronised, and at its end") {
  crossing plain, resident;
  const crossing untouched;
  {
    ikra::resident scope{resident.actors};
    simulate(resident.actors, 3, Weather::good);
    CHECK(resident == untouched);
    scope.sync();
    plain.move(3, Weather::good);
    CHECK(resident == plain);
    simulate(resident.actors, 7, Weather::bad); // goes on from what is on the device
    simulate(resident.actors, 2, Weather::good);
  }
  plain.move(7, Weather::bad);
  plain.move(2, Weather::good);
  CHECK(resident == plain);
}

TEST_CASE("what the host changed in a scope is seen by sections after changed()") {
  crossing plain, resident;
  ikra::resident scope{resident.actors};
  simulate(resident.actors, 3, Weather::good);
  plain.move(3, Weather::good);
  scope.sync();
  for (crossing* c : {&plain, &resident})
    for (Actor* a : c->actors)
      a->move(Weather::bad);
  scope.changed(resident.actors);
  simulate(resident.actors, 5, Weather::good);
  plain.move(5, Weather::good);
  scope.sync();
  CHECK(resident == plain);
}

TEST_CASE("what the host wrote wins where it says so, and sections keep the rest") {
  crossing plain, resident;
  ikra::resident scope{resident.owners};
  const auto both = [&](auto write) {
    write(plain);
    write(resident);
  };
  simulate(resident.actors, 3, Weather::good);
  plain.move(3, Weather::good);
  both([](crossing& c) { *static_cast<Car*>(c.actors[1]) = Car(&c.first, 50.0f, 30); });
  scope.changed(resident.actors[1]); // a pointer to a base
  both([](crossing& c) { *static_cast<Car*>(c.actors[2]) = Car(&c.first, 51.0f, 31); });
  scope.changed(resident.actors);
  simulate(resident.actors, 3, Weather::good);
  plain.move(3, Weather::good);
  both([](crossing& c) { *static_cast<Car*>(c.actors[4]) = Car(&c.first, 52.0f, 32); });
  scope.changed();
  simulate(resident.actors, 1, Weather::bad);
  plain.move(1, Weather::bad);
  // What a claimed object had at first is taken as well.
  both([](crossing& c) { *static_cast<Car*>(c.actors[5]) = Car(&c.second, 0.0f, 60); });
  Actor* const none = nullptr;
  const Car elsewhere(&plain.first, 1.0f, 2);
  scope.changed(resident.actors[5], none, &elsewhere);
  scope.sync();
  CHECK(resident == plain);
}

TEST_CASE("objects that the host deleted are not looked at") {
  crossing plain, resident;
  {
    ikra::resident scope{resident.owners};
    simulate(resident.actors, 3, Weather::good);
    plain.move(3, Weather::good);
    for (crossing* c : {&plain, &resident}) {
      c->owners.erase(c->owners.begin() + 7);
      c->actors.erase(c->actors.begin() + 7);
      c->owners.erase(c->owners.begin() + 20, c->owners.begin() + 25);
      c->actors.erase(c->actors.begin() + 20, c->actors.begin() + 25);
    }
    scope.changed(resident.owners);
    simulate(resident.actors, 2, Weather::bad);
    plain.move(2, Weather::bad);
    for (crossing* c : {&plain, &resident}) {
      c->owners.pop_back();
      c->actors.pop_back();
    }
  } // which looks at the vector again
  CHECK(resident == plain);
}

TEST_CASE("a vector's objects may change places once they were brought up to date") {
  crossing plain, resident;
  ikra::resident scope{resident.owners};
  simulate(resident.actors, 1, Weather::good);
  plain.move(1, Weather::good);
  std::swap(resident.owners[1], resident.owners[8]);
  CHECK_THROWS_AS(scope.changed(resident.owners), ikra::error);
  scope.sync();
  CHECK(resident == plain);
  std::swap(resident.owners[1], resident.owners[9]);
  scope.changed(resident.owners);
  simulate(resident.actors, 1, Weather::good);
  plain.move(1, Weather::good);
  simulate(resident.actors, 1, Weather::good);
  plain.move(1, Weather::good);
  scope.sync();
  CHECK(resident == plain);
}

TEST_CASE("a section over other arrays sees, and may write, objects of a scope") {
  crossing plain, resident;
  const std::vector<Actor*> some(resident.actors.begin(), resident.actors.begin() + 10);
  {
    ikra::resident scope{resident.actors};
    simulate(resident.actors, 3, Weather::good);
    simulate(some, 4, Weather::good);
    simulate(resident.actors, 3, Weather::good);
  }
  plain.move(3, Weather::good);
  for (int t = 0; t < 4; ++t)
    for (std::size_t i = 0; i < 10; ++i)
      plain.actors[i]->move(Weather::good);
  plain.move(3, Weather::good);
  CHECK(resident == plain);
}

TEST_CASE("a section over some of a scope's objects leaves all on the device") {
  crossing plain, resident;
  const crossing untouched;
  ikra::resident scope{resident.actors};
  simulate(resident.actors, 1, Weather::good);
  plain.move(1, Weather::good);
  const auto both = [&](std::vector<std::size_t> chosen, int ticks) {
    std::vector<Actor*> some;
    for (const std::size_t i : chosen)
      some.push_back(resident.actors[i]);
    simulate(some, ticks, Weather::bad);
    for (int t = 0; t < ticks; ++t)
      for (const std::size_t i : chosen)
        plain.actors[i]->move(Weather::bad);
  };
  for (int again = 0; again < 2; ++again) { // more arrays than are kept
    both({7, 3, 0, 11}, 2);
    both({}, 1);
    both({4, 5}, 1);
    both({3}, 20);
    both({11, 0, 3, 7}, 1);
    both({2, 1}, 3);
    both({4, 5}, 1);
  }
  CHECK(resident == untouched);
  scope.sync();
  CHECK(resident == plain);

  for (crossing* c : {&plain, &resident})
    for (Actor* a : c->actors)
      a->move(Weather::bad);
  scope.changed(resident.actors);
  both({4, 5}, 1);
  simulate(resident.actors, 1, Weather::good);
  plain.move(1, Weather::good);
  both({9, 8}, 1);

  crossing other, other_plain;
  simulate({resident.actors[2], other.actors[0]}, 1, Weather::good); // one is not in the scope
  plain.actors[2]->move(Weather::good);
  other_plain.actors[0]->move(Weather::good);
  CHECK(other == other_plain);
  simulate({other.actors[0], resident.actors[2]}, 1, Weather::good);
  plain.actors[2]->move(Weather::good);
  other_plain.actors[0]->move(Weather::good);
  scope.sync();
  CHECK(resident == plain);
  CHECK(other == other_plain);
}

TEST_CASE("a scope may hold several arrays, whose objects may be the same") {
  crossing plain, resident;
  const std::vector<Actor*> some(resident.actors.begin() + 5, resident.actors.begin() + 15);
  {
    ikra::resident scope{resident.actors, some};
    simulate(some, 4, Weather::good);
    simulate(resident.actors, 3, Weather::good);
    simulate(some, 1, Weather::bad);
  }
  for (int t = 0; t < 4; ++t)
    for (std::size_t i = 5; i < 15; ++i)
      plain.actors[i]->move(Weather::good);
  plain.move(3, Weather::good);
  for (std::size_t i = 5; i < 15; ++i)
    plain.actors[i]->move(Weather::bad);
  CHECK(resident == plain);
}

TEST_CASE("owners and objects by value may be resident") {
  crossing c;
  std::vector<Car> cars(20, Car(&c.first, 0.0f, 60));
  ikra::resident scope{c.owners, cars};
  simulate(c.actors, 1, Weather::good);
  scope.sync();
  crossing plain;
  plain.move(1, Weather::good);
  CHECK(c == plain);
}

TEST_CASE("pointers are compared by all cores") {
  std::vector<char> a(3'000'001, 'x'), b = a;
  const auto same = [&] { return ikra::detail::same_bytes(a.data(), b.data(), a.size()); };
  CHECK(same());
  for (const std::size_t place : {std::size_t(0), a.size() / 2, a.size() - 1}) {
    b[place] = 'y';
    CHECK_FALSE(same());
    b[place] = 'x';
  }
  CHECK(ikra::detail::same_bytes(nullptr, nullptr, 0));
}
