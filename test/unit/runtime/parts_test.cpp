// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays that are computed in parts: with IKRA_STREAM=always these tests take that way, else they
// are what it is compared with.
#include "value_sections.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

using namespace ikra_unit_values;

namespace {

struct weighted {
  IKRA_HD double operator()(std::int32_t x, std::int8_t y) const { return x * 0.5 + y; }
};
struct add {
  IKRA_HD std::int32_t operator()(std::int32_t a, std::int32_t b) const { return a + b; }
};
auto doubled(const ikra::array<std::int32_t>& a) {
  return a.pcombine(a, combine_section<std::int32_t, add, std::int32_t, std::int32_t>());
}
struct is_odd {
  IKRA_HD bool operator()(std::int32_t x) const { return x % 2 != 0; }
};
/// Of which parts select all, some or none.
template <int First, int End> struct is_within {
  IKRA_HD bool operator()(std::int32_t x) const { return x >= First && x < End; }
};
template <int First, int End> void selects(std::size_t n) {
  INFO(First << " to " << End << " of " << n);
  const ikra::array x{counted<std::int32_t>(n)};
  const auto found = x.pselect(select_section<std::int32_t, is_within<First, End>>()).to_vector();
  CHECK(found == x.pselect(is_within<First, End>{}).to_vector());
}
/// Every coordinate in its own decimal places, and the elements.
struct with_place {
  IKRA_HD std::int64_t number(std::int64_t i) const { return i; }
  template <int R> IKRA_HD std::int64_t number(const ikra::index<R>& i) const {
    std::int64_t result = 0;
    for (int d = 0; d < R; ++d)
      result = 10000 * result + i[d];
    return result;
  }
  template <class Place> IKRA_HD std::int64_t operator()(const Place& i) const { return number(i); }
  template <class Place>
  IKRA_HD std::int64_t operator()(std::int32_t x, std::int8_t y, const Place& i) const {
    return number(i) * 1000 + x * y;
  }
};
struct is_at_odd_sum {
  template <class Place> IKRA_HD bool operator()(std::int32_t x, const Place& i) const {
    return (x + with_place{}.number(i) / 10000 + with_place{}.number(i)) % 3 == 1;
  }
};
/// with_index().pcombine, with_index().pselect and pnew.
template <int R> void check_places(const ikra::index<R>& shape) {
  INFO("shape " << ikra::detail::to_string(shape));
  const auto n = static_cast<std::size_t>(shape.volume());
  const ikra::array<std::int32_t, R> x{counted<std::int32_t>(n), shape};
  const ikra::array<std::int8_t, R> y{counted<std::int8_t>(n), shape};
  const auto combined = [&] {
    return x.with_index().pcombine(
        y, combine_indexed_section<std::int64_t, R, with_place, std::int32_t, std::int8_t>());
  };
  const auto expected = x.with_index().pcombine(y, with_place{}).to_vector();
  CHECK(combined().to_vector() == expected);
  std::vector<std::int64_t> to(n);
  combined().copy_to(to);
  CHECK(to == expected);

  const auto numbers = ikra::pnew(shape, new_section<std::int64_t, R, with_place>());
  CHECK(numbers.shape() == shape);
  const auto all_numbers = ikra::pnew(shape, with_place{}).to_vector();
  CHECK(numbers.to_vector() == all_numbers);
  ikra::pnew(shape, new_section<std::int64_t, R, with_place>()).copy_to(to);
  CHECK(to == all_numbers);

  CHECK(x.with_index()
            .pselect(select_indexed_section<std::int32_t, R, is_at_odd_sum>())
            .to_vector() == x.with_index().pselect(is_at_odd_sum{}).to_vector());
}
struct add_longs {
  IKRA_HD std::int64_t operator()(std::int64_t a, std::int64_t b) const { return a + b; }
};

} // namespace

TEST_CASE("parts of arrays come together") {
  for (const std::size_t n : {0, 1, 999, 1000, 1001, 4321}) {
    INFO(n << " elements");
    const ikra::array x{counted<std::int32_t>(n)};
    const ikra::array y{counted<std::int8_t>(n)};
    const auto combined =
        x.pcombine(y, combine_section<double, weighted, std::int32_t, std::int8_t>());
    CHECK(combined.to_vector() == x.pcombine(y, weighted{}).to_vector());
    CHECK(x.pselect(select_section<std::int32_t, is_odd>()).to_vector() ==
          x.pselect(is_odd{}).to_vector());
    const auto sum =
        x.preduce(std::int64_t(7), reduce_from_section<std::int32_t, std::int64_t, add_longs>());
    CHECK(sum[0] == x.preduce(std::int64_t(7), add_longs{})[0]);

    // Not commutative: parts are combined in their order.
    const ikra::array maps{affine_maps(n)};
    const auto all = maps.preduce(reduce_section<std::uint64_t, compose>());
    if (n == 0)
      CHECK_THROWS_AS(all[0], ikra::error);
    else
      CHECK(all[0] == maps.preduce(compose{})[0]);
  }
}

TEST_CASE("parts of arrays go where they are to be copied to") {
  for (const std::size_t n : {0, 1, 1000, 4321, 100'000}) {
    INFO(n << " elements");
    const ikra::array x{counted<std::int32_t>(n)};
    const ikra::array y{counted<std::int8_t>(n)};
    const std::vector<double> expected = x.pcombine(y, weighted{}).to_vector();
    const auto combined = [&] {
      return x.pcombine(y, combine_section<double, weighted, std::int32_t, std::int8_t>());
    };
    std::vector<double> to(n, -1);
    combined().copy_to(to);
    CHECK(to == expected);

    // The array has elements of its own where somebody may ask for them.
    const auto kept = combined();
    std::fill(to.begin(), to.end(), -1);
    kept.copy_to(to);
    CHECK(to == expected);
    std::fill(to.begin(), to.end(), -1);
    CHECK(kept.to_vector() == expected);
    auto given_up = combined();
    const auto copy = given_up;
    std::move(given_up).copy_to(to);
    CHECK(to == expected);
    std::fill(to.begin(), to.end(), -1);
    CHECK(copy.to_vector() == expected);

    std::vector<double> fewer(n + 1, -1);
    CHECK_THROWS_AS(combined().copy_to(fewer), ikra::error);
    CHECK(fewer == std::vector<double>(n + 1, -1));
  }
}

TEST_CASE("parts of arrays go where their inputs lie") {
  constexpr std::size_t n = 100'000, ahead = 7;
  std::vector<std::int32_t> memory = counted<std::int32_t>(n + ahead), expected = memory;
  for (std::size_t i = 0; i < n; ++i)
    expected[i + ahead] = 2 * memory[i];
  const std::span<std::int32_t> all(memory);
  const auto input = [](std::span<const std::int32_t> elements) {
    return ikra::adopt(elements, ikra::borrowed);
  };
  doubled(input(all.first(n))).copy_to(all.last(n));
  CHECK(memory == expected);
  for (std::int32_t& x : expected)
    x *= 2;
  doubled(input(all)).copy_to(all);
  CHECK(memory == expected);
}

TEST_CASE("parts of arrays that are given up need no memory but what they are copied to") {
  constexpr std::size_t n = 200'000;
  const ikra::array x{counted<std::int32_t>(n)};
  const ikra::array y{counted<std::int8_t>(n)};
  const auto combined = [&] {
    return x.pcombine(y, combine_section<double, weighted, std::int32_t, std::int8_t>());
  };
  std::vector<double> to(n);
  static_cast<void>(ikra::rt::host_device().take_peak());
  const std::size_t before = ikra::rt::host_device().take_peak();
  combined().copy_to(to);
  CHECK(ikra::rt::host_device().take_peak() == before);
  const auto kept = combined();
  static_cast<void>(kept.data());
  CHECK(ikra::rt::host_device().take_peak() >= before + n * sizeof(double));
}

TEST_CASE("parts of arrays have the indices of the whole") {
  for (const std::int64_t n : {0, 1, 1000, 1001, 4321})
    check_places<1>({n});
  // Parts begin within rows, at rows, and several in one.
  for (const ikra::index<2> shape : {ikra::index{61, 71}, {40, 100}, {3, 3500}, {5000, 1}, {0, 7}})
    check_places<2>(shape);
  check_places<3>({13, 17, 19});
}

TEST_CASE("parts select more or fewer than those before") {
  for (const std::size_t n : {1001, 5000}) {
    selects<0, 100'000>(n);   // all
    selects<100'000, 0>(n);   // none
    selects<0, 1500>(n);      // fewer and fewer
    selects<990, 100'000>(n); // more than it looked like
    selects<2400, 2600>(n);
  }
}

TEST_CASE("parts of arrays go on with the bins of those before") {
  const std::uint64_t first = std::uint64_t(3) << 32 | 5;
  for (const std::size_t n : {0, 1000, 1001, 4321})
    for (const std::int64_t bins : {1, 3, 5000}) {
      INFO(n << " elements, " << bins << " bins");
      const ikra::array maps{affine_maps(n)};
      const auto keys = ikra::array{counted<std::int64_t>(n)}.pmap(
          [bins](std::int64_t i) { return i * 7 % bins; });
      CHECK(maps.reduce_by_index(
                    bins, keys, first,
                    reduce_by_index_section<std::int64_t, std::uint64_t, std::uint64_t, compose>())
                .to_vector() == maps.reduce_by_index(bins, keys, first, compose{}).to_vector());
      CHECK(keys.phistogram(bins).to_vector() ==
            keys.reduce_by_index(bins, keys, std::int64_t(0),
                                 [](std::int64_t count, std::int64_t) { return count + 1; })
                .to_vector());
    }
}

TEST_CASE("parts of arrays find the first key outside in all of the array") {
  std::vector<std::int64_t> keys = counted<std::int64_t>(3000);
  const ikra::array maps{affine_maps(keys.size())};
  for (std::int64_t& key : keys)
    key %= 10;
  keys[2345] = 10;
  keys[2999] = -1;
  const ikra::array k{keys};
  const auto combined = maps.reduce_by_index(
      10, k, std::uint64_t(1) << 32,
      reduce_by_index_section<std::int64_t, std::uint64_t, std::uint64_t, compose>());
  CHECK_THROWS_WITH(combined.to_vector(), Catch::Contains("10 at element 2345"));
  CHECK_THROWS_WITH(k.phistogram(10).to_vector(), Catch::Contains("10 at element 2345"));
}

TEST_CASE("parts of arrays whose sizes differ are refused") {
  const ikra::array x{counted<std::int32_t>(3000)};
  const auto fewer = x.pselect(select_section<std::int32_t, is_odd>());
  const auto combined = x.pcombine(fewer.pmap([](std::int32_t i) { return std::int8_t(i); }),
                                   combine_section<double, weighted, std::int32_t, std::int8_t>());
  CHECK_THROWS_WITH(combined.to_vector(), Catch::Contains("3000"));
}
