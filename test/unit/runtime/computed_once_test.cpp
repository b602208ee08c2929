// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scans and selections on all cores run the body of the map before them once for each element.
// For the host alone: a body that counts its calls cannot run on a GPU.
#include "value_sections.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>

using namespace ikra_unit_values;

namespace {

struct add {
  std::int64_t operator()(std::int64_t a, std::int64_t b) const { return a + b; }
};
struct nothing {
  bool operator()(std::int16_t) const { return false; }
};
struct everything {
  bool operator()(std::int16_t) const { return true; }
};
struct odd {
  bool operator()(std::int16_t x) const { return x % 2 != 0; }
};

struct counted_square {
  std::atomic<std::uint64_t>* calls;
  std::int64_t operator()(std::int32_t x, std::int64_t i) const {
    ++*calls;
    return std::int64_t(x) * x + i;
  }
};

struct counted_triple {
  std::atomic<std::uint64_t>* calls;
  std::int16_t operator()(std::int32_t x) const {
    ++*calls;
    return static_cast<std::int16_t>(3 * x);
  }
};

/// Where an element is, from its index.
template <int R> struct position {
  ikra::index<R> shape;
  template <class Index> std::int64_t operator()(const Index& at) const {
    if constexpr (R == 1) {
      return at;
    } else {
      std::int64_t result = 0;
      for (int d = 0; d < R; ++d)
        result = result * shape[d] + at[d];
      return result;
    }
  }
};
/// Elements from any place on, any number of them.
template <int R> void check_each(const ikra::index<R>& shape) {
  using source = ikra::rt::computed_elements<std::int64_t, R, position<R>>;
  const auto n = static_cast<std::uint64_t>(shape.volume());
  for (const std::uint64_t begin : {std::uint64_t(0), n / 3})
    for (std::uint64_t first = 0; begin + first < n; first += 1 + first / 2)
      for (const std::uint64_t count :
           {std::uint64_t(1), (n - begin - first + 1) / 2, n - begin - first}) {
        std::vector<std::int64_t> found(count, -1), expected(count);
        (source({shape}, shape) + begin).each(first, count, [&](std::uint64_t k, std::int64_t x) {
          found[k] = x;
        });
        std::iota(expected.begin(), expected.end(), static_cast<std::int64_t>(begin + first));
        CHECK(found == expected);
      }
}

template <class Body> void check_select(std::size_t n, ikra::rt::device& where) {
  const auto in = counted<std::int32_t>(n);
  std::vector<std::int16_t> expected;
  for (const std::int32_t x : in)
    if (const auto y = static_cast<std::int16_t>(3 * x); Body{}(y))
      expected.push_back(y);
  std::atomic<std::uint64_t> calls = 0;
  const ikra::rt::computed_elements<std::int16_t, 0, counted_triple, std::int32_t> source(
      {&calls}, ikra::index<1>(std::int64_t(n)), in.data());
  const ikra::rt::host_selection found = ikra::rt::host_select<0>(
      Body{}, ikra::index<1>(std::int64_t(n)), source, n, where, {"select", "select_test", 1, 1});
  REQUIRE(found.count == expected.size());
  const auto* const elements = static_cast<const std::int16_t*>(found.memory.data());
  CHECK(std::equal(expected.begin(), expected.end(), elements));
  CHECK(calls == n);
}

} // namespace

TEST_CASE("elements that a scan on all cores combines are computed once") {
  const threads many(GENERATE(1, 3));
  for (const std::size_t n : sizes()) {
    const auto in = counted<std::int32_t>(n);
    std::vector<std::int64_t> squares, expected(n), found(n);
    for (std::size_t i = 0; i < n; ++i)
      squares.push_back(std::int64_t(in[i]) * in[i] + std::int64_t(i));
    std::atomic<std::uint64_t> calls = 0;
    const ikra::rt::computed_elements<std::int64_t, 1, counted_square, std::int32_t> source(
        {&calls}, ikra::index<1>(std::int64_t(n)), in.data());
    const std::int64_t initial = 5;

    std::partial_sum(squares.begin(), squares.end(), expected.begin());
    ikra::rt::host_scan(add(), source, n, static_cast<const std::int64_t*>(nullptr), false,
                        found.data());
    CHECK(found == expected);
    CHECK(calls == n);
    std::exclusive_scan(squares.begin(), squares.end(), expected.begin(), initial);
    ikra::rt::host_scan(add(), source, n, &initial, true, found.data());
    CHECK(found == expected);
    CHECK(calls == 2 * n);
  }
}

TEST_CASE("elements that are chosen among on all cores are computed once") {
  ikra::rt::device& where = ikra::rt::current_device();
  const threads many(GENERATE(1, 3));
  for (const std::size_t n : sizes()) {
    check_select<nothing>(n, where);
    check_select<everything>(n, where);
    check_select<odd>(n, where);
  }
}

TEST_CASE("each element of a part of a source has its index") {
  check_each(ikra::index<1>(1));
  check_each(ikra::index<1>(100));
  check_each(ikra::index<2>(7, 13));
  check_each(ikra::index<2>(1, 40));
  check_each(ikra::index<2>(40, 1));
  check_each(ikra::index<3>(3, 5, 7));
  check_each(ikra::index<4>(2, 3, 1, 4));
}
