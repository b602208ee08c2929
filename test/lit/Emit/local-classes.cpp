// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Classes that are local to a function stand in front of it, with what they need of it.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags
// RUN: FileCheck %s --input-file %t.cu
// RUN: %ikrac --print=model %s -- %ikra_flags | FileCheck %s --check-prefix=MODEL

#include <ikra/ikra.hpp>

#include <vector>

// CHECK: namespace ikra_unit_local_classes_{{[0-9a-f]+}}_sum_[[@LINE+13]] {
// CHECK-NEXT: #line [[@LINE+13]]
// CHECK-NEXT: using real = double;
// CHECK-NEXT: #line [[@LINE+13]]
// CHECK-NEXT: static constexpr real scale = 2;
// CHECK-NEXT: #line [[@LINE+13]]
// CHECK-NEXT: enum Side { left, right };
// CHECK-NEXT: #line [[@LINE+13]]
// CHECK-NEXT: struct Point {
// CHECK: real at() const { return side == left ? x * scale : x; }
// CHECK: IKRA_OBJECT };
// CHECK-NEXT: }
// CHECK-NEXT: #line [[@LINE+1]]
double sum() {
  using real = double;
  const int unrelated = 3;
  static constexpr real scale = 2;
  (void)unrelated;
  enum Side { left, right };
  // CHECK: using ikra_unit_local_classes_[[UNIT:[0-9a-f]+]]_sum_26::Side; using enum ikra_unit_local_classes_[[UNIT]]_sum_26::Side;
  struct Point {
    real x;
    Side side;
    real at() const { return side == left ? x * scale : x; }
  };
  // CHECK: using ikra_unit_local_classes_[[UNIT]]_sum_26::Point
  // MODEL: section sum_0 at local-classes.cpp:[[@LINE+1]]:{{[0-9]+}}: pnew with index gives ::ikra_unit_local_classes_{{[0-9a-f]+}}_sum_26::Point
  const auto points = ikra::pnew(10, [](std::int64_t i) { return Point{real(i), i % 2 ? left : right}; });
  return points.pmap([](const Point& p) { return p.at(); }).sum();
}
