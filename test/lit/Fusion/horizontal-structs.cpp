// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays of structs that are asked for together share a kernel; beside reductions they have their own.
//
// RUN: %ikrac --print=fusion %s -- %ikra_flags | FileCheck %s
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | count 0
// RUN: %emitted %t.cu | FileCheck %s --check-prefix=CODE
// RUN: %build_plain %s -o %t.plain && %t.plain | FileCheck %s --check-prefix=OUT
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu | FileCheck %s --check-prefix=OUT
#include <ikra/ikra.hpp>

#include <cstdio>
#include <functional>

struct Triple {
  int x, y, z;
};
struct Based : Triple {};

void maps(const ikra::array<Triple>& a) {
  const auto turned = a.pmap([](const Triple& t) { return Triple{t.y, t.z, t.x}; });
  const auto sums = a.pmap([](const Triple& t) { return t.x + t.y + t.z; });
  std::printf("maps %d %d\n", turned[1].x, sums[1]);
}
void with_a_reduction(const ikra::array<int>& a) {
  const auto triples = a.pmap([](int e) { return Triple{e, 1, 2}; });
  const auto twice = a.pmap([](int e) { return 2 * e; });
  const auto total = a.preduce(std::plus<>());
  std::printf("reduction %d %d %d\n", triples[2].x, twice[2], total.value());
}
void with_bases(const ikra::array<int>& a) {
  const auto based = a.pmap([](int e) { return Based{{e, 1, 2}}; });
  const auto twice = a.pmap([](int e) { return 2 * e; });
  std::printf("bases %d %d\n", based[2].x, twice[2]);
}
int main() {
  maps(ikra::pnew(10, [](long i) { return Triple{static_cast<int>(i), 5, 7}; }));
  const auto numbers = ikra::pnew(10, [](long i) { return static_cast<int>(i); });
  with_a_reduction(numbers);
  with_bases(numbers);
}

// CHECK: horizontal maps_0, maps_1: fused (all are asked for, over a)
// CHECK-NEXT: horizontal with_a_reduction_{{[0-9]+}}, with_a_reduction_{{[0-9]+}}: fused (all are asked for, over a)
// CHECK-NEXT: horizontal with_a_reduction_{{[0-9]+}}: not fused (reductions are combined beside arrays of numbers alone)
// CHECK-NOT: horizontal with_bases

// CODE: return ikra::rt::make_results<::Triple, int>(maps_0(x), maps_1(x));

// OUT: maps 5 13
// OUT-NEXT: reduction 2 4 45
// OUT-NEXT: bases 2 4
