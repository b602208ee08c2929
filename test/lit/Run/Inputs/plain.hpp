// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

struct Tank {
  int litres = 1;
};

void fill(std::vector<Tank>& tanks);
int total(std::vector<Tank>& tanks);
