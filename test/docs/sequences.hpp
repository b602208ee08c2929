// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the examples of docs/sequences.md assume.
#pragma once
#include <ikra/ikra.hpp>

#include <vector>

namespace sequences {

struct Car {
  void accelerate(int step) { speed += step % 3; }
  void move() { place += speed; }
  int place = 0, speed = 0;
};

} // namespace sequences

#define sequences_PARAMETERS std::vector<Car*>&cars, int steps
