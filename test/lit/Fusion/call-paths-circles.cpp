// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that call each other in a circle are followed from where the circle is entered.
//
// RUN: %ikrac --print=fusion %s -- %ikra_flags | FileCheck %s
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | count 0
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu | FileCheck %s --check-prefix=OUT
// RUN: env IKRA_TRACE=kernels %t.cpu 2>&1 >/dev/null | FileCheck %s --check-prefix=TRACE
#include <ikra/ikra.hpp>

#include <cstdio>
#include <vector>

int up(const ikra::array<int>& a, int steps);

int down(const ikra::array<int>& a, int steps) {
  if (steps > 0)
    return up(a.pmap([](int x) { return x - 1; }), steps - 1);
  return a.pmap([](int x) { return x * 10; })[0];
}

int up(const ikra::array<int>& a, int steps) { return down(a, steps); }

// CHECK: kernel main_2 -> down_1, on path 1
int main() {
  const ikra::array<int> ints{std::vector<int>{1, 2, 3}};
  // OUT: 30
  // TRACE: 2 sections
  std::printf("%d\n", up(ints.pmap([](int x) { return x + 2; }), 0));
}
