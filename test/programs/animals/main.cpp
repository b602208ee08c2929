// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Virtual methods over three levels, owners, enumerations, containers of values and of objects,
// atomics, chains of maps.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ikra/ikra.hpp>
#include <memory>
#include <vector>
namespace zoo {
enum class Kind { cat, dog, bird };
constexpr int bonus = 7;
struct Tuning {
  static constexpr float gain = 1.5f;
  static const int limit = 100;
};
template <class T> T clampTo(T x, T lo, T hi) { return x < lo ? lo : (hi < x ? hi : x); }
class Cage;
class Animal {
  IKRA_OBJECT
public:
  enum State { asleep, awake };
  Animal(int id, Cage* c) : id_(id), cage_(c) {}
  virtual ~Animal() = default;
  virtual int noise(int level) const = 0;
  virtual void step(int by) {
    energy_ += by;
    if (energy_ > Tuning::limit)
      energy_ = 0;
  }
  int id() const { return id_; }
  int energy() const { return energy_; }
  float& weight() { return weight_; }
  const float& weight() const { return weight_; }
  Animal* friend_ = nullptr;

protected:
  enum class Mood : unsigned char { calm, angry };
  Mood mood_ = Mood::calm;
  State state_ = awake;
  void setMood(Mood m) { mood_ = m; }
  int id_;
  int energy_ = 1;
  float weight_ = 2.5f;
  Cage* cage_;
  std::vector<int> history_{1, 2, 3};
  int fixed_[3] = {4, 5, 6};
};
class Cage {
  IKRA_OBJECT
public:
  int size() const { return size_; }
  void add(int n) { ikra::atomic_add(visitors_, n); }
  int visitors() const { return visitors_; }
  std::vector<Animal*> animals;
  int size_ = 3;

private:
  int visitors_ = 0;
};
class Cat : public Animal {
  IKRA_OBJECT
public:
  using Animal::Animal;
  int noise(int level) const override {
    return level * 2 + id_ + (mood_ == Mood::angry ? 1000 : 0);
  }
  void step(int by) override {
    Animal::step(by * 2);
    if (energy_ % 2 == 0)
      setMood(Mood::angry);
    else
      setMood(Mood::calm);
    switch (state_) {
    case asleep:
      state_ = awake;
      break;
    case awake:
    default:
      state_ = asleep;
    }
    for (std::size_t i = 0; i < history_.size(); ++i)
      history_[i] += by;
    for (int& h : history_)
      h ^= 1;
    fixed_[1] += fixed_[0];
    cage_->add(1);
  }
};
class Dog : public Animal {
  IKRA_OBJECT
public:
  Dog(int id, Cage* c, double d) : Animal(id, c), d_(d) {}
  int noise(int level) const override {
    int s = 0;
    for (const Animal* a : cage_->animals)
      s += a->id();
    return level + s;
  }
  void step(int by) override {
    Animal::step(by);
    weight() = weight_ + std::sqrt(float(by));
    weight_ *= Tuning::gain;
    d_ = std::max(d_, 3.0);
    int k = 0;
    while (k < 3) {
      ++k;
      if (k == 2)
        continue;
      d_ += k;
    }
    do {
      d_ -= 0.5;
    } while (d_ > 10);
  }

private:
  double d_;
};
class Puppy : public Dog {
IKRA_OBJECT public : Puppy(int id, Cage* c) : Dog(id, c, 1.0) {}
  int noise(int level) const override { return Dog::noise(level) + clampTo(level, 0, 5) + bonus; }
};
} // namespace zoo
using namespace zoo;
int twice(int x) { return 2 * x; }
int main() {
  Cage cages[3];
  std::vector<std::unique_ptr<Animal>> animals;
  for (int i = 0; i < 100; ++i) {
    Cage* c = &cages[i % 3];
    if (i % 3 == 0)
      animals.push_back(std::make_unique<Cat>(i, c));
    else if (i % 3 == 1)
      animals.push_back(std::make_unique<Dog>(i, c, i * 0.25));
    else
      animals.push_back(std::make_unique<Puppy>(i, c));
    c->animals.push_back(animals.back().get());
    if (i)
      animals.back()->friend_ = animals[i - 1].get();
  }
  ikra::array base{animals};
  int by = 3;
  base.peach(5, [by](Animal* a) { a->step(by); });
  base.peach([=](Animal* self) {
    if (self->friend_ && self->friend_->friend_ != nullptr)
      self->weight() += float(self->friend_->id());
  });
  auto n = base.pmap([](const Animal* a) { return a->noise(2); });
  auto w = base.pmap([](Animal* a) { return a->friend_ ? a->friend_->noise(1) : -1; }).pmap(twice);
  std::vector<int> table{10, 20, 30};
  auto t = base.pmap([](const Animal* a) { return a->energy(); }).pmap([table](int e) {
    return table[std::size_t(e) % table.size()] + e;
  });
  auto x = base.with_index().pmap(
      [](const Animal* a, std::int64_t i) { return a->id() * 1000 + int(i); });
  unsigned long long h = 0;
  for (int v : n)
    h = h * 31 + static_cast<unsigned>(v);
  for (int v : w)
    h = h * 31 + static_cast<unsigned>(v);
  for (int v : t)
    h = h * 31 + static_cast<unsigned>(v);
  for (int v : x)
    h = h * 31 + static_cast<unsigned>(v);
  double s = 0;
  for (auto& a : animals)
    s += a->weight() + a->energy();
  std::printf("%llu %.6f %d\n", h, s, cages[0].visitors());
  ikra::array<int, 2> m{std::vector<int>{1, 2, 3, 4, 5, 6}, {2, 3}};
  auto mm = m.with_index()
                .pmap([](int e, ikra::index<2> i) { return e * 100 + int(i[0]) * 10 + int(i[1]); })
                .pmap([](int x) { return -x; });
  for (int v : mm)
    std::printf("%d ", v);
  std::printf("\n");
  bool flag = true;
  unsigned char c = 200;
  auto u = ikra::array{std::vector<unsigned char>{1, 100, 250}}.pmap(
      [flag, c](unsigned char q) { return static_cast<unsigned char>(flag ? q + c : q); });
  for (auto v : u)
    std::printf("%d ", v);
  auto bb = ikra::array{std::vector<bool>{true, false, true}}.pmap([](bool q) { return !q; });
  for (bool v : bb)
    std::printf("%d ", v);
  std::printf("\n");
}
