// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pi by chance: the share of random points of a square that lie within its circle. Every build
// draws the same numbers.
#include "options.hpp"

#include <ikra/ikra.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numbers>

int main(int argc, char** argv) {
  std::int64_t samples = 10'000, points = 100;
  apps::read_options(argc, argv, "pi by chance",
                     {{"--samples", samples, 1, std::int64_t(1) << 36, "elements"},
                      {"--points", points, 1, 1 << 20, "random points of an element"}});
  const auto inside = ikra::pnew(samples, [points](std::int64_t i) {
    std::int64_t count = 0;
    ikra::random r(31415, static_cast<std::uint64_t>(i));
    for (std::int64_t k = 0; k < points; ++k) {
      const float x = r.uniform<float>(), y = r.uniform<float>();
      count += x * x + y * y < 1 ? 1 : 0;
    }
    return count;
  });
  const double all = static_cast<double>(samples) * static_cast<double>(points);
  const double share = static_cast<double>(inside.sum()) / all;
  const double deviation = 4 * std::sqrt(std::numbers::pi / 4 * (1 - std::numbers::pi / 4) / all);
  std::printf("pi is about %.6f, by %.0f points\n", 4 * share, all);
  return apps::verdict(std::fabs(4 * share - std::numbers::pi) < 5 * deviation,
                       "within five standard deviations");
}
