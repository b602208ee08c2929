// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An algorithm that would call an operator of the program's, which devices do not have, is left to
// the plain library, and so is a form that device code does not have; one that calls functions and
// function objects is not.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | FileCheck %s

#include <ikra/ikra.hpp>

#include <algorithm>
#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

struct Point {
  int x, y;
  bool operator==(const Point& o) const { return x == o.x && y == o.y; }
  bool operator<(const Point& o) const { return x < o.x; }
  Point operator+(Point o) const { return {x + o.x, y}; }
};
struct ByY {
  constexpr bool operator()(Point a, Point b) const { return a.y < b.y; }
};
int* whole(int (&row)[10]) { return &row[0]; }
struct Falling {
  constexpr bool operator()(int a, int b) const { return a > b; }
};

void sections(const ikra::array<int>& a, const std::array<Point, 3>& p) {
  // CHECK-DAG: refused.cpp:[[@LINE+1]]:{{[0-9]+}}: warning: 'std::equal' cannot be called here in a section{{.*}}[ikra-no-device-version]
  a.pmap([p](int i) { return std::equal(p.begin(), p.begin() + i, p.begin() + 1, ByY{}); });
  // CHECK-DAG: refused.cpp:[[@LINE+2]]:{{[0-9]+}}: warning: this expression cannot be used in a section (an unstable sort of more than 16 elements that may be equal and differ; call std::stable_sort)
  // CHECK-DAG: refused.cpp:[[@LINE+1]]:{{[0-9]+}}: warning: 'pmap' is not compiled
  a.pmap([p](int i) { std::array<int, 17> v{i, 3, 2}; std::sort(v.begin(), v.end(), Falling{}); return v[0]; });
  // CHECK-DAG: refused.cpp:[[@LINE+1]]:{{[0-9]+}}: warning: this expression cannot be used in a section (an unstable sort
  a.pmap([](int i) { int v[20] = {i, 3, 2}; std::sort(v + 1, v + 17, [](float q, float r) { return q < r; }); return v[1]; });
  // A function may lead from an array of ten to more.
  // CHECK-DAG: refused.cpp:[[@LINE+1]]:{{[0-9]+}}: warning: this expression cannot be used in a section (an unstable sort
  a.pmap([](int i) { int m[4][10] = {{i}}; std::sort(whole(m[0]), whole(m[0]) + 40, [](int q, int r) { return q % 7 < r % 7; }); return m[1][2]; });
  // CHECK-DAG: refused.cpp:[[@LINE+1]]:{{[0-9]+}}: warning: this expression cannot be used in a section (std::nth_element, after which each library has the elements in an order of its own; sort them, or write the loop)
  a.pmap([](int i) { int v[5] = {i, 3, 2}; std::nth_element(v, v + 2, v + 5); return v[1]; });
  // CHECK-DAG: refused.cpp:[[@LINE+1]]:{{[0-9]+}}: warning: this expression cannot be used in a section (std::minmax that refers to what it is given; call std::minmax({a, b}))
  a.pmap([](int i) { return std::minmax(i, 3).second; });
  // CHECK-DAG: refused.cpp:[[@LINE+1]]:{{[0-9]+}}: warning: 'std::ranges::__max_fn::operator()' cannot be called here
  a.pmap([](int i) { std::array<int, 3> v{i, 3, 2}; return std::ranges::max(v, Falling{}); });
  // CHECK-DAG: refused.cpp:[[@LINE+1]]:{{[0-9]+}}: warning: 'std::ranges::{{.*}}_Size::operator()' cannot be called here
  a.pmap([](int i) { std::array<int, 3> v{i, 3, 2}; return std::ranges::size(v); });
  // CHECK-DAG: refused.cpp:[[@LINE+1]]:{{[0-9]+}}: warning: this expression cannot be used in a section (a braced list that a function is given; give it an array, or write a loop)
  a.pmap([](int i) { return std::max({i, 3, 2}, Falling{}); });
  a.pmap([p](int i) { return std::max_element(p.begin(), p.end(), ByY{})->x + i; });
  // CHECK-DAG: refused.cpp:[[@LINE+1]]:{{[0-9]+}}: warning: 'std::find' cannot be called here in a section{{.*}}[ikra-no-device-version]
  a.pmap([p](int i) { return std::find(p.begin(), p.end(), p[i]) - p.begin(); });
  // CHECK-DAG: refused.cpp:[[@LINE+1]]:{{[0-9]+}}: warning: 'std::accumulate' cannot be called here in a section{{.*}}[ikra-no-device-version]
  a.pmap([p](int i) { return std::accumulate(p.begin(), p.end(), Point{i, 0}).x; });
  // CHECK-DAG: refused.cpp:[[@LINE+1]]:{{[0-9]+}}: warning: this expression cannot be used in a section
  a.pmap([p](int i) { return std::max({p[0], p[i]}).x; });
  a.pmap([p](int i) { return std::count_if(p.begin(), p.end(), [i](const Point& q) { return q.x > i; }); });
  // What std::ranges can do and device code cannot: members in place of elements, classes as results.
  // CHECK-DAG: refused.cpp:[[@LINE+1]]:{{[0-9]+}}: warning: 'std::ranges::__find_fn::operator()' cannot be called here in a section{{.*}}[ikra-no-device-version]
  a.pmap([p](int i) { return std::ranges::find(p, i, &Point::x)->y; });
  // CHECK-DAG: refused.cpp:[[@LINE+1]]:{{[0-9]+}}: warning: this expression cannot be used in a section (the result of std::ranges::sort; call it as a statement of its own)
  a.pmap([](int i) { std::array<int, 3> v{i, 3, 2}; return int(std::ranges::sort(v) - v.begin()) + v[0]; });
}
// Of each of the fourteen a second one says that its section runs on one core.

// Elements that hold pointers are objects where objects hold them.
struct Node;
struct Link {
  Node* to = nullptr;
  float weight = 0;
};
struct Node {
  float value = 1, sum = 0;
  std::vector<Link> links;
};
void over_objects(const ikra::array<Node*>& nodes) {
  // CHECK-DAG: refused.cpp:[[@LINE+1]]:{{[0-9]+}}: warning: this expression cannot be used in a section (an algorithm over elements of class 'Link', which are objects, since they hold pointers or containers, or pointers lead to them; write the loop, for (const auto& each : list))
  nodes.pmap([](const Node* n) { return std::accumulate(n->links.begin(), n->links.end(), 0.0f, [](float s, const Link& l) { return s + l.weight * l.to->value; }); });
  // CHECK-DAG: refused.cpp:[[@LINE+1]]:{{[0-9]+}}: warning: {{.*}}an algorithm over elements of class 'Link'
  nodes.pmap([](const Node* n) { return std::ranges::any_of(n->links, [](const Link& l) { return l.weight > 1; }); });
}
// CHECK: 32 warnings generated.
