// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Algorithms that write, arrange and sort, with functions of one's own.

#include <ikra/ikra.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <compare>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <numeric>
#include <utility>
#include <vector>

namespace {
struct Ranked {
  int rank, score;
  auto operator<=>(const Ranked&) const = default;
};
struct Hit {
  int key, at;
};
} // namespace

void algorithms() {
  std::vector<int> numbers(1000);
  for (int i = 0; i < 1000; ++i)
    numbers[i] = i * 7919 % 1013;
  const ikra::array<int> a(numbers);
  const auto show = [](const auto& results) {
    std::printf("%d\n", static_cast<int>(results.sum()));
  };
  show(a.pmap([](int x) {
    auto [lo, hi] = std::minmax({x, 3, x / 2});
    return hi - lo;
  }));
  show(a.pmap([](int x) {
    std::array<int, 5> v{x, 3, x / 2, 9, 1};
    auto m = std::rotate(v.begin(), v.begin() + x % 5, v.end());
    return v[0] * 7 + v[4] + int(m - v.begin());
  }));
  show(a.pmap([](int x) {
    std::array<int, 5> v{x, 3, x / 2, 9, 1};
    int s = 0;
    std::for_each(v.begin(), v.end(), [&](int y) { s += y * y; });
    return s;
  }));
  show(a.pmap([](int x) {
    std::array<int, 5> v{x, 3, x / 2, 9, 1};
    std::for_each(v.begin(), v.end(), [](int& y) { y *= 2; });
    return v[1] + v[4];
  }));
  show(a.pmap([](int x) {
    std::array<int, 5> v{x, 3, x / 2, 9, 1};
    std::ranges::for_each(v, [k = 2](int& y) mutable { y *= k++; });
    return v[1] + v[4] * 3;
  }));
  show(a.pmap([](int x) {
    std::array<int, 5> v{x, 3, x / 2, 9, 1};
    std::sort(v.begin(), v.end(), [](int p, int q) { return p > q; });
    return v[1];
  }));
  show(a.pmap([](int x) {
    int v[40];
    for (int i = 0; i < 40; ++i)
      v[i] = (x * (i + 3)) % 17;
    std::sort(v, v + 40, [](auto p, auto q) { return q < p; });
    return v[1] * 5 + v[39] + v[20];
  }));
  show(a.pmap([](int x) {
    int v[16];
    for (int i = 0; i < 16; ++i)
      v[i] = (x * (i + 3)) % 17 - 8;
    std::sort(std::begin(v), std::end(v), [](int p, int q) { return std::abs(p) < std::abs(q); });
    return v[1] * 5 + v[15] + v[8] * 3;
  }));
  show(a.pmap([](int x) {
    std::array<Hit, 8> v;
    for (int i = 0; i < 8; ++i)
      v[i] = {(x * (i + 3)) % 4, i};
    std::sort(v.begin(), v.end(), [](const Hit& p, const Hit& q) { return p.key < q.key; });
    unsigned r = 0;
    for (const Hit& t : v)
      r = r * 3 + unsigned(t.at + t.key);
    return r % 1000;
  }));
  show(a.pmap([](int x) {
    Hit v[100];
    for (int i = 0; i < 100; ++i)
      v[i] = {(x * (i + 3)) % 7, i};
    std::stable_sort(v, v + 100, [](const Hit& p, const Hit& q) { return p.key < q.key; });
    unsigned r = 0;
    for (const Hit& t : v)
      r = r * 3 + unsigned(t.at + t.key);
    return r % 1000;
  }));
  show(a.pmap([](int x) {
    int v[100];
    for (int i = 0; i < 100; ++i)
      v[i] = (x * (i + 3)) % 1007;
    std::stable_sort(v, v + 100);
    unsigned r = 0;
    for (int t : v)
      r = r * 3 + unsigned(t);
    return r % 1000;
  }));
  show(a.pmap([](int x) { // by an order of the library's, and by one that the compiler writes
    std::pair<int, int> v[20];
    Ranked w[20];
    for (int i = 0; i < 20; ++i) {
      v[i] = {(x * (i + 3)) % 7, i % 3};
      w[i] = {i % 3, (x * (i + 3)) % 7};
    }
    std::stable_sort(v, v + 20);
    std::stable_sort(w, w + 20);
    unsigned r = 0;
    for (int i = 0; i < 20; ++i)
      r = r * 3 + unsigned(v[i].first + v[i].second * 2 + w[i].rank + w[i].score * 5);
    return r % 1000;
  }));
  show(a.pmap([](int x) {
    std::array<int, 6> v{x, 3, x / 2, 9, 1, x % 4};
    auto e = std::remove_if(v.begin(), v.end(), [](int y) { return y < 5; });
    int r = int(e - v.begin());
    for (auto i = v.begin(); i != e; ++i)
      r = r * 3 + *i;
    return r % 1000;
  }));
  show(a.pmap([](int x) {
    std::array<int, 6> v{x % 3, 2, 1, x % 2, 1, 1};
    auto e = std::remove(v.begin(), v.end(), 1);
    int r = int(e - v.begin());
    for (auto i = v.begin(); i != e; ++i)
      r = r * 3 + *i;
    return r % 1000;
  }));
  show(a.pmap([](int x) {
    std::array<int, 6> v{x % 3, 2, 1, x % 2, 1, 1};
    std::sort(v.begin(), v.end());
    auto e = std::unique(v.begin(), v.end());
    int r = int(e - v.begin());
    for (auto i = v.begin(); i != e; ++i)
      r = r * 3 + *i;
    return r % 1000;
  }));
  show(a.pmap([](int x) {
    std::array<int, 6> v{x % 3, 2, 1, x % 2, 1, 1};
    auto e = std::unique(v.begin(), v.end(), [](int p, int q) { return p % 2 == q % 2; });
    int r = int(e - v.begin());
    for (auto i = v.begin(); i != e; ++i)
      r = r * 3 + *i;
    return r % 1000;
  }));
  show(a.pmap([](int x) {
    std::array<int, 6> v{x % 3, 2, 1, x % 2, 1, 1};
    std::replace_if(v.begin(), v.end(), [x](int y) { return y == x % 3; }, 17);
    std::ranges::replace_if(v, [](int y) { return y == 1; }, x);
    return v[0] * 3 + v[3] * 5 + v[5];
  }));
  show(a.pmap([](int x) {
    std::array<int, 6> v;
    int n = x;
    std::generate(v.begin(), v.end(), [&n] { return n = n * 5 % 1009; });
    return v[0] * 3 + v[3] * 5 + v[5];
  }));
  show(a.pmap([](int x) {
    std::array<int, 6> v{1, 2, 3, 4, 5, x}, w{};
    std::reverse_copy(v.begin(), v.end(), w.begin());
    std::copy_n(v.begin(), 2, w.begin() + 1);
    std::copy_backward(w.begin(), w.begin() + 3, w.begin() + 5);
    std::swap_ranges(v.begin(), v.begin() + 3, w.begin());
    std::iter_swap(v.begin(), w.begin() + 4);
    int r = 0;
    for (int i = 0; i < 6; ++i)
      r = r * 3 + v[i] * 2 + w[i];
    return r % 1000;
  }));
  show(a.pmap([](int x) {
    std::array<int, 5> v{1, 3, 5, 9, x};
    std::inclusive_scan(v.begin(), v.end(), v.begin());
    std::inclusive_scan(v.begin(), v.end(), v.begin(), [](int p, int q) { return p > q ? p : q; });
    return v[3] + v[4];
  }));
  show(a.pmap([](int x) {
    std::array<int, 5> v{1, 3, 5, 9, 1000};
    return int(std::partition_point(v.begin(), v.end(), [x](int y) { return y < x; }) - v.begin());
  }));
  show(a.pmap([](int x) {
    std::array<int, 5> v{1, 3, 5, 9, x};
    return std::ranges::max(v) * 7 + std::ranges::min(v) + *std::ranges::min_element(v);
  }));
  std::vector<float> table{3.5f, 2.25f, 8.f};
  auto f = a.pmap([table](int x) { return float(x) * std::ranges::max(table); });
  std::printf("%g\n", f.sum());
}
