// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The error of a section says in which turn of a loop the program made it. Variables are as after
// the turn before, as in the plain build, whose messages have no turn.
//
// RUN: %build_plain %s -o %t.plain && %t.plain | FileCheck %s --check-prefixes=CHECK,PLAIN --implicit-check-not=" turn "
// RUN: %ikrac -o %t.cu %s -- %ikra_flags
// RUN: %build_cpu %t.cu -o %t.cpu
// RUN: %t.cpu | FileCheck %s --check-prefixes=CHECK,TURN
// RUN: env IKRA_FUSION=off %t.cpu | FileCheck %s --check-prefixes=CHECK,TURN
// RUN: env IKRA_TURNS=off %t.cpu | FileCheck %s --check-prefixes=CHECK,TURN
// RUN: env IKRA_SCOPES=always %t.cpu | FileCheck %s --check-prefixes=CHECK,TURN
// RUN: %ikrac --check -o %t.checked.cu %s -- %ikra_flags
// RUN: %build_cpu %t.checked.cu -o %t.checked && %t.checked | FileCheck %s --check-prefixes=CHECK,TURN
// RUN: %t.cpu null | FileCheck %s --check-prefix=NULL
#include <ikra/ikra.hpp>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <vector>

struct lamp {
  int on = 0;
  std::vector<int> values;
  lamp* next = nullptr;
};

template <class Code> void attempt(const char* what, const Code& code) {
  try {
    code();
    std::printf("%s: ended\n", what);
  } catch (const std::exception& failed) { // of at(), in the plain build
    std::printf("%s: %s\n", what, failed.what());
  }
}

ikra::array<int> looked_up(const ikra::array<int>& a, const std::vector<int>& table, int at) {
  return a.pmap([table, at](int x) { return x + table.at(at); });
}

int main(int count, char**) {
  std::vector<lamp> lamps(5);
  for (int k = 0; k < 5; ++k) {
    lamps[k].values = std::vector<int>(8 - k, 1);
    lamps[k].next = k == 3 ? nullptr : &lamps[4 - k];
  }
  const auto all = ikra::objects(lamps);
  const std::vector<int> table{1, 2, 3, 4};
  const ikra::array<int> numbers = ikra::pnew(6, [](std::int64_t i) { return int(i); });
  int t = 0, sum = 0;

  // TURN: asked: section 'main' at {{.*}}turns-named.cpp:[[#@LINE+6]]:{{[0-9]+}}, in turn 5 of the loop at {{.*}}turns-named.cpp:[[#@LINE+5]]: an index
  // PLAIN: asked: vector
  // CHECK-NEXT: t 4, sum 20
  attempt("asked", [&] {
    ikra::host_section([&] {
      for (; t < 10; ++t)
        sum += all.pmap([t](const lamp* l) { return l->values.at(t); }).sum();
    });
  });
  std::printf("t %d, sum %d\n", t, sum);

  // TURN-NEXT: peach: section 'main' at {{.*}}, in turn 5 of the loop at
  // PLAIN-NEXT: peach: vector
  // CHECK-NEXT: t 4, on 4
  t = 0;
  attempt("peach", [&] {
    ikra::host_section([&] {
      while (t < 10) {
        all.peach([t](lamp* l) { l->on += l->values.at(t); });
        ++t;
      }
    });
  });
  std::printf("t %d, on %d\n", t, lamps[4].on);

  // What is computed later, in one kernel with what other turns made, names the turn that made it.
  // CHECK-NEXT: lazy: ended
  // TURN-NEXT: lazy, asked: section 'main' at {{.*}}, in turn 5 of the loop at
  // PLAIN-NEXT: lazy, asked: vector
  ikra::array<int> a = numbers, before;
  attempt("lazy", [&] {
    ikra::host_section([&] {
      for (int k = 0; k < 8; ++k) {
        if (k == 4)
          before = a;
        a = a.pmap([k, table](int x) { return x + table.at(k); });
      }
    });
  });
  attempt("lazy, asked", [&] { sum = a.sum(); });
  // CHECK-NEXT: before 75
  std::printf("before %d\n", int(before.sum()));

  // The innermost loop, whoever makes the section.
  // TURN-NEXT: nested: section 'looked_up' at {{.*}}, in turn 3 of the loop at {{.*}}turns-named.cpp:[[#@LINE+7]]: an index
  // PLAIN-NEXT: nested: vector
  // CHECK-NEXT: sum 117
  attempt("nested", [&] {
    ikra::host_section([&] {
      sum = 0;
      for (int outer = 0; outer < 2; ++outer)
        for (int k = 0; k < 3; ++k)
          sum += looked_up(numbers, table, 2 * k * outer).sum();
    });
  });
  std::printf("sum %d\n", sum);

  // After an inner loop, the outer one counts on; after all, none does.
  // TURN-NEXT: after: section 'main' at {{.*}}, in turn 2 of the loop at {{.*}}turns-named.cpp:[[#@LINE+7]]: an index
  // TURN-NEXT: outside: section 'looked_up' at {{.*}}turns-named.cpp:{{[0-9]+:[0-9]+}}: an index
  // PLAIN-NEXT: after: vector
  // PLAIN-NEXT: outside: vector
  attempt("after", [&] {
    ikra::host_section([&] {
      sum = 0;
      for (int outer = 0; outer < 4; ++outer) {
        for (int k = 0; k < 3; ++k)
          if (looked_up(numbers, table, k).sum() > 0)
            break;
        sum += numbers.pmap([outer, table](int x) { return x + table.at(4 * outer); }).sum();
      }
    });
  });
  attempt("outside", [&] { sum = looked_up(numbers, table, 4).sum(); });
  if (count == 1)
    return 0;
  // NULL: null: section 'main' at {{.*}}, in turn 3 of the loop at {{.*}}: it dereferenced a null pointer
  // NULL-NEXT: t 2
  t = 0;
  attempt("null", [&] {
    ikra::host_section([&] {
      do
        sum += all.pmap([t](const lamp* l) { return t < 2 ? t : l->next->next->on; }).sum();
      while (++t < 4);
    });
  });
  std::printf("t %d\n", t);
}
