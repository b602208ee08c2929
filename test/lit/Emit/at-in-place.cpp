// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections whose at(), value() or get() may fail run on the objects as they are, but in checked builds, where only emitted
// code names the use that failed.
//
// RUN: %ikrac --print=model %s -- %ikra_flags | FileCheck %s
// RUN: %ikrac --check --print=model %s -- %ikra_flags | FileCheck %s --check-prefix=CHECKED
// RUN: %ikrac -o %t.ikra.cu %s -- %ikra_flags
// RUN: FileCheck %s --check-prefix=EMITTED --input-file=%t.ikra.cu
#include <ikra/ikra.hpp>
#include <optional>
#include <variant>
#include <vector>

struct Limit {
  int price = 0;
};
struct Order {
  std::variant<Limit, float> kind;
  std::optional<int> parent;
  std::vector<int> fills;
  int left = 0;
};

void trade(std::vector<Order>& orders) {
  ikra::objects(orders).peach([](Order* o) {
    if (std::holds_alternative<Limit>(o->kind))
      o->left += std::get<Limit>(o->kind).price;
  });
  // CHECK: section trade_0
  // CHECK: checks indices given to at()
  // CHECK-NEXT: may run in place: {{[0-9]+}} operations
  // EMITTED: s.runs_in_place(call
  const auto parents = ikra::objects(orders).pmap([](const Order* o) { return o->parent.value() + o->fills.at(1); });
  // CHECK: section trade_1
  // CHECK: checks indices given to at()
  // CHECK-NEXT: may run in place: {{[0-9]+}} operations
  // EMITTED: s.runs_in_place(call
  // CHECKED-NOT: may run in place
}
