// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lambdas that sections hand on to functions: templates of the user's, std::visit of one variant
// and of several, std::apply; over values and over objects. And functions of <numeric> and <bit>.
#include <bit>
#include <cstdio>
#include <ikra/ikra.hpp>

#include <functional>
#include <numeric>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

template <class F> static double integral(F f, double a, double b, int n) {
  double sum = 0;
  const double h = (b - a) / n;
  for (int i = 0; i < n; ++i)
    sum += f(a + (i + 0.5) * h);
  return sum * h;
}
template <class T, class Op> static T fold(const std::vector<T>& v, T from, const Op& op) {
  for (const T& x : v)
    from = op(from, x);
  return from;
}
template <class F> static auto twice(F&& f, int x) { return f(f(x)); }
template <class F> static void times(int n, F&& f) {
  for (int i = 0; i < n; ++i)
    std::forward<F>(f)(i);
}
struct Adder {
  int k;
  int operator()(int x) const { return x + k; }
};

class Tree {
public:
  explicit Tree(int n) : n_(n) {}
  template <class F> void visit(F f) {
    for (int i = 0; i < n_; ++i)
      f(*this, i);
  }
  int n_, sum_ = 0, largest_ = 0;
};

struct Circle {
  int r;
  int area() const { return 3 * r * r; }
};
struct Box {
  int w, h;
  int area() const { return w * h; }
};
using Shape = std::variant<std::monostate, Circle, Box>;
template <class... F> struct Cases : F... {
  using F::operator()...;
};
template <class... F> Cases(F...) -> Cases<F...>;

// An object that holds a variant, and visits it by lambdas that capture.
class Slot {
public:
  Shape what;
  int met = 0;
  void update(int tick) {
    std::visit(Cases{[](std::monostate) {},
                     [&](Circle& c) {
                       c.r += tick % 3;
                       ++met;
                     },
                     [tick](Box& b) { b.w -= tick; }},
               what);
  }
};

static int meet(const Shape& a, const Shape& b) {
  return std::visit(
      Cases{[](const Circle& x, const Circle& y) { return x.r + y.r; },
            [](const auto& x, const Box& y) { return static_cast<int>(sizeof(x)) * 100 + y.w; },
            [](const auto&, const auto&) { return -1; }},
      a, b);
}

int main() {
  auto n = ikra::pnew(10, [](std::int64_t i) { return static_cast<int>(i); });
  for (double d : n.pmap([](int i) { return integral([i](double x) { return x * i; }, 0, 1, 16); }))
    std::printf("%g ", d);
  const std::vector<int> few{1, 2, 3};
  for (int x :
       n.pmap([few](int i) { return fold(few, i, [](int x, int y) { return x * 2 + y; }); }))
    std::printf("%d ", x);
  for (int x : n.pmap([](int i) {
         const auto increment = [](int y) { return y + 1; };
         int calls = 0;
         times(i, [&](int k) { calls += k; });
         return twice(increment, i) + twice(Adder{5}, i) * 100 + calls * 10000;
       }))
    std::printf("%d ", x);
  for (int x : n.pmap([](int i) {
         return std::apply([](int p, int q) { return p * 10 - q; }, std::tuple{i, 3}) +
                std::apply([](auto... p) { return (p + ...); }, std::pair{i, 0.5}) * 2;
       }))
    std::printf("%d ", x);
  auto shapes = n.pmap([](int i) -> Shape {
    if (i % 3 == 0)
      return Circle{i};
    if (i % 3 == 1)
      return Box{i, 2};
    return {};
  });
  for (int x : shapes.pcombine(shapes.pmap([](Shape s) {
         std::visit(Cases{[](Circle& c) { c.r += 1; }, [](auto&) {}}, s);
         return s;
       }),
                               meet))
    std::printf("%d ", x);
  for (int x : n.pmap([shapes](int i) { return meet(shapes[i], shapes[9 - i]); }))
    std::printf("%d ", x);

  std::vector<Tree> store;
  for (int i = 0; i < 8; ++i)
    store.emplace_back(i);
  auto trees = ikra::objects(store);
  trees.peach(3, [](Tree* t) {
    t->visit([](Tree& self, int i) { self.sum_ += i; });
    t->visit([t](auto&, int i) { t->largest_ = t->largest_ < i ? i : t->largest_; });
  });
  for (const Tree& t : store)
    std::printf("%d/%d ", t.sum_, t.largest_);

  std::vector<Slot> slots(9);
  for (int i = 0; i < 9; ++i)
    slots[i].what = i % 3 == 0 ? Shape{Circle{i}} : i % 3 == 1 ? Shape{Box{i, 2}} : Shape{};
  ikra::objects(slots).peach(4, [](Slot* s, int tick) { s->update(tick); });
  for (const Slot& s : slots)
    std::printf("%d/%d ", meet(s.what, s.what), s.met);

  for (unsigned x : n.pmap([](int i) {
         const auto u = static_cast<unsigned>(i * 37 + 1);
         return std::midpoint(u, 100u) + std::rotl(u, 3) + std::bit_ceil(u) +
                std::bit_cast<unsigned>(static_cast<float>(u)) + std::invoke(ikra::max, u, 60u) +
                std::bit_and<unsigned>{}(u, 12u) +
                static_cast<unsigned>(std::popcount(u) + std::countl_zero(u) +
                                      std::cmp_less(-1, u));
       }))
    std::printf("%u ", x);
  std::printf("\n");
}
