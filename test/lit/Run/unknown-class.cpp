// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An object of a class that was not compiled in: an error that names the class and the section, and no object changed.
//
// RUN: %ikrac -o %t.ikra.cu %s -- %ikra_flags
// RUN: %build_cpu %t.ikra.cu %S/Inputs/tram.cpp -o %t.cpu
// RUN: %t.cpu | FileCheck %s
#include "Inputs/vehicle.hpp"

#include <cstdio>
#include <memory>
#include <vector>

int main() {
  std::vector<std::unique_ptr<Vehicle>> vehicles;
  vehicles.push_back(std::make_unique<Vehicle>());
  vehicles.emplace_back(make_tram());
  try {
    ikra::array{vehicles}.peach([](Vehicle* v) { v->drive(); });
  } catch (const ikra::error& e) {
    // CHECK: unknown-class.cpp:19:{{[0-9]+}}: {{.*}}Tram
    std::printf("%s\n", e.what());
    // CHECK: kind 1, distances 0 and 0
    std::printf("kind %d, distances %d and %d\n", e.kind() == ikra::error_kind::unknown_class,
                vehicles[0]->distance(), vehicles[1]->distance());
  }
  return 0;
}
