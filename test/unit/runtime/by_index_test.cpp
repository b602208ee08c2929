// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// reduce_by_index by generated code against the plain library: one key and many, keys that are
// skewed, sorted, absent or outside, with a combination that is not commutative.
#include "value_sections.hpp"

#include <cstdint>
#include <string>
#include <vector>

using namespace ikra_unit_values;

namespace {

struct add {
  IKRA_HD double operator()(double a, double b) const { return a + b; }
};

/// Results of the generated section and of the plain library, for elements that are maps.
template <class Key> void check(const std::vector<Key>& keys, std::int64_t bins) {
  const ikra::array<std::uint64_t> a(affine_maps(keys.size()));
  const ikra::array<Key> k(keys);
  const std::uint64_t first = std::uint64_t(3) << 32 | 5;
  INFO(keys.size() << " elements, " << bins << " keys");
  const auto found =
      a.reduce_by_index(bins, k, first,
                        reduce_by_index_section<Key, std::uint64_t, std::uint64_t, compose>())
          .to_vector();
  REQUIRE(first_difference(found, a.reduce_by_index(bins, k, first, compose{}).to_vector()) ==
          static_cast<std::size_t>(bins));
}

std::vector<std::uint32_t> keys_below(std::size_t n, std::uint32_t bins) {
  std::vector<std::uint32_t> keys = scattered(n, 2);
  for (std::uint32_t& key : keys)
    key %= bins;
  return keys;
}

} // namespace

TEST_CASE("elements are combined by their keys in order, for few keys and many") {
  const threads many(GENERATE(1, 3, 16));
  for (const std::size_t n : sizes())
    check(keys_below(n, 7), 7);
  for (const std::uint32_t bins : {1U, 2U, 32U, 255U, 256U, 257U, 4095U, 5000U, 70000U, 300000U})
    check(keys_below(200003, bins), bins);
}

TEST_CASE("keys may be skewed, sorted, absent and of any integer type") {
  const threads many(GENERATE(1, 3, 16));
  check(std::vector<std::uint8_t>(100003, 2), 3);
  check(std::vector<std::int64_t>(100003, 99999), 100000);
  std::vector<std::int16_t> sorted;
  for (int i = 0; i < 100003; ++i)
    sorted.push_back(static_cast<std::int16_t>(i / 1000));
  check(sorted, 101);
  check(std::vector<std::int32_t>(), 4);
  check(keys_below(5, 1U << 20), 1 << 20);
}

TEST_CASE("elements are converted before they are combined, and the first key outside is named") {
  const ikra::array<std::int8_t> a{counted<std::int8_t>(50000)};
  std::vector<std::int32_t> keys;
  for (int i = 0; i < 50000; ++i)
    keys.push_back(i % 10);
  const auto section = [] {
    return reduce_by_index_section<std::int32_t, std::int8_t, double, add>();
  };
  const auto sums = a.reduce_by_index(10, ikra::array(keys), 0.5, section());
  for (int k = 0; k < 10; ++k) // 500 times k, k + 10, … k + 90
    CHECK(sums[k] == 0.5 + 500 * (10.0 * k + 450));

  keys[40001] = keys[49999] = -7;
  for (const std::int64_t bins : {10, 30000}) {
    const auto outside = a.reduce_by_index(bins, ikra::array(keys), 0.5, section());
    CHECK_THROWS_WITH(outside[0], Catch::Contains("reduce_by_index: -7 at element 40001"));
  }
  CHECK_THROWS_AS(a.reduce_by_index(0, ikra::array(keys), 0.5, section()).to_vector(), ikra::error);
}
