// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pselect by generated code against the plain library: order is kept, for all, no and some
// elements, of every size, with and without index.
#include "value_sections.hpp"

#include <algorithm>

namespace ikra_unit_values {

struct nothing {
  template <class T> IKRA_HD bool operator()(const T&) const { return false; }
};
struct everything {
  template <class T> IKRA_HD bool operator()(const T&) const { return true; }
};
struct odd {
  template <class T> IKRA_HD bool operator()(const T& x) const {
    return static_cast<std::int64_t>(x) % 2 != 0;
  }
};
/// As sections with loops say it: all cores choose among few elements.
struct odd_after_long : odd {
  static constexpr bool repeats = true;
};
struct few {
  IKRA_HD bool operator()(std::uint32_t x) const { return x % 1000 == 17; }
};
struct above_half {
  IKRA_HD bool operator()(std::uint32_t x) const { return x > 0x80000000u; }
};
struct at_even_places {
  template <class T> IKRA_HD bool operator()(const T& x, std::int64_t i) const {
    return i % 2 == 0 && x != T(3);
  }
};
/// On the diagonal of the innermost two dimensions, or in the first of the others.
struct diagonal {
  template <class T, int R> IKRA_HD bool operator()(const T&, ikra::index<R> i) const {
    return i[R - 1] == i[R - 2] || (R > 2 && i[0] == 0);
  }
};
/// Returns what converts to bool.
struct rest_of_three {
  IKRA_HD int operator()(std::int32_t x) const { return x % 3; }
};

struct twelve {
  std::int32_t a, b, c;
  explicit IKRA_HD twelve(std::int32_t x) : a(x), b(2 * x), c(3 * x) {}
  IKRA_HD explicit operator std::int64_t() const { return a; }
  friend bool operator==(const twelve&, const twelve&) = default;
};
struct large {
  std::int64_t values[40];
  IKRA_HD explicit operator std::int64_t() const { return values[0]; }
  friend bool operator==(const large&, const large&) = default;
};

} // namespace ikra_unit_values

using namespace ikra_unit_values;

namespace {

template <class Body, class T> void check_select(const std::vector<T>& values) {
  const auto expected = ikra::array{values}.pselect(Body{}).to_vector();
  const auto found = ikra::array{values}.pselect(select_section<T, Body>());
  INFO(values.size() << " elements of " << sizeof(T) << " bytes");
  REQUIRE(found.size() == expected.size());
  const auto elements = found.to_vector();
  REQUIRE(first_difference(elements, expected) == expected.size());
}

template <class T> void check_all_sizes() {
  for (const std::size_t n : sizes()) {
    std::vector<T> values;
    for (std::size_t i = 0; i < n; ++i)
      values.push_back(T(static_cast<std::int8_t>(i * 7 % 100)));
    check_select<nothing>(values);
    check_select<everything>(values);
    check_select<odd>(values);
    check_select<odd_after_long>(values);
  }
}

} // namespace

TEST_CASE("none, all and every other element, of sizes from one byte on") {
  const threads many(GENERATE(1, 3));
  check_all_sizes<std::int8_t>();
  check_all_sizes<std::int16_t>();
  check_all_sizes<std::int32_t>();
  check_all_sizes<double>();
}

TEST_CASE("elements whose size is no power of two, and large ones") {
  check_all_sizes<twelve>();
  std::vector<large> values(1000);
  for (std::size_t i = 0; i < values.size(); ++i)
    for (std::int64_t& v : values[i].values)
      v = static_cast<std::int64_t>(i * i);
  check_select<odd>(values);
}

TEST_CASE("few and many of elements without an order") {
  const threads many(4);
  for (const std::size_t n : sizes()) {
    check_select<few>(scattered(n));
    check_select<above_half>(scattered(n));
  }
  check_select<few>(scattered(3000017));
  check_select<above_half>(scattered(3000017));
}

TEST_CASE("selected bools") {
  std::vector<bool> flags;
  for (const std::uint32_t bits : scattered(5001))
    flags.push_back(bits % 3 == 0);
  check_select<everything>(flags);
  check_select<odd>(flags);
}

TEST_CASE("a section that returns a number selects where it is not zero") {
  check_select<rest_of_three>(counted<std::int32_t>(1000));
}

TEST_CASE("of an empty array nothing is selected") {
  const ikra::array<std::int32_t, 1> empty;
  CHECK(empty.pselect(select_section<std::int32_t, everything>()).to_vector().empty());
}

TEST_CASE("what was selected goes into further operations") {
  const auto values = counted<std::int32_t>(10000);
  const auto once = ikra::array{values}.pselect(select_section<std::int32_t, odd>());
  const auto twice = once.pselect(select_section<std::int32_t, rest_of_three>());
  CHECK(once.size() == 5000);
  CHECK(twice.to_vector() ==
        ikra::array{values}.pselect(odd{}).pselect(rest_of_three{}).to_vector());
}

TEST_CASE("selections see the index of rank 1 to 4") {
  const threads many(GENERATE(1, 3));
  for (const std::size_t n : sizes()) {
    const auto values = counted<std::int16_t>(n);
    CHECK(ikra::array{values}
              .with_index()
              .pselect(select_indexed_section<std::int16_t, 1, at_even_places>())
              .to_vector() ==
          ikra::array{values}.with_index().pselect(at_even_places{}).to_vector());
  }
  const auto values = scattered(7 * 5 * 11 * 13);
  const auto check = [&](const auto& array) {
    constexpr int rank = std::decay_t<decltype(array)>::rank();
    CHECK(array.with_index()
              .pselect(select_indexed_section<std::uint32_t, rank, diagonal>())
              .to_vector() == array.with_index().pselect(diagonal{}).to_vector());
  };
  check(ikra::array<std::uint32_t, 2>{values, {35, 143}});
  check(ikra::array<std::uint32_t, 3>{values, {7, 55, 13}});
  check(ikra::array<std::uint32_t, 4>{values, {7, 5, 11, 13}});
}
