// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Devices that are not there: a clear error, not a fallback, and no object changed.
//
// RUN: %ikrac -o %t.ikra.cu %s -- %ikra_flags
// RUN: %build_cpu %t.ikra.cu -o %t.cpu
// RUN: env IKRA_DEVICE=cuda %t.cpu | FileCheck %s --check-prefixes=CHECK,CUDA
// RUN: env IKRA_DEVICE=toaster %t.cpu | FileCheck %s --check-prefixes=CHECK,TOASTER
#include <ikra/ikra.hpp>

#include <cstdio>
#include <vector>

struct Lamp {
  IKRA_OBJECT
  int on = 0;
};

int main() {
  std::vector<Lamp> lamps(3);
  try {
    ikra::objects(lamps).peach([](Lamp* l) { l->on = 1; });
  } catch (const ikra::error& e) {
    // CUDA: IKRA_DEVICE
    // CUDA-SAME: BACKEND cpu
    // TOASTER: toaster
    std::printf("%s\n", e.what());
    // CHECK: kind 1, on 0
    std::printf("kind %d, on %d\n", e.kind() == ikra::error_kind::no_device, lamps[0].on);
  }
  return 0;
}
