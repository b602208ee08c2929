// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Zipped arrays, optionals and variants as elements, results and members, what is asked of them
// though it is not there, and lambdas within sections.
#include <ikra/ikra.hpp>
#include <iostream>
#include <limits>
#include <optional>
#include <tuple>
#include <variant>
#include <vector>
struct Point {
  float x, y;
  float norm() const { return x * x + y * y; }
};
using Shape = std::variant<int, float, Point>;
template <class... F> struct overloaded : F... {
  using F::operator()...;
};
template <class... F> overloaded(F...) -> overloaded<F...>;
struct Node {
  int n = 0;
  std::optional<int> last;
  std::variant<int, float> v;
  Node* next = nullptr;
  void step(int k) {
    auto add = [&](int by) { n += by; };
    add(k);
    add(1);
    if (k % 2)
      last = k;
    else
      last = std::nullopt;
    if (n > 3)
      v = 2.5f;
  }
};
std::optional<float> root(int n) {
  if (n % 3 == 0)
    return std::nullopt;
  return static_cast<float>(n);
}
struct Reading {
  float value = 0;
  int number = 0;
  auto operator<=>(const Reading&) const = default;
};

int main() {
  auto a = ikra::pnew(40, [](std::int64_t i) { return int(i); });
  auto b = a.pmap([](int n) { return n * 0.5f; });
  auto z = a.pzip(b);
  std::cout << z.pmap([](const std::tuple<int, float>& t) {
                  return std::get<0>(t) + std::get<1>(t);
                }).preduce(std::plus<>{})[0]
            << '\n';
  auto z3 = a.pzip(b, a.pmap([](int n) { return short(n); }));
  for (auto [p, q, r] : z3.with_index().pselect(
           [](auto t, std::int64_t i) { return std::get<0>(t) > 36 && i != 38; }))
    std::cout << p << ' ' << q << ' ' << r << '\n';
  auto o = a.pmap(root);
  std::cout << o[3].has_value() << *o[4] << '\n';
  std::cout << o.pmap([](const std::optional<float>& x) {
                  return x.value_or(-1) + (x ? *x : 0) + (x.has_value() ? 1 : 2) +
                         (x == std::nullopt ? 3 : 0) + (x != std::nullopt ? 5 : 0);
                }).preduce(std::plus<>{})[0]
            << '\n';
  std::cout << o.pselect([](auto x) { return x.has_value(); })
                   .pmap([](std::optional<float> x) { return x.value(); })
                   .preduce(std::plus<>{})[0]
            << '\n';
  try {
    std::cout << o.pmap([](std::optional<float> x) { return x.value(); })[1] << '\n';
  } catch (const std::exception&) {
    std::cout << "empty\n";
  }
  auto po = a.pmap([](int n) {
    std::optional<Point> p;
    if (n > 5)
      p = Point{1, float(n)};
    return p;
  });
  std::cout << po.pmap([](const std::optional<Point>& p) {
                   return p ? p->norm() + p->x : 0.f;
                 }).preduce(std::plus<>{})[0]
            << '\n';
  auto s = a.pmap([](int n) -> Shape {
    if (n % 3 == 0)
      return n;
    if (n % 3 == 1)
      return 0.5f * n;
    return Point{1, 2};
  });
  std::cout << s.pmap([](const Shape& x) {
                  return std::visit(
                      [](const auto& v) {
                        if constexpr (std::is_same_v<std::decay_t<decltype(v)>, Point>)
                          return v.norm();
                        else
                          return static_cast<float>(v);
                      },
                      x);
                }).preduce(std::plus<>{})[0]
            << '\n';
  std::cout << s.pmap([](const Shape& x) {
                  return std::visit(overloaded{[](int i) { return i; },
                                               [](float f) { return int(f); },
                                               [](const Point& p) { return int(p.x); }},
                                    x);
                }).preduce(std::plus<>{})[0]
            << '\n';
  std::cout << s.pmap([](const Shape& x) {
                  return std::holds_alternative<int>(x)     ? std::get<int>(x)
                         : std::holds_alternative<Point>(x) ? int(std::get<2>(x).y)
                                                            : int(x.index());
                }).preduce(std::plus<>{})[0]
            << '\n';
  try {
    std::cout << s.pmap([](const Shape& x) { return std::get<int>(x); })[1] << '\n';
  } catch (const std::exception&) {
    std::cout << "other\n";
  }
  int k = 3;
  std::cout << a.pmap([k](int n) {
                  auto f = [=](int m) { return m * k + n; };
                  const auto g = [&f, c = n + 1](auto m) { return f(2) + m * c; };
                  int total = 0;
                  auto add = [&total](int by) {
                    total += by;
                    return total;
                  };
                  for (int i = 0; i < 3; ++i)
                    add(i);
                  return g(1) + int(g(0.5)) + total + [](int q) { return q - 1; }(n);
                }).preduce(std::plus<>{})[0]
            << '\n';
  std::cout << a.pmap([](int n) {
                  int c = 0;
                  auto count = [c]() mutable { return ++c; };
                  count();
                  count();
                  return c + count() + n;
                }).preduce(std::plus<>{})[0]
            << '\n';
  std::vector<Node> nodes(10);
  ikra::objects(nodes).with_index().peach([](Node* n, std::int64_t i) {
    auto twice = [=](int x) {
      n->step(x);
      n->step(int(i));
    };
    twice(1);
  });
  for (auto& n : nodes)
    std::cout << n.n << (n.last ? *n.last : -1) << n.v.index() << ' ';
  std::cout << '\n';

  // std::nullopt as an argument, constants of orders, the element under other names.
  std::cout << a.pmap([](int n) {
                  std::optional<int> q = n;
                  const auto before = std::exchange(q, std::nullopt);
                  const std::pair<std::optional<int>, int> none(std::nullopt, n);
                  return *before + (q ? 100 : 1) + (none.first ? 1000 : none.second);
                }).preduce(std::plus<>{})[0]
            << '\n';
  std::cout << a.pmap([](int n) {
                  const auto weak = static_cast<double>(n) <=> 4.5;
                  return ((n <=> 4) == std::strong_ordering::less ? 1 : 10) +
                         (weak == std::partial_ordering::greater ? 100 : 0) +
                         (weak != std::partial_ordering::unordered ? 1000 : 0) +
                         (std::is_gt(weak) ? 10000 : 0) + (std::is_lteq(n <=> 3) ? 5 : 0);
                }).preduce(std::plus<>{})[0]
            << '\n';
  // Numbers without an order, alone and in classes whose order the compiler writes.
  const float none = std::numeric_limits<float>::quiet_NaN();
  std::cout << a.pmap([none](int n) {
                  const float x = n % 3 == 0 ? none : static_cast<float>(n);
                  const auto order = x <=> 4.0f;
                  const Reading left{x, n}, right{4, 4};
                  const auto both = left <=> right;
                  return (order == std::partial_ordering::unordered ? 1 : 0) +
                         (order == 0 ? 10 : 0) + (order <= 0 ? 100 : 0) +
                         (both == std::partial_ordering::unordered ? 1000 : 0) +
                         (left <= right ? 10000 : 0) + (right < left ? 100000 : 0) +
                         (both == std::partial_ordering::equivalent ? 1000000 : 0);
                }).preduce(std::plus<>{})[0]
            << '\n';
  // Which value a constructor makes, and of what.
  std::cout << a.pmap([](int n) {
                  const Shape made = n % 2 == 0 ? Shape(std::in_place_type<float>, 0.5f)
                                                : Shape{std::in_place_index<0>, n};
                  const std::optional<Point> at(std::in_place, Point{});
                  return int(made.index()) * 10 + (at ? 1 : 0) +
                         (made.index() == 0 ? std::get<int>(made) : 100);
                }).preduce(std::plus<>{})[0]
            << '\n';
  ikra::objects(nodes).with_index().peach([](Node* n, std::int64_t i) {
    Node& self = *n;
    Node* const same = &self;
    const auto* read = same;
    self.n += int(i) + read->n;
    same->step(2);
  });
  for (auto& n : nodes)
    std::cout << n.n << ' ';
  std::cout << '\n';
}
