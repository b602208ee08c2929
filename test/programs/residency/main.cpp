// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the host does to objects in a resident scope: it writes some, leads them to others, erases
// and adds some, before and after it has brought back what sections wrote.
#include "nodes.hpp"

#include <cstdint>
#include <cstdio>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <thread>
#include <type_traits>
#include <utility>

namespace {

using Owners = std::vector<std::unique_ptr<Node>>;

Owners ring(int n) {
  Owners owners;
  for (int i = 0; i < n; ++i)
    owners.push_back(i % 3 == 2 ? std::make_unique<Heavy>(i) : std::make_unique<Node>());
  for (std::size_t i = 0; i < owners.size(); ++i)
    owners[i]->next = owners[(i + 1) % owners.size()].get();
  return owners;
}

void increase(const ikra::array<Node*, 1>& nodes) {
  nodes.peach([](Node* p) { p->increase(); });
}

void show(const char* title, const Owners& nodes) {
  std::printf("%s:", title);
  for (const auto& p : nodes) {
    std::printf(" %d/%d", p->x, p->y);
    for (const int entry : p->log)
      std::printf(",%d", entry);
    std::printf("%s", p->next == nullptr ? "." : p->next == p.get() ? "!" : "");
    if (p->next != nullptr)
      std::printf(">%d", p->next->x);
  }
  std::printf("\n");
}

struct Point {
  int x = 0;
  int y = 0;
};

void show(const char* title, const std::vector<Point>& points) {
  std::printf("%s:", title);
  for (const Point& p : points)
    std::printf(" %d/%d", p.x, p.y);
  std::printf("\n");
}

/// What the host writes before it has seen what sections wrote.
void written() {
  std::vector<Point> p(4);
  const auto a = ikra::objects(p);
  const auto inc = [&] { a.peach([](Point* q) { q->x += 1, q->y += 10; }); };
  {
    ikra::resident scope{a};
    a.peach([](Point* q) { q->x += 1; });
    p[0].x = 100;
    scope.changed(&p[0]);
    a.peach([](Point* q) { q->x += 1; });
    scope.sync();
    show("one", p);

    inc();
    p[1] = {7, 7};
    p[2] = {8, 8};
    scope.changed(&p[1]); // the other one is said below
    const Point* const second = &p[2];
    scope.changed(second);
    inc();
    scope.sync();
    show("two", p);

    inc();
    p[3].y = -1;
    scope.changed(a);
    inc();
    p[0].x = -2;
    scope.changed();
    inc();
    p[1].x = -3;
    scope.changed(p);
    p[2].x = -4;
    scope.changed(a, p);
    scope.sync();
    show("several", p);

    inc();
    p[3] = {}; // what the device had first
    scope.changed(&p[3]);
    inc();
    scope.sync();
    p[3].x = 0;
    scope.changed();
    inc();
    Point* const none = nullptr;
    Point elsewhere;
    scope.changed(none, &elsewhere);
    inc();
    scope.changed(none);
  }
  show("at the end", p);
}

void graph() {
  Owners nodes = ring(7);
  ikra::array<Node*, 1> a{nodes};
  Node extra;
  ikra::resident scope{nodes};
  increase(a);
  nodes[1]->next = &extra; // which sections have not seen
  scope.changed(nodes);
  a.peach([](Node* p) { p->next->y += 1000; });
  nodes[2]->log.assign({5, 6, 7});
  scope.changed(nodes);
  increase(a);
  nodes[3]->log[1] = 55;
  scope.changed();
  increase(a);
  scope.sync();
  show("graph", nodes);
  std::printf("extra %d %d\n", extra.x, extra.y);

  // What sections made point elsewhere stays, but for those that the host writes.
  a.peach([](Node* p) { p->next = p; });
  nodes[5]->next = nullptr;
  scope.changed();
  increase(a);
  scope.sync();
  show("pointers", nodes);
  a.peach([](Node* p) { p->next = nullptr; });
  nodes[4]->next = nodes[0].get();
  nodes[4]->x = 4;
  nodes[4]->y = 44;
  nodes[4]->log.clear();
  scope.changed(nodes[4].get());
  increase(a);
  scope.sync();
  show("a node", nodes);
}

void erased() {
  Owners nodes = ring(9);
  ikra::resident scope{nodes};
  increase(ikra::array{nodes});
  nodes[3]->next = nullptr;
  scope.changed();
  const auto leave = [&](std::size_t k) { // nothing leads to it any more
    nodes[(k + nodes.size() - 1) % nodes.size()]->next = nullptr;
    nodes.erase(nodes.begin() + static_cast<std::ptrdiff_t>(k));
    scope.changed(nodes);
  };
  leave(4);
  increase(ikra::array{nodes});
  leave(2);
  leave(2);
  scope.sync();
  show("erased", nodes);

  increase(ikra::array{nodes});
  leave(0);
  nodes.back()->x = 1000;
  scope.changed();
  std::printf("sum %d\n", ikra::array{nodes}.pmap(&Node::x).sum());
  increase(ikra::array{nodes});
  scope.sync();
  nodes.push_back(std::make_unique<Heavy>(3));
  nodes.front()->next = nodes.back().get();
  std::swap(nodes[0], nodes[2]);
  scope.changed(nodes);
  increase(ikra::array{nodes});
  nodes.push_back(std::make_unique<Node>());
  scope.changed(nodes);
  increase(ikra::array{nodes});
  scope.sync();
  show("added", nodes);

  // Where one was, there is another.
  increase(ikra::array{nodes});
  scope.sync();
  for (auto& p : nodes)
    p->next = nullptr;
  nodes[1].reset();
  nodes[1] = std::make_unique<Node>();
  scope.changed(nodes);
  increase(ikra::array{nodes});
  leave(1);
  show("before the end", Owners());
  increase(ikra::array{nodes});
  nodes.clear();
  scope.changed(nodes);
  nodes = ring(3);
  scope.changed(nodes);
  increase(ikra::array{nodes});
  scope.sync();
  show("others", nodes);
}

/// The host erases one and ends the scope.
void erased_at_the_end() {
  Owners nodes = ring(5), others = ring(2);
  {
    ikra::resident scope{nodes, others};
    increase(ikra::array{nodes});
    increase(ikra::array{others});
    nodes.front()->next = nullptr;
    others.push_back(std::move(nodes[4])); // which stays
    nodes.pop_back();
    nodes.erase(nodes.begin() + 1);
    scope.changed(nodes, others);
  }
  show("end", nodes);
  show("moved", others);

  // A list whose nodes the host deletes.
  Owners links = ring(1);
  for (int i = 0; i < 5; ++i) {
    auto* const link = new Node;
    link->next = links.front()->next;
    links.front()->next = link;
  }
  {
    ikra::resident scope{links};
    ikra::array{links}.peach([](Node* p) {
      Node* q = p;
      for (int i = 0; i < 6; ++i, q = q->next)
        q->x += i; // NOLINT(ikra-unshared-update) of one element
    });
    Node* const second = links.front()->next;
    Node* const third = second->next;
    second->next = third->next;
    delete third;
    scope.changed(second); // but for its x, which the host leaves as it was
    increase(ikra::array{links});
  }
  Node* link = links.front().get();
  for (int i = 0; i < 5; ++i, link = link->next)
    std::printf(" %d/%d", i == 1 ? 0 : link->x, link->y);
  std::printf("\n");
  while (links.front()->next != links.front().get())
    delete std::exchange(links.front()->next, links.front()->next->next);
}

void values() {
  std::vector<Point> p(3);
  ikra::resident scope{p};
  const auto inc = [&] { ikra::objects(p).peach([](Point* q) { q->x += 1, q->y += q->x; }); };
  inc();
  scope.sync();
  p.erase(p.begin() + 1);
  p.push_back({20, 20});
  p.reserve(100);
  p.insert(p.begin(), {10, 10});
  scope.changed(p);
  inc();
  p.pop_back();
  scope.changed(p);
  inc();
  p.resize(5);
  p[4].x = 9;
  scope.changed(p);
  inc();
  scope.sync();
  show("values", p);
  inc();
  bool refused = false;
  try {
    scope.sync();
    p = std::vector<Point>(6, Point{1, 1});
    scope.changed(p);
    inc();
  } catch (const ikra::error&) {
    refused = true;
  }
  scope.sync();
  show("anew", p);
  std::printf("%d\n", refused);
}

void nested() {
  Owners nodes = ring(6);
  const ikra::array all{nodes};
  const ikra::array<Node*, 1> some(std::vector<Node*>{nodes[1].get(), nodes[4].get()});
  ikra::resident outer{all};
  increase(all);
  {
    ikra::resident inner{some};
    increase(some);
    nodes[1]->x = 500;
    outer.changed(all);
    increase(some);
    increase_elsewhere(all);
    nodes[4]->x = 600;
    inner.changed(some);
    increase_elsewhere(some);
    outer.sync();
    show("inner", nodes);
    increase(some);
  }
  increase_elsewhere(all);
  nodes[0]->y = 1;
  outer.changed();
  std::printf("%d\n", increased_sum(all));
  outer.sync();
  show("outer", nodes);
}

/// Objects come and go, and members are written alone.
void single() {
  Owners nodes = ring(5);
  ikra::resident scope{nodes};
  const auto come = [&](Node* next) {
    nodes.push_back(std::make_unique<Node>());
    nodes.back()->next = next;
    return nodes.back().get();
  };
  increase(ikra::array{nodes});
  scope.add(come(nodes[0].get()));
  nodes[1]->next = come(nodes[2].get()); // which add() is not told of
  scope.changed(nodes[1].get(), &Node::next);
  nodes[2]->y = 0; // as at first
  scope.changed(nodes[2].get(), &Node::y);
  increase(ikra::array{nodes});
  std::printf("sums %d %d\n", scope.read(&Node::x).sum(), scope.read(&Node::y).sum());

  // Where one was, there is another.
  scope.sync(&Node::next);
  for (auto& p : nodes)
    if (p->next == nodes[3].get())
      p->next = nullptr, scope.changed(p.get(), &Node::next);
  scope.remove(nodes[3].get());
  nodes[3].reset();
  nodes[3] = std::make_unique<Heavy>(4);
  scope.add(nodes[3].get());
  increase(ikra::array{nodes});
  for (int i = 0; i < 1500; ++i) // more than there is room for
    scope.add(come(i % 2 == 0 ? nodes[0].get() : nullptr));
  increase(ikra::array{nodes});
  nodes.resize(1200); // which is seen
  increase(ikra::array{nodes});
  for (int i = 0; i < 1193; ++i) {
    scope.remove(nodes.back().get());
    nodes.pop_back();
  }
  increase(ikra::array{nodes});
  scope.sync();
  show("single", nodes);

  // Raw pointers, which are not looked at again.
  std::vector<Node*> some{nodes[0].get(), nodes[1].get()};
  {
    ikra::resident inner{some};
    increase(ikra::array{some});
    some.push_back(new Node);
    inner.add(some.back());
    increase(ikra::array{some});
    some[0]->x = 70; // of others the host says nothing
    inner.changed();
    increase(ikra::array{some});
    inner.sync(&Node::x);
    std::printf("%d %d\n", some[0]->x, some[2]->x);
    inner.changed(some);
    std::printf("%d\n", inner.read(&Node::y).sum());
    Node* const gone = some.back();
    inner.remove(gone);
    some.pop_back();
    delete gone;
    increase(ikra::array{some});
    std::printf("%d\n", inner.read(&Node::y).sum());
  }
  show("raw", nodes);
}

/// What add() named goes with the vector from the next section on, whether that has columns or not.
void gone_unsaid() {
  Owners nodes = ring(4);
  ikra::resident scope{nodes};
  increase(ikra::array{nodes});
  for (int i = 0; i < 100; ++i) {
    nodes.push_back(std::make_unique<Node>());
    nodes.back()->next = nodes[0].get();
    scope.add(nodes.back().get());
  }
  increase(ikra::array{nodes});
  scope.sync();
  nodes.resize(6);
  ikra::array{nodes}.peach(20, [](Node* p) { p->x += 1; }); // which has columns
  scope.sync();
  show("gone", nodes);
}

/// After each object that goes the host says something of others, of which one may have come where
/// that one was.
template <bool Owns> void by_turns(int what) {
  std::conditional_t<Owns, Owners, std::vector<Node*>> nodes;
  const auto come = [&] {
    nodes.emplace_back(new Node);
    nodes.back()->y = static_cast<int>(nodes.size());
    return &*nodes.back();
  };
  while (nodes.size() < 60)
    come();
  ikra::resident scope{nodes};
  int seen = 0;
  for (int tick = 0; tick < 4; ++tick) {
    ikra::array{nodes}.peach([](Node* p) { p->increase(); });
    scope.sync();
    for (std::size_t k = 0; k < 8; ++k) {
      const std::size_t gone = k * 37 % nodes.size();
      scope.remove(&*nodes[gone]);
      if constexpr (!Owns)
        delete nodes[gone];
      nodes[gone] = std::move(nodes.back());
      nodes.pop_back();
      Node* const other = &*nodes[k * 11 % nodes.size()];
      other->x += 100;
      if (what == 0)
        scope.changed(other, &Node::x);
      else
        scope.changed(other);
      if (what == 2)
        scope.add(come());
      if (what == 3)
        scope.sync(&Node::y);
      if (what == 4) {
        come();
        scope.changed(nodes);
      }
      if (what == 5)
        seen += scope.read(&Node::x)[0];
    }
    if constexpr (!Owns)
      scope.changed(nodes);
  }
  scope.sync();
  unsigned sum = 0;
  for (const auto& p : nodes)
    sum = sum * 31 + static_cast<unsigned>(p->x + p->y);
  std::printf("by turns %d: %zu %u %d\n", what, nodes.size(), sum, seen);
  if constexpr (!Owns)
    for (Node* const p : nodes)
      delete p;
}

/// That sections capture: the host says nothing of what it writes there.
struct Sun {
  int heat = 1;
  int seen = 0;
  Node* favourite = nullptr;
  std::vector<int> weights{1, 2};
};

/// Steps of all kinds in any order.
class Steps {
public:
  explicit Steps(std::uint32_t seed) : state_(seed * 2654435761u + 1) {}

  void run() {
    Owners nodes = ring(5 + below(40));
    sun_.favourite = nodes[0].get();
    {
      ikra::resident scope{nodes};
      for (int step = 0; step < 60; ++step)
        one(nodes, scope);
    }
    show("steps", nodes);
    std::printf("sun %d\n", sun_.seen);
  }

private:
  int below(int n) {
    state_ = state_ * 1664525u + 1013904223u;
    return static_cast<int>((state_ >> 8) % static_cast<std::uint32_t>(n));
  }
  Node& any(const Owners& nodes) {
    return *nodes[static_cast<std::size_t>(below(static_cast<int>(nodes.size())))];
  }
  int fresh() { return fresh_ += 100000; }
  void leave(const Owners& nodes, std::size_t k) {
    if (sun_.favourite == nodes[k].get())
      sun_.favourite = nodes[(k + 1) % nodes.size()].get();
  }
  void shine(const ikra::array<Node*, 1>& all) {
    Sun& sun = sun_;
    all.peach([&sun](Node* p) {
      p->x += sun.heat + (sun.favourite == nullptr ? 5 : sun.favourite->y);
      for (const int weight : sun.weights)
        p->x += weight;
      if (p == sun.favourite)
        p->x += 1;
      ikra::atomic_add(sun.seen, p->y % 7);
    });
  }

  void one(Owners& nodes, ikra::resident& scope) {
    const ikra::array all{nodes};
    switch (below(33)) {
    case 0:
    case 1:
      return increase(all);
    case 2:
      return increase_elsewhere(all);
    case 3: // each writes to its own
      return all.peach([](Node* p) { p->next = p->x % 3 == 0 ? p : p->next; });
    case 4: {
      std::vector<Node*> some;
      for (std::size_t i = 0; i < nodes.size(); i += 2)
        some.push_back(nodes[i].get());
      return increase(ikra::array{some});
    }
    case 5:
      std::printf("%d ", all.pmap([](const Node* p) { return p->x + p->next->y; }).sum());
      return;
    case 6: // some members, of several objects
      any(nodes).x = fresh();
      any(nodes).y = fresh();
      return scope.changed();
    case 7:
      any(nodes).x = fresh();
      any(nodes).log.back() = fresh();
      return scope.changed(nodes);
    case 8: { // all members of an object, perhaps as they were
      Node& p = any(nodes);
      p.x = below(2);
      p.y = 0;
      p.next = &any(nodes);
      p.log.assign(static_cast<std::size_t>(1 + below(3)), 1);
      return scope.changed(&p);
    }
    case 9:
      return scope.sync();
    case 10: { // what the host knows it may set to anything
      scope.sync();
      Node& p = any(nodes);
      p.x = p.y / 2;
      p.next = p.next->next;
      return below(2) == 0 ? scope.changed() : scope.changed(nodes);
    }
    case 11:
      scope.sync();
      any(nodes).log.push_back(fresh());
      return scope.changed(nodes);
    case 12: { // nothing leads to an erased one
      if (nodes.size() < 4)
        return;
      scope.sync();
      const auto k = static_cast<std::ptrdiff_t>(below(static_cast<int>(nodes.size())));
      for (auto& p : nodes)
        if (p->next == nodes[static_cast<std::size_t>(k)].get())
          p->next = p.get();
      leave(nodes, static_cast<std::size_t>(k));
      scope.changed();
      increase(all);
      nodes.erase(nodes.begin() + k);
      return scope.changed(nodes);
    }
    case 13: { // and say it of one
      scope.sync();
      Node& p = any(nodes);
      p.x = fresh();
      p.next = &any(nodes);
      p.log.back() = p.y;
      return scope.changed(&p);
    }
    case 14: {
      scope.sync();
      Node& p = any(nodes);
      p.log.push_back(fresh());
      Node& other = any(nodes);
      other.y = 3;
      return scope.changed(&p, &other);
    }
    case 15:
      return all.pselect([](const Node* p) { return p->x % 3 != 1; }).peach(below(3), [](Node* p) {
        p->y += p->x;
        p->x ^= 1;
      });
    case 16: { // in another order
      std::vector<Node*> some{&any(nodes), &any(nodes), &any(nodes)};
      if (some[0] == some[1] || some[1] == some[2] || some[0] == some[2])
        some.clear();
      std::printf("%zu ", ikra::array{some}.pselect([](const Node* p) { return p->y > 0; }).size());
      return increase(ikra::array{some});
    }
    case 17: // one more, which is said or seen
    case 18: {
      const int n = 1 + below(3);
      for (int i = 0; i < n; ++i) {
        nodes.push_back(below(2) == 0 ? std::make_unique<Node>()
                                      : std::make_unique<Heavy>(fresh()));
        nodes.back()->next = below(2) == 0 ? nodes.back().get() : &any(nodes);
        nodes.back()->log.resize(static_cast<std::size_t>(1 + below(4)), 7);
        if (below(3) != 0)
          scope.add(nodes.back().get());
      }
      if (below(2) == 0) { // to which an older one leads
        Node& p = any(nodes);
        p.next = nodes.back().get();
        scope.changed(&p, &Node::next);
      }
      return;
    }
    case 19:
    case 20: { // one less
      if (nodes.size() < 4)
        return;
      const auto k = static_cast<std::size_t>(below(static_cast<int>(nodes.size())));
      scope.sync(&Node::next);
      for (auto& p : nodes)
        if (p->next == nodes[k].get()) {
          p->next = p.get();
          scope.changed(p.get(), &Node::next);
        }
      leave(nodes, k);
      scope.remove(nodes[k].get());
      if (below(2) == 0) {
        nodes.erase(nodes.begin() + static_cast<std::ptrdiff_t>(k));
      } else {
        std::swap(nodes[k], nodes.back());
        nodes.pop_back();
      }
      return;
    }
    case 21:
      std::printf("%d %d ", scope.read(&Node::x).sum(), scope.read(&Node::y)[0]);
      return;
    case 22:
      scope.sync(&Node::x, &Node::log);
      std::printf("%d %d ", any(nodes).x, any(nodes).log.back());
      return;
    case 23: { // a member alone
      Node& p = any(nodes);
      p.y = below(2) == 0 ? 0 : fresh();
      return scope.changed(&p, &Node::y);
    }
    case 24: {
      scope.sync(&Node::log, &Node::next);
      Node& p = any(nodes);
      if (below(2) == 0)
        p.log.push_back(fresh());
      else
        p.log.front() = fresh();
      p.next = p.next->next;
      return scope.changed(&p, &Node::log, &Node::next);
    }
    case 25:
    case 26:
    case 27:
      return shine(all);
    case 28:
      sun_.heat = below(3) == 0 ? 0 : fresh();
      return;
    case 29:
      sun_.favourite = below(5) == 0 ? nullptr : &any(nodes);
      if (below(2) == 0)
        sun_.weights.push_back(below(9));
      else
        sun_.weights.front() = fresh();
      return;
    case 30:
      sun_.seen = fresh();
      return;
    case 31:
      scope.sync();
      std::printf("%d ", sun_.seen);
      sun_.seen = 0;
      return;
    default: {
      scope.sync();
      nodes.insert(nodes.begin() + below(static_cast<int>(nodes.size())), std::make_unique<Node>());
      for (auto& p : nodes)
        if (p->next == nullptr)
          p->next = nodes.front().get();
      return scope.changed(nodes);
    }
    }
  }

  std::uint32_t state_;
  int fresh_ = 0;
  Sun sun_;
};

struct Wheel {
  int turns = 0;
};
struct Engine {
  int power = 1;
  std::vector<Wheel> wheels{2};
};
struct Car {
  int x = 0;
  Engine engine;
  std::unique_ptr<Engine> spare = std::make_unique<Engine>();
  std::vector<Engine> more{2};
  Car* ahead = nullptr;
  void go() {
    x += engine.power + spare->power;
    for (Engine& each : more) {
      x += each.power;
      for (Wheel& wheel : each.wheels)
        wheel.turns += x;
    }
    engine.power += 1;
    spare->power += 2;
    engine.wheels[1].turns += 1;
  }
};

/// Single objects with what they hold and own.
void held() {
  std::vector<Car> cars(3);
  ikra::resident scope{cars};
  const auto go = [&] { ikra::objects(cars).peach([](Car& car) { car.go(); }); };
  const auto show_all = [&](const char* title) {
    scope.sync();
    std::printf("%s:", title);
    for (const Car& car : cars)
      std::printf(" %d/%d/%d/%d/%d", car.x, car.engine.power, car.spare->power,
                  car.engine.wheels[1].turns, car.more[1].wheels[0].turns);
    std::printf("\n");
  };
  go();
  scope.sync();
  cars[0].x = 100;
  cars[0].engine.power = 1000;
  cars[0].spare->power = 3;
  cars[0].more[1].wheels[0].turns = 7;
  cars[0].engine.wheels[1].turns = 9;
  scope.changed(&cars[0]);
  go();
  show_all("held, after sync");
  go();
  cars[1].x = -5;
  cars[1].engine.power = -6;
  cars[1].engine.wheels = {{40}, {41}}; // all members that sections write
  scope.changed(&cars[1]);
  go();
  show_all("held, before sync");
  cars[2].more.emplace_back();
  cars[2].more.back().power = 50;
  scope.changed(&cars[2]);
  go();
  show_all("one more");
  cars[0].spare = std::make_unique<Engine>();
  cars[0].ahead = &cars[2];
  scope.changed(&cars[0], &cars[1]);
  ikra::objects(cars).peach([](Car& car) {
    if (car.ahead != nullptr)
      ikra::atomic_add(car.ahead->x, 1000);
  });
  go();
  show_all("another");
  auto gone = std::make_unique<Car>();
  cars[2].ahead = gone.get();
  scope.changed(&cars[2]);
  go();
  scope.sync();
  cars[2].ahead = &cars[2]; // to nothing that is gone
  gone.reset();
  scope.changed(&cars[2]);
  ikra::objects(cars).peach([](Car& car) {
    if (car.ahead != nullptr)
      car.x += car.ahead->more[1].power;
  });
  cars[1].engine.power = 77;
  scope.changed(&cars[1].engine);
  go();
  show_all("an engine");
}

struct Boat {
  int places = 0;
  void sail() { ++places; }
};

/// Scopes and threads, two scopes over the same objects, and an exception of the host.
void lives() {
  std::vector<std::unique_ptr<Boat>> boats(50);
  for (auto& boat : boats)
    boat = std::make_unique<Boat>();
  const auto sail = [&] { ikra::array{boats}.peach([](Boat* boat) { boat->sail(); }); };
  const auto show_all = [&](const char* title) {
    int sum = 0;
    for (const auto& boat : boats)
      sum += boat->places;
    std::printf("%s: %d\n", title, sum);
  };
  auto scope = std::make_unique<ikra::resident>(boats);
  sail();
  std::thread([ended = std::move(scope)]() mutable { ended.reset(); }).join();
  show_all("ended in another thread");
  sail();
  show_all("after it");
  std::thread([&] {
    scope = std::make_unique<ikra::resident>(boats);
    sail();
    boats[0]->places = 10;
    scope->changed(boats[0].get());
    sail();
  }).join();
  scope->sync();
  show_all("after its thread");
  scope.reset();
  sail();
  show_all("ended after its thread");
  try {
    ikra::resident left{boats};
    sail();
    ikra::resident again{boats};
    sail();
    throw 1;
  } catch (int) {
    show_all("left by an exception");
  }
}

struct Flock {
  Boat* first = nullptr;
  int turns = 0;
};

/// Scopes over single objects, maps, sets and lists.
void containers() {
  std::vector<Boat> boats(10);
  std::map<int, Boat*> by_name{{3, &boats[3]}, {5, nullptr}};
  std::set<Boat*> chosen{&boats[2]};
  std::deque<Boat> queue(3);
  std::list<std::unique_ptr<Boat>> owned;
  owned.push_back(std::make_unique<Boat>());
  Boat alone, row[4];
  Flock flock{&boats[0]};
  const auto sail = [](const auto& all) { all.peach([](Boat* boat) { boat->sail(); }); };
  const auto only = [](Boat& boat) { return ikra::array{std::vector<Boat*>{&boat}}; };
  {
    ikra::resident scope{boats, by_name};
    sail(ikra::objects(boats));
    by_name[4] = &alone;
    scope.changed(by_name);
    sail(only(alone));
    alone.places = 7;
    scope.changed(alone);
    sail(only(alone));
  }
  {
    ikra::resident scope{flock};
    ikra::array{std::vector<Flock*>{&flock}}.peach([](Flock* of) {
      of->first->places += 100; // NOLINT(ikra-unshared-update) of one element
      ++of->turns;
    });
    sail(ikra::objects(boats));
  }
  {
    ikra::resident scope{&alone, chosen, queue, owned, row};
    sail(ikra::objects(queue));
    sail(ikra::objects(row));
    sail(only(*owned.front()));
    sail(only(alone));
  }
  for (const Boat& boat : boats)
    std::printf("%d ", boat.places);
  std::printf("%d %d %d %d %d\n", alone.places, flock.turns, queue[1].places, row[2].places,
              owned.front()->places);
}

} // namespace

int main() {
  lives();
  containers();
  written();
  held();
  graph();
  erased();
  erased_at_the_end();
  values();
  nested();
  single();
  gone_unsaid();
  for (int what = 0; what < 6; ++what) {
    by_turns<true>(what);
    by_turns<false>(what);
  }
  for (std::uint32_t seed = 0; seed < 100; ++seed)
    Steps(seed).run();
  return 0;
}
