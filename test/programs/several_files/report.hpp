// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "model.hpp"

#include <cstdio>

/// Runs all sections on a fleet and prints what they give.
inline void report(const char* name, const Fleet& fleet) {
  drive(fleet, 5);
  keep_up(fleet);
  drive(fleet, 2);
  std::printf("%s: total %d, followers %lld, heavy %zu\n ", name, total_load(fleet),
              static_cast<long long>(count_followers(fleet)), heavy(fleet, 4).size());
  for (const int load : loads(fleet, 3))
    std::printf(" %d", load);
  for (const double load : scaled(fleet, 0.5))
    std::printf(" %g", load);
  for (const int load : trips(fleet.back().get(), 4))
    std::printf(" %d", load);
  std::printf("\n ");
  for (const auto& vehicle : fleet)
    std::printf(" %d/%lld", vehicle->speed(), static_cast<long long>(vehicle->distance()));
  std::printf("\n");
}
