// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The five kernels of BabelStream (Deakin et al. 2016), written from their description: copy, mul,
// add, triad and dot over vectors of double. Checked as there: all elements stay equal, and follow
// the same formulas.
#include "options.hpp"

#include <ikra/ikra.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>

int main(int argc, char** argv) {
  using doubles = ikra::array<double>;
  std::int64_t size = 1 << 20, times = 10;
  apps::read_options(argc, argv, "BabelStream's kernels",
                     {{"--size", size, 1, std::int64_t(1) << 36, "elements of a vector"},
                      {"--times", times, 1, 1 << 20, "how often all five run"}});
  constexpr double scalar = 0.4;
  doubles a = ikra::pnew(size, [](std::int64_t) { return 0.1; });
  doubles b = ikra::pnew(size, [](std::int64_t) { return 0.2; });
  doubles c = ikra::pnew(size, [](std::int64_t) { return 0.0; });
  double dot = 0;
  double one_a = 0.1, one_b = 0.2, one_c = 0;
  for (std::int64_t t = 0; t < times; ++t) {
    c = a.pmap([](double x) { return x; });                               // copy
    b = c.pmap([](double x) { return scalar * x; });                      // mul
    c = a.pcombine(b, [](double x, double y) { return x + y; });          // add
    a = b.pcombine(c, [](double x, double y) { return x + scalar * y; }); // triad
    dot = a.pcombine(b, [](double x, double y) { return x * y; }).sum();  // dot
    one_c = one_a;
    one_b = scalar * one_c;
    one_c = one_a + one_b;
    one_a = one_b + scalar * one_c;
  }
  const auto off = [](const doubles& all, double one) {
    return all.pmap([one](double x) { return std::fabs(x - one); }).preduce(0.0, ikra::max)[0] /
           std::fabs(one);
  };
  const double expected = one_a * one_b * static_cast<double>(size);
  std::printf("%lld elements, %lld times\n", static_cast<long long>(size),
              static_cast<long long>(times));
  return apps::verdict(off(a, one_a) < 1e-12 && off(b, one_b) < 1e-12 && off(c, one_c) < 1e-12 &&
                           std::fabs(dot - expected) < 1e-8 * expected,
                       "copy, mul, add, triad, dot");
}
