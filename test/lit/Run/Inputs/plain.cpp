// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plain.hpp"

#include <ikra/ikra.hpp>

void fill(std::vector<Tank>& tanks) {
  ikra::objects(tanks).peach([](Tank* tank) { tank->litres *= 3; });
}

int total(std::vector<Tank>& tanks) {
  return ikra::objects(tanks).pmap([](const Tank* tank) { return tank->litres; }).sum();
}
