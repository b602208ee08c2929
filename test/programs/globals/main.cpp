// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables of the program in sections: containers, pointers and objects, in lambdas, functions and
// methods, and their values when each section starts; constant ones in a lazy operation too.

#include <array>
#include <cstdio>
#include <ikra/ikra.hpp>
#include <memory>
#include <optional>
#include <vector>
struct Street {
  float speed = 3;
  int cars = 0;
};
struct Car {
  static inline std::vector<float> weights{1, 2, 3};
  float v = 0;
  int k = 0;
  Street* at = nullptr;
  void go();
};
std::vector<Street> streets(2);
Street* home = nullptr;
std::unique_ptr<Street> away = std::make_unique<Street>();
std::vector<Street*> some;
Street town;
const std::vector<int> steps{4, 5, 6};
namespace settings {
static std::vector<int> limits{7, 8};
}
float total() {
  float sum = 0;
  for (const float w : Car::weights)
    sum += w;
  return sum;
}
void Car::go() {
  v += weights[k % weights.size()] + float(settings::limits.back());
  at = home;
  if (home)
    v += home->speed;
  v += away->speed + town.speed;
  for (const Street* s : some)
    v += s->speed;
  ikra::atomic_add(town.cars, 1);
}

// Sections that run as a sequence, and objects that are told apart.
namespace actors {
struct Actor {
  virtual ~Actor() = default;
  virtual float pay() const { return x; }
  virtual void go();
  float x = 1;
};
struct Boss : Actor {
  float pay() const override { return 2 * x; }
};
Actor* boss = nullptr;
std::vector<float> weights{1, 2};
void Actor::go() { x += boss->pay() * 0.5f + weights[0]; }
void run() {
  Actor first, second;
  Boss third, one;
  std::vector<Actor*> all{&third, &first, &second};
  boss = &one;
  const ikra::array actors{all};
  for (int t = 0; t < 5; ++t) {
    actors.peach([](Actor* a) { a->go(); });
    actors.peach([](Actor* a) { a->x += weights[1]; });
  }
  boss = all[1];
  weights = {3, 4, 5};
  {
    ikra::resident scope{all};
    for (int t = 0; t < 5; ++t) {
      actors.peach([](Actor* a) { a->x += weights.back() + float(boss == a); });
      actors.peach(2, [](Actor* a) { a->x += weights.at(1); });
    }
  }
  for (Actor* a : all)
    std::printf("%g ", double(a->x));
  std::puts("");
}
} // namespace actors

// Plain structs that only variables of the program lead to.
namespace worlds {
struct World {
  float size = 8;
  int now = 1;
  int hits = 0;
  float wide() const { return size * 2; }
};
World* world = nullptr;
const World* seen = nullptr;
std::unique_ptr<World> owned = std::make_unique<World>();
std::shared_ptr<World> shared = std::make_shared<World>();
std::vector<World*> several;
std::vector<std::unique_ptr<World>> owners;
std::array<World*, 2> pair{};
World* plain[2] = {};
struct Context {
  World* w = nullptr;
  int k = 2;
};
Context context;
struct Zoo {
  static inline World* home = nullptr;
  static inline std::unique_ptr<World> den = std::make_unique<World>();
};
int base = 4;
const int& alias = base;
World here2;
World& there = here2;
struct Big {
  World* w = nullptr;
  std::vector<int> v{1, 2};
  virtual ~Big() = default;
  int f() const { return v[1]; }
};
Big big;
Big& also = big;
const Big& calso = big;
template <class T> struct Of {
  static inline T* one = nullptr;
};
namespace deep {
namespace {
World* hidden = nullptr;
}
} // namespace deep
struct Boid {
  float x = 7;
  int k = 0;
  virtual ~Boid() = default;
  virtual void step() {
    x += 2;
    if (x >= world->size)
      x -= world->size;
    x += seen->wide() + owned->size + shared->size + Zoo::home->size + Zoo::den->size;
    for (const World* w : several)
      x += w->size;
    for (const auto& w : owners)
      x += w->size;
    for (const World* w : pair)
      x += w->size;
    for (const World* w : plain)
      x += w->size;
    x += pair[k % 2]->size + plain[k % 2]->wide();
  }
};
struct Fast : Boid {
  void step() override {
    Boid::step();
    x += context.w->size + context.k + Of<World>::one->size;
  }
};
float helper(const Boid* b) { return deep::hidden->size + float(b->k); }
void run() {
  World here, other;
  other.size = 3;
  world = &here;
  seen = &other;
  several = {&here, &other};
  pair = {&here, &other};
  plain[0] = &other;
  plain[1] = &here;
  owners.push_back(std::make_unique<World>());
  context.w = &other;
  Zoo::home = &other;
  Of<World>::one = &here;
  deep::hidden = &here;
  big.w = &other;
  std::vector<std::unique_ptr<Boid>> flock;
  for (int i = 0; i < 5; ++i) {
    if (i % 2)
      flock.push_back(std::make_unique<Fast>());
    else
      flock.push_back(std::make_unique<Boid>());
    flock.back()->k = i;
  }
  for (int t = 0; t < 3; ++t) {
    ikra::array{flock}.peach([](Boid* b) { b->step(); });
    ikra::array{flock}.peach(2, [](auto* b) {
      b->x += helper(b) + float(alias) + there.size + float(also.v[0]) + big.w->size +
              float(calso.f()) + also.w->wide();
    });
    ikra::array{flock}.peach([](Boid* b) {
      ikra::atomic_add(world->hits, b->k);
      ikra::atomic_add(also.w->hits, 1);
    });
    here.size += 1;
    base += 2;
    there.size += 0.5f;
    std::swap(pair[0], pair[1]);
    owners.push_back(std::make_unique<World>());
    context.k++;
    std::swap(world, plain[1]);
  }
  for (auto& b : flock)
    std::printf("%.9g ", double(b->x));
  std::printf("%d %d\n", here.hits, other.hits);
}
} // namespace worlds

// Objects that a variable holds by value, in others.
namespace weather {
struct Cloud {
  float wet = 1;
};
struct Low {
  float wet = 2;
};
struct Weather {
  std::vector<double> rain{1, 2};
  double wind = 3;
  std::vector<Cloud> clouds{3};
  Cloud top;
  std::unique_ptr<Low> low = std::make_unique<Low>();
  double gust() const { return wind * rain[1]; }
};
struct World {
  Weather weather;
  Weather zones[2];
  std::array<Weather, 2> more;
  Cloud one;
  int hits = 0;
  double wind() const { return weather.wind; }
};
World world;
std::vector<World> worlds(2);
World pairw[2];
std::optional<World> maybe;
const World fixed;
struct Bird {
  double x = 0;
  int k = 0;
  void fly() {
    const Weather& w = world.weather;
    x += w.wind + w.gust() + world.weather.gust();
    for (const double r : world.weather.rain)
      x += r;
    for (const Cloud& c : world.weather.clouds)
      x += c.wet;
    x += worlds[1].weather.wind + pairw[1].weather.wind + worlds[0].zones[1].gust() +
         world.more[k % 2].wind;
    x += world.weather.top.wet + world.weather.low->wet + world.one.wet + fixed.weather.wind +
         fixed.wind();
    for (const World& o : worlds) {
      x += o.weather.rain[0];
      for (const Weather& z : o.zones)
        x += z.gust();
    }
    for (const auto& z : world.zones)
      x += z.wind;
    ikra::atomic_add(world.hits, 1);
  }
};
void run() {
  std::vector<Bird> birds(4);
  for (int t = 0; t < 3; ++t) {
    ikra::objects(birds).peach([](Bird* b) {
      b->x += world.weather.wind;
      b->fly();
    });
    world.weather.wind += 1;
    worlds[1].weather.rain[1] = 9;
    pairw[1].weather.wind = 7;
    world.weather.rain.push_back(5);
    world.weather.clouds.emplace_back();
    world.zones[1].wind = t;
  }
  std::printf("%.12g %d\n", birds[1].x, world.hits);
}
} // namespace weather

// Classes whose values are elements, too; sections that are functions and function objects;
// templates.
namespace roads {
struct V2 {
  float x = 1, y = 2;
  V2 operator+(const V2& o) const { return {x + o.x, y + o.y}; }
};
V2* cursor = nullptr;
V2 origin{3, 4};
std::vector<V2> points(3);
struct Road {
  float len = 2;
};
struct Map {
  Road* main = nullptr;
  Road side;
  float k = 1;
};
Map map;
Map maps[2];
std::vector<Map> atlas(2);
const Map* chosen = nullptr;
template <class T> struct Grid {
  static inline T* one = nullptr;
  static inline std::vector<T*> all;
};
struct Car {
  float x = 0;
  V2 at;
  void go() {
    at = at + *cursor + origin;
    x += at.x + points[1].y;
  }
};
void named(Car* c) {
  c->x += map.main->len + map.side.len + maps[1].main->len + atlas[1].side.len;
  for (const Map& m : atlas)
    c->x += m.main->len;
}
struct Object {
  void operator()(Car* c) const { c->x += chosen->main->len + chosen->k; }
};
template <class C> void any(C& c) {
  c.x += Grid<Road>::one->len;
  for (const Road* r : Grid<Road>::all)
    c.x += r->len;
}
void run() {
  V2 here{5, 6};
  Road one, two;
  two.len = 7;
  cursor = &here;
  map.main = &one;
  map.side.len = 9;
  chosen = &map;
  for (auto& m : maps)
    m.main = &two;
  for (auto& m : atlas)
    m.main = &one;
  Grid<Road>::one = &two;
  Grid<Road>::all = {&one, &two};
  std::vector<Car> cars(4);
  const auto sum = ikra::array{std::vector<V2>{{1, 2}, {3, 4}}}.pmap([](V2 v) { return v + v; });
  for (int t = 0; t < 3; ++t) {
    ikra::objects(cars).peach([](Car* c) { c->go(); });
    ikra::objects(cars).peach(named);
    ikra::objects(cars).peach(&named);
    ikra::objects(cars).peach(Object{});
    auto f = [](Car* c) { any(*c); };
    ikra::objects(cars).peach(f);
    ikra::objects(cars).peach([](auto& c) { any(c); });
    ikra::objects(cars).peach(&Car::go);
    here.x += 1;
    std::swap(Grid<Road>::one, map.main);
    origin.y += 2;
    points[1].y++;
  }
  std::printf("%.9g %g\n", double(cars[2].x), double(sum.to_vector()[1].y));
}
} // namespace roads

namespace nameless {
// Values, and enumerations without a name in columns.
constexpr struct Kind {
  int cost;
  double gain;
} cheap = {1, 0.5}, dear = {2, 1.5};
struct Pace {
  int by = 3;
} pace;
typedef enum { Off = 1, On = 2 } Mode;
struct Ant {
  enum { Young = 5, Old } age = Young;
  Mode mode = On;
  double energy = 0;
};
void run() {
  static Ant queen;
  static std::vector<int> drawn{4, 2};
  std::vector<Ant> ants(40);
  for (int turn = 0; turn < 3; ++turn) {
    pace.by += turn;
    queen.energy += 0.5;
    drawn[1] += turn;
    ikra::objects(ants).peach([&first = queen, drawn = drawn](Ant& a) {
      const auto& kind = a.mode == On ? dear : cheap;
      a.energy += kind.gain * kind.cost + pace.by + first.energy + drawn[1];
      a.mode = a.mode == On ? Off : On;
      a.age = Ant::Old;
    });
  }
  std::printf("%g %d %d\n", ants[30].energy, ants[30].mode, ants[30].age);
}
} // namespace nameless

int main() {
  std::vector<Car> cars(5);
  for (int i = 0; i < 5; ++i)
    cars[i].k = i;
  for (int turn = 0; turn < 3; ++turn) {
    home = turn == 2 ? nullptr : &streets[turn];
    streets[turn % 2].speed = float(turn + 5);
    some.push_back(&streets[0]);
    Car::weights.push_back(float(turn));
    settings::limits.back() += turn;
    ikra::resident scope{cars};
    ikra::objects(cars).peach(2, [](Car* c) {
      c->go();
      c->v += total() + Car::weights.front() + streets[1].speed;
      for (const Street& s : streets)
        c->v += s.speed;
    });
    scope.sync();
    for (const Car& c : cars)
      std::printf("%g %d\n", double(c.v), c.at ? int(c.at - streets.data()) : -1);
  }
  const auto plus = ikra::array{std::vector{1, 2, 3}}.pmap(
      [](int x) { return x + steps[x % 3] + int(steps.size()); });
  for (const int x : plus)
    std::printf("%d ", x);
  std::printf("%d\n", town.cars);
  actors::run();
  worlds::run();
  weather::run();
  roads::run();
  nameless::run();
}
