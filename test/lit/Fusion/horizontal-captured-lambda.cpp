// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a captured lambda does counts as the section's own: one that divides does not run unasked.
//
// RUN: %ikrac --print=fusion %s -- %ikra_flags 2>&1 | FileCheck %s
#include <ikra/ikra.hpp>

int both(const ikra::array<int>& x, int k) {
  auto divided = [k](int v) { return v / k; };
  auto scaled = [k](int v) { return v * k; };
  const auto a = x.pmap([divided](int v) { return divided(v); });
  const auto b = x.pmap([scaled](int v) { return scaled(v); });
  return a[0] + b[0];
}
// CHECK: a section may fail or not end
