// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Classes by value: what is one, what is an object because sections reach it through pointers, and what they may not do.
//
// RUN: split-file %s %t
// RUN: %ikrac --print=model %t/accepted.cpp -- %ikra_flags | FileCheck %t/accepted.cpp
// RUN: not %ikrac -o %t.cu %t/refused.cpp -- %ikra_flags 2>&1 | FileCheck %t/refused.cpp

//--- accepted.cpp
#include <ikra/ikra.hpp>
#include <array>
#include <tuple>
#include <vector>
struct Point {
  float x, y;
  Point(float a, float b) : x(a), y(b) {}
  float norm() const { return x * x + y * y; }
};
class Hidden {
  int n_ = 1;
  IKRA_OBJECT
public:
  int n() const { return n_; }
};
struct Node {
  Point at{0, 0};
  std::array<int, 4> marks{};
  std::vector<Point> path;
  Node* next = nullptr;
};
void sections(std::vector<Node>& store, const ikra::array<int>& numbers, Point from, Hidden h) {
  auto points = numbers.pmap([from](int n) { return Point(from.x, static_cast<float>(n)); });
  points.pmap([](const Point& p) { return std::tuple(p.norm(), 1); });
  numbers.pmap([h](int n) { return h.n() + n; });
  ikra::objects(store).peach([&from](Node* n) { n->at.x += from.x + n->path[0].norm() + static_cast<float>(n->marks[1]); });
}
// CHECK: class Node family
// CHECK-DAG: member at: ::Point
// CHECK-DAG: member path: list of ::Point
// CHECK-DAG: member marks: ::std::array<int, 4>
// CHECK: value class Hidden
// CHECK-NEXT: members that are not public: n_
// CHECK: section sections_0 {{.*}}: pmap over int gives ::Point
// CHECK-NEXT: captures: from (::Point)
// CHECK: section sections_1 {{.*}}: pmap over ::Point gives ::std::tuple<float, int>
// CHECK: section sections_3 {{.*}}: peach over object of Node
// CHECK-NEXT: captures: from (::Point)
// CHECK-NEXT: reads own: {{.*}}Node::at
// CHECK-NEXT: writes own: Node::at
// CHECK: calls Point::Point
// CHECK: calls Point::norm

//--- refused.cpp
#include <ikra/ikra.hpp>
#include <tuple>
#include <vector>
extern "C" {
class Secret {
  int n_ = 1;
public:
  int n() const { return n_; }
};
}
struct Weight {
  int grams;
  bool operator==(const Weight& o) const { return grams == o.grams; }
};
struct Cell {
  int value = 0;
  Cell* next = nullptr;
};
struct Both {
  int n;
};
struct Holder {
  Both* both = nullptr;
  int n = 0;
};
void sections(std::vector<Holder>& holders, std::vector<Cell>& store, const ikra::array<int>& numbers, Secret s) {
  numbers.pmap([s](int n) { return s.n() + n; });
  // CHECK-DAG: warning: 'n_' is not public: write IKRA_OBJECT into the body of class 'Secret', so that ikrac's code may use it [ikra-hidden-member]
  numbers.pmap([](int n) { return std::tuple(Weight{n}) == std::tuple(Weight{1}); });
  // CHECK-DAG: refused.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: 'std::operator==' cannot be called here in a section: {{.*}} [ikra-no-device-version]
  ikra::objects(store).pmap([](const Cell* c) { return *c; });
  // CHECK-DAG: refused.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: section returns 'Cell'{{.*}} [ikra-section-result]
  ikra::objects(holders).peach([](Holder* h) { Both b{h->both->n}; h->both = &b; });
  // CHECK-DAG: refused.cpp:[[@LINE-1]]:{{[0-9]+}}: error: an object of class 'Both' is copied in a section{{.*}} [ikra-object-by-value]
}
