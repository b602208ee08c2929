// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations without kernels run as in a plain build; a warning says so, once each, and the rest is compiled.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | FileCheck %s
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu | FileCheck %s --check-prefix=OUT
#include <ikra/ikra.hpp>

#include <cstdio>
#include <functional>
#include <vector>

struct Cell {
  int value = 3;
};

int main() {
  std::vector<Cell> store(4);
  ikra::array numbers{std::vector<int>{1, 2, 3}};
  auto cells = ikra::objects(store);
  auto sum = cells.pmap([](const Cell* c) { return c->value; }).preduce(std::plus<>{});
  auto folded = numbers.preduce(0.5, [](double total, int x) { return total + x; });
  // CHECK-DAG: sequential.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: 'preduce' is not compiled by this version of ikrac: it runs on one core, as in a plain build [ikra-section-sequential]
  auto chosen = cells.preduce([](Cell* a, Cell* b) { return a->value < b->value ? b : a; });
  // CHECK-DAG: sequential.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: 'preduce' is not compiled by this version of ikrac: it runs on one core, as in a plain build [ikra-section-sequential]
  auto sorted = cells.psort([](const Cell* a, const Cell* b) { return a->value < b->value; });
  // CHECK-DAG: sequential.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: 'psort' is not compiled by this version of ikrac: it runs on one core, as in a plain build [ikra-section-sequential]
  auto pairs = numbers.pzip(numbers);
  // CHECK-DAG: sequential.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: 'pzip' is not compiled by this version of ikrac: it runs on one core, as in a plain build [ikra-section-sequential]
  // OUT: 12 6.5 1 4 3
  std::printf("%d %.1f %zu %zu %zu\n", sum[0], folded[0], chosen.size(), sorted.size(), pairs.size());
  return 0;
}
// CHECK: 4 warnings generated.
