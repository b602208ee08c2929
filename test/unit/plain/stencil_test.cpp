// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pstencil: all forms of the neighbourhood, all borders, and what the window refuses.
#include "kinds.hpp"

#include <ikra/ikra.hpp>

#include <catch2/catch.hpp>

#include <array>
#include <cstdint>
#include <vector>

using ikra::error_kind;
using ikra_test::kind_of;

namespace {
const ikra::array line{std::vector<int>{1, 2, 3, 4, 5}};
const ikra::array<int, 2> grid{std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8, 9}, {3, 3}};

int horizontal(const ikra::window<int, 2>& v) { return v(0, -1) + v(0, 1); }
} // namespace

TEST_CASE("where a neighbour is outside, the result is the value for outside") {
  const auto s = line.pstencil({-1, 0, 1}, 0, [](auto v) { return v[-1] + v[0] + v[1]; });
  CHECK(s.to_vector() == std::vector{0, 6, 9, 12, 0});
  const auto two_before = line.pstencil({-2}, 37, [](auto v) { return v[-2]; });
  CHECK(two_before.to_vector() == std::vector{37, 37, 1, 2, 3});
}

TEST_CASE("the result's type is the section's, and the value for outside converts to it") {
  const auto s = line.pstencil({-1, 0}, -1, [](auto v) { return v[0] * 0.5; });
  static_assert(std::is_same_v<decltype(s), const ikra::array<double, 1>>);
  CHECK(s[0] == -1.0);
  CHECK(s[4] == 2.5);
}

TEST_CASE("stencils above rank 1 read by one offset per dimension, or by an index") {
  const auto sum = grid.pstencil({{-1, 0}, {0, -1}, {0, 0}, {0, 1}, {1, 0}}, 0, [](auto v) {
    return v(-1, 0) + v(0, -1) + v(0, 0) + v[ikra::index{0, 1}] + v(1, 0);
  });
  CHECK(sum.to_vector() == std::vector{0, 0, 0, 0, 25, 0, 0, 0, 0});
  const ikra::array<int, 4> a{std::vector<int>{1, 2, 3, 4}, {2, 1, 1, 2}};
  const auto b = a.pstencil({{-1, 0, 0, 0}, {0, 0, 0, 0}}, 9,
                            [](auto v) { return v(-1, 0, 0, 0) * 10 + v(0, 0, 0, 0); });
  CHECK(b.to_vector() == std::vector{9, 9, 13, 24});
}

TEST_CASE("neighbourhoods may be constants: arrays of indices and boxes") {
  static_assert(ikra::box<1, 1>.size() == 9);
  static_assert(ikra::box<1, 1>[0] == ikra::index{-1, -1});
  static_assert(ikra::box<1, 1>[5] == ikra::index{0, 1});
  static_assert(ikra::box<2>.size() == 5);
  static_assert(ikra::box<0, 1, 2>.size() == 15);
  const auto all = grid.pstencil(ikra::box<1, 1>, 0, [](auto v) {
    int sum = 0;
    for (int y = -1; y <= 1; ++y)
      for (int x = -1; x <= 1; ++x)
        sum += v(y, x);
    return sum;
  });
  CHECK(all(1, 1) == 45);
  CHECK(all(0, 1) == 0);
  constexpr std::array<ikra::index<1>, 2> around{ikra::index{-1}, ikra::index{1}};
  CHECK(line.pstencil(around, 0, [](auto v) { return v[-1] * v[1]; })[2] == 8);
}

TEST_CASE("the border may be kept, clamped or wrapped") {
  const auto sum = [](auto v) { return v[-1] + v[0] + v[1]; };
  CHECK(line.pstencil({-1, 0, 1}, ikra::keep, sum).to_vector() == std::vector{1, 6, 9, 12, 5});
  CHECK(line.pstencil({-1, 0, 1}, ikra::clamp, sum).to_vector() == std::vector{4, 6, 9, 12, 14});
  CHECK(line.pstencil({-1, 0, 1}, ikra::wrap, sum).to_vector() == std::vector{8, 6, 9, 12, 10});
  CHECK(grid.pstencil({{-1, 0}}, ikra::wrap, [](auto v) { return v(-1, 0); })(0, 1) == 8);
  CHECK(grid.pstencil({{1, 1}}, ikra::clamp, [](auto v) { return v(1, 1); })(2, 0) == 8);
}

TEST_CASE("offsets may reach beyond a whole array") {
  const ikra::array two{std::vector<int>{1, 2}};
  const auto far = [](auto v) { return v[-5] * 10 + v[4]; };
  CHECK(two.pstencil({-5, 4}, ikra::wrap, far).to_vector() == std::vector{21, 12});
  CHECK(two.pstencil({-5, 4}, ikra::clamp, far).to_vector() == std::vector{12, 12});
  CHECK(two.pstencil({-5, 4}, 0, far).to_vector() == std::vector{0, 0});
}

TEST_CASE("with_index passes the place after the window") {
  const auto s =
      line.with_index().pstencil({-1, 0}, 0, [](auto v, std::int64_t i) { return v[-1] * int(i); });
  CHECK(s.to_vector() == std::vector{0, 1, 4, 9, 16});
  const auto t = grid.with_index().pstencil(
      {{0, 0}}, 0, [](auto v, ikra::index<2> i) { return v(0, 0) * 100 + int(i[0] * 10 + i[1]); });
  CHECK(t(2, 1) == 821);
  const auto u = grid.with_index().pstencil(ikra::box<0, 0>, ikra::keep,
                                            [](auto v, auto i) { return v(0, 0) + int(i[0]); });
  CHECK(u(2, 2) == 11);
}

TEST_CASE("the window is a type that functions can take") {
  const auto s = grid.pstencil({{0, -1}, {0, 1}}, 0, horizontal);
  CHECK(s(1, 1) == 10);
  CHECK(grid.pstencil({{0, -1}, {0, 1}}, 0,
                      [](ikra::window<int, 2> v) { return horizontal(v); })(2, 1) == 16);
}

TEST_CASE("reading an offset outside the neighbourhood is an error that names it") {
  const auto s = line.pstencil({-1, 0}, 0, [](auto v) { return v[0] + v[1]; });
  CHECK(kind_of([&] { s[2]; }) == error_kind::offset_outside_neighbourhood);
  CHECK_THROWS_WITH(s[2], Catch::Contains("(1)"));
  // Not even where the element would be there.
  const auto t = grid.pstencil({{0, 0}}, 0, [](auto v) { return v(0, 1); });
  CHECK(kind_of([&] { t(1, 1); }) == error_kind::offset_outside_neighbourhood);
}

TEST_CASE("a stencil over zipped arrays sees tuples, over a selection what was selected") {
  const auto z = line.pzip(line.pmap([](int x) { return x * x; }));
  const auto s =
      z.pstencil({-1, 0}, 0, [](auto v) { return std::get<1>(v[0]) - std::get<0>(v[-1]); });
  CHECK(s.to_vector() == std::vector{0, 3, 7, 13, 21});
  const auto odd = line.pselect([](int x) { return x % 2 == 1; });
  const auto sums = odd.pstencil({-1, 0}, ikra::keep, [](auto v) { return v[-1] + v[0]; });
  CHECK(sums.to_vector() == std::vector{1, 4, 8});
}
