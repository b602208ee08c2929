// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The formulas by which kernels compute with std::complex, beside those of the standard library:
// products and quotients to the bit, functions within some units in the last place, of parts from
// all magnitudes, infinities, NaNs and zeros of both signs.
#include <ikra/generated/language/complex_math.hpp>

#include <catch2/catch.hpp>

#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace cm = ikra::complex_math;

namespace {

template <class T> using bits_of = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

/// Numbers that decide something, and some of each magnitude.
template <class T> std::vector<T> parts() {
  using limits = std::numeric_limits<T>;
  std::vector<T> all = {0,
                        1,
                        T(0.5),
                        2,
                        T(3.25),
                        limits::min(),
                        limits::min() / 2,
                        limits::denorm_min(),
                        limits::epsilon(),
                        limits::max(),
                        limits::max() / 2,
                        limits::max() * limits::epsilon() / 2,
                        limits::infinity(),
                        limits::quiet_NaN()};
  for (std::size_t k = 0, n = all.size(); k < n; ++k)
    all.push_back(-all[k]);
  return all;
}

/// Any bits, or a number about as large as 1.
template <class T> T random_part(std::mt19937_64& random) {
  if (random() % 2 == 0)
    return std::bit_cast<T>(static_cast<bits_of<T>>(random()));
  return static_cast<T>(static_cast<double>(random()) / 0x1p63 - 1);
}

/// The same bits; all NaNs are one.
template <class T> bool same(T a, T b) {
  return (std::isnan(a) && std::isnan(b)) ||
         std::bit_cast<bits_of<T>>(a) == std::bit_cast<bits_of<T>>(b);
}
template <class T> bool same(const std::complex<T>& a, const std::complex<T>& b) {
  return same(a.real(), b.real()) && same(a.imag(), b.imag());
}

/// Within a few units in the last place of the larger part.
template <class T> bool near(const std::complex<T>& a, const std::complex<T>& b) {
  const auto size = std::max(std::fabs(b.real()), std::fabs(b.imag()));
  const auto is_near = [&](T x, T y) {
    const T within =
        8 * std::numeric_limits<T>::epsilon() * (std::isfinite(size) ? size : std::fabs(y)) +
        8 * std::numeric_limits<T>::denorm_min();
    return (std::isnan(x) && std::isnan(y)) || x == y || std::fabs(x - y) <= within;
  };
  return is_near(a.real(), b.real()) && is_near(a.imag(), b.imag());
}

template <class T> void check_arithmetic() {
  std::size_t wrong = 0;
  const auto compare = [&](T a, T b, T c, T d) {
    const std::complex<T> x(a, b), y(c, d);
    const bool right =
        same(cm::on_device::multiply(x, y), x * y) && same(cm::on_device::divide(x, y), x / y);
    if (!right && ++wrong < 4) {
      CAPTURE(a, b, c, d, x * y, cm::on_device::multiply(x, y), x / y, cm::on_device::divide(x, y));
      CHECK(right);
    }
    const bool others = same(cm::add(x, y), x + y) && same(cm::subtract(x, y), x - y) &&
                        same(cm::add(x, c), x + c) && same(cm::add(c, x), c + x) &&
                        same(cm::subtract(x, c), x - c) && same(cm::subtract(c, x), c - x) &&
                        same(cm::multiply(x, c), x * c) && same(cm::multiply(c, x), c * x) &&
                        same(cm::divide(x, c), x / c) && same(cm::norm(x), std::norm(x)) &&
                        same(cm::on_device::divide(std::complex<T>(c, 0), x), c / x);
    if (!others && ++wrong < 4) {
      CAPTURE(a, b, c, d);
      CHECK(others);
    }
  };
  const std::vector<T> all = parts<T>();
  for (const T a : all)
    for (const T b : all)
      for (const T c : all)
        for (const T d : all)
          compare(a, b, c, d);
  std::mt19937_64 random(1);
  for (int k = 0; k < 200'000; ++k)
    compare(random_part<T>(random), random_part<T>(random), random_part<T>(random),
            random_part<T>(random));
  CHECK(wrong == 0);
}

template <class T> void check_functions() {
  using number = std::complex<T>;
  struct function {
    const char* name;
    number (*own)(const number&);
    number (*standard)(const number&);
    T largest; ///< of random parts: beyond, a small error in the argument is a large one in the
               ///< result
  };
  const auto functions = std::to_array<function>({
      {"exp", cm::on_device::exp<T>, std::exp<T>, 80},
      {"log", cm::on_device::log<T>, std::log<T>, 1000},
      {"sqrt", cm::on_device::sqrt<T>, std::sqrt<T>, 1000},
      {"sinh", cm::on_device::sinh<T>, std::sinh<T>, 60},
      {"cosh", cm::on_device::cosh<T>, std::cosh<T>, 60},
      {"tanh", cm::on_device::tanh<T>, std::tanh<T>, 30},
      {"sin", cm::on_device::sin<T>, std::sin<T>, 60},
      {"cos", cm::on_device::cos<T>, std::cos<T>, 60},
      {"tan", cm::on_device::tan<T>, std::tan<T>, 30},
      {"log10", cm::on_device::log10<T>, std::log10<T>, 1000},
  });
  std::mt19937_64 random(2);
  for (const function& f : functions) {
    const auto check = [&](number z) {
      const number own = f.own(z), standard = f.standard(z);
      INFO(f.name << z << " is " << standard << ", by ikra " << own);
      CHECK(near(own, standard));
    };
    for (int k = 0; k < 2000; ++k) {
      const auto part = [&] {
        return static_cast<T>((static_cast<double>(random()) / 0x1p63 - 1) * f.largest);
      };
      const T x = part(), y = part();
      check({x, y});
      check({x / f.largest, y / f.largest});
    }
    for (const T x :
         {T(0), T(1), std::numeric_limits<T>::infinity(), std::numeric_limits<T>::max()})
      for (const T y : {T(0), T(1), T(-2)})
        for (const T sign : {T(1), T(-1)})
          check({sign * x, y});
  }
}

} // namespace

TEST_CASE("products and quotients of complex numbers have g++'s bits", "[complex]") {
  SECTION("float") { check_arithmetic<float>(); }
  SECTION("double") { check_arithmetic<double>(); }
}

TEST_CASE("functions of complex numbers are the standard library's but for rounding", "[complex]") {
  SECTION("float") { check_functions<float>(); }
  SECTION("double") { check_functions<double>(); }
}

TEST_CASE("powers and assignments of complex numbers convert as the standard library does",
          "[complex]") {
  const std::complex<double> z(1.25, -0.5), w(0.5, 2);
  CHECK(near(cm::on_device::pow(z, w), std::pow(z, w)));
  CHECK(near(cm::on_device::pow(z, 3.0), std::pow(z, 3)));
  CHECK(near(cm::on_device::pow(std::complex<double>(2, 0), 0.5),
             std::pow(std::complex<double>(2, 0), 0.5)));
  CHECK(near(cm::on_device::pow(2.0, w), std::pow(2.0, w)));
  CHECK(near(cm::on_device::pow(-2.0, w), std::pow(-2.0, w)));
  for (int n = -9; n < 10; ++n)
    CHECK(same(cm::on_device::power(z, n), std::pow(z, n)));
  const auto gives_the_same = [](auto base, auto exponent) {
    return std::is_same_v<decltype(cm::pow(base, exponent)), decltype(std::pow(base, exponent))>;
  };
  const std::complex<float> narrow;
  CHECK(gives_the_same(narrow, 2));
  CHECK(gives_the_same(narrow, 2L));
  CHECK(gives_the_same(narrow, 2.0f));
  CHECK(gives_the_same(narrow, 2.0));
  CHECK(gives_the_same(2.0f, narrow));
  CHECK(gives_the_same(narrow, z));

  std::complex<float> own(0.1f, 1e-3f), standard = own;
  const std::complex<double> by(1e-9, 3);
  const auto both = [&](auto change, auto as_standard) {
    change(own);
    as_standard(standard);
    CHECK(same(own, standard));
  };
  both([&](auto& v) { cm::add_to(v, by); }, [&](auto& v) { v += by; });
  both([&](auto& v) { cm::multiply_by(v, by); }, [&](auto& v) { v *= by; });
  both([&](auto& v) { cm::subtract_from(v, by); }, [&](auto& v) { v -= by; });
  both([&](auto& v) { cm::divide_by(v, by); }, [&](auto& v) { v /= by; });
  both([&](auto& v) { cm::assign(v, by); }, [&](auto& v) { v = by; });
  both([&](auto& v) { cm::assign(v, 2.5f); }, [&](auto& v) { v = 2.5f; });
}
