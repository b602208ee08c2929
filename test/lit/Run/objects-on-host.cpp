// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lazy operations over objects that have no kernel run on one core, with a warning, and see what
// sections wrote to objects that a resident scope holds.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | FileCheck %s --implicit-check-not=error
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu | FileCheck %s --check-prefix=OUT
// RUN: %build_plain %s -o %t.plain && %t.plain | FileCheck %s --check-prefix=OUT
#include <ikra/ikra.hpp>

#include <cstdio>
#include <tuple>
#include <utility>
#include <vector>

struct Body {
  float x = 0;
  Body* other = nullptr;
  float place() const { return x; }
};
struct Link {
  const Body* from;
  Body* to;
  int marks[1] = {}; // an array, with which the runtime does not rewrite the struct
};
template <class F> auto measured(const ikra::array<Body*, 1>& a, const ikra::array<Body*, 1>& b, F f) {
  return a.pcombine(b, f);
}

template <class Array> void show(const Array& values) {
  for (float value : values)
    std::printf("%g ", value);
  std::printf("\n");
}

int main() {
  std::vector<Body> left(3), right(3);
  for (int i = 0; i < 3; ++i) {
    left[i].x = float(i);
    right[i].x = float(10 * i);
    left[i].other = &right[2 - i];
  }
  const auto p = ikra::objects(left), q = ikra::objects(right);
  ikra::resident scope{p, q};
  for (int k = 0; k < 2; ++k) {
    p.peach([](Body* b) { b->x += 1; });
    q.peach([k](Body* b) { b->x -= float(k); });
    // OUT: 1 12 23
    show(p.pcombine(q, [](const Body* a, const Body* b) { return a->x + b->x; }));
    // OUT-NEXT: 0 20 60
    // CHECK-DAG: [[@LINE+1]]:{{[0-9]+}}: warning: 'pselect' is not compiled
    show(p.pzip(q).pselect([](const auto& t) { return std::get<0>(t)->x > -5; }).pmap([](const auto& t) { return std::get<0>(t)->x * std::get<1>(t)->x; }));
    // OUT-NEXT: 3
    show(p.preduce([](Body* a, Body* b) { return a->x < b->x ? b : a; }).pmap(&Body::place));
    // OUT-NEXT: 21 12 3
    // CHECK-DAG: [[@LINE+2]]:{{[0-9]+}}: warning: 'pmap' is not compiled
    // CHECK-DAG: [[@LINE+1]]:{{[0-9]+}}: warning: section returns 'Link'
    const auto links = p.pmap([](Body* b) { return Link{b, b->other}; });
    // CHECK-DAG: [[@LINE+1]]:{{[0-9]+}}: warning: 'pmap' over elements of type 'Link'
    show(links.pmap([](const Link& l) { return l.from->x + l.to->x; }));
    // OUT-NEXT: -19 -8 3
    show(measured(p, q.pmap([](const Body* b) { return b->other; }), [](Body* a, const Body*) {
      return a->x - a->other->x;
    }));
  }
  // OUT-NEXT: 1 12 23
}
