// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On all cores, sections of a scope run on the objects as they are until columns are worth making. Here that is seen by what
// the host finds in an object before sync(), of which nothing is promised.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags
// RUN: %build_cpu %t.cu -o %t.cpu
// RUN: env IKRA_DEVICE=cpu %t.cpu | FileCheck %s --check-prefix=PAY
// RUN: env IKRA_DEVICE=cpu IKRA_SCOPES=always %t.cpu | FileCheck %s --check-prefix=ALWAYS
// RUN: env IKRA_DEVICE=cpu IKRA_REORDER=always %t.cpu | FileCheck %s --check-prefix=ALWAYS
// RUN: not env IKRA_DEVICE=cpu IKRA_SCOPES=never %t.cpu 2>&1 | FileCheck %s --check-prefix=BAD
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

int main() try {
  std::vector<Grain> few(10), many(20'000);
  // Ten objects are never worth columns.
  const int of_few = sections_in_place(few, 1000), of_many = sections_in_place(many, 100'000);
  // PAY: few -1, many in columns later
  // ALWAYS: few 0, many in columns at once
  std::printf("few %d, many in columns %s\n", of_few, of_many == 0 ? "at once" : of_many > 0 ? "later" : "never");
  // PAY-NEXT: 1000 1
  // ALWAYS-NEXT: 1 1
  std::printf("%d %d\n", few[0].height, many[0].height == many[19'999].height && many[0].height > 0);
} catch (const ikra::error& error) {
  // BAD: IKRA_SCOPES is 'never'; set it to on, off or always, or unset it
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
