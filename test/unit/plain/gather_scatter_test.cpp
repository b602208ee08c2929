// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations that move elements to other places: slice, transpose, concatenate, pgather, pscatter,
// phistogram.
#include "kinds.hpp"

#include <ikra/ikra.hpp>

#include <catch2/catch.hpp>

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

using ikra::error_kind;
using ikra_test::kind_of;

namespace {

template <int R> ikra::array<std::int64_t, R> numbered(const ikra::index<R>& shape) {
  return ikra::pnew(shape.volume(), [](std::int64_t i) { return i; }).reshape(shape);
}
const ikra::array line{std::vector<int>{10, 11, 12, 13, 14, 15, 16}};
const ikra::array<int, 2> grid{std::vector<int>{1, 2, 3, 4, 5, 6}, {2, 3}};

} // namespace

TEST_CASE("a slice has every step-th place from the first to before the last") {
  CHECK(line.slice(2, 5).to_vector() == std::vector{12, 13, 14});
  CHECK(line.slice(0, 7, 3).to_vector() == std::vector{10, 13, 16});
  CHECK(line.slice(1, 6, 3).to_vector() == std::vector{11, 14});
  CHECK(line.slice(6, -1, -1).to_vector() == std::vector{16, 15, 14, 13, 12, 11, 10});
  CHECK(line.slice(5, 0, -2).to_vector() == std::vector{15, 13, 11});
  CHECK(line.slice(3, 3).empty());
  CHECK(line.slice(7, 7).empty());
  CHECK(line.slice(0, 1, std::numeric_limits<std::int64_t>::max()).to_vector() == std::vector{10});
  CHECK(line.slice(0, 7, 100).shape() == ikra::index{1});
}

TEMPLATE_TEST_CASE_SIG("slices and transpositions show the places that they say, in every rank", "",
                       ((int R), R), 1, 2, 3, 4) {
  ikra::index<R> shape;
  ikra::index<R> from;
  ikra::index<R> step;
  ikra::index<R> axes;
  for (int d = 0; d < R; ++d) {
    shape[d] = 4 + d;
    from[d] = d % 2 == 0 ? 1 : shape[d] - 1;
    step[d] = d % 2 == 0 ? 2 : -1;
    axes[d] = (d + 1) % R;
  }
  ikra::index<R> to;
  for (int d = 0; d < R; ++d)
    to[d] = d % 2 == 0 ? shape[d] : -1;
  const auto a = numbered(shape);
  const auto sliced = a.slice(from, to, step);
  const auto turned = sliced.transpose(axes);
  ikra::index<R> place;
  const ikra::index<R> extents = sliced.shape();
  CHECK(extents[0] == 2);
  for (std::int64_t p = 0; p < extents.volume(); ++p, ikra::detail::advance(extents, place)) {
    ikra::index<R> source;
    for (int d = 0; d < R; ++d)
      source[d] = from[d] + place[d] * step[d];
    REQUIRE(sliced[place] == a[source]);
    ikra::index<R> target;
    for (int d = 0; d < R; ++d)
      target[d] = place[axes[d]];
    REQUIRE(turned[target] == a[source]);
  }
  CHECK(turned.size() == sliced.size());
}

TEST_CASE("transpose reverses the dimensions, or takes their order") {
  CHECK(grid.transpose().shape() == ikra::index{3, 2});
  CHECK(grid.transpose().to_vector() == std::vector{1, 4, 2, 5, 3, 6});
  CHECK(grid.transpose().transpose().to_vector() == grid.to_vector());
  CHECK(grid.transpose({0, 1}).to_vector() == grid.to_vector());
  const auto cube = numbered(ikra::index{2, 3, 4});
  const auto turned = cube.transpose({2, 0, 1});
  CHECK(turned.shape() == ikra::index{4, 2, 3});
  CHECK(turned(3, 1, 2) == cube(1, 2, 3));
  CHECK(line.transpose().to_vector() == line.to_vector());
  CHECK(line.pselect([](int x) { return x > 14; }).transpose().size() == 2);
}

TEST_CASE("views of views are one view, and copy nothing that is consecutive") {
  const auto inner = grid.slice({0, 1}, {2, 3}).transpose().slice({1, 0}, {2, 2});
  CHECK(inner.to_vector() == std::vector{3, 6});
  // Rows lie one after the other, so that the view has the very elements.
  const auto rows = numbered(ikra::index{100, 50});
  const auto* const first = rows.begin().operator->();
  CHECK(rows.slice({10, 0}, {20, 50}).begin().operator->() == first + 500);
  CHECK(rows.slice({0, 0}, {100, 50}, {10, 1}).slice({3, 7}, {4, 9}).begin().operator->() ==
        first + 30 * 50 + 7);
  CHECK(rows.transpose().transpose().begin().operator->() == first);
  const ikra::array<bool, 2> flags{std::vector<bool>{true, false, false, true}, {2, 2}};
  CHECK(flags.slice({1, 0}, {2, 2}).to_vector() == std::vector<bool>{false, true});
}

TEST_CASE("a view outlives its array, and is computed once") {
  std::optional<ikra::array<int>> a(line);
  int calls = 0;
  auto mapped = a->pmap([&calls](int x) {
    ++calls;
    return x;
  });
  const auto tail = mapped.slice(5, 7);
  const auto reversed = mapped.slice(6, -1, -1).slice(0, 2);
  a.reset();
  mapped = {};
  CHECK(calls == 0);
  CHECK(tail.to_vector() == std::vector{15, 16});
  CHECK(reversed.to_vector() == std::vector{16, 15});
  CHECK(calls == 7);
}

TEST_CASE("a view that was computed can be viewed again") {
  const auto odd = line.slice(1, 7, 2);
  CHECK(odd[0] == 11);
  CHECK(odd.slice(1, 3).to_vector() == std::vector{13, 15});
  CHECK(grid.transpose().reshape({2, 3}).slice({0, 0}, {2, 2}).to_vector() ==
        std::vector{1, 4, 5, 3});
  CHECK(grid.transpose().reshape({6}).slice(4, 6).to_vector() == std::vector{3, 6});
}

TEST_CASE("slices that leave the array are errors that say how") {
  const auto outside = [](std::int64_t from, std::int64_t to, std::int64_t step) {
    return kind_of([=] { line.slice(from, to, step); }) == error_kind::index_outside;
  };
  CHECK(outside(-1, 3, 1));
  CHECK(outside(0, 8, 1));
  CHECK(outside(4, 3, 1));
  CHECK(outside(8, 8, 1));
  CHECK(outside(7, 0, -1));
  CHECK(outside(3, -2, -1));
  CHECK(outside(2, 4, -1));
  CHECK_FALSE(outside(0, 7, 1));
  CHECK(kind_of([] { line.slice(0, 7, 0); }) == error_kind::bad_shape);
  CHECK(kind_of([] { grid.slice({0, 0}, {2, 4}); }) == error_kind::index_outside);
  CHECK_THROWS_WITH(grid.slice({0, 0}, {2, 4}), Catch::Contains("slice") &&
                                                    Catch::Contains("(2, 4)") &&
                                                    Catch::Contains("(2, 3)"));
  CHECK(kind_of([] { grid.transpose({0, 0}); }) == error_kind::bad_shape);
  CHECK(kind_of([] { grid.transpose({0, 2}); }) == error_kind::bad_shape);
  CHECK(kind_of([] { line.transpose({1}); }) == error_kind::bad_shape);
}

TEST_CASE("a slice of a selection is checked once its size is known") {
  const auto even = line.pselect([](int x) { return x % 2 == 0; });
  const auto middle = even.slice(1, 3);
  CHECK(middle.size() == 2);
  CHECK(middle.to_vector() == std::vector{12, 14});
  const auto backwards = even.slice(3, -1, -1);
  CHECK(backwards.to_vector() == std::vector{16, 14, 12, 10});
  const auto beyond = even.slice(2, 5);
  CHECK(kind_of([&] { beyond[0]; }) == error_kind::index_outside);
  CHECK(kind_of([&] { even.slice(4, -1, -1)[0]; }) == error_kind::index_outside);
}

TEST_CASE("concatenate puts arrays after each other along the first dimension") {
  CHECK(line.slice(0, 2).concatenate(line.slice(6, 7), line.slice(3, 4)).to_vector() ==
        std::vector{10, 11, 16, 13});
  CHECK(grid.concatenate(grid).shape() == ikra::index{4, 3});
  CHECK(grid.concatenate(grid)(3, 1) == 5);
  CHECK(grid.concatenate().to_vector() == grid.to_vector());
  const auto selected = line.pselect([](int x) { return x > 14; });
  const auto joined = selected.concatenate(line, selected);
  CHECK(joined.size() == 11);
  CHECK(joined[10] == 16);
  const ikra::array<int, 2> wide{std::vector<int>(8), {2, 4}};
  CHECK(kind_of([&] { grid.concatenate(wide); }) == error_kind::shape_mismatch);
  const ikra::array words{std::vector<std::string>{"a"}};
  CHECK(words.concatenate(words)[1] == "a");
}

TEST_CASE("pgather reads at row-major positions or at indices") {
  const ikra::array places{std::vector<std::uint16_t>{5, 0, 5}};
  CHECK(grid.pgather(places).to_vector() == std::vector{6, 1, 6});
  const auto mirrored =
      ikra::pnew({2, 3}, [](ikra::index<2> i) { return ikra::index{i[0], 2 - i[1]}; });
  CHECK(grid.pgather(mirrored).to_vector() == std::vector{3, 2, 1, 6, 5, 4});
  const auto shaped = line.pgather(grid);
  static_assert(std::is_same_v<decltype(shaped), const ikra::array<int, 2>>);
  CHECK(shaped(1, 2) == 16);
  // A permutation and its inverse.
  const auto forth = ikra::pnew(101, [](std::int64_t i) { return i * 7 % 101; });
  const auto back =
      ikra::pnew(101, [](std::int64_t i) { return i * 29 % 101; }); // 7 * 29 = 2 * 101 + 1
  CHECK(forth.pgather(back).to_vector() == numbered(ikra::index{101}).to_vector());
  CHECK(line.pselect([](int x) { return x > 12; })
            .pgather(ikra::array{std::vector<int>{3, 0}})
            .to_vector() == std::vector{16, 13});
}

TEST_CASE("pscatter writes to row-major positions or to indices, the last one stays") {
  const ikra::array values{std::vector<int>{1, 2, 3, 4}};
  const ikra::array places{std::vector<int>{4, 0, 4, 2}};
  CHECK(values.pscatter(places, 5).to_vector() == std::vector{2, 0, 4, 0, 3});
  CHECK(values.pscatter(places, 6, -1).to_vector() == std::vector{2, -1, 4, -1, 3, -1});
  const auto two = values.pscatter(places, {2, 3}, 9);
  static_assert(std::is_same_v<decltype(two), const ikra::array<int, 2>>);
  CHECK(two(1, 1) == 3);
  CHECK(two(1, 2) == 9);
  const auto turned = grid.pscatter(
      ikra::pnew({2, 3}, [](ikra::index<2> i) { return ikra::index{i[1], i[0]}; }), {3, 2});
  CHECK(turned.to_vector() == grid.transpose().to_vector());
  CHECK(ikra::array<int>().pscatter(ikra::array<int>(), ikra::index{2}).to_vector() ==
        std::vector{0, 0});
  const auto pairs = values.pmap([](int x) { return std::tuple(x, 0.5 * x); });
  CHECK(pairs.pscatter(places, 5)[4] == std::tuple(3, 1.5));
  CHECK(pairs.pscatter(places, 5)[1] == std::tuple(0, 0.0));
}

TEST_CASE("places outside are errors that name the operation and the place") {
  const ikra::array wrong{std::vector<int>{0, 7}};
  const auto gathered = line.pgather(wrong);
  CHECK(kind_of([&] { gathered[0]; }) == error_kind::index_outside);
  CHECK_THROWS_WITH(gathered[0], Catch::Contains("pgather") && Catch::Contains("element 1") &&
                                     Catch::Contains("7"));
  const ikra::array huge{std::vector<std::uint64_t>{~std::uint64_t{0}}};
  CHECK(kind_of([&] { line.pgather(huge)[0]; }) == error_kind::index_outside);
  const ikra::array negative{std::vector<std::int8_t>{-1}};
  CHECK(kind_of([&] { line.pgather(negative)[0]; }) == error_kind::index_outside);
  const ikra::array corner{std::vector<ikra::index<2>>{{0, 3}}}; // position 3 is inside
  CHECK_THROWS_WITH(grid.pgather(corner)[0],
                    Catch::Contains("(0, 3)") && Catch::Contains("(2, 3)"));
  const ikra::array two{std::vector<int>{5, 6}};
  CHECK(kind_of([&] { two.pscatter(wrong, 7)[0]; }) == error_kind::index_outside);
  CHECK_THROWS_WITH(two.pscatter(wrong, 7)[0], Catch::Contains("pscatter"));
  CHECK(kind_of([&] { two.pscatter(wrong, 8)[0]; }) == std::nullopt);
  CHECK(kind_of([&] { line.pscatter(wrong, 8); }) == error_kind::shape_mismatch);
  CHECK(kind_of([&] { two.pscatter(wrong, -8); }) == error_kind::bad_shape);
  const auto selected = line.pselect([](int x) { return x > 12; });
  CHECK(kind_of([&] { selected.pscatter(wrong, 8)[0]; }) == error_kind::shape_mismatch);
}

TEST_CASE("phistogram counts elements, or what a section makes of them") {
  const auto counts =
      numbered(ikra::index{10, 10}).phistogram(7, [](std::int64_t i) { return i % 7; });
  static_assert(std::is_same_v<decltype(counts), const ikra::array<std::int64_t, 1>>);
  CHECK(counts.to_vector() == std::vector<std::int64_t>{15, 15, 14, 14, 14, 14, 14});
  CHECK(ikra::array{std::vector<std::uint8_t>{3, 0, 3}}.phistogram(5).to_vector() ==
        std::vector<std::int64_t>{1, 0, 0, 2, 0});
  enum class kind : std::uint8_t { red, green, blue };
  const ikra::array kinds{std::vector{kind::blue, kind::red, kind::blue}};
  CHECK(kinds.phistogram(4).to_vector() == std::vector<std::int64_t>{1, 0, 2, 0});
  CHECK_THROWS_AS(kinds.phistogram(2).to_vector(), ikra::error);
  enum truth : bool { no, yes };
  CHECK(ikra::array{std::vector{yes, no, yes}}.phistogram(2).to_vector() ==
        std::vector<std::int64_t>{1, 2});
  CHECK(ikra::array<int>().phistogram(2).to_vector() == std::vector<std::int64_t>{0, 0});
  CHECK(ikra::array<int>().phistogram(0).empty());
  const auto wrong = line.phistogram(16);
  CHECK(kind_of([&] { wrong[0]; }) == error_kind::index_outside);
  CHECK_THROWS_WITH(wrong[0], Catch::Contains("phistogram") && Catch::Contains("16"));
  CHECK(line.phistogram(17)[16] == 1);
  CHECK(kind_of([] { line.phistogram(-1); }) == error_kind::bad_shape);
}

TEST_CASE("long chains of views and of other operations neither recurse nor copy each time") {
  auto a = numbered(ikra::index{2, 2});
  for (int i = 0; i < 1'000'001; ++i)
    a = a.transpose();
  CHECK(a.to_vector() == std::vector<std::int64_t>{0, 2, 1, 3});
  auto b = numbered(ikra::index{3});
  for (int i = 0; i < 100'000; ++i)
    b = b.psort().pscan([](auto, auto y) { return y; }).concatenate();
  CHECK(b.to_vector() == std::vector<std::int64_t>{0, 1, 2});
  auto dropped = b;
  for (int i = 0; i < 100'000; ++i)
    dropped = dropped.slice(2, -1, -1).psort().concatenate();
}

TEST_CASE("extents are 64 bits wide everywhere") {
  // Nothing of this size is ever computed: a window of it is.
  const auto huge = ikra::pnew({1LL << 20, 1LL << 20, 1LL << 20},
                               [](ikra::index<3> i) { return i[0] + i[1] + i[2]; });
  const auto corner = huge.transpose().slice({(1LL << 20) - 1, 5, 0}, {1LL << 20, 6, 1LL << 20});
  CHECK(corner.shape() == ikra::index{1, 1, 1LL << 20});
  CHECK(huge.slice({0, 0, 0}, {1LL << 20, 1LL << 20, 1LL << 20}, {1LL << 19, 1, 1}).size() ==
        std::size_t{1} << 41);
  CHECK(huge.preduce_axis(1, std::plus<>{}).size() == std::size_t{1} << 40);
  CHECK(huge.concatenate(huge).shape()[0] == 1LL << 21);
}
