// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The counterparts of refused-captures.cpp and refused-writes.cpp.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | count 0
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu | FileCheck %s
#include <ikra/ikra.hpp>

#include <array>
#include <cstdio>
#include <memory>
#include <vector>

struct Cell {
  int value = 0;
};

struct Model {
  int factor = 2;
  ikra::array<int> scaled(const ikra::array<int>& input) {
    return input.pmap([f = factor](int x) { return x * f; });
  }
  void scale(const ikra::array<Cell*>& cells) {
    cells.peach([this](Cell* c) { c->value *= factor; });
  }
};

int main() {
  std::vector<Cell> store(2);
  auto cells = ikra::objects(store);
  const int k = 3;
  const std::vector<int> row{10, 20};
  const std::array<int, 2> fixed{100, 200};
  Cell other;
  other.value = 1000;
  auto owned = std::make_shared<Cell>(other);
  int total = 0;

  cells.peach([&](Cell* c) { c->value = k + row[0]; });
  cells.peach([=, &other](Cell* c) { c->value += fixed[1] + other.value; });
  cells.peach([to = &other](Cell* c) { ikra::atomic_add(to->value, c->value); });
  Model{}.scale(cells);
  // CHECK: 2426 2426 3426
  std::printf("%d %d %d\n", store[0].value, store[1].value, other.value);
  auto values = cells.pmap([k, owned](const Cell* c) { return c->value + k + owned->value; });
  for (int value : Model{}.scaled(values))
    total += value;
  // CHECK: 13716
  std::printf("%d\n", total);
  const auto doubled = [](int x) { return x * 2; };
  cells.peach([f = doubled](Cell* c) { c->value = f(c->value); });
  auto called = cells.pmap([f = [](int x) { return x + 1; }, g = [](auto x) { return x % 10; }](const Cell* c) { return f(g(c->value)); });
  // CHECK: 3 3
  std::printf("%d %d\n", called[0], called[1]);
  return 0;
}
