// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop in a turn that is maps of one array is one kernel: code counts its turns, and each element goes through all of them.
//
// RUN: %ikrac --print=fusion %s -- %ikra_flags | FileCheck %s
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | count 0
// RUN: %emitted %t.cu | FileCheck %s --check-prefix=CODE
// RUN: clang++ -std=c++20 -x c++ -fsyntax-only -Wall -Wextra -Werror -fopenmp %ikra_flags %t.cu
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu > %t.turns && env IKRA_TURNS=off %t.cpu | cmp - %t.turns
#include <ikra/ikra.hpp>

#include <cstdio>

using list = ikra::array<int>;

// CHECK-LABEL: turn turn_of_settled
// CHECK: buffers: 2 of int
// CHECK: turn:
// CHECK-NEXT: scalar code
// CHECK-NEXT: scalar code
// CHECK-NEXT: kernel [[MAP:settled_[0-9]+]], times_0 times over a, stored; settled_{{[0-9]+}} over result of [[MAP]]
// CHECK-NEXT: a = result of [[MAP]]
// CHECK: a GPU's graph: 3 kernels a turn, several turns in a row
// CODE: times_0 = 0;
// CODE: ++times_0;
// CODE: return ikra::rt::repeat<int>(times_0, ikra::rt::repeated_plain{settled_0_device::body{}});
int settled(list& a, int n) {
  int total = 0;
  ikra::host_section([&] {
    for (int k = 0; k < n; ++k) {
      for (int s = 0; s < 20; ++s)
        a = a.pmap([](int x) { return (x * 3 + 1) & 1023; });
      total = total * 3 + a.sum() % 1009;
    }
  });
  return total;
}

// Several maps, one of which takes the index; scalars that the inner loop does not change; numbers of turns that change. In a do loop, there is one turn at least.
// CHECK-LABEL: turn turn_of_chains
// CHECK: kernel chains_{{[0-9]+}} -> chains_{{[0-9]+}}, times_1 times over a
// CHECK: kernel chains_{{[0-9]+}}, times_2 times over result of
// CODE: ikra::rt::repeat<int>(times_1, ikra::rt::repeated_indexed{{.*}}, ikra::rt::repeated_plain{
int chains(list& a, int n) {
  int total = 0;
  ikra::host_section([&] {
    for (int k = 0; k < n; ++k) {
      for (int s = k; s > 0; s -= 2) {
        a = a.with_index().pmap([k](int x, std::int64_t i) { return x + int(i) % 7 + k; });
        a = a.pmap([by = total % 5](int x) { return (x ^ by) & 1023; });
      }
      int s = 0;
      do {
        a = a.pmap([](int x) { return (x * 5 + 3) & 2047; });
      } while (++s < k % 4);
      total = total * 3 + a.sum() % 1009 + s;
    }
  });
  return total;
}

// What the inner loop changes, other arrays, and sections that take long have a kernel a turn.
// CHECK-LABEL: turn turn_of_left
// CHECK-NOT: times
// CHECK: host waits
int left(list& a, int n) {
  int total = 0;
  ikra::host_section([&] {
    for (int k = 0; k < n; ++k) {
      for (int s = 0; s < 4; ++s)
        a = a.pmap([s](int x) { return (x * 3 + s) & 1023; });
      list before = a;
      for (int s = 0; s < 3; ++s) {
        before = a;
        a = a.pmap([](int x) { return (x * 3 + 1) & 1023; });
      }
      for (int s = 0; s < 3; ++s)
        a = a.pcombine(before, [](int x, int y) { return (x + y) & 1023; });
      for (int s = 0; s < 3; ++s)
        a = a.pmap([](int x) {
          for (int m = 0; m < x % 100; ++m)
            x = (x * 5 + m) & 1023;
          return x;
        });
      total = total * 3 + a.sum() % 1009;
    }
  });
  return total;
}

int main() {
  for (const int size : {1, 1000, 300000}) {
    list a = ikra::pnew(size, [](std::int64_t i) { return int(i * 7 % 97); });
    for (int n = 0; n < 7; ++n)
      std::printf("%d %d %d\n", settled(a, n), chains(a, n), left(a, n));
    std::printf("%d %d\n", a.sum(), a[size - 1]);
  }
}
