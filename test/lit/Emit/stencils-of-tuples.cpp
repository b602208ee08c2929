// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: nvcc
// A stencil reads large elements by reference, and std::get converts a tuple to its base class: nvcc tests each neighbour's
// address for null there, unless it is told that there is an object. The addresses of Himeno's stencil took half of its code.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags
// RUN: %build_cuda -ptx %t.cu -o %t.ptx
// RUN: FileCheck %s < %t.ptx
//
// CHECK: .entry {{.*}}stencil_of_array{{.*}}tuple
// CHECK-NOT: selp.b64
// CHECK: ld.global
// CHECK-NOT: selp.b64
// CHECK: ret;
#include <ikra/ikra.hpp>

#include <tuple>

int main() {
  const ikra::array<float> a = ikra::pnew(1000, [](int i) { return float(i); });
  const ikra::array<float> b = a.pmap([](float x) { return x + 1; });
  const auto sums = a.pzip(b, a, b, a).pstencil(ikra::box<1>, 0.0f, [](const auto& n) {
    const auto at = [&](int i) { return std::get<0>(n(i)); };
    return at(-1) + at(1) + std::get<4>(n(0));
  });
  return sums.sum() > 0 ? 0 : 1;
}
