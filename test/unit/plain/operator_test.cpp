// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators on arrays: what each means, what types come out, and what is not offered.
#include "kinds.hpp"

#include <ikra/ikra.hpp>

#include <catch2/catch.hpp>

#include <cstdint>
#include <ostream>
#include <string>
#include <type_traits>
#include <vector>

using ikra_test::kind_of;

namespace {

struct vec {
  float x;
  float y;
  friend vec operator+(vec a, vec b) { return {a.x + b.x, a.y + b.y}; }
  friend vec operator*(vec a, float f) { return {a.x * f, a.y * f}; }
  friend vec operator*(float f, vec a) { return a * f; }
  friend vec operator-(vec a) { return {-a.x, -a.y}; }
};

const ikra::array a{std::vector<int>{7, 2, -3}};
const ikra::array b{std::vector<int>{2, 5, 2}};
const ikra::array<int, 2> grid{std::vector<int>{1, 2, 3, 4}, {2, 2}};
using ints = std::vector<int>;
using bools = std::vector<bool>;

template <class L, class R>
concept adds = requires(const L& l, const R& r) { l + r; };
template <class L, class R>
concept shifts = requires(L& l, const R& r) { l << r; };
template <class L, class R>
concept equates = requires(const L& l, const R& r) { l == r; };
template <class L, class R>
concept differs = requires(const L& l, const R& r) { l != r; };
template <class A>
concept negates = requires(const A& x) { -x; };

using line = ikra::array<int, 1>;
static_assert(adds<line, line> && adds<line, int> && adds<double, line>);
static_assert(!adds<line, ikra::array<int, 2>>); // ranks differ
static_assert(!adds<line, std::string>);         // not for sections to capture
static_assert(!adds<ikra::array<vec>, int>);     // elements have no such operator
static_assert(!adds<line, std::vector<int>>);
static_assert(!shifts<std::ostream, line>);
static_assert(!equates<line, line> && !differs<line, line> && !equates<line, int>);
static_assert(negates<line> && negates<ikra::array<vec>> && !negates<ikra::array<std::string>>);

} // namespace

TEST_CASE("arithmetic on arrays is arithmetic on elements") {
  CHECK((a + b).to_vector() == ints{9, 7, -1});
  CHECK((a - b).to_vector() == ints{5, -3, -5});
  CHECK((a * b).to_vector() == ints{14, 10, -6});
  CHECK((a / b).to_vector() == ints{3, 0, -1});
  CHECK((a % b).to_vector() == ints{1, 2, -1});
  CHECK((-a).to_vector() == ints{-7, -2, 3});
  CHECK((a + b * 2).to_vector() == ints{11, 12, 1});
  CHECK((10 - a).to_vector() == ints{3, 8, 13});
  CHECK((a - 10).to_vector() == ints{-3, -8, -13});
  CHECK((2 * grid + grid).to_vector() == ints{3, 6, 9, 12});
  CHECK((grid * 2).shape() == ikra::index{2, 2});
}

TEST_CASE("bits, shifts and logic") {
  CHECK((a & 3).to_vector() == ints{3, 2, 1});
  CHECK((b | 1).to_vector() == ints{3, 5, 3});
  CHECK((b ^ b).to_vector() == ints{0, 0, 0});
  CHECK((~b).to_vector() == ints{-3, -6, -3});
  CHECK((b << 2).to_vector() == ints{8, 20, 8});
  CHECK((1 << b).to_vector() == ints{4, 32, 4});
  CHECK((b >> 1).to_vector() == ints{1, 2, 1});
  CHECK((a > 0 && b > 2).to_vector() == bools{false, true, false});
  CHECK((a < 0 || b > 2).to_vector() == bools{false, true, true});
  CHECK((!(a < 0)).to_vector() == bools{true, true, false});
}

TEST_CASE("comparisons give bools, element by element") {
  const auto less = a < b;
  static_assert(std::is_same_v<decltype(less), const ikra::array<bool, 1>>);
  CHECK(less.to_vector() == bools{false, true, true});
  CHECK((a <= 2).to_vector() == bools{false, true, true});
  CHECK((2 > a).to_vector() == bools{false, false, true});
  CHECK((a >= b).to_vector() == bools{true, false, false});
  CHECK((a > 0).all() == false);
  CHECK((a > 0).sum() == 2);
  CHECK(a.pcombine(b, std::equal_to<>{}).any() == false);
}

TEST_CASE("results have the types that C++ gives the operator") {
  static_assert(std::is_same_v<decltype(a + 0.5), ikra::array<double, 1>>);
  const ikra::array bytes{std::vector<std::uint8_t>{200, 100}};
  static_assert(std::is_same_v<decltype(bytes + bytes), ikra::array<int, 1>>);
  CHECK((bytes + bytes).to_vector() == ints{400, 200});
  CHECK((bytes * std::int64_t{1} << 33)[1] == std::int64_t{100} << 33);
  const ikra::array flags{bools{true, false}};
  CHECK((flags + flags).to_vector() == ints{2, 0});
}

TEST_CASE("operators of user types serve, with values of other types") {
  const ikra::array points{std::vector<vec>{{1, 2}, {3, 4}}};
  CHECK((points * 2.0F)[1].y == 8);
  CHECK((0.5F * points)[1].x == 1.5F);
  CHECK((points + points)[0].x == 2);
  CHECK((points + vec{10, 20})[0].y == 22);
  CHECK((-points)[0].x == -1);
}

TEST_CASE("operators are lazy, and refuse other shapes as pcombine does") {
  int calls = 0;
  const auto counted = a.pmap([&calls](int x) {
    ++calls;
    return x;
  });
  const auto sum = counted + counted * 2;
  CHECK(calls == 0);
  CHECK(sum.to_vector() == ints{21, 6, -9});
  CHECK(calls == 3);
  const ikra::array two{ints{1, 2}};
  CHECK(kind_of([&] { a + two; }) == ikra::error_kind::shape_mismatch);
  const auto positive = a.pselect([](int x) { return x > 0; });
  CHECK((positive * two).to_vector() == ints{7, 4});
  CHECK(kind_of([&] { (positive + a)[0]; }) == ikra::error_kind::shape_mismatch);
}
