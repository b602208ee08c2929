// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Containers of pointers to objects that sections capture: vectors, vectors of owners, arrays of
// both kinds, ikra::array, null pointers among them; by value and by reference, in lazy operations
// and in peach, and in a resident scope.

#include <ikra/ikra.hpp>

#include <array>
#include <cstdio>
#include <memory>
#include <vector>

namespace {

struct Lamp {
  int power = 1;
  int seen = 0;
  virtual ~Lamp() = default;
  virtual int light() const { return power; }
};
struct Spot : Lamp {
  int light() const override { return power * 10; }
};

int total(const std::vector<const Lamp*>& lamps) {
  int sum = 0;
  for (const Lamp* lamp : lamps)
    if (lamp != nullptr)
      sum += lamp->light();
  return sum;
}

struct Hall {
  std::vector<Lamp*> lamps;
  void look() {
    ikra::array{lamps}.peach([this](Lamp* lamp) {
      for (const Lamp* other : lamps)
        lamp->seen += other->power;
    });
  }
};

template <class Array> void show(const char* name, const Array& values) {
  std::printf("%s:", name);
  for (int value : values)
    std::printf(" %d", value);
  std::printf("\n");
}

void show(const char* name, const std::vector<Lamp*>& lamps) {
  std::printf("%s:", name);
  for (const Lamp* lamp : lamps)
    std::printf(" %d", lamp->seen);
  std::printf("\n");
}

} // namespace

int main() {
  std::vector<std::unique_ptr<Lamp>> owners;
  std::vector<Lamp*> all;
  std::vector<const Lamp*> some;
  for (int i = 0; i < 7; ++i) {
    owners.push_back(i % 2 ? std::make_unique<Lamp>() : std::make_unique<Spot>());
    owners.back()->power = i;
    all.push_back(owners.back().get());
    some.push_back(i == 3 ? nullptr : all.back());
  }
  const ikra::array<int> places{std::vector<int>{0, 1, 2, 3, 4, 5, 6}};
  const ikra::array lamps{all};

  show("by place", places.pmap([all](int i) { return all[i]->light() + int(all.size()); }));
  show("with null", places.pmap([some](int i) { return total(some) + (some[i] ? 1 : 0); }));
  const auto odd = lamps.pselect([](const Lamp* lamp) { return lamp->power % 2 == 1; });
  show("an array", places.pmap([odd](int i) { return odd[i % odd.size()]->light(); }));
  const std::array<Lamp*, 3> three{all[0], all[2], all[5]};
  Lamp* const pair[2] = {all[1], nullptr};
  show("arrays", places.pmap([three, pair](int i) {
    return three[i % 3]->light() + (pair[i % 2] != nullptr ? 100 : 0);
  }));
  const auto reversed = places.pmap([all](int i) { return all[6 - i]; });
  show("pointers", reversed.pmap([](const Lamp* lamp) { return lamp->light(); }));

  lamps.peach([&](Lamp* lamp) {
    for (const auto& owner : owners)
      lamp->seen += owner->light();
  });
  show("owners", all);
  Hall{all}.look();
  show("of this", all);
  {
    ikra::resident scope{all};
    for (int i = 0; i < 3; ++i)
      lamps.peach([all](Lamp* lamp) { lamp->seen = (lamp->seen * 31 + all[3]->power) % 1000; });
    scope.sync();
  }
  show("resident", all);
}
