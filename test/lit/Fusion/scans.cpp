// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scans, sorts and reductions by key and axis are compiled; maps are fused into scans, and what a sort's elements and keys have
// in common is stored once.
//
// RUN: %ikrac --print=fusion %s -- %ikra_flags | FileCheck %s
// RUN: %ikrac --print=model %s -- %ikra_flags | FileCheck %s --check-prefix=MODEL
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | count 0
// RUN: %emitted %t.cu | FileCheck %s --check-prefix=CODE
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu | FileCheck %s --check-prefix=OUT
#include <ikra/ikra.hpp>

#include <cstdio>
#include <functional>
#include <vector>

using numbers = ikra::array<int>;
int half(int x) { return x / 2; }

int scanned(const numbers& a) { return a.pmap(half).pscan([](int x, int y) { return x + y; }).pmap(half)[3]; }
long from(const numbers& a, int k) { return a.pmap([k](int x) { return x * k; }).pscan_exclusive(10L, std::plus<>{})[3]; }
int sorted(const numbers& a, int k) { return a.pmap(half).psort([k](int x, int y) { return x % k < y % k; })[1]; }
int by_key(const numbers& a) { return a.pmap(half).pmap(half).psort_by([](int x) { return -x; })[0]; }
int runs(const numbers& a) { return a.preduce_by_key(a.pmap(half), std::plus<>{}).second[1]; }
int rows(const numbers& a) { return a.reshape({2, 2}).preduce_axis(1, 0, std::plus<>{})[1]; }
long bins(const numbers& a) { return a.pmap(half).phistogram(5, [](int x) { return x; })[1]; }
long grouped(const numbers& a, int k) {
  return a.pmap(half).reduce_by_index(k, [k](int x) { return unsigned(x % k); }, 10L, [](long x, long y) { return x + y; })[1];
}
int greatest(const numbers& a) { return a.reduce_by_index(5, a.pmap(half), 0, ikra::max)[4]; }

int main() {
  const numbers a{std::vector<int>{1, 2, 3, 8}};
  // OUT: 3 28 1 2 5 11 2 16 8
  std::printf("%d %ld %d %d %d %d %ld %ld %d\n", scanned(a), from(a, 3), sorted(a, 3), by_key(a), runs(a), rows(a), bins(a),
              grouped(a, 3), greatest(a));
  return 0;
}

// CHECK: kernel scanned_0 -> scanned_1{{$}}
// CHECK-NEXT: kernel from_3 -> from_4{{$}}
// CHECK-NEXT: kernel by_key_7 -> by_key_8{{$}}
// CHECK-NEXT: kernel by_key_7 -> by_key_8 -> by_key_9{{$}}
// CHECK-NEXT: kernel bins_{{[0-9]+}} -> bins_{{[0-9]+}}{{$}}
// CHECK-NEXT: kernel grouped_15 -> grouped_16{{$}}
// CHECK-NOT: kernel
// CHECK-DAG: edge scanned_1 -> scanned_2: not fused (the result of pscan is kept in memory)
// CHECK-DAG: edge grouped_16 -> grouped_17: not fused (reduce_by_index reads its input from memory)
// CHECK-DAG: edge sorted_5 -> sorted_6: not fused (psort reads its input from memory)

// MODEL-DAG: section grouped_{{[0-9]+}} at scans.cpp:{{[0-9:]+}}: pmap over int gives unsigned int
// MODEL-DAG: section grouped_{{[0-9]+}} at scans.cpp:{{[0-9:]+}}: reduce_by_index over unsigned int, int from a first value gives long
// MODEL-DAG: section from_4 at scans.cpp:{{[0-9:]+}}: pscan over int from a first value gives long

// CODE: #include <ikra/generated/launch/launch_sort_cuda.hpp>
// CODE-DAG: s.scan_values<int>(body);
// CODE-DAG: s.scan_values_from<int, long>(body);
// CODE-DAG: s.sort_values<int>(body);
// CODE-DAG: s.reduce_by_index<unsigned int, int, long>(body);
// CODE-DAG: s.reduce_by_index<int, int, int>(body);
// CODE-DAG: s.reduce_by_key<int, int>(body);
// CODE-DAG: s.reduce_axis_from<int, int, 2>(body);
// CODE-DAG: s.scan_computed<int, 0, int>(fused_into_scanned_1{scanned_0}, scanned_1);
// CODE-DAG: s.scan_computed_from<int, long, 0, int>(fused_into_from_4{from_3}, from_4);
