// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sequence in a header, which several files have.
#pragma once

#include <ikra/ikra.hpp>

#include <vector>

struct Wheel {
  virtual ~Wheel() = default;
  virtual double grip() const { return 0.5; }
  double angle = 0, speed = 1;
};

inline void spin(std::vector<Wheel*>& wheels, int turns) {
  for (int t = 0; t < turns; ++t) {
    ikra::array{wheels}.peach([t](Wheel* w) { w->speed += t * w->grip(); });
    ikra::array{wheels}.peach([](Wheel* w) { w->angle += w->speed; });
  }
}

/// In another file, with wheels of a class that this one does not know.
double spin_elsewhere(std::vector<Wheel*>& wheels, int turns);
