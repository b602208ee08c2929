// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns whose kernels store several arrays, and combine one, and those that may not.
//
// RUN: %ikrac --print=fusion %s -- %ikra_flags | FileCheck %s
// RUN: %ikrac -o %t.cu %s -- %ikra_flags
// RUN: %emitted %t.cu | FileCheck %s --check-prefix=CODE
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu | FileCheck %s --check-prefix=OUT
// RUN: env IKRA_TURNS=off %t.cpu | FileCheck %s --check-prefix=OUT
#include <ikra/ikra.hpp>

#include <cstdio>
#include <functional>

using numbers = ikra::array<int>;

// Two fields that react with each other: one kernel for both, and for the sum.
// CHECK-LABEL: turn turn_of_reaction
// CHECK: kernel reaction_0, reaction_1 over u, v, stored; reaction_2 -> reaction_3 over result of reaction_0, result of reaction_1
// CHECK-NOT: {{^ +}}kernel
// CHECK: host waits
// CODE: auto later_0 = t.later_arrays<ikra::rt::results<int, int>, 0>(space_{{[0-9]+}}, turn_of_reaction_body_0{}, u, v);
// CODE: t.reduce_later<int, 0>(space_{{[0-9]+}}, later_0, turn_of_reaction_body_3{}, {{.*}}, ikra::rt::part_of_later<0>(), ikra::rt::part_of_later<1>());
// CODE: auto result_of_0 = std::move(std::get<0>(later_0.results));
int reaction(numbers u, numbers v, int turns) {
  int total = 0;
  ikra::host_section([&] {
    for (int k = 0; k < turns; ++k) {
      const numbers next_u = u.pcombine(v, [](int x, int y) { return (x * 3 + y) % 1009; });
      const numbers next_v = u.pcombine(v, [](int x, int y) { return (x + y * 5) % 1013; });
      u = next_u;
      v = next_v;
      total += u.pcombine(v, [](int x, int y) { return x - y; }).sum();
    }
  });
  return total + u.sum() * 31 + v.sum() * 17;
}

// The second reads the first one's result, and is reduced itself.
// CHECK-LABEL: turn turn_of_chain
// CHECK: kernel chain_6, chain_7 over u, v, stored; chain_8 over result of chain_7
// CHECK-NOT: {{^ +}}kernel
// CHECK: host waits
// CODE: t.reduce_later<int, 0>(space_{{[0-9]+}}, later_[[N:[0-9]+]], ikra::rt::same_element(), {{.*}}, ikra::rt::part_of_later<1>());
int chain(numbers u, numbers v, int turns) {
  int most = 0;
  ikra::host_section([&] {
    for (int k = 0; k < turns; ++k) {
      u = u.with_index().pmap([k](int x, std::int64_t i) { return (x * 3 + int(i) + k) % 1009; });
      v = u.pcombine(v, [most](int x, int y) { return (x + y * 5 + most) % 1013; });
      most = v.preduce(ikra::max).value();
    }
  });
  return most + u.sum() * 31 + v.sum() * 17;
}

// What only the others read is not stored.
// CHECK-LABEL: turn turn_of_inner
// CHECK: kernel inner_11 -> inner_12, inner_13 over v, u
// CHECK: kernel inner_14 over u
// CHECK-NOT: {{^ +}}kernel
// CHECK: host waits
// CODE: auto later_0 = t.arrays<ikra::rt::results<int, int>, 0>(space_{{[0-9]+}}, turn_of_inner_body_0{}, v, u);
int inner(numbers u, numbers v, int turns) {
  int total = 0;
  ikra::host_section([&] {
    for (int k = 0; k < turns; ++k) {
      const numbers mean = u.pcombine(v, [](int x, int y) { return (x + y) / 2; });
      const numbers next_u = mean.pmap([](int x) { return x + 1; });
      const numbers next_v = mean.pcombine(v, [](int x, int y) { return (x * 7 - y) % 1000; });
      u = next_u;
      v = next_v;
      if (k % 2 == 0)
        total += u.sum();
    }
  });
  return total + u.sum() * 31 + v.sum() * 17;
}

// What captures the first one's result, or reads other arrays alone, has a kernel of its own.
// CHECK-LABEL: turn turn_of_apart
// CHECK: kernel apart_17 over u, stored; apart_18 over result of apart_17
// CHECK: kernel apart_19 over v
// CHECK: kernel apart_20 over u, stored; apart_21 over result of apart_20
// CHECK-NOT: {{^ +}}kernel
// CHECK: host waits
int apart(numbers u, numbers v, int turns) {
  int total = 0;
  ikra::host_section([&] {
    for (int k = 0; k < turns; ++k) {
      const numbers next = u.pmap([](int x) { return x * 3 % 1021; });
      total += next.sum();
      v = v.pmap([total](int x) { return (x + total) % 1000; });
      u = u.with_index().pmap([next](int x, std::int64_t i) { return (x + next[i / 2]) % 1000; });
      total += u.sum();
    }
  });
  return total + u.sum() * 31 + v.sum() * 17;
}

int main() {
  numbers u = ikra::pnew(100'003, [](std::int64_t i) { return int(i % 1000); });
  numbers v = ikra::pnew(100'003, [](std::int64_t i) { return int(i % 777); });
  const int first = reaction(u, v, 5), second = chain(u, v, 4), third = inner(u, v, 3), fourth = apart(u, v, 3);
  // OUT: results -1873976000 -1872509705 -1839477756 -1714847451
  std::printf("results %d %d %d %d\n", first, second, third, fourth);
}
