// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Classes whose objects other files make: lazy operations are left to the plain library, once.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | FileCheck %s --check-prefix=LEFT
// RUN: %build_cpu %t.cu %S/Inputs/shape.cpp -o %t.cpu && %t.cpu | FileCheck %s --check-prefix=OUT
// RUN: not %ikrac -o %t.cu %s -- %ikra_flags -DCHANGES 2>&1 | FileCheck %s --check-prefix=CHANGES
#include "Inputs/shape.hpp"

#include <ikra/ikra.hpp>

#include <cstdio>
#include <vector>

#ifdef CHANGES
void change(ikra::array<Shape*> shapes) {
  // CHANGES: shape.hpp:18:{{[0-9]+}}: error: objects of class 'Shape' are used, and no class derived from it is visible here that can be constructed; include the header of one [ikra-no-concrete-class]
  // CHANGES: [[@LINE+1]]:{{[0-9]+}}: note: called here
  shapes.peach([](Shape* s) { s->scaled(); });
}
// CHANGES: 1 error generated.
#endif

int main() {
  std::vector<std::unique_ptr<Shape>> all;
  all.push_back(make_shape());
  ikra::array shapes{all};
  // LEFT: shape.hpp:18:{{[0-9]+}}: warning: objects of class 'Shape' are used, and no class derived from it is visible here
  // LEFT: [[@LINE+1]]:{{[0-9]+}}: warning: 'pmap' is not compiled
  auto areas = shapes.pmap([](const Shape* s) { return s->scaled(); });
  // LEFT: [[@LINE+1]]:{{[0-9]+}}: warning: 'pmap' is not compiled
  auto sides = shapes.pmap([](const Shape* s) { return s->sides(); });
  // LEFT-NOT: error
  std::printf("%g %d\n", areas[0], sides[0]);
  // OUT: 7 4
}
