// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A class whose constructors are templates is constructed where one of these is called.
//
// RUN: %ikrac --print=model %s -- %ikra_flags | FileCheck %s
#include <ikra/ikra.hpp>

#include <memory>
#include <vector>

struct Shape {
  virtual ~Shape() = default;
  virtual int sides() const = 0;
  int sum = 0;
};
// CHECK-DAG: class Polygon family 0 constructed polymorphic
struct Polygon : Shape {
  template <class T> explicit Polygon(T n) : n(static_cast<int>(n)) {}
  int sides() const override { return n; }
  int n;
};
// CHECK-DAG: class Square family 0 constructed polymorphic
struct Square : Polygon {
  using Polygon::Polygon;
};
// CHECK-NOT: class Unused
struct Unused : Shape {
  template <class T> explicit Unused(T) {}
  int sides() const override { return 0; }
};

void count(std::vector<std::unique_ptr<Shape>>& all) {
  all.push_back(std::make_unique<Polygon>(5));
  all.push_back(std::make_unique<Square>(4L));
  // CHECK: calls by class: Polygon::sides for Polygon, Polygon::sides for Square
  ikra::array{all}.peach([](Shape* s) { s->sum += s->sides(); });
}
