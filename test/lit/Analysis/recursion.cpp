// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that call themselves, at once or through others, are told with the way there; loops are
// not recursion. Lazy operations that reach them are left to the plain library, all others compiled.
// Recursion along objects is compiled: functions are declared before, and uses are summed up over the cycle.
//
// RUN: split-file %s %t
// RUN: %ikrac -o %t.cu %t/direct.cpp -- %ikra_flags 2>&1 | FileCheck %t/direct.cpp
// RUN: %ikrac -o %t.cu %t/mutual.cpp -- %ikra_flags 2>&1 | FileCheck %t/mutual.cpp
// RUN: %ikrac -o - %t/method.cpp -- %ikra_flags 2>&1 | FileCheck %t/method.cpp --implicit-check-not=warning:
// RUN: not %ikrac -o %t.cu %t/peach.cpp -- %ikra_flags 2>&1 | FileCheck %t/peach.cpp
// RUN: %ikrac --print=model %t/several.cpp -- %ikra_flags 2>%t.log | FileCheck %t/several.cpp --implicit-check-not=section
// RUN: FileCheck %t/several.cpp --check-prefix=WARN '--implicit-check-not=warning:' < %t.log
// RUN: %ikrac --print=model %t/through-references.cpp -- %ikra_flags 2>&1 | FileCheck %t/through-references.cpp --implicit-check-not=warning:

//--- direct.cpp
#include <ikra/ikra.hpp>
int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
// CHECK: direct.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: 'factorial' calls itself: recursion without a bound that ikrac can see; write a loop
auto results(ikra::array<int> input) {
  return input.pmap([](int x) { return factorial(x); });
}

//--- mutual.cpp
#include <ikra/ikra.hpp>
bool odd(int n);
bool even(int n) { return n == 0 ? true : odd(n - 1); }
bool odd(int n) { return n == 0 ? false : even(n - 1); }
// CHECK: mutual.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: 'even' calls itself through other functions: recursion without a bound that ikrac can see; write a loop
auto results(ikra::array<int> input) {
  return input.pmap([](int x) { return even(x); });
}

//--- method.cpp
#include <ikra/ikra.hpp>
struct Node {
  int value = 0;
  Node* next = nullptr;
  virtual ~Node() = default;
  virtual int total() const { return value + (next ? next->total() : 0); }
};
struct Twice final : Node {
  int total() const override { return 2 * Node::total(); }
};
Twice first;
auto results(ikra::array<Node*> nodes) {
  return nodes.pmap([](const Node* n) { return n->total(); });
}
// CHECK: {{^}}const ikra::rt::recursive_code recursion;
// CHECK: {{^}}IKRA_DEVICE_OUT_OF_LINE int Node_total_2(const columns_view& w, ikra::object_id self);
// CHECK-NEXT: {{^}}IKRA_DEVICE int Node_total_by_class(const columns_view& w, ikra::object_id self);
// CHECK-NEXT: {{^}}IKRA_DEVICE_OUT_OF_LINE int Twice_total_2(const columns_view& w, ikra::object_id self);
// CHECK: {{^}}IKRA_DEVICE_OUT_OF_LINE int Twice_total_2(const columns_view& w, ikra::object_id self) { return 2 * Node_total_2(w, self); }
// CHECK: {{^}}IKRA_DEVICE int Node_total_by_class(const columns_view& w, ikra::object_id self) {

//--- through-references.cpp
#include <ikra/ikra.hpp>

#include <vector>

struct Tree {
  Tree* left = nullptr;
  int value = 1;
  int seen = 0;
  int depth() const;
};
int one_more(const Tree* t) { return t->value + t->depth() + 1; }
int Tree::depth() const { return left ? one_more(left) : 1; }

void sections(const ikra::array<Tree*>& trees) {
  // CHECK: section sections_0
  // CHECK: reads: Tree::left, Tree::value
  // CHECK: may run in place
  trees.peach([](Tree* t) { t->seen = t->depth(); });
}

//--- peach.cpp
#include <ikra/ikra.hpp>
struct Node {
  int value = 0;
};
int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
// CHECK: peach.cpp:[[@LINE-1]]:{{[0-9]+}}: error: 'factorial' calls itself: recursion without a bound
void change(ikra::array<Node*> nodes) {
  nodes.peach([](Node* n) { n->value = factorial(n->value); });
}

//--- several.cpp
#include <ikra/ikra.hpp>
template <class T> T power(T x, int n) {
  if (n == 0)
    return 1;
  const T half = power(x, n / 2);
  return n % 2 ? half * half * x : half * half;
}
struct Nested {
  int n;
  friend Nested operator+(Nested a, Nested b) { return b.n == 0 ? a : Nested{a.n + 1} + Nested{b.n - 1}; }
};
// CHECK: section shifted
auto shifted(ikra::array<int> a) { return a.pmap([](int x) { return x + 1; }); }
// WARN: warning: 'power<int>' calls itself
// WARN: warning: 'pmap' is not compiled
// WARN: warning: 'pcombine' is not compiled
auto cubes(ikra::array<int> a) { return a.pmap([](int x) { return power(x, 3); }); }
auto powers(ikra::array<int> a) { return a.pcombine(a, [](int x, int n) { return power(x, n); }); }
// WARN: warning: 'operator+' calls itself
// WARN: warning: 'operator+' is not compiled
auto sums(ikra::array<Nested> a) { return a + a; }
