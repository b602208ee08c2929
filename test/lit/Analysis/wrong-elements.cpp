// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the plain library says of sections that take other elements than there are, in any compiler.
//
// RUN: not %ikrac -o %t.cu %s -- %ikra_flags -DCOPIES 2>&1 | FileCheck %s --check-prefix=COPIES
// RUN: not %ikrac -o %t.cu %s -- %ikra_flags -DFIRST 2>&1 | FileCheck %s --check-prefix=FIRST
// RUN: not %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | FileCheck %s --check-prefix=CONSTANT
#include <ikra/ikra.hpp>

#include <vector>

struct Car {
  int speed = 0;
};

void sections(std::vector<Car>& cars) {
#ifdef COPIES
  // COPIES: error: static assertion failed {{.*}}the section does not take the elements: an array of values hands over copies of them; ikra::objects(container) hands over the objects themselves
  ikra::array{cars}.peach([](Car& c) { ++c.speed; });
#elif defined(FIRST)
  // FIRST: error: static assertion failed {{.*}}the first value and the elements have no common type: give a first value of the elements' type, or let a pmap make elements of its type
  const ikra::array<int> drivers{std::vector<int>(cars.size())};
  ikra::array{cars}.reduce_by_index(2, drivers, 0, [](Car a, Car b) { return Car{a.speed + b.speed}; });
#else
  // CONSTANT: error: static assertion failed {{.*}}its section takes and returns the elements' type, T* and not const T*
  auto fastest = ikra::objects(cars).preduce([](const Car* a, const Car* b) { return a->speed < b->speed ? b : a; });
  fastest.value()->speed = 0;
#endif
}
