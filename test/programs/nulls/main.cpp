// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections that test for null, and still dereference null on some path: an error, in every build,
// and no answer. Null elements that nothing dereferences are ordinary.
#include <ikra/ikra.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

class Node {
public:
  explicit Node(int value) : value_(value) {}
  virtual ~Node() = default;
  virtual int kind() const { return 1; }
  int value() const { return value_; }
  int depth() const {
    int steps = 0;
    for (const Node* n = this; n != nullptr; n = n->next_)
      ++steps;
    return steps;
  }
  void set(int value) { value_ = value; }
  Node* next() const { return next_; }

  Node* next_ = nullptr;

private:
  IKRA_OBJECT
  int value_;
};

class Leaf : public Node {
public:
  using Node::Node;
  int kind() const override { return 2; }
};

int length(const Node* n) {
  int steps = 0;
  while (n) {
    ++steps;
    n = n->next();
  }
  return steps;
}

int last(const Node* n) {
  int value = 0;
  do {
    value = n->value();
    n = n->next();
  } while (n != nullptr);
  return value;
}

int sum(const std::vector<int>& values) {
  int total = 0;
  for (const int v : values)
    total = static_cast<int>(static_cast<unsigned>(total) * 7U + static_cast<unsigned>(v));
  return total;
}

// An answer, or that there was none.
template <class Run> void show(const char* what, Run run) {
  try {
    std::printf("%s: %d\n", what, run());
  } catch (const ikra::error& e) {
    std::printf("%s: %s\n", what,
                e.kind() == ikra::error_kind::null_element ? "null" : "another error");
  }
}

} // namespace

int main() {
  std::vector<Leaf> leaves;
  std::vector<Node> nodes;
  for (int i = 0; i < 3000; ++i) {
    nodes.emplace_back(i);
    leaves.emplace_back(2 * i);
  }
  for (std::size_t i = 0; i + 1 < nodes.size(); ++i)
    if (i % 5 != 0)
      nodes[i].next_ = &nodes[i + 1];
  std::vector<Node*> with_nulls, without_nulls;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    without_nulls.push_back(&nodes[i]);
    without_nulls.push_back(&leaves[i]);
    with_nulls.push_back(i % 100 == 57 ? nullptr : without_nulls[i]);
  }
  const ikra::array some{with_nulls}, all{without_nulls};
  const ikra::array none{std::vector<Node*>(40, nullptr)};

  // The test does not guard what follows it.
  const auto forgetful = [](const ikra::array<Node*, 1>& a) {
    return sum(a.pmap([](const Node* n) {
                  int result = 0;
                  if (n == nullptr)
                    result = -1;
                  return result + n->value();
                }).to_vector());
  };
  show("forgetful, nulls", [&] { return forgetful(some); });
  show("forgetful, no nulls", [&] { return forgetful(all); });
  show("forgetful, only nulls", [&] { return forgetful(none); });

  // It does.
  const auto careful = [](const ikra::array<Node*, 1>& a) {
    return sum(a.pmap([](const Node* n) { return n ? n->value() + n->kind() : -1; }).to_vector());
  };
  show("careful, nulls", [&] { return careful(some); });
  show("careful, no nulls", [&] { return careful(all); });
  show("careful, only nulls", [&] { return careful(none); });

  // A virtual method that reads no member.
  const auto virtually = [](const ikra::array<Node*, 1>& a, int least) {
    return sum(a.pmap([least](const Node* n) {
                  if (n == nullptr && least > 0)
                    return 0;
                  return n->kind();
                }).to_vector());
  };
  show("virtual, tested", [&] { return virtually(some, 1); });
  show("virtual, not tested", [&] { return virtually(some, 0); });

  // The element goes on under another name, and into functions.
  const auto renamed = [](const ikra::array<Node*, 1>& a, bool guarded) {
    return sum(a.pmap([guarded](const Node* n) {
                  const Node* other = n;
                  if (!other && guarded)
                    return 0;
                  return other->value();
                }).to_vector());
  };
  show("renamed, guarded", [&] { return renamed(some, true); });
  show("renamed, not guarded", [&] { return renamed(some, false); });
  show("length",
       [&] { return sum(some.pmap([](const Node* n) { return length(n); }).to_vector()); });
  show("last, nulls",
       [&] { return sum(some.pmap([](const Node* n) { return last(n); }).to_vector()); });
  show("last, no nulls",
       [&] { return sum(all.pmap([](const Node* n) { return last(n); }).to_vector()); });

  // What another reference leads to.
  show("next of next", [&] {
    return sum(some.pmap([](const Node* n) {
                     if (!n)
                       return 0;
                     return n->next() ? n->next()->depth() : n->depth();
                   })
                   .to_vector());
  });
  show("next of none", [&] {
    return sum(some.pmap([](const Node* n) {
                     if (!n)
                       return 0;
                     return n->next()->value();
                   })
                   .to_vector());
  });

  // Few elements, of which sections use nothing but members: they are looked at before.
  const auto few = [](const std::vector<Node*>& from) {
    return ikra::array{std::vector<Node*>(from.begin(), from.begin() + 200)};
  };
  const auto values = [](const ikra::array<Node*, 1>& a) {
    return sum(a.pmap([](const Node* n) { return n->value() * 2; }).to_vector());
  };
  show("few, nulls", [&] { return values(few(with_nulls)); });
  show("few, no nulls", [&] { return values(few(without_nulls)); });
  show("few selected, nulls", [&] {
    return int(few(with_nulls).pselect([](const Node* n) { return n->value() % 2 == 0; }).size());
  });
  show("few selected, no nulls", [&] {
    return int(
        few(without_nulls).pselect([](const Node* n) { return n->value() % 2 == 0; }).size());
  });
  few(without_nulls).peach([](Node* n) { n->set(n->value() + 3); });
  show("after a peach of few", [&] { return careful(all); });

  // peach: objects that come before a null one may have changed, and nothing else has.
  some.peach(3, [](Node* n) {
    if (n)
      n->set(n->value() + 1);
  });
  show("after a careful peach", [&] { return careful(all); });
  show("careless peach", [&] {
    some.peach(3, [](Node* n) {
      int step = 1;
      if (!n)
        step = 2;
      n->set(n->value() + step);
    });
    return 0;
  });
  some.peach(2, [](Node* n, std::int64_t tick) {
    if (n && n->next())
      n->set(static_cast<int>(tick) + n->next()->value());
  });
  std::printf("end\n");
}
