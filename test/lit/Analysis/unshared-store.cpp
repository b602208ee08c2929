// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// unshared_store: each element stores a value of its own at one place. Nothing is said of equal values, of other objects' places, and where few elements may store.
//
// RUN: split-file %s %t
// RUN: %ikrac -o %t.cu %t/warned.cpp -- %ikra_flags 2>&1 | FileCheck %t/warned.cpp
// RUN: %ikrac -o %t.cu %t/accepted.cpp -- %ikra_flags 2>&1 | count 0

//--- warned.cpp
#include <ikra/ikra.hpp>
#include <vector>
struct Town {
  int last = 0;
  int counts[2] = {};
  void note(int number) { last = number; }
  // CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: each element may store a value of its own in 'Town::last' of one object: which of them stays is not known; write a member of the element and reduce these, or use std::atomic_ref or ikra::atomic_max; if one element alone stores a value, say so by // NOLINT(ikra-unshared-store) [ikra-unshared-store]
  // CHECK-DAG: warned.cpp:[[@LINE+6]]:{{[0-9]+}}: note: called here
};
struct House {
  int number = 0;
};
void sections(std::vector<House>& houses, Town& town, int first) {
  ikra::objects(houses).peach([&town](House* h) { town.note(h->number); });
  ikra::objects(houses).peach([&town, first](House* h) { town.counts[first] = h->number; });
  // CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: each element may store a value of its own in 'Town::counts'
  ikra::objects(houses).with_index().peach([to = &town](House*, std::int64_t i) { to->counts[1] = int(i); });
  // CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: each element may store a value of its own in 'Town::counts'
}
// CHECK: 3 warnings generated.

//--- accepted.cpp
#include <ikra/ikra.hpp>
#include <vector>
struct Town {
  bool is_found = false;
  int last = 0;
  int counts[8] = {};
};
struct House {
  int number = 0;
  Town* town = nullptr;
};
void sections(std::vector<House>& houses, Town& town, int first) {
  ikra::objects(houses).peach([&town, first](House* h) {
    town.is_found = true;
    town.last = first;
    if (h->number == first)
      town.last = h->number;
    town.counts[h->number] = h->number;
    h->town->last = h->number;
    town.last = h->number; // NOLINT(ikra-unshared-store)
  });
}
