// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The counterparts of body-forms.cpp.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | count 0
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu | FileCheck %s
#include <ikra/ikra.hpp>

#include <cstdio>
#include <vector>

constexpr int fixed = 5;

struct Cell {
  int value = 0;
  Cell* next = nullptr;
  virtual ~Cell() = default;
  virtual bool is_big() const { return false; }
};
struct Big : Cell {
  bool is_big() const override { return true; }
};
inline int twice(int x) { return 2 * x; }
inline void add(int& to, int what) { to += what; }

int main() {
  Cell small;
  Big big;
  small.next = &big;
  int changing = 7;
  ikra::array<Cell*> cells{std::vector<Cell*>{&small, &big}};
  cells.peach([changing](Cell* c) {
    static constexpr int step = 3;
    for (int k = 0; k < 4; ++k) {
      if (k == 2)
        break;
      c->value += step;
    }
    int local = fixed;
    add(local, changing);
    int table[2] = {1, twice(local)};
    c->value += table[1] + (c->is_big() ? 100 : 0) + (c->next != nullptr);
    Cell* next = c->next;
    while (next) {
      c->value += next == c;
      next = next->next;
    }
  });
  // CHECK: 31 130
  std::printf("%d %d\n", small.value, big.value);
  return 0;
}
