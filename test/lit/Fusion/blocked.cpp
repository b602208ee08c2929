// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chains of divisions by constants: all cores run them section by section over blocks.
//
// RUN: %ikrac --print=fusion %s -- %ikra_flags | FileCheck %s
// RUN: %ikrac -o %t.cu %s -- %ikra_flags
// RUN: %emitted %t.cu | FileCheck %s --check-prefix=CODE
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu | FileCheck %s --check-prefix=OUT
// RUN: env IKRA_FUSION=off %t.cpu | FileCheck %s --check-prefix=OUT
#include <ikra/ikra.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

using place = ikra::index<2>;

int remainder_of(int x) { return x % 1337; }

// What is called counts; other sections between the divisions are nodes as well.
unsigned divisions() {
  const auto v = ikra::pnew({1000, 7}, [](place i) { return static_cast<int>(i[0] * 100 + i[1]); })
                     .pmap([](int x) { return remainder_of(x * 31); })
                     .with_index()
                     .pmap([](int x, place i) { return x + static_cast<int>(i[1]); })
                     .pmap([](int x) { return x / 7; })
                     .pmap([](int x) { return x %= 100; });
  unsigned sum = 0;
  for (const int x : v)
    sum = sum * 31 + static_cast<unsigned>(x);
  return sum;
}
// Starts from an array, whose elements stay as they are.
std::int64_t of_array(const ikra::array<std::int64_t>& a) {
  const auto v = a.pmap([](std::int64_t x) { return x / 10; })
                     .pmap([](std::int64_t x) { return x % 1000; })
                     .pmap([](std::int64_t x) { return x / 3 - 50; });
  return v[2] * 1000 + a[2];
}
// Two divisions, divisions by powers of two and by what is not constant, of floats, and those of
// another type are ordinary chains.
int ordinary(const ikra::array<int>& a, int by) {
  const auto two = a.pmap([](int x) { return x % 1000; }).pmap([](int x) { return x % 10; });
  const auto powers = a.pmap([](int x) { return x % 64; })
                          .pmap([](int x) { return x / 2; })
                          .pmap([](int x) { return x % 8; });
  const auto given = a.pmap([by](int x) { return x % by; })
                         .pmap([by](int x) { return x / by; })
                         .pmap([by](int x) { return x % by; });
  const auto floats = a.pmap([](int x) { return x / 3.0; })
                          .pmap([](double x) { return x / 3; })
                          .pmap([](double x) { return x / 7; });
  const auto types = a.pmap([](int x) { return static_cast<unsigned>(x) % 1000; })
                         .pmap([](unsigned x) { return static_cast<int>(x % 100); })
                         .pmap([](int x) { return static_cast<unsigned>(x) % 10; });
  return two[1] + powers[1] + given[1] + static_cast<int>(floats[1]) + static_cast<int>(types[1]);
}

int main() {
  std::printf("divisions %u\n", divisions());
  std::printf("of array %lld\n",
              static_cast<long long>(of_array(ikra::array{std::vector<std::int64_t>{1, 2, 987654}})));
  std::printf("ordinary %d\n", ordinary(ikra::array{std::vector<int>{1, 98765}}, 11));
}

// CHECK: kernel divisions_0 -> divisions_1 -> divisions_2 -> divisions_3 -> divisions_4, blocked on all cores
// CHECK: kernel of_array_5 -> of_array_6 -> of_array_7, blocked on all cores
// CHECK-NOT: blocked

// CODE-LABEL: struct fused_into_divisions_4 {
// CODE: static constexpr bool is_blocked = true;
// CODE-NEXT: template <class Step> void each_node(const Step& step) const {
// CODE-NEXT: step.start(divisions_0);
// CODE-NEXT: step.plain(divisions_1);
// CODE-NEXT: step.indexed(divisions_2);
// CODE-NEXT: step.plain(divisions_3);
// CODE-NEXT: step.plain(divisions_4);
// CODE: s.new_values<int, 2>(fused_into_divisions_4{

// OUT: divisions 878260751
// OUT: of array 1192654
// OUT: ordinary 1583
