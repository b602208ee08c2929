// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Containers, pointers and objects of the program in sections, also through functions and methods: the session has them on the device, and the
// columns view hands them on. What is lazy reads constant ones.
//
// RUN: split-file %s %t
// RUN: %ikrac --print=bodies %t/accepted.cpp -- %ikra_flags | FileCheck %t/accepted.cpp
// RUN: %ikrac -o %t.cu %t/accepted.cpp -- %ikra_flags 2>&1 | count 0
// RUN: FileCheck %t/accepted.cpp --check-prefix=EMIT --input-file %t.cu
// RUN: not %ikrac -o %t.cu %t/refused.cpp -- %ikra_flags 2>&1 | FileCheck %t/refused.cpp

//--- accepted.cpp
#include <ikra/ikra.hpp>
#include <memory>
#include <optional>
#include <utility>
#include <vector>
struct Street {
  float speed = 3;
  int cars = 0;
};
std::unique_ptr<Street> away;
std::vector<Street> streets(2);
std::vector<Street*> some;
Street* home = nullptr;
Street town;
const std::vector<int> steps{4, 5, 6};
class Car {
  static inline std::vector<float> weights{1, 2, 3};

public:
  IKRA_OBJECT
  float v = 0;
  Street* at = nullptr;
  void go() { v += weights[1] + weights.back(); }
};
float fastest() {
  float most = home ? home->speed : away->speed;
  for (const Street& s : streets)
    most += s.speed;
  return most + some.front()->speed;
}
// Classes that nothing else leads to.
struct World {
  float size = 8;
};
struct Weather {
  std::vector<float> rain{1};
  float wind = 3;
};
struct Planet {
  Weather weather;
};
struct Context {
  World* world = nullptr;
};
World* world = nullptr;
std::vector<std::unique_ptr<World>> owners;
World* pair[2] = {};
World here;
World& there = here;
Context context;
Planet planet;
std::vector<std::pair<World*, float>> reached;
std::pair<World*, float> nearest[2];
std::optional<World*> chosen;
void worlds(std::vector<Car>& cars) {
  ikra::objects(cars).peach([](Car* c) {
    c->v += world->size + owners[0]->size + pair[1]->size + there.size;
    c->v += context.world->size + planet.weather.wind;
    c->v += reached[0].first->size + nearest[1].second + (chosen ? (*chosen)->size : 0);
  });
  // CHECK: (member World::size global ::world)
  // CHECK: (member World::size global ::there)
  // CHECK: (member World::size (member Context::world global ::context))
  // CHECK: (member Weather::wind (member Planet::weather global ::planet))
}
void sections(std::vector<Car>& cars, const ikra::array<int>& numbers) {
  ikra::objects(cars).peach([](Car* c) {
    c->go();
    c->at = home;
    c->v += fastest();
    ikra::atomic_add(town.cars, 1);
  });
  // CHECK: evaluate (= (member Car::at id-of-element c) global ::home)
  // CHECK: (library ikra::atomic_add (member Street::cars global ::town) 1)
  const auto later = numbers.pmap([](int n) { return n + steps[1]; });
  // CHECK: return (+ n (subscript global ::steps 1))
  later.value();
}
// CHECK: (+= (member Car::v id-of-element self) (+ (subscript global ::Car::weights 1) (method back global ::Car::weights)))
// EMIT: ikra::list<const float> global_weights;
// EMIT: ikra::object_id global_home;
// EMIT: w.global_weights[1]
// EMIT-DAG: const auto root_global_home = s.root<ikra::rt::references<::Street, Street_class>>(::home);
// EMIT-DAG: const auto root_global_away = s.root<ikra::rt::references<::Street, Street_class>>(::away.get());
// EMIT-DAG: const auto root_global_town = s.root<ikra::rt::references<::Street, Street_class>>(&::town);
// EMIT-DAG: const auto root_global_some = s.roots<ikra::rt::references<::Street, Street_class>>(::some);
// EMIT-DAG: s.roots<ikra::rt::references<::Street, Street_class>>(::ikra::objects(::streets));
// EMIT-DAG: s.view(ikra::object_access<{{[a-z0-9_]*::unit}}, ::Car>::weights())
// EMIT-DAG: s.roots<ikra::rt::references<::World, World_class>>(::ikra::objects(::owners));
// EMIT-DAG: s.roots<ikra::rt::references<::World, World_class>>(::ikra::objects(::pair));
// EMIT-DAG: ikra::list<const std::pair<ikra::object_id, float>> global_reached;
// EMIT-DAG: std::optional<ikra::object_id> global_chosen;
// EMIT-DAG: const auto root_global_reached = s.held_lists(ikra::rt::with_object_ids<{{.*}}, ikra::rt::references<::World, World_class>>(), ::reached);
// EMIT-DAG: s.held_lists({{.*}}, ::nearest);
// EMIT-DAG: s.held_roots({{.*}}, ::chosen);
// EMIT-DAG: &checked_columns_view::global_reached, s.list_with_ids(root_global_reached))
// EMIT-DAG: s.root<ikra::rt::references<::World, World_class>>(&::there);
// EMIT-DAG: s.root<ikra::rt::references<::Planet, Planet_class>>(&::planet);
// EMIT: s.view(::steps)

//--- refused.cpp
#include <ikra/ikra.hpp>
#include <vector>
struct Street {
  float speed = 3;
};
struct Car {
  float v = 0;
};
std::vector<float> weights{1, 2};
std::vector<std::vector<int>> nested;
Street* home = nullptr;
void sections(std::vector<Car>& cars, const ikra::array<int>& numbers, std::vector<Street>& streets) {
  ikra::objects(streets).peach([](Street* s) { s->speed = 1; });
  ikra::objects(cars).peach([](Car* c) { weights[0] = c->v; });
  // CHECK: refused.cpp:[[@LINE-1]]:{{[0-9]+}}: error: 'weights' is a variable outside of objects, which sections do not write
  ikra::objects(cars).peach([](Car*) { home = nullptr; });
  // CHECK: refused.cpp:[[@LINE-1]]:{{[0-9]+}}: error: 'home' is a variable outside of objects, which sections do not write
  ikra::objects(cars).peach([](Car* c) { c->v = float(nested[0][1]); });
  // CHECK: refused.cpp:[[@LINE-1]]:{{[0-9]+}}: error: 'nested' is nothing that sections take from variables of the program; capture a reference, [&nested = nested], or a copy, [nested = nested]
  numbers.pmap([](int n) { return n + int(weights[0]); });
  // CHECK: refused.cpp:[[@LINE-1]]:{{[0-9]+}}: error: 'weights' may have changed when the section runs; capture a copy, [weights = weights], or declare it const
  ikra::objects(cars).pmap([](const Car* c) { return c->v + home->speed; });
  // CHECK: refused.cpp:[[@LINE-1]]:{{[0-9]+}}: error: 'home' may have changed when the section runs; capture a copy, [home = home], or declare it const
}

// Messages say what they are, and what helps.
#include <memory>
#include <string>
#include <utility>
struct Cell {
  std::vector<int> list{1};
  int value = 1;
};
Cell cells[2][3];
volatile int ticks = 3;
std::weak_ptr<Street> lost;
std::string title;
void messages(std::vector<Car>& cars) {
  ikra::objects(cars).peach([](Car* c) { c->v += float(cells[1][2].value); });
  // CHECK: refused.cpp:[[@LINE-1]]:{{[0-9]+}}: error: 'cells' is an array of objects in several dimensions; make it a std::array of std::arrays, and capture a reference, [&cells = cells]
  ikra::objects(cars).peach([](Car* c) { c->v += float(ticks); });
  // CHECK: refused.cpp:[[@LINE-1]]:{{[0-9]+}}: error: 'ticks' is volatile; capture a copy, [ticks = ticks]
  ikra::objects(cars).peach([](Car* c) { c->v += lost.lock()->speed; });
  // CHECK: refused.cpp:[[@LINE-1]]:{{[0-9]+}}: error: 'lost' is nothing that sections take from variables of the program; capture what it leads to, [p = lost.lock().get()]
}
