// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What programs do with objects besides calling their methods: walks over trees with a stack of
// pointers, dynamic_cast and typeid, virtual bases, pointers that may have expired, arrays in
// several dimensions, optionals of pointers, and variables and arrays of the program.
#include "variants.hpp"

#include <ikra/ikra.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <memory>
#include <optional>
#include <typeinfo>
#include <utility>
#include <vector>

namespace {

// Barnes and Hut's tree in one dimension.
struct Cell {
  float centre = 0, mass = 0, size = 0;
  Cell* left = nullptr;
  Cell* right = nullptr;
};
struct Star {
  float x = 0, pull = 0, nearest = 0;
  int deepest = 0;
  std::array<Star*, 3> next{};
};

float pop(const Cell** stack, int& top, float& mass) {
  const Cell* cell = stack[--top];
  mass = cell->mass;
  return cell->centre;
}

void trees() {
  std::vector<std::unique_ptr<Cell>> cells;
  for (int i = 0; i < 63; ++i) {
    cells.push_back(std::make_unique<Cell>());
    *cells.back() = {float(i % 17), 1.0f + float(i % 3), 32.0f / float(i + 1), nullptr, nullptr};
  }
  for (std::size_t i = 0; i < 31; ++i) {
    cells[i]->left = cells[2 * i + 1].get();
    if (i != 30)
      cells[i]->right = cells[2 * i + 2].get();
  }
  std::vector<Star> stars(40);
  for (std::size_t i = 0; i < 40; ++i) {
    stars[i].x = float(i) * 0.75f;
    for (std::size_t k = 0; k < 3; ++k)
      stars[i].next[k] = i % (k + 2) == 0 ? nullptr : &stars[(i * 5 + k) % 40];
  }
  const Cell* root = cells.front().get();
  const ikra::array all = ikra::objects(stars);
  all.peach([root](Star& star) {
    const Cell* stack[32];
    int top = 0;
    stack[top++] = root;
    while (top > 0) {
      const Cell* cell = stack[--top];
      const float distance = cell->centre - star.x;
      if (cell->left == nullptr || cell->size < distance * distance) {
        star.pull += cell->mass * distance;
        continue;
      }
      stack[top++] = cell->left;
      if (cell->right)
        stack[top++] = cell->right;
    }
  });
  // With the depth beside the pointer, and by a function that is given the stack.
  all.peach([root](Star* star) {
    std::pair<const Cell*, int> stack[16];
    int top = 0;
    stack[top++] = {root, 1};
    while (top > 0) {
      const auto [cell, depth] = stack[--top];
      if (depth > star->deepest && cell->centre > star->x)
        star->deepest = depth;
      if (cell->left && top < 15)
        stack[top++] = {cell->left, depth + 1};
    }
    const Cell* two[2] = {root, root->left};
    int left = 2;
    while (left > 0) {
      float mass = 0;
      star->nearest += pop(two, left, mass) * mass;
    }
  });
  all.peach([](Star* star) {
    std::array<const Star*, 4> seen{};
    std::size_t count = 0;
    for (const Star* other : star->next)
      if (other != nullptr)
        seen[count++] = other;
    seen[count] = star;
    float sum = 0;
    for (std::size_t k = 0; k < seen.size(); ++k)
      if (seen[k])
        sum += seen[k]->x;
    for (const Star* each : seen)
      sum += each == nullptr ? 0.5f : each->x;
    star->nearest += sum + seen.front()->x + (seen.back() ? 1.0f : 2.0f) + float(seen.empty());
  });
  for (const Star& star : stars)
    std::printf("%a %a %d\n", double(star.pull), double(star.nearest), star.deepest);
}

// Classes told apart.
struct Shape {
  virtual ~Shape() = default;
  int id = 0;
};
struct Circle : Shape {
  float radius = 2;
};
struct Square : Shape {
  float side = 3;
};
struct Ring : Circle {
  float hole = 1;
};
struct Painted {
  virtual ~Painted() = default;
  int colour = 7;
};
struct PaintedSquare : Square, Painted {};
struct Alone { // no shape
  virtual ~Alone() = default;
  int id = 1;
};
struct Holder {
  Shape* shape = nullptr;
  std::weak_ptr<Circle> watched;
  float area = 0;
  int kind = 0;
};

void classes() {
  std::vector<std::unique_ptr<Shape>> shapes;
  std::vector<std::shared_ptr<Circle>> watched;
  std::vector<Holder> holders(30);
  for (int i = 0; i < 30; ++i) {
    if (i % 4 == 0)
      shapes.push_back(std::make_unique<Circle>());
    else if (i % 4 == 1)
      shapes.push_back(std::make_unique<Square>());
    else if (i % 4 == 2)
      shapes.push_back(std::make_unique<Ring>());
    else
      shapes.push_back(std::make_unique<PaintedSquare>());
    shapes.back()->id = i;
    watched.push_back(std::make_shared<Circle>());
    watched.back()->radius = float(i);
    Holder& holder = holders[std::size_t(i)];
    holder.shape = i == 13 ? nullptr : shapes.back().get();
    if (i % 3 != 0)
      holder.watched = watched.back();
  }
  for (std::size_t i = 0; i < 30; i += 5)
    watched[i] = nullptr;

  ikra::objects(holders).peach([](Holder& holder) {
    if (auto* circle = dynamic_cast<Circle*>(holder.shape))
      holder.area = circle->radius * 3;
    else if (const auto* square = dynamic_cast<const Square*>(holder.shape))
      holder.area = square->side * square->side;
    if (const Ring* ring = dynamic_cast<Ring*>(holder.shape))
      holder.area -= ring->hole;
    if (const auto* painted = dynamic_cast<Painted*>(holder.shape)) // to another base
      holder.kind = painted->colour;
    if (holder.shape != nullptr && typeid(*holder.shape) == typeid(Circle))
      holder.kind += 100;
    if (holder.shape != nullptr && typeid(*holder.shape) != typeid(Square))
      holder.kind += 1000;
  });
  ikra::objects(holders).peach([](Holder* holder) {
    if (const auto circle = holder->watched.lock())
      holder->area += circle->radius;
    if (holder->watched.expired())
      holder->area -= 0.5f;
  });
  for (const Holder& holder : holders)
    std::printf("%a %d\n", double(holder.area), holder.kind);
  const auto holes = ikra::array{shapes}.pmap([](const Shape* shape) {
    const auto* ring = dynamic_cast<const Ring*>(shape);
    return ring == nullptr ? -1.0f : ring->hole;
  });
  const auto rings =
      ikra::array{shapes}.pselect([](const Shape& shape) { return typeid(shape) == typeid(Ring); });
  const Shape* first = shapes[0].get();
  const Alone alone;
  const Alone* unrelated = &alone;
  std::printf("%d\n", int(ikra::array{shapes}.count([first, unrelated](const Shape& shape) {
                return typeid(shape) == typeid(*first) && typeid(shape) != typeid(*unrelated);
              })));
  std::printf("%g %g %d\n", double(holes[0]), double(holes[2]), int(rings.size()));
}

// A base that two bases share.
struct Named {
  virtual ~Named() = default;
  int id = 1;
};
struct Left : virtual Named {
  int left = 2;
  virtual void go() { left += id; }
};
struct Right : virtual Named {
  int right = 3;
};
struct Both : Left, Right {
  void go() override {
    left += right + id;
    ++id;
  }
};
struct Watcher {
  Named* named = nullptr;
  int seen = 0;
};

void virtual_bases() {
  std::vector<std::unique_ptr<Left>> all;
  std::vector<Watcher> watchers(9);
  for (std::size_t i = 0; i < 9; ++i) {
    if (i % 3 == 0)
      all.push_back(std::make_unique<Left>());
    else
      all.push_back(std::make_unique<Both>());
    watchers[i].named = all.back().get();
  }
  ikra::array{all}.peach([](Left* each) { each->go(); });
  {
    ikra::resident scope{all};
    ikra::array{all}.peach(5, [](Left* each) { each->go(); });
  }
  ikra::objects(watchers).peach([](Watcher& watcher) { watcher.seen = watcher.named->id; });
  for (std::size_t i = 0; i < 9; ++i)
    std::printf("%d %d %d\n", all[i]->left, all[i]->id, watchers[i].seen);
}

// Arrays in several dimensions.
struct Rigid {
  float turn[3][3];
  float axis[3];
  float out[3] = {0, 0, 0};
  int grid[2][3][2] = {};
  const char letters[2][2] = {{'a', 'b'}, {'c', 'd'}};

  float row(int i) const {
    float sum = 0;
    for (int j = 0; j < 3; ++j)
      sum += turn[i][j] * axis[j];
    return sum;
  }
};
float total(const float (&values)[3]) { return values[0] + values[1] + values[2]; }

void matrices() {
  std::vector<Rigid> all(10);
  for (int i = 0; i < 10; ++i)
    for (int a = 0; a < 3; ++a) {
      all[std::size_t(i)].axis[a] = float(a + i);
      for (int b = 0; b < 3; ++b)
        all[std::size_t(i)].turn[a][b] = float(i + a * b);
    }
  ikra::objects(all).peach([](Rigid* r) {
    for (int i = 0; i < 3; ++i)
      r->out[i] = r->row(i);
    for (auto& row : r->turn)
      for (float& each : row)
        each += 0.5f;
    const auto& first = r->turn[0];
    r->out[0] += first[1] + total(r->turn[2]);
  });
  ikra::objects(all).peach(3, [](Rigid& r) {
    r.turn[1][2] += 1;
    ++r.grid[1][r.letters[1][1] - 'b'][r.grid[0][0][0] % 2];
  });
  for (const Rigid& r : all)
    std::printf("%a %a %a %a %d\n", double(r.out[0]), double(r.out[2]), double(r.turn[1][2]),
                double(r.turn[2][0]), r.grid[1][2][0]);
}

// Variables of the program.
float gravity = 1;
struct Config {
  float drag = 0.5f;
  int steps = 2;
  float at(int k) const { return drag * float(k + steps); }
};
Config config;
template <class T> struct Weighed { // each class has its own
  static inline float weight = 1;
};
struct Ball : Weighed<Ball> {
  float v = 0;
  static inline int bounces = 3;
  static float table(int k);

  void step() {
    v = v * config.drag + gravity + float(bounces) + config.at(2) + table(bounces) * weight;
  }
};
std::array<float, 4> values = {1, 2, 3, 4};
float Ball::table(int k) { return values[std::size_t(k)]; }

void variables() {
  std::vector<Ball> balls(6);
  gravity = 3.5f;
  Ball::weight = 0.5f;
  ikra::objects(balls).peach([](Ball* ball) { ball->step(); });
  gravity = 4.5f;
  Ball::bounces = 1;
  config.steps = 7;
  values[1] = 9;
  ikra::objects(balls).peach(3, [](Ball& ball) { ball.step(); });
  ikra::array{std::vector<int>{1, 2, 3}}.peach(
      [&total = *balls.data()](int x) { ikra::atomic_add(total.v, float(x) * gravity); });
  for (const Ball& ball : balls)
    std::printf("%a\n", double(ball.v));
}

// Lazy operations over objects, which run on the objects as they are where no scope holds them.
struct Body {
  virtual ~Body() = default;
  virtual float weight() const { return mass; }
  float mass = 1, x = 0;
  Body* partner = nullptr;
};
struct Heavy : Body {
  float weight() const override { return 3 * mass; }
};

void lazily() {
  std::vector<std::unique_ptr<Body>> owners;
  for (int i = 0; i < 5000; ++i) {
    owners.push_back(i % 3 ? std::make_unique<Body>() : std::make_unique<Heavy>());
    owners.back()->mass = float(i * 37 % 101);
    owners.back()->partner = i % 7 ? owners[std::size_t(i / 2)].get() : nullptr;
  }
  const ikra::array bodies{owners};
  const auto show = [&] {
    const auto weights = bodies.pmap([](const Body& b) { return double(b.weight()); });
    const auto heavy = bodies.pselect([](const Body& b) { return b.weight() > 250; });
    const auto tracked = heavy.with_index().pmap([](const Body* b, std::int64_t i) {
      return b->partner ? b->partner->mass + float(i) : -1.0f;
    });
    const auto most =
        bodies.preduce([](Body* a, Body* b) { return a->mass + a->x < b->mass + b->x ? b : a; });
    const auto from =
        bodies.preduce(owners[3].get(), [](Body* a, Body* b) { return a->x < b->x ? b : a; });
    const auto moved = bodies.pcombine(weights, bodies, [](const Body* a, double w, const Body* b) {
      return a == b ? w * double(a->x) : -1.0;
    });
    const auto square = bodies.reshape({50, 100}).with_index().pmap(
        [](const Body* b, ikra::index<2> at) { return int(b->mass) * int(at[0] - at[1]); });
    std::printf("%g %zu %g %g %g %g %d\n", weights.sum(), heavy.size(), double(tracked.sum()),
                double(most[0]->mass), double(from[0]->mass), moved.sum(), square.sum());
  };
  show();
  bodies.peach([](Body& b) { b.x += b.weight(); });
  show();
  const ikra::resident scope{bodies};
  bodies.peach([](Body& b) { b.x += b.partner ? b.partner->mass : 1; });
  show();
  std::vector<Body*> some{nullptr, owners[1].get(), nullptr, owners[9].get()};
  std::printf(
      "%g\n",
      double(ikra::array{some}.pmap([](const Body* b) { return b ? b->mass : 0.5f; }).sum()));
}

} // namespace

// Optionals of pointers, in members, containers, pairs and results; arrays beside the objects.
float rates[3] = {1, 2, 3};
namespace weather {
struct Wind {
  float x, y;
};
float rain[4][3];
Wind winds[5];
std::array<int, 3> days;
} // namespace weather

namespace {

struct Policy {
  static inline double interest[4] = {0.5, 0.25, 2, 1};
};
struct Shop {
  float price = 0;
};
struct Person {
  int id = 0;
  std::optional<Person*> mate;
  std::vector<std::optional<Shop*>> shops;
  std::pair<std::optional<const Shop*>, int> favourite;
  double sum = 0;

  std::optional<Person*> second() const {
    if (!mate)
      return std::nullopt;
    return (*mate)->mate;
  }
  void visit() {
    for (const auto& shop : shops)
      sum += shop ? (*shop)->price : 0.5f;
    if (favourite.first.has_value())
      sum += favourite.first.value()->price * float(favourite.second);
    if (const auto other = second())
      sum += (*other)->id * 0.25;
    if (const Person* next = mate.value_or(nullptr); next != nullptr)
      sum += next->id;
  }
  void live() {
    for (const float rate : rates)
      sum += rate;
    for (const auto& row : weather::rain)
      for (const float value : row)
        sum += value;
    sum += weather::winds[id % 5].y + float(weather::days[std::size_t(id % 3)]) +
           weather::rain[id % 4][id % 3] + rates[id % 3];
    sum *= Policy::interest[id % 4];
  }
};

void people() {
  std::vector<Shop> shops(6);
  for (int i = 0; i < 6; ++i)
    shops[std::size_t(i)].price = float(i) + 0.5f;
  std::vector<std::unique_ptr<Person>> people;
  for (int i = 0; i < 60; ++i)
    people.push_back(std::make_unique<Person>());
  for (int i = 0; i < 60; ++i) {
    Person& one = *people[std::size_t(i)];
    one.id = i;
    if (i % 3 != 0)
      one.mate = people[std::size_t(i * 7 % 60)].get();
    for (int k = 0; k < i % 5; ++k)
      one.shops.push_back(k % 2 != 0 ? std::optional(&shops[std::size_t((i + k) % 6)])
                                     : std::nullopt);
    if (i % 4 == 1)
      one.favourite = {&shops[std::size_t(i % 6)], i};
  }
  const auto all = ikra::objects(people);
  const auto turn = [&](int tick) {
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 3; ++j)
        weather::rain[i][j] = float(i * j + tick);
    for (int i = 0; i < 5; ++i)
      weather::winds[i] = {float(i), float(i * tick)};
    weather::days[1] = tick;
    rates[tick] *= 2;
    Policy::interest[tick] += 1;
    all.peach(2, [](Person* one) { one->live(); });
    all.peach([](Person* one) { one->visit(); });
    all.peach([](Person* one) {
      if (one->id % 4 == 0)
        one->mate = std::nullopt;
      else if (one->id % 4 == 1)
        one->mate = one;
      else if (one->id % 4 == 2)
        one->mate.reset();
    });
  };
  turn(0);
  {
    const ikra::resident scope{all};
    turn(1);
  }
  turn(2);
  for (const auto& one : people)
    std::printf("%a %d\n", one->sum, one->mate ? (*one->mate)->id : -1);
  const auto seconds = all.pmap([](const Person* one) { return one->second(); });
  const auto numbers =
      seconds.pmap([](std::optional<Person*> of) { return of ? (*of)->id * 2 : -1; });
  for (int i = 0; i < 60; ++i)
    std::printf("%d %d\n", seconds[i] ? (*seconds[i])->id : -1, numbers[i]);
}

// Objects that may not be there, owners in containers of containers, and static members that are
// not public.
class Engine {
public:
  Engine() = default;
  explicit Engine(int power) : power_(power), gears_{power, 2} {}
  int turn(int by) {
    power_ += by;
    return gears_.front() + power_;
  }
  int power() const { return power_; }

private:
  int power_ = 2;
  std::vector<int> gears_{1};
  IKRA_OBJECT
};
struct Wheel {
  int size = 1;
};
class Car {
public:
  std::optional<Engine> engine;
  std::vector<std::optional<Engine>> spares;
  std::vector<std::vector<std::unique_ptr<Wheel>>> axles;
  std::array<std::unique_ptr<Wheel>, 2> steering;
  int sum = 0;

  static void set(double rate, int limit) {
    rates_[1] = rate;
    limits_[0] += limit;
    ++count_;
  }
  double taxes() const { return taxes_; }
  void drive() {
    if (engine)
      sum += engine->turn(1);
    if (engine.has_value() && engine != std::nullopt)
      sum += (*engine).power();
    else
      sum -= engine == std::nullopt ? 7 : 0;
    const auto& first = engine;
    sum += first ? first->power() : 11;
    for (auto& spare : spares)
      if (spare)
        sum += spare->turn(2);
  }
  void roll() {
    for (auto& axle : axles)
      for (auto& wheel : axle)
        sum += wheel ? wheel->size : 3;
    for (const auto& axle : axles)
      if (!axle.empty() && axle.back())
        axle.back()->size += 2;
    if (steering[0] != nullptr)
      sum += steering[0]->size;
  }
  void pay() {
    taxes_ += rates_[sum & 1] * shares_[static_cast<std::size_t>(sum & 1)] +
              limits_[static_cast<std::size_t>(sum & 1)] + count_ + tariff_.base;
  }

private:
  struct Tariff {
    int base;
  };
  static inline double rates_[2] = {0.5, 2};
  static inline std::array<int, 2> limits_{3, 4};
  static inline int count_ = 1;
  static inline Tariff tariff_{9};
  static constexpr double shares_[] = {1, 0.25};
  double taxes_ = 0;
  IKRA_OBJECT
};

void cars() {
  std::vector<Car> cars(30);
  for (int i = 0; i < 30; ++i) {
    Car& car = cars[std::size_t(i)];
    if (i % 3 != 0)
      car.engine.emplace(i);
    for (int k = 0; k < i % 4; ++k)
      car.spares.push_back(k % 2 != 0 ? std::optional(Engine(k)) : std::nullopt);
    car.axles.resize(std::size_t(i % 3));
    for (auto& axle : car.axles)
      for (int k = 0; k < i % 5; ++k)
        axle.push_back(k == 1 ? nullptr : std::make_unique<Wheel>());
    if (i % 2 != 0)
      car.steering[0] = std::make_unique<Wheel>();
  }
  const auto all = ikra::objects(cars);
  const auto turn = [&] {
    all.peach(2, [](Car& car) { car.drive(); });
    all.peach([](Car& car) { car.roll(); });
    all.peach([](Car& car) { car.pay(); });
  };
  turn();
  Car::set(7, 2);
  cars[3].engine = Engine(40);
  cars[4].engine.reset();
  turn();
  {
    ikra::resident scope{all};
    turn();
    scope.sync();
    cars[5].engine = std::nullopt;
    cars[6].engine.emplace(3);
    scope.changed();
    turn();
  }
  for (const Car& car : cars)
    std::printf("%d %d %a %d\n", car.sum, car.engine ? car.engine->power() : -1, car.taxes(),
                car.axles.empty() || car.axles[0].empty() ? -1 : car.axles[0][0]->size);
}

// Structs with pointers to objects, in arrays.
struct City {
  float size = 1;
  City* next = nullptr;
};
struct Way {
  const City* from;
  const City* to = nullptr;
  float length = 1.5f;
  short lanes = 2;
  bool operator==(const Way&) const = default;
};

const City* some_city(Way way) { return way.from->next; }

void ways() {
  std::vector<City> cities(200);
  for (int i = 0; i < 200; ++i)
    cities[std::size_t(i)] = {float(i % 17), i % 5 ? &cities[std::size_t(i * 7 % 200)] : nullptr};
  std::vector<Way> built;
  for (int i = 0; i < 300; ++i)
    built.push_back({&cities[std::size_t(i * 3 % 200)], cities[std::size_t(i % 200)].next,
                     float(i % 11), short(i % 3)});
  const ikra::array<Way, 1> ways{built};
  const auto cost = ways.pmap([](const Way& way) {
    return way.length + way.from->size + (way.to ? way.to->size * float(way.lanes) : 0.5f);
  });
  const auto all = ikra::objects(cities);
  const auto onward = all.pmap([](const City* city) { return Way{city, city->next}; });
  const auto turned = onward.pmap([](Way way) {
    if (way.to == nullptr)
      return Way{way.from, way.from, way.from->size, 3};
    std::swap(way.from, way.to);
    way.length += way.from->size;
    return way;
  });
  const auto best = turned.preduce([](const Way& a, const Way& b) {
    return a.length + a.to->size < b.length + b.to->size ? b : a;
  });
  const auto pairs =
      all.pcombine(turned, [](const City* city, const Way& way) { return std::pair(way, city); });
  const auto same = pairs.pmap([](const std::pair<Way, const City*>& of) {
    return of.first.to == of.second ? of.first.length : -1.0f;
  });
  // Captured, alone and in others.
  const Way first = turned[3];
  const std::optional<std::pair<const City*, int>> none, some = std::pair(&cities[7], 4);
  const auto from_first = all.pmap([first, some, none](const City* city) {
    return (first.from == city ? first.length : first.to->size) + (none ? none->first->size : 0) +
           some->first->size * float(some->second);
  });
  ikra::array{std::vector<int>{1, 2, 3}}.peach([first, &cities](int i) {
    cities[std::size_t(i)].size += first.from->size * first.length + float(first.lanes);
  });
  all.peach(2, [first](City& city) {
    if (&city != first.from && &city != first.to && &city != some_city(first))
      city.size += first.length + first.from->size;
  });
  std::printf("%a %a\n", double(from_first.sum()),
              double(all.pmap([](const City& city) { return city.size; }).sum()));
  std::printf("%a %a %td %a\n", double(cost.sum()), double(best.value().length),
              best.value().from - cities.data(), double(same.sum()));
  for (int i = 0; i < 200; i += 9)
    std::printf("%td %a %d %d\n", turned[i].from - cities.data(), double(turned[i].length),
                turned[i].lanes, int(onward[i] == turned[i]));
}

struct Dot {
  int size = 1;
};

/// ikra::objects of pointers, as of owners.
void pointers() {
  std::vector<Dot> dots(5);
  std::vector<Dot*> all;
  for (Dot& dot : dots)
    all.push_back(&dot);
  const std::vector<const Dot*> constant(all.begin(), all.end());
  Dot* built_in[] = {all[1], all[3]};
  const std::deque<Dot*> queue(all.begin() + 2, all.end());
  {
    ikra::resident scope{all};
    for (int t = 0; t < 3; ++t) {
      ikra::objects(all).peach([t](Dot* dot) { dot->size += t; });
      ikra::objects(all).peach([](Dot& dot) { dot.size *= 2; });
    }
    ikra::objects(built_in).peach([](Dot& dot) { dot.size += 100; });
    ikra::objects(queue).peach([](Dot* dot) { dot->size -= 7; });
  }
  std::printf(
      "%d %d\n", ikra::objects(constant).pmap([](const Dot* dot) { return dot->size; }).sum(),
      ikra::objects(std::vector<Dot*>{all[3]}).pmap([](const Dot& dot) { return dot.size; })[0]);
}

struct Lamp {
  int watts = 3, hours = 0;
  int cells[3] = {1, 2, 3};
  std::pair<int, int> ends{1, 2};
  std::array<float, 2> at{};
  std::vector<int> log{4, 5};
  Lamp* next = nullptr;
  int& power() { return watts; }
};
template <class T> const T larger(T& a, T& b) { return a < b ? b : a; }
int total(std::vector<int>& of) {
  int all = 0;
  for (auto& each : of)
    all += each;
  return all;
}

/// References that could be written through: some are.
void references() {
  std::vector<Lamp> lamps(40);
  for (int i = 0; i < 40; ++i) {
    lamps[std::size_t(i)].watts = i * 7 % 11;
    lamps[std::size_t(i)].cells[1] = i;
    lamps[std::size_t(i)].ends.second = i * i;
    lamps[std::size_t(i)].next = &lamps[std::size_t(i * 3 % 40)];
  }
  const auto all = ikra::objects(lamps);
  const auto read = all.pmap([](Lamp* lamp) {
    auto& watts = lamp->watts;
    auto& cells = lamp->next->cells;
    auto& [first, second] = lamp->next->ends;
    auto& again = cells;
    int sum = watts + cells[1] + first * second;
    for (int& cell : lamp->cells)
      sum = sum * 3 + cell;
    for (auto&& cell : again)
      sum += cell;
    for (auto& part : lamp->at)
      sum += int(part);
    return sum + larger(lamp->watts, lamp->next->watts) + total(lamp->log);
  });
  std::printf("%d\n", read.sum());
  all.peach([](Lamp* lamp) {
    const auto hours = [&]() -> int& { return lamp->hours; };
    const auto either = [&](bool first) -> decltype(auto) {
      if (first)
        return (lamp->watts);
      return (lamp->cells[2]);
    };
    hours() += 5;
    either(lamp->watts > 5) = 100;
    for (auto& cell : lamp->cells)
      ++cell;
    auto& [first, second] = lamp->ends;
    second -= first;
    lamp->power() *= 2;
  });
  int sum = 0;
  for (const Lamp& lamp : lamps)
    sum = (sum * 3 + lamp.hours + lamp.watts + lamp.cells[2] + lamp.ends.second) % 1000003;
  std::printf("%d %d\n", sum, all.pmap([](Lamp* lamp) { return lamp->watts; }).sum());
}

// Loops over objects with iterators of their own, comparisons that the compiler writes, and static
// arrays of templates.
namespace ranges {
struct Town {
  int n = 2;
};
struct Grid {
  std::vector<int> cells = std::vector<int>(6, 2);
  std::vector<Town*> towns;
  auto begin() const { return cells.begin(); }
  auto end() const { return cells.end(); }
  auto begin() { return cells.begin(); }
  auto end() { return cells.end(); }
};
struct Base {
  virtual ~Base() = default;
  virtual const int* first() const { return v; }
  const int* last() const { return v + 3; }
  int v[3] = {1, 2, 3};
};
inline const int* begin(const Base& b) { return b.first(); }
inline const int* end(const Base& b) { return b.last(); }
struct Derived : Base {
  const int* first() const override { return v + 1; }
};
struct Towns {
  std::vector<Town*> all;
  auto begin() const { return all.begin(); }
  auto end() const { return all.end(); }
};
struct Leg {
  Town* to = nullptr;
  float length = 2;
  int stops[3] = {};
  bool operator==(const Leg&) const = default;
};
template <class T> struct Press {
  static constexpr T base[] = {1, 2, 3};
  static inline T more[][2] = {{4, 5}, {6, 7}};
  static const T steps[];
  T busy = 0;
  int k = 4;
  T cost() const { return base[k % 3] + more[1][k % 2] * 2 + steps[k % 2]; }
};
template <class T> const T Press<T>::steps[] = {8, 9};
struct Actor {
  Grid own;
  Grid* grid = nullptr;
  Base* base = nullptr;
  Towns* towns = nullptr;
  Leg last, next;
  int sum = 0, turns = 0;
  void go() {
    for (int& c : own)
      c += 3;
    for (const int c : *grid)
      sum += c;
    for (const int c : *base) {
      if (c == 2)
        continue;
      sum += c * 10;
    }
    for (const Town* t : *towns)
      sum += t->n;
    if (last != next) {
      last = next;
      ++turns;
    }
    sum += last == next;
  }
};
Grid shared;
} // namespace ranges
void own_ranges() {
  using namespace ranges;
  Grid grid;
  Derived derived;
  std::vector<Town> held(3);
  Towns towns{{&held[0], &held[2]}};
  std::vector<Actor> actors(4);
  std::vector<Press<double>> presses(3);
  for (Actor& a : actors)
    a.grid = &grid, a.base = &derived, a.towns = &towns;
  for (int turn = 0; turn < 3; ++turn) {
    ikra::objects(actors).peach([](Actor* a) { a->go(); });
    ikra::objects(actors).peach([&grid](Actor* a) {
      for (const int c : shared)
        a->sum += c;
      for (auto i = grid.begin(); i != grid.end(); ++i)
        a->sum += *i;
    });
    ikra::objects(presses).peach([](Press<double>& p) { p.busy += p.cost(); });
    actors[1].next.to = &held[turn];
    actors[2].next.stops[2] = turn / 2;
    shared.cells[1] += turn;
    Press<double>::more[1][0] += 1;
  }
  const auto sums = ikra::objects(actors).pmap([](const Actor* a) {
    const Grid& constant = *a->grid;
    int sum = 0;
    for (const int c : constant)
      sum += c;
    return sum;
  });
  for (const Actor& a : actors)
    std::printf("%d %d %d ", a.sum, a.turns, a.own.cells[5]);
  std::printf("%d %g\n", sums.sum(), presses[1].busy);
}

} // namespace

int main() {
  references();
  pointers();
  cars();
  ways();
  lazily();
  trees();
  classes();
  virtual_bases();
  matrices();
  variables();
  people();
  variants();
  bases();
  own_ranges();
}
