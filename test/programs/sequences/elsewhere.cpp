// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wheels.hpp"

namespace {

struct Tyre : Wheel {
  double grip() const override { return pressure; }
  double pressure = 0.25;
};

} // namespace

double spin_elsewhere(std::vector<Wheel*>& wheels, int turns) {
  spin(wheels, turns);
  Tyre tyre;
  wheels.push_back(&tyre);
  spin(wheels, turns);
  ikra::array{wheels}.peach([](Wheel* w) { w->speed *= w->grip(); });
  ikra::array{wheels}.peach([](Wheel* w) { w->angle += w->speed; });
  wheels.pop_back();
  return tyre.angle;
}
