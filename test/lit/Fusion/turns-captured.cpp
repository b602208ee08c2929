// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code over scalars moves up to a reduction, and notes what maps capture of them before it changes them. On each device it stands
// before all of these maps: one of them may have been a kernel's first part where the code was.
//
// RUN: %ikrac --print=fusion %s -- %ikra_flags | FileCheck %s
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | count 0
// RUN: %emitted %t.cu | FileCheck %s --check-prefix=CODE
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu | FileCheck %s --check-prefix=OUT
// RUN: env IKRA_TURNS=off %t.cpu | FileCheck %s --check-prefix=OUT
// OUT: 19.25
#include <ikra/ikra.hpp>

#include <cstdio>

// CHECK-LABEL: turn turn_of_sums
// CHECK: turn:
// CHECK-NEXT: kernel [[HALF:sums_[0-9]+]] over r, stored; {{.*}} over result of [[HALF]]
// CHECK-NEXT: r = result of [[HALF]]
// CHECK-NEXT: scalar code
// CHECK-NEXT: scalar code
// CHECK-NEXT: kernel {{.*}} over x, result of [[HALF]]
// CHECK-NEXT: x = result of
// CHECK-NOT: on all cores
// CHECK: host waits: once
//
// CODE: captured_{{.*}} = (next / rr);
// CODE: rr = next;
// CODE-NOT: turn_of_sums_on_cores
double sums(ikra::array<double> x) {
  auto r = x;
  double rr = 512;
  ikra::host_section([&] {
    for (int k = 0; k < 3; ++k) {
      r = r * 0.5;
      const double next = r.sum();
      x = x + r * (next / rr);
      rr = next;
    }
  });
  return x[0];
}

int main() { std::printf("%.9g\n", sums(ikra::pnew(2, [](std::int64_t) { return 16.0; }))); }
