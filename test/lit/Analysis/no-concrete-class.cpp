// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A method that no object can have: only abstract classes declare it.
//
// RUN: not %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | FileCheck %s
#include <ikra/ikra.hpp>

struct Shape {
  virtual ~Shape() = default;
  virtual float area() const = 0;
};
struct Round : Shape {};

auto areas(ikra::array<Shape*> shapes) {
  return shapes.pmap([](const Shape* s) { return s->area(); });
  // CHECK-DAG: no-concrete-class.cpp:[[@LINE-1]]:{{[0-9]+}}: error: no class derived from 'Shape' can be constructed: there can be no objects to work on [ikra-no-concrete-class]
}
// CHECK: 1 error generated.
