// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections of a thread over objects that a scope of another thread holds: that scope brings them
// back first, and traces them again. What a checked build finds where a scope ends does not leave
// its destructor: the next section reports it.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu | FileCheck %s
// RUN: env IKRA_SCOPES=always %t.cpu | FileCheck %s
// RUN: env IKRA_SCOPES=alternate %t.cpu | FileCheck %s
// RUN: %ikrac --check -o %t.checked.cu %s -- %ikra_flags
// RUN: %build_cpu %t.checked.cu -o %t.checked.cpu
// RUN: env IKRA_SCOPES=always %t.checked.cpu untold 2>&1 | FileCheck %s --check-prefixes=CHECK,UNTOLD
#include <ikra/ikra.hpp>

#include <cstddef>
#include <cstdio>
#include <memory>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

struct Car {
  IKRA_OBJECT
  virtual ~Car() = default;
  virtual void go() { at += 1; }
  int at = 0;
};

using Cars = std::vector<std::unique_ptr<Car>>;

Cars made(int n) {
  Cars cars;
  for (int i = 0; i < n; ++i)
    cars.push_back(std::make_unique<Car>());
  return cars;
}

void go(const Cars& cars) {
  ikra::array{cars}.peach([](Car* c) { c->go(); });
}

int sum(const Cars& cars) {
  return std::accumulate(cars.begin(), cars.end(), 0,
                         [](int before, const auto& c) { return before + c->at; });
}

void moved() {
  const Cars cars = made(1000);
  auto scope = std::make_unique<ikra::resident>(cars);
  go(cars);
  std::thread([&cars, mine = std::move(scope)]() mutable {
    go(cars);
    mine.reset();
  }).join();
  // CHECK: moved: 2000
  std::printf("moved: %d\n", sum(cars));
}

void shared() {
  Cars cars = made(1000);
  {
    ikra::resident scope{cars};
    for (int t = 0; t < 6; ++t) {
      go(cars);
      std::thread([&] {
        // Some of the objects.
        ikra::objects(cars)
            .pselect([](const Car* c) { return c->at % 2 == 1; })
            .peach([](Car* c) { c->at += 2; });
        if (t % 2 == 0) {
          scope.sync();
          cars[static_cast<std::size_t>(t)]->at += 1000;
          scope.changed(cars[static_cast<std::size_t>(t)].get());
        }
        go(cars);
      }).join();
      // CHECK-NEXT: shared 0: 5000
      // CHECK-NEXT: shared 1: 9000
      // CHECK-NEXT: shared 2: 14000
      // CHECK-NEXT: shared 3: 18000
      // CHECK-NEXT: shared 4: 23000
      // CHECK-NEXT: shared 5: 27000
      std::printf("shared %d: %d\n", t,
                  ikra::array{cars}.pmap([](const Car* c) { return c->at; }).sum());
    }
  }
  // CHECK-NEXT: shared: 27000
  std::printf("shared: %d\n", sum(cars));
}

void beside_each_other() {
  std::vector<int> sums(3);
  std::vector<std::thread> threads;
  for (int& result : sums)
    threads.emplace_back([&result] {
      const Cars cars = made(500);
      {
        const ikra::resident scope{cars};
        for (int t = 0; t < 50; ++t)
          go(cars);
      }
      result = sum(cars);
    });
  for (std::thread& each : threads)
    each.join();
  // CHECK-NEXT: beside each other: 25000 25000 25000
  std::printf("beside each other: %d %d %d\n", sums[0], sums[1], sums[2]);
}

void untold() {
  const Cars cars = made(100);
  auto scope = std::make_unique<ikra::resident>(cars);
  go(cars);
  cars[3]->at = 100;
  scope.reset();
  std::printf("ended\n");
  try {
    go(cars);
  } catch (const ikra::error& e) {
    std::printf("%s\n", e.what());
  }
  go(cars); // reported once
  scope = std::make_unique<ikra::resident>(cars);
  go(cars);
  cars[3]->at = 100;
  scope.reset();
  std::fflush(stdout);
}
// UNTOLD-NEXT: ended
// UNTOLD-NEXT: the host wrote Car::at of an object of class Car inside a scope, without telling it
// UNTOLD-NEXT: the host wrote Car::at of an object of class Car inside a scope, without telling it

int main(int argc, char**) {
  moved();
  shared();
  beside_each_other();
  if (argc > 1)
    untold();
}
