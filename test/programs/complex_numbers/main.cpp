// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::complex as elements, captures, results, in tuples, arrays and structs, and as members of
// objects: sums, products and quotients to the bit, other functions rounded to some digits, since
// devices differ in the last one.
#include <ikra/ikra.hpp>

#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <tuple>
#include <vector>

using namespace std::complex_literals;
using number = std::complex<double>;
using narrow = std::complex<float>;

namespace {

constexpr number turn{0.6, 0.8};
template <class T> T turned(T x) {
  using namespace std::complex_literals;
  return x * 0.9i + 2i;
}

template <class T> void print(const char* name, const ikra::array<std::complex<T>>& all) {
  std::printf("%s:", name);
  for (const std::complex<T> z : all)
    std::printf(" (%a, %a)", double(z.real()), double(z.imag()));
  std::printf("\n");
}
template <class T> void print_rounded(const char* name, const ikra::array<std::complex<T>>& all) {
  std::printf("%s:", name);
  for (const std::complex<T> z : all)
    std::printf(" (%.4f, %.4f)", double(z.real()) + 0.0, double(z.imag()) + 0.0);
  std::printf("\n");
}

struct Signal {
  number amplitude;
  std::array<narrow, 2> taps;
  int id = 0;
  number filtered() const { return amplitude * number(taps[0]) + number(taps[1]) / amplitude; }
};

class Oscillator {
public:
  Oscillator(number state, double frequency) : state_(state), frequency_(frequency) {}
  void step(number coupling) {
    state_ *= turn;
    state_ += coupling * frequency_;
    state_ /= 2.0;
  }
  number state() const { return state_; }

private:
  number state_;
  double frequency_;
  IKRA_OBJECT
};

int escapes(number c) {
  number z = 0;
  int n = 0;
  while (n < 100 && std::norm(z) < 4.0) {
    z = z * z + c;
    ++n;
  }
  return n;
}

void arithmetic(const ikra::array<number>& z, const ikra::array<narrow>& w) {
  print("sums", z.pmap([](number x) { return x + x - 1.0 + (2.0 - x) + 3.0; }));
  print("products", z.pcombine(w, [](number x, narrow y) { return x * number(y) * 2.0; }));
  print("quotients",
        z.pcombine(w, [](number x, narrow y) { return number(y) / x + x / 3.0 + 1.0 / x; }));
  print("narrow", w.pmap([](narrow x) { return x * x / (x + 1.5f) - -x; }));
  print("assigned", w.pmap([](narrow x) {
    narrow y = x;
    y += number(1e-9, 2);
    y -= 0.25f;
    y *= narrow(1, -1);
    y /= x;
    y.imag(y.real());
    number wide = y;
    wide = x;
    wide += y;
    return narrow(wide *= 0.5);
  }));
  print("literals", z.pmap([](number x) { return x * 1.5i + 2i + turn; }));
  print("literals of a template", z.pmap([](number x) { return turned(x); }));
  print("parts", z.pmap([](number x) {
    return number(std::real(x), std::imag(std::conj(x))) + std::norm(x);
  }));
  std::printf("equal: %d %d\n",
              int(z.count([](number x) { return x == number(1, 2) || x == 2.0; })),
              int(z.count([](number x) { return x != 2.0; })));
  print("sum", ikra::array{std::vector{z.sum(), z.preduce(1.0 + 0i, std::multiplies<>()).value()}});
  print("operators", z + z * z);
}

void functions(const ikra::array<number>& z, const ikra::array<narrow>& w) {
  const auto lengths = w.pmap([](narrow x) { return std::tuple{std::abs(x), std::arg(x)}; });
  for (const auto& [length, angle] : lengths)
    std::printf("%.4f %.4f\n", double(length), double(angle));
  print_rounded("polar",
                w.pmap([](narrow x) { return std::polar(x.real(), x.imag()) + std::polar(2.0f); }));
  print_rounded("exp and log",
                z.pmap([](number x) { return std::exp(x / 4.0) + std::log(x) + std::log10(x); }));
  print_rounded("roots", z.pmap([](number x) { return std::sqrt(x) + std::sqrt(-x); }));
  print_rounded("powers", z.pmap([](number x) {
    return std::pow(x, 3) + std::pow(x, 0.5) + std::pow(2.0, x) + std::pow(x, 1i);
  }));
  print_rounded("circle", w.pmap([](narrow x) { return std::sin(x) + std::cos(x) + std::tan(x); }));
  print_rounded("hyperbola",
                w.pmap([](narrow x) { return std::sinh(x) + std::cosh(x) + std::tanh(x); }));
}

/// Infinite parts follow annex G of C.
void infinite() {
  const double infinity = std::numeric_limits<double>::infinity();
  const double none = std::numeric_limits<double>::quiet_NaN();
  const ikra::array z{
      std::vector<number>{{infinity, none}, {1, infinity}, {1e300, 1e300}, {1e-320, 3}, {0, -0.0}}};
  const number two(2, 1);
  const auto shown = z.pmap([two](number x) {
    const number all[] = {x * two, x / two, two / x, std::proj(x)};
    std::uint32_t seen = 0; // infinite, no number, negative, for each part
    for (const number y : all)
      for (const double part : {y.real(), y.imag()})
        seen = seen * 8 + (std::isinf(part) ? 4 : 0) + (std::isnan(part) ? 2 : 0) +
               (!std::isnan(part) && std::signbit(part) ? 1 : 0);
    return seen;
  });
  for (const std::uint32_t seen : shown)
    std::printf("%06o ", unsigned(seen));
  std::printf("\n");
}

void classes(const ikra::array<number>& z) {
  const auto signals = z.with_index().pmap([](number x, std::int64_t i) {
    return Signal{x + 1.0, {narrow(1, float(i)), narrow(0.5f, -1)}, int(i)};
  });
  print("filtered", signals.pmap([](const Signal& s) { return s.filtered() + double(s.id); }));
  const auto pairs = z.pzip(z).pmap([](const std::tuple<number, number>& t) {
    return std::get<0>(t) * std::conj(std::get<1>(t));
  });
  print("pairs", pairs);
  const std::vector<number> table{1.0, 1i, {2, -1}};
  print("table", z.with_index().pmap([table](number x, std::int64_t i) {
    return x * table[std::size_t(i) % table.size()];
  }));

  std::vector<std::unique_ptr<Oscillator>> all;
  for (int i = 0; i < 5; ++i)
    all.push_back(std::make_unique<Oscillator>(number(i, 1), 0.25 * i));
  ikra::array{all}.peach(3, [coupling = number(0.5, -0.25)](Oscillator* o) { o->step(coupling); });
  print("oscillators", ikra::array{all}.pmap([](const Oscillator* o) { return o->state(); }));
}

} // namespace

int main() {
  const ikra::array z{std::vector<number>{{1, 2}, {2, 0}, {-0.5, 0.25}, {3, -1}, {-1, 0.125}}};
  const ikra::array w{
      std::vector<narrow>{{0.1f, 0.7f}, {-1, 0.5f}, {2, 0}, {0, -1}, {0.25f, 0.25f}}};
  arithmetic(z, w);
  functions(z, w);
  infinite();
  classes(z);

  const auto plane = ikra::pnew({60, 80}, [](ikra::index<2> i) {
    return escapes(number(-2 + double(i[1]) * 3 / 80, -1.2 + double(i[0]) * 2.4 / 60));
  });
  std::printf("escapes: %d\n", plane.sum());
  const auto smooth = ikra::array<number, 2>{std::vector<number>(48, number(1, 2)), {6, 8}}
                          .with_index()
                          .pmap([](number x, ikra::index<2> i) { return x * double(i[0] + i[1]); })
                          .pstencil({{-1, 0}, {0, 0}, {1, 0}}, number(-1, 0),
                                    [](auto v) { return (v(-1, 0) + v(0, 0) + v(1, 0)) / 3.0; });
  const number total = smooth.sum();
  std::printf("smooth: (%a, %a)\n", total.real(), total.imag());
}
