// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What reads captured arrays in a loop and is held is stored by its own kernel, not by that of the
// reduction after it, whose threads are too few to hide the waiting. What only maps after it, and
// what does not loop, is stored in passing.
//
// RUN: %ikrac --print=fusion %s -- %ikra_flags | FileCheck %s
#include <ikra/ikra.hpp>
#include <cmath>
using numbers = ikra::array<double>;
struct graph { ikra::array<int> first, to; };
double turns(const graph& g, numbers x, int n) {
  double change = 0;
  for (int turn = 0; turn < n; ++turn) {
    const numbers next = x.with_index().pmap([x, first = g.first, to = g.to](double own, std::int64_t v) {
      double sum = own;
      for (int k = first[v]; k < first[v + 1]; ++k)
        sum += x[to[k]];
      return 0.5 * sum;
    });
    change = next.pcombine(x, [](double a, double b) { return std::fabs(a - b); }).sum();
    x = next;
  }
  return change;
}
double once(const numbers& x) {
  const numbers roots = x.pmap([](double v) { return std::sqrt(std::fabs(v)) + std::exp(v); });
  return roots.sum() + roots[0];
}
// CHECK: kernel once_3 -> once_4
// CHECK-NEXT: once_3, if held, is stored in passing
// CHECK: kernel turns_0 -> turns_1 -> turns_2, on path 1
// CHECK-NEXT: turns_0, if held, is stored (the next turn reads it)
// CHECK: kernel turns_1 -> turns_2, from what is held
