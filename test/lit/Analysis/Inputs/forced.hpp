// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <ikra/ikra.hpp>

#include <cstdint>

inline int forced() {
  return ikra::pnew(7, [](std::int64_t i) { return static_cast<int>(i); }).sum();
}
