// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is bound to a reference that could be written through is written only where that happens:
// lazy sections may read by such references. Where a function hands one out, the plain library runs
// the section.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | FileCheck %s
// RUN: FileCheck --check-prefix=EMITTED %s < %t.cu
// RUN: not %ikrac -o %t.cu %s -- %ikra_flags -DWRITES 2>&1 | FileCheck --check-prefix=WRITES %s
#include <ikra/ikra.hpp>

#include <array>
#include <utility>
#include <vector>

struct Lamp {
  IKRA_OBJECT
  int watts = 3;
  std::array<int, 2> cells{};
  std::pair<int, int> ends;
  int& power() { return watts; }
};
static int first(std::array<int, 2>& of) { return of[0]; }
static void wear(int& watts) { --watts; }
// Each is asked for once, though there are 2^20 ways to the last.
static int deep(int& x) { return x; }
template <int N> int twice(int& x) {
  if constexpr (N == 0)
    return deep(x);
  else
    return (twice<N - 1>(x) + twice<N - 1>(x)) % 1000;
}

int sum(const std::vector<Lamp*>& lamps) {
  const auto all = ikra::array{lamps};
#ifdef WRITES
  // WRITES: [[@LINE+1]]:{{[0-9]+}}: error: a section of 'pmap' may not write to objects
  all.pmap([](Lamp* lamp) { auto& watts = lamp->watts; return ++watts; }).sum();
  // WRITES: [[@LINE+1]]:{{[0-9]+}}: error: a section of 'pmap' may not write to objects
  all.pmap([](Lamp* lamp) { for (auto& cell : lamp->cells) cell = 1; return 1; }).sum();
  // A name that two rules take for a read is one read.
  // WRITES: [[@LINE+1]]:{{[0-9]+}}: error: a section of 'pmap' may not write to objects
  all.pmap([](Lamp* lamp) { const int no = 0; auto& watts = lamp->watts; const int is = lamp->cells[0] ? watts : no; watts = 1; return is; }).sum();
  // WRITES: [[@LINE+1]]:{{[0-9]+}}: error: a section of 'pmap' may not write to objects
  all.pmap([](Lamp* lamp) { wear(lamp->watts); return 1; }).sum();
  // WRITES: [[@LINE+1]]:{{[0-9]+}}: error: a section of 'pmap' may not write to objects
  all.pmap([](Lamp* lamp) { lamp->power() = 1; return 1; }).sum();
#endif
  // CHECK-NOT: warning
  // EMITTED: int global_first(ikra::inner_array<const int, 2> of)
  // EMITTED: const int& watts =
  // EMITTED: const auto& [begin, end] =
  const int read = all.pmap([](Lamp* lamp) {
                        auto& watts = lamp->watts;
                        auto& [begin, end] = lamp->ends;
                        int sum = watts + end - begin + first(lamp->cells) + (watts < 0 ? twice<20>(watts) : 0);
                        for (auto& cell : lamp->cells)
                          sum += cell;
                        return sum;
                      })
                       .sum();
  // CHECK: [[@LINE+2]]:{{[0-9]+}}: warning: the section gets 'watts' as a reference that it could write through
  // CHECK: warning: 'pmap' is not compiled
  return read + all.pmap([](Lamp* lamp) { return lamp->power(); }).sum();
}
