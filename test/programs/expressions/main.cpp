// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions whose meaning rests on what vanishes in emitted code: the parentheses of calls that
// are not printed, conversions that follow the user's own, and the order of evaluation that C++ has
// for braces, member calls and operators, where emitted code has functions.
#include <ikra/ikra.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

struct Half {
  float v;
  operator float() const { return v + 0.5f; }
};
struct Sides {
  int x;
  int y;
  int sum() const { return x + y; }
  Sides operator+(Sides o) const { return {x + o.x, y + o.y}; }
};
struct P {
  int x;
  int y;
  P(int a, int b) : x(a), y(b) {}
  int code() const { return 100 * x + y; }
};
struct V {
  float x, y;
  V(float a, float b) : x(a), y(b) {}
};
struct Acc {
  int v = 0;
  Acc& add(int k) {
    v = v * 10 + k;
    return *this;
  }
  Acc& operator<<(int k) { return add(k); }
  int& operator[](int k) {
    v += k;
    return v;
  }
  Acc& operator+=(const Acc& o) {
    v = v * 2 + o.v;
    return *this;
  }
  int operator()(int a) { return v * 7 + a; }
};
class S {
public:
  int next() { return ++count_; }
  S* push(int k) {
    value_ = value_ * 10 + k;
    return this;
  }
  int value() const { return value_; }
  void place(ikra::random& r) { pos_ = V{r.uniform<float>(), r.uniform<float>()}; }
  V pos() const { return pos_; }

private:
  int count_ = 0, value_ = 0;
  V pos_{0, 0};
  IKRA_OBJECT
};

template <class Array> void show(const Array& values) {
  for (const auto value : values)
    std::printf(" %d", static_cast<int>(value));
  std::printf("\n");
}

int main() {
  const ikra::array a{std::vector<int>{-1, 0, 1, 2, 3}};

  // Precedence.
  show(a.pmap([](int e) { return std::move(e + 1) * 10; }));
  show(a.pmap([](int e) { return std::forward<int>(e + 1) * 10; }));
  show(a.pmap([](int e) { return 100 - std::move(e - 1); }));
  show(a.pmap([](int e) {
    int u = 2, v = 3;
    return std::as_const(e > 0 ? u : v) + 1;
  }));
  show(a.pmap([](int e) {
    std::array<int, 2> p{1, 2}, q{3, 4};
    return std::get<0>(e > 0 ? p : q);
  }));
  show(a.pmap([](int e) {
    std::array<int, 2> p{1, 2}, q{3, 4};
    return (e > 0 ? p : q)[1];
  }));
  show(a.pmap([](int e) {
    Sides p{1, 2}, q{3, 4};
    return std::as_const(e > 0 ? p : q).y * 3;
  }));
  show(a.pmap([](int e) {
    Sides p{1, 2}, q{3, 4};
    return std::move(e > 0 ? p : q).sum() * 3;
  }));
  show(a.pmap([](int e) {
    Sides p{1, 2}, q{3, e};
    return -(p + q).y * 3;
  }));
  show(a.pmap([](int e) {
    int x = 5;
    return -std::move(x - e) * 2;
  }));
  show(a.pmap([](int e) {
    int x = 5;
    return !std::move(x && e);
  }));
  show(a.pmap([](int e) {
    int x = 5;
    const int y = std::as_const(x = e) + 1;
    return y * std::move(x += 2);
  }));
  show(a.pmap([](int e) { return std::min(e | 4, e ^ 3) * 2 + std::max(e & 4, -e) * 3; }));
  show(a.pmap([](int e) {
    Half h{float(e)};
    return (e < 0 ? 4 : h) * 2;
  }));
  show(a.pmap([](int e) {
    Half h{float(e)};
    int t[] = {1, 2, 3, 4, 5};
    return t[e < 0 ? 0 : int(h)] + (e > 0 ? h : 2.5) * 2;
  }));
  show(a.pmap([](int e) {
    int x = 3;
    int* p = &x;
    *std::move(p) += e;
    return *p * 2 + 2;
  }));
  show(a.pmap([](int e) { return std::get<1>(std::tuple{e, e + 1}) * 2; }));

  // Order.
  show(a.pmap([](int e) {
    ikra::random r(1, e);
    P p{r.below(100), r.below(100)};
    return p.code();
  }));
  show(a.pmap([](int e) {
    ikra::random r(1, e);
    std::pair<int, int> p{r.below(100), r.below(100)};
    return p.first * 100 + p.second;
  }));
  show(a.pmap([](int e) {
    ikra::random r(1, e);
    std::tuple p{r.below(100), r.below(100)};
    return int(std::get<0>(p) * 100 + std::get<1>(p));
  }));
  show(a.pmap([](int e) {
    ikra::random r(1, e);
    ikra::index<2> p{r.below(100), r.below(100)};
    return int(p[0] * 100 + p[1]);
  }));
  show(a.pmap([](int x) {
    Acc s;
    s.add(++x).add(++x);
    return s.v;
  }));
  show(a.pmap([](int x) {
    Acc s;
    s << ++x << ++x;
    return s.v;
  }));
  show(a.pmap([](int x) { return Acc().add(++x).add(++x).v; }));
  show(a.pmap([](int x) {
    P p{x, ++x};
    P q{++x, ++x};
    return p.code() * 1000 + q.code();
  }));
  show(a.pmap([](int x) {
    Acc s, t;
    s.v = 3;
    t.v = 4;
    (s.add(1)) += t.add(x);
    return s.v;
  }));
  show(a.pmap([](int x) {
    Acc s;
    s[++x] = x;
    return s.v + s.add(++x)(++x);
  }));
  const std::vector<int> row{1, 2, 3};
  show(a.pmap([row](int e) {
    const int p[3] = {4, 5, 6};
    std::array<int, 3> q{7, 8, 9};
    const auto at = [](int i) { return (i + 3) % 3; };
    return p[std::move([=](int i) { return at(i); }(e))] +
           q[std::forward<int>([&] { return at(e + 1); }())] *
               row[std::move([=] { return at(e); }() + 0)];
  }));
  show(a.pstencil({-1, 1}, 0, [](auto w) { return w[std::move(-1)] - w[1]; }));
  std::vector<std::unique_ptr<S>> objects;
  for (int i = 0; i < 3; ++i)
    objects.push_back(std::make_unique<S>());
  ikra::array o{objects};
  o.peach([](S* s) { s->push(s->next())->push(s->next())->push(s->next()); });
  show(o.pmap([](const S* s) { return s->value(); }));
  o.with_index().peach([](S* s, std::int64_t i) {
    ikra::random r(7, i);
    s->place(r);
  });
  for (auto& s : objects)
    std::printf("%f %f\n", s->pos().x, s->pos().y);
}
