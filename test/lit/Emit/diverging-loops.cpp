// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop whose number of turns depends on the element gives a thread one element; others leave it as many as 16 bytes hold.
// Where loops may turn often, few elements are dealt out to as many threads.
//
// RUN: %ikrac --print=model %s -- %ikra_flags | FileCheck %s --check-prefix=PLAN
// RUN: %ikrac -o %t.ikra.cu %s -- %ikra_flags
// RUN: FileCheck %s --input-file=%t.ikra.cu
#include <ikra/ikra.hpp>

#include <array>
#include <ranges>
#include <vector>

int escape(int x) {
  int turns = 0;
  while (x < 1000) {
    x = x * 2 + 1;
    ++turns;
  }
  return turns;
}

int main() {
  const ikra::array<int> a{std::vector<int>{1, 2, 3}};
  const std::vector<int> starts{0, 1, 3, 3};
  const int most = 5, diverges = 7;

  auto through_calls = a.pmap([](int x) { return escape(x); });
  auto counted = a.pmap([most](int x) {
    int sum = 0;
    for (int k = 0; k < most; ++k)
      sum += x * k;
    return sum;
  });
  auto left = a.pmap([](int x) {
    int sum = 0;
    for (int k = 0; k < 9; ++k) {
      if (sum > x)
        break;
      sum += k;
    }
    return sum;
  });
  auto row = a.with_index().pmap([starts](int x, std::int64_t i) {
    for (int k = starts[i]; k < starts[i + 1]; ++k)
      x += k;
    return x;
  });
  auto named = a.pmap([](int x) { return escape(x); }).pmap([diverges](int x) { return x < diverges ? escape(x) : 0; });
  auto few = a.pmap([](int x) {
    int sum = 0;
    for (int k = 0; k < 8; ++k)
      sum += x * k;
    return sum;
  });
  auto through_all = a.pmap([starts](int x) {
    for (int s : starts)
      x = x * 3 + s;
    return x;
  });
  auto after_it = few.pmap([](int x) { return x + 1; }), after_all = through_all.pmap([](int x) { return x + 2; });
  auto numbers = a.pmap([](int x) {
    int sum = 0;
    for (const int k : std::views::iota(0, 9))
      sum += k * x;
    return sum;
  });
  auto numbers_of_element = a.pmap([](int x) {
    int sum = 0;
    for (const int k : std::views::iota(0, x))
      sum += k;
    return sum;
  });
  return after_it[0] + after_all[0] + through_calls[0] + counted[0] + left[0] + row[0] + named[0] + numbers[0] +
         numbers_of_element[0];
}

// CHECK: {{^}}namespace main_0_device {
// CHECK-NEXT: struct body {
// CHECK-NEXT: {{^}}  static constexpr bool diverges = true;
// CHECK: {{^}}namespace main_1_device {
// CHECK-NOT: {{^}}  static constexpr bool diverges
// CHECK: {{^}}  static constexpr bool repeats = true;
// CHECK: {{^}}namespace main_2_device {
// CHECK: {{^}}  static constexpr bool diverges = true;
// CHECK: {{^}}namespace main_3_device {
// CHECK: {{^}}  static constexpr bool diverges = true;
// A capture of that name has another one there.
// CHECK: {{^}}namespace main_5_device {
// CHECK: {{^}}  int diverges_;
// CHECK-NEXT: {{^}}  static constexpr bool diverges = true;
// CHECK: {{^}}namespace main_6_device {
// CHECK-NOT: {{^}}  static constexpr bool repeats
// CHECK: {{^}}namespace main_7_device {
// CHECK: {{^}}  static constexpr bool repeats = true;
// CHECK: {{^}}namespace main_10_device {
// CHECK-NOT: {{^}}  static constexpr bool diverges
// CHECK: {{^}}  static constexpr bool repeats = true;
// CHECK: for (const int k : ikra::algorithm::iota(0, 9)) {
// CHECK: {{^}}namespace main_11_device {
// CHECK: {{^}}  static constexpr bool diverges = true;
// CHECK: for (const int k : ikra::algorithm::iota(0, x)) {
// CHECK: {{^}}struct fused_into_main_5 {
// CHECK: {{^}}  static constexpr bool diverges = true;

// PLAN: {{^}}section main_0 at
// PLAN-NEXT: {{^}}  the turns of a loop depend on the element
// PLAN: {{^}}section main_1 at
// PLAN: {{^}}  a loop may have many turns
// PLAN: {{^}}section main_2 at
// PLAN-NEXT: {{^}}  the turns of a loop depend on the element
// PLAN: {{^}}section main_6 at
// PLAN-NEXT: {{^}}section main_7 at
// PLAN: {{^}}  a loop may have many turns
