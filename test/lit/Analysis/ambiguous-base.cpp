// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A class may have a base once, public or not.
//
// RUN: split-file %s %t
// RUN: not %ikrac -o %t.cu %t/refused.cpp -- %ikra_flags 2>&1 | FileCheck %t/refused.cpp
// RUN: %ikrac -o %t.cu %t/accepted.cpp -- %ikra_flags 2>&1 | count 0

//--- refused.cpp
#include <ikra/ikra.hpp>

#include <vector>

struct Named {
  int id = 0;
};
struct Left : Named {
  virtual ~Left() = default;
};
struct Right : Named {
  int right = 0;
};
struct Both : Left, Right {
  // CHECK: refused.cpp:[[@LINE-1]]:8: error: class 'Both' has several bases 'Named': ikrac cannot tell their members apart; derive from 'Named' once, or hold it as a member [ikra-ambiguous-base]
};
Both one;
void sections(std::vector<Both*> objects) {
  ikra::array{objects}.peach([](Both* b) { b->right = b->Left::id; });
}
// CHECK: 1 error generated.

//--- accepted.cpp
#include <ikra/ikra.hpp>

#include <vector>

struct Named {
  int id = 0;
};
class Only : Named {
  IKRA_OBJECT
public:
  void next() { ++id; }
};
void sections(std::vector<Only*> objects) {
  ikra::array{objects}.peach([](Only* o) { o->next(); });
}
