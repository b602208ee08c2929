// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sentences of the contract that no other file of this folder shows: element types through every
// operation, borders in every rank, forms of sections, what is refused, and what is shared.
#include "kinds.hpp"

#include <ikra/ikra.hpp>

#include <catch2/catch.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

using ikra::error_kind;
using ikra_test::kind_of;

namespace {

enum class suit : std::uint8_t { clubs, hearts };

struct money { // no default constructor, an operator, a constant member
  explicit money(int c) : cents(c) {}
  money operator+(const money& o) const { return money(cents + o.cents); }
  bool operator==(const money&) const = default;
  int cents;
};

struct node {
  int value;
};

template <class T> struct samples;
template <> struct samples<suit> {
  static suit at(std::int64_t i) { return i % 2 == 0 ? suit::clubs : suit::hearts; }
};
template <> struct samples<bool> {
  static bool at(std::int64_t i) { return i % 3 == 0; }
};
template <> struct samples<double> {
  static double at(std::int64_t i) { return 0.5 * static_cast<double>(i); }
};
template <> struct samples<std::int8_t> {
  static std::int8_t at(std::int64_t i) { return static_cast<std::int8_t>(i - 2); }
};
template <> struct samples<std::uint64_t> {
  static std::uint64_t at(std::int64_t i) { return ~std::uint64_t{0} - std::uint64_t(i); }
};
template <> struct samples<money> {
  static money at(std::int64_t i) { return money(static_cast<int>(100 + i)); }
};
template <> struct samples<std::pair<int, bool>> {
  static std::pair<int, bool> at(std::int64_t i) { return {static_cast<int>(i), i > 1}; }
};
template <> struct samples<std::tuple<int, double, char>> {
  static std::tuple<int, double, char> at(std::int64_t i) {
    return {static_cast<int>(i), 0.25 * static_cast<double>(i), i > 1 ? 'a' : 'b'};
  }
};
template <> struct samples<std::array<int, 3>> {
  static std::array<int, 3> at(std::int64_t i) {
    return {static_cast<int>(i), static_cast<int>(2 * i), -1};
  }
};
template <> struct samples<std::optional<int>> {
  static std::optional<int> at(std::int64_t i) {
    return i % 2 == 0 ? std::optional<int>() : std::optional<int>(static_cast<int>(i));
  }
};
template <> struct samples<std::variant<int, double>> {
  static std::variant<int, double> at(std::int64_t i) {
    if (i % 2 == 0)
      return static_cast<int>(i);
    return 0.5;
  }
};
template <> struct samples<const node*> {
  static const node* at(std::int64_t i) {
    static const node nodes[4] = {{0}, {1}, {2}, {3}};
    return i % 5 == 4 ? nullptr : &nodes[i % 4];
  }
};

template <class A>
concept compares_with_vectors = requires(const A& a, const std::vector<int>& v) { a == v; };
template <class A>
concept compares_with_arrays = requires(const A& a) { a == a; };
static_assert(!compares_with_vectors<ikra::array<int, 1>>);
static_assert(!compares_with_arrays<ikra::array<int, 1>>);

static_assert(!std::is_copy_constructible_v<ikra::resident>);
static_assert(!std::is_copy_assignable_v<ikra::resident>);
static_assert(std::is_base_of_v<std::runtime_error, ikra::error>);

template <int R> ikra::index<R> ones() {
  ikra::index<R> i;
  for (int d = 0; d < R; ++d)
    i[d] = 1;
  return i;
}

/// Row-major numbers in a shape of rank R with extents 3, 4, …
template <int R> ikra::array<std::int64_t, R> numbered() {
  ikra::index<R> shape;
  for (int d = 0; d < R; ++d)
    shape[d] = 3 + d;
  return ikra::pnew(shape, [shape](auto i) {
    if constexpr (R == 1) {
      static_cast<void>(shape);
      return i;
    } else {
      std::int64_t position = i[0];
      for (int d = 1; d < R; ++d)
        position = position * shape[d] + i[d];
      return position;
    }
  });
}

} // namespace

TEST_CASE("a coordinate is found by a number that is computed") {
  constexpr std::int64_t far = std::int64_t(1) << 40;
  const auto check = []<int R>(const ikra::index<R>& i, const std::vector<std::int64_t>& expected) {
    for (std::size_t d = 0; d < expected.size(); ++d) {
      CHECK(i[static_cast<int>(d)] == expected[d]);
      CHECK(i[d] == expected[d]);
    }
  };
  check(ikra::index<1>(-far), {-far});
  check(ikra::index<2>(3, -far), {3, -far});
  check(ikra::index<3>(far, -2, 7), {far, -2, 7});
  check(ikra::index<4>(-1, far + 1, 5, -far), {-1, far + 1, 5, -far});
}

TEMPLATE_TEST_CASE("elements of every type go through every operation", "", suit, bool, double,
                   std::int8_t, std::uint64_t, money, (std::pair<int, bool>),
                   (std::tuple<int, double, char>), (std::array<int, 3>), std::optional<int>,
                   (std::variant<int, double>), const node*) {
  using T = TestType;
  const auto element = [](std::int64_t i) { return samples<T>::at(i); };
  const auto all = ikra::pnew(6, element);
  static_assert(std::is_same_v<decltype(all), const ikra::array<T, 1>>);
  const auto is = [&](const auto& actual, const std::vector<std::int64_t>& expected) {
    REQUIRE(actual.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
      CHECK(actual[i] == samples<T>::at(expected[i]));
  };
  is(all.pmap([](const T& x) { return x; }), {0, 1, 2, 3, 4, 5});
  is(all.with_index().pmap([](T x, std::int64_t) { return x; }), {0, 1, 2, 3, 4, 5});
  is(all.pcombine(all, [](const T&, const T& y) { return y; }), {0, 1, 2, 3, 4, 5});
  is(all.pzip(all).pmap([](const std::tuple<T, T>& t) { return std::get<1>(t); }),
     {0, 1, 2, 3, 4, 5});
  is(all.with_index().pselect([](const T&, std::int64_t i) { return i % 2 == 1; }), {1, 3, 5});
  is(all.preduce([](const T&, const T& y) { return y; }), {5});
  is(all.preduce(element(2), [](const T& x, const T&) { return x; }), {2});
  is(all.pstencil({1}, element(0), [](auto v) { return v[1]; }), {1, 2, 3, 4, 5, 0});
  is(all.pstencil({1}, ikra::wrap, [](auto v) { return v[1]; }), {1, 2, 3, 4, 5, 0});
  is(all.pstencil({1}, ikra::keep, [](auto v) { return v[1]; }), {1, 2, 3, 4, 5, 5});
  is(all.reshape({2, 3}), {0, 1, 2, 3, 4, 5});
  is(all.reshape({2, 3}).reshape(all.size()), {0, 1, 2, 3, 4, 5});
  const auto last = [](const T&, const T& y) { return y; };
  is(all.pscan(last), {0, 1, 2, 3, 4, 5});
  is(all.pscan_exclusive(element(2), last), {2, 0, 1, 2, 3, 4});
  is(all.reshape({2, 3}).transpose(), {0, 3, 1, 4, 2, 5});
  is(all.reshape({2, 3}).preduce_axis(1, last), {2, 5});
  is(all.slice(4, 1, -1).concatenate(all.slice(0, 1)), {4, 3, 2, 0});
  const ikra::array places{std::vector<int>{3, 0, 5, 1, 3, 2}};
  is(all.pgather(places), {3, 0, 5, 1, 3, 2});
  is(all.pscatter(places, 7, element(0)), {1, 3, 5, 4, 0, 2, 0});
  is(all.preduce_by_key(places.pmap([](int i) { return i > 0; }), last).second, {0, 1, 5});
  is(all.pzip(places)
         .psort_by([](const std::tuple<T, int>& t) { return std::get<1>(t); })
         .pmap([](const std::tuple<T, int>& t) { return std::get<0>(t); }),
     {1, 3, 5, 0, 4, 2});
  CHECK(all.count([e = element(0)](const T& x) { return x == e; }) >= 1);
  std::int64_t visited = 0;
  all.peach([&visited](const T&) { ikra::atomic_add(visited, 1); });
  CHECK(visited == 6);
}

TEMPLATE_TEST_CASE_SIG("borders mean the same in every rank", "", ((int R), R), 1, 2, 3, 4) {
  const auto a = numbered<R>();
  const auto shape = a.shape();
  const ikra::index<R> diagonal = ones<R>();
  const std::array<ikra::index<R>, 1> ahead{diagonal};
  const auto read = [diagonal](auto v) { return v[diagonal]; };
  const auto clamped = a.pstencil(ahead, ikra::clamp, read);
  const auto wrapped = a.pstencil(ahead, ikra::wrap, read);
  const auto kept = a.pstencil(ahead, ikra::keep, read);
  const auto replaced = a.pstencil(ahead, -7, read);
  const auto indexed =
      a.with_index().pstencil(ahead, ikra::clamp, [diagonal](const auto& v, auto i) {
        return v[diagonal] - std::int64_t(i == decltype(i){});
      });
  ikra::index<R> place;
  for (std::int64_t p = 0; p < shape.volume(); ++p, ikra::detail::advance(shape, place)) {
    ikra::index<R> nearest;
    ikra::index<R> around;
    bool inside = true;
    for (int d = 0; d < R; ++d) {
      inside = inside && place[d] + 1 < shape[d];
      nearest[d] = place[d] + 1 < shape[d] ? place[d] + 1 : place[d];
      around[d] = (place[d] + 1) % shape[d];
    }
    REQUIRE(clamped[place] == a[nearest]);
    REQUIRE(wrapped[place] == a[around]);
    REQUIRE(kept[place] == (inside ? a[nearest] : a[place]));
    REQUIRE(replaced[place] == (inside ? a[nearest] : -7));
    REQUIRE(indexed[p] == a[nearest] - (p == 0 ? 1 : 0));
  }
}

TEST_CASE(
    "a window may be read at offsets that only a loop knows, and throws outside in any rank") {
  const auto a = numbered<3>();
  const auto sums = a.pstencil(ikra::box<1, 0, 1>, 0, [](auto v) {
    std::int64_t sum = 0;
    for (int z = -1; z <= 1; ++z)
      for (std::int16_t x = -1; x <= 1; ++x)
        sum += v(z, 0U * 0, x);
    return sum;
  });
  CHECK(sums(1, 2, 3) == 9 * a(1, 2, 3));
  CHECK(sums(0, 2, 3) == 0);
  const auto wrong = a.pstencil(ikra::box<1, 0, 1>, 0, [](auto v) { return v(0, 1, 0); });
  CHECK(kind_of([&] { wrong(1, 1, 1); }) == error_kind::offset_outside_neighbourhood);
  CHECK_THROWS_WITH(wrong(1, 1, 1), Catch::Contains("(0, 1, 0)") && Catch::Contains("(1, 0, 1)"));
}

TEST_CASE("braces take any mixture of integer types") {
  const std::vector<int> six(6, 1);
  const short two = 2;
  const unsigned long long three = 3;
  CHECK(ikra::array<int, 2>{six, {two, three}}.shape() == ikra::index{2, 3});
  CHECK(ikra::array<int, 1>{six, {6U}}.shape() == ikra::index{6});
  CHECK(ikra::array{six, {std::int8_t{1}, two, three}}.shape() == ikra::index{1, 2, 3});
  CHECK(ikra::pnew({two, three}, [](auto) { return 1; }).sum() == 6);
  CHECK(ikra::array{six}.reshape({three, two}).shape() == ikra::index{3, 2});
  CHECK(ikra::array{six}.pstencil({two, -1L}, 0, [](auto v) { return v[2] + v[-1]; })[1] == 2);
}

TEST_CASE("sections may be generic in all their parameters, and move-only") {
  const auto a = ikra::pnew(4, [](auto i) { return i; });
  CHECK(a.with_index().pmap([](auto... x) { return (x + ...); })[3] == 6);
  CHECK(a.pcombine(a, a, [](const auto&... x) { return sizeof...(x); })[0] == 3);
  auto owned = std::make_unique<std::int64_t>(5);
  CHECK(a.pmap([p = std::move(owned)](std::int64_t x) { return x + *p; })[1] == 6);
  auto other = std::make_unique<std::int64_t>(7);
  CHECK(a.pcombine(a, [p = std::move(other)](auto x, auto y) { return x + y + *p; })[1] == 9);
  constexpr auto member = &node::value;
  const ikra::array pointers{std::vector<const node*>{samples<const node*>::at(3)}};
  CHECK(pointers.pmap(member)[0] == 3);
}

TEST_CASE("this may be captured by peach") {
  struct counter {
    std::vector<node> nodes{{1}, {2}};
    int factor = 10;
    void scale() {
      ikra::objects(nodes).peach([this](node* n) { n->value *= factor; });
    }
  } c;
  c.scale();
  CHECK(c.nodes[1].value == 20);
}

TEST_CASE("captured arrays offer places, shape, size and iteration, and go on to functions") {
  const ikra::array<int, 2> table{std::vector<int>{1, 2, 3, 4, 5, 6}, {2, 3}};
  struct reader {
    virtual ~reader() = default;
    virtual int corner(const ikra::array<int, 2>& t) const {
      return t(t.shape()[0] - 1, t.shape()[1] - 1);
    }
  };
  const reader r;
  const auto sums = ikra::pnew(2, [table, r](std::int64_t row) {
    int sum = 0;
    for (std::int64_t x = 0; x < table.shape()[1]; ++x)
      sum += table[ikra::index{row, x}];
    int all = 0;
    for (const int x : table)
      all += x;
    return sum * 1000 + all * 10 + r.corner(table) + int(table.size()) + table[0] + table.rank();
  });
  CHECK(sums.to_vector() == std::vector{6 * 1000 + 210 + 15, 15 * 1000 + 210 + 15});
}

TEST_CASE("an error deep in a chain is thrown by every array after it, each time") {
  auto a = ikra::array{std::vector<int>{1}}.pmap(
      [](int) -> int { throw std::domain_error("at the root"); });
  auto b = a;
  for (int i = 0; i < 1000; ++i)
    b = b.pmap([](int x) { return x; });
  CHECK_THROWS_WITH(b[0], "at the root");
  CHECK_THROWS_WITH(b[0], "at the root");
  CHECK_THROWS_WITH(b.pmap([](int x) { return x; }).to_vector(), "at the root");
  CHECK_THROWS_WITH(a.preduce(std::plus<>{}).value(), "at the root");
  CHECK_THROWS_WITH(a.pselect([](int) { return true; }).size(), "at the root");
  CHECK(b.size() == 1); // known without computing
}

TEST_CASE("a computed array may be read by any number of threads") {
  const auto a = ikra::pnew(1000, [](std::int64_t i) { return i; });
  REQUIRE(a[999] == 999);
  std::vector<std::int64_t> sums(4);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < sums.size(); ++t)
    threads.emplace_back([&a, &sum = sums[t]] {
      const auto mine = a; // NOLINT(performance-unnecessary-copy-initialization)
      for (const std::int64_t x : mine)
        sum += x;
    });
  for (std::thread& t : threads)
    t.join();
  CHECK(sums == std::vector<std::int64_t>(4, 499'500));
}

TEST_CASE("host sections return arrays, tuples of arrays, scalars and nothing, and run at once") {
  int runs = 0;
  auto [even, total] = ikra::host_section([&] {
    ++runs;
    const auto a = ikra::pnew(10, [](std::int64_t i) { return i; });
    return std::tuple(a.pselect([](std::int64_t x) { return x % 2 == 0; }), a.sum());
  });
  ikra::host_section([&] { ++runs; });
  CHECK(runs == 2);
  CHECK(even.size() == 5);
  CHECK(total == 45);
}

TEST_CASE("null is a legal value to combine, select and return") {
  node n{4};
  const ikra::array some{std::vector<node*>{&n, nullptr}};
  CHECK(some.pmap([](node* p) { return p; })[1] == nullptr);
  CHECK(some.pselect([](const node* p) { return p == nullptr; }).size() == 1);
  CHECK(some.preduce([](node* a, node* b) { return a != nullptr ? a : b; }).value() == &n);
}

TEST_CASE("numbers at the ends of their ranges come through") {
  const auto low = std::numeric_limits<std::int64_t>::min();
  const ikra::array a{
      std::vector<std::int64_t>{low, std::numeric_limits<std::int64_t>::max(), -1, 0}};
  CHECK(a.preduce(ikra::min).value() == low);
  CHECK(a.preduce(ikra::max).value() == std::numeric_limits<std::int64_t>::max());
  CHECK(a.sum() == -2);
}
