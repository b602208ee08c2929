// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the examples of docs/diagnostics.md assume, as the page's beginning says it.
#pragma once
#include <ikra/ikra.hpp>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace diagnostics {

struct Point {
  float x = 0, y = 0;
};
struct Actor {
  virtual ~Actor() = default;
  int count_ = 0;
  Actor* next_ = nullptr;
  std::vector<int> seen_;
  Point place_;
};
struct Car : Actor {};

inline int twice(int n) { return 2 * n; }
inline int thrice(int n) { return 3 * n; }
inline int next() { return std::rand(); }
inline int global = 1;
inline int thresholds[3] = {1, 2, 3};

} // namespace diagnostics

#define diagnostics_PARAMETERS                                                                     \
  const ikra::array<int>&numbers, const ikra::array<Actor*>&actors, int k,                         \
      [[maybe_unused]] bool choice
