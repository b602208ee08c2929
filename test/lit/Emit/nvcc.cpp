// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: nvcc
// What ikrac emits of objects, virtual methods, join tables, captures and fused chains, as nvcc takes it, without a warning.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags
// RUN: %build_cuda %t.cu -o %t.o
#include <ikra/ikra.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

class Node {
  IKRA_OBJECT
  enum class State { idle, busy };
  State state = State::idle;
  std::vector<Node*> neighbours;
  float load = 1;

public:
  virtual ~Node() = default;
  virtual float weight() const { return load; }
  void step(float factor) {
    for (Node* n : neighbours)
      ikra::atomic_add(n->load, weight() * factor);
    state = std::sqrt(load) > 2 ? State::busy : State::idle;
  }
};
struct Heavy : Node {
  float weight() const override { return 2 * Node::weight(); }
};

// Elements of a class that closures in a template give: nvcc names their type as it was named first.
template <class T> auto chosen(const ikra::array<T>& a) {
  const auto lambda = a.pmap([](T v) { return std::pair<T, bool>(v, v > 3); });
  const auto generic = a.pmap([](auto v) { return std::array<T, 2>{v, v}; });
  return lambda.pselect([](const std::pair<T, bool>& p) { return p.second; })
      .pcombine(generic.pselect([](const auto& p) { return p[0] > 3; }),
                [](const auto& x, const auto& y) { return x.first + y[1]; });
}
template auto chosen(const ikra::array<int>& a);
// A lambda in an aggregate that is made for a call.
template <class F> struct stage {
  F f;
};
template <class F> auto through(const stage<F>& s, const ikra::array<int>& a) { return a.pmap(s.f); }
auto with_lambda(const ikra::array<int>& a, int k) {
  return through(stage{[k](int x) { return x + k; }}, a);
}

// Enumerations that are computed where they are selected.
enum class shade : unsigned char { dark, light };
auto shades(const ikra::array<int>& a) {
  return a.pmap([](int x) { return static_cast<shade>(x % 2); }).pselect([](shade s) {
    return s == shade::light;
  });
}

// Functions of the user's classes that libraries call, or conversions: none may be one of the host.
struct Measure {
  float k;
  float operator()(float r) const { return k * r; }
  float operator()(int a) const { return static_cast<float>(a); }
};
struct Over {
  int limit;
  bool operator()(int x) const { return x > limit; }
};
struct Percent {
  int value = 1;
  Percent() : value(7) {}
  Percent(int of) : value(of * 100) {}
  operator int() const { return value / 10; }
};
auto measured(const ikra::array<int>& a, Over over, std::array<int, 3> v) {
  return a.pmap([over, v](int x) {
    const std::variant<float, int> s = x % 2 ? std::variant<float, int>(x) : std::variant<float, int>(1.0F);
    Percent made[2] = {x};
    made[0] = std::apply([](Percent p, int q) { return p.value + q; }, std::tuple(x, x));
    return std::visit(Measure{2}, s) + std::invoke(Measure{3}, x) + made[1].value +
           static_cast<float>(std::count_if(v.begin(), v.end(), over));
  });
}
auto converted(const ikra::array<int>& a) {
  return a.pmap([](int x) { return Percent(x); })
      .pmap([](int x) { return x; })
      .pmap([](Percent p) { return p.value; })
      .pselect([](int x) { return Percent(x); })
      .preduce([](int x, int y) { return Percent(x + y); });
}

auto run(std::vector<Heavy>& store, ikra::array<Node*> nodes, float factor, std::vector<float> row) {
  Node node;
  store.push_back(Heavy{});
  ikra::objects(store).peach(3, [factor](Node* n) { n->step(factor); });
  return nodes.pmap([](const Node* n) { return n->weight(); })
      .pmap([row](float x) { return x * row[0]; });
}
