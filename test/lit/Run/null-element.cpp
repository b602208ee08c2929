// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Null elements are legal; dereferencing one is an error that says which, and changes nothing.
//
// RUN: %ikrac -o %t.ikra.cu %s -- %ikra_flags
// RUN: %build_cpu %t.ikra.cu -o %t.cpu
// RUN: %t.cpu | FileCheck %s
#include <ikra/ikra.hpp>

#include <cstdio>
#include <vector>

struct Lamp {
  IKRA_OBJECT
  int on = 0;
};

int main() {
  Lamp first, last;
  ikra::array lamps{std::vector<Lamp*>{&first, nullptr, &last}};
  lamps.peach([](Lamp* l) {
    if (l)
      l->on += 1;
  });
  // CHECK: 1 and 1
  std::printf("%d and %d\n", first.on, last.on);
  try {
    lamps.peach([](Lamp* l) { l->on += 1; });
  } catch (const ikra::error& e) {
    // CHECK: null-element.cpp:28:{{[0-9]+}}: {{.*}}1
    std::printf("%s\n", e.what());
    // CHECK: kind 1, 1 and 1
    std::printf("kind %d, %d and %d\n", e.kind() == ikra::error_kind::null_element, first.on, last.on);
  }
  return 0;
}
