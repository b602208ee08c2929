// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pointers to values, iterators and algorithms over them: of local arrays, captured vectors,
// members, tables; handed to functions and given back; get_if, modf, frexp; medians by sort.

#include <ikra/ikra.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <iterator>
#include <numeric>
#include <utility>
#include <variant>
#include <vector>

void algorithms();
void spans();
void array_iterators();

namespace {

struct Point {
  float x, y;
  Point* self() { return this; }
  const Point* self() const { return this; }
  float norm() const { return x * x + y * y; }
  void move(float d) {
    this->x += d;
    (*this).y -= d;
  }
};

float dot(const float* a, const float* b, int n) {
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += a[k] * b[k];
  return sum;
}

const float* largest(const float* from, const float* end) {
  const float* best = from;
  while (++from < end)
    if (*from > *best)
      best = from;
  return best;
}

void bump(float* x) { *x += 1; }

class Actor {
public:
  explicit Actor(int i) : level_(static_cast<float>(i)) {
    for (int k = 0; k < i % 5 + 1; ++k)
      values_.push_back(static_cast<float>((i * 7 + k * 3) % 11));
    for (int k = 0; k < 4; ++k)
      raw_[k] = static_cast<float>(k * i);
  }

  float best() const { return *std::max_element(values_.begin(), values_.end()); }
  float sum() const {
    return std::accumulate(values_.begin(), values_.end(), 0.0f) + dot(raw_, weights_.data(), 3) +
           std::accumulate(std::begin(raw_), std::end(raw_), 0.0f);
  }
  float level() const { return level_; }
  int place() { return static_cast<int>(least() - values_.begin()); }        // writes nothing
  float read() { return *std::min_element(values_.begin(), values_.end()); } // writes nothing
  void work() {
    bump(&level_);
    std::sort(values_.begin(), values_.end());
    std::reverse(weights_.begin(), weights_.end());
    for (auto it = values_.begin(); it != values_.end(); ++it)
      *it += level_;
    float* p = raw_;
    p[1] = 5;
    *(p + 2) += 1;
  }

private:
  std::vector<float>::const_iterator least() const {
    return std::min_element(values_.begin(), values_.end());
  }

  std::vector<float> values_;
  std::array<float, 3> weights_{1, 2, 3};
  float raw_[4];
  float level_;
  IKRA_OBJECT
};

void captured() {
  static constexpr float table[] = {3, 1, 4, 1, 5, 9};
  const std::vector<float> w{1, 2, 3, 4, 5, 6, 7, 8};
  const auto sums = ikra::pnew(4, [w](std::int64_t i) {
    const float* p = &w[static_cast<std::size_t>(i)];
    float sum = 0;
    for (int k = 0; k < 4; ++k)
      sum += p[k] * *(p + k);
    const float* end = w.data() + w.size();
    return sum + *largest(p, end) + static_cast<float>(end - p) + dot(p, table, 3);
  });
  std::printf("%g\n", sums.sum());
  const auto places = ikra::pnew(10, [w](std::int64_t i) {
    const auto found = std::find(w.begin(), w.end(), static_cast<float>(i));
    auto it = w.begin() + 1;
    it += i % 3;
    const auto last = std::prev(w.end());
    return static_cast<int>(found - w.begin()) + 10 * static_cast<int>(w.cend() - it) +
           (found < w.end() ? 100 : 0) + ((1 + it) - 1 <= last ? 1000 : 0) +
           ((it <=> found) < 0 ? 5000 : 0) + static_cast<int>(it[1]) * (last - it > 4 ? 3 : 2) +
           static_cast<int>(std::distance(it, last));
  });
  for (const int x : places)
    std::printf("%d ", x);
  std::printf("\n");
  std::vector<Point> points;
  for (int i = 0; i < 10; ++i)
    points.push_back({static_cast<float>(i), 1.5f});
  const auto norms = ikra::array{points}.pmap([points](Point p) {
    const Point* third = &points[0] + 3;
    Point* own = &p;
    own->move(2);
    own->x *= 2;
    p.self()->y += 1;
    const Point& same = *own;
    return third->norm() + own->norm() + same.self()->x +
           std::max_element(points.begin(), points.end(), [](const Point& a, const Point& b) {
             return a.x < b.x;
           })->x;
  });
  std::printf("%g\n", norms.sum());
}

void numbers() {
  const auto parts = ikra::pnew(20, [](std::int64_t i) {
    float whole;
    int exponent;
    const float part = std::modf(static_cast<float>(i) * 0.3f, &whole);
    const float mantissa = std::frexp(static_cast<float>(i), &exponent);
    return part + whole * 2 + mantissa + static_cast<float>(exponent);
  });
  std::printf("%.5f\n", parts.sum());
  const auto either = ikra::pnew(20, [](std::int64_t i) -> std::variant<int, float> {
    if (i % 2)
      return static_cast<int>(i);
    return static_cast<float>(i) / 2;
  });
  const auto held = either.pmap([](const std::variant<int, float>& v) {
    if (const int* whole = std::get_if<int>(&v))
      return static_cast<float>(*whole * 10);
    return *std::get_if<1>(&v);
  });
  std::printf("%g\n", held.sum());
}

void local_arrays() {
  const auto sorted = ikra::pnew(10, [](std::int64_t i) {
    int a[8];
    for (int k = 0; k < 8; ++k)
      a[k] = static_cast<int>((i * 7 + k * 13) % 17);
    for (int* p = a; p != a + 7; ++p)
      for (int* q = p + 1; q != a + 8; ++q)
        if (*q < *p)
          std::swap(*q, *p);
    int b[8];
    std::copy(a, a + 8, b);
    std::sort(std::begin(b), std::end(b), std::greater<>{});
    const int* const found = std::lower_bound(a, a + 8, 9);
    return a[3] + b[1] * 100 + static_cast<int>(std::count(a, a + 8, 3) + (found - a)) +
           (std::is_sorted(a, a + 8) ? 1000 : 0);
  });
  std::printf("%d\n", sorted.sum());
  const auto mixed = ikra::pnew(10, [](std::int64_t i) {
    std::array<int, 5> a{static_cast<int>(i), 3, static_cast<int>(i * i % 7), 9, 1};
    const int k = 3;
    const auto below = std::count_if(a.begin(), a.end(), [&](int x) { return x < k; });
    std::array<int, 5> b{};
    std::transform(a.cbegin(), a.cend(), b.begin(), [=](auto x) { return x * k; });
    const auto it = std::find(b.begin(), b.end(), 27);
    std::fill(it, b.end(), 1);
    std::iota(a.begin(), a.begin() + 2, 4);
    return *std::max_element(a.begin(), a.end()) + static_cast<int>(below) * 10 +
           std::accumulate(b.begin(), b.end(), 0, std::plus<>{}) + std::max({a[0], b[1], 7}) -
           std::min({a[1], b[0]}) + static_cast<int>(it - b.begin()) +
           static_cast<int>(std::distance(a.begin(), std::next(a.begin())));
  });
  std::printf("%d\n", mixed.sum());
  const auto rewritten = ikra::pnew(10, [](std::int64_t i) {
    std::array<int, 6> a{};
    std::fill_n(a.begin(), i % 7, 2);
    std::replace(a.begin(), a.end(), 2, static_cast<int>(i));
    std::array<long, 6> sums{};
    const auto end = std::partial_sum(a.begin(), a.end(), sums.begin());
    const auto twice = std::adjacent_find(a.begin(), a.end());
    return static_cast<int>(sums[5] * 100 + (end - sums.begin()) * 10 + (twice - a.begin()));
  });
  std::printf("%d\n", rewritten.sum());
  const auto large = ikra::pnew(5, [](std::int64_t i) {
    std::array<std::uint32_t, 100> a{};
    ikra::random numbers(1, i);
    for (auto& x : a)
      x = numbers.bits();
    std::sort(a.begin(), a.end());
    return a[0] ^ a[50] ^ a[99] ^ (std::is_sorted(a.begin(), a.end()) ? 0u : 1u);
  });
  for (const std::uint32_t x : large)
    std::printf("%u ", x);
  std::printf("\n");
}

// Algorithms over containers as a whole, and those that are given a function to combine by.
void over_ranges() {
  const auto n = ikra::pnew(40, [](std::int64_t i) { return static_cast<int>(i * 7 % 23) - 9; });
  const std::vector<int> v{5, 3, 8, 1};
  const auto read = n.pmap([v](int x) {
    const auto above = std::ranges::count_if(v, [x](int e) { return e > x; });
    return *std::ranges::max_element(v) + static_cast<int>(above) +
           (std::ranges::any_of(v, [x](int e) { return e == x; }) ? 50 : 0) +
           static_cast<int>(std::ranges::find(v, x) - v.begin()) +
           static_cast<int>(std::ranges::lower_bound(v.begin(), v.end(), x) - v.begin()) +
           std::ranges::max(x, 3) * 2 - std::ranges::min({x, 1, 2});
  });
  std::printf("%d\n", read.sum());
  const auto written = n.pmap([](int x) {
    std::array<int, 4> a{x, 3, 1, 2}, b{};
    int c[4];
    std::ranges::sort(a, std::greater<>{});
    std::ranges::copy(a, c);
    std::ranges::transform(a, b.begin(), [x](int e) { return e + x; });
    std::ranges::reverse(c);
    std::ranges::replace(b, 3, 100);
    std::ranges::fill(a, b[1]);
    return a[3] + 7 * b[0] - c[0] + c[3] * 11;
  });
  std::printf("%d\n", written.sum());
  const auto running = n.pmap([](int x) {
    const std::array<int, 5> a{x, 2, -3, 4, 1};
    std::array<int, 5> products{}, highest{}, steps{}, sums{}, kept{};
    std::partial_sum(a.begin(), a.end(), products.begin(), std::multiplies<>{});
    std::partial_sum(a.begin(), a.end(), highest.begin(),
                     [](int p, int q) { return p < q ? q : p; });
    std::adjacent_difference(a.begin(), a.end(), steps.begin());
    std::adjacent_difference(a.begin(), a.end(), sums.begin(), std::plus<>{});
    const auto end = std::copy_if(a.begin(), a.end(), kept.begin(), [](int p) { return p > 0; });
    return products[4] + highest[2] * 3 + steps[1] + sums[1] * 5 + kept[0] +
           int(end - kept.begin());
  });
  std::printf("%d\n", running.sum());
}

void medians() {
  const auto image = ikra::pnew(
      {8, 9}, [](ikra::index<2> i) { return static_cast<float>((i[0] * 7 + i[1] * 5) % 13); });
  const auto median = image.pstencil(ikra::box<1, 1>, ikra::clamp, [](const auto& near) {
    std::array<float, 9> a{};
    int n = 0;
    for (int y = -1; y <= 1; ++y)
      for (int x = -1; x <= 1; ++x)
        a[n++] = near(y, x);
    std::sort(a.begin(), a.end());
    return a[4];
  });
  std::printf("%g\n", median.sum());
}

} // namespace

int main() {
  captured();
  numbers();
  local_arrays();
  over_ranges();
  medians();
  algorithms();
  spans();
  array_iterators();
  std::vector<Actor> store;
  for (int i = 0; i < 20; ++i)
    store.emplace_back(i);
  const auto actors = ikra::objects(store);
  std::printf("%g\n", actors.pmap([](const Actor* a) { return a->best() + a->sum(); }).sum());
  std::printf("%g\n", actors.pmap([](Actor* a) { return a->read(); }).sum());
  std::printf("%d\n", actors.pmap([](Actor* a) { return a->place(); }).sum());
  actors.peach(3, [](Actor* a) { a->work(); });
  float total = 0;
  for (const Actor& a : store)
    total += a.best() + a.sum() + a.level();
  std::printf("%g\n", total);
}
