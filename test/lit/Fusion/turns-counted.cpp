// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A section that a turn computes before anybody asks for it may have loops that end whatever it computes: they count to a
// constant, in any type of 32 or 64 bits, or go through an array of a fixed size.
//
// RUN: %ikrac --print=fusion %s -- %ikra_flags 2> %t.left | FileCheck %s
// RUN: FileCheck %s --check-prefix=LEFT --input-file=%t.left
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2> /dev/null
// RUN: %emitted %t.cu | FileCheck %s --check-prefix=CODE
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu > %t.turns && env IKRA_TURNS=off %t.cpu | diff %t.turns -
// RUN: %build_plain %s -o %t.plain && %t.plain | diff %t.turns -
#include <ikra/ikra.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>

using numbers = ikra::array<double>;

// CHECK-LABEL: turn turn_of_counted at
// CODE: if (!::ikra::rt::turns<{{.*}}::turn_of_counted>(p, most)) {{.*}} for (int t = 0; t < 4; ++t) {
double counted(numbers p) {
  double most = 0;
  ikra::host_section([&] {
    for (int t = 0; t < 4; ++t) {
      most += p.preduce(ikra::max).value();
      p = p.with_index().pmap([t](double own, std::int64_t i) {
        for (std::int64_t k = 0; k < 8; ++k)
          own += k <= i ? 0.25 : 0.0;
        for (std::size_t k = 2; k <= 3; ++k)
          own += static_cast<double>(k);
        for (unsigned k = 0; k < 3u; k++)
          own -= k;
        return own / 2 + t;
      });
    }
  });
  return most;
}

// CHECK-LABEL: turn turn_of_through at
double through(numbers p) {
  double most = 0;
  ikra::host_section([&] {
    for (int t = 0; t < 4; ++t) {
      most += p.preduce(ikra::max).value();
      p = p.pstencil({-1, 0, 1}, ikra::clamp, [](auto v) {
        double sum = 0;
        for (const double of : {v[-1], v[1]})
          sum += of;
        const std::array<double, 2> weights{0.5, 0.25};
        for (const double weight : weights)
          sum *= weight;
        return sum + v[0] / 2;
      });
    }
  });
  return most;
}

// Where it begins so far below the constant that nobody sees the end, or is not known, the loop may as well have none.
// LEFT: turns-counted.cpp:[[#@LINE+6]]:{{.*}}whose number of turns is no constant
double from_anywhere(numbers p) {
  double most = 0;
  ikra::host_section([&] {
    for (int t = 0; t < 4; ++t) {
      const auto next = p.with_index().pmap([](double own, std::int64_t i) {
        for (std::int64_t k = i - 3; k < 8; ++k)
          own += 0.25;
        return own;
      });
      if (p.preduce(ikra::max).value() < 3)
        most += next.sum();
      p = p.pmap([](double x) { return x / 2; });
    }
  });
  return most;
}

// What stands nowhere in the text, the zeros of `weights{}`.
// CHECK: turn turn_of_from_nothing at line [[#@LINE+5]]: for
double from_nothing(const numbers& p) {
  using weights = std::array<double, 2>;
  double sum = 0;
  ikra::host_section([&] {
    for (int t = 0; t < 4; ++t) {
      const weights both =
          p.pmap([](double x) { return weights{x, x + 1}; }).preduce(weights{}, [](weights a, const weights& b) { return weights{a[0] + b[0], a[1] + b[1]}; }).value();
      sum += both[0] + both[1];
    }
  });
  return sum;
}

int main() {
  const numbers p = ikra::pnew(60, [](std::int64_t i) { return static_cast<double>(i % 7); });
  std::printf("%g %g %g %g\n", counted(p), through(p), from_anywhere(p), from_nothing(p));
}
