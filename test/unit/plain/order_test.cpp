// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations in which the order of elements counts: scans, sorts, reductions along an axis and by
// key, against closed forms.
#include "kinds.hpp"

#include <ikra/ikra.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using ikra::error_kind;
using ikra_test::kind_of;

namespace {

/// x -> factor * x + summand; composing these is associative and not commutative.
struct affine {
  std::int64_t factor;
  std::int64_t summand;
  bool operator==(const affine&) const = default;
};
affine then(affine f, affine g) { return {f.factor * g.factor, g.factor * f.summand + g.summand}; }

std::int64_t identity(std::int64_t i) { return i; }

/// Row-major numbers in a shape.
template <int R> ikra::array<std::int64_t, R> numbered(const ikra::index<R>& shape) {
  return ikra::pnew(shape.volume(), identity).reshape(shape);
}

struct cell {
  int value;
};

} // namespace

TEST_CASE("pscan combines what is up to each element, in its order") {
  const auto sums = ikra::pnew(1000, identity).pscan(std::plus<>{});
  static_assert(std::is_same_v<decltype(sums), const ikra::array<std::int64_t, 1>>);
  for (std::int64_t i = 0; i < 1000; ++i)
    REQUIRE(sums[i] == i * (i + 1) / 2);
  const auto functions =
      ikra::pnew(20, [](std::int64_t i) { return affine{i % 3 + 1, i}; }).pscan(then);
  std::int64_t x = 5;
  for (std::int64_t i = 0; i < 20; ++i) {
    x = (i % 3 + 1) * x + i;
    REQUIRE(functions[i].factor * 5 + functions[i].summand == x);
  }
}

TEST_CASE("pscan with a first value puts that in front, and converts elements before") {
  const ikra::array a{std::vector<int>{2'000'000'000, 2'000'000'000, 1}};
  const auto sums = a.pscan(std::int64_t{5}, std::plus<>{});
  static_assert(std::is_same_v<decltype(sums), const ikra::array<std::int64_t, 1>>);
  CHECK(sums.to_vector() == std::vector<std::int64_t>{2'000'000'005, 4'000'000'005, 4'000'000'006});
}

TEST_CASE("pscan_exclusive combines what is before each element") {
  const ikra::array a{std::vector<int>{3, 1, 4, 1}};
  CHECK(a.pscan_exclusive(10, std::plus<>{}).to_vector() == std::vector{10, 13, 14, 18});
  CHECK(a.pscan_exclusive(0.5, std::plus<>{})[3] == 8.5);
  CHECK(ikra::pnew(4, [](std::int64_t i) {
          return affine{2, i};
        }).pscan_exclusive(affine{1, 7}, then)[2] == affine{4, 29});
  // The last element is combined with nothing.
  int calls = 0;
  const auto counted = a.pscan_exclusive(0, [&calls](int x, int y) {
    ++calls;
    return x + y;
  });
  CHECK(counted.size() == 4);
  CHECK(calls == 0);
  CHECK(counted[3] == 8);
  CHECK(calls == 3);
}

TEST_CASE("scans run in row-major order and keep the shape, whatever it is") {
  const auto sums = numbered(ikra::index{2, 3, 2}).pscan(std::plus<>{});
  CHECK(sums.shape() == ikra::index{2, 3, 2});
  CHECK(sums(1, 0, 1) == 28);
  const ikra::array<int> none;
  CHECK(none.pscan(std::plus<>{}).empty());
  CHECK(none.pscan(1, std::plus<>{}).empty());
  CHECK(none.pscan_exclusive(1, std::plus<>{}).empty());
  const auto odd = ikra::pnew(6, identity).pselect([](std::int64_t i) { return i % 2 == 1; });
  CHECK(odd.pscan(std::plus<>{}).to_vector() == std::vector<std::int64_t>{1, 4, 9});
}

TEST_CASE("psort sorts, for every size around powers of two") {
  for (std::int64_t n = 0; n <= 70; ++n) {
    // 37 has no divisor in common with 71, so that this is a permutation of 1 … n and some more.
    const auto a = ikra::pnew(n, [](std::int64_t i) { return (i + 1) * 37 % 71; });
    const auto sorted = a.psort();
    REQUIRE(sorted.size() == static_cast<std::size_t>(n));
    for (std::int64_t i = 1; i < n; ++i)
      REQUIRE(sorted[i - 1] < sorted[i]);
    REQUIRE(sorted.sum() == a.sum());
  }
  const auto all = ikra::pnew(70, [](std::int64_t i) { return (i + 1) * 37 % 71; }).psort();
  for (std::int64_t i = 0; i < 70; ++i)
    REQUIRE(all[i] == i + 1);
}

TEST_CASE("sorts are stable") {
  // Sixteen classes; within each, elements stay in their order.
  const auto a = ikra::pnew(1000, identity);
  const auto by_key = a.psort_by([](std::int64_t i) { return i * i % 16; });
  const auto by_order =
      a.psort([](std::int64_t x, std::int64_t y) { return x * x % 16 < y * y % 16; });
  CHECK(by_key.to_vector() == by_order.to_vector());
  for (std::int64_t i = 1; i < 1000; ++i) {
    const std::int64_t left = by_key[i - 1];
    const std::int64_t right = by_key[i];
    REQUIRE(std::pair(left * left % 16, left) < std::pair(right * right % 16, right));
  }
}

TEST_CASE("psort takes an order, and sorts whatever has one") {
  const ikra::array a{std::vector<int>{3, 1, 4, 1, 5}};
  CHECK(a.psort(std::greater<>{}).to_vector() == std::vector{5, 4, 3, 1, 1});
  const auto tuples = a.pmap([](int x) { return std::tuple(x % 2 == 0, -x); });
  CHECK(tuples.psort()[0] == std::tuple(false, -5));
  CHECK(tuples.psort()[4] == std::tuple(true, -4));
  const ikra::array<bool> flags{std::vector<bool>{true, false, true, false}};
  CHECK(flags.psort().to_vector() == std::vector<bool>{false, false, true, true});
  enum class rank : std::uint8_t { low = 1, high = 200 };
  const ikra::array ranks{std::vector<rank>{rank::high, rank::low}};
  CHECK(ranks.psort()[0] == rank::low);
  const ikra::array some{std::vector<std::optional<int>>{2, std::nullopt, 1}};
  CHECK(some.psort()[0] == std::nullopt);
  const ikra::array<int, 2> grid{std::vector<int>{4, 3, 2, 1, 0, 9}, {2, 3}};
  CHECK(grid.psort().shape() == ikra::index{2, 3});
  CHECK(grid.psort()(1, 0) == 3);
}

TEST_CASE("not-a-numbers are sorted after everything, zeros of both signs are equal") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const ikra::array a{std::vector<double>{nan, 0.0, infinity, nan, -0.0, -infinity}};
  for (const auto& sorted : {a.psort(), a.psort_by([](double x) { return x; })}) {
    CHECK(sorted[0] == -infinity);
    CHECK_FALSE(std::signbit(sorted[1])); // in the order in which they were
    CHECK(std::signbit(sorted[2]));
    CHECK(sorted[3] == infinity);
    CHECK(std::isnan(sorted[4]));
    CHECK(std::isnan(sorted[5]));
  }
}

TEST_CASE("objects are sorted by keys, which are computed once for each") {
  std::vector<cell> cells{{3}, {1}, {2}};
  int calls = 0;
  const auto sorted = ikra::objects(cells).psort_by([&calls](const cell* c) {
    ++calls;
    return c->value;
  });
  CHECK(sorted[0] == &cells[1]);
  CHECK(sorted[2] == &cells[0]);
  CHECK(calls == 3);
#if defined(IKRA_DETAIL_NULL_GUARD)
  const ikra::array holes{std::vector<cell*>{&cells[0], nullptr}};
  CHECK_THROWS_WITH(holes.psort_by(&cell::value)[0],
                    Catch::Contains("psort_by") && Catch::Contains("element 1"));
  const auto by_value = [](const cell* a, const cell* b) { return a->value < b->value; };
  CHECK(kind_of([&] { holes.psort(by_value)[0]; }) == error_kind::null_element);
#endif
}

TEST_CASE("elements that are no bytes can be sorted too") {
  const ikra::array words{std::vector<std::string>{"kiwi", "apple", "fig"}};
  CHECK(words.psort()[0] == "apple");
  CHECK(words.psort_by(&std::string::size)[0] == "fig");
}

TEST_CASE("preduce_by_key combines runs of equal neighbouring keys, in their order") {
  const ikra::array keys{std::vector<int>{7, 7, 3, 7, 7, 7}};
  const ikra::array values{std::vector<double>{1, 2, 4, 8, 16, 32}};
  const auto [firsts, sums] = values.preduce_by_key(keys, std::plus<>{});
  static_assert(std::is_same_v<decltype(firsts), const ikra::array<int, 1>>);
  static_assert(std::is_same_v<decltype(sums), const ikra::array<double, 1>>);
  CHECK(firsts.to_vector() == std::vector{7, 3, 7});
  CHECK(sums.to_vector() == std::vector<double>{3, 4, 56});
  // Sorted keys give one result for each: 0 … 99 by their last digit.
  const auto numbers = ikra::pnew(100, identity).psort_by([](auto i) { return i % 10; });
  const auto [digits, totals] =
      numbers.preduce_by_key(numbers.pmap([](auto i) { return i % 10; }), std::plus<>{});
  REQUIRE(digits.size() == 10);
  for (std::int64_t d = 0; d < 10; ++d)
    CHECK(std::pair(digits[d], totals[d]) == std::pair(d, 450 + 10 * d));
  const auto functions = ikra::pnew(4, [](std::int64_t i) { return affine{2, i}; });
  CHECK(functions.preduce_by_key(numbered(ikra::index{4}).pmap([](auto i) { return i / 2; }), then)
            .second[1] == affine{4, 7});
}

TEST_CASE("preduce_by_key of nothing is nothing, and shapes have to agree") {
  const ikra::array<int> none;
  const auto [keys, sums] = none.preduce_by_key(none, std::plus<>{});
  CHECK(keys.empty());
  CHECK(sums.empty());
  const ikra::array three{std::vector<int>{1, 2, 3}};
  const ikra::array two{std::vector<int>{1, 2}};
  CHECK(kind_of([&] { three.preduce_by_key(two, std::plus<>{}); }) == error_kind::shape_mismatch);
  const auto selected = three.pselect([](int x) { return x > 1; });
  const auto late = three.preduce_by_key(selected, std::plus<>{}).second;
  CHECK(kind_of([&] { late[0]; }) == error_kind::shape_mismatch);
  CHECK_THROWS_WITH(late[0], Catch::Contains("preduce_by_key"));
}

TEST_CASE("preduce_axis combines along any dimension") {
  const auto a = numbered(ikra::index{2, 3, 4, 5});
  for (int axis = 0; axis < 4; ++axis) {
    const auto sums = a.preduce_axis(axis, std::plus<>{});
    static_assert(std::is_same_v<decltype(sums), const ikra::array<std::int64_t, 3>>);
    // Neighbours along the axis are `stride` apart, so the sum is that of an arithmetic series.
    const std::int64_t n = a.shape()[axis];
    std::int64_t stride = 1;
    for (int d = axis + 1; d < 4; ++d)
      stride *= a.shape()[d];
    for (std::int64_t p = 0; p < sums.shape().volume(); ++p) {
      const std::int64_t first = p / stride * stride * n + p % stride;
      REQUIRE(sums[p] == n * first + stride * n * (n - 1) / 2);
    }
  }
  CHECK(a.preduce_axis(1, std::plus<>{}).shape() == ikra::index{2, 4, 5});
}

TEST_CASE("preduce_axis keeps the order, and takes a first value") {
  const ikra::array<int, 2> digits{std::vector<int>{1, 2, 3, 4, 5, 6}, {2, 3}};
  const auto append = [](auto a, auto b) { return a * 10 + b; };
  CHECK(digits.preduce_axis(1, append).to_vector() == std::vector{123, 456});
  CHECK(digits.preduce_axis(0, append).to_vector() == std::vector{14, 25, 36});
  const auto from = digits.preduce_axis(1, std::int64_t{9'000'000'000}, append);
  static_assert(std::is_same_v<decltype(from), const ikra::array<std::int64_t, 1>>);
  CHECK(from[1] == 9'000'000'000'456);
}

TEST_CASE("preduce_axis along nothing needs a first value") {
  const ikra::array<int, 2> flat{std::vector<int>{}, {2, 0}};
  const auto sums = flat.preduce_axis(1, std::plus<>{});
  CHECK(sums.shape() == ikra::index{2});
  CHECK(kind_of([&] { sums[0]; }) == error_kind::empty_reduction);
  CHECK_THROWS_WITH(sums[0], Catch::Contains("preduce_axis"));
  CHECK(flat.preduce_axis(1, 3, std::plus<>{}).to_vector() == std::vector{3, 3});
  CHECK(flat.preduce_axis(0, std::plus<>{}).empty());
  CHECK(kind_of([&] { flat.preduce_axis(2, std::plus<>{}); }) == error_kind::bad_shape);
  CHECK(kind_of([&] { flat.preduce_axis(-1, std::plus<>{}); }) == error_kind::bad_shape);
}

TEST_CASE("these operations are lazy too, and keep what their sections threw") {
  int calls = 0;
  const ikra::array a{std::vector<int>{2, 1}};
  const auto failing = [&calls](int, int) -> int {
    ++calls;
    throw std::domain_error("no");
  };
  const auto scanned = a.pscan(failing);
  const auto sorted = a.psort([&failing](int x, int y) { return failing(x, y) != 0; });
  CHECK(calls == 0);
  CHECK_THROWS_WITH(scanned[0], "no");
  CHECK_THROWS_WITH(scanned[0], "no");
  CHECK_THROWS_WITH(sorted[0], "no");
  CHECK(calls == 2);
}
