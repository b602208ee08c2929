// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Captured arrays of ranks above 1: read by place, flat, by iteration, asked for their shape, and
// handed on to functions and methods; particles in a field that is computed by stencils.
#include <cstdio>
#include <functional>
#include <ikra/ikra.hpp>
#include <memory>
#include <vector>

using Volume = ikra::array<float, 3>;
using Field = ikra::array<double, 2>;

static float at(Volume a, ikra::index<3> i) { return a[i]; }
template <class A> static auto total(const A& a) {
  typename A::value_type sum{};
  for (auto x : a)
    sum += x;
  return sum;
}
static float corners(const Volume& a) {
  const auto& same = a;
  auto copy = a;
  return same(0, 0, 0) + copy[copy.size() - 1] + static_cast<float>(a.rank() + Volume::rank());
}

// Arrays without elements, in whatever dimension there are none.
static void nothing() {
  for (const ikra::index<3> shape : {ikra::index<3>{3, 0, 2}, {0, 4, 2}, {3, 2, 0}}) {
    const auto a = ikra::pnew(
        shape, [](ikra::index<3> i) { return static_cast<int>(i[0] + i[1] * 10 + i[2]); });
    const auto b = a.with_index().pcombine(
        a.pmap([](int x) { return x % 7; }),
        [](int x, int y, ikra::index<3> i) { return x * y + static_cast<int>(i[2]); });
    std::printf("%lld %zu %d %zu %zu\n",
                static_cast<long long>(b.count([](int x) { return x % 2 == 1; })), b.size(),
                b.sum(), b.pscan(std::plus<>{}).size(),
                b.with_index().pselect([](int, ikra::index<3> i) { return i[0] > 0; }).size());
  }
}

static void volumes() {
  auto a = ikra::pnew({3, 4, 5}, [](ikra::index<3> i) {
    return static_cast<float>(i[0] * 100 + i[1] * 10 + i[2]);
  });
  auto v = ikra::pnew(7, [](std::int64_t i) { return static_cast<int>(i); });
  auto b = ikra::pnew({5, 4, 3}, [a](ikra::index<3> i) {
    return a(i[2], i[1], i[0]) + at(a, {i[2], 0, 0}) + a[i[0]];
  });
  std::printf("turned:");
  for (float x : b)
    std::printf(" %.0f", static_cast<double>(x));
  std::printf("\nsums:");
  for (float x : v.pmap([a, v](int x) {
         return total(a) + static_cast<float>(total(v)) + corners(a) +
                static_cast<float>(v(x) + v[ikra::index{x}] + v.shape()[0] + v.rank() +
                                   a.shape()[1]);
       }))
    std::printf(" %.0f", static_cast<double>(x));
  std::printf("\nshape:");
  for (auto extent : v.pmap([a](int x) { return a.shape()[x % 3]; }))
    std::printf(" %lld", static_cast<long long>(extent));
  auto places = ikra::pnew({4, 5}, [](ikra::index<2> i) {
    auto [y, x] = i;
    const auto& [p, q] = i;
    return y * 10 + x + p - q;
  });
  std::printf("\nplaces:");
  for (auto x : places)
    std::printf(" %lld", static_cast<long long>(x));
  std::printf("\n");
}

class Particle {
public:
  Particle(double x, double y) : x_(x), y_(y) {}
  virtual ~Particle() = default;
  virtual double mass() const { return 1; }
  void push(const Field& ex, const Field& ey, double dt) {
    const auto [h, w] = ex.shape();
    const std::int64_t i = static_cast<std::int64_t>(y_) % h, j = static_cast<std::int64_t>(x_) % w;
    vx_ += dt * ex(i, j) / mass();
    vy_ += dt * ey(i, j) / mass();
    x_ = wrapped(x_ + vx_ * dt, static_cast<double>(w));
    y_ = wrapped(y_ + vy_ * dt, static_cast<double>(h));
  }
  double x() const { return x_; }
  double y() const { return y_; }

private:
  static double wrapped(double at, double end) {
    while (at < 0)
      at += end;
    while (at >= end)
      at -= end;
    return at;
  }
  double x_, y_, vx_ = 0, vy_ = 0;
  IKRA_OBJECT
};
class Ion : public Particle {
public:
  using Particle::Particle;
  double mass() const override { return 8; }
};

static void particles() {
  std::vector<std::unique_ptr<Particle>> store;
  for (int i = 0; i < 64; ++i) {
    const double x = (i * 37 % 160) / 16.0, y = (i * 29 % 128) / 16.0;
    if (i % 3)
      store.push_back(std::make_unique<Particle>(x, y));
    else
      store.push_back(std::make_unique<Ion>(x, y));
  }
  ikra::array all{store};
  for (int t = 0; t < 5; ++t) {
    auto cells = all.pmap([](const Particle* p) {
      return static_cast<std::int64_t>(p->y()) * 10 + static_cast<std::int64_t>(p->x());
    });
    auto field =
        cells.phistogram(80).reshape({8, 10}).pmap([](std::int64_t n) { return double(n); });
    for (int k = 0; k < 4; ++k)
      field = field.pstencil({{-1, 0}, {0, -1}, {0, 1}, {1, 0}}, ikra::wrap, [](auto v) {
        return 0.25 * (v(-1, 0) + v(0, -1) + v(0, 1) + v(1, 0));
      });
    auto ex = field.pstencil({{0, -1}, {0, 1}}, ikra::wrap,
                             [](auto v) { return (v(0, 1) - v(0, -1)) / 2; });
    auto ey = field.pstencil({{-1, 0}, {1, 0}}, ikra::wrap,
                             [](auto v) { return (v(1, 0) - v(-1, 0)) / 2; });
    all.peach([=](Particle* p) { p->push(ex, ey, 0.125); });
  }
  for (std::size_t i = 0; i < all.size(); ++i)
    std::printf("%.9g %.9g\n", all[i]->x(), all[i]->y());
}

int main() {
  nothing();
  volumes();
  particles();
}
