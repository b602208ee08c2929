// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations without a section by the runtime: sorts, gather, scatter, histograms, views,
// concatenation and the keys of runs, on what lies on the device, compared with the loops of the
// plain library.
#include "value_sections.hpp"

#include <ikra/device_operations.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

namespace ikra_unit_values {

struct same {
  template <class T> IKRA_HD T operator()(T x) const { return x; }
};

struct rgb {
  std::uint8_t red, green, blue;
  friend bool operator==(const rgb&, const rgb&) = default;
};
struct wide {
  std::int64_t parts[3];
  friend bool operator==(const wide&, const wide&) = default;
};
enum class colour : std::uint16_t {};

} // namespace ikra_unit_values

using namespace ikra_unit_values;

namespace {

/// While it lives, operations run the loops of the plain library.
class plain_loops {
public:
  plain_loops() : before_(std::exchange(ikra::detail::operations, nullptr)) {
    REQUIRE(before_ != nullptr);
  }
  plain_loops(const plain_loops&) = delete;
  plain_loops& operator=(const plain_loops&) = delete;
  ~plain_loops() { ikra::detail::operations = before_; }

private:
  ikra::detail::device_operations* before_;
};

/// An array whose elements are where sections leave them.
template <class T> ikra::array<T> computed(const std::vector<T>& values) {
  auto result = ikra::array{values}.pmap(combine_section<T, same, T>());
  ikra::detail::evaluate(*ikra::detail::array_access::command_of(result));
  return result;
}

template <class T> bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// What `run` gives by the runtime, and by the plain library.
template <class Run> bool gives_the_same(const Run& run) {
  const auto by_runtime = run().to_vector();
  const plain_loops plain;
  return same_bits(by_runtime, run().to_vector());
}

template <class T> std::vector<T> numbers(std::size_t n, std::uint64_t seed) {
  std::vector<T> result;
  for (std::size_t i = 0; i < n; ++i) {
    const ikra::random dice(seed, static_cast<std::int64_t>(i));
    std::uint64_t bits = std::uint64_t(ikra::random(dice).bits()) << 32 |
                         ikra::random(seed + 1, static_cast<std::int64_t>(i)).bits();
    if constexpr (std::is_same_v<T, float>)
      result.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    else if constexpr (std::is_same_v<T, double>)
      result.push_back(std::bit_cast<double>(bits));
    else if constexpr (std::is_same_v<T, bool>)
      result.push_back((bits & 1) != 0);
    else
      result.push_back(static_cast<T>(bits));
  }
  return result;
}

std::vector<std::size_t> few_sizes() {
  return {1, 2, 9, 31, 33, 255, 257, 512, 513, 4095, 4097, 16383, 16385, 33000, 100003};
}

template <class T> void check_sort() {
  for (const std::size_t n : few_sizes()) {
    INFO(n << " elements of " << sizeof(T) << " bytes");
    const ikra::array<T> values = computed(numbers<T>(n, n));
    REQUIRE(gives_the_same([&] { return values.psort(); }));
  }
}

} // namespace

TEST_CASE("numbers of all types are sorted as the plain library sorts them") {
  const threads many(GENERATE(1, 3));
  check_sort<std::int8_t>();
  check_sort<std::uint16_t>();
  check_sort<std::int32_t>();
  check_sort<std::uint32_t>();
  check_sort<std::int64_t>();
  check_sort<std::uint64_t>();
  check_sort<colour>();
}

TEST_CASE(
    "floating-point numbers of any bits are sorted with zeros and not-a-numbers in their order") {
  const threads many(GENERATE(1, 3));
  check_sort<float>();
  check_sort<double>();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  std::vector<float> values;
  for (int i = 0; i < 3000; ++i)
    for (const float x : {0.0f, -0.0f, nan, -nan, -infinity, infinity, 1.5f, -1.5f, 1e-42f})
      values.push_back(i % 3 == 0 ? -x : x);
  const auto all = computed(values);
  CHECK(gives_the_same([&] { return all.psort(); }));
}

TEST_CASE("sorted numbers that are all equal, or differ in few digits, stay in their order") {
  CHECK(gives_the_same([a = computed(std::vector<std::int64_t>(20000, 7))] { return a.psort(); }));
  CHECK(gives_the_same([a = computed(counted<std::uint64_t>(50000))] { return a.psort(); }));
}

namespace {

template <class Key, class T> void check_sort_by(const std::vector<T>& elements) {
  const std::size_t n = elements.size();
  std::vector<Key> keys = numbers<Key>(n, 5);
  if constexpr (std::is_integral_v<Key>)
    for (Key& key : keys)
      key = static_cast<Key>(key % 50); // many are equal
  const auto key_array = computed(keys);
  const auto all = computed(elements);
  const auto sort = [&] {
    using ikra::detail::array_access;
    return array_access::make<T>(
        ikra::index<1>(static_cast<std::int64_t>(n)),
        std::shared_ptr<ikra::detail::command<T>>(
            std::make_shared<ikra::detail::sort_by_command<T, Key>>(
                array_access::command_of(key_array), array_access::command_of(all))));
  };
  INFO(n << " elements of " << sizeof(T) << " bytes by keys of " << sizeof(Key));
  REQUIRE(gives_the_same(sort));
}

} // namespace

TEST_CASE("elements of any size are sorted by keys of any type, stably") {
  const threads many(GENERATE(1, 3));
  for (const std::size_t n : {2u, 9u, 257u, 512u, 5000u, 70001u}) {
    std::vector<rgb> small;
    std::vector<wide> large;
    for (std::size_t i = 0; i < n; ++i) {
      small.push_back({static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(i >> 8),
                       static_cast<std::uint8_t>(i >> 16)});
      large.push_back({{static_cast<std::int64_t>(i), 2, -3}});
    }
    check_sort_by<std::int8_t>(small);
    check_sort_by<std::uint16_t>(numbers<std::int32_t>(n, 3));
    check_sort_by<std::int32_t>(large);
    check_sort_by<float>(numbers<double>(n, 3));
    check_sort_by<double>(small);
    check_sort_by<std::uint64_t>(numbers<std::int64_t>(n, 3));
  }
}

TEST_CASE("elements are gathered from places of all types") {
  const threads many(GENERATE(1, 3));
  const auto from = computed(numbers<std::int32_t>(120, 1));
  std::vector<rgb> colours;
  for (std::uint8_t i = 0; i < 120; ++i)
    colours.push_back({i, 1, 2});
  const auto coloured = computed(colours);
  for (const std::size_t n : few_sizes()) {
    std::vector<std::int8_t> narrow;
    std::vector<std::uint64_t> wide_places;
    std::vector<ikra::index<3>> places;
    for (const std::uint32_t bits : scattered(n)) {
      narrow.push_back(static_cast<std::int8_t>(bits % 120));
      wide_places.push_back(bits % 119);
      places.emplace_back(bits % 2, bits % 3, bits % 20);
    }
    const auto narrow_array = computed(narrow);
    const auto wide_array = computed(wide_places);
    const auto index_array = computed(places);
    INFO(n << " places");
    REQUIRE(gives_the_same([&] { return from.pgather(narrow_array); }));
    REQUIRE(gives_the_same([&] { return coloured.pgather(wide_array); }));
    REQUIRE(gives_the_same([&] { return from.reshape({2, 3, 20}).pgather(index_array); }));
  }
}

TEST_CASE("of elements scattered to one place the last stays") {
  const threads many(GENERATE(1, 3));
  for (const std::size_t n : few_sizes()) {
    const auto from = computed(counted<std::uint16_t>(n));
    std::vector<std::int32_t> places;
    for (const std::uint32_t bits : scattered(n))
      places.push_back(static_cast<std::int32_t>(bits % (n / 3 + 10)));
    const auto to = computed(places);
    INFO(n << " elements");
    REQUIRE(gives_the_same([&] { return from.pscatter(to, n / 3 + 20, std::uint16_t(999)); }));
    std::vector<ikra::index<2>> corners;
    for (const std::uint32_t bits : scattered(n, 2))
      corners.emplace_back(bits % 2, bits % 7 % 2);
    const auto corner = computed(corners);
    REQUIRE(gives_the_same([&] { return from.pscatter(corner, {2, 2}); }));
  }
}

/// What is thrown.
template <class Run> std::string message_of(const Run& run) {
  try {
    run();
    return "nothing was thrown";
  } catch (const ikra::error& e) {
    return e.what();
  }
}

TEST_CASE("places outside are the errors of the plain library") {
  const auto from = computed(counted<std::int32_t>(20000));
  std::vector<std::int64_t> places(20000, 3);
  places[15000] = 20000;
  places[17000] = -1;
  const auto to = computed(places);
  const auto same_message = [](const auto& run) {
    const std::string by_runtime = message_of(run);
    const plain_loops plain;
    CHECK(by_runtime == message_of(run));
    CHECK_THAT(by_runtime, Catch::Contains("at element 15000 lies outside of the shape (20000)"));
  };
  same_message([&] { from.pgather(to).to_vector(); });
  same_message([&] { from.pscatter(to, 20000).to_vector(); });
  same_message([&] { to.phistogram(20000).to_vector(); });

  const auto few = computed(std::vector<std::int64_t>{2, 7, 0}); // fewer than bins
  const auto counts = [&] { few.phistogram(7).to_vector(); };
  const std::string by_runtime = message_of(counts);
  const plain_loops plain;
  CHECK(by_runtime == message_of(counts));
}

TEST_CASE("histograms of few and of many bins") {
  const threads many(GENERATE(1, 3));
  for (const std::size_t n : few_sizes())
    for (const std::int64_t bins : {1, 7, 256, 12288, 12289, 300000}) {
      std::vector<std::int32_t> values;
      for (const std::uint32_t bits : scattered(n))
        values.push_back(static_cast<std::int32_t>(bits % static_cast<std::uint32_t>(bins)));
      const auto all = computed(values);
      INFO(n << " elements, " << bins << " bins");
      REQUIRE(gives_the_same([&] { return all.phistogram(bins); }));
    }
  const auto bytes = computed(numbers<std::uint8_t>(100003, 1));
  CHECK(gives_the_same([&] { return bytes.phistogram(256); }));
  CHECK(gives_the_same([&] { return bytes.phistogram(300); }));
}

TEST_CASE("a histogram of what is in no bin") {
  const threads many(GENERATE(1, 3));
  const auto refuses = [](auto wrong, std::int64_t bins) {
    std::vector<decltype(wrong)> values(70001, decltype(wrong)(1));
    for (const std::size_t at : {std::size_t(0), std::size_t(4097), values.size() - 1}) {
      const auto one = values[at];
      values[at] = wrong;
      const auto all = computed(values);
      const std::string by_runtime = message_of([&] { all.phistogram(bins).to_vector(); });
      const plain_loops plain;
      CHECK(by_runtime == message_of([&] { all.phistogram(bins).to_vector(); }));
      CHECK_THAT(by_runtime, Catch::Contains("at element " + std::to_string(at)));
      values[at] = one;
    }
  };
  refuses(std::int32_t(-1), 256);
  refuses(std::int32_t(256), 256);
  refuses(std::int8_t(-128), 1000);
  refuses(std::uint8_t(4), 4);
  refuses(std::uint64_t(1) << 63, 3);
  refuses(std::int64_t(1) << 32, 1024);
  refuses(std::uint32_t(1u << 31), 5000);
}

TEST_CASE("views of all ranks show the elements of the plain library's") {
  const threads many(GENERATE(1, 3));
  const auto values = computed(numbers<std::int32_t>(61 * 34 * 33, 1));
  const auto cube = values.reshape({61, 34, 33});
  CHECK(gives_the_same([&] { return cube.transpose(); }));
  CHECK(gives_the_same([&] { return cube.transpose({1, 0, 2}); }));
  CHECK(gives_the_same(
      [&] { return cube.transpose({2, 0, 1}).slice({32, 3, 1}, {-1, 60, 34}, {-3, 2, 1}); }));
  CHECK(gives_the_same([&] { return values.slice(60000, 17, -7); }));
  CHECK(gives_the_same([&] { return values.slice(17, 60000); }));
  CHECK(gives_the_same([&] { return values.reshape({61, 2, 17, 33}).transpose({3, 1, 0, 2}); }));
  std::vector<rgb> colours(3000);
  for (std::size_t i = 0; i < colours.size(); ++i)
    colours[i] = {static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(i >> 8), 3};
  const auto image = computed(colours).reshape({50, 60});
  CHECK(gives_the_same([&] { return image.transpose(); }));
}

TEST_CASE("arrays are concatenated, empty ones too") {
  const auto a = computed(numbers<std::int64_t>(5000, 1));
  const auto b = computed(numbers<std::int64_t>(1, 2));
  const ikra::array<std::int64_t> nothing;
  CHECK(gives_the_same([&] { return a.concatenate(b, nothing, a); }));
  CHECK(gives_the_same([&] { return nothing.concatenate(nothing); }));
}

TEST_CASE("keys of runs, where zeros are equal and not-a-numbers are not") {
  const threads many(GENERATE(1, 3));
  const auto keys_of = [](const auto& keys) {
    return [&keys] { return keys.preduce_by_key(keys, ikra::max).first; };
  };
  for (const std::size_t n : few_sizes()) {
    std::vector<std::uint8_t> runs;
    for (const std::uint32_t bits : scattered(n))
      runs.push_back(bits % 4 == 0);
    const auto keys = computed(runs);
    INFO(n << " keys");
    REQUIRE(gives_the_same(keys_of(keys)));
  }
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> floats;
  for (int i = 0; i < 2000; ++i)
    for (const float x : {0.0f, -0.0f, 1.0f, nan, nan})
      floats.push_back(x);
  const auto keys = computed(floats);
  CHECK(gives_the_same(keys_of(keys)));
}
