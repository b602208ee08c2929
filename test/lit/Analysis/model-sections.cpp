// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections: where they stand, over what, with which captures and which input; generic lambdas and named functions.
//
// RUN: %ikrac --print=model %s -- %ikra_flags | FileCheck %s
#include <ikra/ikra.hpp>

#include <vector>

enum class Mode { slow, fast };
struct Cell {
  float value = 0;
  Cell* next = nullptr;
};
inline float half(float x) { return x / 2; }

void named(std::vector<Cell>& store, std::vector<int> row, Mode mode, Cell& other) {
  auto cells = ikra::objects(store);
  auto values = cells.pmap([](const Cell* c) { return c->value; });
  // CHECK: section named_0 at model-sections.cpp:[[@LINE-1]]:{{[0-9]+}}: pmap over object of Cell gives float{{$}}
  // CHECK-NEXT: reads own: Cell::value
  // CHECK-NEXT: may run in place
  auto halves = values.pmap(half);
  // CHECK-NEXT: section named_1 at model-sections.cpp:[[@LINE-1]]:{{[0-9]+}}: pmap over float gives float{{$}}
  // CHECK-NEXT: input: named_0
  halves.pmap([row, mode](auto x) { return mode == Mode::fast ? x : static_cast<float>(row[0]); });
  // CHECK-NEXT: section named_2 at model-sections.cpp:[[@LINE-1]]:{{[0-9]+}}: pmap over float gives float{{$}}
  // CHECK-NEXT: captures: row (list of int), mode (::Mode)
  // CHECK-NEXT: input: named_1
  values.with_index().pmap([](float x, ikra::index<1> i) { return x + static_cast<float>(i[0]); });
  // CHECK-NEXT: section named_3 at model-sections.cpp:[[@LINE-1]]:{{[0-9]+}}: pmap over float with index gives float
  cells.peach([to = &other](Cell* c) { c->next = to; });
  // CHECK: section named_4 at model-sections.cpp:[[@LINE-1]]:{{[0-9]+}}: peach over object of Cell{{$}}
  // CHECK-NEXT: captures: to (object of Cell)
  // CHECK-NEXT: writes own: Cell::next
}
struct Runner {
  int k = 1;
  void run(const ikra::array<int>& numbers) {
    numbers.preduce([](int a, int b) { return a + b; });
    // CHECK: section Runner_run_5 at model-sections.cpp:[[@LINE-1]]:{{[0-9]+}}: preduce over int gives int
    numbers.pselect([](int a) { return a > 0; });
    // CHECK: section Runner_run_6 at model-sections.cpp:[[@LINE-1]]:{{[0-9]+}}: pselect over int gives int
  }
};

// CHECK: function half at
// CHECK: operator()<float> at
