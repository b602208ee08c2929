// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "filters.hpp"

long of_other_file(const ikra::array<int>& a) {
  const ikra::array<double> halves = a.pmap([](int x) { return 0.5 * x; });
  ikra::array<int> advanced = a;
  for (int i = 0; i < 2; ++i)
    advance(advanced);
  return total(scaled(shifted(a, 2), 3)) + static_cast<long>(total(shifted(halves, 1.5))) +
         series<int>(a).halved().plus(7).sum() + total(advanced);
}
