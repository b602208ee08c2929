// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parallel operations but the stencil, each against what it is defined to be.
#include "kinds.hpp"

#include <ikra/ikra.hpp>

#include <catch2/catch.hpp>

#include <cstdint>
#include <functional>
#include <tuple>
#include <vector>

using ikra::error_kind;
using ikra_test::kind_of;

namespace {
int twice(int x) { return 2 * x; }
struct affine {
  int factor;
  int summand;
  int operator()(int x) const { return factor * x + summand; }
};
struct item {
  int weight;
  int price = 0;
  int doubled() const { return 2 * weight; }
};
const ikra::array numbers{std::vector<int>{1, 2, 3, 4}};
const ikra::array<int, 2> grid{std::vector<int>{1, 2, 3, 4, 5, 6}, {2, 3}};
} // namespace

TEST_CASE("pmap applies its section everywhere and keeps the shape") {
  CHECK(numbers.pmap([](int e) { return e + 1; }).to_vector() == std::vector{2, 3, 4, 5});
  const auto halves = grid.pmap([](int e) { return e * 0.5; });
  static_assert(std::is_same_v<decltype(halves), const ikra::array<double, 2>>);
  CHECK(halves.shape() == ikra::index{2, 3});
  CHECK(halves(1, 2) == 3.0);
}

TEST_CASE("sections may be lambdas, function objects, functions and pointers to members") {
  CHECK(numbers.pmap([](auto e) { return e; }).to_vector() == numbers.to_vector());
  CHECK(numbers.pmap(affine{10, 1})[3] == 41);
  CHECK(numbers.pmap(twice)[3] == 8);
  CHECK(numbers.pmap(&twice)[2] == 6);
  const auto items = numbers.pmap([](int e) { return item{e, 3 * e}; });
  CHECK(items.pmap(&item::weight)[1] == 2);
  CHECK(items.pmap(&item::doubled)[1] == 4);
}

TEST_CASE("results of sections decay") {
  const std::vector<int> table{10, 20, 30, 40, 50};
  const auto looked_up =
      numbers.pmap([table](int e) -> const int& { return table[std::size_t(e)]; });
  static_assert(std::is_same_v<decltype(looked_up), const ikra::array<int, 1>>);
  CHECK(looked_up.to_vector() == std::vector{20, 30, 40, 50});
}

TEST_CASE("with_index passes int64 in rank 1 and an index above") {
  const auto a = numbers.with_index().pmap([](int e, auto i) {
    static_assert(std::is_same_v<decltype(i), std::int64_t>);
    return e * 10 + int(i);
  });
  CHECK(a.to_vector() == std::vector{10, 21, 32, 43});
  const auto b = grid.with_index().pmap([](int e, ikra::index<2> i) {
    auto [y, x] = i;
    return std::tuple(e, y, x);
  });
  CHECK(b[0] == std::tuple(1, 0, 0));
  CHECK(b(1, 1) == std::tuple(5, 1, 1));
}

TEST_CASE("indices run through all places of a rank 4 array in row-major order") {
  const auto places = ikra::pnew({2, 3, 2, 2}, [](ikra::index<4> i) { return i; });
  std::int64_t position = 0;
  for (const ikra::index<4> i : places) {
    const auto [a, b, c, d] = i;
    REQUIRE(((a * 3 + b) * 2 + c) * 2 + d == position++);
  }
  CHECK(position == 24);
}

TEST_CASE("pcombine takes any number of arrays, of any types, then the section") {
  const auto doubled = numbers.pmap(twice);
  const auto halves = numbers.pmap([](int e) { return e * 0.5; });
  CHECK(numbers.pcombine(doubled, [](int x, int y) { return x * y; }).to_vector() ==
        std::vector{2, 8, 18, 32});
  CHECK(numbers.pcombine(doubled, halves, [](int x, int y, double z) { return x + y + z; })[3] ==
        14.0);
  CHECK(numbers.pcombine(numbers, numbers, numbers,
                         [](int a, int b, int c, int d) { return a * b * c * d; })[3] == 256);
  CHECK(numbers.with_index().pcombine(
            doubled, [](int x, int y, std::int64_t i) { return x + y + int(i) * 100; })[2] == 209);
  CHECK(numbers.pcombine(doubled, std::minus<>{})[1] == -2);
}

TEST_CASE("pzip makes tuples, of any number of arrays") {
  const auto doubled = numbers.pmap(twice);
  const auto z = numbers.pzip(doubled);
  static_assert(std::is_same_v<decltype(z), const ikra::array<std::tuple<int, int>, 1>>);
  CHECK(z[3] == std::tuple(4, 8));
  CHECK(numbers.pzip(doubled, numbers.pmap([](int e) { return e > 2; }))[2] ==
        std::tuple(3, 6, true));
  CHECK(z.pmap([](std::tuple<int, int> t) { return std::get<0>(t) + std::get<1>(t); })[0] == 3);
}

TEST_CASE("arrays of different shapes do not combine") {
  const ikra::array other{std::vector<int>{1, 2, 3}};
  const ikra::array<int, 2> transposed{std::vector<int>(6), {3, 2}};
  CHECK(kind_of([&] { numbers.pcombine(other, std::plus<>{}); }) == error_kind::shape_mismatch);
  CHECK(kind_of([&] { numbers.pzip(other); }) == error_kind::shape_mismatch);
  CHECK(kind_of([&] { grid.pcombine(transposed, std::plus<>{}); }) == error_kind::shape_mismatch);
  CHECK_THROWS_WITH(grid.pcombine(transposed, std::plus<>{}),
                    Catch::Contains("(2, 3)") && Catch::Contains("(3, 2)"));
}

TEST_CASE("where the shape is known only once computed, so is the mismatch") {
  const auto even = numbers.pselect([](int e) { return e % 2 == 0; });
  const auto sums = numbers.pcombine(even, std::plus<>{});
  CHECK(kind_of([&] { sums[0]; }) == error_kind::shape_mismatch);
  CHECK(kind_of([&] { sums.size(); }) == error_kind::shape_mismatch);
  CHECK(even.pcombine(even, std::plus<>{}).to_vector() == std::vector{4, 8});
}

TEST_CASE("pnew computes from the index alone") {
  CHECK(ikra::pnew(4, [](std::int64_t i) { return float(i); })[3] == 3.0F);
  const auto table = ikra::pnew({2, 3L}, [](ikra::index<2> i) { return int(i[0] * 10 + i[1]); });
  CHECK(table.to_vector() == std::vector{0, 1, 2, 10, 11, 12});
  CHECK(ikra::pnew(ikra::index{1, 2}, [](auto) { return 1; }).shape() == ikra::index{1, 2});
  CHECK(ikra::pnew({3}, [](std::int64_t i) { return i; }).rank() == 1);
  CHECK(ikra::pnew(0, [](std::int64_t i) { return i; }).empty());
  CHECK(kind_of([] { ikra::pnew(-1, [](std::int64_t i) { return i; }); }) == error_kind::bad_shape);
  CHECK(kind_of([] { ikra::pnew({2, -2}, [](auto) { return 1; }); }) == error_kind::bad_shape);
}

TEST_CASE("preduce combines from left to right") {
  CHECK(numbers.preduce(std::plus<>{})[0] == 10);
  CHECK(numbers.preduce(std::plus<>{}).size() == 1);
  CHECK(grid.preduce(ikra::max).value() == 6);
  CHECK(grid.preduce(ikra::min).value() == 1);
  // Associative but not commutative: composition of affine functions.
  const auto composed = ikra::pnew(5, [](std::int64_t i) { return affine{int(i) + 2, int(i)}; })
                            .preduce([](affine f, affine g) {
                              return affine{f.factor * g.factor, g.factor * f.summand + g.summand};
                            })
                            .value();
  int x = 1;
  for (int i = 0; i < 5; ++i)
    x = affine{i + 2, i}(x);
  CHECK(composed(1) == x);
}

TEST_CASE(
    "preduce of an empty array is an error at the first access, with a first value it is that") {
  const ikra::array<int> none;
  const auto reduced = none.preduce(std::plus<>{});
  CHECK(kind_of([&] { reduced[0]; }) == error_kind::empty_reduction);
  CHECK(none.preduce(42, std::plus<>{}).value() == 42);
  CHECK(numbers.preduce(100, std::plus<>{}).value() == 110);
}

TEST_CASE("preduce with a first value of a wider type does not overflow") {
  const ikra::array large{std::vector<int>(4, 2'000'000'000)};
  CHECK(large.preduce(std::int64_t{0}, std::plus<>{}).value() == 8'000'000'000);
  const ikra::array halves{std::vector<float>{0.5F, 0.25F}};
  CHECK(halves.preduce(0, std::plus<>{}).value() == 0.75F); // nothing is cut off either
}

TEST_CASE("pselect keeps the order and knows its size once computed") {
  const auto even = numbers.pselect([](int e) { return e % 2 == 0; });
  CHECK(even.size() == 2);
  CHECK(even.shape() == ikra::index{2});
  CHECK(even.to_vector() == std::vector{2, 4});
  CHECK(even.pmap(twice).size() == 2);
  CHECK(even.with_index().pmap([](int e, std::int64_t i) { return e + int(i); })[1] == 5);
  CHECK(even.pselect([](int e) { return e > 2; }).to_vector() == std::vector{4});
  CHECK(grid.with_index().pselect([](int, ikra::index<2> i) { return i[1] == 1; }).to_vector() ==
        std::vector{2, 5});
  CHECK(numbers.pselect([](int) { return false; }).empty());
}

TEST_CASE("reshape keeps the elements in row-major order") {
  CHECK(grid.reshape({3, 2})(2, 0) == 5);
  CHECK(grid.reshape({6})[4] == 5);
  CHECK(grid.reshape(ikra::index{1, 2, 3}).shape() == ikra::index{1, 2, 3});
  CHECK(kind_of([] { grid.reshape({4, 2}); }) == error_kind::bad_shape);
  CHECK(kind_of([] { grid.reshape({-1, -6}); }) == error_kind::bad_shape);
  const auto even = numbers.pselect([](int e) { return e % 2 == 0; });
  CHECK(even.reshape({2, 1})(1, 0) == 4);
  const auto wrong = even.reshape({3, 1});
  CHECK(kind_of([&] { wrong[0]; }) == error_kind::bad_shape);
}

TEST_CASE("shorthands") {
  CHECK(numbers.sum() == 10);
  CHECK(numbers.count([](int e) { return e > 1; }) == 3);
  CHECK(numbers.any([](int e) { return e == 3; }));
  CHECK_FALSE(numbers.any([](int e) { return e == 9; }));
  CHECK(numbers.all([](int e) { return e < 9; }));
  CHECK_FALSE(numbers.all([](int e) { return e < 4; }));
  const ikra::array<int> none;
  CHECK(none.count([](int) { return true; }) == 0);
  CHECK_FALSE(none.any([](int) { return true; }));
  CHECK(none.all([](int) { return false; }));
  CHECK(ikra::max(2, 3) == 3);
  CHECK(ikra::min(2.5, 3.5) == 2.5);
}

TEST_CASE("captured vectors and arrays may be read at any index") {
  const std::vector<int> weights{1, 10, 100, 1000};
  const auto reversed =
      numbers.with_index().pmap([all = numbers](int, std::int64_t i) { return all[3 - i]; });
  CHECK(reversed.to_vector() == std::vector{4, 3, 2, 1});
  const auto weighted = numbers.with_index().pmap([=](int e, std::int64_t i) {
    int others = 0;
    for (int x : reversed)
      others += x;
    return e * weights[std::size_t(i)] + others + int(reversed.size()) + grid(1, 2);
  });
  CHECK(weighted[3] == 4000 + 10 + 4 + 6);
}

TEST_CASE("a host section runs at once and returns what its body returns") {
  int runs = 0;
  const auto result = ikra::host_section([&] {
    ++runs;
    ikra::array<int, 2> arr = grid;
    for (int i = 0; i < 10; ++i) {
      if (arr.preduce(std::plus<>{})[0] % 2 == 0)
        arr = arr.pmap([](int x) { return x + 1; });
      else
        arr = arr.pmap([](int x) { return x + 2; });
      arr = arr.pmap([](int x) { return x + 3; });
    }
    return arr;
  });
  CHECK(runs == 1);
  // 21 is odd: + 2 + 3 each time, and six times five leaves it odd.
  CHECK(result.to_vector() == std::vector{51, 52, 53, 54, 55, 56});
  CHECK(std::get<1>(ikra::host_section([] { return std::tuple(numbers, 3); })) == 3);
  static_assert(std::is_void_v<decltype(ikra::host_section([] {}))>);
}
