// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forms in which a type is not written, or not where it is needed: template arguments that are deduced, a lambda turned
// into a pointer, a held lambda whose captures have the names of other lambdas' parameters. None is left to one core.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | count 0
// RUN: %build_plain %s -o %t.plain && %t.plain | FileCheck %s
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu | FileCheck %s
#include <ikra/ikra.hpp>

#include <array>
#include <cstdio>
#include <utility>

auto two(int n) { return std::array{std::pair{n, 1.5}, std::pair{n + 1, 2.5}}; }
auto three(int n) { return std::array{n, n + 1, n + 2}; }

int main() {
  const auto a = ikra::pnew(10, [](std::int64_t i) { return static_cast<int>(i); });
  const auto b = a.pmap([](int i) {
    const auto t = two(i);
    return t[1].first * t[0].second;
  });
  const auto c = a.pmap([](int i) { return three(i)[2]; });
  const auto d = a.pmap([](int i) {
    const std::array t{i, 2 * i};
    const std::pair p{t[0], 2.0f};
    return static_cast<float>(p.first) * p.second + static_cast<float>(t[1]);
  });
  // CHECK: deduced 6 5 12
  std::printf("deduced %g %d %g\n", b[3], c[3], static_cast<double>(d[3]));
  const int v = 5;
  const auto add = [v](int x) { return x + v; };
  const auto e = a.pmap(add);
  const auto f = a.pmap([](auto v) { return v + 1; });
  const auto g = a.pmap(+[](int x) { return x + 1; });
  // CHECK: lambdas 8 4 4
  std::printf("lambdas %d %d %d\n", e[3], f[3], g[3]);
}
