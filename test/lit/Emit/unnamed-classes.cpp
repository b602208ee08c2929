// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Classes without a name of their own: emitted code names them by the member that they are declared with, or by a
// typedef. As elements they are left to one core: nvcc takes none for an argument of a kernel.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | FileCheck %s --check-prefix=WARN
// RUN: %emitted %t.cu | FileCheck %s
// RUN: %emitted %t.cu | FileCheck %s --check-prefix=NAMES
// RUN: %own_build_plain %s -o %t.plain && %t.plain > %t.want
// RUN: %own_build_cpu %t.cu -o %t.cpu && %t.cpu | diff %t.want -
// RUN: env IKRA_REORDER=always %t.cpu | diff %t.want -
#include <ikra/ikra.hpp>

#include <cstdio>
#include <vector>

typedef struct {
  float x, y;
  float sum() const { return x + y; }
} Point;

struct Agent {
  struct {
    double x = 0, y = 0;
    double norm() const { return x * x + y * y; }
  } position;
  struct {
    int health, mana;
  } first, second;
  const struct {
    int least;
    int most[2];
  } limits = {3, {4, 5}};
  Point at;
  int id;

  void move() {
    position.x += 1.5;
    position.y -= id;
    first.health += id;
    second.mana = first.health + limits.most[1];
    at.x += at.sum();
    auto& last = second;
    last.health = static_cast<int>(position.norm());
  }
};

constexpr struct Kind {
  int cost;
  double gain;
} cheap = {1, 0.5}, dear = {2, 1.5};
namespace {
struct Pace {
  int by = 3;
} step, other;
} // namespace
typedef enum { Off = 1, On = 2 } Mode;
class Ant {
  enum { Young, Old } age = Young;

public:
  static constexpr struct Limit {
    int most;
  } limit = {9};
  struct {
    int n = 2;
  } steps;
  Mode mode = On, modes[2] = {On, Off};
  std::vector<Mode> all{On};
  double e = 0;
  int sum() const { return age * 100 + mode * 10 + modes[0] + static_cast<int>(all[0]) + steps.n; }
  void move() {
    const auto& kind = mode == On ? dear : cheap;
    auto copy = cheap;
    copy.cost += other.by;
    e += kind.gain * copy.cost + step.by + limit.most;
    age = Old;
    mode = Off;
    modes[0] = modes[1];
    all[0] = Off;
    ++steps.n;
  }
};

struct Holder {
  int n;
  struct {
    float a, b;
    struct {
      int deep;
    } more;
  } in;
  struct {
    short s[3];
  } many;
};

int main() {
  std::vector<Agent*> all;
  for (int i = 0; i < 100; ++i)
    all.push_back(new Agent{{}, {1, 2}, {3, 4}, {3, {4, 5}}, {1, 2}, i});
  const ikra::array<Agent*> agents(all);
  agents.peach([](Agent* p) { p->move(); });
  agents.peach(3, [](Agent* p) { p->move(); });
  const auto positions = agents.pmap([](const Agent* p) { return p->position; });
  double sum = 0;
  for (const Agent* p : all)
    sum += p->position.x + p->position.y + p->at.x + p->second.mana + p->second.health;
  std::printf("%g %g\n", sum, positions[7].y);
  const auto holders = ikra::pnew(10, [](std::int64_t i) {
    Holder x{};
    x.n = static_cast<int>(i);
    x.in.a = 2.0f * static_cast<float>(i);
    x.in.more.deep = 7;
    x.many.s[2] = 9;
    return x;
  });
  const auto values =
      holders.pmap([](const Holder& x) { return x.in.a + static_cast<float>(x.n + x.in.more.deep * x.many.s[2]); });
  std::printf("%g\n", static_cast<double>(values[9]));
  const auto points = ikra::pnew(10, [](std::int64_t i) { return Point{static_cast<float>(i), 2}; });
  std::printf("%g\n", static_cast<double>(points.pmap([](Point x) { return x.sum(); })[9]));
  for (Agent* p : all)
    delete p;
  std::vector<Ant> ants(9);
  step.by = 4;
  ikra::objects(ants).peach([](Ant& a) { a.move(); });
  std::printf("%g %d\n", ants[3].e, ants[8].sum());
}

// WARN: unnamed-classes.cpp:105:{{[0-9]+}}: warning: section returns
// WARN: 2 warnings generated
// CHECK: decltype(::Agent::position)* Agent_position;
// CHECK: decltype(::Agent::first)* Agent_first;
// CHECK: const ::std::remove_const_t<decltype(::Agent::limits)>* __restrict__ Agent_limits;
// CHECK: ::Point* Agent_at;
// CHECK: double Agent_position_norm(const decltype(::Agent::position)& self)
// NAMES-DAG: decltype(::Ant::steps)
