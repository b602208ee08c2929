// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects of a class that was not compiled in: the section runs as it is written and says so once. Where its code
// cannot be kept, it is an error that names the class and the section, and no object is changed.
//
// RUN: %ikrac -o %t.ikra.cu %s -- %ikra_flags
// RUN: %build_cpu %t.ikra.cu %S/Inputs/tram.cpp -o %t.cpu
// RUN: %t.cpu 2> %t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=ERR < %t.err
#include "Inputs/vehicle.hpp"

#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

int main() {
  std::vector<std::unique_ptr<Vehicle>> vehicles;
  vehicles.push_back(std::make_unique<Vehicle>());
  vehicles.emplace_back(make_tram());
  for (int i = 0; i < 2; ++i)
    ikra::array{vehicles}.peach(3, [](Vehicle* v) { v->drive(); });
  // ERR: ikra: section 'main' at {{.*}}unknown-class.cpp:[[@LINE-1]]:{{[0-9]+}}: {{.*}}Tram{{.*}}runs on one core
  // ERR-NOT: {{.}}
  // CHECK: distances 6 and 30
  std::printf("distances %d and %d\n", vehicles[0]->distance(), vehicles[1]->distance());

  std::vector<int> lengths{7, 8};
  try {
    ikra::array{vehicles}.peach([by = std::move(lengths)](Vehicle* v) {
      for (int k = 0; k < by[0]; ++k)
        v->drive();
    });
  } catch (const ikra::error& e) {
    // CHECK: unknown-class.cpp:[[@LINE-5]]:{{[0-9]+}}: {{.*}}Tram
    std::printf("%s\n", e.what());
    // CHECK: kind 1, distances 6 and 30
    std::printf("kind %d, distances %d and %d\n", e.kind() == ikra::error_kind::unknown_class,
                vehicles[0]->distance(), vehicles[1]->distance());
  }
  return 0;
}
