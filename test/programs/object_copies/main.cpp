// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of whole objects, changed or not: variables, arrays, elements of a loop, parameters and
// results of functions; and objects that are assigned as a whole.
#include "whole.hpp"

#include <ikra/ikra.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace {

struct Engine {
  int power = 3;
  std::vector<int> gears{1, 2};
};

class Body {
public:
  Body(float x, float mass, const Body* other) : x_(x), mass_(mass), other_(other) {}

  float x() const { return x_; }
  float mass() const { return mass_; }
  float energy() const { return mass_ * speed_ * speed_; }
  Body partner() const { return *other_; }
  const Engine& engine() const { return engine_; }
  float felt() const { return felt_; }

  /// The mistake that every first N-body program makes: a copy of each of the others.
  void pull(const std::vector<Body>& bodies) {
    for (Body other : bodies)
      felt_ += other.mass_ / ((other.x_ - x_) * (other.x_ - x_) + 1.0f);
    for (auto other : bodies)
      felt_ -= other.mass() * 0.25f;
  }
  void move(float seconds) {
    speed_ += felt_ * seconds;
    x_ += speed_ * seconds;
  }

private:
  float x_, mass_;
  const Body* other_;
  float speed_ = 0.5f, felt_ = 0;
  Engine engine_;
  std::string name_; // no section uses it
  IKRA_OBJECT
};

float apart(Body a, const Body b) { return a.x() < b.x() ? b.x() - a.x() : a.x() - b.x(); }

Body heavier(Body a, Body b) { return a.mass() < b.mass() ? b : a; }

float through(const Body* body) {
  Body copy = *body;
  const Body partner = copy.partner();
  auto other = heavier(copy, partner);
  const auto at = [other](float factor) { return other.x() * factor; };
  float sum = apart(copy, partner) + at(2);
  for (const int gear : other.engine().gears)
    sum += static_cast<float>(gear * copy.engine().power);
  return sum + heavier(*body, *body).partner().mass();
}

/// A class with a single kind of objects, and a virtual method.
class Shape {
public:
  virtual ~Shape() = default;
  virtual int corners() const { return corners_; }
  int corners_ = 4;
};

int total(Shape shape, int times) { return shape.corners() * times; }

struct Node {
  int value = 0;
  std::unique_ptr<int> unused;
  Node* next = nullptr;
};
struct Link {
  Node* to = nullptr;
  int weight = 1;
};
struct Hub {
  std::vector<Link> links;
  int sum = 0;
  /// Structs with pointers, by value.
  void add() {
    for (Link link : links)
      sum += link.to->value * link.weight;
    const Link first = links.front();
    sum += first.to->next ? first.to->next->value : -1;
  }
};

//===-- copies that change

/// What a planet holds by value, an object of its own.
struct Fuel {
  int litres = 40;
  unsigned grade : 3 = 5;
  int burn(int by) { return litres -= by; }
};

class Thing {
public:
  virtual ~Thing() = default;
  virtual int kind() const { return 1; }
  int twice() const { return 2 * kind(); }

protected:
  int tag_ = 3;
  IKRA_OBJECT
};

class Planet : public Thing {
public:
  Planet() = default;
  Planet(double x, double speed) : x_(x), speed_(speed) { history_[1] = 2; }

  int kind() const override { return tag_; }
  double x() const { return x_; }
  double pull() const { return sun_ ? (x_ - sun_->x_) * 0.25 : x_ * 0.125; }
  Planet& advance(double seconds) {
    x_ += speed_ * seconds;
    speed_ -= pull() * seconds;
    return *this;
  }
  Planet later(double seconds) const {
    Planet copy(*this);
    copy.advance(seconds).advance(seconds);
    return copy;
  }
  Planet operator+(const Planet& other) const { return Planet(x_ + other.x_, speed_); }
  Planet& operator+=(const Planet& other) {
    x_ += other.x_;
    history_[0] += other.history_[1];
    return *this;
  }

  /// The midpoint rule, with the object half a step ahead.
  void step(double seconds) {
    Planet half = *this;
    half.advance(seconds / 2);
    Planet next = *this;
    next.x_ += half.speed_ * seconds;
    next.speed_ -= half.pull() * seconds;
    next.fuel_.burn(next.grid_[1][0] + spare_->litres % 3);
    next.fuel_.grade = (next.fuel_.grade + 3) & 7u;
    next.history_[2] += next.history_[1] + static_cast<int>(next.fuel_.grade);
    for (int& each : next.history_)
      each += 1;
    next.near_[0] = next.near_[1];
    *this = next;
  }

  double x_ = 1, speed_ = 0.5;
  const Planet* sun_ = nullptr;
  std::array<Planet*, 2> near_{};
  int history_[3] = {1, 1, 1};
  int grid_[2][2] = {{1, 2}, {3, 4}};
  Fuel fuel_;
  const Fuel* spare_ = nullptr; // so Fuel is a class of objects
  IKRA_OBJECT
};

double changed(Planet planet, double by) {
  planet.x_ += by;
  return planet.pull();
}
void shift(Planet& planet) { planet.x_ *= 2; }
double both(const Planet& a, const Planet& b) { return a.x() - b.x() + a.pull(); }

double tried(const Planet* p) {
  Planet copy = *p;
  Planet& name = copy;
  name.x_ += 1;
  shift(copy);
  double sum = changed(copy, 2) + changed(*p, 1) + both(copy, *p) + both(*p, copy);
  const Planet made(3, 4);
  Planet other;
  other += made + *p;
  other = copy.later(0.5);
  sum += other.x_ + p->later(0.25).x_ + p->later(0.25).advance(1).x_;
  copy = *p;
  copy += copy;
  Planet both_of[2] = {copy, *p};
  both_of[1].x_ -= 8;
  for (int i = 0; i < 2; ++i)
    sum += both_of[i].x_ * (i + 1) + both_of[i].history_[0];
  Planet moved = std::move(both_of[1]);
  std::swap(moved.x_, moved.speed_);
  auto at = [moved](double factor) mutable {
    moved.x_ *= factor;
    return moved.pull() + moved.x_;
  };
  sum += at(2) + (p->x_ < 3 ? copy : other).x_ + copy.kind() + copy.twice();
  int index = 0;
  int values[2] = {both_of[index++].history_[0], copy.history_[0]++};
  return sum + values[0] + values[1] + copy.history_[0] + index;
}

/// The mistake that every second N-body program makes.
struct Crowd {
  std::vector<Planet> planets;
  double felt = 0;
  void feel() {
    for (Planet each : planets) {
      each.advance(0.125);
      felt += each.x_;
    }
    Planet* first = &planets.front();
    *first = planets.back();
  }
};

/// What no section uses stays what it is.
struct Named {
  std::string name;
  std::vector<int> marks{3, 4};
  int value = 0, lost = 1;
  void work() {
    Named next = *this;
    lost += 2;
    next.value += lost + next.marks[1];
    *this = next;
  }
};

unsigned named(std::size_t count) {
  std::vector<Named> all(count);
  for (std::size_t i = 0; i < count; ++i) {
    all[i].name = std::to_string(i);
    all[i].value = static_cast<int>(i % 9);
  }
  ikra::objects(all).peach(3, [](Named* n) { n->work(); });
  unsigned sum = 0;
  for (const Named& n : all)
    sum = sum * 31 + static_cast<unsigned>(n.value + n.lost + n.marks[0]) +
          static_cast<unsigned>(n.name.size());
  return sum;
}

/// Copies that are written back, of a class with what sections cannot assign: only what they
/// changed is.
struct Walker {
  std::string name;
  double x = 1, speed = 2;
  int steps = 0;
  std::vector<int> marks{3, 4};

  double cost() const { return x * x - speed; }
  Walker& advance(double by) {
    x += by;
    return *this;
  }
  Walker stepped(double by) const {
    Walker next = *this;
    next.x += speed * by + marks[0];
    return next;
  }
  Walker turned(double by) const {
    Walker next(*this);
    next.speed -= by;
    return next.stepped(by);
  }
  void search() {
    Walker best = *this;
    for (int i = 0; i < 3; ++i) {
      Walker tried = best;
      tried.x += i - 1;
      tried.speed *= 0.5;
      if (tried.cost() < best.cost())
        best = tried;
    }
    *this = std::move(best);
  }
  void undo() {
    const Walker before = *this;
    advance(5).speed = 1;
    if (++steps > 2)
      *this = before;
  }
  void exchange() {
    Walker a = *this, b = *this;
    a.x = 1;
    b.x = 2;
    const Walker third = a;
    a = b;
    b = third;
    *this = steps % 2 ? a : b;
  }
};
Walker faster(const Walker& of, double by) {
  Walker next = of;
  next.speed += by;
  return next;
}
Walker back(Walker of, double by) {
  of.x -= by;
  return of;
}

unsigned walk(std::size_t count) {
  std::vector<Walker> walkers(count);
  for (std::size_t i = 0; i < count; ++i) {
    walkers[i].x = static_cast<double>(i % 13);
    walkers[i].steps = static_cast<int>(i % 4);
    walkers[i].name = std::to_string(i);
  }
  const auto all = ikra::objects(walkers);
  all.peach(2, [](Walker& w) { w = w.stepped(0.5); });
  all.peach([](Walker* w) { *w = w->turned(0.5).stepped(1); });
  all.peach([](Walker* w) {
    Walker next = *w;
    next.advance(0.5).advance(1);
    *w = next.advance(2);
  });
  all.peach(3, [](Walker& w) { w.search(); });
  all.peach(3, [](Walker& w) { w.undo(); });
  all.peach([](Walker& w) { w.exchange(); });
  all.peach([](Walker* w) {
    *w = faster(*w, 2);
    *w = back(*w, 3);
    const auto slow = [](Walker& of, double by) { of.speed -= by; };
    const auto seen = [](auto& of) { return of.x; };
    Walker next = back(*w, 1);
    slow(next, 0.25);
    const auto add = [&next](double by) { next.x += by * next.speed; };
    add(seen(next));
    *w = next;
  });
  unsigned sum = 0;
  for (const Walker& w : walkers)
    sum = sum * 31 +
          static_cast<unsigned>(std::bit_cast<std::uint64_t>(w.x) >> 32 ^
                                std::bit_cast<std::uint64_t>(w.speed) >> 31) +
          static_cast<unsigned>(w.steps) + static_cast<unsigned>(w.name.size());
  return sum;
}

/// Copies that another object's copy is assigned to, as a whole or in a part, are written back as a
/// whole.
struct Tank {
  int litres = 40, grade = 5, rest = 1;
};
struct Boat {
  int x = 0, load = 2;
  Tank tank;
  const Tank* spare = nullptr;
  const Boat* other = nullptr;

  void become(const Boat& of) { *this = of; }
  void refill() {
    Boat next = *this;
    next.tank = *spare;
    next.x += 1;
    *this = next;
  }
  void follow() {
    Boat next = *this, second = *other;
    Boat& name = next;
    if (x % 3 == 0)
      name = second;
    else if (x % 3 == 1)
      next.become(*other);
    else
      std::swap(next, second);
    next.x += x;
    *this = next;
  }
};

unsigned sail(std::size_t count) {
  std::vector<Boat> boats(count), others(count);
  std::vector<Tank> tanks(count);
  for (std::size_t i = 0; i < count; ++i) {
    const int number = static_cast<int>(i);
    tanks[i] = {number, 2 * number, 3};
    others[i] = {number, 3 * number, {1, 2, number}, &tanks[i / 2], &others[i / 3]};
    boats[i] = {number % 7, 5, {4, 5, 6}, &tanks[i * 7 % count], &others[i * 5 % count]};
  }
  ikra::objects(boats).peach([](Boat& b) { b.refill(); });
  ikra::objects(boats).peach([](Boat& b) { b.follow(); });
  unsigned sum = 0;
  for (const Boat& b : boats)
    sum = sum * 31 + static_cast<unsigned>(b.x + 3 * b.load + 5 * b.tank.litres + 7 * b.tank.grade +
                                           9 * b.tank.rest + 11 * (b.spare - tanks.data()) +
                                           13 * (b.other - others.data()));
  return sum;
}

unsigned long long changes(std::size_t count) {
  const Fuel spare{41, 2};
  std::vector<Planet> planets(count);
  for (std::size_t i = 0; i < count; ++i) {
    planets[i].x_ = static_cast<double>(i * 7 % 19);
    planets[i].sun_ = i % 3 == 0 ? nullptr : &planets[i / 3];
    planets[i].near_ = {&planets[i], &planets[i * 5 % count]};
    planets[i].fuel_.litres += static_cast<int>(i % 4);
    planets[i].spare_ = &spare;
  }
  const auto all = ikra::objects(planets);
  const double first = all.pmap([](const Planet* p) { return tried(p); }).sum();
  for (Planet& planet : planets)
    planet.sun_ = nullptr;
  all.peach(5, [](Planet* p) { p->step(0.25); });
  double sum = 0;
  unsigned long long whole = 0;
  for (const Planet& planet : planets) {
    sum += planet.x_ + planet.speed_;
    whole = whole * 31 + static_cast<unsigned>(planet.history_[2] + planet.fuel_.litres) +
            planet.fuel_.grade + static_cast<unsigned long long>(planet.near_[0] - planets.data());
  }
  std::vector<Crowd> crowds(count / 8 + 1);
  for (std::size_t i = 0; i < crowds.size(); ++i)
    for (std::size_t k = 0; k < 1 + i % 5; ++k)
      crowds[i].planets.push_back(planets[(i + k * 3) % count]);
  ikra::objects(crowds).peach([](Crowd& crowd) { crowd.feel(); });
  for (const Crowd& crowd : crowds)
    sum += crowd.felt + crowd.planets.front().x_ * 3 + crowd.planets.front().fuel_.litres;
  std::printf("changed %a %a\n", first, sum);
  return whole;
}

// A copy's containers are views: their elements are the objects themselves.
struct Lamp {
  float watts = 1;
  std::vector<int> hours{1, 2};
  float used() const { return watts * float(hours[0] + hours[1]); }
};
struct Room {
  std::array<Lamp, 2> walls;
  std::vector<Lamp> ceiling{2};
  float used() const {
    float sum = walls[1].used() + ceiling.back().watts;
    for (const Lamp& lamp : ceiling)
      sum += lamp.used();
    return sum;
  }
};
float first_of(const std::vector<Lamp>& lamps) { return lamps[0].watts + lamps.front().used(); }
float second_of(const std::array<Lamp, 2>& lamps) { return std::get<1>(lamps).used(); }

// A value with an assignment of its own; the classes around it have none.
struct Counted {
  Counted() = default;
  Counted(const Counted&) = default;
  Counted& operator=(const Counted& other) {
    value = other.value;
    times = other.times + 1;
    return *this;
  }
  int value = 0, times = 0;
};
struct Pair {
  Counted first;
  Counted more[2];
};
// The compiler writes the assignment, which calls the standard library's alone.
struct Mixed {
  std::variant<int, float> either = 2;
  int raw[2] = {1, 2};
};
struct Flat {
  Room room;
  Mixed mixed, other;
  Pair here, there;
  Counted meter;
  float sum = 0;
};

void views() {
  std::vector<Flat> flats(9);
  for (std::size_t i = 0; i < flats.size(); ++i) {
    flats[i].room.ceiling[1].watts = float(i);
    flats[i].room.walls[1].hours[1] = int(i);
    flats[i].there.first.value = int(i);
    flats[i].there.more[1].value = int(i) * 2;
    flats[i].other.either = float(i);
    flats[i].other.raw[1] = int(i);
  }
  ikra::objects(flats).peach([](Flat* flat) {
    Room copy = flat->room;
    flat->sum += copy.ceiling[1].used() + copy.walls[0].watts + copy.used() +
                 first_of(copy.ceiling) + second_of(copy.walls) + float(copy.ceiling.size());
    for (const Lamp& lamp : copy.ceiling)
      flat->sum += lamp.watts;
  });
  ikra::objects(flats).peach([](Flat* flat) {
    flat->here = flat->there;
    Pair own;
    own = flat->here;
    flat->sum += float(own.more[1].times);
    flat->meter = own.first;
    flat->mixed = flat->other;
    flat->sum += std::get<float>(flat->mixed.either) + float(flat->mixed.raw[1]);
  });
  for (const Flat& flat : flats)
    std::printf("%g %d %d %d\n", double(flat.sum), flat.here.more[1].value, flat.here.more[1].times,
                flat.meter.times);
}

unsigned hash(const ikra::array<float, 1>& values) {
  unsigned result = 2166136261u;
  for (const float value : values)
    result = (result ^ std::bit_cast<unsigned>(value)) * 16777619u;
  return result;
}

} // namespace

int main() {
  for (const int n : {1, 2, 700}) {
    const auto count = static_cast<std::size_t>(n);
    std::vector<Body> bodies;
    bodies.reserve(count);
    for (int i = 0; i < n; ++i)
      bodies.emplace_back(static_cast<float>(i * 31 % 17), 1.0f + static_cast<float>(i % 5),
                          bodies.data() + static_cast<std::size_t>(i * 7 % n));
    const auto all = ikra::objects(bodies);
    for (int step = 0; step < 3; ++step) {
      all.peach([&bodies](Body* b) { b->pull(bodies); });
      all.peach([](Body* b) { b->move(0.125f); });
    }
    std::printf("%d: %u %u %u\n", n, hash(all.pmap([](const Body* b) { return b->x(); })),
                hash(all.pmap([](const Body* b) { return b->felt(); })),
                hash(all.pmap([](const Body* b) { return through(b); })));
    std::vector<Shape> shapes(count);
    for (std::size_t i = 0; i < count; ++i)
      shapes[i].corners_ = static_cast<int>(i % 7);
    std::printf("shapes %d\n",
                ikra::objects(shapes).pmap([](const Shape& s) { return total(s, 3); }).sum());
    std::vector<Node> nodes(count);
    std::vector<Hub> hubs(count);
    for (std::size_t i = 0; i < count; ++i) {
      nodes[i].value = static_cast<int>(i * 13 % 101);
      nodes[i].next = i % 3 == 0 ? nullptr : &nodes[i / 2];
      for (std::size_t k = 0; k <= i % 4; ++k)
        hubs[i].links.push_back({&nodes[(i + k * k) % count], static_cast<int>(k)});
    }
    ikra::objects(hubs).peach([](Hub& hub) { hub.add(); });
    unsigned sum = 0;
    for (const Hub& hub : hubs)
      sum = sum * 31 + static_cast<unsigned>(hub.sum);
    std::printf("hubs %u\n", sum);
    std::printf("%llu %u %u %u\n", changes(count), named(count), walk(count), sail(count));
    copy_whole(count);
  }
  views();
}
