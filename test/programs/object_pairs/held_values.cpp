// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values beside pointers in pairs, tuples, optionals and structs: classes that have no operator==,
// or whose own compares less than all members. All that sections write comes back.
#include "held_values.hpp"

#include <ikra/ikra.hpp>

#include <cstdio>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace {

struct Vec2 {
  float x = 1, y = 2;
};
struct Id {
  int id = 0;
  int rest = 0;
  bool operator==(const Id& o) const { return id == o.id; }
};
struct Planet {
  float mass = 3;
};
struct Link {
  Planet* to = nullptr;
  float weight = 1;
  Vec2 at;
};
struct Ship {
  std::pair<Vec2, Planet*> course;
  std::tuple<Planet*, int, Vec2> stops;
  std::pair<Id, Planet*> id;
  Link link;
  std::optional<std::pair<Vec2, Planet*>> maybe;
  std::vector<std::pair<Planet*, Vec2>> all;
  std::vector<Link> links;
  float fuel = 9;
  void fly() {
    course.first.x += course.second->mass;
    std::get<1>(stops) += 2;
    std::get<2>(stops).y *= 2;
    id.first.rest += 5;
    link.weight += link.to->mass;
    link.at.x += 1;
    if (maybe)
      maybe->first.y += maybe->second->mass;
    for (auto& [to, v] : all)
      v.x += to->mass;
    for (Link& l : links) {
      l.weight *= 2;
      l.at.y += 1;
    }
    if (fuel > 8)
      std::swap(course.second, link.to);
  }
};

} // namespace

void held_values() {
  std::vector<Planet> planets(2);
  planets[1].mass = 7;
  std::vector<Ship> ships(4);
  for (Ship& s : ships) {
    s.course.second = &planets[1];
    std::get<0>(s.stops) = &planets[0];
    s.id.second = &planets[0];
    s.link.to = &planets[0];
    s.all = {{&planets[0], {}}, {&planets[1], {}}};
    s.links.resize(2);
    for (auto& l : s.links)
      l.to = &planets[1];
  }
  ships[1].maybe.emplace(Vec2(), &planets[1]);
  {
    ikra::resident scope{ships};
    for (int t = 0; t < 3; ++t) {
      ikra::objects(ships).peach([](Ship* s) { s->fly(); });
      scope.sync();
      ships[2].id.first.rest += 100;
      scope.changed(&ships[2]);
    }
  }
  for (const Ship& s : ships)
    std::printf(
        "%g %d %g %d %g %g %g %g %g %g %d\n", double(s.course.first.x), std::get<1>(s.stops),
        double(std::get<2>(s.stops).y), s.id.first.rest, double(s.link.weight), double(s.link.at.x),
        s.maybe ? double(s.maybe->first.y) : -1.0, double(s.all[1].second.x),
        double(s.links[1].weight), double(s.links[0].at.y), int(s.course.second - planets.data()));
}
