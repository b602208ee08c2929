// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Complex numbers as scalars of turns, and names for the parts of pairs and tuples.
//
// RUN: %ikrac --print=fusion %s -- %ikra_flags 2> %t.left | FileCheck %s
// RUN: FileCheck %s --check-prefix=LEFT --input-file=%t.left
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2> /dev/null
// RUN: %emitted %t.cu | FileCheck %s --check-prefix=CODE
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu > %t.turns && env IKRA_TURNS=off %t.cpu | diff %t.turns -
// RUN: %build_plain %s -o %t.plain && %t.plain | diff %t.turns -
#include <ikra/ikra.hpp>

#include <complex>
#include <cstdio>
#include <iostream>
#include <tuple>
#include <utility>
#include <vector>

using numbers = ikra::array<double>;
using complex = std::complex<double>;
using namespace std::complex_literals;

// CHECK: turn turn_of_scalar at line [[@LINE+4]]: for
double scalar(numbers a) {
  complex z = 1;
  ikra::host_section([&] {
    for (int t = 0; t < 10 && std::norm(z) < 100; ++t) {
      z = z * complex(0.5, a.sum() * 0x1p-8) + 1.0;
      z -= 0.25i;
      const complex w = std::conj(z) * a[1];
      z += w / 4.0;
      if (z == w)
        z = -z;
      a = a.pmap([z](double x) { return x / 2 + z.real() / 64; });
    }
  });
  return z.real() + z.imag() + a[0];
}
// CODE: struct turn_of_scalar_scalars {
// CODE: std::complex<double> z;
// CODE: ikra::complex_math::multiply(

static complex rotated(complex by, const complex& of) { return by * of; }
struct wave {
  complex now{1, 0.5};
  int turns = 0;
};

// Of complex arrays, in structs, given to functions.
// CHECK: turn turn_of_arrays at line [[@LINE+5]]: while
double arrays(ikra::array<complex> a) {
  wave w;
  complex sum = 0;
  ikra::host_section([&] {
    while (w.turns < 5) {
      a = a.pmap([by = w.now](complex x) { return x * by; });
      sum = a.preduce(0.0 + 0i, std::plus<>{}).value();
      w.now = rotated(w.now, {0.5, 0.25}) + complex(0, sum.imag() > 0 ? 0.5 : 0.25);
      ++w.turns;
    }
  });
  return std::abs(sum) + w.now.imag() + a[0].real();
}

// The parts of a pair, and of a tuple, which a function may give.
static std::pair<numbers, double> relaxed(const numbers& a) {
  const numbers next = a.pstencil({-1, 1}, 0.0, [](const auto& v) { return (v[-1] + v[1]) / 2; });
  return {next, next.preduce(ikra::max).value()};
}
// CHECK: turn turn_of_bindings at line [[@LINE+5]]: for
double bindings(numbers a) {
  double largest = 0;
  auto [sum, steps] = std::pair(0.0, 0);
  ikra::host_section([&] {
    for (int t = 0; t < 10; ++t) {
      auto [low, high] = std::pair(a.preduce(ikra::min)[0], a.preduce(ikra::max)[0]);
      const auto [next, most] = relaxed(a);
      const auto [half, count, odd] = std::make_tuple(most / 2, t + 1, t % 2 == 1);
      low += half;
      sum += high - low;
      steps += odd ? count : 1;
      largest = most;
      a = next.pmap([low](double x) { return x + low / 8; });
    }
  });
  return sum + steps + largest + a[0];
}

static std::pair<double, int> given{1.5, 2};
double left(numbers a) {
  double total = 0;
  complex z = 1;
  ikra::host_section([&] {
    for (int t = 0; t < 3; ++t) {
      const auto [x, n] = given;
      // LEFT: turns-complex.cpp:[[@LINE-1]]:27: warning: {{.*}}, since its names are those of no struct's fields, nor of what a std::pair or a std::tuple is made of here
      total += a.sum() * x + n;
    }
    for (int t = 0; t < 3; ++t) {
      z.real(a.sum());
      // LEFT: turns-complex.cpp:[[@LINE-1]]:7: warning: {{.*}}, since 'real' is a method of 'complex'
    }
    for (int t = 0; t < 4; ++t) {
      a = a.pmap([](double x) { return x / 2; });
      const double s = a.sum();
      if (s < 3)
        std::printf("%d %g\n", t, s);
      // LEFT: turns-complex.cpp:[[@LINE-1]]:9: warning: {{.*}}, since it is input or output, which the host alone does (put it into an if in the loop's block whose condition is known before the turn, or the turns between two outputs into a loop of their own)
    }
    while (a.sum() > 1) {
      a = a.pmap([](double x) { return x / 2; });
      std::cout << "turn\n";
      // LEFT: turns-complex.cpp:[[@LINE-1]]:7: warning: {{.*}}, since it is input or output
    }
  });
  return total + z.real();
}

int main() {
  const numbers a = ikra::pnew(30, [](std::int64_t i) { return static_cast<double>(i % 7) / 8; });
  std::printf("scalar %.9g\n", scalar(a));
  std::printf("arrays %.12g\n", arrays(ikra::pnew(20, [](std::int64_t i) { return complex(static_cast<double>(i % 3), 0.5); })));
  std::printf("bindings %.12g\n", bindings(a));
  std::printf("left %.12g\n", left(a));
}
