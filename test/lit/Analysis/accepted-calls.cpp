// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The counterparts of refused-calls.cpp: what the messages propose compiles without a word.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | count 0
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu | FileCheck %s
#include <ikra/ikra.hpp>

#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

enum class Fault { none, negative };

inline int elsewhere(int x) { return x + 1; }

inline int factorial(int n) {
  int product = 1;
  for (int k = 2; k <= n; ++k)
    product *= k;
  return product;
}

struct Cell {
  int value = 0;
  Fault fault = Fault::none;
  std::vector<int> list = std::vector<int>(3, 2);
  std::array<int, 4> name{};
  int told() const { return value; }
};

int main() {
  std::vector<Cell> store(3);
  auto cells = ikra::objects(store);
  cells.peach([](Cell* c) {
    c->value = elsewhere(c->value);
    c->value = factorial(c->value + 3);
    if (c->value < 0)
      c->fault = Fault::negative;
    c->name[1] = 'b';
    c->list[0] = static_cast<int>(std::sqrt(16.0)) + static_cast<int>(c->list.size());
  });
  // CHECK: 24 24 24
  for (int told : cells.pmap([](const Cell* c) { return c->told(); }))
    std::printf("%d ", told);
  // CHECK: 7 2 b 0
  std::printf("\n%d %d %c %d\n", store[2].list[0], store[2].list[1], store[2].name[1],
              static_cast<int>(store[2].fault));
  return 0;
}
