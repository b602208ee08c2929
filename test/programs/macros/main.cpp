// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections that stand in macros: in their text, in their arguments, in both; names, operators and
// shorthand in them; a macro that shows its argument's text too. Macros that have names of what
// ikrac writes, in the file and within its own text.
#include <cassert>
#include <cstdio>
#include <ikra/ikra.hpp>
#include <utility>
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

#define w 3
#define self 4
#define id 5
#define body 6
#define Self 7
#define element 8
#define code 9
#define columns_view(X) X
#define unit 11
#define tick 12
#define ticks 13
#define run(X) (X + 14)
#define base 15
#define columns 16
#define node_1 17
#define call 18
#define nodes 19
#define layout 20
#define session 21
#define host 23
#define device 24
#define noinline 25
#define window 26
#define index 27
#define named 28
#define later 29
#define kept 30
#define make_section 31
#define make_section_like 32
#define element_wise 33
#define compute_group 34
#define captures_in_order 35

namespace {

struct Cell {
  int value = 0;
  int next(int by) const { return value + by; }
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

template <class F> int each(const ikra::array<int>& a, F f) {
  const auto mapped = a.pmap([f](int x) { return f(x) + index; });
  return mapped.preduce([](int x, int y) { return x > y ? x : y; })[0];
}

/// Macros with the names of what emitted code is made of.
void names(const ikra::array<Cell*>& cells, const ikra::array<int>& a) {
  cells.peach(3, [=](Cell* c) { c->value = c->next(w) + self; });
  show("names", cells.pmap([](const Cell* c) { return c->next(id) * ticks; }));
  show("computed", (a * code + element).pmap([](int x) { return run(x) - columns; }));
  show("windows", a.pstencil({-1, 0, 1}, 0, [](const auto& v) { return v[-1] + v[1] * base; }));
  std::vector<int> v{w, self, id};
  show("in order", a.pmap([n = static_cast<int>(v.size()), v = std::move(v)](int x) {
    return v[static_cast<std::size_t>(x) % 3] + n + window;
  }));
  SHOW(each(a, [k = int(later)](int x) { return x * named + k; }));
  const auto sums = a.pmap([](int x) { return x + kept; });
  const auto more = a.pmap([](int x) { return x + device; });
  SHOW(sums.sum() + more.sum() * host);
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
  names(cells, a);
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
