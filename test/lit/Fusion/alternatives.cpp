// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the program chooses at run time what a section reads, each choice has a kernel: returns of functions and lambdas, conditional expressions,
// and what branches assign to variables. What loops assign for their next turn is not followed, and the reason is printed.
//
// RUN: %ikrac --print=fusion %s -- %ikra_flags | FileCheck %s --implicit-check-not='steps_18 -> steps_17' --implicit-check-not='kernel branches_5 -> branches_8 ->'
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | count 0
// RUN: %emitted %t.cu | FileCheck %s --check-prefix=CODE
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu | FileCheck %s --check-prefix=OUT
// RUN: env IKRA_FUSION=off %t.cpu | FileCheck %s --check-prefix=OUT
// RUN: env IKRA_TRACE=kernels %t.cpu 2>&1 >/dev/null | FileCheck %s --check-prefix=TRACE
#include <ikra/ikra.hpp>

#include <cstdio>
#include <vector>

using numbers = ikra::array<int>;

int plus(int x, int y) { return x + y; }

numbers returns(const numbers& a, int k) {
  switch (k) {
  case 0:
    return a.pmap([](int x) { return x + 1; });
  case 1:
    return a.pmap([](int x) { return x * 2; });
  }
  return a;
}

// CHECK-DAG: kernel conditional_2 -> conditional_4, on path 1{{$}}
// CHECK-DAG: kernel conditional_3 -> conditional_4, on path 2{{$}}
int conditional(const numbers& a, bool b) {
  const numbers r = b ? a.pmap([](int x) { return x + 10; }) : a.pmap([](int x) { return x * 20; });
  return r.preduce(0, plus)[0];
}

// Of what was assigned before, only what is still there where it is read.
// CHECK-DAG: kernel branches_6 -> branches_9, on path 1{{$}}
// CHECK-DAG: kernel branches_7 -> branches_8 -> branches_9, on path 2{{$}}
int branches(const numbers& a, bool b) {
  numbers r = a.pmap([](int x) { return x - 1; });
  if (b) {
    r = a.pmap([](int x) { return x + 100; });
  } else {
    r = a.pmap([](int x) { return x * 200; });
    r = r.pmap([](int x) { return x + 7; });
  }
  return r.preduce(0, plus)[0];
}

// A choice is made once for both inputs.
// CHECK-DAG: kernel once_12(once_10(array), once_10), on path 1{{$}}
// CHECK-DAG: kernel once_12(once_11(array), once_11), on path 2{{$}}
numbers once(const numbers& a, bool b) {
  numbers r = b ? a.pmap([](int x) { return x + 3; }) : a.pmap([](int x) { return x * x; });
  return r.pcombine(r, [](int x, int y) { return 10 * x + y; });
}

// CHECK-DAG: kernel lambda_13 -> lambda_15, on path 1{{$}}
// CHECK-DAG: kernel lambda_14 -> lambda_15, on path 2{{$}}
int lambda(const numbers& a, bool b) {
  const auto f = [b](const numbers& x) -> numbers {
    if (b)
      return x.pmap([](int y) { return y + 4; });
    return x.pmap([](int y) { return y * 5; });
  };
  return f(a).preduce(0, plus)[0];
}

// No step comes before an earlier one.
int steps(const numbers& a, int k) {
  numbers r = a.pmap([](int x) { return x + 1; });
  if (k & 1)
    r = r.pmap([](int x) { return x * 3; });
  if (k & 2)
    r = r.pmap([](int x) { return x - 5; });
  return r.preduce(0, plus)[0];
}

int turns(const numbers& a, int n) {
  numbers v = a;
  for (int i = 0; i < n; ++i)
    v = i == 0 ? v.pmap([](int x) { return x + 6; }) : v.pmap([](int x) { return x * 6; });
  return v.preduce(0, plus)[0];
}

struct filter {
  virtual ~filter() = default;
  virtual numbers apply(const numbers& a) const { return a.pmap([](int x) { return x + 9; }); }
};
struct other : filter {
  numbers apply(const numbers& a) const override { return a.pmap([](int x) { return x * 9; }); }
};
numbers any(const filter& f, const numbers& a, bool b) {
  if (b)
    return f.apply(a);
  return a.pmap([](int x) { return x ^ 1; });
}

// Where both are one array, the row for which it is an array in memory and a result of the kernel does not fit.
int both(const numbers& a, bool b) {
  const numbers r = a.pmap([](int x) { return x + 2; });
  const numbers s = b ? r : r.pmap([](int x) { return x * x; });
  return r.pcombine(s, [](int x, int y) { return 10 * x + y; }).preduce(0, plus)[0];
}

// The next turn needs it, too: computed twice only where that takes less time.
int kept(const numbers& a, int n) {
  numbers v = a;
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    const auto costly = [](int x) {
      for (int k = 0; k < 100; ++k)
        x = (x * 5 + k) % 1000;
      return x;
    };
    const numbers next = i == 0 ? v.pmap(costly) : v.pmap([](int x) { return x + 8; });
    sum += next.preduce(0, plus)[0];
    v = next;
  }
  return sum;
}

int main() {
  const numbers a{std::vector<int>{1, 2, 3}};
  // TRACE: kernel 1: {{.*}} 2 sections
  // TRACE-NEXT: kernel 2: {{.*}} 2 sections
  // TRACE-NEXT: kernel 3: {{.*}} 1 section
  // TRACE-NEXT: kernel 4: {{.*}} 3 sections
  // TRACE-NEXT: kernel 5: {{.*}} 4 sections
  // OUT: 9 12 6
  for (int k = 0; k < 3; ++k)
    std::printf("%d%s", returns(a, k).preduce(0, plus)[0], k < 2 ? " " : "\n");
  // OUT-NEXT: 132 170
  std::printf("%d ", both(a, true));
  std::printf("%d\n", both(a, false));
  for (const bool b : {true, false}) {
    // TRACE-NEXT: kernel 6: {{.*}} 2 sections
    // TRACE-NEXT: kernel 7: {{.*}} 2 sections
    // TRACE-NEXT: kernel 8: {{.*}} 2 sections
    // TRACE-NEXT: kernel 9: {{.*}} 2 sections
    // OUT-NEXT: 36
    std::printf("%d\n", conditional(a, b));
    // OUT-NEXT: 306
    std::printf("%d\n", branches(a, b));
    // OUT-NEXT: 44
    std::printf("%d\n", once(a, b)[0]);
    // OUT-NEXT: 18
    std::printf("%d\n", lambda(a, b));
    // TRACE-NEXT: kernel 10: {{.*}} 2 sections
    // TRACE-NEXT: kernel 11: {{.*}} 3 sections
    // TRACE-NEXT: kernel 12: {{.*}} 2 sections
    // TRACE-NEXT: kernel 13: {{.*}} 2 sections
    // OUT-NEXT: 120
    // OUT-NEXT: 1221
    // OUT-NEXT: 11
    // OUT-NEXT: 30
  }
  // TRACE-NEXT: kernel 14: {{.*}} 2 sections
  // TRACE-NEXT: kernel 15: {{.*}} 3 sections
  // TRACE-NEXT: kernel 16: {{.*}} 3 sections
  // TRACE-NEXT: kernel 17: {{.*}} 4 sections
  // OUT-NEXT: 9 27 -6 12
  for (int k = 0; k < 4; ++k)
    std::printf("%d%s", steps(a, k), k < 3 ? " " : "\n");
  // OUT-NEXT: 864
  std::printf("%d\n", turns(a, 3));
  // OUT-NEXT: 54 33 5
  std::printf("%d ", any(other(), a, true).preduce(0, plus)[0]);
  std::printf("%d ", any(filter(), a, true).preduce(0, plus)[0]);
  std::printf("%d\n", any(other(), a, false).preduce(0, plus)[0]);
  // OUT-NEXT: 5448
  std::printf("%d\n", kept(a, 3));
}

// CHECK-DAG: kernel returns_0 -> main_{{.*}}, on path 1{{$}}
// CHECK-DAG: kernel returns_1 -> main_{{.*}}, on path 2{{$}}
// CHECK-DAG: kernel steps_16 -> steps_17 -> steps_18 -> steps_19, on path 3{{$}}
// CHECK-DAG: kernel steps_16 -> steps_17 -> steps_19, on path 1{{$}}
// CHECK-DAG: kernel steps_16 -> steps_18 -> steps_19, on path 2{{$}}
// CHECK-DAG: edge returns_0 -> main_{{.*}}: fused (same location)
// CHECK-DAG: edge kept_30 -> kept_32: fused (same location; {{.*}} if it is stored in passing, {{.*}} if it is computed once)
// CHECK-DAG: edge kept_31 -> kept_32: fused (same location; {{.*}} if it is stored in passing, {{.*}} if it is computed once)
// CHECK-DAG: edge turns_20 -> turns_22: not fused (a loop carries it from turn to turn)
// CHECK-DAG: edge turns_21 -> turns_22: not fused (a loop carries it from turn to turn)
// CHECK-DAG: edge filter_apply_23 -> main_{{.*}}: not fused (a virtual method gives it)

// CODE: struct fused_into_steps_19_on_path_3 {
// CODE-NEXT: steps_16_device::body steps_16;
// CODE-NEXT: steps_17_device::body steps_17;
// CODE-NEXT: steps_18_device::body steps_18;
