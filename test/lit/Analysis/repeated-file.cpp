// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file that is included several times has one emitted text, which would be that of its first
// inclusion: its sections are left to the plain library. A header with a guard, or of which a part
// alone is repeated, is as any other.
//
// RUN: %ikrac -o %t.cu --overlay=%t.overlay %s -- %ikra_flags -iquote %S/Inputs 2>&1 | FileCheck %s
// RUN: %build_plain -iquote %S/Inputs %s -o %t.plain && %t.plain > %t.plain.txt
// RUN: %build_cpu -iquote %t.overlay -iquote %S/Inputs %t.cu -o %t.cpu && %t.cpu > %t.cpu.txt && diff %t.plain.txt %t.cpu.txt
#include <ikra/ikra.hpp>

#include <cstdint>
#include <cstdio>

// CHECK: repeated.def:1:1: warning: 'pmap' runs on one core, as in a plain build, since its file is included several times and has one emitted text: give the file an include guard, or move the section into a function template [ikra-repeated-file]
#define ROW(name, k)                                                                               \
  int name(const ikra::array<int>& a) {                                                            \
    return a.pmap([](int x) { return x * k; }).sum();                                              \
  }
#include "repeated.def"
#undef ROW

int main() {
  const auto a = ikra::pnew(6, [](std::int64_t i) { return static_cast<int>(i) + 1; });
#define ROW(name, k) std::printf("%s %d\n", #name, name(a));
#include "repeated.def"
#undef ROW
  int sum = 0;
// CHECK: repeated.inc:1:{{[0-9]+}}: warning: 'pnew' runs on one core
#define FACTOR 3
#include "repeated.inc"
#undef FACTOR
#define FACTOR 4
#include "repeated.inc"
  std::printf("%d\n", sum);
}
// RUN: %ikrac -o %t.forced.cu --overlay=%t.forced.overlay %s -- %ikra_flags -iquote %S/Inputs -include %S/Inputs/forced.hpp 2>&1 | FileCheck %s --check-prefix=FORCED
// FORCED: forced.hpp:{{[0-9:]+}}: warning: 'pnew' runs on one core, as in a plain build, since its file is included by -include: write #include in the source [ikra-repeated-file]
