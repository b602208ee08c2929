// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays in generic lambdas: values are followed through what a lambda is instantiated to, as through other functions. So
// steps meet in loops, results in kernels, and those of one block are computed together.
//
// RUN: %ikrac --print=fusion %s -- %ikra_flags | FileCheck %s
// RUN: %ikrac -o %t.cu %s -- %ikra_flags
// RUN: %build_plain %s -o %t.plain && %t.plain > %t.expected
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu | diff %t.expected -
#include <ikra/ikra.hpp>

#include <cstdio>
#include <vector>

ikra::array<int> moved(const ikra::array<int>& a, int by) {
  return a.pmap([by](int x) { return x + by; });
}
// CHECK-DAG: loop moved_0

// CHECK-DAG: kernel forms_[[SHIFT:[0-9]+]] -> forms_[[SHIFT]] -> forms_{{[0-9]+}}, on path
// CHECK-DAG: horizontal forms_[[LOW:[0-9]+]], forms_{{[0-9]+}}: fused (all are asked for, over in)
// CHECK-DAG: loop forms_{{[0-9]+$}}
// CHECK-DAG: loop forms_{{[0-9]+$}}
void forms(const ikra::array<int>& a) {
  const auto step = [](auto& x) { x = x.pmap([](auto v) { return v * 3 + 1; }); };
  const auto shifted = [](const auto& x) { return x.pmap([](auto v) { return v - 2; }); };
  const auto both = [](const auto& in) {
    const auto low = in.pmap([](auto x) { return x - 1; });
    const auto high = in.pmap([](auto x) { return x * 7; });
    int total = 0;
    for (const auto x : low)
      total += static_cast<int>(x);
    for (const auto x : high)
      total += static_cast<int>(x);
    return total;
  };
  auto whole = a;
  auto halves = a.pmap([](int x) { return x * 0.5; });
  for (int k = 0; k < 3; ++k) {
    step(whole);
    step(halves);
  }
  std::printf("%d %g %d %d\n", whole.sum(), halves.sum(), shifted(shifted(a)).sum(), both(a));
}

int main() {
  return []<class T>(T turns) -> int {
    const ikra::array a{std::vector<int>{1, 2, 3}};
    auto x = a.pmap([](int v) { return 2 * v; });
    for (T i = 0; i < turns; ++i)
      x = moved(x, static_cast<int>(i));
    for (const int v : x.to_vector())
      std::printf("%d\n", v);
    forms(x);
    return 0;
  }(5L);
}
