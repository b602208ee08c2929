// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: nvcc
// What ikrac emits of objects, virtual methods, join tables, captures and fused chains, as nvcc takes it, without a warning.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags
// RUN: %build_cuda %t.cu -o %t.o
#include <ikra/ikra.hpp>

#include <cmath>
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

auto run(std::vector<Heavy>& store, ikra::array<Node*> nodes, float factor, std::vector<float> row) {
  Node node;
  store.push_back(Heavy{});
  ikra::objects(store).peach(3, [factor](Node* n) { n->step(factor); });
  return nodes.pmap([](const Node* n) { return n->weight(); })
      .pmap([row](float x) { return x * row[0]; });
}
