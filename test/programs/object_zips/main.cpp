// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tuples and pairs that hold pointers to objects: as pzip and sections make them, handed from one
// section to the next in one kernel or through memory, combined, and written out.
#include <ikra/ikra.hpp>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

namespace {

struct Place {
  int height = 0;
};

class Node {
public:
  explicit Node(int v) : v(v) {}
  virtual ~Node() = default;
  virtual int weight() const { return v; }
  int v;
  Node* next = nullptr;
  Place* place = nullptr;
};
class Heavy : public Node {
public:
  using Node::Node;
  int weight() const override { return 100 * v + extra_; }

private:
  int extra_ = 3;
  IKRA_OBJECT
};

using Pair = std::pair<Node*, int>;
using Triple = std::tuple<const Node*, float, Place*>;

template <class Array> unsigned hash(const Array& values) {
  unsigned result = 2166136261u;
  for (auto value : values)
    result = (result ^ static_cast<unsigned>(value)) * 16777619u;
  return result;
}

int difference(const std::tuple<Node*, Node*>& t) {
  const auto& [p, q] = t;
  return p == q ? -1 : p->weight() - q->v;
}

/// The larger of two, with where it stands.
Pair larger(const Pair& a, const Pair& b) {
  return b.first->v > a.first->v || (b.first->v == a.first->v && b.second < a.second) ? b : a;
}

template <class T>
int in_template(const ikra::array<Node*, 1>& a, const ikra::array<T, 1>& values) {
  return a.pzip(values)
      .pmap([](const std::tuple<Node*, T>& t) {
        return std::get<0>(t)->v + static_cast<int>(std::get<1>(t));
      })
      .sum();
}

void zips(const ikra::array<Node*, 1>& a, const ikra::array<Place*, 1>& places) {
  const auto n = static_cast<std::int64_t>(a.size());
  const auto succ = a.pmap([](Node* p) { return p->next ? p->next : p; });
  const auto values =
      ikra::pnew(n, [](std::int64_t i) { return static_cast<float>(i % 9) * 0.5f; });
  std::printf("product %u\n", hash(a.pzip(succ).pmap([](const std::tuple<Node*, Node*>& t) {
                auto [p, q] = t;
                return p->v * q->v;
              })));
  std::printf("difference %u\n", hash(a.pzip(succ).pmap(difference)));
  std::printf("with values %u\n", hash(a.pzip(values).pmap([](auto t) {
                return static_cast<int>(static_cast<float>(std::get<0>(t)->v) * std::get<1>(t));
              })));
  std::printf("index %u\n",
              hash(values.pzip(a, places).with_index().pmap([](const auto& t, std::int64_t i) {
                return std::get<2>(t)->height + std::get<1>(t)->weight() +
                       static_cast<int>(std::get<0>(t)) + static_cast<int>(i % 7);
              })));
  // In a variable that two sections read, and that the program asks for.
  const auto zipped = a.pzip(succ, values);
  std::printf("twice %u %u\n", hash(zipped.pmap([](const auto& t) {
                return std::get<Node*>(std::tuple(std::get<1>(t), 1))->v;
              })),
              hash(zipped.pcombine(places, [](const auto& t, const Place* p) {
                return std::get<0>(t)->v + p->height;
              })));
  std::printf("stencil %u\n",
              hash(ikra::pnew(n, [](std::int64_t i) { return static_cast<int>(i % 6); })
                       .pstencil({-1, 1}, 0, [](auto w) { return w[-1] * w[1]; })
                       .pzip(a)
                       .pmap([](const auto& t) { return std::get<0>(t) + std::get<1>(t)->v; })));
  const auto heaviest = a.pzip(values).preduce(
      [](const auto& x, const auto& y) { return std::get<0>(x)->v < std::get<0>(y)->v ? y : x; });
  std::printf("heaviest %d\n", std::get<0>(heaviest[0])->v);
  const auto first =
      a.pmap([](Node* p) { return p->v % 2 ? p : nullptr; })
          .pzip(values)
          .preduce([](const std::tuple<Node*, float>& x, const std::tuple<Node*, float>& y) {
            return std::get<0>(x) ? x : y;
          });
  std::printf("first %d\n", std::get<0>(first[0]) ? std::get<0>(first[0])->v : -1);
  unsigned all = 0;
  for (const auto& [p, q, w] : zipped)
    all = all * 31 + static_cast<unsigned>(p->v - q->v + static_cast<int>(w * 2));
  std::printf("all %u\n", all);
  std::printf("template %d %d\n", in_template(a, values),
              in_template(a, ikra::pnew(n, [](std::int64_t i) { return i; })));
  const auto count =
      zipped.count([](const auto& t) { return std::get<0>(t)->v < std::get<1>(t)->v; });
  std::printf(
      "count %lld any %d\n", static_cast<long long>(count),
      static_cast<int>(zipped.any([](const auto& t) { return std::get<0>(t) == std::get<1>(t); })));
}

void pairs(const ikra::array<Node*, 1>& a, const ikra::array<Place*, 1>& places) {
  // Made of elements, of what they refer to, and of null.
  const auto numbered =
      a.with_index().pmap([](Node* p, std::int64_t i) { return Pair(p, static_cast<int>(i)); });
  const auto next = a.pmap([](Node* p) { return p->next; }); // one is null
  std::printf("null %u\n",
              hash(next.with_index()
                       .pmap([](Node* p, std::int64_t i) { return Pair(p, static_cast<int>(i)); })
                       .pmap([](const Pair& p) { return p.first ? p.first->v : p.second; })));
  const auto best = numbered.preduce(larger);
  std::printf("best %d %d\n", best[0].first->v, best[0].second);
  const auto triples = a.pcombine(places, [](const Node* p, Place* at) {
    Triple t{p->next, static_cast<float>(p->v), at};
    if (p->v % 3 == 0)
      std::get<0>(t) = nullptr;
    return t;
  });
  std::printf("triples %u\n", hash(triples.pmap([](const Triple& t) {
                const auto& [p, w, at] = t;
                return (p ? p->weight() : -1) + static_cast<int>(w) + at->height;
              })));
  unsigned held = 0;
  for (const auto& [p, w, at] : triples)
    held = held * 7 + static_cast<unsigned>((p ? p->v : 5) + static_cast<int>(w) + at->height);
  std::printf("held %u\n", held);
  const auto nested =
      numbered.pmap([](const Pair& p) { return std::pair(p, std::make_tuple(p.first->next, 2)); });
  std::printf("nested %u\n", hash(nested.pmap([](const auto& p) {
                const Node* next = std::get<0>(p.second);
                return p.first.first->v + p.first.second % 5 + (next ? next->v : 0) +
                       std::get<1>(p.second);
              })));
  std::printf("equal %u\n",
              hash(numbered.pcombine(numbered.pmap([](Pair p) {
                std::swap(p.second, p.second);
                return p;
              }),
                                     [](const Pair& p, const Pair& q) { return p == q ? 1 : 0; })));
  const auto made = a.pmap([](Node* p) { return std::pair(p->next, p->v + 0.5f); });
  std::printf("made %u\n", hash(made.pmap([](std::pair<Node*, float> p) {
                Node* at = nullptr;
                float w = 0;
                std::tie(at, w) = p;
                return (at ? at->v : 0) + static_cast<int>(w);
              })));
  std::vector<Pair> given;
  for (Node* p : a)
    given.emplace_back(p->next, p->v);
  std::printf("given %u\n", hash(ikra::array{given}.pmap(
                                [](Pair p) { return p.first ? p.first->v - p.second : 0; })));
}

} // namespace

int main() {
  for (const int n : {1, 3, 1000, 20000}) {
    std::vector<std::unique_ptr<Node>> nodes;
    std::vector<Place> places(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i)
      nodes.push_back(i % 3 == 1 ? std::make_unique<Heavy>(i * 7919 % 1009)
                                 : std::make_unique<Node>(i * 7919 % 1009));
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      places[i].height = static_cast<int>(i % 13);
      nodes[i]->next = i + 1 < nodes.size() ? nodes[i + 1].get() : nullptr;
    }
    const ikra::array a{nodes};
    const auto at = ikra::objects(places);
    zips(a, at);
    pairs(a, at);
    ikra::resident scope{a};
    a.peach([](Node* p) { p->v += 2; });
    const auto succ = a.pmap([](Node* p) { return p->next ? p->next : p; });
    std::printf("resident %u\n", hash(a.pzip(succ).pmap([](const auto& t) {
                  return std::get<0>(t)->v * std::get<1>(t)->v;
                })));
  }
  return 0;
}
