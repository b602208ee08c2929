// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Function objects that take objects by reference, and methods given in class templates.
#include <ikra/ikra.hpp>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

namespace {

struct Particle {
  double x = 1;
  int n = 0;
  void bounce() { x = -x; }
};

struct Stepper {
  double dt;
  void operator()(Particle& p) const { p.x += dt; }
};
struct Indexed {
  int k;
  void operator()(Particle& p, std::int64_t i) const { p.n += k * static_cast<int>(i); }
};
struct Generic {
  int k;
  template <class T> void operator()(T& p) const { p.n += k; }
};
struct Weighted {
  double factor;
  double operator()(const Particle& p) const { return p.x * factor + p.n; }
};
struct Over {
  double limit;
  bool operator()(const Particle& p) const { return p.x > limit; }
};

template <int N> class World {
public:
  void run(double dt) {
    ikra::objects(all_).peach(Stepper{dt});
    const Stepper again{dt};
    ikra::objects(all_).peach(again);
    ikra::objects(all_).peach(&Particle::bounce);
    ikra::objects(all_).peach(3, &Particle::bounce);
    ikra::objects(all_).with_index().peach(Indexed{3});
    ikra::objects(all_).peach(4, Indexed{2}); // with ticks
  }
  double sum() { return ikra::objects(all_).pmap(Weighted{2}).sum(); }

private:
  std::vector<Particle> all_ = std::vector<Particle>(N);
};

struct Animal {
  virtual ~Animal() = default;
  virtual void grow() { ++size; }
  int size = 0;
};
struct Dog : Animal {
  void grow() override { size += 2; }
};
template <class T> std::int64_t grown(const std::vector<std::unique_ptr<T>>& all) {
  ikra::array{all}.peach(&T::grow);
  ikra::array{all}.peach(3, &T::grow);
  return ikra::array{all}.pmap(&T::size).sum();
}

void grow(Particle& p) { p.n += 2; }
void grow_at(Particle& p, std::int64_t tick) { p.n += static_cast<int>(tick); }
auto lighter(int by) {
  return [by](Particle& p) { p.n -= by; };
}
template <class F> void each(std::vector<Particle>& all, F f) {
  ikra::objects(all).peach(f);
  ikra::objects(all).peach(3, f); // with ticks
}
template <class F> int total(std::vector<Particle>& all, F f) {
  return ikra::objects(all).pmap(f).sum();
}

// Functions, and lambdas that variables hold, factories make and templates are given.
void elsewhere(std::vector<Particle>& all) {
  const auto objects = ikra::objects(all);
  objects.peach(grow);
  objects.peach(3, &grow);
  objects.peach(3, grow_at);
  int k = 3;
  const auto heavier = [k](Particle& p) { p.n += k; };
  objects.peach(heavier);
  each(all, heavier);
  each(all, lighter(1));
  each(all, [k](Particle& p) { p.n += k; });
  const auto made = lighter(2);
  objects.peach(made);
  const auto adder = [](int n) { return [n](const Particle& p) { return p.n + n; }; };
  const auto plus4 = adder(4);
  std::printf("made: %d %d %d %d\n", objects.pmap(plus4).sum(), objects.pmap(adder(5)).sum(),
              total(all, plus4), total(all, adder(6)));
  const auto placed = [](int n) {
    return [n](const Particle& p, std::int64_t i) { return p.n + n * static_cast<int>(i); };
  }(7);
  const auto above = [](int n) { return [n](const Particle& p) { return p.n > n; }; }(20);
  std::printf("made: %d %d %d\n", objects.with_index().pmap(placed).sum(),
              static_cast<int>(objects.count(above)),
              static_cast<int>(objects.pselect(above).size()));
  const auto generic = [](int n) { return [n](auto& p) { p.n += n; }; }(9);
  objects.peach(generic);
  objects.peach(2, generic);
  std::printf("generic: %d\n", objects.pmap(&Particle::n).sum());
}

} // namespace

void over_objects() {
  std::vector<Particle> all(3);
  const Stepper step{0.25};
  ikra::objects(all).peach(step);
  ikra::objects(all).peach(Stepper{0.5});
  ikra::objects(all).with_index().peach(Indexed{2});
  ikra::objects(all).peach(3, Indexed{2}); // with ticks
  ikra::objects(all).peach(Generic{5});
  std::printf(
      "by reference: %g %g\n", ikra::objects(all).pmap(Weighted{3}).sum(),
      ikra::objects(all).pselect(Over{1.5}).pmap([](const Particle& p) { return p.x; }).sum());
  World<4> world;
  world.run(0.5);
  std::printf("in a template: %g\n", world.sum());
  std::vector<std::unique_ptr<Animal>> animals;
  animals.push_back(std::make_unique<Animal>());
  animals.push_back(std::make_unique<Dog>());
  std::printf("of a parameter: %lld\n", static_cast<long long>(grown(animals)));
  elsewhere(all);
}
