// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which sections share a kernel, through variables too, and why others do not.
//
// RUN: %ikrac --print=fusion %s -- %ikra_flags | FileCheck %s
// RUN: %ikrac -o %t.cu %s -- %ikra_flags
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu | FileCheck %s --check-prefix=OUT
#include <ikra/ikra.hpp>

#include <cstdio>
#include <vector>

struct Cell {
  int value = 3;
};

int temporary(const ikra::array<int>& numbers) {
  return numbers.pmap([](int x) { return x + 1; })
      .pmap([](int x) { return x * 2; })
      .pmap([](int x) { return x - 3; })[0];
}
int through_variables(const ikra::array<int>& numbers) {
  auto first = numbers.pmap([](int x) { return x + 1; });
  auto second = first.pmap([](int x) { return x * 2; });
  return second[0];
}
int used_twice(const ikra::array<int>& numbers) {
  auto first = numbers.pmap([](int x) { return x + 1; });
  auto second = first.pmap([](int x) { return x * 2; });
  auto third = first.pmap([](int x) { return x * 3; });
  return second[0] + third[0];
}
int of_objects(std::vector<Cell>& store, int k) {
  return ikra::objects(store)
      .pmap([](const Cell* c) { return c->value; })
      .pmap([k](int x) { return x * k; })[0];
}
int with_reduction(const ikra::array<int>& numbers) {
  return numbers.pmap([](int x) { return x * x; }).preduce([](int a, int b) { return a + b; })[0];
}
int with_selection(const ikra::array<int>& numbers) {
  return numbers.pselect([](int x) { return x > 1; }).pmap([](int x) { return 10 * x; })[0];
}
int with_parameter(const ikra::array<int>& numbers) {
  return numbers.pmap([](int x) { return x; })[0];
}
int with_index(const ikra::array<int>& numbers) {
  return numbers.pmap([](int x) { return x + 1; })
      .with_index()
      .pmap([](int x, ikra::index<1> i) { return x + static_cast<int>(i[0]); })[1];
}

int main() {
  ikra::array numbers{std::vector<int>{1, 2, 3}};
  std::vector<Cell> store(2);
  // OUT: 1 4 10 15 14 20 1 4
  std::printf("%d %d %d %d %d %d %d %d\n", temporary(numbers), through_variables(numbers),
              used_twice(numbers), of_objects(store, 5), with_reduction(numbers),
              with_selection(numbers), with_parameter(numbers), with_index(numbers));
  return 0;
}

// The table of kernels comes first, then each edge with the reason.
// CHECK: kernels: 26 (17 of single sections)
// CHECK-NEXT: kernel temporary_0 -> temporary_1 -> temporary_2{{$}}
// CHECK-NEXT: kernel through_variables_3 -> through_variables_4{{$}}
// CHECK-NEXT: kernel used_twice_5 -> used_twice_6{{$}}
// CHECK-NEXT: kernel used_twice_5 -> used_twice_7{{$}}
// CHECK-NEXT: kernel of_objects_8 -> of_objects_9{{$}}
// CHECK-NEXT: kernel with_reduction_10 -> with_reduction_11{{$}}
// CHECK-NEXT: kernel with_index_15 -> with_index_16{{$}}
// CHECK-NEXT: horizontal used_twice_6, used_twice_7: fused (all are asked for, over numbers){{$}}
// CHECK-NEXT: edge temporary_0 -> temporary_1: fused (same location)
// CHECK-NEXT: edge temporary_1 -> temporary_2: fused (same location)
// CHECK-NEXT: edge through_variables_3 -> through_variables_4: fused (same location)
// CHECK-NEXT: edge used_twice_5 -> used_twice_6: fused (same location; 96 operations' time if each of 2 kernels computes it, 144 if it is computed once)
// CHECK-NEXT: edge used_twice_5 -> used_twice_7: fused (same location; 96 operations' time if each of 2 kernels computes it, 144 if it is computed once)
// CHECK-NEXT: edge of_objects_8 -> of_objects_9: fused (same location)
// CHECK-NEXT: edge with_reduction_10 -> with_reduction_11: fused (same location)
// CHECK-NEXT: edge with_selection_12 -> with_selection_13: not fused (the result of pselect is kept in memory)
// CHECK-NEXT: edge with_index_15 -> with_index_16: fused (same location)
// with_parameter's input is made elsewhere.
// CHECK-NOT: edge
