// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects of a class that was not compiled in, in any array of a section that is given several, or in
// a tuple: these run as they are written too.
//
// RUN: %ikrac -o %t.ikra.cu %s -- %ikra_flags
// RUN: %build_cpu %t.ikra.cu %S/Inputs/tram.cpp -o %t.cpu
// RUN: %t.cpu 2> %t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=ERR < %t.err
#include "Inputs/vehicle.hpp"

#include <cstdio>
#include <memory>
#include <tuple>
#include <vector>

int main() {
  std::vector<std::unique_ptr<Vehicle>> vehicles;
  vehicles.push_back(std::make_unique<Vehicle>());
  vehicles.emplace_back(make_tram());
  const ikra::array all{vehicles};
  const ikra::array stops{std::vector<int>{7, 8}};
  all.peach([](Vehicle* v) { v->drive(); });
  // Code that is the same whatever the classes are, `distance()`, runs in place without a look at them.
  // ERR-COUNT-3: runs on one core
  const auto distances = stops.pcombine(all, [](int s, const Vehicle* v) { return s * 100 + v->distance(); });
  const auto zipped = all.pzip(stops).pmap([](const auto& t) { return std::get<0>(t)->distance() + std::get<1>(t); });
  const auto last = all.preduce([](Vehicle* a, Vehicle* b) { return a->distance() < b->distance() ? b : a; });
  // CHECK: 701 805, 8 13, 5
  std::printf("%d %d, %d %d, %d\n", distances[0], distances[1], zipped[0], zipped[1], last[0]->distance());
}
