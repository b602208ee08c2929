// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays of structs that hold pointers to objects: kernels have structs with IDs in their place, which the runtime makes of the
// program's and back. A struct with an array, or with another such struct, is left to the plain library.
//
// RUN: split-file %s %t
// RUN: %ikrac --print=model %t/main.cpp -- %ikra_flags | FileCheck %t/main.cpp --check-prefix=MODEL
// RUN: %ikrac -o %t.ikra.cu %t/main.cpp -- %ikra_flags 2>&1 | count 0
// RUN: %emitted %t.ikra.cu | FileCheck %t/main.cpp
// RUN: %build_cpu %t.ikra.cu -o %t.cpu && %t.cpu | FileCheck %t/main.cpp --check-prefix=OUT
// RUN: %build_plain %t/main.cpp -o %t.plain && %t.plain | FileCheck %t/main.cpp --check-prefix=OUT
// RUN: %ikrac -o %t.ikra.cu %t/left.cpp -- %ikra_flags 2>&1 | FileCheck %t/left.cpp

//--- main.cpp
#include <ikra/ikra.hpp>

#include <cstdio>
#include <vector>

struct City {
  int size = 1;
  City* next = nullptr;
};
struct Way {
  const City* from;
  const City* to = nullptr;
  int length = 4;
};

// CHECK: template <> struct ikra::rt::device_struct<::Way> {
// CHECK-NEXT: ikra::object_id from;
// CHECK-NEXT: ikra::object_id to = nullptr;
// CHECK-NEXT: int length = 4;
// CHECK-NEXT: template <class Struct> static auto parts(Struct& of) { return std::tie(of.from, of.to, of.length); }
// CHECK-NEXT: };
// CHECK: using Way_value = ikra::rt::device_struct<::Way>;

int main() {
  std::vector<City> cities{{5}, {7}, {2}};
  cities[0].next = &cities[2];
  const ikra::array<Way, 1> ways{std::vector<Way>{{&cities[1], &cities[0], 3}, {&cities[2]}}};
  // MODEL: section main_0 {{.*}}: pmap over ::Way gives int
  // MODEL-NEXT: reads: City::size
  // CHECK: int operator()(const Way_value& way) const { return way.length + w.City_size[way.from]; }
  const auto lengths = ways.pmap([](const Way& way) { return way.length + way.from->size; });
  // MODEL: section main_1 {{.*}}: pmap over object of City gives ::Way
  // CHECK: Way_value operator()(City_class, ikra::object_id id) const {
  const auto onward =
      ikra::objects(cities).pmap([](const City* city) { return Way{city, city->next}; });
  // CHECK: Way_value first;
  // CHECK: const auto root_0_0 = s.held_roots(ikra::rt::with_object_ids<::Way, ikra::rt::references<::City, City_class>>(), call.node(0).capture<::Way>(0));
  // CHECK: s.with_ids(root_0_0)
  const Way first = ways[0];
  const auto seen = ikra::objects(cities).pmap([first](const City* city) {
    return first.from == city ? first.length : first.from->size;
  });
  // OUT: 10 6 7 3
  std::printf("%d %d %d %d\n", lengths[0], lengths[1], seen[0], seen[1]);
  // OUT-NEXT: 2 none 4
  std::printf("%d %s %d\n", onward[0].to->size, onward[1].to ? "some" : "none", onward[2].length);
}

//--- left.cpp
#include <ikra/ikra.hpp>
struct City {
  int size = 1;
};
struct Fork {
  City* to[2];
};
struct Inner {
  City* to;
};
struct Outer {
  Inner in;
};
void sections(ikra::array<City*, 1> cities, ikra::array<Fork, 1> forks) {
  cities.pmap([](const City* city) { return city->size; });
  forks.pmap([](const Fork& fork) { return fork.to[0]->size; });
  // CHECK: left.cpp:[[@LINE-1]]:{{.*}} warning: 'pmap' over elements of type 'Fork': elements of sections are {{.*}}; hand over the objects themselves: ikra::objects(container) [ikra-section-element]
  cities.pmap([](City* city) { return Outer{{city}}; });
  // CHECK: left.cpp:[[@LINE-1]]:{{.*}} warning: section returns 'Outer': results of sections are {{.*}} [ikra-section-result]
}
