// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recursive functions in lazy operations, which stay on one core beside compiled ones: their own,
// mutual, in templates, of operators, through objects.
#include <ikra/ikra.hpp>

#include <cstdio>
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
}
