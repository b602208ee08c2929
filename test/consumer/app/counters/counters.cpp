// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "counters.hpp"

std::vector<std::unique_ptr<Counter>> make_counters(int count) {
  std::vector<std::unique_ptr<Counter>> counters;
  for (int i = 0; i < count; ++i) {
    counters.push_back(std::make_unique<Counter>(i));
  }
  return counters;
}

void advance_all(const std::vector<std::unique_ptr<Counter>>& counters, int ticks, int step) {
  ikra::array{counters}.peach(ticks, [step](Counter* counter) { counter->advance(step); });
}
