// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of overloads and instances of templates, a section is what the compiler chooses for what the operation gives; its results are values.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | count 0
// RUN: %emitted %t.cu | FileCheck %s
// RUN: %build_cpu %t.cu -o %t.cpu
#include <ikra/ikra.hpp>

#include <functional>

struct Plus {
  template <class A, class B> auto operator()(A a, B b) const { return a + b; }
};
struct Either {
  int operator()(int a) const { return a + 1; }
  double operator()(double a) const { return a / 2; }
};
struct Defaulted {
  int operator()(int a, int b = 7) const { return a * b; }
};
struct Helped {
  int inner(int x) const { return x + 11; }
  int operator()(int x) const { return inner(x); }
};
struct Point {
  float x, y;
  const float& first() const { return x; }
};
int f(int x) { return x; }
double f(double x) { return x; }

int main() {
  const ikra::array<int> i;
  const ikra::array<double> d;
  const ikra::array<Point> points;
  // CHECK: IKRA_DEVICE double operator()(int a, double b) const
  i.pcombine(d, Plus());
  // CHECK: IKRA_DEVICE int operator()(int a, int b) const
  i.pcombine(i, Plus());
  // CHECK: IKRA_DEVICE double operator()(double a) const { return a / 2; }
  d.pmap(Either());
  // CHECK: IKRA_DEVICE int operator()(int a, int b = 7) const
  i.pmap(Defaulted());
  // CHECK: IKRA_DEVICE int operator()(int first) const { return Helped_operator_of(function_object, first); }
  i.pmap(Helped());
  // CHECK: IKRA_DEVICE double operator()(double x) const
  d.pmap(static_cast<double (*)(double)>(f));
  // CHECK: IKRA_DEVICE float operator()(::Point first) const { return Point_first(first); }
  points.pmap(&Point::first);
}
