// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of integers by index say so: a GPU adds them in any order. Others keep the elements' order.
//
// RUN: %ikrac --print=model %s -- %ikra_flags | FileCheck %s --check-prefix=MODEL
// RUN: %ikrac -o %t.ikra.cu %s -- %ikra_flags
// RUN: FileCheck %s --input-file=%t.ikra.cu
#include <ikra/ikra.hpp>

#include <cstdint>
#include <functional>
#include <vector>

int main() {
  const ikra::array<int> keys{std::vector<int>{1, 0, 1}}, ints{std::vector<int>{1, 2, 3}};
  const ikra::array<float> floats{std::vector<float>{1, 2, 3}};
  const int adds = 1;
  auto lambda = ints.reduce_by_index(2, keys, 0, [](int a, int b) { return b + a; });
  auto object = ints.reduce_by_index(2, keys, 0, std::plus<>{});
  auto wide = ints.reduce_by_index(2, keys, std::int64_t(0), [](std::int64_t a, std::int64_t b) { return a + b; });
  auto rounded = floats.reduce_by_index(2, keys, 0.0f, [](float a, float b) { return a + b; });
  auto other = ints.reduce_by_index(2, keys, 0, [](int a, int b) { return a + b / 1; });
  auto captured = ints.reduce_by_index(2, keys, 0, [adds](int a, int b) { return a + b + adds; });
  return lambda[0] + object[0] + int(wide[0]) + int(rounded[0]) + other[0] + captured[0];
}

// MODEL-COUNT-4: adds its elements
// MODEL-NOT: adds its elements

// CHECK: {{^}}namespace main_0_device {
// CHECK-NEXT: struct body {
// CHECK-NEXT: {{^}}  using adds = int;
// CHECK: {{^}}namespace main_1_device {
// CHECK-NEXT: struct body {
// CHECK-NEXT: {{^}}  using adds = int;
// CHECK: {{^}}namespace main_2_device {
// CHECK-NEXT: struct body {
// CHECK-NEXT: {{^}}  using adds = {{.*}};
// CHECK: {{^}}namespace main_3_device {
// Of floats the order matters, but the body says so all the same: the runtime asks for integers.
// CHECK: {{^}}namespace main_4_device {
// CHECK-NOT: using adds
