// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Spans of values: of local arrays, members and captured vectors, constant or written through,
// parts of them, and as parameters, results and variables of functions.

#include <ikra/ikra.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <numeric>
#include <span>
#include <vector>

static int total(std::span<const int> v) {
  int s = 0;
  for (int x : v)
    s += x;
  return s;
}
static void scale(std::span<int> v, int k) {
  for (int& x : v)
    x *= k;
}
static void first(std::span<int, 3> v) { v[0] = v[1] + v.back(); }
static int part(std::span<const int> v) {
  return total(v.subspan(1, 2)) + total(v.first(2)) + int(v.size());
}
struct Point {
  float x, y;
};
static float norm(std::span<const Point> p) {
  float s = 0;
  for (const auto& [x, y] : p)
    s += x * x + y * y;
  return s;
}
static void shift(std::span<Point> p) {
  for (Point& q : p)
    q.x += 1;
  p.front().y = 3;
}
static std::span<int> rest(std::span<int> v) {
  v = v.subspan(1);
  return v.last(v.size() - 1);
}
class Net {
  IKRA_OBJECT std::vector<float> w_;
  float s_ = 0;
  std::array<int, 3> k_{1, 2, 3};
  static float sum(std::span<const float> v) {
    float s = 0;
    for (float x : v)
      s += x;
    return s;
  }
  static void half(std::span<float> v) {
    for (auto& x : v)
      x /= 2;
  }
  static void inc(std::span<int> v) {
    for (auto& x : v)
      ++x;
  }

public:
  Net(int n) : w_(n, 2.f * n) {}
  void step() {
    half(w_);
    s_ += sum(w_) + w_.size();
    inc(k_);
    half(std::span<float>(w_).first(1));
  }
  float s() const { return s_ + k_[2]; }
  float total() const { return sum(w_) + sum({w_.data(), 1}); }
};
void spans() {
  std::vector<Net> nets;
  for (int i = 1; i < 5; ++i)
    nets.emplace_back(i);
  auto no = ikra::objects(nets);
  no.peach(3, [](Net* n) { n->step(); });
  std::printf("%g %g\n", no.pmap([](const Net* n) { return n->total(); }).sum(),
              no.pmap([](const Net* n) { return n->s(); }).sum());
  ikra::array<int> z(std::vector<int>{5, 6, 7});
  std::printf("%g\n", z.pmap([](int x) {
                         Point p[3] = {{1, 2}, {float(x), 1}, {0, 0}};
                         shift(p);
                         std::array<Point, 2> q{p[0], p[1]};
                         shift(q);
                         std::span<Point> e;
                         return norm(p) + norm(q) + norm({p + 1, p + 3}) + e.size();
                       }).sum());
  std::printf("%d\n", z.pmap([](int x) {
                         int v[6] = {x, 1, 2, 3, 4, 5};
                         auto w = rest(v);
                         for (int& y : w)
                           y *= 2;
                         std::span<const int> c = w;
                         return c[0] + v[5] * 3 + int(c.size()) +
                                std::accumulate(c.begin(), c.end(), 0) + (c.empty() ? 1 : 0) +
                                *std::max_element(w.begin(), w.end());
                       }).sum());

  ikra::array<int> a(std::vector<int>{1, 2, 3, 4});
  std::vector<int> t{4, 5, 6};
  auto r1 = a.pmap([](int x) {
    int v[4] = {x, 2, 3, 4};
    return total(v);
  });
  auto r2 = a.pmap([](int x) {
    std::array<int, 4> v{x, 2, 3, 4};
    scale(v, 3);
    return total(v);
  });
  auto r3 = a.pmap([](int x) {
    int v[3] = {x, 2, 3};
    first(v);
    std::span<int> w(v);
    w[1] = 7;
    std::sort(w.begin(), w.end());
    return v[0] + w.front() * 3;
  });
  auto r4 = a.pmap([](int x) {
    int v[5] = {x, 2, 3, 7, 8};
    return part(v);
  });
  auto r5 = a.pmap([t](int x) { return total(t) + x; });
  auto r6 = a.pmap([](int x) {
    int v[5] = {x, 2, 3, 7, 8};
    return total({v, 3}) + total(std::span(v).first(2));
  });
  std::printf("%d %d %d %d %d %d\n", r1.sum(), r2.sum(), r3.sum(), r4.sum(), r5.sum(), r6.sum());
}
