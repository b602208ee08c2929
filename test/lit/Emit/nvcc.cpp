// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: nvcc
// What ikrac emits of objects, virtual methods, join tables, captures and fused chains, as nvcc takes it, without a warning.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags
// RUN: %build_cuda %t.cu -o %t.o
#include <ikra/ikra.hpp>

#include <array>
#include <cmath>
#include <utility>
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

auto run(std::vector<Heavy>& store, ikra::array<Node*> nodes, float factor, std::vector<float> row) {
  Node node;
  store.push_back(Heavy{});
  ikra::objects(store).peach(3, [factor](Node* n) { n->step(factor); });
  return nodes.pmap([](const Node* n) { return n->weight(); })
      .pmap([row](float x) { return x * row[0]; });
}
