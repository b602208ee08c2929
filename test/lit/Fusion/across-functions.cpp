// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections share kernels through functions, function objects and members, where one section alone may be what another reads.
// Where several read it, it may be one array or several: there is a kernel for both. The runtime sees which fits.
//
// RUN: %ikrac --print=fusion %s -- %ikra_flags | FileCheck %s
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | count 0
// RUN: %emitted %t.cu | FileCheck %s --check-prefix=CODE
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu | FileCheck %s --check-prefix=OUT
// RUN: env IKRA_FUSION=off %t.cpu | FileCheck %s --check-prefix=OUT
#include <ikra/ikra.hpp>

#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

using numbers = ikra::array<int>;

// A result that a function returns, and one that it is given.
numbers twice(const numbers& a) { return a.pmap([](int x) { return 2 * x; }); }
numbers less(const numbers& a) { return a.pmap([](int x) { return x - 1; }); }
numbers first(const numbers& a) { return less(twice(a)); }

// Function objects that keep arrays; what scales is called twice.
struct scale {
  int by;
  numbers operator()(std::int64_t size) const {
    return ikra::pnew(size, [by = by](std::int64_t i) { return by * static_cast<int>(i); });
  }
};
class mix {
public:
  explicit mix(numbers other) : other_(std::move(other)) {}
  numbers operator()(const numbers& a) const { return a.pcombine(other_, [](int x, int y) { return 100 * x + y; }); }

private:
  numbers other_;
};
numbers mixed(std::int64_t size) { return mix(scale{3}(size))(scale{5}(size)); }
numbers with_itself(std::int64_t size) {
  const numbers same = scale{7}(size);
  return mix(same)(same);
}

// What follows itself is fused for the calls in which it does (call-paths.cpp), what several sections may give for each of them (alternatives.cpp).
numbers again(const numbers& a) { return a.pstencil({-1, 0}, 1, [](auto v) { return v[-1] + v[0]; }); }
numbers any(const numbers& a, bool up) {
  numbers b = a;
  if (up)
    b = a.pmap([](int x) { return x + 1000; });
  else
    b = a.pmap([](int x) { return x - 1000; });
  return b.pmap([](int x) { return x * 2; });
}
template <class A> void show(const A& a) {
  for (const auto x : a)
    std::printf("%d ", x);
  std::printf("\n");
}

int main() {
  const numbers a{std::vector<int>{1, 2, 3}};
  // OUT: 1 3 5
  show(first(a));
  // OUT-NEXT: 0 503 1006
  show(mixed(3));
  // OUT-NEXT: 0 707 1414
  show(with_itself(3));
  // OUT-NEXT: 1 4 8
  show(again(again(a)));
  // OUT-NEXT: 2002 2004 2006
  show(any(a, true));
  // OUT-NEXT: -1998 -1996 -1994
  show(any(a, false));
}

// CHECK: kernels: 14 (8 of single sections)
// CHECK-NEXT: kernel twice_0 -> less_1{{$}}
// CHECK-NEXT: kernel mix_operator_3(scale_operator_2, scale_operator_2){{$}}
// CHECK-NEXT: kernel mix_operator_3(scale_operator_2, scale_operator_2), unfolded{{$}}
// CHECK-NEXT: kernel any_5 -> any_7, on path 1{{$}}
// CHECK-NEXT: kernel any_6 -> any_7, on path 2{{$}}
// CHECK-NEXT: kernel again_4 -> again_4, on path 1{{$}}
// CHECK-NOT: kernel
// CHECK: edge twice_0 -> less_1: fused (same location)
// CHECK-NEXT: edge scale_operator_2 -> mix_operator_3: fused (same location)
// CHECK: edge any_5 -> any_7: fused (same location)
// CHECK-NEXT: edge any_6 -> any_7: fused (same location)

// CODE: struct fused_into_mix_operator_3 {
// CODE: struct fused_into_mix_operator_3_unfolded {
// CODE: static constexpr int inputs_0[] = {1, 1};
// CODE: static constexpr int inputs_1[] = {1, 2};
// CODE-NEXT: static constexpr ikra::fusion table[] = {{[{][{]}}nodes_0, inputs_0, 0, &run_fused_into_mix_operator_3}, {nodes_1, inputs_1, 0, &run_fused_into_mix_operator_3_unfolded}};
