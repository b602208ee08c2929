// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Extensions of compilers, and what belongs to the host: each is left to the plain library, and the
// message names it in C++'s words, with what to write instead.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2> %t.said
// RUN: FileCheck %s < %t.said
// RUN: %build_plain %s -w -o %t.plain && %t.plain | FileCheck %s --check-prefix=OUT
// RUN: %build_cpu %t.cu -w -o %t.cpu && %t.cpu | FileCheck %s --check-prefix=OUT
#include <ikra/ikra.hpp>

#include <cstdio>
#include <vector>

struct Pair {
  int a, b;
};

int twice(int x) { return 2 * x; }

int main() {
  const ikra::array<int> all(std::vector<int>{0, 2, 5, 7});
  // CHECK-DAG: odd-forms.cpp:[[@LINE+1]]:{{[0-9]+}}: warning: this expression cannot be used in a section (a statement as an expression, ({ ... }); write a lambda and call it) [ikra-
  const auto statement = all.pmap([](int x) { return ({ int y = x; y + 5; }); });
  // CHECK-DAG: odd-forms.cpp:[[@LINE+1]]:{{[0-9]+}}: warning: this expression cannot be used in a section (?: without a middle operand; write it, x ? x : y) [ikra-
  const auto middle = all.pmap([](int x) { return x ?: 6; });
  // CHECK-DAG: odd-forms.cpp:[[@LINE+1]]:{{[0-9]+}}: warning: this expression cannot be used in a section (reinterpret_cast; call std::bit_cast for the bits of a value) [ikra-
  const auto bits = all.pmap([](int x) { return int(reinterpret_cast<unsigned&>(x) + 1); });
  // CHECK-DAG: odd-forms.cpp:[[@LINE+1]]:{{[0-9]+}}: warning: this expression cannot be used in a section (__builtin_bit_cast; call std::bit_cast) [ikra-
  const auto builtin = all.pmap([](int x) { return __builtin_bit_cast(int, x); });
  // CHECK-DAG: odd-forms.cpp:[[@LINE+1]]:{{[0-9]+}}: warning: this expression cannot be used in a section (a compound literal, (T){...}; write T{...}) [ikra-
  const auto literal = all.pmap([](int x) { return ((Pair){x, 1}).b + x; });
  // CHECK-DAG: odd-forms.cpp:[[@LINE+1]]:{{[0-9]+}}: warning: this expression cannot be used in a section (the name or the place of a function; take it on the host) [ikra-
  const auto named = all.pmap([](int x) { return __func__[0] == 'o' ? x : 1; });
  // CHECK-DAG: odd-forms.cpp:[[@LINE+1]]:{{[0-9]+}}: warning: this expression cannot be used in a section (a pointer or a reference to bits of another type; call std::bit_cast for the bits of a value) [ikra-
  const auto cast = all.pmap([](int x) { return int((unsigned&)x + 1); });
  // CHECK-DAG: odd-forms.cpp:[[@LINE+1]]:{{[0-9]+}}: warning: this statement cannot be used in a section (an array of a size that is no constant; give it its greatest size) [ikra-
  const auto sized = all.pmap([](int x) { int v[x + 1]; v[x] = x; return v[x]; });
  // CHECK-DAG: odd-forms.cpp:[[@LINE+1]]:{{[0-9]+}}: warning: this statement cannot be used in a section (a declaration of a function or of something else that is no variable; write it before the function) [ikra-
  const auto declared = all.pmap([](int x) { int twice(int); return twice(x); });
  // CHECK-DAG: odd-forms.cpp:[[@LINE+1]]:{{[0-9]+}}: warning: this expression cannot be used in a section (an atomic builtin; call ikra::atomic_add, or use a std::atomic_ref) [ikra-
  const auto counted = all.pmap([](int x) { return int(__atomic_load_n(&x, __ATOMIC_RELAXED)); });
  // OUT: 34 20 18 14 18 14 18 14 28 14
  for (const auto& each : {statement, middle, bits, builtin, literal, named, cast, sized, declared, counted})
    std::printf("%d ", each.sum());
  return 0;
}
