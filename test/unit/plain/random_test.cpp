// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ikra::random against the published known answers of Philox 4x32-10, and the definition of its
// derived numbers.
#include <ikra/random.hpp>

#include <catch2/catch.hpp>

#include <array>
#include <cstdint>
#include <type_traits>

namespace {
std::array<std::uint32_t, 4> first_four(std::uint64_t seed, std::uint64_t element,
                                        std::uint32_t step) {
  ikra::random r(seed, element, step);
  return {r.bits(), r.bits(), r.bits(), r.bits()};
}
} // namespace

TEST_CASE("Philox 4x32-10 gives the known answers of its authors") {
  using words = std::array<std::uint32_t, 4>;
  const auto philox = [](words counter, std::uint32_t key0, std::uint32_t key1) {
    const auto out =
        ikra::detail::philox({{counter[0], counter[1], counter[2], counter[3]}}, key0, key1);
    return words{out.w[0], out.w[1], out.w[2], out.w[3]};
  };
  CHECK(philox({0, 0, 0, 0}, 0, 0) == words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(philox({~0U, ~0U, ~0U, ~0U}, ~0U, ~0U) ==
        words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0xa4093822, 0x299f31d0) ==
        words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("the key is the seed, the counter is element, step and group") {
  CHECK(first_four(0, 0, 0) ==
        std::array<std::uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  const auto expected = ikra::detail::philox({{0x89abcdef, 0x01234567, 42, 0}}, 0xddccbbaa, 0x55);
  CHECK(first_four(0x55ddccbbaa, 0x0123456789abcdef, 42) ==
        std::array{expected.w[0], expected.w[1], expected.w[2], expected.w[3]});
  ikra::random r(1, 2, 3);
  for (int i = 0; i < 4; ++i)
    r.bits();
  CHECK(r.bits() == ikra::detail::philox({{2, 0, 3, 1}}, 1, 0).w[0]);
}

TEST_CASE("uniform numbers have 24 and 53 bits and lie from 0 to below 1") {
  ikra::random bits(7, 8, 9);
  ikra::random numbers(7, 8, 9);
  for (int i = 0; i < 1000; ++i) {
    const float f = numbers.uniform<float>();
    REQUIRE(f == float(bits.bits() >> 8U) / 16777216.0F);
    REQUIRE((f >= 0 && f < 1));
    const std::uint64_t upper = bits.bits();
    const std::uint64_t both = upper << 32U | bits.bits();
    const double d = numbers.uniform<double>();
    REQUIRE(d == double(both >> 11U) / 9007199254740992.0);
    REQUIRE((d >= 0 && d < 1));
  }
}

TEST_CASE("below(n) is in range, of n's type, and even") {
  ikra::random r(1, 1);
  std::array<int, 6> seen{};
  for (int i = 0; i < 60'000; ++i) {
    const int k = r.below(6);
    REQUIRE((k >= 0 && k < 6));
    ++seen[std::size_t(k)];
  }
  for (const int n : seen)
    CHECK((n > 9'600 && n < 10'400)); // four standard deviations; the numbers are always the same
  static_assert(std::is_same_v<decltype(r.below(std::int64_t{5})), std::int64_t>);
  for (int i = 0; i < 100; ++i) {
    REQUIRE(r.below(std::int64_t{1} << 40) < std::int64_t{1} << 40);
    REQUIRE(r.below(1U) == 0);
    REQUIRE(r.below(3'000'000'000U) < 3'000'000'000U);
  }
  CHECK(r.below(0) == 0);
  CHECK(r.below(-5) == 0);
}

TEST_CASE("streams are values: copies go on alike, other elements and steps differ") {
  ikra::random a(5, 6, 7);
  a.bits();
  ikra::random b = a;
  CHECK(a.bits() == b.bits());
  CHECK(first_four(5, 6, 7) != first_four(5, 6, 8));
  CHECK(first_four(5, 6, 7) != first_four(5, 7, 7));
  CHECK(first_four(5, 6, 7) != first_four(6, 6, 7));
  static_assert(std::is_trivially_copyable_v<ikra::random>);
}
