// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counter-based random numbers: Philox 4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel Random
// Numbers: As Easy as 1, 2, 3", SC'11, section 4). The numbers depend on seed, element and step
// alone, so they are the same in every build, on every device and for every number of threads.
// Relies on nothing but integer arithmetic.
#pragma once

#include <ikra/macros_aside.hpp>

#include <ikra/config.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace ikra {

namespace detail {

/// Four 32-bit words.
struct philox_words {
  std::uint32_t w[4];
};

/// The upper half of a 64-bit product.
IKRA_HD constexpr std::uint32_t upper_product(std::uint32_t a, std::uint32_t b) {
#ifdef __CUDA_ARCH__
  // Within a loop, nvcc adds a zero to the upper half of a product of 64 bits.
  if (!__builtin_is_constant_evaluated())
    return __umulhi(a, b);
#endif
  return static_cast<std::uint32_t>(std::uint64_t{a} * b >> 32U);
}

/// Ten rounds of Philox 4x32.
IKRA_HD constexpr philox_words philox(philox_words counter, std::uint32_t key0,
                                      std::uint32_t key1) {
  constexpr std::uint32_t multiplier0 = 0xD2511F53U, multiplier1 = 0xCD9E8D57U;
  for (int round = 0; round < 10; ++round) {
    counter = {{upper_product(multiplier1, counter.w[2]) ^ counter.w[1] ^ key0,
                multiplier1 * counter.w[2],
                upper_product(multiplier0, counter.w[0]) ^ counter.w[3] ^ key1,
                multiplier0 * counter.w[0]}};
    key0 += 0x9E3779B9U;
    key1 += 0xBB67AE85U;
  }
  return counter;
}

} // namespace detail

/// A stream of random numbers. Cheap to make: make one per element and step.
class random {
public:
  /// \param seed    of the whole program: the two halves of the key
  /// \param element which element draws: words 0 and 1 of the counter
  /// \param step    when it draws (the tick, say): word 2 of the counter, modulo 2^32
  template <std::integral Seed, std::integral Element, std::integral Step = int>
  IKRA_HD constexpr random(Seed seed, Element element, Step step = 0)
      : seed_(static_cast<std::uint64_t>(seed)), element_(static_cast<std::uint64_t>(element)),
        step_(static_cast<std::uint32_t>(step)) {}

  /// The next 32 bits.
  IKRA_HD constexpr std::uint32_t bits() {
    if (left_ == 0) {
      words_ = detail::philox({{low(element_), high(element_), step_, group_++}}, low(seed_),
                              high(seed_));
      left_ = 4;
    }
    --left_;
    const std::uint32_t next = words_.w[0];
    // Moved up, not indexed: the words stay in registers.
    words_ = {{words_.w[1], words_.w[2], words_.w[3], 0}};
    return next;
  }

  /// Uniform in [0, 1): a multiple of 2^-24 from the upper bits of one output, or of 2^-53 from two
  /// outputs, the first being the upper half.
  /// \tparam F float or double
  template <std::floating_point F> IKRA_HD constexpr F uniform() {
    static_assert(std::is_same_v<F, float> || std::is_same_v<F, double>, "float or double");
    if constexpr (std::is_same_v<F, float>)
      return static_cast<float>(bits() >> 8U) * 0x1p-24F;
    else
      return static_cast<double>(bits64() >> 11U) * 0x1p-53;
  }

  /// Uniform in 0 .. n - 1, without bias. Draws one output, or two if I has 64 bits, and seldom
  /// more.
  /// \param n at least 1; for less the result is 0
  template <std::integral I> IKRA_HD constexpr I below(I n) {
    if (n <= 0)
      return 0;
    // The values below a multiple of n are equally often each remainder; the few above it are drawn
    // again.
    if constexpr (sizeof(I) <= 4) {
      const auto range = static_cast<std::uint32_t>(n);
      std::uint64_t product = std::uint64_t{bits()} * range;
      if (static_cast<std::uint32_t>(product) < range) { // seldom, so that few pay for a division
        const std::uint32_t rest = (0U - range) % range; // 2^32 mod n, less than n
        while (static_cast<std::uint32_t>(product) < rest)
          product = std::uint64_t{bits()} * range;
      }
      return static_cast<I>(product >> 32U);
    } else {
      const auto range = static_cast<std::uint64_t>(n);
      const std::uint64_t rest = (std::uint64_t{0} - range) % range; // 2^64 mod n
      std::uint64_t value = bits64();
      while (value < rest)
        value = bits64();
      return static_cast<I>(value % range);
    }
  }

private:
  IKRA_HD static constexpr std::uint32_t low(std::uint64_t x) {
    return static_cast<std::uint32_t>(x);
  }
  IKRA_HD static constexpr std::uint32_t high(std::uint64_t x) {
    return static_cast<std::uint32_t>(x >> 32U);
  }
  IKRA_HD constexpr std::uint64_t bits64() {
    const std::uint64_t upper = bits();
    return upper << 32U | bits();
  }

  std::uint64_t seed_;
  std::uint64_t element_;
  std::uint32_t step_;
  std::uint32_t group_ = 0; ///< number of the next group of four outputs: word 3 of the counter
  std::uint32_t left_ = 0;  ///< how many of words_ were not given out
  detail::philox_words words_{}; ///< the next one first
};

} // namespace ikra

#include <ikra/macros_back.hpp>
