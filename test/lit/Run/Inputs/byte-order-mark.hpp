// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <ikra/ikra.hpp>

inline int doubled(const ikra::array<int>& a) {
  return a.pmap([](int x) { return x * 2; }).sum();
}
