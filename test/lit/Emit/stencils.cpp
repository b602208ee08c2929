// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stencils as emitted: how far neighbourhoods reach, bodies over any window, what their drivers launch.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags
// RUN: %emitted %t.cu | FileCheck %s
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu | FileCheck %s --check-prefix=OUT
#include <ikra/ikra.hpp>

#include <cstdio>
#include <vector>

enum class Shade { dark, bright };

// CHECK: template <class Window> IKRA_DEVICE float global_cross(const Window& v) { return v(-1, 0) + v(0, 1); }
static float cross(const ikra::window<float, 2>& v) { return v(-1, 0) + v(0, 1); }

int main() {
  const ikra::array<float, 2> image{{1, 2, 3, 4, 5, 6, 7, 8, 9}, {3, 3}};
  const ikra::array shades{std::vector<Shade>(4, Shade::bright)};
  // CHECK: namespace main_0_device {
  // CHECK-NEXT: using footprint = ikra::rt::footprint<ikra::rt::extent<-1, 0>, ikra::rt::extent<0, 1>>;
  // CHECK: template <class Window> IKRA_DEVICE float operator()(const Window& v, ::ikra::index<2> i) const { return global_cross(v)
  auto a = image.with_index().pstencil(
      {{-1, 0}, {0, 1}}, 0.5,
      [](ikra::window<float, 2> v, ikra::index<2> i) { return cross(v) + static_cast<float>(i[0]); });
  // CHECK: using footprint = ikra::rt::footprint<ikra::rt::extent<-1, 2>>;
  // CHECK: template <class Window> IKRA_DEVICE bool operator()(const Window& v) const { return static_cast<::Shade>(v[-1]) == static_cast<::Shade>(v[2]); }
  auto b = shades.pstencil({-1, 2}, ikra::wrap, [](auto v) { return v[-1] == v[2]; });
  // Loops over neighbours; not those whose number is not known, that are many, or that read none.
  // CHECK: namespace main_2_device {
  // CHECK: IKRA_UNROLL(3)
  // CHECK-NEXT: for (int y = -1; y <= 1; ++y) {
  // CHECK: IKRA_UNROLL(2)
  // CHECK-NEXT: for (int x = 0; x < 2; ++x) {
  // CHECK-NOT: IKRA_UNROLL
  // CHECK: for (int k = 0; k < 3; ++k) {
  // CHECK-NOT: IKRA_UNROLL
  // CHECK: for (int x = 0; x < most; ++x) {
  // CHECK: namespace
  const int most = 2;
  auto c = image.pstencil(ikra::box<1, 1>, 0.5, [most](const auto& v) {
    float sum = 0;
    for (int y = -1; y <= 1; ++y)
      for (int x = 0; x < 2; ++x)
        sum += v(y, x);
    for (int k = 0; k < 3; ++k)
      sum += 1;
    for (int x = 0; x < most; ++x)
      sum += v(0, x);
    return sum;
  });
  // CHECK: s.stencil_values_indexed<float, float, main_0_device::footprint, ikra::rt::border::value>(body);
  // CHECK: s.stencil_values<::Shade, bool, main_1_device::footprint, ikra::rt::border::wrap>(body);
  // OUT: 0.5 7 1 47
  std::printf("%g %g %d %g\n", static_cast<double>(a(0, 0)), static_cast<double>(a(1, 0)), b[0], static_cast<double>(c(1, 1)));
  return 0;
}
