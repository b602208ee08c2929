// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections over few objects, again and again: what a section costs beside its elements. This file
// is compiled as sections.cpp is.
#include "programs.hpp"
#include "worlds.hpp"

#include <optional>
#include <variant>

namespace objects {
namespace {

/// Of one class, by value or owned.
struct Grain {
  float height, speed = 0;
  int number;
  void fall() {
    speed += 0.001f;
    height = height > 0 ? height - speed : 1;
  }
};

/// Of three classes.
class Insect {
  IKRA_OBJECT

public:
  Insect(float at, int number) : at_(at), number_(number) {}
  virtual ~Insect() = default;
  virtual void walk() = 0;
  float at() const { return at_; }
  int number() const { return number_; }

protected:
  float at_;

private:
  int number_;
};
class Ant final : public Insect {
  IKRA_OBJECT

public:
  using Insect::Insect;
  void walk() override { at_ += 0.5f; }
};
class Beetle final : public Insect {
  IKRA_OBJECT

public:
  using Insect::Insect;
  void walk() override { at_ = at_ > 100 ? 0 : at_ + 0.25f; }
};
class Spider final : public Insect {
  IKRA_OBJECT

public:
  using Insect::Insect;
  void walk() override { at_ = 100 - at_; }
};

struct values {
  std::vector<Grain> all;
  explicit values(int count) {
    for (int i = 0; i < count; ++i)
      all.push_back({float(i % 100), 0, i});
  }
};
struct owned_values {
  std::vector<std::unique_ptr<Grain>> all;
  explicit owned_values(int count) {
    for (int i = 0; i < count; ++i)
      all.push_back(std::make_unique<Grain>(Grain{float(i % 100), 0, i}));
  }
};
/// Each object stands four times.
struct four_times {
  std::vector<std::unique_ptr<Grain>> each;
  std::vector<Grain*> all;
  explicit four_times(int count) {
    for (int i = 0; i < (count + 3) / 4; ++i)
      each.push_back(std::make_unique<Grain>(Grain{float(i % 100), 0, i}));
    for (int i = 0; i < count; ++i)
      all.push_back(each[std::size_t(i) * 7 % each.size()].get());
  }
};
/// Objects that hold a pointer to one of two classes each, which no virtual method tells.
struct Pebble {
  float weight = 1;
};
struct Straw {
  float length = 2, width = 1;
};
struct Nest {
  std::variant<const Pebble*, const Straw*> first, second;
  float height, speed = 0;
  int number;
  void fall() {
    speed += std::visit([](const auto* part) { return size(*part); }, first);
    if (const auto* const pebble = std::get_if<const Pebble*>(&second))
      height += (*pebble)->weight;
    else
      height -= std::get<const Straw*>(second)->width;
  }
  static float size(const Pebble& p) { return p.weight; }
  static float size(const Straw& s) { return s.length * s.width; }
};
struct variants {
  std::vector<Pebble> pebbles;
  std::vector<Straw> straws;
  std::vector<Nest> all;
  explicit variants(int count) : pebbles(std::size_t(count) / 4 + 1), straws(pebbles.size()) {
    for (int i = 0; i < count; ++i) {
      Nest nest{&pebbles[0], &straws[0], float(i % 100), 0, i};
      for (auto* part : {&nest.first, &nest.second})
        if (const auto at = chance(61, std::size_t(i), 2 * std::uint32_t(pebbles.size()));
            at < pebbles.size())
          *part = &pebbles[at];
        else
          *part = &straws[at - pebbles.size()];
      all.push_back(nest);
    }
  }
};
struct three_classes {
  std::vector<std::unique_ptr<Insect>> all;
  explicit three_classes(int count) {
    for (int i = 0; i < count; ++i)
      switch (const float at = float(i % 100); chance(60, std::size_t(i), 3)) {
      case 0:
        all.push_back(std::make_unique<Ant>(at, i));
        break;
      case 1:
        all.push_back(std::make_unique<Beetle>(at, i));
        break;
      default:
        all.push_back(std::make_unique<Spider>(at, i));
      }
  }
};

// What tells what sections did to an object.
std::uint64_t told(const Grain& g) { return bits(g.height); }
std::uint64_t told(const std::unique_ptr<Grain>& g) { return told(*g); }
std::uint64_t told(const Grain* g) { return told(*g); }
std::uint64_t told(const Nest& n) { return bits(n.height) + bits(n.speed); }
std::uint64_t told(const std::unique_ptr<Insect>& i) { return bits(i->at()); }

// The sections, with what tells their results.
std::uint64_t move(const ikra::array<Grain*>& all) {
  all.peach([](Grain* g) { g->fall(); });
  return 1;
}
std::uint64_t move(const ikra::array<Insect*>& all) {
  all.peach([](Insect* i) { i->walk(); });
  return 1;
}
std::uint64_t move(const ikra::array<Nest*>& all) {
  all.peach([](Nest* n) { n->fall(); });
  return 1;
}
std::uint64_t map(const ikra::array<Nest*>& all) {
  return bits(all.pmap([](const Nest* n) { return n->height * 2 + n->speed; })[all.size() / 2]);
}
std::uint64_t sum(const ikra::array<Nest*>& all) {
  return std::uint64_t(all.pmap([](const Nest* n) { return n->number; }).sum());
}
std::uint64_t choose(const ikra::array<Nest*>& all) {
  return all.pselect([](const Nest* n) { return n->number % 3 == 0; }).size();
}
std::uint64_t map(const ikra::array<Grain*>& all) {
  return bits(all.pmap([](const Grain* g) { return g->height * 2 + g->speed; })[all.size() / 2]);
}
std::uint64_t map(const ikra::array<Insect*>& all) {
  return bits(all.pmap([](const Insect* i) { return i->at() * 2 + 1; })[all.size() / 2]);
}
std::uint64_t sum(const ikra::array<Grain*>& all) {
  return std::uint64_t(all.pmap([](const Grain* g) { return g->number; }).sum());
}
std::uint64_t sum(const ikra::array<Insect*>& all) {
  return std::uint64_t(all.pmap([](const Insect* i) { return i->number(); }).sum());
}
std::uint64_t choose(const ikra::array<Grain*>& all) {
  return all.pselect([](const Grain* g) { return g->number % 3 == 0; }).size();
}
std::uint64_t choose(const ikra::array<Insect*>& all) {
  return all.pselect([](const Insect* i) { return i->number() % 3 == 0; }).size();
}
template <class All> std::uint64_t step(const All& all) {
  return move(all) + sum(all) + choose(all);
}

/// As many sections as make as many elements, but no more than a few thousand times as long.
constexpr int elements = 2'000'000, most_times = 50'000;

template <class World> class short_section final : public program {
public:
  using of_objects = decltype(ikra::objects(std::declval<World&>().all));
  using section = std::uint64_t (*)(const of_objects&);
  short_section(section what, int count, bool scoped)
      : what_(what), times_(std::min(elements / count, most_times)), scoped_(scoped),
        world_(count) {}
  void run() override {
    std::optional<ikra::resident> scope;
    if (scoped_)
      scope.emplace(world_.all);
    for (int k = 0; k < times_; ++k)
      sum_ = 31 * sum_ + what_(ikra::objects(world_.all));
  }
  std::uint64_t sum() const override {
    std::uint64_t result = sum_;
    for (const auto& each : world_.all)
      result = 31 * result + told(each);
    return result;
  }

private:
  section what_;
  int times_;
  bool scoped_;
  World world_;
  std::uint64_t sum_ = 0;
};

template <class World> void add(programs& to, const std::string& kind, bool scoped) {
  const std::pair<const char*, typename short_section<World>::section> sections[] = {
      {"peach", &move}, {"pmap", &map}, {"sum", &sum}, {"pselect", &choose}, {"step", &step}};
  for (const auto& [name, what] : sections)
    for (const int count : {10, 100, 1000, 10'000, 100'000})
      to.emplace_back(
          std::string(name) + " of " + std::to_string(count) + " " + kind,
          [=, what = what] { return std::make_unique<short_section<World>>(what, count, scoped); });
}

} // namespace

programs short_sections(bool scope) {
  programs all;
  add<values>(all, "values", scope);
  add<owned_values>(all, "owned", scope);
  add<three_classes>(all, "of three classes", scope);
  add<four_times>(all, "four times", scope);
  add<variants>(all, "with variants", scope);
  return all;
}

} // namespace objects
