// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects: members of every kind, hidden types, namespaces, nested classes, class templates,
// several bases, cycles of pointers, repeated and null elements.

#include <ikra/ikra.hpp>

#include <array>
#include <cstdint>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace town {
enum class Kind { small, large };
namespace detail {
enum Colour : std::uint8_t { red = 3, green };
}

struct Node {
  IKRA_OBJECT
public:
  enum class State : signed char { idle = -1, busy = 1 };
  struct Inner {
    enum class Depth { shallow = 2, deep = 20 };
    int value = 5;
    Depth depth = Depth::shallow;
  };

  struct Touched {
    int touched = 0;
  };

  Node(int id, float length) : id_(id), length_(length) {}

  int id() const { return id_; }
  void link(Node* next, Node* self) {
    next_ = next;
    me_ = self;
    all_ = {next, nullptr, self};
    two_[0] = self;
    two_[1] = next;
    inner_ = std::make_unique<Inner>();
  }
  int walk(int steps) const {
    const Node* at = this;
    int sum = 0;
    for (int i = 0; i < steps && at; ++i, at = at->next_)
      sum += at->id_;
    return sum;
  }
  void step() {
    count_ += limit + (me_ == this ? 10 : 0);
    state_ = state_ == State::idle ? State::busy : State::idle;
    secret_ = secret_ == Secret::a ? Secret::b : Secret::a;
    flag_ = !flag_;
    letter_ = static_cast<char>(letter_ + 1);
    wide_ *= 3;
    colour_ = colour_ == detail::red ? detail::green : detail::red;
    for (Node* n : all_)
      if (n)
        seen_ += n->id_;
    for (const Node* n : two_)
      seen_ += n->length_ > 2 ? 1 : 0;
    for (std::size_t i = 0; i < all_.size(); ++i)
      if (all_[i] != nullptr && all_[i] != this)
        seen_ += 100;
    if (!all_.empty() && all_.front() == next_)
      seen_ += 1000;
    inner_->value += static_cast<int>(inner_->depth);
    inner_->depth = Inner::Depth::deep;
    kind_ = length_ > 3 ? Kind::large : Kind::small;
    ref_.touched += 1;
  }
  static int doubled(int x) { return 2 * x; }
  bool operator<(const Node& other) const { return id_ < other.id_; }
  friend bool operator==(const Node& a, const Node& b) { return a.id_ == b.id_; }
  void print() const {
    std::cout << id_ << ' ' << count_ << ' ' << int(state_) << ' ' << int(secret_) << ' ' << flag_
              << ' ' << letter_ << ' ' << wide_ << ' ' << int(colour_) << ' ' << seen_ << ' '
              << inner_->value << ' ' << int(inner_->depth) << ' ' << int(kind_) << '\n';
  }
  int secret() const { return secret_ == Secret::b ? doubled(1) : 0; }

  static constexpr int limit = 7;

private:
  enum class Secret { a, b };
  const int id_;
  const float length_;
  int count_ = 0;
  State state_ = State::idle;
  Secret secret_ = Secret::a;
  bool flag_ = false;
  char letter_ = 'a';
  std::int64_t wide_ = 1'000'000'007;
  detail::Colour colour_ = detail::red;
  Node* next_ = nullptr;
  Node* me_ = nullptr;
  std::vector<Node*> all_;
  std::array<Node*, 2> two_{};
  std::unique_ptr<Inner> inner_;
  Kind kind_ = Kind::small;
  int seen_ = 0;
  Touched own_;
  Touched& ref_ = own_;
  std::string name_ = "never looked at";
};
} // namespace town

namespace {
template <class T, int N> class Box {
  IKRA_OBJECT
public:
  explicit Box(T v) : v_(v) {}
  T get() const { return v_ + N; }
  template <class U> void add(U u) { v_ += static_cast<T>(u); }

private:
  T v_;
};

struct Named {
  int number = 4;
  virtual ~Named() = default;
  virtual int label() const { return number; }
};
struct Weighted {
  double weight = 1.5;
  virtual ~Weighted() = default;
  virtual double weigh() const { return weight; }
  void heavier() { weight += 1; }
};
struct Thing : Named, Weighted {
  int label() const override { return number * 10; }
};
struct Heavy final : Thing {
  double weigh() const override { return weight * 100 + label(); }
};

template <class T> void show(const char* name, const ikra::array<T>& a) {
  std::cout << name << ':';
  for (const T e : a)
    std::cout << ' ' << e;
  std::cout << '\n';
}
} // namespace

int main() {
  std::vector<std::unique_ptr<town::Node>> nodes;
  for (int i = 0; i < 40; ++i)
    nodes.push_back(std::make_unique<town::Node>(i, static_cast<float>(i % 5)));
  for (std::size_t i = 0; i < nodes.size(); ++i)
    nodes[i]->link(nodes[(i + 7) % 40].get(), nodes[i].get());
  const ikra::array all{nodes};
  all.peach(3, [](town::Node* n) { n->step(); });
  for (const auto& n : nodes)
    n->print();
  show("walk", all.pmap([](const town::Node* n) { return n->walk(100); }));
  show("secret", all.pmap([](const town::Node* n) { return n->secret() + town::Node::limit; }));
  show("operators",
       all.pmap([](const town::Node* n) { return *n < *n || !(*n == *n) || *n != *n; }));

  // Elements more than once, null elements.
  std::vector<const town::Node*> some{nodes[3].get(), nodes[3].get(), nodes[1].get(), nullptr,
                                      nodes[3].get()};
  const ikra::array<const town::Node*> few{some};
  show("null tested", few.pmap([](const town::Node* n) { return n ? n->id() : -1; }));
  show("null tested early", few.pmap([](const town::Node* n) {
    if (!n)
      return -5;
    return n->walk(2);
  }));
  show("null in a helper", few.pmap([](const town::Node* n) {
    int steps = 0;
    while (n != nullptr && steps < 3) {
      n = steps == 1 ? nullptr : n;
      ++steps;
    }
    return steps;
  }));
  show("null not looked at", few.pmap([](const town::Node*) { return 1; }));
  const town::Node* third = nodes[3].get();
  show("null compared", few.pmap([third](const town::Node* n) { return n == third; }));
#ifndef IKRA_TEST_SANITIZED
  try {
    show("null used", few.pmap([](const town::Node* n) { return n->id(); }));
  } catch (const ikra::error& e) {
    std::cout << "error of kind null_element: " << (e.kind() == ikra::error_kind::null_element)
              << '\n';
  }
#endif
  show("none", ikra::array<const town::Node*>{std::vector<const town::Node*>{}}.pmap(
                   [](const town::Node* n) { return n->id(); }));

  std::vector<Box<int, 3>> boxes{Box<int, 3>(1), Box<int, 3>(2)};
  std::vector<Box<double, -3>> doubles{Box<double, -3>(1.25)};
  const ikra::array<Box<int, 3>*> ints{std::vector<Box<int, 3>*>{&boxes[0], &boxes[1]}};
  const ikra::array<Box<double, -3>*> reals{std::vector<Box<double, -3>*>{&doubles[0]}};
  ints.peach(2, [](Box<int, 3>* b) {
    b->add(2.9);
    b->add<char>('\2');
  });
  reals.peach([](auto* b) { b->add(b->get()); });
  show("ints", ints.pmap([](const Box<int, 3>* b) { return b->get(); }));
  show("reals", reals.pmap([](const auto* b) { return b->get(); }));

  Thing thing;
  Heavy heavy;
  Weighted weighted;
  Named named;
  const ikra::array<Weighted*> weights{std::vector<Weighted*>{&thing, &heavy, &weighted, &heavy}};
  const ikra::array<const Named*> names{std::vector<const Named*>{&thing, &named, &heavy}};
  ikra::array<Weighted*>{std::vector<Weighted*>{&heavy, &thing}}.peach(
      2, [](Weighted* w) { w->heavier(); });
  show("weights", weights.pmap([](const Weighted* w) { return w->weigh(); }));
  show("names", names.pmap([](const Named* n) { return n->label() + n->number; }));
}
