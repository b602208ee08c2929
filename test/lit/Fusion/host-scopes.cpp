// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host sections that open a resident scope by themselves, and what keeps others from it.
//
// RUN: %ikrac --print=fusion %s -- %ikra_flags 2>/dev/null | FileCheck %s
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>/dev/null
// RUN: %emitted %t.cu | FileCheck %s --check-prefix=CODE
#include <ikra/ikra.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <span>
#include <vector>

struct Street {
  int length = 1, load = 0;
};
struct Car {
  virtual ~Car() = default;
  Street* street = nullptr;
  int speed = 0, limit = 3;
  std::vector<int> rates{1, 2};
  std::vector<std::array<int, 2>> pairs{{3, 4}};
  virtual void go(int by) { speed += by * rates[0]; }
};
struct Bus : Car {
  void go(int by) override { speed += 2 * by; }
};
using Cars = std::vector<std::unique_ptr<Car>>;

int twice(int x) { return 2 * x; }
void elsewhere();
struct City {
  Cars cars;
  std::vector<Street> streets;
  int steps = 3, total = 0;

  void step(int by) {
    ikra::array{cars}.peach([by](Car* c) { c->go(by); });
  }
  // Two classes, a loop, numbers, output, a function of the program's, and a member that no section has.
  void run() {
    ikra::host_section([&] {
      for (int t = 0; t < steps; ++t) {
        ikra::array{cars}.peach([t](Car* c) { c->go(t); });
        const int sum = ikra::array{cars}.pmap([](const Car* c) { return c->speed; }).sum();
        total += std::max(sum, twice(t));
        ikra::objects(streets).peach([sum](Street& s) { s.load = s.length * sum; });
        if (sum % 2 == 0)
          std::printf("%d\n", sum);
        step(t);
      }
    });
  }
};
// CODE: #include <ikra/generated/sections/host_scope.hpp>
// CODE: ikra::host_section([&] { const ::ikra::rt::host_scope ikra_scope_[[#]];
// CHECK: scope of the host section at line [[@LINE-15]]: City_step_0, City_run_1, City_run_2, City_run_4{{$}}

// A value that a section gives is the program's own.
int once(const ikra::array<Car*, 1>& cars) {
  return ikra::host_section([&] {
    cars.peach([](Car* c) { c->speed += 1; });
    const int least = cars.pmap([](const Car* c) { return c->speed; }).sum();
    return least + 1;
  });
}
// CHECK: scope of the host section at line [[@LINE-6]]: once_5, once_6{{$}}

// One section alone gains nothing.
void alone(const ikra::array<Car*, 1>& cars) {
  ikra::host_section([&] { cars.peach([](Car* c) { c->speed += 1; }); });
}
// CHECK-NOT: at line [[@LINE-2]]

// What gives a number or an order has its code in other sections than what gives elements.
int asked(const ikra::array<Car*, 1>& cars, int least) {
  int out = 0;
  ikra::host_section([&] {
    cars.peach([](Car* c) { c->speed += 1; });
    out += cars.count([least](const Car* c) { return c->speed > least; });
  });
// CHECK: scope of the host section at line [[@LINE-4]]: asked_9, asked_10{{$}}
  ikra::host_section([&] {
    while (!cars.any([](const Car* c) { return c->speed > 7; }) && !cars.all(&Car::limit))
      cars.peach([](Car* c) { c->speed += 1; });
  });
// CHECK: scope of the host section at line [[@LINE-4]]: asked_12, asked_14, asked_16{{$}}
  ikra::host_section([&] {
    cars.peach([](Car* c) { c->speed += 1; });
    out += cars.phistogram(8, [least](const Car* c) { return (c->speed + least) % 8; })[0];
    out += cars.psort_by([](const Car* c) { return -c->speed; }).size();
  });
// CHECK: scope of the host section at line [[@LINE-5]]: asked_17, asked_18, asked_19{{$}}
  ikra::host_section([&] {
    cars.peach([](Car* c) { c->speed += 1; });
    const auto speeds = cars.pmap([](const Car* c) { return c->speed; });
    out += speeds.count([least](int s) { return s > least; }) +
           speeds.reduce_by_index(8, [](int s) { return s % 8; }, 0, [](int a, int b) { return a + b; })[0];
  });
// CHECK: scope of the host section at line [[@LINE-6]]: asked_20, asked_21{{$}}
  return out;
}

// What the host reads, or changes, may be an object's.
void none(Cars& cars, Car& first, int& speed, std::vector<Street>& streets) {
  const ikra::array<Car*, 1> all{cars};
  ikra::host_section([&] {
    all.peach([](Car* c) { c->speed += 1; });
    if (first.speed < 3)
      all.peach([](Car* c) { c->speed += 1; });
  });
// CHECK: no scope of the host section at line [[@LINE-5]], since at line [[@LINE-3]] 'first.speed' is written by sections{{$}}
  ikra::host_section([&] {
    all.peach([](Car* c) { c->speed += 1; });
    first.limit = 4;
    all.peach([](Car* c) { c->speed += c->limit; });
  });
// CHECK: no scope {{.*}} since at line [[@LINE-3]] 'first.limit' is used by sections, too{{$}}
  ikra::host_section([&] {
    all.peach([](Car* c) { c->speed += 1; });
    first.rates[1] = 4;
    all.peach([](Car* c) { c->speed += c->rates[1]; });
  });
// CHECK: no scope {{.*}} since at line [[@LINE-3]] 'first.rates[1]' is used by sections, too{{$}}
  ikra::host_section([&] {
    all.peach([](Car* c) { c->speed += 1; });
    first.rates.push_back(4);
    all.peach([](Car* c) { c->speed += c->rates[1]; });
  });
// CHECK: no scope {{.*}} since at line [[@LINE-3]] 'first.rates' is used by sections, too{{$}}
  ikra::host_section([&] {
    int mine = 4;
    all.peach([](Car* c) { c->speed += c->limit; });
    std::swap(mine, first.limit);
    all.peach([](Car* c) { c->speed += c->limit; });
  });
// CHECK: no scope {{.*}} since at line [[@LINE-3]] 'first.limit' is used by sections, too{{$}}
  std::vector<std::array<int, 2>>& pairs = first.pairs;
  ikra::host_section([&] {
    all.peach([](Car* c) { c->speed += c->pairs[0][1]; });
    pairs[0] = {1, 2};
    all.peach([](Car* c) { c->speed += c->pairs[0][1]; });
  });
// CHECK: no scope {{.*}} since at line [[@LINE-3]] 'pairs' may be, or lead to, an object's member{{$}}
  const std::span<const int> values = first.pairs[0];
  int sum = 0;
  ikra::host_section([&] {
    all.peach([](Car* c) { c->speed += c->pairs[0][1]; });
    all.peach([](Car* c) { c->pairs[0][1] += 1; });
    sum += values[1];
  });
// CHECK: no scope {{.*}} since at line [[@LINE-2]] 'values[1]' may touch objects{{$}}
  ikra::host_section([&] {
    all.peach([](Car* c) { c->speed += c->pairs[0][1]; });
    all.peach([](Car* c) { c->pairs[0][1] += 1; });
    for (const int value : values)
      sum += value;
  });
// CHECK: no scope {{.*}} since at line [[@LINE-3]] 'values' may be, or lead to, an object's member{{$}}
  ikra::host_section([&] {
    all.peach([](Car* c) { c->speed += 1; });
    speed += 1;
    all.peach([](Car* c) { c->speed += 1; });
  });
// CHECK: no scope {{.*}} since at line [[@LINE-3]] 'speed' may be, or lead to, an object's member{{$}}
  ikra::host_section([&] {
    all.peach([](Car* c) { c->speed += 1; });
    all.peach([speed](Car* c) { c->speed += speed; });
  });
// CHECK: no scope {{.*}} since at line [[@LINE-2]] 'speed' is captured, and may be, or copy, an object's member{{$}}
  int found = 0;
  ikra::host_section([&] {
    all.peach([](Car* c) { c->speed += 1; });
    found += all.count([speed](const Car* c) { return c->speed > speed; });
  });
// CHECK: no scope {{.*}} since at line [[@LINE-2]] 'speed' is captured, and may be, or copy, an object's member{{$}}
  ikra::host_section([&] {
    all.peach([](Car* c) { c->speed += 1; });
    elsewhere();
    all.peach([](Car* c) { c->speed += 1; });
  });
// CHECK: no scope {{.*}} since at line [[@LINE-3]] 'elsewhere()' may touch objects{{$}}
  ikra::host_section([&] {
    all.peach([](Car* c) { c->speed += 1; });
    cars[0]->speed = 3;
    all.peach([](Car* c) { c->speed += 1; });
  });
// CHECK: no scope {{.*}} since at line [[@LINE-3]] 'cars[0]->speed' is used by sections, too{{$}}
  ikra::host_section([&] {
    std::vector<Street> mine(3);
    for (int t = 0; t < 3; ++t)
      ikra::objects(mine).peach([](Street& s) { s.load += 1; });
  });
// CHECK: no scope {{.*}} since at line [[@LINE-4]] 'mine' may be, or hold, an object{{$}}
  ikra::host_section([&] {
    for (int t = 0; t < 3; ++t) {
      all.peach([](Car* c) { c->speed += 1; });
      cars.pop_back();
    }
  });
// CHECK: no scope {{.*}} since at line [[@LINE-3]] 'cars.pop_back()' may touch objects{{$}}
  ikra::host_section([&] {
    all.peach([](Car* c) { c->speed += 1; });
    std::for_each(cars.begin(), cars.end(), [](const auto& c) { c->speed += 1; });
    all.peach([](Car* c) { c->speed += 1; });
  });
// CHECK: no scope {{.*}} since at line [[@LINE-3]] {{.*}} may touch objects{{$}}
  ikra::host_section([&] {
    for (const Street& s : streets)
      all.peach([n = s.length](Car* c) { c->speed += n; });
  });
// CHECK: no scope {{.*}} since at line [[@LINE-3]] it goes through what may be objects{{$}}
}
