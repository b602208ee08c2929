// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How arrays are made, what they hold, and how they are read.
#include "kinds.hpp"

#include <ikra/ikra.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <optional>
#include <ranges>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

using ikra::error_kind;
using ikra_test::kind_of;

static_assert(std::is_same_v<decltype(ikra::array{std::vector<int>{1}}), ikra::array<int, 1>>);
static_assert(std::random_access_iterator<ikra::array<int>::iterator>);
static_assert(std::ranges::random_access_range<const ikra::array<int, 2>>);
static_assert(
    std::is_same_v<decltype(ikra::index{1, 2L, 3U}), ikra::index<3>>); // mixed integer types
static_assert(ikra::index{2, 3}.volume() == 6);
static_assert(ikra::index{2, 3} == ikra::index<2>(2, 3));

TEST_CASE("an array of rank 1 holds the vector's elements") {
  const std::vector<int> values{3, 1, 4};
  const ikra::array a{values};
  CHECK(a.rank() == 1);
  CHECK(a.size() == 3);
  CHECK(a.shape() == ikra::index{3});
  CHECK(a[0] == 3);
  CHECK(a(2) == 4);
  CHECK(a[ikra::index{1}] == 1);
  CHECK(a.to_vector() == values);
}

TEST_CASE("an rvalue vector is moved, not copied") {
  std::vector<int> values{1, 2, 3};
  const int* elements = values.data();
  const ikra::array a{std::move(values)};
  CHECK(a.begin().operator->() == elements);
}

TEST_CASE("arrays of ranks 2 to 4 are row-major") {
  std::vector<int> values(24);
  std::iota(values.begin(), values.end(), 0);
  const ikra::array<int, 2> two{values, {4, 6}};
  const ikra::array<int, 3> three{values, {2, 3, 4}};
  const ikra::array four{values, {1, 2, 3, 4}};
  CHECK(two(3, 1) == 19);
  CHECK(three(1, 2, 3) == 23);
  CHECK(three[ikra::index{1, 0, 2}] == 14);
  CHECK(four(0, 1, 1, 1) == 17);
  CHECK(four[17] == 17);
  CHECK(decltype(four)::rank() == 4);
  CHECK(four.to_vector() == values);
}

TEST_CASE("shapes take any integer types, mixed") {
  const std::size_t height = 2;
  const unsigned char width = 3;
  const std::vector<double> values(6, 0.5);
  CHECK(ikra::array<double, 2>{values, {height, width}}.shape() == ikra::index{2, 3});
  CHECK(ikra::array{values, {height, width}}.shape() == ikra::index{2, 3});
  CHECK(ikra::array{values, ikra::index{3, 2}}(2, 1) == 0.5);
}

TEST_CASE("an index has structured bindings") {
  auto [y, x] = ikra::index{4, 7};
  CHECK(y * 10 + x == 47);
}

TEST_CASE("a shape that the values do not fill is an error") {
  const std::vector<int> values(6);
  CHECK(kind_of([&] { ikra::array<int, 2>{values, {2, 4}}; }) == error_kind::bad_shape);
  CHECK(kind_of([&] { ikra::array<int, 2>{values, {-2, -3}}; }) == error_kind::bad_shape);
  CHECK(kind_of([&] { ikra::array<int, 2>{values, {INT64_MAX, 4}}; }) == error_kind::bad_shape);
  CHECK_FALSE(kind_of([&] { ikra::array<int, 2>{values, {2, 3}}; }));
  CHECK_THROWS_WITH((ikra::array<int, 2>{values, {2, 4}}), Catch::Contains("6") &&
                                                               Catch::Contains("(2, 4)") &&
                                                               Catch::Contains("8 places"));
}

TEST_CASE("places outside are std::out_of_range") {
  const ikra::array<int, 2> a{std::vector<int>(6), {2, 3}};
  CHECK_THROWS_AS(a[6], std::out_of_range);
  CHECK_THROWS_AS(a[-1], std::out_of_range);
  CHECK_THROWS_AS(a(0, 3), std::out_of_range); // position 3 is inside, the place is not
  CHECK_THROWS_AS(a(-1, 0), std::out_of_range);
  CHECK_THROWS_AS((a[ikra::index{2, 0}]), std::out_of_range);
  CHECK_NOTHROW(a[5]);
  CHECK_NOTHROW(a(1, 2));
}

TEST_CASE("empty arrays are ordinary") {
  const ikra::array<int> none;
  CHECK(none.size() == 0);
  CHECK(none.empty());
  CHECK(none.begin() == none.end());
  CHECK_THROWS_AS(none[0], std::out_of_range);
  CHECK(none.pmap([](int x) { return x; }).to_vector().empty());
  CHECK(none.pcombine(none, [](int x, int y) { return x + y; }).empty());
  CHECK(none.pstencil({-1, 0}, ikra::wrap, [](auto v) { return v[0]; }).empty());
  CHECK(none.pselect([](int) { return true; }).empty());
  CHECK_NOTHROW(none.peach([](int) { FAIL(); }));
  CHECK(none.sum() == 0);
  const ikra::array<int, 2> flat{std::vector<int>{}, {0, 5}};
  CHECK(flat.shape() == ikra::index{0, 5});
  CHECK(flat.with_index().pmap([](int, ikra::index<2> i) { return i[0]; }).size() == 0);
  CHECK(ikra::array<int, 3>().shape() == ikra::index{0, 0, 0});
}

TEST_CASE("a moved-from array is empty") {
  ikra::array a{std::vector<int>{1, 2}};
  const ikra::array b = std::move(a);
  CHECK(b.size() == 2);
  CHECK(a.size() == 0); // NOLINT(bugprone-use-after-move): that is what is tested
  CHECK(a.to_vector().empty());
}

TEST_CASE("iterators yield values and work with standard algorithms") {
  const ikra::array a{std::vector<int>{5, 2, 9}};
  int sum = 0;
  for (int x : a)
    sum += x;
  CHECK(sum == 16);
  CHECK(std::accumulate(a.begin(), a.end(), 0) == 16);
  CHECK(*std::ranges::max_element(a) == 9);
  CHECK(a.end() - a.begin() == 3);
  CHECK(a.begin()[2] == 9);
  CHECK(*(1 + a.begin()) == 2);
  auto it = a.end();
  CHECK(*--it == 9);
  static_assert(std::is_same_v<decltype(*a.begin()), int>);
}

TEST_CASE("bool elements are ordinary") {
  const ikra::array a{std::vector<bool>{true, false, true}};
  static_assert(std::is_same_v<decltype(a), const ikra::array<bool, 1>>);
  static_assert(std::is_same_v<decltype(a[0]), bool>);
  CHECK(a[0]);
  CHECK_FALSE(a[1]);
  CHECK(a.to_vector() == std::vector<bool>{true, false, true});
  CHECK(a.pmap([](bool b) { return !b; }).to_vector() == std::vector<bool>{false, true, false});
  CHECK(a.any());
  CHECK_FALSE(a.all());
  CHECK(a.sum() == 2);
}

namespace {
enum class colour { red, green };
struct point { // no default constructor
  point(int px, int py) : x(px), y(py) {}
  point operator+(const point& o) const { return {x + o.x, y + o.y}; }
  int x;
  int y;
};
} // namespace

TEST_CASE("elements may be enums, structs, tuples, arrays, optionals and variants") {
  const auto n = ikra::pnew(4, [](std::int64_t i) { return int(i); });
  CHECK(n.pmap([](int i) { return i == 0 ? colour::red : colour::green; })[3] == colour::green);
  CHECK(n.pmap([](int i) { return point(i, -i); }).preduce(std::plus<>{}).value().y == -6);
  CHECK(n.pmap([](int i) { return point(i, 2 * i); }).begin()->x == 0);
  CHECK(n.pmap([](int i) { return std::tuple(i, 'c'); })[2] == std::tuple(2, 'c'));
  CHECK(n.pmap([](int i) { return std::pair(i, 0.5); })[1].second == 0.5);
  CHECK(n.pmap([](int i) { return std::array{i, i + 1}; })[1][1] == 2);
  const auto some =
      n.pmap([](int i) { return i % 2 == 0 ? std::optional<int>() : std::optional(i); });
  CHECK(some[3] == 3);
  CHECK_FALSE(some[2].has_value());
  const auto either = n.pmap(
      [](int i) { return i < 2 ? std::variant<int, float>(i) : std::variant<int, float>(0.5F); });
  CHECK(std::holds_alternative<int>(either[1]));
  CHECK(std::get<float>(either[2]) == 0.5F);
}

TEST_CASE("value() is the only element") {
  CHECK(ikra::array{std::vector<int>{7}}.value() == 7);
  CHECK(kind_of([] { ikra::array{std::vector<int>{7, 8}}.value(); }) == error_kind::bad_shape);
  CHECK(kind_of([] { ikra::array<int>().value(); }) == error_kind::bad_shape);
}

TEST_CASE("too large an array is out of memory, and says how large") {
  const auto huge = ikra::pnew({1LL << 31, 1LL << 31}, [](ikra::index<2>) { return 1; });
  CHECK(kind_of([&] { huge[0]; }) == error_kind::out_of_memory);
  CHECK_THROWS_WITH(huge[0], Catch::Contains("4611686018427387904"));
}
