// host_section_left: a loop of a host section that waits for the device in each turn says why, and how often. Loops that
// wait for nothing, and those that are turns or sequences, say nothing.
//
// RUN: split-file %s %t
// RUN: %ikrac -o %t.cu %t/refused.cpp -- %ikra_flags 2>&1 | FileCheck %t/refused.cpp
// RUN: %ikrac --print=fusion %t/refused.cpp -- %ikra_flags 2>/dev/null | FileCheck %t/refused.cpp --check-prefix=PLAN
// RUN: %ikrac -o %t.cu %t/accepted.cpp -- %ikra_flags 2>&1 | count 0

//--- refused.cpp
#include <ikra/ikra.hpp>
#include <ranges>
#include <vector>

int step(int n);
struct state {
  ikra::array<int> now;
};
struct cell {
  int size = 0;
  void grow() { ++size; }
};
ikra::array<int> everywhere;

int loops(ikra::array<int> a, ikra::array<int>& other, ikra::array<int, 2> grid, ikra::array<cell*> cells, int n) {
  std::vector<int> all;
  ikra::array<int> b = a;
  state held{a};
  state* const s = &held;
  int* const count = &n;
  auto& same = n > 5 ? a : other;
  return ikra::host_section([&] {
    int total = 0;
    for (int k = 0; k < n; ++k) {
      a = a.pmap([](int x) { return x + 1; });
      total += k > 2 && a.size() > 7 && everywhere.sum() > 7;
      // CHECK: refused.cpp:[[@LINE-1]]:41: warning: this keeps the 'for' loop of a host section at line [[@LINE-3]] from running as turns, since 'everywhere' is no local variable: the host waits for the device 1 time in each turn [ikra-host-section-left]
    }
    while (a.sum() < n) {
      a = a.pmap([](int x) { return x + 1; });
      n = step(n);
      // CHECK: refused.cpp:[[@LINE-1]]:11: warning: {{.*}} 'while' {{.*}}, since it calls 'step', which is no function of numbers in the standard library
    }
    do {
      all.push_back(a.sum() + a.preduce(ikra::max)[0]);
      // CHECK: refused.cpp:[[@LINE-1]]:7: warning: {{.*}} 'do' {{.*}}, since {{.*}}: the host waits for the device 2 times in each turn
    } while (all.size() < 9);
    for (int k = 0; k < n; ++k) {
      s->now = s->now.pmap([](int x) { return x + 1; });
      // CHECK: refused.cpp:[[@LINE-1]]:7: warning: {{.*}}, since what it assigns is no variable, and no member of one (keep arrays in variables, or in a std::array)
      total += s->now.sum();
    }
    for (int k = 0; k < n; ++k) {
      same = a.pmap([k](int x) { return x + k; });
      // CHECK: refused.cpp:[[@LINE-1]]:7: warning: {{.*}}, since 'same' may be another variable's name (copy it into a variable before the loop, and back after)
      total += same.sum();
    }
    for (int k = 0; k < n; ++k) {
      a = a.pmap([k](int x) { return x / 2 + k; });
      total += a.sum() / int(a.empty());
      // CHECK: refused.cpp:[[@LINE-1]]:30: warning: {{.*}}, since 'empty' is asked of an array or its shape, which does not change here (ask it before the loop; size() and shape()[k] of a variable are known)
    }
    for (int k = 0; k < n; ++k) {
      total += grid.sum();
      a = a.reduce_by_index(n + k, a, 0, [](int x, int y) { return x + y; });
      // CHECK: refused.cpp:[[@LINE-1]]:11: warning: {{.*}}, since the shape of what 'reduce_by_index' gives is not given by numbers from before the loop
    }
    for (int k = 0; k < n; ++k) {
      b = a.pmap([all](int x) { return x + all[0]; });
      // CHECK: refused.cpp:[[@LINE-1]]:11: warning: {{.*}}, since its section captures 'all', a container (make an ikra::array of it before the loop)
      if (b.sum() > 7)
        return k;
    }
    for (int k = 0; k < n; ++k) {
      for (int m : all)
        // CHECK: refused.cpp:[[@LINE-1]]:7: warning: {{.*}}, since it goes through what is no list of numbers, and no array of a constant size in a variable (make a std::array, or an ikra::array, of it before the loop, and count its places)
        a = a.pmap([m](int x) { return x / 2 + m; });
      total += a.sum();
    }
    for (int k = 0; k < n; ++k) {
      switch (a.sum() % 4) {
      case 0 ... 2:
        // CHECK: refused.cpp:[[@LINE-1]]:7: warning: {{.*}}, since a label is a range
        total += 2;
      }
    }
    for (int k = 0; k < n; ++k) {
      if (a.sum() > 9)
        goto out;
      // CHECK: refused.cpp:[[@LINE-1]]:9: warning: {{.*}}, since it leaves the loop by a jump
    }
  out:;
    for (int k = 0; k < n; ++k)
      if (a.sum() > 9)
        ++total;
      else
        total += 2;
    // CHECK: refused.cpp:[[@LINE-5]]:5: warning: {{.*}}, since its body is an if with an else (put it in braces)
    for (int k = 0; k < n; ++k) {
      (k < 3 ? a : k < 5 ? b : a) = a.pmap([](int x) { return x + 1; });
      // CHECK: refused.cpp:[[@LINE-1]]:7: warning: {{.*}}, since it assigns to a choice of more than two variables, or of other arrays than variables and their members (write an if)
      total += b.sum();
    }
    for (int k = 0; k < n; ++k) {
      ((total += b.sum()) < 3 ? a : b) = a.pmap([](int x) { return x + 1; });
      // CHECK: refused.cpp:[[@LINE-1]]:8: warning: {{.*}}, since the choice of what it assigns changes something else (write an if)
      total += b.sum();
    }
    for (int k = 0; k < n; ++k) {
      (k % 2 == 0 ? total : n) += a.sum();
      // CHECK: refused.cpp:[[@LINE-1]]:8: warning: {{.*}}, since it changes one of two numbers, that a choice gives (write an if)
    }
    for (int k = 0; k < n; ++k) {
      *count += a.sum();
      // CHECK: refused.cpp:[[@LINE-1]]:7: warning: {{.*}}, since it changes what a pointer leads to (change a local variable, and copy that there after the loop)
    }
    for (int k = 0; k < n; ++k) {
      total += a.sum();
      std::swap(total, n);
      // CHECK: refused.cpp:[[@LINE-1]]:7: warning: {{.*}}, since it swaps numbers (set each to the other's, by a third variable)
    }
    for (int k = 0; k < n; ++k) {
      cells.peach(&cell::grow);
      // CHECK: refused.cpp:[[@LINE-1]]:7: warning: {{.*}}, since 'peach' is over objects, and a turn has arrays of values alone (keep what it changes in arrays); nor is it a sequence, since at line [[@LINE+1]] this is no peach over objects: the host waits for the device 2 times in each turn
      total += a.sum();
    }
    for (int k = 0; k < n; ++k) { // sections that are a sequence have one wait
      cells.peach(&cell::grow);
      // CHECK: refused.cpp:[[@LINE-1]]:7: warning: {{.*}} at line [[@LINE+3]] this is no peach over objects: the host waits for the device 2 times in each turn
      cells.peach(&cell::grow);
      cells.peach(&cell::grow);
      total += a.sum();
    }
    for (int k = 0; k < step(n); ++k) {
      cells.peach(&cell::grow);
      // CHECK: refused.cpp:[[@LINE-1]]:7: warning: {{.*}} (keep what it changes in arrays); nor is it a sequence, since at line [[@LINE-2]] 'step(n)' may change in the loop, or is more than a sum of numbers: write 'const auto n = step(n);' before: the host waits for the device 1 time in each turn
    }
    for (int k = 0; k < n; ++k) {
      for (int m = 0; m < k; ++m)
        cells.peach(&cell::grow);
      // CHECK: refused.cpp:[[@LINE-1]]:9: warning: {{.*}} at line [[@LINE-3]] from {{.*}} (keep what it changes in arrays): the host waits for the device 1 time in each turn
    }
    for (int k = 0; k < n; ++k) {
      ikra::array<int> c = a.pcombine(b, [](int x, int y) { return x - y; });
      if (total % 2 == 0)
        a = std::move(b);
      // CHECK: refused.cpp:[[@LINE-1]]:13: warning: {{.*}}, since it moves 'b' in a part of the turn, or in a loop within it (write 'b' alone: a copy shares its elements; or use std::swap)
      else
        a = c;
      b = std::move(c);
      total += b.sum();
    }
    for (int k = 0; k < n; ++k) {
      // CHECK: refused.cpp:[[@LINE-1]]:5: warning: {{.*}}, since 'b' has been moved when the next turn begins, and that does not set it first (write 'b' alone: a copy shares its elements)
      if (total > 0)
        b = a.pmap([](int x) { return x + 1; });
      else
        b = a;
      total += b.sum();
      a = std::move(b);
    }
    for (int k = 0; k < n; ++k) {
      // CHECK: refused.cpp:[[@LINE-1]]:5: warning: {{.*}}, since 'b' has been moved, and only a part of the turn sets it
      b = a.pmap([](int x) { return x + 2; });
      total += b.sum();
      a = std::move(b);
      if (total % 2 == 0)
        b = a;
    }
    for (const int k : std::views::iota(0)) {
      // CHECK: refused.cpp:[[@LINE-1]]:5: warning: {{.*}}, since it goes through what is no list of numbers
      if (a.sum() == k)
        break;
    }
    for (int k = 0; k < n; ++k) {
      a = a.pmap([n](int x) { return x < 9 ? x : 7 / n; });
      // CHECK: refused.cpp:[[@LINE-1]]:50: warning: {{.*}}, since the results of 'pmap' at line [[@LINE-1]] may only be computed where the program asks for them, as the section divides by an integer that is no constant
      total += b.sum();
    }
    return total;
  });
}
// PLAN: no turn at line 24: for, since 'everywhere' is no local variable; the host waits 1 time a turn
// PLAN-NEXT: no turn at line 29: while, since


class counted {
public:
  ikra::array<int> values;
  int total() const { return values.sum(); }

private:
  int unseen = 0;
};
struct counter : counted {
  void until(int n) {
    ikra::host_section([&] {
      while (total() < n)
        // CHECK: refused.cpp:[[@LINE-1]]:14: warning: {{.*}}, since 'total', which it calls, is a method of a base class, of which a field is private or hidden (make its fields protected)
        values = values.pmap([](int x) { return x + 1; });
    });
  }
};
template <class Step> int steps(ikra::array<int> u, Step step) {
  int total = 0;
  ikra::host_section([&] {
    while (total < 100) {
      u = step(u);
      // CHECK: refused.cpp:[[@LINE-1]]:11: warning: {{.*}}, since the lambda that it calls is given to this function, and captures variables (give these as arguments, or let it capture none)
      total += u.sum();
    }
  });
  return total;
}
int captured(const ikra::array<int>& u, int by) {
  return steps(u, [by](const ikra::array<int>& of) { return of.pmap([by](int x) { return x + by; }); });
}
ikra::array<int> season(const ikra::array<int>& a, int year, int next) {
  if (year > next)
    return a;
  return a.pmap([year](int x) { return x + year; });
}
int seasons(ikra::array<int> a, int year) {
  return ikra::host_section([&] {
    int total = 0;
    while (total < 100) {
      a = season(a, year++, year);
      // CHECK: refused.cpp:[[@LINE-1]]:21: warning: {{.*}}, since this argument changes 'year', which another one names (change it before, or after)
      total += a.sum();
    }
    while (total < 200) {
      a = season(a, year, 1);
      // CHECK: refused.cpp:[[@LINE-1]]:11: warning: {{.*}}, since 'season', which it calls, returns arrays before its end (give it one return, as its last statement)
      total += a.sum();
    }
    return total;
  });
}

//--- accepted.cpp
#include <ikra/ikra.hpp>
struct cell {
  int size = 0;
  void grow() { ++size; }
  void shrink() { size /= 2; }
};
void steps(const ikra::array<cell*>& cells, int n) {
  ikra::host_section([&] {
    for (int k = 0; k < n; ++k) { // a sequence
      cells.peach(&cell::grow);
      cells.peach(&cell::shrink);
    }
    for (int k = 0; k < n; ++k)
      cells.peach([k](cell* c) { c->size += k; });
    int t = 0;
    while (t < n) {
      cells.peach(&cell::grow);
      ++t;
    }
  });
}
int loops(ikra::array<int> a, int n) {
  return ikra::host_section([&] {
    for (int k = 0; k < n; ++k) // computed when it is read
      a = a.pmap([k](int x) { return x + k; });
    while (a.sum() < n) {
      a = a.pmap([](int x) { return x + 1; });
    }
    const ikra::array<int> b = a.pmap([](int x) { return x + 2; });
    int total = 0;
    for (int k = 0; k < n; ++k) { // offsets are constants, so the stencil never fails
      a = a.pstencil({-1, 1}, 0, [](auto v) { return v[-1] + v[1]; });
      total += b.sum();
    }
    for (int at = 0; at < n; at = b[at]) // the host has it after the first read
      ++total;
    ikra::array<int> before = b;
    for (int k = 0; k < n; ++k) { // three buffers in a ring
      ikra::array<int> next = a.pcombine(before, [](int x, int y) { return x - y; });
      before = a;
      a = std::move(next);
      total += a.sum();
    }
    for (int k = 0; k < n; ++k) {
      ikra::array<int> next = a.pcombine(before, [](int x, int y) { return x - y; });
      std::swap(before, a);
      a = std::move(next);
      total += a.sum();
    }
    return a[0] + total;
  });
}
