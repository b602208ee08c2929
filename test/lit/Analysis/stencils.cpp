// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the model holds of stencils: neighbourhoods however they are spelled, borders, windows that are handed on.
//
// RUN: %ikrac --print=model %s -- %ikra_flags | FileCheck %s
#include <ikra/ikra.hpp>

#include <array>
#include <vector>

static float cross(const ikra::window<float, 2>& v) { return v(-1, 0) + v(0, 0); }
template <class Window> static float sum(const Window& v, int radius) {
  float all = 0;
  for (int y = -radius; y <= radius; ++y)
    all += v(y, 0);
  return all;
}

int main() {
  const ikra::array line{std::vector<int>{1, 2, 3}};
  const ikra::array<float, 2> image{std::vector<float>(12), {3, 4}};
  constexpr int before = -3;
  constexpr std::array<ikra::index<2>, 2> pair{ikra::index<2>(0, 1), ikra::index<2>(-2, 0)};
  // CHECK: section main_0 at {{.*}}: pstencil over int gives int
  // CHECK-NEXT: neighbourhood: (-3), (0), (1)
  // CHECK-NEXT: border: value
  auto a = line.pstencil({before, 0, 2 - 1}, 0, [](auto v) { return v[before] + v[1]; });
  // CHECK: section main_1 at {{.*}}: pstencil over int with index gives double
  // CHECK-NEXT: neighbourhood: (7)
  // CHECK-NEXT: border: keep
  auto b = line.with_index().pstencil({7L}, ikra::keep,
                                      [](const auto& v, std::int64_t i) { return v[i] * 0.5; });
  // CHECK: section main_2 at {{.*}}: pstencil over float gives float
  // CHECK-NEXT: neighbourhood: (-1, 0), (0, 0)
  // CHECK-NEXT: border: clamp
  auto c = image.pstencil({{-1, 0}, {0, 0}}, ikra::clamp,
                          [](ikra::window<float, 2> v) { return cross(v); });
  // CHECK: section main_3 at {{.*}}: pstencil over float gives float
  // CHECK-NEXT: neighbourhood: (0, 1), (-2, 0)
  // CHECK-NEXT: border: wrap
  auto d = image.pstencil(pair, ikra::wrap, [](auto v) {
    const auto w = v;
    return w[ikra::index<2>(0, 1)];
  });
  // CHECK: section main_4 at
  // CHECK-NEXT: neighbourhood: (-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 0), (0, 1), (1, -1), (1, 0), (1, 1)
  auto e = image.pstencil(ikra::box<1, 1>, ikra::clamp, [](auto v) { return sum(v, 1); });
  return static_cast<int>(a[0] + b[0] + c[0] + d[0] + e[0]);
}
