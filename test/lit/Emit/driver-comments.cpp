// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The line in front of each driver says what is launched, of a fused kernel what its body runs over.
//
// RUN: %ikrac -o - %s -- %ikra_flags | grep -v '// CHECK' | FileCheck %s
#include <ikra/ikra.hpp>

#include <vector>

struct Lamp {
  float watts = 1;
  void dim(float by) { watts *= by; }
};

int main() {
  std::vector<Lamp> lamps(10);
  std::vector<Lamp*> pointers;
  for (Lamp& l : lamps)
    pointers.push_back(&l);
  const ikra::array<Lamp*> all(pointers);
  const float factor = 0.5F;

  // CHECK: // one kernel over the objects, class by class
  // CHECK-NEXT: void run_fused_into_main_1(
  const auto power =
      all.pmap([factor](const Lamp* l) { return l->watts * factor; }).pmap([](float x) { return x + 1; });

  // CHECK: // main_1: one elementwise kernel
  // CHECK: // main_2: one kernel over the objects, class by class, in which a thread runs all ticks of its element
  all.peach([factor](Lamp* l) { l->dim(factor); });

  // CHECK: // main_3: a reduction of blocks, then of their results
  const float most = power.preduce([](float a, float b) { return a > b ? a : b; })[0];
  return most > 3;
}
