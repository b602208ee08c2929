// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What generated programs are made of: arithmetic that is defined for all operands, so that two
// builds have to agree bit for bit, data, and the report that is compared.
#pragma once

#include <ikra/ikra.hpp>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace fuzz {

enum class colour : std::uint8_t { red, green, blue };

/// Any value as a T: integers wrap around, floats are cut to what all integer types hold.
template <class T, class From> T to(From x) {
  if constexpr (std::is_enum_v<From>) {
    return to<T>(static_cast<int>(x));
  } else if constexpr (std::is_enum_v<T>) {
    return static_cast<T>(to<unsigned>(x) % 3u);
  } else if constexpr (std::is_same_v<T, bool>) {
    return x != From(0);
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<T>) {
    return x > From(-100) && x < From(100) ? static_cast<T>(static_cast<int>(x)) : T(7);
  } else {
    return static_cast<T>(x);
  }
}

template <class T> T add(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  else
    return a + b;
}
template <class T> T sub(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
  else
    return a - b;
}
template <class T> T mul(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  else
    return a * b;
}
template <class T> T quotient(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    if (b == T(0) || b == static_cast<T>(-1))
      return a;
    return static_cast<T>(a / b);
  } else {
    return a / b;
  }
}
template <class T> T smaller(T a, T b) { return b < a ? b : a; }
template <class T> T larger(T a, T b) { return a < b ? b : a; }

/// Associative, but not commutative: x -> m * x + c, with m and c in the halves of a number.
inline std::uint64_t compose(std::uint64_t f, std::uint64_t g) {
  const std::uint32_t fm = static_cast<std::uint32_t>(f >> 32), fc = static_cast<std::uint32_t>(f);
  const std::uint32_t gm = static_cast<std::uint32_t>(g >> 32), gc = static_cast<std::uint32_t>(g);
  return static_cast<std::uint64_t>(fm * gm) << 32 | (fm * gc + fc);
}

/// A position within a container of `size` > 0 elements.
template <class T> std::size_t within(T x, std::size_t size) {
  return static_cast<std::size_t>(to<std::uint32_t>(x)) % size;
}

/// Small and large numbers, with repeats.
template <class T> T value(std::uint64_t seed, std::uint64_t i) {
  const ikra::random dice(seed, i);
  const std::uint32_t bits = ikra::random(dice).bits();
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(static_cast<int>(bits % 64u) - 32) / T(bits & 0x100u ? 1 : 8);
  else if constexpr (std::is_enum_v<T> || std::is_same_v<T, bool>)
    return to<T>(bits % 3u);
  else
    return (bits & 0x300u) == 0 ? static_cast<T>(bits * std::uint64_t(0x9e3779b97f4a7c15))
                                : static_cast<T>(static_cast<int>(bits % 32u) - 8);
}

template <class T> std::vector<T> values(std::uint64_t seed, std::int64_t size) {
  std::vector<T> result;
  for (std::int64_t i = 0; i < size; ++i)
    result.push_back(value<T>(seed, static_cast<std::uint64_t>(i)));
  return result;
}

/// Which way a program goes: the same in all builds, and known only at run time.
inline std::uint64_t flips = 0;
inline bool flip() {
  flips = flips * 6364136223846793005U + 1442695040888963407U;
  return (flips >> 40U) % 2 != 0;
}

template <class T> std::uint64_t bits_of(T x) {
  if constexpr (std::is_same_v<T, float>)
    return std::isnan(x) ? 0x7fc00000u : std::bit_cast<std::uint32_t>(x);
  else if constexpr (std::is_same_v<T, double>)
    return std::isnan(x) ? 0x7ff8000000000000u : std::bit_cast<std::uint64_t>(x);
  else
    return static_cast<std::uint64_t>(x);
}

/// Runs one program; an ikra::error is part of what it says.
class report {
public:
  explicit report(const char* program) : program_(program) { flips = 0; }

  /// A line with the shape and a hash of all elements; with FUZZ_ELEMENTS set, the elements.
  template <class T, int R> void operator()(const char* name, const ikra::array<T, R>& a) const {
    attempt(name, [&] {
      const ikra::index<R> shape = a.shape();
      std::uint64_t hash = 0xcbf29ce484222325u;
      for (const T x : a)
        hash = (hash ^ bits_of(x)) * 0x100000001b3u;
      std::printf("%s %s (", program_, name);
      for (int d = 0; d < R; ++d)
        std::printf("%s%lld", d ? " " : "", static_cast<long long>(shape[d]));
      std::printf(") %016llx\n", static_cast<unsigned long long>(hash));
      if (std::getenv("FUZZ_ELEMENTS") != nullptr)
        for (std::size_t i = 0; i < a.size(); ++i)
          std::printf("  [%zu] %llx\n", i, static_cast<unsigned long long>(bits_of(a[i])));
    });
  }
  template <class T>
    requires std::is_arithmetic_v<T>
  void operator()(const char* name, T x) const {
    std::printf("%s %s %016llx\n", program_, name, static_cast<unsigned long long>(bits_of(x)));
  }

  template <class Run> void attempt(const char* name, const Run& run) const {
    try {
      run();
    } catch (const ikra::error& failure) {
      std::printf("%s %s error %d\n", program_, name, static_cast<int>(failure.kind()));
    } catch (const std::out_of_range&) {
      std::printf("%s %s out of range\n", program_, name);
    }
  }

private:
  const char* program_;
};

/// Prints a program's name and the seconds of its shortest run. What it throws ends a run.
template <class Run> void time_of(const char* program, const Run& run) {
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 4; ++i) {
    flips = 0;
    const auto begin = std::chrono::steady_clock::now();
    try {
      run();
    } catch (const ikra::error&) {
    } catch (const std::out_of_range&) {
    }
    best = std::min(
        best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  std::printf("%s %.9f\n", program, best);
}

} // namespace fuzz
