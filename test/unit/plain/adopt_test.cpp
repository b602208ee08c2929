// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data in and out without copies: adopted memory is read where it lies and never written, its owner
// lives as long as somebody may read it, and what cannot be adopted stays the caller's.
#include "kinds.hpp"

#include <ikra/ikra.hpp>

#include <catch2/catch.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using ikra::error_kind;
using ikra_test::kind_of;

namespace {

std::vector<int> numbers(int n) {
  std::vector<int> result(static_cast<std::size_t>(n));
  std::iota(result.begin(), result.end(), 0);
  return result;
}

/// As std::mdspan is asked.
template <class T> struct matrix_view {
  using element_type = T;
  T* first;
  std::size_t extents[2];
  std::size_t strides[2];
  static constexpr std::size_t rank() { return 2; }
  T* data_handle() const { return first; }
  std::size_t extent(std::size_t d) const { return extents[d]; }
  std::size_t stride(std::size_t d) const { return strides[d]; }
};

struct person {
  int city;
  double income;
};

} // namespace

TEST_CASE("elements are given out where they lie") {
  std::vector<int> values = numbers(6);
  const int* const there = values.data();
  const ikra::array<int, 2> a(std::move(values), {2, 3});
  CHECK(a.data() == there);
  const std::span<const int> elements = a;
  CHECK(elements.data() == there);
  CHECK(elements.size() == 6);
  const auto total = [](std::span<const int> s) { return std::accumulate(s.begin(), s.end(), 0); };
  CHECK(total(a) == 15);
  CHECK(total(a.pmap([](int x) { return 2 * x; })) == 30);

  int out[6] = {};
  a.pmap([](int x) { return -x; }).copy_to(out);
  CHECK(out[5] == -5);
  CHECK(kind_of([&] { a.copy_to(std::span(out).first(5)); }) == error_kind::bad_shape);

  const ikra::array<std::string> none;
  CHECK(none.data() == nullptr);
  CHECK(std::span<const std::string>(none).empty());
  none.copy_to({});
  std::array<std::string, 2> words;
  ikra::array(std::vector<std::string>{"a", "b"}).copy_to(words);
  CHECK(words[1] == "b");
}

TEST_CASE("a column is a member of all elements where they lie") {
  const ikra::array people(std::vector<person>{{1, 10.5}, {2, 20.5}, {3, 30.5}});
  const auto incomes = people.column<&person::income>();
  CHECK(incomes.data() == &people.data()->income);
  CHECK(incomes.stride() == sizeof(person));
  CHECK(incomes.size() == 3);
  CHECK(incomes[2] == 30.5);
  CHECK(std::accumulate(incomes.begin(), incomes.end(), 0.0) == 61.5);
  CHECK(incomes.end()[-1] == 30.5);
  static_assert(std::ranges::random_access_range<decltype(incomes)>);
  static_assert(std::ranges::view<ikra::column_view<double>>);

  const auto pairs = people.pmap([](const person& p) { return std::tuple(p.city, p.income); });
  CHECK(pairs.column<0>()[1] == 2);
  CHECK(pairs.column<1>()[1] == 20.5);
  CHECK(ikra::array<person>().column<&person::city>().empty());
}

TEST_CASE("adopted memory is not copied, and its owner is kept") {
  SECTION("by the caller") {
    const std::vector<int> values = numbers(4);
    CHECK(ikra::adopt(std::span(values), ikra::borrowed).data() == values.data());
    CHECK(ikra::adopt(values.data(), {2, 2}, ikra::borrowed).data() == values.data());
  }
  SECTION("by a shared pointer") {
    auto values = std::make_shared<std::vector<int>>(numbers(4));
    const std::weak_ptr<std::vector<int>> alive = values;
    ikra::array<int> last;
    {
      const auto a = ikra::adopt(std::span(*values).subspan(1, 2), values);
      CHECK(a.data() == values->data() + 1);
      values.reset();
      last = a.pmap([](int x) { return 10 * x; });
    }
    CHECK_FALSE(alive.expired()); // an uncomputed array will read it
    CHECK(last.to_vector() == std::vector<int>{10, 20});
    CHECK(alive.expired());
  }
  SECTION("by a function that is called at the end") {
    int calls = 0;
    std::vector<int> values = numbers(4);
    {
      const auto a = ikra::adopt(std::span(values), [&calls] { ++calls; });
      const auto copy = a; // NOLINT(performance-unnecessary-copy-initialization)
      CHECK(calls == 0);
    }
    CHECK(calls == 1);
    {
      const auto none = ikra::adopt(std::span(values).first(0), [&calls] { ++calls; });
    }
    CHECK(calls == 2);
  }
  SECTION("by an owner that moves in") {
    std::unique_ptr<int[]> values(new int[3]{1, 2, 3});
    const int* const there = values.get();
    const auto a = ikra::adopt(there, {3}, std::move(values));
    CHECK(a.data() == there);
    CHECK(a.sum() == 6);
  }
  SECTION("in the array") {
    std::vector<int> values = numbers(6);
    const int* const there = values.data();
    const auto a = ikra::adopt(std::move(values), {2, 3});
    CHECK(a.data() == there);
    CHECK(a(1, 2) == 5);
    CHECK(ikra::adopt(std::array{1.5, 2.5}).sum() == 4);
    CHECK(ikra::adopt(std::make_shared<const std::array<int, 2>>(std::array{3, 4})).sum() == 7);
    // The elements of a std::array move with it.
    std::array five{1, 2, 3, 4, 5};
    const auto middle = ikra::adopt(std::span(five).subspan(1, 3), std::move(five));
    CHECK(middle.to_vector() == std::vector<int>{2, 3, 4});
  }
}

TEST_CASE("rows of pixels that lie at odd distances are copied, and let go") {
  struct pixel {
    unsigned char r, g, b;
  };
  std::vector<unsigned char> memory(3 * 8, 99);
  for (int row = 0; row < 3; ++row)
    for (int k = 0; k < 6; ++k)
      memory[static_cast<std::size_t>(row * 8 + k)] = static_cast<unsigned char>(row * 10 + k);
  const auto* const first = reinterpret_cast<const pixel*>(memory.data());
  int calls = 0;
  const std::size_t pitch = 8; // as libraries for images have it
  const auto image = ikra::adopt(first, {3, 2}, ikra::row_bytes{pitch}, [&] { ++calls; });
  CHECK(calls == 1);
  std::fill(memory.begin(), memory.end(), static_cast<unsigned char>(0));
  CHECK(image(0, 0).r == 0);
  CHECK(image(1, 1).g == 14);
  CHECK(image(2, 1).b == 25);
  CHECK(image.pmap([](pixel p) { return p.r + p.g + p.b; }).to_vector() ==
        std::vector<int>{3, 12, 33, 42, 63, 72});

  const auto upside_down = ikra::adopt(reinterpret_cast<const pixel*>(memory.data() + 16), {3, 2},
                                       ikra::row_bytes{-8}, std::move(memory));
  CHECK(upside_down.shape() == ikra::index<2>(3, 2));
  std::vector<unsigned char> few(3 * 8 - 3);
  CHECK(kind_of([&] {
          ikra::adopt(reinterpret_cast<const pixel*>(few.data()), {3, 2}, ikra::row_bytes{8},
                      std::move(few));
        }) == error_kind::cannot_adopt);
  CHECK(few.size() == 3 * 8 - 3);
  CHECK(kind_of([&] {
          ikra::adopt(reinterpret_cast<const pixel*>(few.data()), {-3, 2}, ikra::row_bytes{8},
                      ikra::borrowed);
        }) == error_kind::bad_shape);
}

TEST_CASE("strides and rows of images are views of adopted memory") {
  const std::vector<int> v = numbers(12);
  const auto elements = [](const auto& a) { return a.to_vector(); };
  CHECK(elements(ikra::adopt(v.data(), {2, 3}, {6, 2}, ikra::borrowed)) ==
        std::vector<int>{0, 2, 4, 6, 8, 10});
  CHECK(elements(ikra::adopt(v.data() + 11, {2, 2}, {-4, -1}, ikra::borrowed)) ==
        std::vector<int>{11, 10, 7, 6});
  CHECK(elements(ikra::adopt(v.data() + 3, {2, 2}, {4, -1}, ikra::borrowed)) ==
        std::vector<int>{3, 2, 7, 6});
  CHECK(elements(ikra::adopt(v.data() + 5, {2, 2}, {0, 0}, ikra::borrowed)) ==
        std::vector<int>(4, 5));
  CHECK(elements(ikra::adopt(v.data(), {3, 2}, ikra::row_bytes{16}, ikra::borrowed)) ==
        std::vector<int>{0, 1, 4, 5, 8, 9});
  CHECK(elements(ikra::adopt(matrix_view<const int>{v.data(), {2, 2}, {1, 2}}, ikra::borrowed)) ==
        std::vector<int>{0, 2, 1, 3});
  // Consecutive ones, also rows of them, are not copied.
  CHECK(ikra::adopt(v.data(), {2, 6}, {6, 1}, ikra::borrowed).data() == v.data());
  CHECK(ikra::adopt(v.data(), {3, 4}, ikra::row_bytes{16}, ikra::borrowed)
            .slice({1, 0}, {3, 4})
            .data() == v.data() + 4);
  // The last element of the last row is the last that an owner has to have.
  auto owner = std::make_shared<std::vector<int>>(numbers(10));
  CHECK(ikra::adopt(owner->data(), {3, 2}, {4, 1}, owner)(2, 1) == 9);
  CHECK(ikra::adopt(owner->data() + 9, {3, 2}, {-4, -1}, owner)(2, 1) == 0);
  CHECK(kind_of([&] { ikra::adopt(owner->data() + 8, {3, 2}, {-4, -1}, owner); }) ==
        error_kind::cannot_adopt);
}

TEST_CASE("what cannot be adopted says why and stays the caller's") {
  auto owner = std::make_shared<std::vector<int>>(numbers(6));
  const int* const first = owner->data();
  int calls = 0;
  const auto counted = [&calls] { ++calls; };
  SECTION("more than the owner has") {
    CHECK(kind_of([&] { ikra::adopt(std::span(first, 7), owner); }) == error_kind::cannot_adopt);
    CHECK(kind_of([&] { ikra::adopt(first, {2, 3}, {4, 1}, owner); }) == error_kind::cannot_adopt);
    std::vector<int> moved = numbers(3);
    CHECK_THROWS_WITH(ikra::adopt(moved.data() + 1, {3}, std::move(moved)),
                      Catch::Contains("12 bytes of its owner"));
    CHECK(moved.size() == 3); // NOLINT(bugprone-use-after-move): it was not
  }
  SECTION("a misaligned address") {
    const auto* const odd = reinterpret_cast<const int*>(
        reinterpret_cast<const char*>(first) + 1); // NOLINT(bugprone-casting-through-void)
    CHECK(kind_of([&] { ikra::adopt(odd, {2}, counted); }) == error_kind::cannot_adopt);
  }
  SECTION("null") {
    const int* const null = nullptr;
    CHECK(kind_of([&] { ikra::adopt(null, {2}, counted); }) == error_kind::cannot_adopt);
    CHECK(ikra::adopt(null, {0}, ikra::borrowed).empty());
    CHECK(kind_of([] { ikra::adopt(std::shared_ptr<std::vector<int>>()); }) ==
          error_kind::cannot_adopt);
  }
  SECTION("rows that overlap, since their distance is in elements") {
    const int pitch = GENERATE(3, -3, 0, 11);
    CHECK_THROWS_WITH(ikra::adopt(first, {2, 3}, ikra::row_bytes{pitch}, counted),
                      Catch::Contains("rows of 3 elements of 4 bytes begin " +
                                      std::to_string(pitch) + " bytes apart"));
    CHECK(ikra::adopt(first, {1, 3}, ikra::row_bytes{0}, ikra::borrowed).sum() == 3);
  }
  SECTION("rows that begin where no element can") {
    CHECK(kind_of([&] { ikra::adopt(first, {2, 2}, ikra::row_bytes{10}, counted); }) ==
          error_kind::cannot_adopt);
  }
  SECTION("shapes that are none, or overflow") {
    CHECK(kind_of([&] { ikra::adopt(first, {2, -1}, counted); }) == error_kind::bad_shape);
    CHECK(kind_of([&] { ikra::adopt(first, {INT64_MAX, 3}, counted); }) == error_kind::bad_shape);
    CHECK(kind_of([&] { ikra::adopt(first, {INT64_MAX / 2}, counted); }) == error_kind::bad_shape);
    CHECK(kind_of([&] { ikra::adopt(first, {3, 3}, {INT64_MAX / 8, INT64_MAX / 8}, counted); }) ==
          error_kind::bad_shape);
    CHECK(kind_of([&] { ikra::adopt(first, {2}, {INT64_MIN}, counted); }) == error_kind::bad_shape);
    CHECK(kind_of([&] { ikra::adopt(numbers(5), {2, 3}); }) == error_kind::bad_shape);
  }
  CHECK(calls == 0);
}
