// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// unshared_read: elements read a member of others that each updates in itself, also through virtual functions. Nothing is said of code that may be right.
//
// RUN: split-file %s %t
// RUN: %ikrac -o %t.cu %t/warned.cpp -- %ikra_flags 2>&1 | FileCheck %t/warned.cpp
// RUN: %ikrac -o %t.cu %t/accepted.cpp -- %ikra_flags 2>&1 | count 0

//--- warned.cpp
#include <ikra/ikra.hpp>
#include <vector>
class Agent {
public:
  virtual ~Agent() = default;
  virtual float asks() const { return energy_; }
  // CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: 'Agent::energy_' of another element may be read here, which each element writes at the same time: write the new value to a second member, and take it over in a peach of its own; if these are no elements, say so by // NOLINT(ikra-unshared-read) [ikra-unshared-read]
  // CHECK-DAG: warned.cpp:[[@LINE+5]]:{{[0-9]+}}: note: called here
  // CHECK-DAG: warned.cpp:[[@LINE+20]]:{{[0-9]+}}: note: reached from this section
  virtual void live() {
    float sum = 0;
    for (const Agent* other : others_)
      sum += other->asks();
    change(sum);
  }
  void change(float by) { energy_ -= by; }
  float energy_ = 1;
  std::vector<Agent*> others_;
};
class Lazy final : public Agent {
  float asks() const override { return 0; }
};
struct Fish {
  float x = 0;
  Fish* ahead = nullptr;
};
void sections(std::vector<Agent*>& agents, std::vector<Fish>& fish, Lazy& one) {
  agents.push_back(&one);
  ikra::array{agents}.peach([](Agent* a) { a->live(); });
  ikra::objects(fish).peach([](Fish* f) { f->x += f->ahead->x; });
  // CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: 'Fish::x' of another element may be read here
}

// Only hunters update, but of others some may be hunters.
struct Animal {
  virtual ~Animal() = default;
  virtual void live() {}
  int weight = 1;
  Animal* other = nullptr;
};
struct Hunter : Animal {
  void live() override { weight += other->weight; }
  // CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: 'Animal::weight' of another element may be read here
};
struct Hare : Animal {};
void animals() {
  Hunter one;
  Hare other;
  std::vector<Animal*> all{&one, &other};
  ikra::array{all}.peach([](Animal* a) { a->live(); });
}

// A part of a member: of a struct that is a value.
struct Vector {
  float x = 0, y = 0;
};
struct Boat {
  Vector at, speed;
  Boat* ahead = nullptr;
  void follow() { at.x += ahead->at.x * 0.5f; }
  // CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: 'Vector::x' of another element may be read here
  void copy() {
    const Vector other = ahead->speed;
    // CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: 'Boat::speed' of another element may be read here
    speed.y -= other.y;
  }
};
void boats(std::vector<Boat>& all) {
  ikra::objects(all).peach([](Boat* b) { b->follow(); });
  ikra::objects(all).peach([](Boat* b) { b->copy(); });
}
// CHECK: 5 warnings generated.

//--- accepted.cpp
#include <ikra/ikra.hpp>
#include <atomic>
#include <memory>
#include <vector>
struct Cell;
struct Engine {
  float power = 1;
  Cell* in = nullptr;
  float asks() const;
};
struct Cell {
  float height = 0, next = 0, sum = 0;
  float both[2] = {0, 0};
  int colour = 0;
  std::atomic<int> visits = 0;
  Engine engine;
  std::unique_ptr<Engine> spare;
  Cell *left = nullptr, *parent = nullptr;
  std::vector<Cell*> children;
  float level() const { return height; }
  void prepare() { next += left->level() * 0.5f; }
  void commit() { height += next; }
  void descend() { height = parent->height + 1; }
  void ascend() {
    sum = height;
    for (const Cell* each : children)
      sum += each->sum;
  }
  void relax(int phase) {
    if (colour == phase)
      height += left->height;
  }
};
float Engine::asks() const { return in->height; }
void sections(std::vector<Cell>& cells, Cell& wind, int now) {
  const ikra::array all = ikra::objects(cells);
  all.peach([](Cell* c) { c->prepare(); });
  all.peach([](Cell* c) { c->commit(); });
  all.peach([](Cell* c) { c->descend(); });
  all.peach([](Cell* c) { c->ascend(); });
  for (const int phase : {0, 1})
    all.peach([=](Cell* c) { c->relax(phase); });
  all.peach([=](Cell* c) { c->both[1 - now] += c->left->both[now]; });
  all.peach([](Cell* c) {
    c->visits += 1;
    c->left->visits += 1;
    c->engine.power += 1;
    c->spare->power += c->engine.power;
  });
  all.peach([](Cell* c) { c->height += c->spare->in->height + c->engine.asks(); });
  all.peach([&wind](Cell* c) { c->height += wind.height; });
  all.peach([](Cell* c) { c->height += c->left->height; }); // NOLINT(ikra-unshared-read)
}

// What is read is of a class of which no element is, or none that updates.
struct Thing {
  virtual ~Thing() = default;
  virtual void age() {}
  float heat = 1;
  float warmth() const { return heat; }
};
struct Heater : Thing {};
struct Room : Thing {
  Heater* heater = nullptr;
  void warm() { heat += heater->heat; }
  void more() { heat += heater->warmth(); }
};
struct Cook : Thing {
  Heater* stove = nullptr;
  Thing* any = nullptr;
  void age() override { heat += stove->heat + stove->warmth(); }
};
struct Guest : Thing {
  Heater* fire = nullptr;
  void age() override { heat += fire->heat; }
};
void things() {
  Heater one;
  Cook cook;
  Guest guest;
  std::vector<Room> rooms(3);
  ikra::objects(rooms).peach([](Room* r) { r->warm(); });
  ikra::objects(rooms).peach([](Room* r) { r->more(); });
  std::vector<Thing*> all{&one, &cook, &guest};
  ikra::array{all}.peach([](Thing* t) { t->age(); });
}

// Another part than each updates; parts of the element's own.
struct Vector {
  float x = 0, y = 0;
};
struct Boat {
  Vector at, speed;
  Boat* ahead = nullptr;
  void turn() { speed.x += ahead->speed.y; }
  void move() {
    at.x += speed.x;
    at.y += at.x;
  }
  void wait() { at.y = ahead->at.y; }
};
void boats(std::vector<Boat>& all) {
  ikra::objects(all).peach([](Boat* b) { b->turn(); });
  ikra::objects(all).peach([](Boat* b) { b->move(); });
  ikra::objects(all).peach([](Boat* b) { b->wait(); });
}
