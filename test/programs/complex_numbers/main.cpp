// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::complex as element, result, capture, member of structs and of objects. Numbers are such that
// sums and products are exact.
#include <array>
#include <complex>
#include <cstdio>
#include <ikra/ikra.hpp>
#include <utility>
#include <vector>

using Complex = std::complex<double>;
struct Wave {
  Complex amplitude;
  int phase;
};
struct Antenna {
  Complex field{1, 2};
  std::complex<float> gain = 2;
  std::array<Complex, 2> ports{};
  void receive(Complex signal) {
    field += signal * std::conj(signal);
    field *= 2;
    field -= Complex(0, 1);
    ports[1] = field;
    ports[0] += std::norm(field) + real(field);
    gain = {imag(gain) + 1, gain.real()};
  }
};

static int escape(Complex c) {
  Complex z = 0;
  int n = 0;
  for (; n < 50 && std::norm(z) <= 4; ++n)
    z = z * z + c;
  return n;
}

int main() {
  const auto escapes = ikra::pnew({16, 24}, [](ikra::index<2> p) {
    return escape({double(p[1]) / 8 - 2, double(p[0]) / 8 - 1});
  });
  std::printf("%d\n", escapes.sum());

  const auto z = ikra::pnew(16, [](std::int64_t i) { return Complex(double(i), -double(i) / 2); });
  const Complex k(0, 1);
  const auto turned = z.pmap([k](Complex c) { return std::conj(c) * k + c.real() - c / 2.0; });
  for (const Complex& c : turned)
    std::printf("(%g, %g)", c.real(), c.imag());
  const Complex sum = turned.preduce(std::plus<Complex>{}).value();
  const Complex both = turned.preduce([](auto a, const auto& b) { return a + b; })[0];
  std::printf("\n%g %g %d\n", sum.real(), sum.imag(), sum == both);
  std::printf("%g\n", z.pcombine(turned, std::multiplies<>{})[3].imag());
  const auto waves = turned.with_index().pmap([](Complex c, std::int64_t i) {
    Wave w{-c, int(i)};
    w.amplitude.real(w.amplitude.real() + 1);
    return w;
  });
  const auto quiet =
      waves.pselect([](const Wave& w) { return w.amplitude != Complex(1, 0) && w.phase < 9; });
  std::printf("%zu %g\n", quiet.size(), quiet[2].amplitude.imag());
  const auto smooth =
      z.pstencil({-1, 0, 1}, ikra::wrap, [](auto v) { return v[-1] + 2.0 * v[0] + v[1]; });
  std::printf("%g %g\n", smooth[0].real(), smooth[15].imag());

  std::vector<Antenna> store(5);
  const auto antennas = ikra::objects(store);
  antennas.with_index().peach(
      [](Antenna* a, std::int64_t i) { a->receive(Complex(double(i), 1)); });
  antennas.peach(2, [k](Antenna* a) { a->field += k; });
  for (const Antenna& a : store)
    std::printf("(%g, %g) (%g, %g) %g\n", a.field.real(), a.field.imag(), double(a.gain.real()),
                double(a.gain.imag()), a.ports[0].real() + a.ports[1].imag());
}
