// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variants of pointers: in device code, of IDs of types of their own, which tell alternatives apart.
//
// RUN: split-file %s %t
// RUN: %ikrac --print=layout %t/main.cpp -- %ikra_flags | FileCheck %t/main.cpp --check-prefix=LAYOUT
// RUN: %ikrac -o %t.ikra.cu %t/main.cpp -- %ikra_flags 2>&1 | count 0
// RUN: %emitted %t.ikra.cu | FileCheck %t/main.cpp
// RUN: %build_cpu %t.ikra.cu -o %t.cpu && env IKRA_REORDER=always %t.cpu | FileCheck %t/main.cpp --check-prefix=OUT
// RUN: %build_plain %t/main.cpp -o %t.plain && %t.plain | FileCheck %t/main.cpp --check-prefix=OUT
// RUN: not %ikrac -o %t.ikra.cu %t/refused.cpp -- %ikra_flags 2>&1 | FileCheck %t/refused.cpp

//--- main.cpp
#include <ikra/ikra.hpp>

#include <cstdio>
#include <variant>
#include <vector>

struct Car {
  int length = 4;
};
struct Bike {
  int weight = 9;
};
template <class... F> struct either : F... {
  using F::operator()...;
};
template <class... F> either(F...) -> either<F...>;

// LAYOUT: Owner_what: ::std::variant<ikra::alternative<0>, ikra::alternative<1>> for Owner
struct Owner {
  std::variant<Car*, Bike*> what;
  int sum = 0;
  void ask() {
    // CHECK: std::get_if<0>(
    if (auto car = std::get_if<Car*>(&what))
      sum += (*car)->length;
    // CHECK: std::holds_alternative<ikra::alternative<1>>(
    // CHECK: ikra::get<1>(
    if (std::holds_alternative<Bike*>(what))
      sum += std::get<Bike*>(what)->weight;
    // CHECK: ikra::overload<0>
    // CHECK: ikra::overload<1>
    // CHECK: ikra::alternative<0>&
    sum += std::visit(either{[](const Car* c) { return c->length * 10; }, [](const Bike* b) { return b->weight * 100; }}, what);
  }
  // CHECK: ::std::variant<ikra::alternative<0>, ikra::alternative<1>>(ikra::alternative<1>(
  void exchange(Bike* bike) { what = bike; }
};

int main() {
  std::vector<Car> cars(2);
  std::vector<Bike> bikes(2);
  std::vector<Owner> owners(2);
  owners[0].what = &cars[1];
  owners[1].what = &bikes[0];
  ikra::objects(owners).peach([](Owner* o) { o->ask(); });
  // OUT: 44 909
  std::printf("%d %d\n", owners[0].sum, owners[1].sum);
  ikra::objects(owners).peach([bike = &bikes[1]](Owner* o) { o->exchange(bike); });
  // OUT-NEXT: 1 1
  std::printf("%d %d\n", std::get<Bike*>(owners[0].what) == &bikes[1], std::get<Bike*>(owners[1].what) == &bikes[1]);
}

//--- refused.cpp
#include <ikra/ikra.hpp>

#include <variant>
#include <vector>

struct Car {
  virtual ~Car() = default;
};
struct Sport : Car {
  int speed = 1;
};
struct Owner {
  std::variant<Car*, int> what;
  std::variant<Car*, Car*> same;
  // CHECK-DAG: refused.cpp:[[@LINE+1]]:{{.*}} error: {{.*}}a std::variant that is given a pointer of another type than its alternative's; cast it{{.*}} [ikra-unsupported-expression]
  void converted(Sport* sport) { what = sport; }
  // CHECK-DAG: refused.cpp:[[@LINE+1]]:{{.*}} error: type 'std::variant<Car *, Car *>' cannot be used in a section{{.*}} [ikra-unsupported-type]
  bool twice() const { return same.index() == 1; }
};
void refused(std::vector<Owner>& owners, Sport* sport) {
  ikra::objects(owners).peach([sport](Owner* o) {
    if (!o->twice())
      o->converted(sport);
  });
}
