// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On all cores, sections of a scope run on the objects as they are until columns are worth making, and again where columns
// turn out to cost more. Here that is seen by what the host finds in an object before sync(), of which nothing is promised.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags
// RUN: %build_cpu %t.cu -o %t.cpu
// RUN: env OMP_NUM_THREADS=1 IKRA_DEVICE=cpu %t.cpu | FileCheck %s --check-prefix=PAY
// RUN: env OMP_NUM_THREADS=1 IKRA_DEVICE=cpu IKRA_SCOPES=always %t.cpu | FileCheck %s --check-prefix=ALWAYS
// RUN: env OMP_NUM_THREADS=1 IKRA_DEVICE=cpu IKRA_REORDER=always %t.cpu | FileCheck %s --check-prefix=ALWAYS
// RUN: not env OMP_NUM_THREADS=1 IKRA_DEVICE=cpu IKRA_SCOPES=never %t.cpu 2>&1 | FileCheck %s --check-prefix=BAD
#include <ikra/ikra.hpp>

#include <cstdio>
#include <vector>

struct Grain {
  int height = 0;
};

/// \returns after how many sections the host does not see what the last one wrote; -1: after none.
int sections_in_place(std::vector<Grain>& grains, int most) {
  ikra::resident scope{grains};
  for (int k = 0; k < most; ++k) {
    const int before = grains[0].height;
    ikra::objects(grains).peach([](Grain* g) { g->height += 1; });
    if (grains[0].height == before)
      return k;
  }
  return -1;
}

/// Whether sections do not run in columns for ever, where the host has all brought back after each, and writes often.
bool leaves_columns(std::vector<Grain>& grains) {
  ikra::resident scope{grains};
  bool had_columns = false;
  for (int k = 0; k < 1'000; ++k) {
    const int before = grains[0].height;
    ikra::objects(grains).peach([](Grain* g) { g->height += 1; });
    const bool is_seen = grains[0].height != before;
    if (had_columns && is_seen)
      return true;
    had_columns = had_columns || !is_seen;
    scope.sync();
    for (int i = 0; i < 100; ++i) {
      grains[std::size_t(i)].height += 0;
      scope.changed(&grains[std::size_t(i)], &Grain::height);
    }
  }
  return false;
}

int main() try {
  std::vector<Grain> few(10), some(2'000), many(20'000);
  // Ten objects are never worth columns.
  const int of_few = sections_in_place(few, 1000), of_many = sections_in_place(many, 100'000);
  // PAY: few -1, many in columns later
  // ALWAYS: few 0, many in columns at once
  std::printf("few %d, many in columns %s\n", of_few, of_many == 0 ? "at once" : of_many > 0 ? "later" : "never");
  // PAY-NEXT: 1000 1
  // ALWAYS-NEXT: 1 1
  std::printf("%d %d\n", few[0].height, many[0].height == many[19'999].height && many[0].height > 0);
  // PAY-NEXT: leaves columns: 1
  // ALWAYS-NEXT: leaves columns: 0
  std::printf("leaves columns: %d\n", leaves_columns(some));
} catch (const ikra::error& error) {
  // BAD: IKRA_SCOPES is 'never'; set it to on, off, always or alternate, or unset it
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
