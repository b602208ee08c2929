// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What leaves one operation to the plain library, with a warning, is an error where another may not be left.
//
// RUN: not %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | FileCheck %s
#include <ikra/ikra.hpp>

#include <vector>

struct Cell {
  int value = 1;
};
#define HIDDEN                                                                                                                   \
  class Hidden {                                                                                                                 \
  public:                                                                                                                        \
    int get() const { return value_; }                                                                                           \
                                                                                                                                 \
  private:                                                                                                                       \
    int value_ = 1;                                                                                                              \
  };
HIDDEN

int main() {
  std::vector<Cell> store(3);
  ikra::array hidden{std::vector<Hidden>(2)};
  auto numbers = hidden.pmap([](Hidden h) { return h.get(); });
  const Hidden one;
  ikra::objects(store).peach([one](Cell* c) { c->value = one.get(); });
  return numbers[0] - store[0].value;
}
// CHECK: left-then-refused.cpp:21:{{[0-9]+}}: warning: 'value_' is not public
// CHECK: left-then-refused.cpp:21:{{[0-9]+}}: error: 'value_' is not public
