// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic and functions of std::complex for device code. The type is the program's own: two
// adjacent numbers. libstdc++ computes with the compiler's complex numbers, which nvcc leaves out
// of kernels without a word, so a kernel computes with the parts.
//
// On the host each function is the standard library's. On a device + - * / give the same bits as
// g++ does: products and quotients follow annex G of C where parts are infinite, and quotients are
// libgcc's, by M. Baudin and R. L. Smith, "A Robust Complex Division in Scilab" (2012), or for
// float in double precision. Other functions differ by rounding, as the functions of numbers do
// that they use; they follow W. Kahan, "Branch Cuts for Complex Elementary Functions" (1987), and
// annex G.
#pragma once

#include <ikra/config.hpp>
#include <ikra/generated/device/macros.hpp>

#include <bit>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstdint>
#include <limits>
#include <numbers>
#include <type_traits>

namespace ikra::complex_math {

template <class T> using number = std::complex<T>;

/// What std's functions compute in, of numbers of different types.
template <class T, class U>
using common = std::common_type_t<std::conditional_t<std::integral<T>, double, T>,
                                  std::conditional_t<std::integral<U>, double, U>>;

/// The formulas themselves, for both sides: tests compare them with the standard library's.
namespace on_device {

template <class T> IKRA_HD T infinity() { return std::numeric_limits<T>::infinity(); }
template <class T> IKRA_HD T nan() { return std::numeric_limits<T>::quiet_NaN(); }

/// 1 with the sign of an infinity, 0 with that of another value.
template <class T> IKRA_HD T as_direction(T x) {
  return std::copysign(std::isinf(x) ? T(1) : T(0), x);
}
/// A number; 0 with the sign of what is none.
template <class T> IKRA_HD T as_number(T x) { return std::isnan(x) ? std::copysign(T(0), x) : x; }

/// Whether both parts may be no numbers: true for infinities too. It looks at the exponents alone,
/// as integers, since a GPU's units for doubles are what escape loops wait for.
IKRA_HD inline bool may_both_be_nan(double a, double b) {
  constexpr auto exponent = std::uint32_t(0x7ff) << 20;
  const auto upper_half = [](double x) {
    return static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(x) >> 32);
  };
  return (upper_half(a) & upper_half(b) & exponent) == exponent;
}
IKRA_HD inline bool may_both_be_nan(float a, float b) {
  constexpr auto exponent = std::uint32_t(0xff) << 23;
  return (std::bit_cast<std::uint32_t>(a) & std::bit_cast<std::uint32_t>(b) & exponent) == exponent;
}

/// A product with parts that are both no numbers: infinite, if it should be.
template <class T> IKRA_HD number<T> mended_product(T a, T b, T c, T d, number<T> product) {
  bool is_infinite = false;
  if (std::isinf(a) || std::isinf(b)) {
    a = as_direction(a);
    b = as_direction(b);
    c = as_number(c);
    d = as_number(d);
    is_infinite = true;
  }
  if (std::isinf(c) || std::isinf(d)) {
    c = as_direction(c);
    d = as_direction(d);
    a = as_number(a);
    b = as_number(b);
    is_infinite = true;
  }
  if (!is_infinite &&
      (std::isinf(a * c) || std::isinf(b * d) || std::isinf(a * d) || std::isinf(b * c))) {
    a = as_number(a);
    b = as_number(b);
    c = as_number(c);
    d = as_number(d);
    is_infinite = true;
  }
  return is_infinite ? number<T>(infinity<T>() * (a * c - b * d), infinity<T>() * (a * d + b * c))
                     : product;
}

/// A product with parts that are large or no numbers. It is called: within a loop it would take
/// registers and time.
template <class T> IKRA_OUT_OF_LINE IKRA_HD number<T> rare_product(T a, T b, T c, T d) {
  const number<T> product(a * c - b * d, a * d + b * c);
  return std::isnan(product.real()) && std::isnan(product.imag())
             ? mended_product(a, b, c, d, product)
             : product;
}

template <class T> IKRA_HD number<T> multiply(const number<T>& x, const number<T>& y) {
  const T a = x.real(), b = x.imag(), c = y.real(), d = y.imag();
  const T re = a * c - b * d, im = a * d + b * c;
  if (may_both_be_nan(re, im)) [[unlikely]]
    return rare_product(a, b, c, d);
  return {re, im};
}

/// A quotient with parts that are both no numbers: infinite or zero, if it should be.
template <class T> IKRA_HD number<T> mended_quotient(T a, T b, T c, T d, number<T> quotient) {
  if (c == 0 && d == 0 && (!std::isnan(a) || !std::isnan(b)))
    return {std::copysign(infinity<T>(), c) * a, std::copysign(infinity<T>(), c) * b};
  if ((std::isinf(a) || std::isinf(b)) && std::isfinite(c) && std::isfinite(d)) {
    a = as_direction(a);
    b = as_direction(b);
    return {infinity<T>() * (a * c + b * d), infinity<T>() * (b * c - a * d)};
  }
  if ((std::isinf(c) || std::isinf(d)) && std::isfinite(a) && std::isfinite(b)) {
    c = as_direction(c);
    d = as_direction(d);
    return {T(0) * (a * c + b * d), T(0) * (b * c - a * d)};
  }
  return quotient;
}

/// (a + bi) / (c + di) with |c| >= |d|: Smith's, scaled so that what is very large or very small
/// neither overflows nor vanishes.
IKRA_HD inline number<double> robust_quotient(double& a, double& b, double& c, double& d) {
  using limits = std::numeric_limits<double>;
  constexpr double large = limits::max() / 2, small = limits::min(), tiny = limits::epsilon();
  constexpr double up = 1 / tiny, still_small = large * tiny;
  double scale = 1;
  if (std::fabs(c) >= large) {
    a /= 2, b /= 2, c /= 2, d /= 2;
  }
  if (std::fabs(c) < tiny)
    scale = up;
  else if (std::fabs(c) < still_small && ((std::fabs(a) < small && std::fabs(b) < still_small) ||
                                          (std::fabs(b) < small && std::fabs(a) < still_small)))
    scale = up;
  a *= scale, b *= scale, c *= scale, d *= scale;
  const double ratio = d / c, by = c + d * ratio;
  if (std::fabs(ratio) > small)
    return {(a + b * ratio) / by, (b - a * ratio) / by};
  return {(a + d * (b / c)) / by, (b - d * (a / c)) / by};
}

IKRA_HD inline number<double> divide(const number<double>& x, const number<double>& y) {
  double a = x.real(), b = x.imag(), c = y.real(), d = y.imag();
  number<double> quotient;
  if (std::fabs(c) < std::fabs(d)) { // both times i: (b - ai) / (d - ci)
    double e = -a, f = -c;
    quotient = robust_quotient(b, e, d, f);
    a = -e, c = -f;
  } else {
    quotient = robust_quotient(a, b, c, d);
  }
  if (may_both_be_nan(quotient.real(), quotient.imag()) && std::isnan(quotient.real()) &&
      std::isnan(quotient.imag())) [[unlikely]]
    return mended_quotient(a, b, c, d, quotient);
  return quotient;
}

IKRA_HD inline number<float> divide(const number<float>& x, const number<float>& y) {
  const double a = x.real(), b = x.imag(), c = y.real(), d = y.imag();
  const double by = c * c + d * d;
  const number<float> quotient(static_cast<float>((a * c + b * d) / by),
                               static_cast<float>((b * c - a * d) / by));
  if (may_both_be_nan(quotient.real(), quotient.imag()) && std::isnan(quotient.real()) &&
      std::isnan(quotient.imag())) [[unlikely]]
    return mended_quotient(x.real(), x.imag(), y.real(), y.imag(), quotient);
  return quotient;
}

template <class T> IKRA_HD T abs(const number<T>& z) { return std::hypot(z.real(), z.imag()); }
template <class T> IKRA_HD T arg(const number<T>& z) { return std::atan2(z.imag(), z.real()); }
template <class T> IKRA_HD number<T> polar(T length, T angle) {
  return {length * std::cos(angle), length * std::sin(angle)};
}

template <class T> IKRA_HD number<T> exp(const number<T>& z) {
  const T x = z.real(), y = z.imag();
  if (y == 0)
    return {std::exp(x), y};
  if (!std::isfinite(y)) {
    if (std::isinf(x))
      return x < 0 ? number<T>(0, std::copysign(T(0), y)) : number<T>(x, nan<T>());
    return {nan<T>(), nan<T>()};
  }
  // Where the power alone would overflow, its halves do not.
  const T half = x > T(80) && std::isfinite(x) ? x / 2 : T(0), power = std::exp(x - half),
          rest = std::exp(half);
  return {power * std::cos(y) * rest, power * std::sin(y) * rest};
}

template <class T> IKRA_HD number<T> log(const number<T>& z) {
  const T x = std::fabs(z.real()), y = std::fabs(z.imag());
  const T large = x < y ? y : x, small = x < y ? x : y;
  T length = 0;
  if (large > T(0.5) && large < T(1.5)) // near 1 the logarithm is near 0
    length = std::log1p((large - 1) * (large + 1) + small * small) / 2;
  else if (large > std::numeric_limits<T>::max() / 2 && std::isfinite(large))
    length = std::log(std::hypot(x / 2, y / 2)) + std::log(T(2));
  else
    length = std::log(std::hypot(x, y));
  return {length, on_device::arg(z)};
}

template <class T> IKRA_HD number<T> sqrt(const number<T>& z) {
  T x = z.real(), y = z.imag();
  if (x == 0 && y == 0)
    return {T(0), y};
  if (std::isinf(y))
    return {infinity<T>(), y};
  if (std::isinf(x)) {
    const T other = std::isnan(y) ? y : std::copysign(T(0), y);
    return x > 0 ? number<T>(x, other) : number<T>(std::fabs(other), std::copysign(-x, y));
  }
  // Four times as large or small, the root is twice as large or small.
  const T limit = std::numeric_limits<T>::max() / 4, least = std::numeric_limits<T>::min() * 16;
  T back = 1;
  if (std::fabs(x) > limit || std::fabs(y) > limit) {
    x /= 4, y /= 4, back = 2;
  } else if (std::fabs(x) < least && std::fabs(y) < least) {
    const T up =
        T(std::numeric_limits<T>::digits > 24 ? 18014398509481984.0 : 67108864.0); // a square
    x *= up, y *= up, back = 1 / std::sqrt(up);
  }
  const T root = std::sqrt((std::fabs(x) + std::hypot(x, y)) / 2);
  if (x < 0)
    return {back * (std::fabs(y) / (2 * root)), std::copysign(back * root, y)};
  return {back * root, back * (y / (2 * root))};
}

template <class T> IKRA_HD number<T> sinh(const number<T>& z) {
  const T x = z.real(), y = z.imag();
  if (y == 0)
    return {std::sinh(x), y};
  if (x == 0)
    return {x, std::sin(y)};
  if (std::isinf(x) && !std::isfinite(y))
    return {x, nan<T>()};
  if (std::fabs(x) > T(40)) { // as exp, of |x|, halved
    const T half = std::exp(std::fabs(x) / 2);
    return {std::copysign(T(0.5), x) * half * std::cos(y) * half,
            T(0.5) * half * std::sin(y) * half};
  }
  return {std::sinh(x) * std::cos(y), std::cosh(x) * std::sin(y)};
}

template <class T> IKRA_HD number<T> cosh(const number<T>& z) {
  const T x = z.real(), y = z.imag();
  if (y == 0)
    return {std::cosh(x), std::isnan(x) ? y : y * std::copysign(T(1), x)};
  if (x == 0)
    return {std::cos(y), std::isfinite(y) ? x * std::sin(y) : x};
  if (std::isinf(x) && !std::isfinite(y))
    return {infinity<T>(), nan<T>()};
  if (std::fabs(x) > T(40)) {
    const T half = std::exp(std::fabs(x) / 2);
    return {T(0.5) * half * std::cos(y) * half,
            std::copysign(T(0.5), x) * half * std::sin(y) * half};
  }
  return {std::cosh(x) * std::cos(y), std::sinh(x) * std::sin(y)};
}

template <class T> IKRA_HD number<T> tanh(const number<T>& z) {
  const T x = z.real(), y = z.imag();
  if (y == 0)
    return {std::tanh(x), y};
  if (std::isinf(x))
    return {std::copysign(T(1), x), std::copysign(T(0), std::isfinite(y) ? std::sin(2 * y) : y)};
  if (!std::isfinite(y))
    return {x == 0 ? x : nan<T>(), nan<T>()};
  if (std::fabs(x) > T(20))
    return {std::copysign(T(1), x), 4 * std::sin(y) * std::cos(y) * std::exp(-2 * std::fabs(x))};
  const T t = std::tan(y), beta = 1 + t * t, s = std::sinh(x), rho = std::sqrt(1 + s * s);
  const T by = 1 + beta * s * s;
  return {beta * rho * s / by, t / by};
}

/// -i f(iz), which is how the functions of the circle follow from those above.
template <class T> IKRA_HD number<T> sin(const number<T>& z) {
  const number<T> turned = on_device::sinh(number<T>(-z.imag(), z.real()));
  return {turned.imag(), -turned.real()};
}
template <class T> IKRA_HD number<T> cos(const number<T>& z) {
  return on_device::cosh(number<T>(-z.imag(), z.real()));
}
template <class T> IKRA_HD number<T> tan(const number<T>& z) {
  const number<T> turned = on_device::tanh(number<T>(-z.imag(), z.real()));
  return {turned.imag(), -turned.real()};
}
template <class T> IKRA_HD number<T> log10(const number<T>& z) {
  constexpr T log10_of_e = std::numbers::log10e_v<T>;
  const number<T> natural = on_device::log(z);
  return {natural.real() * log10_of_e, natural.imag() * log10_of_e};
}

template <class T> IKRA_HD number<T> pow(const number<T>& z, T exponent) {
  if (z.imag() == 0 && z.real() > 0)
    return {std::pow(z.real(), exponent), T(0)};
  const number<T> log = on_device::log(z);
  return on_device::polar(std::exp(exponent * log.real()), exponent * log.imag());
}
template <class T> IKRA_HD number<T> pow(const number<T>& z, const number<T>& exponent) {
  return on_device::exp(on_device::multiply(exponent, on_device::log(z)));
}
template <class T> IKRA_HD number<T> pow(T base, const number<T>& exponent) {
  return base > 0
             ? on_device::polar(std::pow(base, exponent.real()), exponent.imag() * std::log(base))
             : on_device::pow(number<T>(base, 0), exponent);
}

/// By repeated squares, as libstdc++ has it for an int.
template <class T> IKRA_HD number<T> power(number<T> z, int exponent) {
  unsigned n =
      exponent < 0 ? 0u - static_cast<unsigned>(exponent) : static_cast<unsigned>(exponent);
  number<T> product = n % 2 != 0 ? z : number<T>(1, 0);
  while (n >>= 1) {
    z = on_device::multiply(z, z);
    if (n % 2 != 0)
      product = on_device::multiply(product, z);
  }
  return exponent < 0 ? on_device::divide(number<T>(1, 0), product) : product;
}

} // namespace on_device

// On the host std's function or operator, in a kernel the one above.
#ifdef __CUDA_ARCH__
#define IKRA_COMPLEX(OnDevice, OnHost) return OnDevice
#else
#define IKRA_COMPLEX(OnDevice, OnHost) return OnHost
#endif

/// \name Operators
/// \{
template <class T> IKRA_HD number<T> add(const number<T>& x, const number<T>& y) {
  return {x.real() + y.real(), x.imag() + y.imag()};
}
template <class T> IKRA_HD number<T> add(const number<T>& x, T y) {
  return {x.real() + y, x.imag()};
}
template <class T> IKRA_HD number<T> add(T x, const number<T>& y) { return add(y, x); }
template <class T> IKRA_HD number<T> subtract(const number<T>& x, const number<T>& y) {
  return {x.real() - y.real(), x.imag() - y.imag()};
}
template <class T> IKRA_HD number<T> subtract(const number<T>& x, T y) {
  return {x.real() - y, x.imag()};
}
template <class T> IKRA_HD number<T> subtract(T x, const number<T>& y) {
  return {-y.real() + x, -y.imag()};
}
template <class T> IKRA_HD number<T> multiply(const number<T>& x, const number<T>& y) {
  IKRA_COMPLEX(on_device::multiply(x, y), x * y);
}
template <class T> IKRA_HD number<T> multiply(const number<T>& x, T y) {
  return {x.real() * y, x.imag() * y};
}
template <class T> IKRA_HD number<T> multiply(T x, const number<T>& y) { return multiply(y, x); }
template <class T> IKRA_HD number<T> divide(const number<T>& x, const number<T>& y) {
  IKRA_COMPLEX(on_device::divide(x, y), x / y);
}
template <class T> IKRA_HD number<T> divide(const number<T>& x, T y) {
  return {x.real() / y, x.imag() / y};
}
template <class T> IKRA_HD number<T> divide(T x, const number<T>& y) {
  IKRA_COMPLEX(on_device::divide(number<T>(x, 0), y), x / y);
}
/// \}

/// A number of another precision. \tparam To std::complex
template <class To, class T> IKRA_HD To converted(const number<T>& z) {
  using part = typename To::value_type;
  return To(static_cast<part>(z.real()), static_cast<part>(z.imag()));
}

/// \name Assignments; sums and differences of two precisions are computed in the wider one
/// \{
template <class T, class U> IKRA_HD number<T>& assign(number<T>& z, const number<U>& to) {
  return z = complex_math::converted<number<T>>(to);
}
template <class T> IKRA_HD number<T>& assign(number<T>& z, T to) { return z = number<T>(to, T(0)); }
template <class T, class U> IKRA_HD number<T>& add_to(number<T>& z, const number<U>& by) {
  return z = number<T>(static_cast<T>(z.real() + by.real()), static_cast<T>(z.imag() + by.imag()));
}
template <class T> IKRA_HD number<T>& add_to(number<T>& z, T by) { return z = add(z, by); }
template <class T, class U> IKRA_HD number<T>& subtract_from(number<T>& z, const number<U>& by) {
  return z = number<T>(static_cast<T>(z.real() - by.real()), static_cast<T>(z.imag() - by.imag()));
}
template <class T> IKRA_HD number<T>& subtract_from(number<T>& z, T by) {
  return z = subtract(z, by);
}
template <class T, class U> IKRA_HD number<T>& multiply_by(number<T>& z, const number<U>& by) {
  return z = complex_math::multiply(z, complex_math::converted<number<T>>(by));
}
template <class T> IKRA_HD number<T>& multiply_by(number<T>& z, T by) {
  return z = complex_math::multiply(z, by);
}
template <class T, class U> IKRA_HD number<T>& divide_by(number<T>& z, const number<U>& by) {
  return z = complex_math::divide(z, complex_math::converted<number<T>>(by));
}
template <class T> IKRA_HD number<T>& divide_by(number<T>& z, T by) {
  return z = complex_math::divide(z, by);
}
/// \}

/// \name Functions of <complex>, of a real number too where that is there
/// \{
template <class T> IKRA_HD T real(const number<T>& z) { return z.real(); }
template <class T> IKRA_HD T imag(const number<T>& z) { return z.imag(); }
template <class T> IKRA_HD T norm(const number<T>& z) {
  return z.real() * z.real() + z.imag() * z.imag();
}
template <class T> IKRA_HD number<T> conj(const number<T>& z) { return {z.real(), -z.imag()}; }
template <class T> IKRA_HD number<T> proj(const number<T>& z) {
  return std::isinf(z.real()) || std::isinf(z.imag())
             ? number<T>(on_device::infinity<T>(), std::copysign(T(0), z.imag()))
             : z;
}
template <class T> IKRA_HD T arg(const number<T>& z) {
  IKRA_COMPLEX(on_device::arg(z), std::arg(z));
}
template <class T> IKRA_HD T abs(const number<T>& z) {
  IKRA_COMPLEX(on_device::abs(z), std::abs(z));
}
template <class T> IKRA_HD number<T> polar(T length, T angle = T()) {
  return on_device::polar(length, angle);
}

template <class T>
  requires std::is_arithmetic_v<T>
IKRA_HD common<T, T> real(T x) {
  return x;
}
template <class T>
  requires std::is_arithmetic_v<T>
IKRA_HD common<T, T> imag(T) {
  return 0;
}
template <class T>
  requires std::is_arithmetic_v<T>
IKRA_HD common<T, T> norm(T x) {
  return common<T, T>(x) * common<T, T>(x);
}
template <class T>
  requires std::is_arithmetic_v<T>
IKRA_HD common<T, T> arg(T x) {
  return complex_math::arg(number<common<T, T>>(common<T, T>(x), 0));
}
template <class T>
  requires std::is_arithmetic_v<T>
IKRA_HD number<common<T, T>> conj(T x) {
  return {common<T, T>(x), -common<T, T>(0)};
}
template <class T>
  requires std::is_arithmetic_v<T>
IKRA_HD number<common<T, T>> proj(T x) {
  return complex_math::proj(number<common<T, T>>(common<T, T>(x), 0));
}

template <class T> IKRA_HD number<T> exp(const number<T>& z) {
  IKRA_COMPLEX(on_device::exp(z), std::exp(z));
}
template <class T> IKRA_HD number<T> log(const number<T>& z) {
  IKRA_COMPLEX(on_device::log(z), std::log(z));
}
template <class T> IKRA_HD number<T> log10(const number<T>& z) {
  IKRA_COMPLEX(on_device::log10(z), std::log10(z));
}
template <class T> IKRA_HD number<T> sqrt(const number<T>& z) {
  IKRA_COMPLEX(on_device::sqrt(z), std::sqrt(z));
}
template <class T> IKRA_HD number<T> sin(const number<T>& z) {
  IKRA_COMPLEX(on_device::sin(z), std::sin(z));
}
template <class T> IKRA_HD number<T> cos(const number<T>& z) {
  IKRA_COMPLEX(on_device::cos(z), std::cos(z));
}
template <class T> IKRA_HD number<T> tan(const number<T>& z) {
  IKRA_COMPLEX(on_device::tan(z), std::tan(z));
}
template <class T> IKRA_HD number<T> sinh(const number<T>& z) {
  IKRA_COMPLEX(on_device::sinh(z), std::sinh(z));
}
template <class T> IKRA_HD number<T> cosh(const number<T>& z) {
  IKRA_COMPLEX(on_device::cosh(z), std::cosh(z));
}
template <class T> IKRA_HD number<T> tanh(const number<T>& z) {
  IKRA_COMPLEX(on_device::tanh(z), std::tanh(z));
}

/// Of different types, both are first converted to the common one.
template <class T, class U>
IKRA_HD number<common<T, U>> pow(const number<T>& z, const number<U>& exponent) {
  IKRA_COMPLEX(
      on_device::pow(converted<number<common<T, U>>>(z), converted<number<common<T, U>>>(exponent)),
      std::pow(z, exponent));
}
template <class T, class U>
  requires std::is_arithmetic_v<U>
IKRA_HD number<common<T, U>> pow(const number<T>& z, U exponent) {
  IKRA_COMPLEX(
      on_device::pow(converted<number<common<T, U>>>(z), static_cast<common<T, U>>(exponent)),
      std::pow(z, exponent));
}
template <class T> IKRA_HD number<T> pow(const number<T>& z, int exponent) {
  IKRA_COMPLEX(on_device::power(z, exponent), std::pow(z, exponent));
}
template <class T, class U>
  requires std::is_arithmetic_v<T>
IKRA_HD number<common<T, U>> pow(T base, const number<U>& exponent) {
  IKRA_COMPLEX(
      on_device::pow(static_cast<common<T, U>>(base), converted<number<common<T, U>>>(exponent)),
      std::pow(base, exponent));
}
/// \}

#undef IKRA_COMPLEX

} // namespace ikra::complex_math
