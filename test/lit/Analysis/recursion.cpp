// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that call themselves, at once or through others, are told with the way there; loops are not recursion.
//
// RUN: split-file %s %t
// RUN: not %ikrac -o %t.cu %t/direct.cpp -- %ikra_flags 2>&1 | FileCheck %t/direct.cpp
// RUN: not %ikrac -o %t.cu %t/mutual.cpp -- %ikra_flags 2>&1 | FileCheck %t/mutual.cpp
// RUN: not %ikrac -o %t.cu %t/method.cpp -- %ikra_flags 2>&1 | FileCheck %t/method.cpp
// RUN: not %ikrac -o %t.cu %t/through-references.cpp -- %ikra_flags 2>&1 | FileCheck %t/through-references.cpp --implicit-check-not=error:

//--- direct.cpp
#include <ikra/ikra.hpp>
int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
// CHECK: direct.cpp:[[@LINE-1]]:{{[0-9]+}}: error: 'factorial' calls itself: recursion without a bound that ikrac can see; write a loop
auto results(ikra::array<int> input) {
  return input.pmap([](int x) { return factorial(x); });
}

//--- mutual.cpp
#include <ikra/ikra.hpp>
bool odd(int n);
bool even(int n) { return n == 0 ? true : odd(n - 1); }
bool odd(int n) { return n == 0 ? false : even(n - 1); }
// CHECK: mutual.cpp:[[@LINE-1]]:{{[0-9]+}}: error: 'even' calls itself through other functions: recursion without a bound that ikrac can see; write a loop
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
  // CHECK: method.cpp:[[@LINE-1]]:{{[0-9]+}}: error: 'Node::total' calls itself: recursion without a bound that ikrac can see; write a loop
};
Node first;
auto results(ikra::array<Node*> nodes) {
  return nodes.pmap([](const Node* n) { return n->total(); });
}

//--- through-references.cpp
#include <ikra/ikra.hpp>

#include <vector>

struct Tree {
  Tree* left = nullptr;
  int value = 1;
  int depth() const;
};
int one_more(const Tree* t) { return t->depth() + 1; }
// CHECK: through-references.cpp:[[@LINE+1]]:{{.*}} error: '{{.*}}' calls itself through other functions: recursion without a bound{{.*}}[ikra-recursion]
int Tree::depth() const { return left ? one_more(left) : 1; }
int length(const Tree* t) {
  int n = 0;
  for (; t; t = t->left)
    ++n;
  return n;
}

void sections(const ikra::array<Tree*>& trees) {
  trees.pmap([](const Tree* t) { return length(t); });
  // CHECK: through-references.cpp:[[@LINE+1]]:{{.*}} note: reached from this section
  trees.pmap([](const Tree* t) { return t->depth(); });
}
