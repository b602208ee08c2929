// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections that stand in macros: in their text, in their arguments, in both; names, operators and
// shorthand in them; a macro that shows its argument's text too.
#include <cassert>
#include <cstdio>
#include <ikra/ikra.hpp>
#include <vector>

#define FOR_ALL(OBJECTS, CODE) (OBJECTS).peach([=](Cell* c) { CODE; })
#define MAP(ARRAY, NAME, VALUE) (ARRAY).pmap([](int NAME) { return VALUE; })
#define SQUARE(X) ((X) * (X))
#define LIMIT 7
#define ADD_LIMIT [](int x) { return x + LIMIT; }
#define ADDING(K) [k = SQUARE(K)](int x) { return x + k; }
#define SHOW(VALUE) std::printf("%s: %d\n", #VALUE, static_cast<int>(VALUE))
#define PLUS +
#define BEGIN [](int x) {
#define BOTH(A, B) (A) + (B) * LIMIT

namespace {

struct Cell {
  int value = 0;
};

template <class T> T largest(const ikra::array<T>& a) {
#define LARGER [](T x, T y) { return x < y ? y : x; }
  return a.preduce(LARGER)[0];
}

int twice_counted = 0;
ikra::array<int> counted(const ikra::array<int>& a) {
  ++twice_counted;
  return a;
}

void show(const char* name, const ikra::array<int>& a) {
  std::printf("%s:", name);
  for (int x : a)
    std::printf(" %d", x);
  std::printf("\n");
}

} // namespace

int main() {
  std::vector<Cell> store(5);
  const auto cells = ikra::objects(store);
  const int k = 3;
  FOR_ALL(cells, c->value += k);
  FOR_ALL(cells, if (c->value == k) c->value = SQUARE(c->value) + LIMIT);
  SHOW(cells.pmap([](const Cell* c) { return c->value; }).sum());

  const ikra::array a{std::vector<int>{1, 2, 3}};
  show("squares", MAP(MAP(a, x, x * 2), y, SQUARE(y)));
  show("a section", a.pmap(ADD_LIMIT));
  show("what it captures", a.pmap(ADDING(k)));
  show("one end", a.pmap(BEGIN return x - 1;
}));
show("over lines", MAP(a, x,
                       // with a comment
                       x > 1 ? SQUARE(x) : -1));
show("operators", a PLUS a* LIMIT - LIMIT);
show("operators of a macro", BOTH(a, a));
SHOW(largest(a));
SHOW(a.count([](int x) { return x % 2 == 1; }) + a.sum());
SHOW(SQUARE(counted(a).pmap([](int x) { return x + 1; })[1]));
SHOW(twice_counted);
assert(a.preduce([](int x, int y) { return x + y; })[0] == 6);
}
