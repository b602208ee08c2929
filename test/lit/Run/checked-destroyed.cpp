// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A checked build names the class of an object that was destroyed while a scope holds it, also where
// pointers of others lead to it: then it names the member, the class, and the element. It looks at the object's memory, which AddressSanitizer reports
// itself. An error that is caught inside of the scope is not thrown again at its end.
//
// UNSUPPORTED: sanitizer
// RUN: %ikrac --check -o %t.cu %s -- %ikra_flags
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu | FileCheck %s
// RUN: env IKRA_SCOPES=always %t.cpu | FileCheck %s
#include <ikra/ikra.hpp>

#include <cstddef>
#include <cstdio>
#include <memory>
#include <new>
#include <vector>

struct Light {
  IKRA_OBJECT
  virtual ~Light() = default;
  virtual int colour() const { return 1; }
};
struct Red : Light {
  IKRA_OBJECT
  int colour() const override { return 2; }
};
struct Car {
  IKRA_OBJECT
  int at = 0;
  Light* light = nullptr;
  void look() { at += light->colour(); }
};

struct Unit {
  IKRA_OBJECT
  virtual ~Unit() = default;
  // As allocators do: memory that was freed begins with the address of other such memory.
  static void* operator new(std::size_t bytes) { return ::operator new(bytes); }
  static void operator delete(void* memory) {
    *static_cast<void**>(memory) = freed;
    freed = memory;
  }
  static inline void* freed = nullptr;
  int id = 0, result = 0;
  Unit* rival = nullptr;
  std::vector<Unit*> others;
};
struct Tank : Unit {
  IKRA_OBJECT
  int armour = 1;
};

struct Sign {
  IKRA_OBJECT
  virtual ~Sign() = default;
  int text = 7, words = 8;
};

using Units = std::vector<std::unique_ptr<Unit>>;

template <class Destroy> void with_rivals(Destroy destroy, bool in_list) {
  Units units;
  for (int i = 0; i < 40; ++i) {
    units.push_back(i % 2 != 0 ? std::make_unique<Tank>() : std::make_unique<Unit>());
    units[i]->id = i;
    units[i]->rival = units[in_list ? 0 : i / 2].get();
    units[i]->others.push_back(units[i / 2].get());
  }
  ikra::resident scope{units};
  try {
    ikra::array{units}.peach([](Unit* u) { u->result = u->rival->id + u->others[0]->id; });
    destroy(scope, units); // of 5, to which 10 and 11 lead
    ikra::array{units}.peach([](Unit* u) { u->result += u->rival->id + u->others[0]->id; });
    scope.sync();
    std::printf("no error\n");
  } catch (const ikra::error& e) {
    std::printf("%d %s\n", e.kind() == ikra::error_kind::failed_check, e.what());
  }
}

void rivals() {
  const auto erase = [](ikra::resident&, Units& units) { units.erase(units.begin() + 5); };
  const auto tell = [](ikra::resident& scope, Units& units) {
    units.erase(units.begin() + 5);
    scope.changed(units);
  };
  const auto remove = [](ikra::resident& scope, Units& units) {
    scope.remove(units[5].get());
    units.erase(units.begin() + 5);
  };
  const auto tell_another = [](ikra::resident& scope, Units& units) {
    scope.sync();
    units.erase(units.begin() + 5);
    scope.changed(units[10].get());
  };
  const auto last = [](ikra::resident& scope, Units& units) {
    scope.sync();
    units.pop_back();
    scope.changed();
  };
  // CHECK-COUNT-3: 1 section {{.*}}checked-destroyed.cpp:{{.*}}: an object of class Unit, or of one derived from it, was destroyed while Unit::rival of element 9 of the array, of class Unit, leads to it; call scope.remove(pointer) before the object goes, and lead no other object to it
  // CHECK: while Unit::rival of an object of class Tank leads to it; call
  // CHECK-COUNT-3: while Unit::others of element 9 of the array, of class Unit, leads to it; call
  // CHECK: while Unit::others of an object of class Tank leads to it; call
  for (const bool in_list : {false, true}) {
    with_rivals(erase, in_list);
    with_rivals(tell, in_list);
    with_rivals(remove, in_list);
    with_rivals(tell_another, in_list);
  }
  // CHECK-NEXT: no error
  with_rivals(last, false); // nobody leads to it
}

void written() {
  std::vector<Car> cars(9);
  Light light;
  for (Car& c : cars)
    c.light = &light;
  ikra::resident scope{cars};
  const auto all = ikra::objects(cars);
  try {
    all.peach([](Car* c) { c->look(); });
    cars[3].light = nullptr;
    all.peach([](Car* c) { c->look(); });
  } catch (const ikra::error& e) {
    // CHECK-NEXT: the host wrote Car::light of an object of class Car inside a scope, without telling it
    std::printf("%s\n", e.what());
  }
}

/// An object of another class, or of a derived one, is where one was destroyed.
template <class Now> void taken() {
  alignas(16) std::byte memory[sizeof(Sign) + sizeof(Now)];
  Light* const light = new (memory) Light;
  std::vector<Car> cars(9);
  for (Car& c : cars)
    c.light = light;
  const auto all = ikra::objects(cars);
  try {
    ikra::resident scope{all};
    all.peach([](Car* c) { c->look(); });
    scope.sync();
    light->~Light();
    Now* const now = new (memory) Now;
    scope.changed();
    all.peach([](Car* c) { c->look(); });
    scope.sync();
    std::printf("%d\n", cars[0].at);
    now->~Now();
  } catch (const ikra::error& e) {
    std::printf("%s\n", e.what());
  }
}

/// Without a scope: what a section is given, and captures.
void given() {
  std::vector<Unit*> units;
  for (int i = 0; i < 9; ++i)
    units.push_back(new Tank);
  std::vector<Car> cars(9);
  const Unit* const captured = units[7];
  delete units[7];
  const auto attempt = [](const auto& section) {
    try {
      section();
    } catch (const ikra::error& e) {
      std::printf("%s\n", e.what());
    }
  };
  // CHECK-NEXT: checked-destroyed.cpp:[[#@LINE+1]]:{{.*}}was destroyed while element 7 of the array, or of a captured container, leads to it
  attempt([&] { ikra::array{units}.peach([](Unit* u) { u->id += 1; }); });
  // CHECK-NEXT: checked-destroyed.cpp:[[#@LINE+1]]:{{.*}}was destroyed while a captured pointer, or a variable of the program, leads to it
  attempt([&] { ikra::objects(cars).peach([captured](Car& c) { c.at += captured->id; }); });
  for (std::size_t i = 0; i < 9; ++i)
    if (i != 7)
      delete units[i];
}

int main() {
  rivals();
  written();
  given();
  // CHECK-NEXT: an object of class Light, or of one derived from it, was destroyed while Car::light of element 0 of the array, of class Car, leads to it
  taken<Sign>();
  // CHECK-NEXT: 3
  taken<Red>();
  std::vector<std::unique_ptr<Light>> lights;
  for (int i = 0; i < 3; ++i)
    lights.push_back(i == 1 ? std::make_unique<Red>() : std::make_unique<Light>());
  std::vector<Car> cars(9);
  for (std::size_t i = 0; i < cars.size(); ++i)
    cars[i].light = lights[i % 3].get();
  const auto all = ikra::objects(cars);
  try {
    const ikra::resident scope{all};
    all.peach([](Car* c) { c->look(); });
    lights[1].reset();
    all.peach([](Car* c) { c->look(); });
  } catch (const ikra::error& e) {
    // CHECK-NEXT: section 'main' at {{.*}}checked-destroyed.cpp:[[#@LINE-2]]:{{.*}}: an object of class Red was destroyed while a scope holds it; call scope.remove(pointer)
    std::printf("%s\n", e.what());
  }
}
