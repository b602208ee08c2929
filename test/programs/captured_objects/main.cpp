// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Containers of pointers to objects that sections capture: vectors, vectors of owners, arrays of
// both kinds, ikra::array, null pointers among them; by value and by reference, in lazy operations
// and in peach, and in a resident scope. There the host changes what is captured: some of it, all
// of it, before each section, or back to what it was; some objects go, and others come to be there.

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

std::vector<float> weights_of(int k) {
  std::vector<float> weights(90, 0.5F);
  weights[std::size_t(k % 90)] = float(k);
  return weights;
}

void change_captures() {
  std::vector<std::unique_ptr<Lamp>> owners;
  for (int i = 0; i < 150; ++i) {
    owners.push_back(i % 2 ? std::make_unique<Lamp>() : std::make_unique<Spot>());
    owners.back()->power = i;
  }
  std::vector<Lamp*> far; // of more pointers than are looked up one by one
  for (std::size_t i = 0; i < 100; ++i)
    far.push_back(owners[i * 7 % 100].get());
  std::vector<std::vector<const Lamp*>> rows(
      20, std::vector<const Lamp*>(far.begin(), far.begin() + 5));
  std::vector<float> weights = weights_of(3);
  std::vector<std::vector<int>> levels(10, std::vector<int>{1, 2, 3});
  float few[3] = {1, 2, 3};
  ikra::resident scope{owners};
  const auto look = [&](int k) {
    ikra::array{owners}.peach([&, k](Lamp* lamp) {
      const auto i = std::size_t(lamp->power);
      lamp->seen = (lamp->seen * 31 + far[(i + std::size_t(k)) % 100]->light() +
                    rows[i % 20][std::size_t(k) % 5]->power + int(weights[i % 90] * 2) +
                    levels[i % 10][i % 3] + int(few[i % 3])) %
                   10007;
    });
  };
  const auto sums = [&] {
    std::printf(" %d", ikra::array{owners}
                           .pmap([far, weights](const Lamp* lamp) {
                             return far[std::size_t(lamp->power) % 100]->power * 3 +
                                    int(weights[5]);
                           })
                           .sum());
    std::printf(" %d", scope.read(&Lamp::seen).sum());
  };
  std::printf("changes:");
  look(0);
  look(1); // nothing has changed
  std::swap(far[3], far[4]);
  look(2);
  sums();
  rows[7][2] = owners[120].get();
  levels[4][1] = 50;
  look(3);
  levels[5].push_back(9);
  rows.back() = {far[9], far[8], far[7], far[6], far[5], far[4]};
  look(4);
  for (int k = 0; k < 25; ++k) { // before each section
    weights = weights_of(k);
    far[std::size_t(k)] = owners[std::size_t(k + 100)].get();
    few[k % 3] += 1;
    look(5 + k);
  }
  sums();
  for (int k = 0; k < 12; ++k) // to and fro
    look((weights[1] = float(k % 2), k));
  sums();
  for (auto& pointer : far)
    if (pointer == owners.back().get())
      pointer = owners.front().get();
  scope.remove(owners.back().get());
  owners.pop_back();
  owners.push_back(std::make_unique<Spot>());
  owners.back()->power = 149;
  scope.add(owners.back().get());
  far[50] = owners.back().get();
  look(40);
  sums();
  scope.sync();
  int sum = 0;
  for (const auto& lamp : owners)
    sum = (sum * 17 + lamp->seen) % 100003;
  std::printf(" %d\n", sum);
}

/// Lamps that the host makes for a section each, and deletes after sync(). Their memory is used
/// again before others have written to the member that they had.
void delete_captured() {
  std::vector<std::unique_ptr<Lamp>> owners;
  for (int i = 0; i < 40; ++i)
    owners.push_back(std::make_unique<Lamp>());
  ikra::resident scope{owners};
  const ikra::array lamps{owners};
  int kept = 0;
  for (int k = 0; k < 8; ++k) {
    auto extra = std::make_unique<Spot>();
    extra->power = k;
    const std::vector<const Lamp*> many(k % 4 < 2 ? 1 : 100, extra.get());
    lamps.peach([many](Lamp* lamp) { lamp->seen = lamp->seen * 3 % 1000 + many.back()->light(); });
    scope.sync();
    extra.reset();
    const auto other = std::make_unique<std::array<int, 4>>(std::array<int, 4>{7, 7, 7, 7});
    lamps.peach([](Lamp* lamp) { lamp->seen += lamp->power; });
    if (k % 2 == 0) {
      scope.sync();
      kept += owners[0]->seen;
    }
    kept += (*other)[0] + (*other)[1] + (*other)[2] + (*other)[3];
  }
  scope.sync();
  std::printf("deleted: %d %d\n", kept, owners.back()->seen);
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
  change_captures();
  delete_captured();
}
