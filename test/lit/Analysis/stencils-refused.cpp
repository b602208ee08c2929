// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Neighbourhoods that are no constants, offsets outside of them, and other uses of windows.
//
// RUN: not %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | FileCheck %s
#include <ikra/ikra.hpp>

#include <array>
#include <vector>

static int shared(const ikra::window<int, 1>& v) {
  return v[-2] + v[0];
  // CHECK-DAG: stencils-refused.cpp:[[@LINE-1]]:12: error: the window is read at (-2), which is not in the neighbourhood of this 'pstencil'; add it there [ikra-offset-outside]
}

static ikra::window<int, 1> same(const ikra::window<int, 1>& v) {
  return v;
}

int main(int argc, char**) {
  const ikra::array line{std::vector<int>{1, 2, 3}};
  const ikra::array<int, 2> image{std::vector<int>(12), {3, 4}};
  const std::vector<int> offsets{1};
  auto right = line.pstencil({-2, 0}, 0, [](auto v) { return shared(v); });
  auto wrong = line.pstencil({-1, 0}, 0, [](auto v) { return shared(v); });
  // CHECK-DAG: stencils-refused.cpp:[[@LINE-1]]:42: note: reached from this section
  auto twice = image.pstencil({{-1, 0}, {0, 0}}, 0, [](auto v) {
    return v(0, -1) +
           // CHECK-DAG: stencils-refused.cpp:[[@LINE-1]]:14: error: the window is read at (0, -1), which
           v[ikra::index<2>(1, 0)];
           // CHECK-DAG: stencils-refused.cpp:[[@LINE-1]]:14: error: the window is read at (1, 0), which
  });
  auto moved = line.pstencil({-argc, 0}, 0, [](auto v) { return v[0]; });
  // CHECK-DAG: stencils-refused.cpp:[[@LINE-1]]:31: error: the neighbourhood of 'pstencil' is not a compile-time constant: write its offsets in braces, or name a constexpr std::array of ikra::index [ikra-neighbourhood-constant]
  const std::array<ikra::index<2>, 1> given{ikra::index<2>(argc, 0)};
  auto kept = image.pstencil(given, 0, [](auto v) { return v(0, 0); });
  // CHECK-DAG: stencils-refused.cpp:[[@LINE-1]]:30: error: the neighbourhood of 'pstencil' is not a compile-time constant
  auto asked = line.pstencil({0}, 0, [](auto v) { return v.fits() ? 1 : 0; });
  // CHECK-DAG: stencils-refused.cpp:[[@LINE-1]]:{{[0-9]+}}: error: 'fits' of a window cannot be used in a section; it offers v[offset] and v(i, j, ...) [ikra-window-function]
  auto given_back = line.pstencil({0}, 0, [](auto v) { return same(v)[0]; });
  // CHECK-DAG: warning: type 'ikra::window<int, 1>' cannot be used in a section
  return right[0] + wrong[0] + twice[0] + moved[0] + kept[0] + asked[0] + given_back[0];
}
