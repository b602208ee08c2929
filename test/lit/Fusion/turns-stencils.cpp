// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stencils of turns that a reduction computes where it reads them, and stores.
//
// RUN: %ikrac --print=fusion %s -- %ikra_flags | FileCheck %s
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | count 0
// RUN: %emitted %t.cu | FileCheck %s --check-prefix=CODE
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu > %t.turns && env IKRA_TURNS=off %t.cpu | diff %t.turns - && env OMP_NUM_THREADS=3 %t.cpu | diff %t.turns -
// RUN: %build_plain %s -o %t.plain && %t.plain | diff %t.turns -
#include <ikra/ikra.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>

using field = ikra::array<double, 2>;

template <class A> void show(const char* name, const A& a, double last, int turns) {
  std::uint64_t all = 7;
  for (const auto x : a)
    all = all * 31 + static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<double>(x) * 1e6));
  std::printf("%s %llu %.17g %d\n", name, static_cast<unsigned long long>(all), last, turns);
}

// A plain border. The reduction reads the array before, too.
// CHECK-LABEL: turn turn_of_jacobi
// CHECK: kernel jacobi_0 over u, stored; jacobi_1 -> jacobi_2 over result of jacobi_0, u
// CODE-LABEL: turn_code<{{.*}}turn_of_jacobi>::run
// CODE: auto later_0 = t.later_stencil<double, jacobi_0_device::footprint>(space_{{[0-9]+}}, turn_of_jacobi_body_0{}, u);
// CODE-NEXT: t.reduce_stored<double, 0>(space_{{[0-9]+}}, turn_of_jacobi_body_2{}, turn_of_jacobi_combine_2{}, ikra::rt::no_first{}, ikra::rt::then(&turn_of_jacobi_scalars::result_1, ikra::rt::then_test<turn_of_jacobi_ends>{}), later_0, u);
// CODE-NEXT: auto result_of_0 = std::move(later_0.result);
void jacobi(field u, double limit, int most) {
  int turns = 0;
  double change = limit + 1;
  ikra::host_section([&] {
    while (change > limit && turns < most) {
      const auto next = u.pstencil({{-1, 0}, {0, -1}, {0, 1}, {1, 0}}, 0.0, [](const auto& v) { return (v(-1, 0) + v(0, -1) + v(0, 1) + v(1, 0)) / 4; });
      change = next.pcombine(u, [](double x, double y) { return std::fabs(x - y); }).preduce(ikra::max).value();
      u = next;
      ++turns;
    }
  });
  show("jacobi", u, change, turns);
}

// Indices, a scalar of the turn, a map after the stencil, whose border is the nearest element.
// CHECK-LABEL: turn turn_of_heat
// CHECK: kernel heat_3 -> heat_4 over u, stored; heat_5 over result of heat_4
void heat(ikra::array<float, 3> u, int most) {
  int turns = 0;
  float total = 1;
  ikra::host_section([&] {
    while (turns < most) {
      u = u.with_index()
              .pstencil({{-1, 0, 0}, {0, -1, 0}, {0, 0, 0}, {0, 0, 1}, {0, 1, 0}}, ikra::clamp,
                        [by = total / 1000](const auto& v, const ikra::index<3>& i) {
                          return (v(-1, 0, 0) + v(0, -1, 0) + v(0, 1, 0) + v(0, 0, 1)) / 4 + by * v(0, 0, 0) + static_cast<float>(i[2]) * 0.001f;
                        })
              .pmap([](float x) { return x < 50 ? x : 50; });
      total = u.preduce(ikra::max).value();
      ++turns;
    }
  });
  show("heat", u, double(total), turns);
}

// One dimension, and a border that the turn changes.
// CHECK-LABEL: turn turn_of_line
// CHECK: kernel line_6 over u, stored; line_7 -> line_8 over result of line_6
void line(ikra::array<int> u, int most) {
  int turns = 0, border = 3;
  std::int64_t n = 0;
  ikra::host_section([&] {
    do {
      u = u.pstencil({-1, 1, 2}, border, [](auto v) { return (v[-1] * 3 + v[1] + v[2]) % 17; });
      n = u.count([](int x) { return x > 5; });
      border = static_cast<int>(n % 7);
    } while (++turns < most && n > 2);
  });
  show("line", u, double(n), turns);
}

// Results of one byte, sixteen of which a thread of a reduction would compute: a kernel of their own.
// CHECK-LABEL: turn turn_of_life
// CHECK: kernel life_9 over c{{$}}
void life(ikra::array<unsigned char, 2> c, int most) {
  int turns = 0;
  std::int64_t n = 1;
  ikra::host_section([&] {
    while (turns < most && n > 0) {
      c = c.pstencil(ikra::box<1, 1>, ikra::wrap, [](const auto& v) {
        int sum = 0;
        for (int y = -1; y <= 1; ++y)
          for (int x = -1; x <= 1; ++x)
            sum += v(y, x);
        return static_cast<unsigned char>(sum == 3 || (sum == 4 && v(0, 0)));
      });
      n = c.count([](unsigned char x) { return x == 1; });
      ++turns;
    }
  });
  show("life", c, double(n), turns);
}

// Many neighbours, and neighbours that are computed anew: kernels of their own.
// CHECK-LABEL: turn turn_of_wide
// CHECK: kernel wide_12 over u{{$}}
// CHECK: kernel wide_14 -> wide_15 over a{{$}}
void wide(field u, field a) {
  double most = 0, of_squares = 0;
  ikra::host_section([&] {
    for (int k = 0; k < 5; ++k) {
      u = u.pstencil(ikra::box<2, 2>, ikra::keep, [](const auto& v) { return (v(-2, -2) + v(2, 2) + v(0, 0)) / 3; });
      most += u.preduce(ikra::max).value();
      a = a.pmap([](double x) { return x * x / 4; }).pstencil({{0, -1}, {0, 1}}, 0.0, [](const auto& v) { return (v(0, -1) + v(0, 1)) / 8; });
      of_squares += a.preduce(ikra::max).value();
    }
  });
  show("wide", u, most + of_squares, 5);
}

int main() {
  for (const std::int64_t k : {5, 33, 130}) {
    const field u = ikra::pnew({k, k + 3}, [](const ikra::index<2>& i) { return static_cast<double>((i[0] * 7 + i[1] * 3) % 11); });
    const ikra::array<int> a = ikra::pnew(k * 500, [](std::int64_t i) { return static_cast<int>(i % 13); });
    jacobi(u, 1e-3, 40);
    heat(ikra::pnew({k, 7, k + 1}, [](const ikra::index<3>& i) { return static_cast<float>((i[0] * 7 + i[1] * 3 + i[2]) % 11); }), 9);
    line(a, 30);
    line(ikra::pnew(k / 5, [](std::int64_t i) { return static_cast<int>(i % 13); }), 30);
    life(ikra::pnew({k, k + 2}, [](const ikra::index<2>& i) { return static_cast<unsigned char>((i[0] * 7 + i[1] * 3) % 5 == 0); }), 20);
    wide(u, u);
  }
}
