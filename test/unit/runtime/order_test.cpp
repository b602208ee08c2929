// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// psort(before), preduce_by_key and preduce_axis by generated code against the plain library: sorts
// are stable, reductions keep the order of elements, of every size and shape.
#include "value_sections.hpp"

#include <ikra/generated/launch/launch_sort_cuda.hpp>

#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

namespace ikra_unit_values {

struct by_last_byte {
  IKRA_HD bool operator()(std::uint32_t a, std::uint32_t b) const { return a % 256 < b % 256; }
};
struct downwards {
  template <class T> IKRA_HD bool operator()(const T& a, const T& b) const { return b < a; }
};
struct sort_nothing {
  template <class T> IKRA_HD bool operator()(const T&, const T&) const { return false; }
};

/// 12 bytes without default constructor, of which the order looks at one number.
struct card {
  explicit IKRA_HD card(std::int32_t n) : suit(n % 4), rank(n), deck(7) {}
  std::int32_t suit, rank, deck;
  friend bool operator==(const card&, const card&) = default;
};
struct by_suit {
  IKRA_HD bool operator()(const card& a, const card& b) const { return a.suit < b.suit; }
};

struct order_add {
  template <class T> IKRA_HD T operator()(T a, T b) const { return static_cast<T>(a + b); }
};

} // namespace ikra_unit_values

using namespace ikra_unit_values;

namespace {

template <class Body, class T> void check_sort(const std::vector<T>& values) {
  const ikra::array<T> a{values};
  INFO(values.size() << " elements");
  REQUIRE(first_difference(a.psort(sort_section<T, Body>()).to_vector(),
                           a.psort(Body{}).to_vector()) == values.size());
}

template <class Body, class Key, class T>
void check_runs(const std::vector<Key>& keys, const std::vector<T>& values) {
  const ikra::array<T> a{values};
  const ikra::array<Key> k{keys};
  const auto [runs, results] = a.preduce_by_key(k, reduce_by_key_section<Key, T, Body>());
  const auto [plain_runs, plain_results] = a.preduce_by_key(k, Body{});
  INFO(values.size() << " elements, " << plain_results.size() << " runs");
  REQUIRE(first_difference(results.to_vector(), plain_results.to_vector()) == plain_results.size());
  REQUIRE(runs.to_vector() == plain_runs.to_vector());
  const auto [keys_first, later] = a.preduce_by_key(k, reduce_by_key_section<Key, T, Body>());
  REQUIRE(keys_first.to_vector() == plain_runs.to_vector());
  REQUIRE(first_difference(later.to_vector(), plain_results.to_vector()) == plain_results.size());
}

/// Counts how often the keys of runs are looked for by themselves.
class key_counter final : public ikra::detail::device_operations {
public:
  key_counter() : outer_(std::exchange(ikra::detail::operations, this)) {}
  key_counter(const key_counter&) = delete;
  key_counter& operator=(const key_counter&) = delete;
  ~key_counter() override { ikra::detail::operations = outer_; }

  bool first_of_runs(const ikra::detail::any_buffer&, ikra::detail::any_buffer&) override {
    ++count;
    return false;
  }
  int count = 0;

private:
  ikra::detail::device_operations* outer_;
};

template <class Body, int R, class T> void check_axes(const ikra::array<T, R>& a, const T& init) {
  for (int axis = 0; axis < R; ++axis) {
    INFO("shape " << ikra::detail::to_string(a.shape()) << ", dimension " << axis);
    const auto plain = a.preduce_axis(axis, Body{}).to_vector();
    REQUIRE(first_difference(a.preduce_axis(axis, reduce_axis_section<T, R, Body>()).to_vector(),
                             plain) == plain.size());
    const auto from = a.preduce_axis(axis, init, Body{}).to_vector();
    REQUIRE(first_difference(
                a.preduce_axis(axis, init, reduce_axis_from_section<T, T, R, Body>()).to_vector(),
                from) == from.size());
  }
}

} // namespace

TEST_CASE("sorts by a body are stable, of every size") {
  const threads many(GENERATE(1, 3));
  for (const std::size_t n : sizes()) {
    check_sort<by_last_byte>(scattered(n));
    check_sort<downwards>(counted<std::int8_t>(n));
    std::vector<card> cards;
    for (const std::uint32_t bits : scattered(n))
      cards.emplace_back(static_cast<std::int32_t>(bits % 1000));
    check_sort<by_suit>(cards);
  }
  check_sort<by_last_byte>(scattered(1000003));
  check_sort<sort_nothing>(scattered(70001));
  check_sort<downwards>(std::vector<double>());
}

TEST_CASE("runs of equal keys are combined in their order, however long they are") {
  const threads many(GENERATE(1, 3));
  for (const std::size_t n : sizes())
    for (const std::uint32_t rarity : {1u, 3u, 100u, 30000u}) {
      std::vector<std::uint16_t> keys;
      std::uint16_t key = 0;
      for (const std::uint32_t bits : scattered(n, rarity))
        keys.push_back(bits % rarity == 0 ? ++key : key);
      check_runs<compose>(keys, affine_maps(n));
    }
  check_runs<order_add>(std::vector<std::int64_t>(1000003, 5), scattered(1000003));
  check_runs<order_add>(std::vector<double>(), std::vector<std::int32_t>());
}

TEST_CASE("results of runs come with the keys, which are those that stand first") {
  // Both zeros are equal, and differ in their bits.
  const ikra::array keys{std::vector<double>{0.0, -0.0, 7, -0.0, 0.0}};
  const ikra::array values{std::vector<int>{1, 2, 3, 4, 5}};
  const key_counter counter;
  const auto [runs, sums] =
      values.preduce_by_key(keys, reduce_by_key_section<double, int, order_add>());
  CHECK(sums.to_vector() == std::vector<int>{3, 3, 9});
  CHECK(runs.to_vector() == std::vector<double>{0, 7, 0});
  CHECK_FALSE(std::signbit(runs[0]));
  CHECK(std::signbit(runs[2]));
  CHECK(counter.count == 0);
  // Asked for first, they are found without the results, which may never be asked for.
  const auto [early, late] =
      values.preduce_by_key(keys, reduce_by_key_section<double, int, order_add>());
  CHECK(early.size() == 3);
  CHECK(counter.count == 1);
  CHECK(late.size() == 3);
}

TEST_CASE("keys and elements of different sizes") {
  for (const std::size_t n : {std::size_t(1), std::size_t(33), std::size_t(10001)}) {
    check_runs<order_add>(counted<std::int64_t>(n), counted<std::uint8_t>(n));
    check_runs<order_add>(std::vector<float>(n, 0.5f), counted<std::int64_t>(n));
  }
}

TEST_CASE("each dimension is combined in its order, long and short ones") {
  const threads many(GENERATE(1, 3));
  const auto check = [](const auto& shape) {
    const auto n = static_cast<std::size_t>(shape.volume());
    check_axes<compose>(ikra::array{affine_maps(n)}.reshape(shape), (std::uint64_t(3) << 32) + 1);
  };
  check(ikra::index<2>(1, 1));
  check(ikra::index<2>(3, 100001));
  check(ikra::index<2>(100001, 3));
  check(ikra::index<2>(200, 300));
  check(ikra::index<2>(33, 1));
  check(ikra::index<3>(5, 70, 65));
  check(ikra::index<3>(1, 20000, 2));
  check(ikra::index<4>(3, 4, 5, 33));
}

TEST_CASE("dimensions are combined in the type of the first value, and empty ones give it") {
  const auto bytes = ikra::array{std::vector<std::uint8_t>(600, 250)}.reshape({2, 300});
  const auto sums =
      bytes.preduce_axis(1, 7, reduce_axis_from_section<std::uint8_t, int, 2, order_add>());
  CHECK(sums.to_vector() == std::vector<int>(2, 75007));
  const auto none = ikra::array{std::vector<std::uint8_t>()}.reshape({3, 0});
  const auto starts =
      none.preduce_axis(1, 7, reduce_axis_from_section<std::uint8_t, int, 2, order_add>());
  CHECK(starts.to_vector() == std::vector<int>(3, 7));
  CHECK(none.preduce_axis(0, reduce_axis_section<std::uint8_t, 2, order_add>()).size() == 0);
  CHECK_THROWS_WITH(
      none.preduce_axis(1, reduce_axis_section<std::uint8_t, 2, order_add>()).to_vector(),
      Catch::Contains("preduce_axis of an empty array"));
}
