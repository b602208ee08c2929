// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plain.hpp"

#include <ikra/ikra.hpp>

#include <cstdio>

int main() {
  std::vector<Tank> tanks(5000);
  const auto all = ikra::objects(tanks);
  {
    const ikra::resident scope{all};
    for (int k = 0; k < 30; ++k) {
      all.peach([k](Tank* tank) { tank->litres = (tank->litres * 5 + k) % 1009; });
      if (k % 3 == 0)
        fill(tanks);
    }
    std::printf("%d\n", total(tanks));
  }
  std::printf("%d\n", total(tanks));
}
