// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Captured values do not change, and only peach writes to objects. accepted-captures.cpp is the
// counterpart.
//
// RUN: split-file %s %t
// RUN: not %ikrac -o %t.cu %t/captured.cpp -- %ikra_flags 2>&1 | FileCheck %t/captured.cpp
// RUN: not %ikrac -o %t.cu %t/lazy.cpp -- %ikra_flags 2>&1 | FileCheck %t/lazy.cpp

//--- captured.cpp
#include <ikra/ikra.hpp>
#include <vector>
struct Cell {
  int value = 0;
};
void sections(std::vector<Cell>& store, std::vector<int>& seen) {
  int sum = 0;
  ikra::objects(store).peach([&](Cell* c) {
    sum += c->value;
    // CHECK: captured.cpp:[[@LINE-1]]:{{[0-9]+}}: error: 'sum' is captured; a section may not write captured values
    seen[0] = c->value;
    // CHECK: captured.cpp:[[@LINE-1]]:{{[0-9]+}}: error: 'seen' is captured; a section may not write captured values
    ikra::atomic_add(sum, 1);
    // CHECK: captured.cpp:[[@LINE-1]]:{{[0-9]+}}: error: 'sum' is captured; a section may not write captured values
    ++sum;
    // CHECK: captured.cpp:[[@LINE-1]]:{{[0-9]+}}: error: 'sum' is captured; a section may not write captured values
  });
}
// CHECK: 4 errors generated.

//--- lazy.cpp
#include <ikra/ikra.hpp>
#include <vector>
struct Cell {
  int value = 0;
  int grow() { return ++value; }
};
void sections(std::vector<Cell>& store) {
  ikra::objects(store).pmap([](Cell* c) { return c->value = 2; });
  // CHECK: lazy.cpp:[[@LINE-1]]:{{[0-9]+}}: error: a section of 'pmap' may not write to objects; use peach
  // CHECK: lazy.cpp:4:7: note: 'value' is declared here
  ikra::objects(store).pmap([](Cell* c) { return c->grow(); });
  // CHECK: lazy.cpp:[[@LINE-1]]:{{[0-9]+}}: error: a section of 'pmap' may not write to objects; use peach
  ikra::objects(store).pmap([](Cell* c) { return ikra::atomic_add(c->value, 1); });
  // CHECK: lazy.cpp:[[@LINE-1]]:{{[0-9]+}}: error: a section of 'pmap' may not write to objects; use peach
}
// CHECK: 3 errors generated.
