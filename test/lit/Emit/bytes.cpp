// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: nvcc
// nvcc 13.0 takes packs of bytes apart without extending their signs at the ends of words, unless it cannot see
// where the words are from: each sum of a byte is extended before it is compared.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags
// RUN: %build_cuda -ptx %t.cu -o %t.ptx
// RUN: grep -A1 'add.s16.*, 127;' %t.ptx | FileCheck %s
//
// CHECK: add.s16
// CHECK-NEXT: cvt.s16.s8
// CHECK-NOT: min.s16
#include <ikra/ikra.hpp>
#include <cstdint>
#include <vector>

int main() {
  const ikra::array<std::int8_t, 2> a{std::vector<std::int8_t>(64), {8, 8}};
  a.pmap([](std::int8_t x) {
    const auto sum = static_cast<std::int8_t>(127 + x);
    return static_cast<std::int8_t>(sum < 5 ? sum : 5);
  });
  a.pstencil({{-1, 0}, {0, 0}}, std::int8_t(0), [](auto v) {
    const auto sum = static_cast<std::int8_t>(127 + v(0, 0));
    return static_cast<std::int8_t>(sum < 5 ? sum : v(-1, 0));
  });
  a.pmap([](std::int8_t x) {
     const auto sum = static_cast<std::int8_t>(127 + x);
     return static_cast<std::int8_t>(sum < 5 ? sum : 5);
   }).preduce(ikra::max);
}
