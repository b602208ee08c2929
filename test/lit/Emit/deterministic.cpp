// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same input gives the same file, byte for byte, on standard output too.
//
// RUN: mkdir -p %t.first %t.second
// RUN: %ikrac -o %t.first/out.cu %s -- %ikra_flags
// RUN: %ikrac -o %t.second/out.cu %s -- %ikra_flags
// RUN: grep -v '^#line [0-9]* ".*out.cu"' %t.first/out.cu > %t.first/text
// RUN: grep -v '^#line [0-9]* ".*out.cu"' %t.second/out.cu > %t.second/text
// RUN: diff %t.first/text %t.second/text
// RUN: %ikrac -o %t.first/out.cu %s -- %ikra_flags
// RUN: cp %t.first/out.cu %t.kept && %ikrac -o %t.first/out.cu %s -- %ikra_flags && diff %t.kept %t.first/out.cu
#include <ikra/ikra.hpp>

#include <vector>

struct Base {
  int value = 0;
  virtual ~Base() = default;
  virtual int get() const { return value; }
};
struct First : Base {
  int more = 1;
  int get() const override { return value + more; }
};
struct Second : First {
  Base* next = nullptr;
  int get() const override { return next ? next->value : more; }
};

auto sections(ikra::array<Base*> all, int a, int b) {
  First first;
  Second second;
  second.next = &first;
  all.peach(2, [a, b](Base* x) { x->value += x->get() * a + b; });
  return all.pmap([](const Base* x) { return x->get(); }).pmap([b](int x) { return x + b; });
}
