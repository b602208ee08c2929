// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of whole objects that nothing changes: variables, elements of a loop, parameters and
// results of functions.
#include <ikra/ikra.hpp>

#include <bit>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace {

struct Engine {
  int power = 3;
  std::vector<int> gears{1, 2};
};

class Body {
public:
  Body(float x, float mass, const Body* other) : x_(x), mass_(mass), other_(other) {}

  float x() const { return x_; }
  float mass() const { return mass_; }
  float energy() const { return mass_ * speed_ * speed_; }
  Body partner() const { return *other_; }
  const Engine& engine() const { return engine_; }
  float felt() const { return felt_; }

  /// The mistake that every first N-body program makes: a copy of each of the others.
  void pull(const std::vector<Body>& bodies) {
    for (Body other : bodies)
      felt_ += other.mass_ / ((other.x_ - x_) * (other.x_ - x_) + 1.0f);
    for (auto other : bodies)
      felt_ -= other.mass() * 0.25f;
  }
  void move(float seconds) {
    speed_ += felt_ * seconds;
    x_ += speed_ * seconds;
  }

private:
  float x_, mass_;
  const Body* other_;
  float speed_ = 0.5f, felt_ = 0;
  Engine engine_;
  std::string name_; // no section uses it
  IKRA_OBJECT
};

float apart(Body a, const Body b) { return a.x() < b.x() ? b.x() - a.x() : a.x() - b.x(); }

Body heavier(Body a, Body b) { return a.mass() < b.mass() ? b : a; }

float through(const Body* body) {
  Body copy = *body;
  const Body partner = copy.partner();
  auto other = heavier(copy, partner);
  const auto at = [other](float factor) { return other.x() * factor; };
  float sum = apart(copy, partner) + at(2);
  for (const int gear : other.engine().gears)
    sum += static_cast<float>(gear * copy.engine().power);
  return sum + heavier(*body, *body).partner().mass();
}

/// A class with a single kind of objects, and a virtual method.
class Shape {
public:
  virtual ~Shape() = default;
  virtual int corners() const { return corners_; }
  int corners_ = 4;
};

int total(Shape shape, int times) { return shape.corners() * times; }

struct Node {
  int value = 0;
  std::unique_ptr<int> unused;
  Node* next = nullptr;
};
struct Link {
  Node* to = nullptr;
  int weight = 1;
};
struct Hub {
  std::vector<Link> links;
  int sum = 0;
  /// Structs with pointers, by value.
  void add() {
    for (Link link : links)
      sum += link.to->value * link.weight;
    const Link first = links.front();
    sum += first.to->next ? first.to->next->value : -1;
  }
};

unsigned hash(const ikra::array<float, 1>& values) {
  unsigned result = 2166136261u;
  for (const float value : values)
    result = (result ^ std::bit_cast<unsigned>(value)) * 16777619u;
  return result;
}

} // namespace

int main() {
  for (const int n : {1, 2, 700}) {
    const auto count = static_cast<std::size_t>(n);
    std::vector<Body> bodies;
    bodies.reserve(count);
    for (int i = 0; i < n; ++i)
      bodies.emplace_back(static_cast<float>(i * 31 % 17), 1.0f + static_cast<float>(i % 5),
                          bodies.data() + static_cast<std::size_t>(i * 7 % n));
    const auto all = ikra::objects(bodies);
    for (int step = 0; step < 3; ++step) {
      all.peach([&bodies](Body* b) { b->pull(bodies); });
      all.peach([](Body* b) { b->move(0.125f); });
    }
    std::printf("%d: %u %u %u\n", n, hash(all.pmap([](const Body* b) { return b->x(); })),
                hash(all.pmap([](const Body* b) { return b->felt(); })),
                hash(all.pmap([](const Body* b) { return through(b); })));
    std::vector<Shape> shapes(count);
    for (std::size_t i = 0; i < count; ++i)
      shapes[i].corners_ = static_cast<int>(i % 7);
    std::printf("shapes %d\n",
                ikra::objects(shapes).pmap([](const Shape& s) { return total(s, 3); }).sum());
    std::vector<Node> nodes(count);
    std::vector<Hub> hubs(count);
    for (std::size_t i = 0; i < count; ++i) {
      nodes[i].value = static_cast<int>(i * 13 % 101);
      nodes[i].next = i % 3 == 0 ? nullptr : &nodes[i / 2];
      for (std::size_t k = 0; k <= i % 4; ++k)
        hubs[i].links.push_back({&nodes[(i + k * k) % count], static_cast<int>(k)});
    }
    ikra::objects(hubs).peach([](Hub& hub) { hub.add(); });
    unsigned sum = 0;
    for (const Hub& hub : hubs)
      sum = sum * 31 + static_cast<unsigned>(hub.sum);
    std::printf("hubs %u\n", sum);
  }
}
