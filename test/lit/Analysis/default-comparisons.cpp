// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparisons that the compiler makes run on devices, but for those of classes with built-in arrays:
// nvcc's kernels leave the elements out.
//
// RUN: %ikrac --print=model %s -- %ikra_flags 2> %t.log | FileCheck %s
// RUN: FileCheck %s --check-prefix=WARN --implicit-check-not=not.compiled < %t.log
#include <ikra/ikra.hpp>

#include <array>
#include <compare>

struct Members {
  short a, b;
  friend auto operator<=>(const Members&, const Members&) = default;
};
struct Standard {
  std::array<short, 2> c;
  friend auto operator<=>(const Standard&, const Standard&) = default;
};
struct BuiltIn {
  short c[2];
  friend auto operator<=>(const BuiltIn&, const BuiltIn&) = default;
};
struct Around {
  BuiltIn in;
  friend auto operator<=>(const Around&, const Around&) = default;
};

// CHECK: section sorted_0 {{.*}} psort over ::Members
// CHECK: section sorted_1 {{.*}} psort over ::Standard
// CHECK-NOT: psort
void sorted(ikra::array<Members> a, ikra::array<Standard> b, ikra::array<BuiltIn> c, ikra::array<Around> d) {
  a.psort();
  b.psort();
  // WARN-DAG: :[[@LINE+1]]:{{.*}} warning: 'psort' is not compiled
  c.psort();
  // WARN-DAG: :[[@LINE+1]]:{{.*}} warning: 'psort' is not compiled
  d.psort();
}
