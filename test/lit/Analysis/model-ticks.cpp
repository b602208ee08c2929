// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How ticks run: in the thread, with members in registers, or one launch each, and why.
//
// RUN: %ikrac --print=model %s -- %ikra_flags | FileCheck %s
#include <ikra/ikra.hpp>

#include <vector>

struct Cell {
  int value = 0;
  int seen = 0;
  int rare = 0;
  int count = 0;
  Cell* next = nullptr;
  void grow() { value += 1; }
};
inline void reset(Cell* c) { c->seen = 0; }

void sections(std::vector<Cell>& store, int k) {
  auto cells = ikra::objects(store);
  cells.peach(10, [k](Cell* c) {
  // CHECK: section sections_0 at model-ticks.cpp:[[@LINE-1]]:
  // CHECK-NEXT: captures: k (int)
  // CHECK-NEXT: reads own: Cell::value
  // CHECK-NEXT: writes own: Cell::value, Cell::rare, Cell::seen
  // CHECK-NEXT: ticks: loop in the thread{{$}}
  // What only some ticks write is no register.
  // CHECK-NEXT: in registers for Cell: Cell::value, Cell::seen{{$}}
  // CHECK-NEXT: every run writes for Cell: Cell::value, Cell::seen{{$}}
    c->grow();
    reset(c);
    if (c->value > k)
      c->rare = 1;
  });
  cells.peach(10, [](Cell* c) { c->value = c->next->value; });
  // CHECK: section sections_1 at model-ticks.cpp:[[@LINE-1]]:
  // CHECK: ticks: one launch each, since elements read Cell::value of others, which is written
  // CHECK-NOT: registers
  cells.peach(10, [](Cell* c) { c->next->seen = c->value; });
  // CHECK: section sections_2 at model-ticks.cpp:[[@LINE-1]]:
  // CHECK: writes: Cell::seen
  // In two ticks, two elements may write to one object.
  // CHECK-NEXT: ticks: one launch each, since elements write Cell::seen of others{{$}}
  // CHECK-NOT: registers
  cells.peach([](Cell* c) { c->next->seen = c->value; });
  // CHECK: section sections_3 at model-ticks.cpp:[[@LINE-1]]:
  // CHECK: writes: Cell::seen
  // CHECK-NEXT: ticks: loop in the thread
  // What is only read is loaded once too.
  // CHECK-NEXT: in registers for Cell: Cell::value, Cell::next{{$}}
  cells.peach(10, [](Cell* c) { c->seen = c->next->value; });
  // CHECK: section sections_4 at model-ticks.cpp:[[@LINE-1]]:
  // CHECK: ticks: loop in the thread
  // CHECK-NEXT: in registers for Cell: Cell::next, Cell::seen{{$}}
  // CHECK-NEXT: every run writes for Cell: Cell::seen{{$}}
  cells.peach(10, [](Cell* c) { ikra::atomic_add(c->next->count, 1); });
  // CHECK: section sections_5 at model-ticks.cpp:[[@LINE-1]]:
  // CHECK: atomic: Cell::count
  // CHECK-NEXT: ticks: loop in the thread
  cells.peach(10, [](Cell* c) {
    ikra::atomic_add(c->next->count, 1);
    c->value = c->count;
    // CHECK: section sections_6
    // CHECK: atomic: Cell::count
    // CHECK-NEXT: ticks: one launch each, since elements read Cell::count of others, which is written
  });
  cells.peach(10, [](Cell* c) {
    if (c != nullptr)
    // CHECK: section sections_7
    // CHECK: ticks: loop in the thread
    // CHECK-NOT: registers
    // CHECK: tests its element for null
      c->value += 1;
  });
}

// CHECK: function Cell::grow (element in place this)
// CHECK: function reset (element in place 1)
// CHECK-NEXT: writes own: Cell::seen
