// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A checked build names the use that is wrong, and the element; what is right is as in the plain
// build, and what fails changes no object.
//
// RUN: %ikrac --check -o %t.cu %s -- %ikra_flags
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu | FileCheck %s --implicit-check-not=error && env IKRA_STREAM=always %t.cpu | FileCheck %s --implicit-check-not=error
// RUN: %ikrac -o %t.unchecked.cu %s -- %ikra_flags && not grep 'checked::[a-z]*(' %t.unchecked.cu
#include <ikra/ikra.hpp>

#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

struct Light {
  IKRA_OBJECT
  virtual ~Light() = default;
  virtual int colour() const { return 1; }
  int last = -1;
  bool seen = false;
};
struct Red : Light {
  IKRA_OBJECT
  int colour() const override { return 2; }
};
struct Car {
  IKRA_OBJECT
  virtual ~Car() = default;
  int at = 0, speed = 1, number = 1;
  Light* light = nullptr;
  std::vector<int> history = std::vector<int>(4);
  int wheels[4] = {1, 2, 3, 4};
  virtual void go(int t) {
    at += 12 / speed;
    history[t] = at + wheels[3];
  }
  void look() { at += light->colour(); }
  void shift() { at = 1 << speed; }
  void pass() { light->last = at; }
  void see() { light->seen = true; }
};
struct Bus : Car {
  IKRA_OBJECT
  void go(int t) override { at += wheels[t] % speed; }
};

// Members of all sizes, side by side and apart.
struct Wagon {
  IKRA_OBJECT
  bool open = false;
  char unused = 0;
  short axles = 4;
  unsigned brakes : 3 = 1;
  char name[70] = {};
  std::vector<int> load = std::vector<int>(3);
  void roll(int t) {
    axles += static_cast<short>(open + brakes);
    load[t] += name[t + 60];
  }
};

template <class Run> void attempt(const char* what, const Run& run) {
  try {
    run();
    std::printf("%s: right\n", what);
  } catch (const ikra::error& e) {
    std::printf("%s: %s\n", what, e.what());
  }
}

int main() {
  std::vector<std::unique_ptr<Light>> lights;
  std::vector<std::unique_ptr<Car>> cars;
  for (int i = 0; i < 10; ++i) {
    if (i % 3 == 0)
      lights.push_back(i == 3 ? std::make_unique<Red>() : std::make_unique<Light>());
    cars.push_back(i % 3 == 1 ? std::make_unique<Bus>() : std::make_unique<Car>());
    cars.back()->light = lights.back().get();
    cars.back()->number = i == 0 ? 1 : i;
  }
  const ikra::array all{cars};
  const auto print = [&](const char* when) {
    std::printf("%s:", when);
    for (const auto& car : cars)
      std::printf(" %d", car->at);
    std::printf("\n");
  };

  // CHECK: ticks: right
  attempt("ticks", [&] { all.peach(4, [](Car* c, int t) { c->go(t); }); });
  // CHECK: same value: right
  attempt("same value", [&] { all.peach(2, [](Car* c) { c->see(); }); });
  // CHECK-NEXT: before: 48 0 48 48 0 48 48 0 48 48
  print("before");
  // CHECK-NEXT: index: section 'main' at {{.*}}checked.cpp:[[#@LINE+1]]:{{.*}}: an index was outside of its container at {{.*}}checked.cpp:38:{{.*}} in element 0 of the array, of class Car; compare
  attempt("index", [&] { all.peach([](Car* c) { c->go(4); }); });
  cars[7]->speed = 0;
  // CHECK-NEXT: division: {{.*}} an integer was divided by zero at {{.*}}checked.cpp:47:{{.*}} in element 7 of the array, of class Bus; test
  attempt("division", [&] { all.peach([](Car* c) { c->go(1); }); });
  cars[7]->speed = 32;
  // CHECK-NEXT: shift: {{.*}} an integer was shifted by less than zero bits, or by as many as it has at {{.*}}checked.cpp:41:{{.*}} in element 7 of the array, of class Bus; keep
  attempt("shift", [&] { all.peach([](Car* c) { c->shift(); }); });
  cars[8]->light = nullptr;
  // CHECK-NEXT: null: {{.*}} a null pointer or an empty std::optional was dereferenced at {{.*}}checked.cpp:40:{{.*}} in element 8 of the array, of class Car; test
  attempt("null", [&] { all.peach([](Car* c) { c->look(); }); });
  cars[8]->light = lights[0].get();
  cars[3]->at = 49;
  // CHECK-NEXT: conflict: {{.*}} two elements wrote different values to one place at {{.*}}checked.cpp:42:{{.*}} of the array, of class {{Car|Bus}}; use
  attempt("conflict", [&] { all.peach([](Car* c) { c->pass(); }); });
  // CHECK-NEXT: after: 48 0 48 49 0 48 48 0 48 48
  print("after");

  std::vector<Car*> rows;
  for (int i = 0; i < 6; ++i)
    rows.push_back(cars[i].get());
  const ikra::array<Car*, 2> lot(rows, {2, 3});
  cars[4]->speed = 0;
  // CHECK-NEXT: lot: {{.*}} an integer was divided by zero at {{.*}}checked.cpp:47:{{.*}} in element (1, 1) of the array, of class Bus; test
  attempt("lot", [&] { lot.peach([](Car* c) { c->go(1); }); });
  // CHECK-NEXT: lot, index: {{.*}} an integer was divided by zero at {{.*}}checked.cpp:47:{{.*}} in element (1, 1) of the array, of class Bus; test
  attempt("lot, index", [&] { lot.with_index().peach([](Car* c, ikra::index<2> i) { c->go(static_cast<int>(i[0])); }); });
  // CHECK-NEXT: lot, read: {{.*}} an integer was divided by zero at {{.*}} in element (1, 1) of the array, of class Bus; test
  attempt("lot, read", [&] { std::printf("%d\n", lot.pmap([](const Car* c) { return 12 / c->speed; }).sum()); });
  cars[4]->speed = 1;
  rows[5] = nullptr;
  // CHECK-NEXT: lot, null: {{.*}} element (1, 2) of the array is a null pointer; remove
  attempt("lot, null", [&] { ikra::array<Car*, 2>(rows, {2, 3}).peach([](Car* c) { c->go(1); }); });

  const std::vector<int> table{1, 2, 3};
  const auto numbers = ikra::pnew(ikra::index<1>(10), [](std::int64_t i) { return static_cast<int>(i); });
  const ikra::array<double, 2> grid{std::vector<double>(16, 2.0), ikra::index<2>(4, 4)};
  std::optional<int> limit;
  // CHECK-NEXT: 19
  // CHECK-NEXT: vector, inside: right
  attempt("vector, inside", [&] {
    std::printf("%d\n", numbers.pmap([table](int i) { return table[i % 3]; }).sum());
  });
  // CHECK-NEXT: vector: {{.*}} an index was outside of its container at {{.*}}checked.cpp:[[#@LINE+2]]:{{.*}} in element 0 of the array; compare
  attempt("vector", [&] {
    std::printf("%d\n", numbers.pmap([table](int i) { return table[i - 1]; }).sum());
  });
  // CHECK-NEXT: remainder: {{.*}} an integer was divided by zero at {{.*}}checked.cpp:[[#@LINE+2]]:{{.*}} in element 0 of the array; test
  attempt("remainder", [&] {
    std::printf("%d\n", numbers.pmap([](int i) { return 7 % i; }).sum());
  });
  // CHECK-NEXT: grid: {{.*}} an index was outside of its container at {{.*}}checked.cpp:[[#@LINE+2]]:{{.*}} in element 4 of the array; compare
  attempt("grid", [&] {
    std::printf("%g\n", numbers.pmap([grid](int i) { return grid(0, i); }).sum());
  });
  // CHECK-NEXT: optional: {{.*}} a null pointer or an empty std::optional was dereferenced at {{.*}}checked.cpp:[[#@LINE+2]]:{{.*}} in element 0 of the array; test
  attempt("optional", [&] {
    std::printf("%d\n", numbers.pmap([limit](int i) { return *limit + i; }).sum());
  });
  // What every build checks names its use here, too.
  // CHECK-NEXT: at: {{.*}} an index was outside of its container at {{.*}}checked.cpp:[[#@LINE+2]]:{{.*}} in element 5 of the array, of class Car; compare
  attempt("at", [&] {
    all.peach([](Car* c) { c->at += c->history.at(c->number % 5 == 0 ? c->number : 0); });
  });
  // CHECK-NEXT: at, in values: {{.*}} an index was outside of its container at {{.*}}checked.cpp:[[#@LINE+2]]:{{.*}} in element 3 of the array; compare
  attempt("at, in values", [&] {
    std::printf("%d\n", numbers.pmap([table](int i) { return table.at(i); }).sum());
  });
  // CHECK-NEXT: value: {{.*}} value(), get() or dynamic_cast to a reference asked for what is not there at {{.*}}checked.cpp:[[#@LINE+2]]:{{.*}} in element 0 of the array; ask
  attempt("value", [&] {
    std::printf("%d\n", numbers.pmap([limit](int i) { return limit.value() + i; }).sum());
  });
  const std::variant<int, float> kind = 1.5f;
  // CHECK-NEXT: get: {{.*}} value(), get() or dynamic_cast to a reference asked for what is not there at {{.*}}checked.cpp:[[#@LINE+2]]:{{.*}} in element 0 of the array; ask
  attempt("get", [&] {
    std::printf("%d\n", numbers.pmap([kind](int i) { return std::get<int>(kind) + i; }).sum());
  });
  // CHECK-NEXT: dynamic_cast: {{.*}} value(), get() or dynamic_cast to a reference asked for what is not there at {{.*}}checked.cpp:[[#@LINE+2]]:{{.*}} in element 0 of the array, of class Car; ask
  attempt("dynamic_cast", [&] {
    all.peach([](Car* c) { c->at += dynamic_cast<const Red&>(*c->light).last; });
  });
  // CHECK-NEXT: -6
  // CHECK-NEXT: several dimensions: {{.*}} divided by zero at {{.*}} in element (1, 2) of the array;
  attempt("several dimensions", [&] {
    const auto apart = ikra::pnew(ikra::index<2>(3, 4), [](ikra::index<2> i) {
      return static_cast<int>(i[0] * 4 + i[1]) - 6;
    });
    const auto held = apart.pmap([](int i) { return i; });
    std::printf("%d\n", held[ikra::index<2>(0, 0)]);
    std::printf("%d\n", held.pmap([](int i) { return 6 / i; }).sum());
  });
  // CHECK-NEXT: selection: {{.*}} divided by zero at {{.*}} in element 5 of the array;
  attempt("selection", [&] {
    const auto chosen = numbers.pselect([](int i) { return 7 % (i - 5) > 1; });
    std::printf("%lld\n", static_cast<long long>(chosen.size()));
  });
  // Computed in parts, they name the place in the whole, too.
  const ikra::array<int, 2> places{[] {
    std::vector<int> all(5000, 1);
    all[2345] = 0;
    return all;
  }(), ikra::index<2>(50, 100)};
  // CHECK-NEXT: in parts: {{.*}} divided by zero at {{.*}} in element (23, 45) of the array;
  attempt("in parts", [&] {
    std::printf("%d\n", places.pmap([](int x) { return 6 / x; }).to_vector()[0]);
  });
  // CHECK-NEXT: in parts with an index: {{.*}} divided by zero at {{.*}} in element (23, 45) of the array;
  attempt("in parts with an index", [&] {
    std::printf("%d\n", places.with_index()
                             .pmap([](int x, ikra::index<2> i) { return int(i[1]) / x; })
                             .to_vector()[0]);
  });
  // CHECK-NEXT: indices in parts: {{.*}} divided by zero at {{.*}} in element 3456 of the array;
  attempt("indices in parts", [&] {
    std::printf("%ld\n",
                ikra::pnew(5000, [](std::int64_t i) { return 100 / (i - 3456); }).sum());
  });
  // CHECK-NEXT: neighbours: {{.*}} divided by zero at {{.*}} in element 1 of the array;
  attempt("neighbours", [&] {
    std::printf("%d\n", numbers.pstencil({-1, 0}, 1, [](auto v) { return 6 / v[-1]; }).sum());
  });
  // CHECK-NEXT: combining: {{.*}} divided by zero at {{.*}}checked.cpp:[[#@LINE+3]]:{{[0-9]+}}; test
  attempt("combining", [&] {
    std::printf("%d\n",
                numbers.preduce([](int a, int b) { return a / (b - 3) + 1; }).value());
  });
  // CHECK-NEXT: least: {{.*}} the least integer of a type was divided by -1 at {{.*}}checked.cpp:[[#@LINE+4]]:{{.*}} in element 7 of the array, of class Bus; use
  cars[7]->at = -2147483647 - 1;
  cars[7]->speed = -1;
  attempt("least", [&] {
    all.peach([](Car* c) { c->at /= c->speed; });
  });
  // CHECK-NEXT: its remainder: {{.*}} the least integer of a type was divided by -1 at {{.*}}
  attempt("its remainder", [&] {
    std::printf("%d\n", all.pmap([](const Car* c) { return c->at % c->speed; }).sum());
  });
  cars[7]->speed = 1;

  // CHECK-NEXT: told: right
  attempt("told", [&] {
    ikra::resident scope{all};
    all.peach([](Car* c) { c->look(); });
    scope.sync();
    cars[2]->at = 100;
    scope.changed(cars[2].get());
    all.peach([](Car* c) { c->look(); });
  });
  // CHECK-NEXT: untold: {{.*}}: the host wrote Car::at of an object of class Car inside a scope, without telling it; call scope.changed(pointer)
  attempt("untold", [&] {
    ikra::resident scope{all};
    all.peach([](Car* c) { c->look(); });
    cars[5]->at = 200;
    all.peach([](Car* c) { c->look(); });
  });
  // CHECK-NEXT: at the end: {{.*}}: the host wrote Car::at
  attempt("at the end", [&] {
    ikra::resident scope{all};
    all.peach([](Car* c) { c->look(); });
    cars[5]->at = 300;
    scope.sync();
  });
  // CHECK-NEXT: another road: {{.*}}: the host wrote Car::light
  attempt("another road", [&] {
    ikra::resident scope{all};
    all.peach([](Car* c) { c->look(); });
    cars[5]->light = lights[2].get();
    all.peach([](Car* c) { c->look(); });
  });

  std::vector<std::unique_ptr<Wagon>> wagons;
  for (int i = 0; i < 1100; ++i)
    wagons.push_back(std::make_unique<Wagon>());
  const ikra::array train{wagons};
  const auto untold = [&](const char* what, const auto& write) {
    attempt(what, [&] {
      ikra::resident scope{train};
      for (int t = 0; t < 3; ++t)
        train.peach([t](Wagon* w) { w->roll(t); });
      write(*wagons[1050]);
      train.peach([](Wagon* w) { w->roll(0); });
    });
  };
  // CHECK-NEXT: unused: right
  untold("unused", [](Wagon& w) { w.unused = 7; });
  // CHECK-NEXT: bool: {{.*}} the host wrote Wagon::open of an object of class Wagon
  untold("bool", [](Wagon& w) { w.open = true; });
  // CHECK-NEXT: short: {{.*}} the host wrote Wagon::axles of
  untold("short", [](Wagon& w) { w.axles = 9; });
  // CHECK-NEXT: bit-field: {{.*}} the host wrote Wagon::brakes of
  untold("bit-field", [](Wagon& w) { w.brakes = 2; });
  // CHECK-NEXT: array: {{.*}} the host wrote Wagon::name of
  untold("array", [](Wagon& w) { w.name[69] = 1; });
  // CHECK-NEXT: vector: {{.*}} the host wrote Wagon::load of
  untold("vector", [](Wagon& w) { w.load[2] = 50; });
}
