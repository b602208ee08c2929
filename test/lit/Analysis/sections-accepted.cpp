// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The counterparts of sections-refused.cpp: lambdas, generic ones too, named functions, function objects without members.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | count 0
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu | FileCheck %s
#include <ikra/ikra.hpp>

#include <cstdio>
#include <vector>

inline int visible(int x) { return x + 1; }
struct Cell {
  int value = 0;
};
struct Doubler {
  int operator()(int x) const { return 2 * x; }
};

int main() {
  std::vector<Cell> store(2);
  ikra::array numbers{std::vector<int>{1, 2}};
  const auto stateless = [](int x) { return x - 1; };
  const int k = 100;
  auto chain = numbers.pmap(visible)
                   .pmap(&visible)
                   .pmap(Doubler{})
                   .pmap(stateless)
                   .pmap([k](auto x) { return x + k; });
  // CHECK: 105 107
  std::printf("%d %d\n", chain[0], chain[1]);
  ikra::objects(store).peach([](auto* c) { c->value = 3; });
  // CHECK: 3 3
  std::printf("%d %d\n", store[0].value, store[1].value);
  return 0;
}
