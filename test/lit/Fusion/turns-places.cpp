// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections that read at places that are computed of their positions run unasked where shapes say that the elements are there. Where
// they are not, the loop runs as it is written.
//
// RUN: %ikrac --print=fusion %s -- %ikra_flags 2> %t.left | FileCheck %s
// RUN: FileCheck %s --check-prefix=LEFT --input-file=%t.left
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2> /dev/null
// RUN: FileCheck %s --check-prefix=CODE --input-file=%t.cu
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu > %t.turns && env IKRA_TURNS=off %t.cpu | diff %t.turns -
// RUN: %build_plain %s -o %t.plain && %t.plain | diff %t.turns -
#include <ikra/ikra.hpp>

#include <algorithm>
#include <array>
#include <cstdio>

using reals = ikra::array<double>;

// CHECK: turn turn_of_levels at line [[@LINE+8]]: while
// CODE-DAG: if (space_1.shape[0] < 2 * (space_0.shape[0] - 1) + 2)
// CODE-DAG: if (space_3.shape[0] < (space_2.shape[0] - 1) / 2 + 1)
// CODE-DAG: if (space_1.shape[0] < 8)
double levels(const reals& fine, const reals& coarse, std::int64_t n, bool asks) {
  double s = 100;
  int t = 0;
  ikra::host_section([&] {
    while (s > 1 && t < 8) {
      ++t;
      const auto down = ikra::pnew(n, [fine](std::int64_t i) { return (fine[2 * i] + fine[2 * i + 1]) / 2; });
      const auto up = ikra::pnew(2 * n, [coarse](std::int64_t i) {
        const auto k = i / 2;
        return coarse[k] + coarse[i >> 1] + coarse[std::max(i - 1, std::int64_t(0)) / 2];
      });
      const auto mixed = ikra::pnew(n, [fine](std::int64_t i) { return fine[std::min(i + 1, std::int64_t(7))] + fine[i % 3]; });
      s -= 10 + t % 3;
      if (asks)
        s -= (down.sum() + up.sum() + mixed.sum()) * 0.001;
      else
        s -= fine.sum() * 0.001;
    }
  });
  return s;
}

struct sums {
  double g[4];
};
// CHECK: turn turn_of_tables at line [[@LINE+7]]: for
// CODE: if (4 < space_{{[0-9]}}.shape[0])
double tables(reals w, reals x) {
  double loss = 1;
  std::array<double, 4> ar{1, 2, 3, 4};
  ikra::host_section([&] {
    // x may have any number of elements here.
    for (int n = 1; n < 5; ++n) {
      ar[1] = loss = x.sum() / n;
      const sums s{{loss, 1, 2, 3}};
      w = w.with_index().pmap([s, ar](double v, std::int64_t d) { return v + s.g[d] + ar[d]; });
      x = x.with_index().pmap([s, ar](double v, std::int64_t d) { return v + s.g[d & 3] - ar[d % 4]; });
    }
  });
  return loss + w.sum();
}

double outside(reals x) {
  double s = 0;
  ikra::host_section([&] {
    for (int n = 0; n < 5; ++n) {
      const auto y = x.with_index().pmap([x](double v, std::int64_t i) { return v + x[i + 1]; });
      // LEFT: turns-places.cpp:[[@LINE-1]]:{{.*}} as the section reads an element at a place that may be outside of its container (name it by the section's own position, constants, and counters: x[i], x[i / 2], x[2 * i + 1]
      s += x.sum();
      if (n > 9)
        x = y;
    }
    // A difference that is less than zero is a large number without a sign.
    for (int n = 0; n < 5; ++n) {
      const auto y = x.with_index().pmap([x](double v, std::int64_t i) { return v + x[std::max<std::size_t>(i - 1, 0)]; });
      // LEFT: turns-places.cpp:[[@LINE-1]]:{{.*}} as the section reads an element at a place
      s += x.sum();
      if (n > 9)
        x = y;
    }
  });
  return s;
}

static reals made(std::int64_t n) {
  return ikra::pnew(n, [](std::int64_t i) { return double(i % 5) + 1; });
}
int main() {
  std::printf("%.9g %.9g ", levels(made(16), made(8), 8, true), levels(made(15), made(8), 8, false));
  std::printf("%.9g %.9g ", levels(made(16), made(7), 8, false), levels(made(1), made(1), 1, false));
  std::printf("%.9g %.9g\n", tables(made(4), made(9)), outside(made(9)));
}
