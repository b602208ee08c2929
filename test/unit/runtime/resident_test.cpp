// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Resident scopes: objects stay on the device between sections, and the host sees them after
// sync().
#include <catch2/catch.hpp>

#include "crossing.hpp"

#include <ikra/generated/sections/host_scope.hpp>

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

TEST_CASE("objects of a host section's scope change on the host at its end") {
  crossing plain, resident, others;
  const crossing untouched;
  const std::vector<Actor*> some(resident.actors.begin() + 3, resident.actors.begin() + 9);
  {
    const ikra::rt::host_scope scope;
    simulate(resident.actors, 20, Weather::good);
    CHECK(resident == untouched);
    simulate(some, 30, Weather::bad);
    CHECK(resident == untouched);
    simulate(others.actors, 20, Weather::good); // traced with the first ones
    CHECK(others == untouched);
    simulate(resident.actors, 18, Weather::good);
  }
  plain.move(20, Weather::good);
  CHECK(others == plain);
  for (int t = 0; t < 30; ++t)
    for (std::size_t i = 3; i < 9; ++i)
      plain.actors[i]->move(Weather::bad);
  plain.move(18, Weather::good);
  CHECK(resident == plain);
}

TEST_CASE("a host section's scope meets more arrays than it holds") {
  std::vector<std::unique_ptr<crossing>> many;
  {
    const ikra::rt::host_scope scope;
    for (int k = 0; k < 9; ++k)
      simulate(many.emplace_back(std::make_unique<crossing>())->actors, 20, Weather::good);
    for (const auto& each : many)
      simulate(each->actors, 20, Weather::bad);
  }
  crossing plain;
  plain.move(20, Weather::good);
  plain.move(20, Weather::bad);
  for (const auto& each : many)
    CHECK(*each == plain);
}

TEST_CASE("a host section opens no scope in another one") {
  crossing plain, resident;
  ikra::resident outer{resident.actors};
  {
    const ikra::rt::host_scope scope;
    simulate(resident.actors, 20, Weather::good);
  }
  CHECK(resident == plain); // the outer one goes on
  outer.sync();
  plain.move(20, Weather::good);
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

TEST_CASE("sections over some of the objects of scopes within each other see what all wrote") {
  crossing plain, resident;
  const auto some_of = [&](std::size_t begin, std::size_t end) {
    return std::vector<Actor*>(resident.actors.begin() + static_cast<std::ptrdiff_t>(begin),
                               resident.actors.begin() + static_cast<std::ptrdiff_t>(end));
  };
  const auto move = [&](std::size_t begin, std::size_t end, Weather weather) {
    for (std::size_t i = begin; i < end; ++i)
      plain.actors[i]->move(weather);
  };
  ikra::resident outer{resident.actors};
  simulate(resident.actors, 1, Weather::good);
  plain.move(1, Weather::good);
  {
    const std::vector<Actor*> half = some_of(0, 8);
    ikra::resident inner{half};
    simulate(half, 1, Weather::bad);
    move(0, 8, Weather::bad);
    simulate(some_of(2, 5), 1, Weather::good); // of the inner one
    move(2, 5, Weather::good);
    simulate(some_of(6, 12), 1, Weather::bad); // of the outer one
    move(6, 12, Weather::bad);
    simulate(some_of(2, 5), 1, Weather::bad);
    move(2, 5, Weather::bad);
  }
  simulate(some_of(0, 12), 1, Weather::good);
  move(0, 12, Weather::good);
  outer.sync();
  CHECK(resident == plain);
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

TEST_CASE("objects that come and go leave the others on the device") {
  crossing plain, resident;
  ikra::resident scope{resident.owners};
  const auto move = [&](int ticks) {
    simulate(resident.actors, ticks, Weather::good);
    plain.move(ticks, Weather::good);
  };
  const auto come = [&](float progress) {
    for (crossing* c : {&plain, &resident}) {
      if (c->owners.size() % 2 == 0)
        c->owners.push_back(std::make_unique<Pedestrian>(&c->second, progress));
      else
        c->owners.push_back(std::make_unique<Car>(&c->first, progress, 55.0f));
      c->actors.push_back(c->owners.back().get());
    }
    return resident.actors.back();
  };
  const auto leave = [&](std::size_t i, bool in_order) {
    scope.remove(resident.actors[i]);
    const auto erase = [&](auto& pointers) {
      if (in_order) {
        pointers.erase(pointers.begin() + static_cast<std::ptrdiff_t>(i));
      } else {
        std::swap(pointers[i], pointers.back());
        pointers.pop_back();
      }
    };
    for (crossing* c : {&plain, &resident}) {
      erase(c->owners);
      erase(c->actors);
    }
  };
  move(2);
  scope.add(come(1.0f));
  move(1); // all are traced once more, with room
  const float before = resident.actors[0]->progress();
  Actor* const none = nullptr;
  scope.add(come(2.0f), none, come(3.0f));
  move(2);
  come(4.0f); // which is seen
  come(5.0f);
  move(1);
  leave(7, true);
  move(1);
  leave(9, false);
  leave(12, false);
  scope.add(come(6.0f));
  move(1);
  scope.remove(come(7.0f), none);
  for (crossing* c : {&plain, &resident}) {
    c->owners.pop_back();
    c->actors.pop_back();
  }
  move(3);
  CHECK(resident.actors[0]->progress() == before);
  scope.sync();
  CHECK(resident == plain);
  for (int i = 0; i < 3000; ++i) // more than there is room for
    scope.add(come(static_cast<float>(i % 7)));
  move(2);
  leave(3, true);
  scope.changed(resident.owners);
  move(1);
  leave(11, false);
  scope.changed();
  move(1);
  scope.sync();
  CHECK(resident == plain);
}

// So many that objects of several classes are gone through by blocks of their array.
TEST_CASE("objects of several classes in many blocks are traced, filled and brought back") {
  constexpr int many = 30000;
  crossing plain(many), resident(many);
  ikra::resident scope{resident.owners};
  const auto move = [&](int ticks) {
    simulate(resident.actors, ticks, Weather::good);
    plain.move(ticks, Weather::good);
    scope.sync();
    CHECK(resident == plain);
  };
  move(2);
  for (const std::size_t gone : {std::size_t(20001), std::size_t(8192), std::size_t(0)}) {
    scope.remove(resident.actors[gone]);
    for (crossing* c : {&plain, &resident}) {
      c->owners.erase(c->owners.begin() + static_cast<std::ptrdiff_t>(gone));
      c->actors.erase(c->actors.begin() + static_cast<std::ptrdiff_t>(gone));
    }
  }
  move(3);
  for (crossing* c : {&plain, &resident}) { // beyond the blocks
    c->owners.push_back(std::make_unique<Pedestrian>(&c->second, 1.0f));
    c->actors.push_back(c->owners.back().get());
  }
  scope.add(resident.actors.back());
  move(2);
  plain.move(1, Weather::bad); // by the host: all are traced again
  resident.move(1, Weather::bad);
  scope.changed();
  move(2);
}

TEST_CASE("single members are read, brought back and changed") {
  crossing plain, resident;
  ikra::resident scope{resident.owners};
  const float first = resident.actors[1]->progress();
  const auto member = Actor::progress_member();
  const auto expected = [&] {
    const ikra::array<float, 1> now = scope.read(member);
    REQUIRE(now.size() == plain.actors.size());
    for (std::size_t i = 0; i < plain.actors.size(); ++i)
      CHECK(now[static_cast<std::int64_t>(i)] == plain.actors[i]->progress());
  };
  expected(); // from the host
  simulate(resident.actors, 5, Weather::good);
  plain.move(5, Weather::good);
  expected();
  CHECK(resident.actors[1]->progress() == first);
  scope.sync(member);
  CHECK(resident.actors[1]->progress() == plain.actors[1]->progress());
  for (crossing* c : {&plain, &resident})
    c->actors[2]->*member = 0.25f;
  scope.changed(resident.actors[2], member);
  simulate(resident.actors, 1, Weather::bad);
  plain.move(1, Weather::bad);
  for (crossing* c : {&plain, &resident}) // before it is brought back
    c->actors[4]->*member = 0.5f;
  scope.changed(resident.actors[4], member);
  expected();
  scope.sync();
  CHECK(resident == plain);
  const std::vector<Street*> streets{&resident.first};
  ikra::resident of_streets{streets};
  CHECK_THROWS_AS(of_streets.read(member), ikra::error);
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
