// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What runs sometimes in a turn without an if: the sides of `?:`, `&&` and `||`. And loops through lists of numbers.
//
// RUN: %ikrac --print=fusion %s -- %ikra_flags | FileCheck %s
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | count 0
// RUN: %emitted %t.cu | FileCheck %s --check-prefix=CODE
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu | FileCheck %s --check-prefix=OUT
// RUN: env IKRA_TURNS=off %t.cpu | FileCheck %s --check-prefix=OUT
// OUT: 13431 4477 4477 7 4478
// OUT-NEXT: 8954 34691 5721 22828 22388
// OUT-NEXT: 221519 8671669 22129 599588 154120
#include <ikra/ikra.hpp>

#include <array>
#include <cstdio>
#include <ranges>

using numbers = ikra::array<int>;

static int differences(const numbers& a, const numbers& b) {
  return a.pcombine(b, [](int x, int y) { return x != y; }).count([](bool d) { return d; });
}

// Each side sets the variable.
// CHECK-LABEL: turn turn_of_first
// CHECK: branch
// CHECK-NEXT: p = r
// CHECK-NEXT: else
// CHECK-NEXT: kernel first_{{[0-9]+}} over r, p
// CHECK-NEXT: p = result of
// CHECK: host waits: once
// CODE: struct turn_of_first_test_0 {
// CODE: return k == 0;
int first(numbers r, int turns) {
  numbers p = r.pmap([](int x) { return x * 3; });
  int total = 0;
  ikra::host_section([&] {
    for (int k = 0; k < turns; ++k) {
      p = k == 0 ? r : r.pcombine(p, [](int x, int y) { return (x + y) % 1009; });
      r = p.pmap([k](int x) { return x + k; });
      total += r.sum();
    }
  });
  return total + p.sum();
}

// An operand is a variable of the turn's own. What is constant is no choice.
// CHECK-LABEL: turn turn_of_operands
// CHECK: arrays: next (its own), a (carried), chosen (its own)
// CHECK: host waits: once
template <int Axis> numbers sweep(const numbers& a) {
  return a.pstencil({-1, 0, 1}, ikra::clamp, [](auto v) { return Axis == 0 ? v[-1] + v[0] : (v[1] * 3 + v[0]) % 101; });
}
int operands(numbers a, int turns) {
  int total = 0;
  ikra::host_section([&] {
    for (int k = 0; k < turns; ++k) {
      for (int axis = 0; axis < 2; ++axis) {
        numbers next = axis == 0 ? sweep<0>(a) : sweep<1>(a);
        total = total * 3 + differences(a, next);
        a = (total % 3 == 0 ? next : sizeof(int) == 1 ? a : sweep<1>(next)).pcombine(next, [](int x, int y) { return (x + y) % 977; });
      }
    }
  });
  return total + a.sum();
}

// What has statements, or may not be there, runs where the program asks for it.
// CHECK-LABEL: turn turn_of_sides
// CHECK: branch
// CHECK-NEXT: kernel differences_{{.*}} over before, result of
// CHECK-NEXT: scalar code
// CHECK: branch
// CHECK-NEXT: scalar code
// CHECK-NEXT: else
// CHECK-NEXT: scalar code
// CHECK-NEXT: branch
// CHECK-NEXT: element of a
// CHECK: host waits: once
// CODE: chosen = k > 1;
// CODE: return chosen;
// CODE: chosen = called == 0;
int sides(numbers a, numbers before, int limit) {
  int k = 0, found = 0;
  const int n = int(a.size());
  ikra::host_section([&] {
    while (k < limit) {
      const numbers next = a.pmap([k](int x) { return (x * 5 + k) % 13; });
      ++k;
      if (k > 1 && differences(before, next) == 0)
        break;
      found += k < n && a[k] > 4;
      before = a;
      a = next;
    }
  });
  return k * 1000 + found * 10 + a.sum();
}

// Both colours are there one by one; a loop that may be left counts.
// CHECK-LABEL: turn turn_of_lists
// CHECK: kernel [[FIRST:lists_[0-9]+ -> lists_[0-9]+]] over u{{$}}
// CHECK-NEXT: scalar code
// CHECK-NEXT: kernel [[FIRST]] over result of
// CHECK-NEXT: u = result of
// CHECK: loop with u
// CHECK: host waits: once
int lists(numbers u, int turns) {
  int total = 0;
  std::array<int, 3> weights{2, 7, 1};
  ikra::host_section([&] {
    for (int k = 0; k < turns; ++k) {
      for (int colour : {0, 1}) {
        const numbers around = u.pstencil({-1, 1}, 0, [](auto v) { return v[-1] + v[1]; });
        u = u.with_index().pcombine(around, [colour](int x, int a, std::int64_t i) { return i % 2 == colour ? (x + a) % 1013 : x; });
      }
      for (const auto by : weights) {
        if (u.sum() % 5 == by % 5)
          break;
        u = u.pmap([by](int x) { return (x + by) % 1013; });
        weights[1] += by % 3;
      }
      total += u.sum();
    }
  });
  return total + weights[1];
}

// A loop that counts through std::views::iota, in one that has no braces. What is assigned is chosen.
// CHECK-LABEL: turn turn_of_counted
// CHECK: loop with
// CHECK: kernel counted_{{[0-9]+}} over
// CHECK: branch
// CHECK: host waits: once
// CODE: return index != end;
int counted(numbers a, numbers b, int turns) {
  int total = 1;
  ikra::host_section([&] {
    for (int k = 0; k < turns; ++k)
      for (const int t : std::views::iota(k, turns)) {
        (total % 3 == 1 ? a : b) = a.pcombine(b, [t](int x, int y) { return (x * 3 + y + t) % 1009; });
        total = (total * 3 + b.sum()) % 10007;
        (total % 2 == 1 ? a : b) = b; // one of them to itself
      }
  });
  return total + a.sum();
}

// CODE: t.branch(turn_of_first_test_0{}, std::tuple(&p),
int main() {
  const numbers a = ikra::pnew(300, [](std::int64_t i) { return int(i * 7 % 31); });
  for (int turns : {0, 1, 5})
    std::printf("%d %d %d %d %d\n", first(a, turns), operands(a, turns), sides(a, a, turns * 4), lists(a, turns),
                counted(a, a, turns));
}
