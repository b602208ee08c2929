// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pscan by generated code: the order of elements is kept, the result is the same in every run and
// for any number of threads, and a first value means what it means in the plain library.
#include "value_sections.hpp"

#include <cstring>
#include <numeric>
#include <type_traits>

namespace ikra_unit_values {

struct scan_add {
  template <class T> IKRA_HD T operator()(T a, T b) const { return static_cast<T>(a + b); }
};
struct scan_max {
  template <class T> IKRA_HD T operator()(T a, T b) const { return a < b ? b : a; }
};

/// Numbers from first to last, one by one. 12 bytes, and no default constructor.
struct stretch {
  explicit IKRA_HD stretch(std::int32_t only) : first(only), last(only), ascends(1) {}
  std::int32_t first, last, ascends;
  friend bool operator==(const stretch&, const stretch&) = default;
};
struct lengthen {
  IKRA_HD stretch operator()(stretch a, const stretch& b) const {
    a.ascends = a.ascends && b.ascends && a.last + 1 == b.first;
    a.last = b.last;
    return a;
  }
};

} // namespace ikra_unit_values

using namespace ikra_unit_values;

namespace {

/// The first place where generated code and the plain library differ, in all forms of scans.
template <class Body, class T> void check_scan(const std::vector<T>& values, const T& init) {
  const ikra::array<T> a{values};
  INFO(values.size() << " elements of " << sizeof(T) << " bytes");
  REQUIRE(first_difference(a.pscan(scan_section<T, Body>()).to_vector(),
                           a.pscan(Body{}).to_vector()) == values.size());
  REQUIRE(first_difference(a.pscan(init, scan_from_section<T, T, Body>()).to_vector(),
                           a.pscan(init, Body{}).to_vector()) == values.size());
  REQUIRE(first_difference(a.pscan_exclusive(init, scan_from_section<T, T, Body>()).to_vector(),
                           a.pscan_exclusive(init, Body{}).to_vector()) == values.size());
}

} // namespace

TEST_CASE("prefixes are combined in their order by a body that is not commutative") {
  const threads many(GENERATE(1, 3));
  for (const std::size_t n : sizes())
    check_scan<compose>(affine_maps(n), (std::uint64_t(3) << 32) + 1);
}

TEST_CASE("scans over many tiles, and over several groups of them") {
  const threads many(4);
  check_scan<compose>(affine_maps(1300003), std::uint64_t(5) << 32);
  std::vector<std::uint32_t> values = scattered(5000011);
  check_scan<scan_add>(values, 17u);
}

TEST_CASE("scans of bytes, of elements of twelve bytes without default constructor") {
  const threads many(GENERATE(1, 3));
  for (const std::size_t n : sizes()) {
    check_scan<scan_add>(counted<std::uint8_t>(n), std::uint8_t(3));
    check_scan<scan_max>(counted<std::int16_t>(n), std::int16_t(50));
    std::vector<stretch> parts;
    for (std::size_t i = 0; i < n; ++i)
      parts.emplace_back(static_cast<std::int32_t>(i == n / 2 ? 0 : i));
    check_scan<lengthen>(parts, stretch(-1));
  }
}

TEST_CASE("elements are converted to the type of the first value before they are combined") {
  const threads many(GENERATE(1, 3));
  for (const std::size_t n : {std::size_t(1), std::size_t(4097), std::size_t(100003)}) {
    const ikra::array<std::uint8_t> a{std::vector<std::uint8_t>(n, 200)};
    const auto up =
        a.pscan(std::int64_t{1} << 40, scan_from_section<std::uint8_t, std::int64_t, scan_add>());
    const auto before = a.pscan_exclusive(
        std::int64_t{1} << 40, scan_from_section<std::uint8_t, std::int64_t, scan_add>());
    REQUIRE(up[n - 1] == (std::int64_t{1} << 40) + 200 * static_cast<std::int64_t>(n));
    REQUIRE(before[0] == std::int64_t{1} << 40);
    REQUIRE(before[n - 1] == up[n - 1] - 200);
  }
}

TEST_CASE("a scan of nothing is empty") {
  const ikra::array<int> nothing{std::vector<int>()};
  CHECK(nothing.pscan(scan_section<int, scan_add>()).to_vector().empty());
  CHECK(nothing.pscan_exclusive(3, scan_from_section<int, int, scan_add>()).to_vector().empty());
}

TEST_CASE("sums of floats are the same bits in every run, for any number of threads") {
  std::vector<float> values;
  for (const std::uint32_t bits : scattered(3000017))
    values.push_back(static_cast<float>(bits) * 1e-5f - 20000.0f);
  const auto scanned = [&] {
    return ikra::array{values}.pscan(scan_section<float, scan_add>()).to_vector();
  };
  const std::vector<float> once = [&] {
    const threads one(1);
    return scanned();
  }();
  for (const int count : {2, 3, 4}) {
    const threads many(count);
    const std::vector<float> again = scanned();
    REQUIRE(std::memcmp(once.data(), again.data(), once.size() * sizeof(float)) == 0);
  }
}

TEST_CASE("scans keep the shape") {
  const auto square = ikra::array{counted<std::int32_t>(100)}.reshape({10, 10});
  const auto sums = square.pscan(scan_section<std::int32_t, scan_add>());
  CHECK(sums.shape() == ikra::index<2>(10, 10));
  CHECK(sums(9, 9) == 4950);
}
