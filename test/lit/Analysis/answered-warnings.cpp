// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A message that a comment answers is not pointed to by the operations that it leaves to one core.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | FileCheck %s --implicit-check-not=note:
#include <ikra/ikra.hpp>

#include <cmath>

inline int level(int x) { return std::fpclassify(double(x)); } // NOLINT(ikra-no-device-version, ikra-system-function)

int main() {
  // CHECK: [[@LINE+1]]:18: warning: 'pnew' is not compiled
  const auto a = ikra::pnew(4, [](std::int64_t i) { return level(int(i)); });
  // CHECK: [[@LINE+1]]:20: warning: 'pmap' is not compiled
  const auto b = a.pmap([](int x) { return level(x); });
  return b[0];
}
// CHECK: 2 warnings generated.
