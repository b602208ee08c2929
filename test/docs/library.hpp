// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the examples of docs/library.md assume.
#pragma once
#include <ikra/ikra.hpp>

#include <memory>
#include <vector>

namespace library {

struct person {
  int city, income;
};
struct Car {
  void move() { place += 1; }
  void stop() { moves = false; }
  bool arrived() const { return place > 100; }
  int place = 0;
  bool moves = true;
};

} // namespace library

#define library_PARAMETERS                                                                         \
  std::vector<float> pixels, std::int64_t height, std::int64_t width,                              \
      const ikra::array<person>&people, const ikra::array<int>&counts,                             \
      const ikra::array<float, 2>&image, const ikra::array<float, 2>&other,                        \
      std::vector<std::unique_ptr<Car>>&cars
