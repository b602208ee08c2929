// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file that begins with a byte order mark, as this one does: it would be a stray character
// within the emitted file, and in a header of the overlay.
//
// RUN: %ikrac -o %t.cu --overlay=%t.overlay %s -- %ikra_flags 2>&1 | count 0
// RUN: %build_cpu -iquote %t.overlay %t.cu -o %t.cpu && %t.cpu | FileCheck %s
#include "Inputs/byte-order-mark.hpp"

#include <cstdio>

int main() {
  const auto a = ikra::pnew(6, [](std::int64_t i) { return static_cast<int>(i) + 1; });
  // CHECK: 42 21
  std::printf("%d %d\n", doubled(a), a.sum());
}
