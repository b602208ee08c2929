// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program without sections has the runtime's operations, too: they are linked.
//
// RUN: %ikrac -o - %s -- %ikra_flags | FileCheck %s
// RUN: %ikrac -o %t.ikra.cu %s -- %ikra_flags
// RUN: %build_cpu %t.ikra.cu -o %t.cpu && %t.cpu | FileCheck %s --check-prefix=OUT
// RUN: nm -C %t.cpu | FileCheck %s --check-prefix=LINKED
#include <ikra/ikra.hpp>

#include <cstdio>
#include <vector>

// CHECK: // It holds no parallel sections, and is the same but for its includes.
// CHECK-NEXT: #include <ikra/generated/sections/operations_alone.hpp>
// LINKED: ikra::rt::install_operations()

int main() {
  const ikra::array<int> a{std::vector<int>(10000, 3)};
  const ikra::array<int> places{std::vector<int>{7, 1, 7}};
  std::printf("%d %d\n", a.psort()[0], a.pgather(places)[2]); // OUT: 3 3
}
