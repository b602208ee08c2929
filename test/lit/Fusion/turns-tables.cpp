// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constant arrays that a loop's own code reads: of namespaces and classes, of its own, in several dimensions. Those that
// the program may change are none.
//
// RUN: %ikrac --print=fusion %s -- %ikra_flags 2> /dev/null | FileCheck %s
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | FileCheck %s --check-prefix=LEFT
// RUN: %emitted %t.cu | FileCheck %s --check-prefix=CODE
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu > %t.turns && env IKRA_TURNS=off %t.cpu | diff %t.turns -
// RUN: %build_plain %s -o %t.plain && %t.plain | diff %t.turns -
#include <ikra/ikra.hpp>

#include <array>
#include <cstdio>
#include <cstdlib>

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
// CHECK: turn turn_of_staged at line 33: for
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
// LEFT: turns-tables.cpp:56:26: warning: {{.*}}'changed' is no local variable of a number{{.*}} [ikra-host-section-left]

// Declared where the loop reads them, in its block and in its own code's.
double within(numbers a, int n) {
  double total = 0;
  ikra::host_section([&] {
    for (int k = 0; k < n; ++k) {
      static constexpr double factors[2] = {0.5, 1.5};
      static constexpr std::array<int, 3> shifts{1, 0, 2};
      static constexpr int most = 40;
      const double w = factors[k % 2];
      a = a.pmap([w](double x) { return x * w + 1; });
      if (total < most) {
        static const int more[] = {7, 11};
        total += more[k & 1] << shifts[static_cast<std::size_t>(k % 3)];
      }
      total += a.sum();
    }
  });
  return total;
}
// CHECK: turn turn_of_within at line 67: for
// CHECK: host waits: once
// CODE: w = {{.*}}factors_table()[k % 2];

// One that is no constant is made once, and kept.
int made() { return std::getenv("IKRA_NONE") ? 1 : 3; }
double kept(numbers a, int n) {
  double total = 0;
  ikra::host_section([&] {
    for (int k = 0; k < n; ++k) {
      static const int firsts[2] = {made(), 4};
      a = a.pmap([](double x) { return x + 1; });
      total += a.sum() * firsts[k % 2];
    }
  });
  return total;
}
// LEFT: turns-tables.cpp:92:36: warning: {{.*}}'firsts' is no variable of a number{{.*}} [ikra-host-section-left]
// CHECK: no turn at line 54: for
// CHECK: no turn at line 91: for

int main() {
  const numbers a = ikra::pnew(1000, [](std::int64_t i) { return double(i % 7); });
  std::printf("%g %g %g %g\n", staged(a, 9), followed(a, 5), within(a, 9), kept(a, 5));
}
