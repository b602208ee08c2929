// owner_exchange: owners of objects are not exchanged in sections, since devices have IDs in their place; plain pointers are.
//
// RUN: split-file %s %t
// RUN: not %ikrac -o %t.cu %t/refused.cpp -- %ikra_flags 2>&1 | FileCheck %t/refused.cpp
// RUN: %ikrac -o %t.cu %t/accepted.cpp -- %ikra_flags 2>&1 | count 0

//--- refused.cpp
#include <ikra/ikra.hpp>
#include <memory>
#include <utility>
#include <vector>
struct Sledge {
  int load = 0;
};
struct Dog {
  std::unique_ptr<Sledge> now, next;
  std::shared_ptr<Sledge> shared, other;
};
void sections(std::vector<Dog>& dogs) {
  // CHECK: refused.cpp:[[@LINE+1]]:42: error: 'std::swap' gives objects other owners, which stay as they are in sections; exchange plain pointers that are kept beside them, or do it outside [ikra-owner-exchange]
  ikra::objects(dogs).peach([](Dog& d) { std::swap(d.now, d.next); });
  // CHECK: refused.cpp:[[@LINE+1]]:48: error: 'std::unique_ptr<Sledge>::swap' gives objects other owners{{.*}} [ikra-owner-exchange]
  ikra::objects(dogs).peach([](Dog& d) { d.now.swap(d.next); });
  // CHECK: refused.cpp:[[@LINE+1]]:42: error: 'std::swap' gives objects other owners{{.*}} [ikra-owner-exchange]
  ikra::objects(dogs).peach([](Dog& d) { swap(d.shared, d.other); });
}

//--- accepted.cpp
#include <ikra/ikra.hpp>
#include <memory>
#include <utility>
#include <vector>
struct Sledge {
  int load = 0;
};
struct Dog {
  std::unique_ptr<Sledge> first, second;
  Sledge *pulls = nullptr, *waits = nullptr;
};
void sections(std::vector<Dog>& dogs) {
  ikra::objects(dogs).peach([](Dog& d) { std::swap(d.pulls, d.waits); });
}
