// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Classes and enumerations that are private in a class with IKRA_OBJECT: objects of them, sections
// over them, results of them. Private base classes.
#include <cstdio>
#include <ikra/ikra.hpp>
#include <memory>
#include <vector>

class Garden {
  enum class Kind { herb, tree };
  struct Plant {
    virtual ~Plant() = default;
    virtual int grow() = 0;
    int height = 1;
    int weight = 2;
    Kind kind = Kind::herb;
    Plant* neighbour = nullptr;
  };
  class Herb : public Plant {
    int leaves_ = 3;
    struct Bud {
      int open = 0;
      Herb* on = nullptr;
    };
    std::vector<std::unique_ptr<Bud>> buds_;
    IKRA_OBJECT
  public:
    int grow() override {
      leaves_ += 1;
      for (auto& b : buds_) {
        b->open += 1;
        height += b->on->leaves_;
      }
      return leaves_ + (neighbour ? neighbour->weight : 0);
    }
    void add() {
      buds_.push_back(std::make_unique<Bud>());
      buds_.back()->on = this;
    }
  };
  struct Tree final : Plant {
    int rings = 0;
    int grow() override {
      rings += 2;
      kind = Kind::tree;
      return rings;
    }
  };

public:
  IKRA_OBJECT
  Garden() {
    for (int i = 0; i < 10; ++i) {
      if (i % 3 == 0)
        plants_.push_back(std::make_unique<Tree>());
      else {
        auto h = std::make_unique<Herb>();
        h->add();
        if (i % 2)
          h->add();
        plants_.push_back(std::move(h));
      }
      if (i > 0)
        plants_[i]->neighbour = plants_[i - 1].get();
    }
  }
  void run() {
    Plant* chosen = plants_[4].get();
    std::shared_ptr<Tree> shared = std::make_shared<Tree>();
    shared->rings = 17;
    ikra::array{plants_}.peach(2, [](Plant* p) { p->height += p->grow(); });
    ikra::array{plants_}.peach(
        [chosen, shared](Plant* p) { p->height += chosen == p ? 100 : shared->rings; });
  }
  long sum() {
    auto heights = ikra::array{plants_}.pmap(
        [](const Plant* p) { return p->kind == Kind::tree ? -p->height : p->height; });
    auto kinds = ikra::array{plants_}.pmap([](const Plant* p) { return p->kind; }).pmap([](Kind k) {
      return k == Kind::tree ? 1 : 5;
    });
    auto trees = kinds_.pselect([](Kind k) { return k == Kind::tree; });
    long s = trees.size();
    s = s * 3 + static_cast<int>(kinds_.preduce([](Kind a, Kind b) { return a < b ? b : a; })[0]);
    const std::vector<Kind> known{Kind::tree, Kind::herb};
    s = s * 3 + kinds_.with_index().pmap([known](Kind k, std::int64_t i) {
      return known[static_cast<std::size_t>(i % 2)] == k ? 1 : 0;
    })[1];
    for (Kind k : ikra::array{plants_}.with_index().pmap(
             [](const Plant* p, std::int64_t i) { return i % 2 ? p->kind : Kind::herb; }))
      s = s * 2 + (k == Kind::tree);
    for (int h : heights)
      s = s * 7 % 100003 + h;
    for (int h : kinds)
      s = s * 7 % 100003 + h;
    return s;
  }

  const std::vector<std::unique_ptr<Plant>>& plants() const { return plants_; }
  const ikra::array<Kind, 1>& kinds() const { return kinds_; }

private:
  std::vector<std::unique_ptr<Plant>> plants_;
  ikra::array<Kind, 1> kinds_{std::vector<Kind>{Kind::herb, Kind::tree, Kind::tree}};
};

/// Sections where their elements' types may not be named.
long seen_from_outside(const Garden& garden) {
  ikra::array{garden.plants()}.peach([](auto* p) { p->weight += 2; });
  const auto heavy =
      ikra::array{garden.plants()}.pselect([](const auto* p) { return p->weight > 3; });
  const auto last = garden.kinds().preduce([](auto, auto b) { return b; });
  const auto some = garden.kinds().pselect([](auto k) { return static_cast<int>(k) != 0; });
  return heavy.size() * 100 + some.size() * 10 + static_cast<long>(last[0]);
}

struct Named {
  int id = 7;
};
struct Shape : private Named {
  IKRA_OBJECT
  virtual ~Shape() = default;
  virtual int area() const { return id * w; }
  int w = 2;
  void rename(int n) { id += n; }
  int name() const { return id; }
};
class Square : Shape {
  IKRA_OBJECT
  int side_ = 3;

public:
  int area() const override { return Shape::area() + side_ * side_ + w; }
  void go() {
    rename(3);
    w += 1;
    side_ += area();
  }
  int result() const { return side_ * 1000 + Shape::name() * 10 + w; }
};

int main() {
  Garden g;
  g.run();
  std::printf("%ld\n", g.sum());
  std::printf("%ld\n", seen_from_outside(g));
  std::vector<Square> squares(4);
  ikra::objects(squares).peach(2, [](Square* q) { q->go(); });
  for (const Square& q : squares)
    std::printf("%d\n", q.result());
  for (const int v : ikra::objects(squares).pmap([](const Square* q) { return q->area(); }))
    std::printf("%d\n", v);
}
