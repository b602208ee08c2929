// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop of turns that is a stencil over its own results: a device does several turns in one kernel, in tiles. Scalars alone
// say whether so many follow. Not where a turn reads an element, captures what turns change, or has another command; and
// what would hold a result between is set by turns one by one.
//
// RUN: %ikrac --print=fusion %s -- %ikra_flags | FileCheck %s --implicit-check-not="at once, in tiles"
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | count 0
// RUN: %emitted %t.cu | FileCheck %s --check-prefix=CODE --implicit-check-not=repeat_in_tiles
// RUN: %build_plain %s -o %t.plain && %t.plain | FileCheck %s --check-prefix=OUT
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu | FileCheck %s --check-prefix=OUT
// RUN: env IKRA_TILES=always %t.cpu | FileCheck %s --check-prefix=OUT
#include <ikra/ikra.hpp>

#include <cstdio>

using line = ikra::array<float>;

static float rounds(line x, int n, float by) {
  float sum = 1;
  ikra::host_section([&] {
    while (sum > 0) {
      for (int i = 0; i < n; ++i)
        x = x.pstencil({-1, 0, 1}, ikra::wrap, [by](const auto& v) { return v[-1] * by + v[0] * 0.5f - v[1] * 0.25f; });
      sum = x.sum() - 1;
    }
  });
  return x[0];
}

static float before(line x, int n) {
  line last = x;
  ikra::host_section([&] {
    int sum = 0;
    while (sum < 2) {
      int left = n;
      while (left-- > 0) {
        last = x;
        x = last.pstencil({-1, 1}, ikra::keep, [](const auto& v) { return v[-1] - v[1]; });
      }
      sum += x.count([](float e) { return e < 100; }) > 0 ? 1 : 2;
    }
  });
  return x[3] + last[3];
}

static float changing(line x, int n) {
  float sum = 1;
  ikra::host_section([&] {
    while (sum > 0) {
      for (int i = 0; i < n; ++i)
        x = x.pstencil({-1, 1}, 0.0f, [i](const auto& v) { return v[-1] - v[1] * static_cast<float>(i); });
      sum = x.sum() - 1000;
    }
  });
  return x[0];
}

static float tested(line x, int n) {
  float sum = 1;
  ikra::host_section([&] {
    for (int i = 0; i < n && sum > 0; ++i) {
      x = x.pstencil({-1, 1}, ikra::clamp, [](const auto& v) { return v[-1] * 0.5f - v[1]; });
      sum = x.sum();
    }
  });
  return x[0];
}

static float two_commands(line x, line y, int n) {
  float sum = 1;
  ikra::host_section([&] {
    while (sum > 0) {
      for (int i = 0; i < n; ++i) {
        x = x.pstencil({-1, 1}, ikra::clamp, [](const auto& v) { return v[-1] * 0.5f - v[1]; });
        y = y.pcombine(x, [](float a, float b) { return a - b; });
      }
      sum = x.sum();
    }
  });
  return x[0] + y[0];
}

int main() {
  const line x = ikra::pnew(9, [](std::int64_t i) { return static_cast<float>(i * i % 7); });
  std::printf("%g\n", rounds(x, 11, 0.125f));
  std::printf("%g\n", before(x, 5));
  std::printf("%g\n", changing(x, 3));
  std::printf("%g\n", tested(x, 5));
  std::printf("%g\n", two_commands(x, x, 3));
}

// CHECK-LABEL: turn turn_of_rounds
// CHECK: loop with x
// CHECK-NEXT: kernel rounds_0 over x; on a GPU 8 turns at once, in tiles; on all cores 8 turns at once, in tiles{{$}}
// CHECK-LABEL: turn turn_of_before
// CHECK: kernel before_2 over last; on a GPU 8 turns at once, in tiles, but the last; on all cores 8 turns at once, in tiles, but the last{{$}}
// CHECK-LABEL: turn turn_of_changing
// CHECK: kernel changing_5 over x{{$}}
// CHECK-LABEL: turn turn_of_tested
// CHECK-LABEL: turn turn_of_two_commands

// CODE: struct turn_of_rounds_codes_1 {
// CODE: t.repeat_in_tiles<ikra::rt::turns_in_tiles<8, 0, turn_of_rounds_goes_on_1, turn_of_rounds_codes_1>, float>(space_0, turn_of_rounds_body_0{}, x, std::tuple(&x), std::tuple(), [&](const auto& result) { x = result; });
// CODE-NEXT: t.repeat_in_host_tiles<ikra::rt::turns_in_tiles<8, 0, turn_of_rounds_goes_on_1, turn_of_rounds_codes_1>, float>(space_0, turn_of_rounds_body_0{}, x, std::tuple(&x), std::tuple(), [&](const auto& result) { x = result; });
// CODE-NEXT: t.repeat_inside(true, turn_of_rounds_goes_on_1{}, turn_of_rounds_ends_1{}, std::tuple(&x), [&] {
// CODE: t.repeat_in_tiles<ikra::rt::turns_in_tiles<8, 1, {{.*}}, x, {{.*}}, std::tuple(&last), [&](const auto& result) { x = result; });
// CODE-NEXT: t.repeat_in_host_tiles<ikra::rt::turns_in_tiles<8, 1, {{.*}}, x, {{.*}}, std::tuple(&last), [&](const auto& result) { x = result; });

// OUT: -0.012513
// OUT-NEXT: 608
// OUT-NEXT: 0
// OUT-NEXT: -1
// OUT-NEXT: 3.9375
