// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns stop for the host by a condition that follows from ++t before it: that is done ahead, on a copy. The message names the
// rule that an if breaks.
//
// RUN: %ikrac --print=fusion %s -- %ikra_flags 2> %t.left | FileCheck %s
// RUN: FileCheck %s --check-prefix=LEFT --input-file=%t.left
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2> /dev/null
// RUN: FileCheck %s --check-prefix=CODE --input-file=%t.cu
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu > %t.turns && env IKRA_TURNS=off %t.cpu | diff %t.turns -
// RUN: %build_plain %s -o %t.plain && %t.plain | diff %t.turns -
#include <ikra/ikra.hpp>

#include <cstdio>

static void note(const char* what, int x) {
  std::printf("%s %d\n", what, x);
}

int ahead(ikra::array<int> a, int each, int m) {
  int s = 0, t = 0;
  unsigned u = 1;
  ikra::host_section([&] {
    // CHECK: turn turn_of_ahead at line [[@LINE+2]]: while
    // CHECK: stops before each turn in which the host acts
    while (t < 20) {
      // CODE: if (bool ikra_ended = false; ![&, t = t, u = u]() mutable -> bool { ++t; u = u * 3 + t; return t % each == 0 || u % 5 == 0; }() && 
      a = a + 1;
      ++t;
      s += a.sum();
      u = u * 3 + t;
      if (t % each == 0 || u % 5 == 0)
        note("sum", s);
    }
    for (int k = 0; k < 5; ++k) {
      a = a + 1;
      s += a.sum();
      if (s % 2 == 0)
        note("even", s);
      // LEFT: turns-ahead.cpp:[[@LINE-1]]:{{.*}} since the parameter 'what' of 'note' is no number{{.*}}; nor may turns stop before the if at line [[@LINE-2]] for the host, since its condition follows from 's', which the turn sets before it (test that before, or what counts the turns)
    }
    for (int k = 0; k < 5; ++k) {
      a = a + 1;
      s += a.sum();
      if (k == 2)
        note("two", s);
      else
        ++s;
      // LEFT: turns-ahead.cpp:[[@LINE-3]]:{{.*}} for the host, since it has an else (write a second if)
    }
    // What an earlier break keeps from dividing by zero is not asked ahead of the turn.
    for (int k = 0; k < 9; ++k) {
      a = a + 1;
      s += a.sum();
      if (m == 0)
        break;
      if (k % m == 0)
        note("divided", s);
      // LEFT: turns-ahead.cpp:[[@LINE-1]]:{{.*}} for the host, since its condition divides where the turn may have been left (put the if before that)
      if (k == 4)
        m = 0;
    }
  });
  return s;
}

int main() {
  std::printf("%d\n", ahead(ikra::pnew(9, [](std::int64_t i) { return static_cast<int>(i); }), 6, 2));
}
