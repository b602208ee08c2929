// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays from before a loop are computed before its turns where the program asks for them in any case: `true`; where it
// does if the loop has a turn, as scalars say: `enters`. Others only if nobody can tell. What a turn itself computes
// is asked for where it is read.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | FileCheck %s --check-prefix=LEFT
// RUN: %emitted %t.cu | FileCheck %s
#include <ikra/ikra.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

using numbers = ikra::array<int>;

// CHECK: section_code<ikra_unit_turns_asked_{{[0-9a-f]+}}::plus_one_0> {
// CHECK: static constexpr bool is_speculatable = true;
numbers plus_one(const numbers& a) {
  return a.pmap([](int x) { return x + 1; });
}
// CHECK: section_code<ikra_unit_turns_asked_{{[0-9a-f]+}}::of_table_1> {
// CHECK: static constexpr bool is_speculatable = true;
// CHECK: section_code<ikra_unit_turns_asked_{{[0-9a-f]+}}::of_table_2> {
// CHECK-NOT: is_speculatable
// CHECK: };
constexpr int table[4] = {1, 2, 4, 8};
numbers of_table(const numbers& a) {
  const auto inside = a.pmap([](int x) {
    std::array<int, 4> sums{};
    for (int k = 0; k < 4; ++k)
      sums[static_cast<std::size_t>(k)] = x * table[k];
    return sums[3] + sums[0];
  });
  return inside.pmap([](int x) {
    int sum = 0;
    for (int k = 0; k <= 4; ++k)
      sum += table[k] * x;
    return sum;
  });
}
// CHECK: section_code<ikra_unit_turns_asked_{{[0-9a-f]+}}::elsewhere_3> {
// CHECK-NOT: is_speculatable
// CHECK: };
numbers elsewhere(const numbers& a) {
  return a.with_index().pmap([a](int x, std::int64_t i) { return x + a(i + 1); });
}

// CHECK: turn_code<ikra_unit_turns_asked_{{[0-9a-f]+}}::turn_of_counted>::run
// CHECK: const bool enters = [first = t.scalars()]() mutable {
// CHECK-NEXT: turn_of_counted_code_begin_0{}(first);
// CHECK-NEXT: return turn_of_counted_goes_on{}(first);
// CHECK: if (!(t.add_assigned(space_0, a, given_0, enters) && t.add(space_0, sometimes, given_1, false)))
int counted(numbers a, const numbers& sometimes, int n) {
  int total = 0;
  ikra::host_section([&] {
    for (int k = 0; k < n; ++k) {
      if (k % 3 == 2)
        a = a.pcombine(sometimes, [](int x, int y) { return (x + y) % 100; });
      else
        a = a.pmap([k](int x) { return x + k; });
      total += a.sum();
    }
    for (int k = 0; k < n; ++k)
      total += a[k] + sometimes.sum();
    for (int k = 0; k < n; ++k)
      total += a[0] + sometimes.sum();
  });
  return total;
}
// a[k] may not be there.
// CHECK: turn_code<ikra_unit_turns_asked_{{[0-9a-f]+}}::turn_of_counted_2>::run
// CHECK: t.add(space_{{[01]}}, a, given_0, enters) && t.add(space_{{[01]}}, sometimes, given_1, false)
// CHECK: turn_code<ikra_unit_turns_asked_{{[0-9a-f]+}}::turn_of_counted_3>::run
// CHECK: t.add(space_{{[01]}}, a, given_0, enters) && t.add(space_{{[01]}}, sometimes, given_1, enters)

// CHECK: turn_code<ikra_unit_turns_asked_{{[0-9a-f]+}}::turn_of_by_test>::run
// CHECK: const bool enters = false;
// CHECK: if (!(t.add_assigned(space_{{[01]}}, a, given_1, true) && t.add(space_{{[01]}}, b, given_0, enters)))
int by_test(numbers a, const numbers& b) {
  int k = 0;
  ikra::host_section([&] {
    while (a.sum() < 1000) {
      k += b.sum();
      a = plus_one(a);
    }
  });
  return k;
}

// CHECK: turn_code<ikra_unit_turns_asked_{{[0-9a-f]+}}::turn_of_once>::run
// CHECK: if (!(t.add_assigned(space_0, a, given_0, true) && t.add(space_{{[01]}}, b, given_1, false)))
int once(numbers a, const numbers& b, int n) {
  int k = 0;
  ikra::host_section([&] {
    do {
      a = plus_one(a);
      if (a.sum() > n)
        break;
      k += b.sum();
    } while (k < n);
  });
  return k;
}

// LEFT: since the results of 'pmap' at line [[@LINE+5]] may only be computed where the program asks for them
int in_branch(numbers a, int n) {
  int total = 0;
  ikra::host_section([&] {
    for (int k = 0; k < n; ++k) {
      const auto most = a.with_index().pmap([a](int x, std::int64_t i) { return x + a[i + 1]; }).preduce(ikra::max);
      if (k > n / 2)
        total += most.value();
      total += a.sum();
    }
  });
  return total;
}

// The last turn's result may not be read.
// LEFT: since the results of 'pmap' at line [[@LINE+6]] may only be computed where the program asks for them
int at_end(numbers a, int n) {
  int k = 0;
  ikra::host_section([&] {
    do {
      ++k;
      a = a.with_index().pmap([a](int x, std::int64_t i) { return x + a[x]; });
    } while (k < n && a.sum() > 3);
  });
  return k;
}
int at_each_end(numbers a, int n) {
  int k = 0;
  ikra::host_section([&] {
    do {
      ++k;
      a = a.with_index().pmap([a](int x, std::int64_t i) { return x + a[x]; });
    } while (a.sum() > 3 && k < n);
  });
  return k;
}

// A loop in a turn that has a turn itself, and each of whose turns needs what the one before gives.
// CHECK: turn_code<ikra_unit_turns_asked_{{[0-9a-f]+}}::turn_of_smoothed>::run
static numbers smooth(numbers a, const numbers& f, int n) {
  for (int k = 0; k < n; ++k)
    a = a.pcombine(f, [](int x, int y) { return (x + y) % 101; });
  return a;
}
int smoothed(numbers a, int n) {
  int total = 0;
  ikra::host_section([&] {
    for (int k = 0; k < n; ++k) {
      const auto r = a.with_index().pmap([a](int x, std::int64_t i) { return x + a[x]; });
      a = smooth(a, r, 3);
      total += a.sum();
    }
  });
  return total;
}
// Floating-point numbers are divided by zero as by others.
// CHECK: turn_code<ikra_unit_turns_asked_{{[0-9a-f]+}}::turn_of_divided>::run
double divided(ikra::array<double> a, int n) {
  double total = 0;
  ikra::host_section([&] {
    for (int k = 0; k < n; ++k) {
      total += a.sum();
      a = a / total;
    }
  });
  return total;
}
// LEFT-NOT: since
// LEFT: since the results of 'pmap' at line [[@LINE+6]] may only be computed where the program asks for them
// LEFT-NOT: since
int smoothed_maybe(numbers a, int n, int m) {
  int total = 0;
  ikra::host_section([&] {
    for (int k = 0; k < n; ++k) {
      const auto r = a.with_index().pmap([a](int x, std::int64_t i) { return x + a[x]; });
      a = smooth(a, r, m);
      total += a.sum();
    }
  });
  return total;
}

int main() {
  const numbers a = ikra::pnew(9, [](std::int64_t i) { return static_cast<int>(i); });
  return counted(a, elsewhere(a), 2) + by_test(a, a) + once(a, a, 3) + in_branch(a, 0) + at_end(a, 1) + at_each_end(a, 1) + smoothed(a, 2) + smoothed_maybe(a, 2, 1) + static_cast<int>(divided(ikra::array<double>(), 0));
}
