// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// reduce_by_index: elements combined by their keys, in their order, with what is outside refused.
#include "kinds.hpp"

#include <ikra/ikra.hpp>

#include <catch2/catch.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

using ikra::error_kind;
using ikra_test::kind_of;

TEST_CASE("reduce_by_index combines the elements of each key in their order") {
  const ikra::array a(std::vector<int>{5, 12, 21, 7, 13});
  const auto tens = [](int x) { return x / 10; };
  CHECK(a.reduce_by_index(4, tens, 0, std::plus<>{}).to_vector() ==
        std::vector<int>{12, 25, 21, 0});
  CHECK(a.reduce_by_index(3, tens, 100, ikra::max).to_vector() == std::vector<int>{100, 100, 100});
  // Not commutative: the order is that of the elements.
  const auto words = a.pmap([](int x) { return std::to_string(x); })
                         .reduce_by_index(
                             3, [](const std::string& s) { return s.size(); }, std::string("<"),
                             [](std::string x, const std::string& y) { return std::move(x) + y; });
  CHECK(words.to_vector() == std::vector<std::string>{"<", "<57", "<122113"});
}

TEST_CASE("reduce_by_index takes keys of any integer type, and computes in the common type") {
  const ikra::array<float, 2> a(std::vector<float>{1, 2, 3, 4}, {2, 2});
  const ikra::array<std::uint8_t, 2> keys(std::vector<std::uint8_t>{1, 0, 1, 1}, {2, 2});
  const auto sums = a.reduce_by_index(std::size_t(2), keys, 0.5, std::plus<>{});
  static_assert(std::is_same_v<decltype(sums), const ikra::array<double, 1>>);
  CHECK(sums.to_vector() == std::vector<double>{2.5, 8.5});
  CHECK(sums.size() == 2); // known before it is computed
}

TEST_CASE("reduce_by_index refuses keys outside and shapes that differ") {
  const ikra::array a(std::vector<int>{1, 2, 3});
  const auto of = [&](int bins, auto key) {
    return kind_of([&] { a.reduce_by_index(bins, key, 0, std::plus<>{}).to_vector(); });
  };
  const auto itself = [](int x) { return x; };
  CHECK(of(4, itself) == std::nullopt);
  CHECK(of(3, itself) == error_kind::index_outside);
  CHECK(of(4, [](int x) { return x - 2; }) == error_kind::index_outside);
  CHECK(of(4, [](int) { return ~std::uint64_t(0); }) == error_kind::index_outside);
  CHECK(of(-1, itself) == error_kind::bad_shape);
  CHECK(of(0, itself) == error_kind::index_outside);
  CHECK(of(4, ikra::array(std::vector<int>{1, 2})) == error_kind::shape_mismatch);
  CHECK(ikra::array<int>().reduce_by_index(2, itself, 7, std::plus<>{})[1] == 7);
  CHECK_THROWS_WITH(
      a.reduce_by_index(3, itself, 0, std::plus<>{})[0],
      Catch::Contains("reduce_by_index: 3 at element 2 lies outside of the shape (3)"));
}
