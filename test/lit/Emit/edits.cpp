// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What takes the place of the program's own text, as a plan: calls with a section's tag for its
// code, captures after it, a loop that may run as turns and counts them where it does not, and a
// macro's expansion. All other text stays.
//
// RUN: %ikrac --print=edits %s -- %ikra_flags | FileCheck %s --strict-whitespace
#include <ikra/ikra.hpp>

#include <vector>

#define DOUBLED(array) array.pmap([](float x) { return 2 * x; })

struct car {
  car() = default;
  car(const car&) = delete;
  void drive(float by) { at += by; }
  float at = 0;
};

float run(ikra::array<float> a, const float factor, std::vector<car>& cars) {
  return ikra::host_section([&] {
    for (int t = 0; t < 100 && a.sum() > 1; ++t)
      a = a.pmap([factor](float x) { return x * factor; });
    ikra::objects(cars).peach([factor](car* c) { c->drive(factor); });
    return DOUBLED(a).sum();
  });
}

// CHECK: {{^}}edits.cpp:23:5: insert 'if (!::ikra::rt::turns<::ikra_unit_edits_{{[0-9a-f]+}}::turn_of_run>(a, factor)) '{{$}}
// CHECK-NEXT: {{^}}edits.cpp:23:5: insert '{ static const ::ikra::rt::numbered_loop ikra_turns_1_of(\"{{.*}}edits.cpp\", 23); ::ikra::rt::turn_counter ikra_turns_1(ikra_turns_1_of); '{{$}}
// CHECK-NEXT: {{^}}edits.cpp:23:38: insert '::ikra::make_section<::ikra_unit_edits_{{[0-9a-f]+}}::run_0, float(float, float)>()'{{$}}
// CHECK-NEXT: {{^}}edits.cpp:24:7: insert '{ ikra_turns_1.next(); '{{$}}
// CHECK-NEXT: {{^}}edits.cpp:24:18: '[factor](float x) { return x * factor; }' -> '::ikra::make_section<::ikra_unit_edits_{{[0-9a-f]+}}::run_1, float(float)>(factor)'{{$}}
// CHECK-NEXT: {{^}}edits.cpp:24:60: insert ' }'{{$}}
// CHECK-NEXT: {{^}}edits.cpp:24:60: insert ' }'{{$}}
// CHECK-NEXT: {{^}}edits.cpp:25:31: '[factor](car* c) { c->drive(factor); }' -> '::ikra::make_section_with_code<::ikra_unit_edits_{{[0-9a-f]+}}::run_2, void(::car *)>(::ikra::later{[&] { return [factor](car* c) { c->drive(factor); }; {{.*}}, factor)'{{$}}
// CHECK-NEXT: {{^}}edits.cpp:26:12: 'DOUBLED(a)' -> 'a .pmap(::ikra::make_section<::ikra_unit_edits_{{[0-9a-f]+}}::run_3, float(float)>())'{{$}}
// CHECK-NEXT: {{^}}edits.cpp:26:27: insert '::ikra::make_section<::ikra_unit_edits_{{[0-9a-f]+}}::run_4, float(float, float)>()'{{$}}
// CHECK-NOT: {{.}}
