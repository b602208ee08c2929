// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which classes the model holds, which of them objects can have, and whose columns they share.
//
// RUN: %ikrac --print=model %s -- %ikra_flags | FileCheck %s
#include <ikra/ikra.hpp>

#include <memory>
#include <vector>

struct Shape {
  float size = 1;
  virtual ~Shape() = default;
  virtual float area() const = 0;
};
struct Named {
  int name = 0;
  virtual ~Named() = default;
};
struct Square : Shape {
  float area() const override { return size * size; }
};
struct Circle : Shape, Named {
  float area() const override { return size * static_cast<float>(name); }
};
struct NeverMade : Shape {
  float area() const override { return 0; }
};
struct Unrelated {
  int value = 0;
};
template <class T> struct Boxed {
// CHECK: {{^}}class Shape family 0 polymorphic{{$}}
// CHECK-NEXT: can be: Square, Circle{{$}}
// CHECK-NEXT: member size: float
// CHECK-NEXT: class Boxed<double> family 1 constructed{{$}}
// CHECK-NEXT: can be: Boxed<double>
// CHECK-NEXT: member content: double
// CHECK-NEXT: class Unrelated family 2 constructed{{$}}
// CHECK-NEXT: can be: Unrelated
// CHECK-NEXT: member value: int
// CHECK-NEXT: class Square family 0 constructed polymorphic{{$}}
// CHECK-NEXT: can be: Square{{$}}
// CHECK-NEXT: class Circle family 0 constructed polymorphic{{$}}
// CHECK-NEXT: can be: Circle{{$}}
// CHECK-NEXT: class Named family 0
// CHECK-NEXT: can be: Named, Circle
// CHECK-NEXT: member name: int
// CHECK-NOT: NeverMade
  T content{};
  T get() const { return content; }
};

void sections(std::vector<Boxed<double>>& boxes, std::vector<Unrelated>& others) {
  std::vector<std::unique_ptr<Shape>> shapes;
  shapes.push_back(std::make_unique<Square>());
  shapes.push_back(std::make_unique<Circle>());
  ikra::array{shapes}.pmap([](const Shape* s) { return s->area(); });
  // CHECK: section sections_0 at model-classes.cpp:[[@LINE-1]]:{{[0-9]+}}: pmap over object of Shape gives float
  // CHECK-NEXT: reads own: Shape::size, Named::name
  ikra::objects(boxes).pmap([](const Boxed<double>* b) { return b->get(); });
  // CHECK: section sections_1 at model-classes.cpp:[[@LINE-1]]:{{[0-9]+}}: pmap over object of Boxed<double> gives double
  // CHECK-NEXT: reads own: Boxed<double>::content
  ikra::objects(others).peach([](Unrelated* u) { u->value = 1; });
}

// CHECK: function {{.*}}operator() (element in place 1)
// CHECK-NEXT: calls by class: Square::area for Square, Circle::area for Circle{{$}}
// CHECK: calls Boxed<double>::get
// CHECK: function Boxed<double>::get (element in place this)
// CHECK-NEXT: reads own: Boxed<double>::content
// CHECK: function Square::area (element in place this)
// CHECK: function Circle::area (element in place this)
// CHECK-NEXT: reads own: Shape::size, Named::name
// CHECK-NOT: NeverMade
