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
}
