// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// preduce by generated code: the order of elements is kept, the result is the same in every run and
// for any number of threads, and a first value means what it means in the plain library.
#include "value_sections.hpp"

#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

namespace ikra_unit_values {

struct add {
  template <class T> IKRA_HD T operator()(T a, T b) const { return static_cast<T>(a + b); }
};
struct multiply_floats {
  IKRA_HD double operator()(double a, double b) const { return a * b; }
};
struct take_first {
  template <class T> IKRA_HD T operator()(T a, T) const { return a; }
};
struct take_last {
  template <class T> IKRA_HD T operator()(T, T b) const { return b; }
};
struct both {
  IKRA_HD bool operator()(bool a, bool b) const { return a && b; }
};

/// A run of numbers: whether it ascends by steps of one. 12 bytes, and no default constructor.
struct run {
  explicit IKRA_HD run(std::int32_t only) : first(only), last(only), ascends(1) {}
  std::int32_t first, last, ascends;
};
struct join {
  IKRA_HD run operator()(run a, const run& b) const {
    a.ascends = a.ascends && b.ascends && a.last + 1 == b.first;
    a.last = b.last;
    return a;
  }
};

/// A plain struct of two numbers.
struct extremes {
  std::int32_t least, largest;
};
struct widen {
  IKRA_HD extremes operator()(extremes a, extremes b) const {
    return {a.least < b.least ? a.least : b.least, a.largest > b.largest ? a.largest : b.largest};
  }
};

} // namespace ikra_unit_values

using namespace ikra_unit_values;

namespace {

template <class Body, class T> T reduced(const std::vector<T>& values) {
  return ikra::array{values}.preduce(reduce_section<T, Body>()).value();
}

} // namespace

TEST_CASE("elements are combined in their order by a body that is not commutative") {
  const threads many(GENERATE(1, 3));
  for (const std::size_t n : sizes()) {
    const auto maps = affine_maps(n);
    INFO(n << " elements");
    REQUIRE(reduced<compose>(maps) == ikra::array{maps}.preduce(compose{}).value());
  }
}

TEST_CASE("many elements are combined in their order, over two and three launches") {
  const threads many(4);
  const auto maps = affine_maps(1000003);
  CHECK(reduced<compose>(maps) == ikra::array{maps}.preduce(compose{}).value());
  std::vector<run> runs;
  for (std::int32_t i = 0; i < 17000000; ++i)
    runs.emplace_back(i);
  const run whole = ikra::array{std::move(runs)}.preduce(reduce_section<run, join>()).value();
  CHECK(whole.ascends == 1);
  CHECK(whole.first == 0);
  CHECK(whole.last == 16999999);
}

TEST_CASE("bodies only meet elements of the array, also where the last block is not full") {
  for (const std::size_t n : sizes()) {
    std::vector<std::int32_t> values = counted<std::int32_t>(n);
    values.front() = -7;
    values.back() = 777;
    REQUIRE(reduced<take_first>(values) == (n == 1 ? 777 : -7));
    REQUIRE(reduced<take_last>(values) == 777);
  }
}

TEST_CASE("elements of one byte, and bools") {
  for (const std::size_t n : sizes()) {
    const auto bytes = counted<std::uint8_t>(n);
    REQUIRE(reduced<add>(bytes) == ikra::array{bytes}.preduce(add{}).value());
    std::vector<bool> flags(n, true);
    REQUIRE(ikra::array{flags}.preduce(reduce_section<bool, both>()).value());
    flags[n / 2] = false;
    REQUIRE_FALSE(ikra::array{flags}.preduce(reduce_section<bool, both>()).value());
  }
}

TEST_CASE("elements of twelve bytes that have no default constructor") {
  for (const std::size_t n : sizes()) {
    std::vector<run> runs;
    for (std::size_t i = 0; i < n; ++i)
      runs.emplace_back(static_cast<std::int32_t>(i));
    const run whole = reduced<join>(runs);
    REQUIRE(whole.ascends == 1);
    REQUIRE(whole.first == 0);
    REQUIRE(whole.last == static_cast<std::int32_t>(n) - 1);
    if (n > 2) {
      std::swap(runs[n / 2], runs[n / 2 - 1]);
      REQUIRE(reduced<join>(runs).ascends == 0);
    }
  }
}

TEST_CASE("elements that are plain structs") {
  for (const std::size_t n : sizes()) {
    std::vector<extremes> values;
    for (const std::uint32_t bits : scattered(n))
      values.push_back(
          {static_cast<std::int32_t>(bits % 1000), static_cast<std::int32_t>(bits % 1000)});
    const extremes plain = ikra::array{values}.preduce(widen{}).value();
    const extremes found = reduced<widen>(values);
    REQUIRE(found.least == plain.least);
    REQUIRE(found.largest == plain.largest);
    const auto from = ikra::array{values}.preduce(extremes{-1, 5},
                                                  reduce_from_section<extremes, extremes, widen>());
    REQUIRE(from.value().least == -1);
    REQUIRE(from.value().largest == (plain.largest > 5 ? plain.largest : 5));
  }
}

TEST_CASE("sums of floats are the same in every run, whatever the number of threads") {
  std::vector<float> values;
  double exact = 0;
  for (const std::uint32_t bits : scattered(1000003)) {
    values.push_back(static_cast<float>(bits) * 0x1p-32f - 0.25f);
    exact += static_cast<double>(values.back());
  }
  float one = 0;
  {
    const threads single(1);
    one = reduced<add>(values);
  }
  CHECK(std::abs(static_cast<double>(one) - exact) < 1e-5 * exact);
  for (int count = 1; count <= 8; ++count) {
    const threads several(count);
    for (int repeat = 0; repeat < 2; ++repeat) {
      const float again = reduced<add>(values);
      REQUIRE(std::memcmp(&again, &one, sizeof one) == 0);
    }
  }
}

TEST_CASE("a first value stands before all elements, which are converted to its type") {
  for (const std::size_t n : sizes()) {
    const auto values = counted<std::int8_t>(n);
    std::int64_t expected = std::int64_t{1} << 40;
    for (const std::int8_t v : values)
      expected += v;
    const auto sum = ikra::array{values}.preduce(
        std::int64_t{1} << 40, reduce_from_section<std::int8_t, std::int64_t, add>());
    static_assert(std::is_same_v<decltype(sum), const ikra::array<std::int64_t, 1>>);
    REQUIRE(sum.value() == expected);

    const auto maps = affine_maps(n);
    const std::uint64_t first = std::uint64_t(5) << 32 | 3;
    REQUIRE(ikra::array{maps}
                .preduce(first, reduce_from_section<std::uint64_t, std::uint64_t, compose>())
                .value() == ikra::array{maps}.preduce(first, compose{}).value());
  }
}

TEST_CASE("the type of the result is common to the first value and the elements") {
  const std::vector<double> values{0.5, 0.25};
  const auto sum = ikra::array{values}.preduce(1, reduce_from_section<double, int, add>());
  static_assert(std::is_same_v<decltype(sum), const ikra::array<double, 1>>);
  CHECK(sum.value() == 1.75);
}

TEST_CASE("reducing nothing is an error, and the first value where there is one") {
  const ikra::array<std::int32_t, 1> none;
  const auto failing = none.preduce(reduce_section<std::int32_t, add>());
  for (int i = 0; i < 2; ++i)
    try {
      failing.value();
      FAIL("no error");
    } catch (const ikra::error& e) {
      CHECK(e.kind() == ikra::error_kind::empty_reduction);
    }
  CHECK(none.preduce(42, reduce_from_section<std::int32_t, std::int32_t, add>()).value() == 42);
}

TEST_CASE("arrays of any rank are reduced in row-major order") {
  const auto maps = affine_maps(4 * 5 * 6);
  CHECK(ikra::array<std::uint64_t, 3>{maps, {4, 5, 6}}
            .preduce(reduce_section<std::uint64_t, compose>())
            .value() == ikra::array{maps}.preduce(compose{}).value());
}

TEST_CASE("what was reduced is an array like others") {
  const auto values = counted<std::int32_t>(5000);
  const auto sum = ikra::array{values}.preduce(reduce_section<std::int32_t, add>());
  const auto twice =
      sum.pcombine(sum, combine_section<std::int32_t, add, std::int32_t, std::int32_t>());
  CHECK(twice.value() == 2 * 247500);
}
