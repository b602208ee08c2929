// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constant arrays that a loop's own code reads: of namespaces and classes, in several dimensions. Those that the program
// may change are none.
//
// RUN: %ikrac --print=fusion %s -- %ikra_flags 2> /dev/null | FileCheck %s
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | FileCheck %s --check-prefix=LEFT
// RUN: %emitted %t.cu | FileCheck %s --check-prefix=CODE
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu > %t.turns && env IKRA_TURNS=off %t.cpu | diff %t.turns -
// RUN: %build_plain %s -o %t.plain && %t.plain | diff %t.turns -
#include <ikra/ikra.hpp>

#include <array>
#include <cstdio>

using numbers = ikra::array<double>;

constexpr double weights[3] = {0.5, 0.25, 0.125};
namespace own {
inline constexpr std::array<int, 4> steps{1, 2, 3, 5};
const int shifts[] = {3, 1, 4, 1, 5};
} // namespace own
struct scheme {
  static constexpr float alpha[2][2] = {{1, 0.5F}, {0.75F, 0.25F}};
};

double staged(numbers a, int n) {
  static constexpr int most[] = {100, 7000};
  double total = 0;
  int s = 0;
  ikra::host_section([&] {
    for (int k = 0; k < n && total < 1e9; ++k) {
      const double w = weights[k % 3] * static_cast<double>(scheme::alpha[k & 1][k / 5]);
      a = a.pmap([w](double x) { return x * w + weights[1]; });
      total += a.sum();
      s += own::steps[static_cast<std::size_t>(k % 4)] << own::shifts[k % 5];
      if (s > own::steps[3] * most[1])
        break;
    }
  });
  return total + s;
}
// CHECK: turn turn_of_staged at line 32: for
// CHECK-NEXT: arrays: a (carried)
// CHECK: host waits: once
// CODE: w = weights_table()[k % 3] * static_cast<double>(scheme_alpha_table()[k & 1][k / 5]);
// CODE: own_steps_table()[static_cast<unsigned long>(k % 4)] << own_shifts_table()[k % 5];

double changed[2] = {0.5, 0.25};
double followed(numbers a, int n) {
  double total = 0;
  ikra::host_section([&] {
    for (int k = 0; k < n; ++k) {
      a = a.pmap([](double x) { return x + 1; });
      total += a.sum() * changed[k % 2];
    }
  });
  return total;
}
// CHECK: no turn at line 53: for
// LEFT: turns-tables.cpp:55:26: warning: {{.*}}'changed' is no local variable of a number{{.*}} [ikra-host-section-left]

int main() {
  const numbers a = ikra::pnew(1000, [](std::int64_t i) { return double(i % 7); });
  std::printf("%g %g\n", staged(a, 9), followed(a, 5));
}
