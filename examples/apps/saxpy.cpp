// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// z = a x + y, from a program's own vectors to memory of its own: both are used where they are, and
// each element crosses the bus once in each direction.
#include "options.hpp"

#include <ikra/ikra.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

namespace {

void saxpy(float a, std::span<const float> x, std::span<const float> y, std::span<float> z) {
  const auto xs = ikra::adopt(x, ikra::borrowed);
  const auto ys = ikra::adopt(y, ikra::borrowed);
  xs.pcombine(ys, [a](float xi, float yi) { return a * xi + yi; }).copy_to(z);
}

} // namespace

int main(int argc, char** argv) {
  std::int64_t size = 1'000'000;
  apps::read_options(argc, argv, "z = 2.5 x + y for vectors of float",
                     {{"--size", size, 1, std::int64_t(1) << 36, "elements of a vector"}});
  const auto n = static_cast<std::size_t>(size);
  std::vector<float> x(n), y(n), z(n);
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = static_cast<float>(i % 1024);
    y[i] = static_cast<float>(i % 7);
  }
  saxpy(2.5F, x, y, z);

  bool right = true;
  for (std::size_t i = 0; i < n; ++i) // these numbers are exact
    right &= z[i] == 2.5F * static_cast<float>(i % 1024) + static_cast<float>(i % 7);
  std::printf("z[%zu] = %g\n", n - 1, static_cast<double>(z[n - 1]));
  return apps::verdict(right, "2.5 x + y");
}
