// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Macros may have the names that emitted code uses: those that would hide one are put aside where
// such text stands, and no others.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags -Dunit=6 -DNDEBUG=1 2>&1 | count 0
// RUN: %emitted %t.cu | FileCheck %s --implicit-check-not="#undef"
// RUN: %own_build_cpu -Dunit=6 %t.cu -o %t.cpu && %t.cpu

// CHECK: #pragma push_macro("unit")
// CHECK-NEXT: #undef unit
// CHECK: struct unit;
// CHECK: #pragma pop_macro("unit")
// CHECK: #line 1 "{{.*}}macro-names.cpp"
#include <ikra/ikra.hpp>

#include <vector>

#define self 4
#define body(X) (X)
#define unused_here 5
#define tick 6
#undef tick
// CHECK: #undef tick
#define later 7
#define make_section() 3

struct Cell {
  int value = 1;
  int twice() const { return 2 * value; }
};

int main() {
  std::vector<Cell> cells(4);
  // CHECK: ikra::objects(cells).peach(::ikra::make_section_with_code<::[[UNIT:ikra_unit_.*]]::main_0, void(::Cell *)>(
  // CHECK-NEXT: #pragma push_macro("later")
  // CHECK-NEXT: #undef later
  // CHECK-NEXT: ::ikra::later
  // CHECK-NEXT: #pragma pop_macro("later")
  // CHECK-NEXT: {[&] { return [](Cell* c) { c->value += c->twice() + body(self); }; }})
  // CHECK-NEXT: #line [[#]] "{{.*}}macro-names.cpp"
  // CHECK-NEXT: );
  ikra::objects(cells).peach([](Cell* c) { c->value += c->twice() + body(self); });
  // CHECK: auto values = ikra::array{std::vector<int>(1, cells[0].value)}.pmap(
  // CHECK-NEXT: #pragma push_macro("make_section")
  // CHECK-NEXT: #undef make_section
  // CHECK-NEXT: ::ikra::make_section<::[[UNIT]]::main_1, int(int)>
  // CHECK-NEXT: #pragma pop_macro("make_section")
  // CHECK-NEXT: ()
  // CHECK-NEXT: #line [[#]] "{{.*}}macro-names.cpp"
  // CHECK-NEXT: );
  auto values = ikra::array{std::vector<int>(1, cells[0].value)}.pmap([](int value) { return value; });
  // CHECK: return values[0] == 3 + self && later + make_section() == 10 ? 0 : 1;
  return values[0] == 3 + self && later + make_section() == 10 ? 0 : 1;
}

// CHECK: //===-- macros that would hide names used below {{-*}}===//
// CHECK-NEXT: #undef body
// CHECK-NEXT: #undef self
// CHECK-NEXT: #undef unit
// CHECK-EMPTY:
// CHECK: Cell_twice(const columns_view& w, Self& self)
// CHECK: c.value += Cell_twice(w, c) + (4);
