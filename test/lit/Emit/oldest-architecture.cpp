// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: nvcc
// The oldest architecture that nvcc 13 knows has room for fewer threads a processor: launches ask
// for no more blocks than that, of which ptxas warned.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags
// RUN: %build_cuda -arch=sm_75 %t.cu -o %t.o
#include <ikra/ikra.hpp>

struct Car { float x = 1; int k = 0; void move() { x += 2; } };
int main() {
  std::vector<Car*> cars; for (int i = 0; i < 100; ++i) cars.push_back(new Car);
  ikra::array<Car*> all(cars);
  all.peach([](Car* c) { c->move(); });
  ikra::array<int> n = ikra::pnew(ikra::index<1>(100), [](int i) { return i; });
  auto keys = n.pmap([](int x) { return x % 7; });
  return (keys.sum() + n.pscan([](int a, int b) { return a + b; })[5] + n.pselect([](int x) { return x > 3; }).size()) % 2;
}
