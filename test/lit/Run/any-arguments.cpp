// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A section that takes any arguments is given the element, and the tick where there are ticks.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags
// RUN: %build_plain %s -o %t.plain && %t.plain | FileCheck %s
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu | FileCheck %s
#include <ikra/ikra.hpp>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

struct Lamp {
  IKRA_OBJECT
  int on = 0;
  void dim(int by) { on -= by; }
};

int main() {
  std::vector<std::unique_ptr<Lamp>> lamps;
  for (int i = 0; i < 3; ++i)
    lamps.push_back(std::make_unique<Lamp>());
  const ikra::array all{lamps};

  // Its body takes one argument, so to ask what it gives for two is an error.
  all.peach([f = [](Lamp* l) { l->on += 10; }](auto... x) { f(x...); });
  all.peach([](Lamp* l, auto... rest) { l->on += static_cast<int>(sizeof...(rest)); });
  all.with_index().peach([](Lamp* l, std::int64_t i, auto... rest) {
    l->on += static_cast<int>(i) + 100 * static_cast<int>(sizeof...(rest));
  });
  // CHECK: 10 11 12
  std::printf("%d %d %d\n", lamps[0]->on, lamps[1]->on, lamps[2]->on);

  all.peach(2, [](Lamp* l, auto... rest) { l->on += static_cast<int>(sizeof...(rest)); });
  // CHECK: 12 13 14
  std::printf("%d %d %d\n", lamps[0]->on, lamps[1]->on, lamps[2]->on);
}
