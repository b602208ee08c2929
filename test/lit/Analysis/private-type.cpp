// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A class that only its surrounding class may name: refused where ikrac cannot write IKRA_OBJECT into that one, here for its
// linkage.
//
// RUN: split-file %s %t
// RUN: not %ikrac -o %t.cu %t/refused.cpp -- %ikra_flags 2>&1 | FileCheck %t/refused.cpp
// RUN: %ikrac -o %t.cu %t/result.cpp -- %ikra_flags 2>&1 | FileCheck %t/result.cpp
// RUN: %ikrac -o %t.cu %t/accepted.cpp -- %ikra_flags 2>&1 | count 0
// RUN: %emitted %t.cu | FileCheck %t/accepted.cpp --check-prefix=EMIT

//--- refused.cpp
#include <ikra/ikra.hpp>

#include <vector>

extern "C" {
class Outer {
  struct Inner {
    // CHECK: refused.cpp:[[@LINE-1]]:{{[0-9]+}}: error: class 'Outer::Inner' is not public in 'Outer', and objects of it are used in a section: write IKRA_OBJECT into the body of 'Outer', so that ikrac's code may name it [ikra-private-class]
    int value = 0;
  };

public:
  int outer = 0;
  static void run(std::vector<Outer>& store) {
    ikra::objects(store).peach([](Outer* o) { o->outer = 1; });
    std::vector<Inner> inner(2);
    ikra::objects(inner).peach([](Inner* i) { i->value = 4; });
  }
};
}
// CHECK: 1 error generated.

//--- result.cpp
#include <ikra/ikra.hpp>

#include <vector>

class Lamp {
  enum class State { off, on };
  State state_ = State::off;
  IKRA_OBJECT
public:
  State state() const { return state_; }
  friend int befriended(const std::vector<Lamp*>& lamps);
  static int inside(const std::vector<Lamp*>& lamps) {
    return static_cast<int>(ikra::array{lamps}.pmap([](const Lamp* l) { return l->state(); })[0]);
  }
};
int befriended(const std::vector<Lamp*>& lamps) {
  return static_cast<int>(ikra::array{lamps}.pmap([](const Lamp* l) { return l->state(); })[0]);
}
int outside(const std::vector<Lamp*>& lamps) {
  // CHECK: result.cpp:[[@LINE+1]]:{{[0-9]+}}: warning: section returns '{{.*}}State', which is not public where the section stands: return a number, or move the operation into a member function that may name it [ikra-hidden-result]
  return static_cast<int>(ikra::array{lamps}.pmap([](const Lamp* l) { return l->state(); })[0]);
}
// CHECK: 2 warnings generated.

//--- accepted.cpp
#include <ikra/ikra.hpp>

#include <vector>

class Outer {
  class Inner {
    IKRA_OBJECT
    struct Part {
      int value = 0;
    };
    Part* part_ = nullptr;

  public:
    void set() { part_->value = 4; }
  };

public:
  static void run() {
    std::vector<Inner> inner(2);
    ikra::objects(inner).peach([](Inner* i) { i->set(); });
  }
};
// EMIT: class Outer { IKRA_OBJECT{{$}}
// EMIT-NEXT: class Inner {{{$}}
// EMIT: template <> struct ikra::object_access<[[UNIT:.*]], ::Outer> {
// EMIT-NEXT: using Inner = ::Outer::Inner;
// EMIT: template <> struct ikra::object_access<[[UNIT]], ikra::object_access<[[UNIT]], ::Outer>::Inner> {
// EMIT-NEXT: using Part =
// EMIT: struct Inner_class : ikra::rt::concrete_class<{{[0-9]}}, ikra::object_access<unit, ::Outer>::Inner> {};
