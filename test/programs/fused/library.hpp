// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that make parts of trees: fusion reaches through them where a variable leads to a
// section of the same function, and is found at run time or not at all elsewhere.
#pragma once

#include <ikra/ikra.hpp>

namespace library {

inline ikra::array<double, 1> squared_distance(const ikra::array<double, 1>& x,
                                               const ikra::array<double, 1>& y) {
  const auto d = x.pcombine(y, [](double a, double b) { return a - b; });
  return d.pmap([](double a) { return a * a; });
}

inline ikra::array<float, 2> scaled(const ikra::array<float, 2>& a, float by) {
  return a.pmap([by](float x) { return x * by; });
}

} // namespace library
