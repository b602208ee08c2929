// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparisons that the compiler makes run on devices; of classes with built-in arrays as functions of
// their own, since nvcc's kernels leave the elements out.
//
// RUN: %ikrac --print=model %s -- %ikra_flags 2>&1 | FileCheck %s --implicit-check-not=warning
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

void sorted(ikra::array<Members> a, ikra::array<Standard> b, ikra::array<BuiltIn> c, ikra::array<Around> d) {
  a.psort();
  b.psort();
  c.psort();
  d.psort();
  d.count([](const Around& x) { return x < Around{{{1, 2}}}; });
}
// CHECK: function {{.*}}ascending::operator()<Members>
// CHECK-NOT: calls
// CHECK: function {{.*}}ascending::operator()<Standard>
// CHECK-NOT: calls
// CHECK: function {{.*}}ascending::operator()<BuiltIn>
// CHECK-NEXT: calls operator<=>
// CHECK: function {{.*}}ascending::operator()<Around>
// CHECK-NEXT: calls operator<=>
// CHECK: function sorted{{.*}}operator()
// CHECK-NEXT: calls operator<=>
// CHECK: function operator<=> at default-comparisons.cpp:26
// CHECK-NEXT: calls operator<=>
