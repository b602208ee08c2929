// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A section that tests its element for null gets columns that look for null, with all that it
// calls; another one gets plain columns, and null elements are refused before it runs.
//
// RUN: %ikrac --print=model %s -- %ikra_flags | FileCheck %s --check-prefix=MODEL
// RUN: %ikrac -o %t.ikra.cu %s -- %ikra_flags && %emitted %t.ikra.cu | FileCheck %s
#include <ikra/ikra.hpp>

#include <vector>

struct Wheel {
  int turns = 0;
  int total() const { return turns; }
};
struct Cart {
  Wheel* wheel = nullptr;
  int load = 0;
};

int main() {
  const ikra::array carts{std::vector<Cart*>(3, nullptr)};
  // MODEL: section main_0
  // MODEL: tests its element for null
  // MODEL-NEXT: checks what it dereferences
  // CHECK: main_0_info{{.*}}, ikra::rt::null_elements::passed}
  // CHECK: int Wheel_total(const checked_columns_view& w, ikra::object_id self)
  // CHECK: checked_columns_view w;
  // CHECK: return c.id != nullptr ? Wheel_total(w, w.Cart_wheel[c.id]) : 0;
  carts.pmap([](const Cart* c) { return c != nullptr ? c->wheel->total() : 0; }).to_vector();
  // MODEL: section main_1
  // MODEL-NOT: {{for null|checks what}}
  // MODEL: function main
  // CHECK: main_1_info
  // CHECK-NOT: passed
  // CHECK: namespace main_1_device
  // CHECK: {{^  }}columns_view w;
  carts.pmap([](const Cart* c) { return c->wheel->total(); }).to_vector();
  // CHECK: section_code<{{.*}}main_0>::run
  // CHECK: checked_columns_view(s.columns(), s.nulls())
  // CHECK: section_code<{{.*}}main_1>::run
  // CHECK: {columns_view(s.columns())}
}
