// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The programs' sections. This file is compiled twice: through ikrac, and by the C++ compiler
// alone.
#include "city.hpp"
#include "creatures.hpp"
#include "programs.hpp"

#include <cstdint>
#include <functional>
#include <optional>

namespace objects {
namespace {

/// A scope, if the program is to have one.
template <class... Held>
void open(std::optional<ikra::resident>& scope, bool wanted, Held&... held) {
  if (wanted)
    scope.emplace(held...);
}

void attract(bodies_world& w, bool scoped) {
  std::optional<ikra::resident> scope;
  open(scope, scoped, w.bodies);
  std::vector<Body>& bodies = w.bodies;
  for (int s = 0; s < bodies_world::steps; ++s) {
    ikra::objects(bodies).peach([&bodies](Body& b) { b.pull(bodies); });
    ikra::objects(bodies).peach([](Body& b) { b.move(); });
  }
}

void drift(galaxy_world& w, bool scoped) {
  std::optional<ikra::resident> scope;
  open(scope, scoped, w.stars);
  for (int s = 0; s < galaxy_world::steps; ++s) {
    const auto tree = w.tree();
    if (scope)
      scope->changed(); // the tree is new
    ikra::objects(w.stars).peach([root = tree.get()](Star& star) { root->pull(star); });
    ikra::objects(w.stars).peach([](Star& star) {
      star.x += 0.001f * star.vx;
      star.y += 0.001f * star.vy;
    });
    if (scope)
      scope->sync(); // before the tree is gone
  }
}

void play(life_world& w, bool scoped) {
  std::optional<ikra::resident> scope;
  open(scope, scoped, w.cells);
  for (int s = 0; s < life_world::steps; ++s) {
    ikra::objects(w.cells).peach([](Cell* c) { c->look(); });
    ikra::objects(w.cells).peach([](Cell* c) { c->step(); });
  }
}

void transfer(bank_world& w, bool scoped) {
  std::optional<ikra::resident> scope;
  open(scope, scoped, w.accounts, w.transfers);
  for (int day = 0; day < bank_world::steps; ++day)
    ikra::objects(w.transfers).peach([day](Transfer* t) { t->run(day); });
}

void search(graph_world& w, bool scoped) {
  std::optional<ikra::resident> scope;
  open(scope, scoped, w.nodes);
  bool more = true;
  for (int depth = 0; more; ++depth) {
    ikra::objects(w.nodes).peach([depth](Node* n) { n->look(depth); });
    ikra::objects(w.nodes).peach([](Node* n) { n->settle(); });
    more = ikra::objects(w.nodes).any([depth](const Node* n) { return n->is_at(depth + 1); });
  }
}

void sway(cloth_world& w, bool scoped) {
  std::optional<ikra::resident> scope;
  open(scope, scoped, w.particles);
  for (int s = 0; s < cloth_world::steps; ++s) {
    ikra::objects(w.particles).peach([](Particle& p) { p.pull(); });
    ikra::objects(w.particles).peach([](Particle& p) { p.move(); });
  }
}

void hunt(meadows_world& w, bool scoped) {
  std::optional<ikra::resident> scope;
  open(scope, scoped, w.meadows, w.animals);
  for (int s = 0; s < meadows_world::steps; ++s) {
    const auto living =
        ikra::objects(w.animals).pselect([](const Animal* a) { return a->alive(); });
    living.peach([](Animal* a) { a->settle(); });
    living.peach(
        [s](Animal* a) { a->live(ikra::random(50, a->number(), static_cast<std::uint32_t>(s))); });
    ikra::objects(w.meadows).peach([](Meadow* m) { m->grow(); });
  }
}

void draw(picture_world& w, bool scoped) {
  std::optional<ikra::resident> scope;
  open(scope, scoped, w.owned);
  const auto depths = ikra::pnew({picture_world::size, picture_world::size},
                                 [shapes = w.shapes](ikra::index<2> at) {
                                   float nearest = 1e9f;
                                   for (const Shape* s : shapes) {
                                     const float depth = s->depth(float(at[1]), float(at[0]));
                                     nearest = depth < nearest ? depth : nearest;
                                   }
                                   return nearest;
                                 });
  w.seen = 0;
  for (const float d : depths)
    w.seen = 31 * w.seen + bits(d);
}

void pay(payroll_world& w, bool scoped) {
  std::optional<ikra::resident> scope;
  open(scope, scoped, w.employees);
  const auto all = ikra::objects(w.employees);
  for (int year = 0; year < payroll_world::years; ++year) {
    all.peach([year](Employee* e) { e->raise(year % 4); });
    w.paid +=
        std::uint64_t(all.pmap([](const Employee* e) { return std::int64_t(e->pay()); }).sum());
    w.paid += std::uint64_t(all.pselect([](const Employee* e) { return e->pay() > 2000; }).size());
  }
}

/// The city of examples/traffic.
struct traffic_world {
  static constexpr int ticks = 100;
  traffic::City city{traffic::generate_roads(5000, 1), 200'000, 1};
  std::uint64_t sum() const { return traffic::checksum(city.actors()); }
};
void drive(traffic_world& w, bool scoped) {
  std::optional<ikra::resident> scope;
  open(scope, scoped, w.city.actors());
  for (std::int64_t now = 0; now < traffic_world::ticks; ++now)
    ikra::objects(w.city.actors()).peach([now](traffic::Actor* a) {
      a->move(traffic::Weather::good, 7, now);
    });
}

template <class World> auto with(void (*run)(World&, bool), bool scope) {
  return [run, scope](World& w) { run(w, scope); };
}

} // namespace

programs by_ikra(bool scope) {
  return {named<traffic_world>("traffic", with(drive, scope)),
          named<bodies_world>("bodies by value, all pairs", with(attract, scope)),
          named<galaxy_world>("Barnes-Hut, a tree each step", with(drift, scope)),
          named<life_world>("life, cells as objects", with(play, scope)),
          named<bank_world>("bank transfers", with(transfer, scope)),
          named<graph_world>("distances in a graph", with(search, scope)),
          named<cloth_world>("cloth of springs", with(sway, scope)),
          named<meadows_world>("rabbits and foxes", with(hunt, scope)),
          named<picture_world>("picture of shapes", with(draw, scope)),
          named<payroll_world>("payroll", with(pay, scope))};
}

} // namespace objects
