// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bases that know what derives from them (CRTP), without virtual methods, and references that casts
// make of objects.

#include <ikra/ikra.hpp>

#include <concepts>
#include <cstdio>
#include <vector>

namespace {

template <class Derived> struct Ticking {
  void tick(int by) {
    self().update(by);
    ++ticks;
  }
  int value() const { return self().compute() + ticks; }
  Derived& self() { return static_cast<Derived&>(*this); }
  const Derived& self() const { return static_cast<const Derived&>(*this); }
  int ticks = 0;
};
struct Counter : Ticking<Counter> {
  int count = 1;
  void update(int by) { count += by; }
  int compute() const { return count; }
};
struct Grower : Ticking<Grower> {
  float size = 1;
  void update(int by) { size *= static_cast<float>(by); }
  int compute() const { return static_cast<int>(size) * 2; }
};

template <class T>
concept Ticks = requires(T t) {
  t.tick(1);
  { t.value() } -> std::convertible_to<int>;
};

// A base of data alone, which functions are given and no pointer of the program's leads to.
struct Being {
  int id = 1;
  float age = 2;
  bool before(const Being& other) const { return id < other.id; }
  bool operator<(const Being& other) const { return age < other.age; }
};
struct Cow : Being {
  int milk = 0;
};
struct Wolf : Being {
  int kills = 0;
  Cow* prey = nullptr;
};
float older(const Being* b, const Being& c) {
  const Being* chosen = b->age < c.age ? &c : b;
  return chosen->age;
}
void feed(Being& b) { b.age += 1; }
void beings() {
  std::vector<Cow> cows(4);
  std::vector<Wolf> wolves(5);
  for (int i = 0; i < 4; ++i)
    cows[i] = {{i * 3 % 4, static_cast<float>(i * 7 % 5)}, i};
  for (int i = 0; i < 5; ++i)
    wolves[i] = {{i * 3 % 5, static_cast<float>(i) + 0.5F}, 0, &cows[i % 4]};
  ikra::objects(wolves).peach([](Wolf& x) {
    x.kills = (x.before(*x.prey) ? 1 : 0) + (x.prey->before(x) ? 2 : 0);
    if (x.id < 4)
      feed(x);
  });
  ikra::objects(cows).peach([](Cow* x) { feed(*x); });
  const auto by_id =
      ikra::objects(cows).psort([](const Cow* a, const Cow* b) { return a->before(*b); });
  const auto by_age = ikra::objects(cows).psort([](const Cow* a, const Cow* b) { return *a < *b; });
  const auto ages = ikra::objects(wolves).pmap(
      [](const Wolf* a) { return older(a, *a->prey) + older(a->prey, *a); });
  std::printf("%d %d %d %g %d\n", by_id[0]->milk, by_id[1]->milk, by_age[3]->milk, ages.sum(),
              wolves[3].kills * 10 + wolves[2].kills);
}

template <Ticks T> void run(std::vector<T>& all, int n) {
  ikra::objects(all).peach(n, [](T* t) { t->tick(2); });
}
template <Ticks T> void show(std::vector<T>& all) {
  for (int value : ikra::objects(all).pmap([](const T* t) { return t->value(); }))
    std::printf(" %d", value);
  std::printf("\n");
}

} // namespace

int main() {
  std::vector<Counter> counters(4);
  std::vector<Grower> growers(3);
  run(counters, 3);
  run(growers, 4);
  show(counters);
  show(growers);
  beings();
}
