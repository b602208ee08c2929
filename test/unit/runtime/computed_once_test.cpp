// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scans, selections and reductions on all cores run the body of the map before them once for each
// element. Kernels of several arrays compute each element of each once.
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

/// A section of which two folds take the results, or one.
struct counted_pair {
  static constexpr bool has_many_operations = true;
  std::atomic<std::uint64_t>* calls;
  auto operator()(std::int32_t x) const {
    ++*calls;
    return ikra::rt::make_results<std::int64_t, std::int16_t>(std::int64_t(x) * x,
                                                              static_cast<std::int16_t>(x));
  }
};
/// The same where reading it again takes longer.
struct short_pair {
  auto operator()(std::int32_t x) const {
    return ikra::rt::make_results<std::int64_t, std::int16_t>(std::int64_t(x) * x,
                                                              static_cast<std::int16_t>(x));
  }
};
struct counted_triplet {
  std::atomic<std::uint64_t>* calls;
  auto operator()(std::int32_t x) const {
    ++*calls;
    return ikra::rt::make_results<std::int32_t, std::int64_t, std::int16_t>(
        x + 1, std::int64_t(x) * x, static_cast<std::int16_t>(x));
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
/// Combines numbers so that their order matters, but not their groups: as digits of a number.
struct digits {
  std::uint64_t value, weight;
};
struct append {
  digits operator()(const digits& a, const digits& b) const {
    return {a.value * b.weight + b.value, a.weight * b.weight};
  }
};
template <int R> struct digit_of_place {
  static constexpr bool repeats = true; // so they are computed in strips
  position<R> at;
  std::atomic<std::uint64_t>* calls;
  template <class Index> digits operator()(const Index& where) const {
    ++*calls;
    return {static_cast<std::uint64_t>(at(where) % 10), 10};
  }
};
template <int R> void check_order(const ikra::index<R>& shape) {
  const auto n = static_cast<std::uint64_t>(shape.volume());
  std::atomic<std::uint64_t> calls = 0;
  const ikra::rt::computed_elements<digits, R, digit_of_place<R>> source({{shape}, &calls}, shape);
  digits expected{0, 10};
  for (std::uint64_t i = 1; i < n; ++i)
    expected = append()(expected, {i % 10, 10});
  const digits found = ikra::rt::host_reduce<digits>(append(), source, n);
  REQUIRE(found.value == expected.value);
  REQUIRE(found.weight == expected.weight);
  REQUIRE(calls == n);
}

/// Three arrays in one kernel: the first is computed from the last.
struct three_arrays {
  std::atomic<std::uint64_t>* calls;
  template <class Made>
  auto part(ikra::rt::part_number<0>, const Made& made, std::int32_t, std::int64_t i) const {
    ++*calls;
    return made.template part<2>() + static_cast<double>(i);
  }
  template <class Made>
  auto part(ikra::rt::part_number<1>, const Made&, std::int32_t x, std::int64_t) const {
    ++*calls;
    return static_cast<std::int16_t>(x / 2);
  }
  template <class Made>
  auto part(ikra::rt::part_number<2>, const Made&, std::int32_t x, std::int64_t) const {
    ++*calls;
    return x * 0.5;
  }
  using parts_in_turn = std::index_sequence<2, 0, 1>;
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

TEST_CASE("elements that several folds combine on all cores are computed once") {
  const threads many(GENERATE(1, 3));
  for (const std::size_t n : sizes()) {
    const auto in = counted<std::int32_t>(n);
    std::int64_t squares = 0;
    std::vector<std::int32_t> successors(n), expected(n);
    for (std::size_t i = 0; i < n; ++i) {
      squares += std::int64_t(in[i]) * in[i];
      expected[i] = in[i] + 1;
    }
    const auto last = static_cast<std::int16_t>(in.back());
    const auto take_last = [](std::int16_t, std::int16_t x) { return x; };
    std::atomic<std::uint64_t> calls = 0;

    const ikra::rt::combined_elements<ikra::rt::results<std::int64_t, std::int16_t>, 0,
                                      counted_pair, std::int32_t>
        pairs({&calls}, ikra::index<1>(), in.data());
    const auto both = ikra::rt::host_reduce_group(
        std::index_sequence<>(), std::tuple<>(), std::index_sequence<0, 1>(), pairs, n,
        ikra::rt::fold_from<std::int64_t>(add(), 5), ikra::rt::fold<std::int16_t>(take_last));
    CHECK(ikra::rt::detail::part<0>(both) == squares + 5);
    CHECK(ikra::rt::detail::part<1>(both) == last);
    CHECK(calls == n);
    const ikra::rt::combined_elements<ikra::rt::results<std::int64_t, std::int16_t>, 0, short_pair,
                                      std::int32_t>
        short_pairs({}, ikra::index<1>(), in.data());
    const auto same = ikra::rt::host_reduce_group(
        std::index_sequence<>(), std::tuple<>(), std::index_sequence<0, 1>(), short_pairs, n,
        ikra::rt::fold_from<std::int64_t>(add(), 5), ikra::rt::fold<std::int16_t>(take_last));
    CHECK(ikra::rt::detail::part<0>(same) == squares + 5);
    CHECK(ikra::rt::detail::part<1>(same) == last);

    const ikra::rt::combined_elements<ikra::rt::results<std::int32_t, std::int64_t, std::int16_t>,
                                      0, counted_triplet, std::int32_t>
        triplets({&calls}, ikra::index<1>(), in.data());
    const auto again = ikra::rt::host_reduce_group(
        std::index_sequence<0>(), std::tuple<std::int32_t*>(successors.data()),
        std::index_sequence<0, 1>(), triplets, n, ikra::rt::fold<std::int64_t>(add()),
        ikra::rt::fold<std::int16_t>(take_last));
    CHECK(ikra::rt::detail::part<0>(again) == squares);
    CHECK(ikra::rt::detail::part<1>(again) == last);
    CHECK(successors == expected);
    CHECK(calls == 2 * n);
  }
}

TEST_CASE("what is computed in strips is combined in the order of its indices, once") {
  const threads many(GENERATE(1, 3));
  for (std::int64_t n = 1; n < 700; ++n)
    check_order(ikra::index<1>(n));
  for (const std::size_t n : sizes())
    check_order(ikra::index<1>(static_cast<std::int64_t>(n)));
  check_order(ikra::index<2>(100, 1));
  check_order(ikra::index<2>(1, 5000));
  check_order(ikra::index<2>(300, 301));
  check_order(ikra::index<3>(30, 31, 100));
}

TEST_CASE("arrays of one kernel are computed block by block, each element once") {
  const threads many(GENERATE(1, 3));
  for (const std::size_t n : sizes()) {
    const auto in = counted<std::int32_t>(n);
    std::vector<double> sums(n), halves(n);
    std::vector<std::int16_t> wholes(n);
    std::atomic<std::uint64_t> calls = 0;
    ikra::rt::host_elementwise_group<1>(
        std::index_sequence<0, 1, 2>(), three_arrays{&calls}, ikra::index<1>(std::int64_t(n)), n,
        std::tuple<double*, std::int16_t*, double*>(sums.data(), wholes.data(), halves.data()),
        in.data());
    for (std::size_t i = 0; i < n; ++i) {
      REQUIRE(halves[i] == in[i] * 0.5);
      REQUIRE(wholes[i] == static_cast<std::int16_t>(in[i] / 2));
      REQUIRE(sums[i] == in[i] * 0.5 + double(i));
    }
    CHECK(calls == 3 * n);
  }
}
