// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections that are given several objects, or objects and values: pcombine, reductions, scans and
// sorts over arrays of pointers, whose objects may be reached through any of the arrays.
#include "held_values.hpp"

#include <ikra/ikra.hpp>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

namespace {

struct Place {
  int height = 0;
};

class Node {
public:
  explicit Node(int v) : v(v) {}
  virtual ~Node() = default;
  virtual int weight(int times) const { return v * times; }
  int get() const { return v; }
  int distance(const Node* other) const { return v - other->v; }

  int v;
  Node* next = nullptr;
  const Place* place = nullptr;
  std::vector<int> marks;

protected:
  int tags_ = 0;
  IKRA_OBJECT
};

class Heavy : public Node {
public:
  using Node::Node;
  int weight(int times) const override { return v * times * 100 + extra_; }
  void tag() { ++tags_; }

private:
  int extra_ = 7;
  IKRA_OBJECT
};

struct Edge {
  Node* to = nullptr;
  float length = 0;
};

/// How far apart two nodes are; one of them may be missing.
int apart(const Node* a, const Node* b) { return a && b ? a->get() - b->v : -1; }

template <class T> unsigned hash(const ikra::array<T, 1>& values) {
  unsigned result = 2166136261u;
  for (const T& value : values)
    result = (result ^ static_cast<unsigned>(value)) * 16777619u;
  return result;
}

unsigned hash_of_nodes(const ikra::array<Node*, 1>& nodes) {
  unsigned result = 2166136261u;
  for (const Node* n : nodes)
    result = (result ^ static_cast<unsigned>(n ? n->v : -77)) * 16777619u;
  return result;
}

class World {
public:
  explicit World(int n) {
    for (int i = 0; i < n; ++i)
      nodes_.push_back(i % 3 == 1 ? std::make_unique<Heavy>(i * 7919 % 1009)
                                  : std::make_unique<Node>(i * 7919 % 1009));
    places_.resize(static_cast<std::size_t>(n));
    edges_.resize(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      places_[i].height = static_cast<int>(i % 17);
      nodes_[i]->place = &places_[i];
      if (i + 1 < nodes_.size())
        nodes_[i]->next = nodes_[i + 1].get();
      nodes_[i]->marks.assign(i % 4, static_cast<int>(i));
      edges_[i] = {.to = nodes_[i * 5 % nodes_.size()].get(), .length = static_cast<float>(i % 8)};
    }
  }

  ikra::array<Node*, 1> nodes() const { return ikra::array{nodes_}; }
  ikra::array<Edge*, 1> edges() { return ikra::objects(edges_); }

private:
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<Place> places_;
  std::vector<Edge> edges_;
};

void combined(const ikra::array<Node*, 1>& a, const ikra::array<Edge*, 1>& edges) {
  const auto n = static_cast<std::int64_t>(a.size());
  const auto succ = a.pmap([](Node* p) { return p->next ? p->next : p; });
  const auto floats =
      ikra::pnew(n, [](std::int64_t i) { return 0.5f * static_cast<float>(i % 9); });
  std::printf("difference %u\n",
              hash(a.pcombine(succ, [](const Node* p, const Node* q) { return p->get() - q->v; })));
  std::printf("weighted %u\n", hash(a.pcombine(floats, [](const Node* p, float w) {
                return static_cast<int>(static_cast<float>(p->v) * w);
              })));
  // The nodes' places are reached through the edges alone.
  std::printf("values first %u\n", hash(floats.pcombine(edges, [](float w, const Edge* e) {
                return static_cast<int>(w * e->length) + e->to->place->height;
              })));
  std::printf("three %u\n", hash(a.pcombine(succ, edges, [](Node* p, Node* q, const Edge* e) {
                return p->weight(2) + q->weight(3) + e->to->weight(1) +
                       static_cast<int>(q->marks.size());
              })));
  std::printf("method %u\n", hash(a.pcombine(succ, &Node::distance)));
  std::printf("index %u\n",
              hash(a.with_index().pcombine(floats, [](const Node* p, float w, std::int64_t i) {
                return p->v + static_cast<int>(w) + static_cast<int>(i % 11);
              })));
  Node* const first = a[0];
  std::printf("captured %u\n", hash(a.pcombine(succ, [=](const auto& p, auto&& q) {
                return p == first ? -5 : apart(p, q);
              })));
  // Results that are objects, of either array, or of neither.
  const auto larger = a.pcombine(succ, [](Node* p, Node* q) { return p->v < q->v ? q : p; });
  const auto targets =
      larger.pcombine(edges, floats, [](Node* p, Edge* e, float w) { return w > 2 ? e->to : p; });
  std::printf("objects %u %u\n", hash_of_nodes(larger), hash_of_nodes(targets));
  // In one kernel with what stands in front of values and after.
  std::printf("fused %u\n",
              hash(a.pcombine(floats.pmap([](float w) { return w + 1; }), [](Node* p, float w) {
                      return w * 2 + static_cast<float>(p->v);
                    }).pmap([](float x) { return static_cast<int>(x) / 3; })));
  std::printf("sum %d\n", a.pcombine(succ, [](Node* p, Node* q) { return p->v ^ q->v; }).sum());
}

void nulls(const ikra::array<Node*, 1>& a) {
  const auto next = a.pmap([](Node* p) { return p->next; });
  const auto after = next.pmap([](Node* p) { return p ? p->next : nullptr; });
  std::printf("tested %u\n", hash(a.pcombine(after, [](Node* p, Node* q) { return apart(p, q); })));
  // A value says which elements are null.
  const auto there = next.pmap([](const Node* p) { return p != nullptr; });
  std::printf("told %u\n", hash(next.pcombine(there, [](const Node* p, bool is_there) {
                return is_there ? p->weight(1) : -1;
              })));
  const auto either = next.pcombine(a, [](Node* p, Node* q) { return p && p->v % 2 ? p : q; });
  std::printf("either %u\n", hash_of_nodes(either));
  const auto last = after.preduce([](Node* p, Node* q) { return q ? q : p; });
  std::printf("last %d\n", last[0] ? last[0]->v : -1);
}

void ordered(const ikra::array<Node*, 1>& a) {
  const auto best = a.preduce([](Node* p, Node* q) { return q->v > p->v ? q : p; });
  const auto least = a.preduce(static_cast<Node*>(nullptr), [](Node* p, Node* q) {
    if (!p || !q)
      return p ? p : q;
    return q->v < p->v ? q : p;
  });
  std::printf("best %d least %d\n", best[0]->v, least[0]->v);
  Node other(5000);
  std::printf("from %d\n",
              a.preduce(&other, [](Node* p, Node* q) { return q->v > p->v ? q : p; })[0]->v);
  std::printf("scan %u\n",
              hash_of_nodes(a.pscan([](auto* p, auto* q) { return q->v > p->v ? q : p; })));
  std::printf("scan from %u\n",
              hash_of_nodes(a.pscan_exclusive(static_cast<Node*>(nullptr), [](Node* p, Node* q) {
                return p && p->weight(1) >= q->weight(1) ? p : q;
              })));
  std::printf("sort %u\n",
              hash_of_nodes(a.psort([](const Node* p, const Node* q) { return p->v < q->v; })));
  const ikra::array<Node*, 1> none;
  std::printf("none %d\n",
              none.preduce(&other, [](Node* p, Node* q) { return q->v > p->v ? q : p; })[0]->v);
  try {
    (void)none.preduce([](Node* p, Node* q) { return q->v > p->v ? q : p; })[0];
  } catch (const ikra::error&) {
    std::puts("nothing to reduce");
  }
}

template <class Value> int in_template(const ikra::array<Node*, 1>& a, Value value) {
  const auto values = ikra::pnew(static_cast<std::int64_t>(a.size()), [value](std::int64_t i) {
    return static_cast<Value>(value * static_cast<Value>(i % 5));
  });
  return static_cast<int>(a.pcombine(values, [](const Node* p, Value v) {
                             return static_cast<Value>(p->v) + v;
                           }).sum());
}

/// What a scope holds is read where it is.
void resident(const ikra::array<Node*, 1>& a) {
  const auto ones = ikra::pnew(static_cast<std::int64_t>(a.size()),
                               [](std::int64_t i) { return static_cast<int>(i % 3); });
  {
    ikra::resident scope{a};
    const auto back = a.pmap([](Node* p) { return p->next ? p->next : p; });
    for (int k = 0; k < 3; ++k) {
      a.peach([=](Node* p) { p->v += 1 + k; });
      std::printf("resident %u", hash(a.pcombine(back, ones, [](Node* p, Node* q, int i) {
                    return p->v + q->v * i;
                  })));
      std::printf(" %u\n", hash(ones.pcombine(back, [](int i, Node* q) { return q->v - i; })));
    }
    std::printf("resident best %d\n",
                a.preduce([](Node* p, Node* q) { return q->v > p->v ? q : p; })[0] != nullptr);
  }
  std::printf("behind %u\n", hash(a.pmap([](const Node* p) { return p->v; })));
}

/// Objects of a class that is not public.
class Garage {
  struct Car {
    int load = 0;
    Car* behind = nullptr;
    int twice() const { return 2 * load; }
  };

public:
  explicit Garage(std::size_t n) : cars_(n) {
    for (std::size_t i = 0; i < n; ++i)
      cars_[i] = {.load = static_cast<int>(i * 3 % 7), .behind = &cars_[(i + 1) % n]};
  }
  void print() {
    const auto cars = ikra::objects(cars_);
    const auto behind = cars.pmap([](Car* c) { return c->behind; });
    const auto larger =
        cars.pcombine(behind, [](Car* a, Car* b) { return a->load < b->load ? b : a; });
    const auto best = cars.preduce([](Car* a, Car* b) { return a->load < b->load ? b : a; });
    std::printf(
        "hidden %d %d %d\n",
        larger.pcombine(cars, [](const Car* a, Car* b) { return a->twice() - b->load; }).sum(),
        larger[0]->load, best[0]->load);
  }

private:
  std::vector<Car> cars_;
  IKRA_OBJECT
};

} // namespace

int main() {
  for (const int n : {1, 2, 10, 1000, 70000}) {
    World world(n);
    const auto nodes = world.nodes();
    combined(nodes, world.edges());
    nulls(nodes);
    ordered(nodes);
    std::printf("template %d %d\n", in_template(nodes, 2), in_template(nodes, 0.5));
    resident(nodes);
    // Repeated elements, and some of another order.
    std::vector<Node*> mixed;
    for (int i = 0; i < n; ++i)
      mixed.push_back(nodes[static_cast<std::size_t>(i * 13 % n)]);
    std::printf("mixed %u\n", hash(ikra::array{mixed}.pcombine(nodes, &Node::distance)));
  }
  Garage(9).print();
  World world(12);
  const ikra::array<Node*, 2> square{world.nodes().to_vector(), {3, 4}};
  const auto places = square.with_index().pcombine(square, [](Node* p, Node* q, ikra::index<2> at) {
    return static_cast<int>(at[0] * 10 + at[1]) + p->v - q->v;
  });
  std::printf("square %d %d\n", places(2, 3), places(0, 1));
  held_values();
  held_lists();
  return 0;
}
