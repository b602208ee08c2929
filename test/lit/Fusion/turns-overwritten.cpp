// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a variable holds only until the turn sets it again is not stored: it is a result without a name. After the loop, and on all ways out of it, variables hold what they do as written.
//
// RUN: %ikrac --print=fusion %s -- %ikra_flags | FileCheck %s
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | count 0
// RUN: clang++ -std=c++20 -x c++ -fsyntax-only -Wall -Wextra -Werror -fopenmp %ikra_flags %t.cu
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu > %t.turns && env IKRA_TURNS=off %t.cpu | cmp - %t.turns
#include <ikra/ikra.hpp>

#include <cstdio>
#include <utility>

using list = ikra::array<int>;

// CHECK-LABEL: turn turn_of_in_a_row
// CHECK: buffers: 2 of int
// CHECK: turn:
// CHECK-NEXT: kernel in_a_row_0 -> in_a_row_1 -> in_a_row_2 -> in_a_row_3 over a, stored; in_a_row_4 over result of in_a_row_3
// CHECK-NEXT: a = result of in_a_row_3
// CHECK-NEXT: scalar code
int in_a_row(list& a, int n) {
  int total = 0;
  ikra::host_section([&] {
    for (int k = 0; k < n; ++k) {
      a = a.pmap([](int x) { return x * 3 + 1; });
      a = a.pmap([k](int x) { return x ^ k; });
      a = a.pmap([](int x) { return x & 1023; });
      a = a.pmap([total](int x) { return x + total % 7; });
      total = total * 3 + a.sum() % 1009;
    }
  });
  return total;
}

// A scalar that one captures changes between: it is computed where it stands, and not stored for 'a'.
// CHECK-LABEL: turn turn_of_captured
// CHECK: turn:
// CHECK-NEXT: kernel captured_5 over a
// CHECK-NEXT: scalar code
// CHECK-NEXT: kernel captured_6 over result of captured_5, stored; captured_7 over result of captured_6
// CHECK-NEXT: a = result of captured_6
int captured(list& a, int n) {
  int total = 0, by = 1;
  ikra::host_section([&] {
    for (int k = 0; k < n; ++k) {
      a = a.pmap([by](int x) { return x * 3 + by; });
      by = by * 5 % 11;
      a = a.pmap([by](int x) { return (x ^ by) & 1023; });
      total = total * 3 + a.sum() % 1009;
    }
  });
  return total;
}

// Read by a swap, in a branch, in a loop: it stays. An element is read of the result itself.
// CHECK-LABEL: turn turn_of_read
// CHECK: turn:
// CHECK-NEXT: kernel read_8, read_9 over a
// CHECK-NEXT: element of result of read_8
// CHECK: a = result of read_9
// CHECK: swap a, b
// CHECK: a = result of read_10
// CHECK: branch
// CHECK: a = result of read_12
// CHECK: loop with b
// CHECK: a = result of read_14
int read(list& a, list& b, int n) {
  int total = 0;
  ikra::host_section([&] {
    for (int k = 0; k < n; ++k) {
      a = a.pmap([](int x) { return x * 3 + 1; });
      total += a[3];
      a = a.pmap([](int x) { return x & 1023; });
      std::swap(a, b);
      a = a.pmap([](int x) { return x + 7; });
      if (total % 2 == 0)
        b = a.pmap([](int x) { return x * 5 & 1023; });
      a = a.pmap([](int x) { return x + 11; });
      for (int j = 0; j < k % 3; ++j)
        b = b.pcombine(a, [](int x, int y) { return (x + y) & 1023; });
      a = a.pmap([](int x) { return x & 511; });
      total = total * 3 + b.sum() % 1009;
    }
  });
  return total;
}

// On each way out 'a' has what it had there. What is set twice on one of them is stored once.
// CHECK-LABEL: turn turn_of_ways_out
// CHECK: turn:
// CHECK: kernel ways_out_16 -> ways_out_17 over a
// CHECK: a = result of ways_out_17
// CHECK: a = result of ways_out_18
// CHECK: a = result of ways_out_19
int ways_out(list& a, int n, int how) {
  int total = 0;
  ikra::host_section([&] {
    for (int k = 0; k < n; ++k) {
      a = a.pmap([](int x) { return x * 3 + 1; });
      a = a.pmap([](int x) { return x & 1023; });
      if (k == 3 && how == 0)
        break;
      a = a.pmap([](int x) { return x + 2; });
      if (k == 4 && how == 1)
        return;
      a = a.pmap([](int x) { return x ^ 5; });
      if (k == 2 && how == 2)
        continue;
      switch (k % 3) {
      case 0:
        a = a.pmap([](int x) { return x + 1; });
        a = a.pmap([](int x) { return x * 2; });
        [[fallthrough]];
      case 1:
        a = a.pmap([](int x) { return x & 2047; });
        break;
      default:
        break;
      }
      total = total * 3 + a.sum() % 1009;
    }
  });
  return total;
}

// A variable of the turn needs no store for its last value either.
// CHECK-LABEL: turn turn_of_own
// CHECK: turn:
// CHECK-NEXT: kernel own_24 -> own_25 -> own_26 over a
// CHECK-NEXT: scalar code
// CHECK-NEXT: scalar code
// CHECK-NEXT: kernel own_27 over a
// CHECK-NEXT: a = result of own_27
int own(list& a, int n) {
  int total = 0;
  ikra::host_section([&] {
    for (int k = 0; k < n; ++k) {
      list b = a.pmap([](int x) { return x * 3 + 1; });
      b = b.pmap([](int x) { return x & 255; });
      total = total * 3 + b.sum() % 1009;
      a = a.pmap([total](int x) { return (x + total) & 1023; });
    }
  });
  return total;
}

int main() {
  const auto made = [] { return list(ikra::pnew(1000, [](std::int64_t i) { return int(i * 7 % 97); })); };
  const auto show = [](int total, const list& a) { std::printf("%d %d %d\n", total, a.sum(), a[999]); };
  for (int n = 0; n < 6; ++n) {
    list a = made(), b = made();
    show(in_a_row(a, n), a);
    show(captured(a, n), a);
    show(read(a, b, n), a);
    show(0, b);
    for (int how = 0; how < 4; ++how)
      show(ways_out(a, n, how), a);
    show(own(a, n), a);
  }
}
