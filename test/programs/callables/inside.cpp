// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Function objects, functions and lambdas that sections hand to std::visit, std::apply, std::invoke
// and algorithms: of the user's classes, with and without members, made in place and captured.
#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <ikra/ikra.hpp>
#include <numeric>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace {

struct Circle {
  float r;
};
struct Square {
  float a;
};
using Shape = std::variant<Circle, Square>;

int larger(int a, int b) { return a < b ? b : a; }
struct Measure {
  float operator()(const Circle& c) const { return 3 * c.r; }
  float operator()(const Square& s) const { return s.a * s.a; }
};
struct Scaled {
  float k;
  template <class T> float operator()(const T& t) const { return k * Measure{}(t); }
};
struct Grow {
  float by;
  void operator()(Circle& c) const { c.r += by; }
  void operator()(Square& s) const { s.a *= by; }
};
struct Meet {
  int operator()(const Circle&, const Circle&) const { return 1; }
  int operator()(const Circle& c, const Square& s) const { return c.r > s.a ? 2 : 3; }
  template <class T> int operator()(const Square&, const T&) const { return 4; }
};
struct Sum3 {
  int operator()(int a, int b, int c) const { return a + 10 * b + 100 * c; }
};
struct Over {
  int limit;
  bool operator()(int x) const { return x > limit; }
};
struct Fold {
  int operator()(int a, int b) const { return a + 2 * b; }
};
struct Twice {
  int operator()(int x) const { return 2 * x; }
};
struct Counting {
  int n = 0;
  int operator()(int x) { return x + 100 * n++; }
};
struct Falling {
  bool operator()(int a, int b) const { return a > b; }
};
struct Percent { // converts both ways
  int value = 0;
  Percent() = default;
  Percent(int of) : value(of * 100) {}
  operator int() const { return value / 10; }
};
struct Truth {
  int x;
  operator bool() const { return x % 3 == 0; }
};
int doubled(int x) { return 2 * x; }
int both(int a, int b) { return a * b; }

Shape shapeOf(int x) { return x % 2 ? Shape(Square{float(x)}) : Shape(Circle{float(x)}); }
std::array<int, 5> row(int x) { return {x, 3, 2 * x, 1, 7 - x}; }

void print(const char* name, const auto& values) {
  std::printf("%s:", name);
  for (const auto& v : values)
    std::printf(" %g", static_cast<double>(v));
  std::printf("\n");
}

void alternatives(const ikra::array<int>& a) {
  print("visit", a.pmap([](int x) { return std::visit(Measure{}, shapeOf(x)); }));
  const Scaled twice{2};
  print("visit, captured", a.pmap([twice](int x) { return std::visit(twice, shapeOf(x)); }));
  print("visit, changed", a.pmap([](int x) {
    Shape s = shapeOf(x);
    const Grow grow{static_cast<float>(x) / 2};
    std::visit(grow, s);
    std::visit(Grow{2}, s);
    return std::visit(Scaled{0.5F}, s);
  }));
  print("visit of two",
        a.pmap([](int x) { return std::visit(Meet{}, shapeOf(x), shapeOf(x / 2 + 1)); }));
  print("visit, converted", a.pmap([](int x) {
    const std::variant<int, Percent> either =
        x % 2 ? std::variant<int, Percent>(x) : std::variant<int, Percent>(Percent(x));
    return std::visit([](Percent p) { return p.value; }, either);
  }));
  print("apply", a.pmap([](int x) { return std::apply(Sum3{}, std::tuple(x, x + 1, x + 2)); }));
  print("apply, kept", a.pmap([](int x) {
    const std::tuple t(x, x + 1);
    return std::apply(Fold{}, t) + std::apply(both, std::pair(x, 3)) + std::apply(both, t);
  }));
  print("apply, converted", a.pmap([](int x) {
    return std::apply([](Percent p, int q) { return p.value + q; }, std::tuple(x, Percent(3)));
  }));
}

void algorithms(const ikra::array<int>& a) {
  print("find_if", a.pmap([](int x) {
    const auto v = row(x);
    const auto* at = std::find_if(v.data(), v.data() + v.size(), Over{x});
    return static_cast<int>(at - v.data());
  }));
  const Over two{2};
  print("count_if, captured", a.pmap([two](int x) {
    const auto v = row(x);
    return static_cast<int>(std::count_if(v.begin(), v.end(), two)) +
           (std::any_of(v.begin(), v.end(), Over{6}) ? 10 : 0) +
           (std::none_of(v.begin(), v.end(), Over{x + 3}) ? 100 : 0);
  }));
  print("accumulate", a.pmap([](int x) {
    const auto v = row(x);
    return std::accumulate(v.begin(), v.end(), x, Fold{});
  }));
  print("transform", a.pmap([](int x) {
    auto v = row(x);
    std::transform(v.begin(), v.end(), v.begin(), Twice{});
    std::transform(v.begin(), v.end(), v.begin(), doubled);
    std::transform(v.begin(), v.end(), v.begin(), v.begin(), Fold{});
    Counting counts{x};
    std::transform(v.begin(), v.end(), v.begin(), counts);
    std::transform(v.begin(), v.end(), v.begin(), Counting{1});
    return v[2] + v[4] + counts.n;
  }));
  print("transform, converted", a.pmap([](int x) {
    const auto v = row(x);
    std::array<Percent, 5> of;
    std::transform(v.begin(), v.end(), of.begin(), [](int y) { return y + 1; });
    std::array<int, 5> back{};
    std::transform(of.begin(), of.end(), back.begin(), [](Percent p) { return p; });
    return of[2].value + back[1];
  }));
  print("orders", a.pmap([](int x) {
    const auto v = row(x);
    const std::array<int, 4> falling{9, 6, 4, 1};
    return *std::max_element(v.begin(), v.end(), Falling{}) * 1000 +
           (std::is_sorted(v.begin(), v.end(), Falling{}) ? 500 : 0) +
           static_cast<int>(*std::lower_bound(falling.begin(), falling.end() - 1, x, Falling{})) +
           (std::binary_search(falling.begin(), falling.end(), x, Falling{}) ? 100 : 0);
  }));
  print("tests of a class", a.pmap([](int x) {
    const auto v = row(x);
    return static_cast<int>(std::count_if(v.begin(), v.end(), [](int y) { return Truth{y}; })) +
           static_cast<int>(
               std::count_if(v.begin(), v.end(), [](Percent p) { return p.value > 200; }));
  }));
  print("invoke", a.pmap([](int x) {
    int held = x;
    Counting counts{1};
    const int first = std::invoke(counts, held);
    return first + std::invoke(Sum3{}, x, 1, std::move(held)) + std::invoke(doubled, x) +
           std::invoke([](Percent p) { return p.value; }, x) +
           std::invoke([](int y) { return y + 1; }, x) + std::invoke(std::plus<>{}, x, 4) +
           std::invoke(std::multiplies<int>(), x, x);
  }));
  print("products", a.pmap([](int x) {
    const auto v = row(x);
    return std::inner_product(v.begin(), v.end(), v.begin(), x) +
           std::inner_product(v.begin(), v.end(), v.begin(), x, std::plus<>{}, std::minus<>{}) +
           std::inner_product(v.begin(), v.end(), v.begin() + 0, x, std::plus<>{}, larger) +
           std::inner_product(
               v.begin(), v.end(), v.begin(), x, [](int p, int q) { return p ^ q; },
               [](int p, int q) { return p * q + 1; });
  }));
}

// Neighbours that a function finds, and an algorithm whose function has no device version.
void neighbours(const ikra::array<int>& a) {
  print("neighbours", a.pmap([](int x) {
    const auto v = row(x);
    const auto falls = std::adjacent_find(v.begin(), v.end(), [](int p, int q) { return p > q; });
    return static_cast<int>(falls - v.begin()) * 10 +
           static_cast<int>(std::adjacent_find(v.begin(), v.end(), std::less<>{}) - v.begin());
  }));
}

/// Sections whose function objects take references to values that end with the call.
struct Times {
  int k;
  template <class T> auto operator()(T&& x) const { return x * k; }
};
struct Minus {
  int k;
  int operator()(int&& a, auto&& b) const { return a - b + k * 0; }
};
struct Inherits : Times {};
struct Level {
  int of;
  std::weak_ordering operator<=>(const Level& other) const { return of % 5 <=> other.of % 5; }
};
void forwarding(const ikra::array<int>& a) {
  print("forwarding", a.pmap(Times{3}).pcombine(a, Minus{1}).pmap(Inherits{{2}}));
  print("const rvalues", a.pmap([](const int&& x) { return x + 1; }));
  print("weak order", a.pmap([](int x) { return Level{x * 7}; }).psort().pmap(&Level::of));
}

} // namespace

void inside() {
  const ikra::array<int> a(std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  alternatives(a);
  algorithms(a);
  forwarding(a);
  neighbours(a);
}
