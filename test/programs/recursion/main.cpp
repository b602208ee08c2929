// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recursive functions in lazy operations, which stay on one core beside compiled ones: their own,
// mutual, in templates, of operators. Recursion along objects is compiled: walks of trees by
// methods and functions, chosen by class, with the section's own element among them.
#include <ikra/ikra.hpp>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

namespace {

int gcd(int a, int b) { return b == 0 ? a : gcd(b, a % b); }
bool odd(int n);
bool even(int n) { return n == 0 || odd(n - 1); }
bool odd(int n) { return n != 0 && even(n - 1); }
template <class T> T power(T x, int n) {
  if (n == 0)
    return 1;
  const T half = power(x, n / 2);
  return n % 2 ? half * half * x : half * half;
}
struct Nested {
  int n;
  friend Nested operator+(Nested a, Nested b) {
    return b.n == 0 ? a : Nested{a.n + 1} + Nested{b.n - 1};
  }
};
class Tree {
public:
  Tree(const Tree* left, int value) : left_(left), value_(value) {}
  int sum() const { return value_ + (left_ ? left_->sum() : 0); }
  void grow(int by) { value_ += by; }

private:
  const Tree* left_;
  int value_;
  IKRA_OBJECT
};
// A quadtree, which is walked as far as a place is near.
class Region {
public:
  Region(float x, float y, float width, int levels)
      : x_(x + width / 2), y_(y + width / 2), width_(width) {
    mass_ = width * width;
    for (int i = 0; levels > 0 && i < 4; ++i)
      parts_[i] =
          std::make_unique<Region>(x + float(i % 2) * width / 2, y + float(i / 2) * width / 2,
                                   width / 2, levels - i % 3 - 1);
  }
  float pull(float x, float y) const {
    const float dx = x_ - x, dy = y_ - y, squared = dx * dx + dy * dy + 0.01f;
    if (!parts_[0] || width_ * width_ < 0.25f * squared)
      return mass_ / squared;
    float sum = 0;
    for (const auto& part : parts_)
      sum += part->pull(x, y);
    return sum;
  }

private:
  float x_, y_, width_, mass_ = 0;
  std::unique_ptr<Region> parts_[4];
  IKRA_OBJECT
};

// A formula: what a node does is chosen by its class, and differs in how it goes on.
class Term {
public:
  virtual ~Term() = default;
  virtual int value(int x) const = 0;
};
int twice(const Term* t, int x);
class Variable final : public Term {
public:
  int value(int x) const override { return x; }
};
class Sum final : public Term {
public:
  Sum(const Term* left, const Term* right) : left_(left), right_(right) {}
  int value(int x) const override { return left_->value(x) + right_->value(x + 1); }

private:
  const Term *left_, *right_;
  IKRA_OBJECT
};
class Twice final : public Term {
public:
  explicit Twice(const Term* of) : of_(of) {}
  int value(int x) const override { return twice(of_, x); }

private:
  const Term* of_;
  IKRA_OBJECT
};
int twice(const Term* t, int x) { return t ? 2 * t->value(x) : 0; }

struct Walker {
  float x = 0, y = 0, felt = 0;
  const Term* formula = nullptr;
  int last = 0;
  Walker* before = nullptr;
  // The element goes along.
  void visit(const Walker* at, int left) {
    last += at->last % 7; // NOLINT(ikra-unshared-read) of one element
    if (left > 0 && at->before)
      visit(at->before, left - 1);
  }
};

template <class T> auto cubes(const ikra::array<T>& a) {
  return a.pmap([](T x) { return power(x, 3); });
}

template <class T, int R> void show(const ikra::array<T, R>& values) {
  for (const auto x : values)
    std::printf("%d ", static_cast<int>(x));
  std::printf("\n");
}

} // namespace

int main() {
  const ikra::array a{std::vector<int>{12, 18, 7, 30}};
  show(a.pmap([](int x) { return gcd(x, 42); }).pmap([](int x) { return x + 1; }));
  show(a.pmap([](int x) { return even(x); }));
  show(a.pmap([](int x) { return x / 2; }).pcombine(a, [](int x, int n) { return gcd(x, n); }));
  std::printf("%d\n", a.preduce([](int x, int y) { return gcd(x, y); }).value());
  show(cubes(a));
  show(cubes(ikra::array{std::vector<double>{1.5, 2.5}}));
  const ikra::array nested{std::vector<Nested>{{1}, {2}}};
  show((nested + nested).pmap([](Nested x) { return x.n; }));
  Tree root(nullptr, 1), middle(&root, 2), leaf(&middle, 3);
  const ikra::array trees{std::vector<Tree*>{&root, &middle, &leaf}};
  trees.peach([](Tree* t) { t->grow(10); });
  show(trees.pmap([](const Tree* t) { return t->sum(); }));

  const Region world(0, 0, 1, 5);
  const Variable x;
  const Sum sum(&x, &x);
  const Twice twofold(&sum), none(nullptr);
  const Sum all(&twofold, &none);
  const Term* const formulas[] = {&x, &sum, &twofold, &all};
  std::vector<Walker> walkers(600);
  for (int i = 0; i < 600; ++i)
    walkers[i] = {float(i % 23) / 23,
                  float(i % 29) / 29,
                  0,
                  formulas[i % 4],
                  i,
                  i % 11 ? &walkers[i - 1] : nullptr};
  const auto walking = ikra::objects(walkers);
  const auto step = [&] {
    walking.peach([region = &world](Walker& w) { w.felt += region->pull(w.x, w.y); });
    walking.peach(2, [](Walker* w, std::int64_t tick) {
      w->last = w->formula->value(w->last % 100 + int(tick));
    });
  };
  step();
  {
    const ikra::resident scope{walking};
    step();
    step();
  }
  walking.peach([](Walker* w) { w->felt *= 1 + float(w->last % 3); });
  for (int i = 0; i < 600; i += 37)
    std::printf("%.5g %d\n", walkers[i].felt, walkers[i].last);
  const ikra::array first{std::vector<Walker*>{&walkers[10]}};
  first.peach([](Walker* w) { w->visit(w->before, 5); });
  std::printf("%d\n", walkers[10].last);
}
