// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recursion without a bound is found through any number of functions, and told with the way there.
//
// RUN: not %ikrac -o - %s -- %ikra_flags 2>&1 >/dev/null | FileCheck %s --implicit-check-not=error:
#include <ikra/ikra.hpp>

#include <vector>

struct Tree {
  Tree* left = nullptr;
  int value = 1;
  int depth() const;
};
int one_more(const Tree* t) { return t->depth() + 1; }
// CHECK: refused-recursion.cpp:[[@LINE+1]]:{{.*}} error: '{{.*}}' calls itself through other functions: recursion without a bound{{.*}}[ikra-recursion]
int Tree::depth() const { return left ? one_more(left) : 1; }
int length(const Tree* t) {
  int n = 0;
  for (; t; t = t->left)
    ++n;
  return n;
}

void sections(const ikra::array<Tree*>& trees) {
  trees.pmap([](const Tree* t) { return length(t); });
  // CHECK: refused-recursion.cpp:[[@LINE+1]]:{{.*}} note: reached from this section
  trees.pmap([](const Tree* t) { return t->depth(); });
}
