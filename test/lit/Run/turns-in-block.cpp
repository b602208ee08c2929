// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops over a few elements as one block of a GPU runs them, here in one thread: the same as in the
// plain build. Larger ones and those with a reduction by index are not run so. A sum of floats
// tells the forms apart: on all cores several elements are added side by side.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags
// RUN: %emitted %t.cu | FileCheck %s --check-prefix=EMITTED
// RUN: %own_build_cpu -DIKRA_TEST_TURNS_IN_BLOCKS %t.cu -o %t.blocks && %t.blocks | FileCheck %s --check-prefixes=CHECK,BLOCK
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu | FileCheck %s --check-prefixes=CHECK,CORES
#include <ikra/ikra.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <utility>

static ikra::array<float> mostly_ones(int n) {
  return ikra::pnew(n, [](std::int64_t i) { return i == 0 ? 16777216.0f : 1.0f; });
}

// EMITTED-LABEL: struct turn_of_mixed_block {
// EMITTED: auto a = t.carried(space_0, home_of_a);
// EMITTED: t.template elementwise<0>(result_of_[[NEXT:[0-9]+]], space_0,
// EMITTED-NEXT: t.copy(b, a);
// EMITTED-NEXT: t.copy(a, result_of_[[NEXT]]);
// EMITTED-NEXT: t.copy(c, result_of_[[NEXT]]);
// EMITTED-NEXT: t.read(
// EMITTED: t.take(a, b);
// EMITTED: t.take(c, result_of_{{[0-9]+}});
// EMITTED: } else {
// EMITTED: } while (
// EMITTED: t.reduce(space_0,
// EMITTED: t.give(a, home_of_a);
// EMITTED: t.block_holds<int>(space_0, 7);
// EMITTED: t.block_combines<int>();
// EMITTED-NEXT: if (t.fits_block(2048)) {
// EMITTED: } else if (t.start(assigned)) {

// 2^24 + 1 is no float.
static float added(int n) {
  ikra::array<float> a = mostly_ones(n);
  float sum = 0;
  ikra::host_section([&] {
    for (int k = 0; k < 3 && sum < 1e9f; ++k) {
      a = a.pmap([](float x) { return x + 0.0f; });
      sum = a.sum();
    }
  });
  return sum;
}
// BLOCK: 64: 16777216
// CORES: 64: 16777272
// CHECK: 4096: 16780800

// What is read after a variable was set to it keeps its elements; so do both of two that were set
// to one, and what a branch or an inner loop changes.
static int mixed(int n) {
  ikra::array<int> a = ikra::pnew(n, [](std::int64_t i) { return int(i % 7); }), b = a, c = a;
  int total = 0;
  ikra::host_section([&] {
    for (int k = 0; k < 20 && total >= 0; ++k) {
      const auto next = a.pcombine(b, [k](int x, int y) { return (x * 3 + y + k) % 101; });
      b = a;
      a = next;
      c = next;
      if (a[0] % 3 == 1) {
        std::swap(a, b);
        c = c.pstencil({{-1}, {1}}, ikra::wrap, [](const auto& v) { return (v(-1) + v(1)) % 50; });
      } else {
        b = next.pmap([](int x) { return x + 1; });
      }
      for (int again = b[0] % 4; again > 0; --again)
        c = c.with_index().pmap([](int x, std::int64_t i) { return (x + int(i)) % 97; });
      total = a.sum() + 3 * b.sum() + 7 * c.preduce(ikra::max).value() + next[0];
    }
  });
  return total + a[n - 1] + 10 * b[n - 1] + 100 * c[n - 1];
}

// Rank 2, all borders, several scalars, what no turn sets, a return.
static int relaxed(int n, double limit) {
  ikra::array<double, 2> u = ikra::pnew({n, n}, [](ikra::index<2> at) { return double(at[0] * 3 % 5 + at[1] % 2); });
  const ikra::array<double, 2> weight = ikra::pnew({n, n}, [](ikra::index<2> at) { return at[0] == at[1] ? 0.5 : 0.25; });
  ikra::host_section([&] {
    for (int k = 0; k < 1000; ++k) {
      const auto next = u.pstencil({{-1, 0}, {0, -1}, {0, 1}, {1, 0}}, ikra::clamp, [](const auto& v) { return (v(-1, 0) + v(0, -1) + v(0, 1) + v(1, 0)) / 4; })
                            .pcombine(weight, [](double x, double w) { return x * (1 - w); });
      const double change = next.pcombine(u, [](double x, double y) { return std::fabs(x - y); }).preduce(ikra::max).value();
      u = next;
      if (change < limit)
        return k;
    }
    return -1;
  });
  return int(u.preduce(ikra::max).value() * 1e6);
}

// No turn; a place that there is not, which fails in the loop as written.
static int edges(int n) {
  ikra::array<int> a = ikra::pnew(n, [](std::int64_t i) { return int(i); });
  int sum = -1, reached = 0;
  ikra::host_section([&] {
    while (sum >= 0) {
      a = a.pmap([](int x) { return x + 1; });
      sum = a.sum();
    }
  });
  try {
    ikra::host_section([&] {
      for (int k = 0; k < 5; ++k) {
        a = a.pmap([](int x) { return x * 2; });
        reached += a[n - 3 + k];
      }
    });
  } catch (const std::out_of_range&) {
    reached += 1000000;
  }
  return reached + a[n - 1];
}

int main() {
  for (const int n : {64, 4096})
    std::printf("%d: %.0f\n", n, added(n));
  for (const int n : {1, 31, 257, 2048})
    std::printf("mixed %d, relaxed %d, edges %d\n", mixed(n), relaxed(n < 100 ? n : 17, 1e-3), edges(n + 2));
  // CHECK: mixed 3780, relaxed 0, edges 1000052
  // CHECK: mixed 10032, relaxed 2496, edges 1000952
  // CHECK: mixed 51949, relaxed 2455, edges 1007732
  // CHECK: mixed 378086, relaxed 2455, edges 1061462
}
