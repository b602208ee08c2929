// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An index beside objects whose ticks read what other objects wrote: each tick is a launch.
//
// RUN: not %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | FileCheck %s
// RUN: %ikrac -o %t.cu %s -- %ikra_flags -DREPAIRED 2>&1 | count 0
#include <ikra/ikra.hpp>

#include <vector>

struct Cell {
  int value = 0;
  int place = 0;
  Cell* next = nullptr;
};

void step(std::vector<Cell>& store) {
#ifdef REPAIRED
  ikra::objects(store).peach(3, [](Cell* c) {
    c->value = c->next->value + c->place; // NOLINT(ikra-unshared-read)
  });
#else
  ikra::objects(store).with_index().peach(3, [](Cell* c, ikra::index<1> i) {
    // CHECK: index-and-ticks.cpp:[[@LINE-1]]:{{[0-9]+}}: error: with_index() over objects whose ticks read what others wrote ('value'): keep the index in a member, and use peach without with_index()
    c->value = c->next->value + static_cast<int>(i[0]);
  });
#endif
}
