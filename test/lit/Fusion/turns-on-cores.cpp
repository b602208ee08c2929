// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a turn computes a stencil's neighbours anew is decided for each device, as elsewhere. Where both decide the same, there is one code.
//
// RUN: %ikrac --print=fusion %s -- %ikra_flags | FileCheck %s
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | count 0
// RUN: %emitted %t.cu | FileCheck %s --check-prefix=CODE
// RUN: clang++ -std=c++20 -x c++ -fsyntax-only -Wall -Wextra -Werror -fopenmp %ikra_flags %t.cu
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu | FileCheck %s --check-prefix=OUT
// RUN: env IKRA_TURNS=off %t.cpu | FileCheck %s --check-prefix=OUT
// OUT: 81441 20981
#include <ikra/ikra.hpp>

#include <cstdio>

using image = ikra::array<int, 2>;

// Six operations are computed for each of four neighbours.
// CHECK-LABEL: turn turn_of_dear
// CHECK: turn:
// CHECK-NEXT: kernel dear_0 -> dear_1 over a
// CHECK: turn on all cores:
// CHECK-NEXT: kernel dear_0 over a
// CHECK-NEXT: kernel dear_1 over result of dear_0, stored; dear_2 over result of dear_1
// CHECK: host waits: once
// CODE: struct turn_of_dear_kernel_1 {
// CODE: struct turn_of_dear_body_0_on_cores {
// CODE: static bool turn_of_dear_on_cores(void* const* given) {
// CODE: ikra::rt::turn<turn_of_dear_scalars, ikra::rt::turn_form::graph, false> t(turn_of_dear_info);
// CODE: bool ikra::rt::turn_code<{{.*}}::turn_of_dear>::run(void* const* given) {
// CODE-NEXT: if (ikra::rt::turns_on_cores())
// CODE-NEXT: return turn_of_dear_on_cores(given);
// CODE: ikra::rt::turn<turn_of_dear_scalars, ikra::rt::turn_form::unrolled> t(turn_of_dear_info);
int dear(image a, int n) {
  int total = 0;
  ikra::host_section([&] {
    for (int k = 0; k < n; ++k) {
      const auto b = a.pmap([](int x) { return ((x * 3 + 1) * 5 + 2) * 7 + 3; });
      a = b.pstencil({{-1, 0}, {0, -1}, {0, 1}, {1, 0}}, 1, [](auto v) { return (v(-1, 0) + v(0, -1) + v(0, 1) + v(1, 0)) & 1023; });
      total = total * 3 + a.sum() % 1009;
    }
  });
  return total;
}

// One operation costs less than to store its result.
// CHECK-LABEL: turn turn_of_cheap
// CHECK-NOT: on all cores
// CHECK: host waits: once
// CODE-NOT: turn_of_cheap_on_cores
int cheap(image a, int n) {
  int total = 0;
  ikra::host_section([&] {
    for (int k = 0; k < n; ++k) {
      a = a.pmap([](int x) { return x * 3; }).pstencil({{0, -1}, {0, 1}}, 1, [](auto v) { return (v(0, -1) + v(0, 1)) & 1023; });
      total = total * 3 + a.sum() % 1009;
    }
  });
  return total;
}

int main() {
  const image a = ikra::pnew({20, 300}, [](ikra::index<2> i) { return int(i[0] * 7 + i[1]); });
  std::printf("%d %d\n", dear(a, 5), cheap(a, 5));
}
