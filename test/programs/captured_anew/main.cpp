// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects that sections capture and no scope holds. After sync() the host destroys them, and makes
// others at the same addresses: random programs that choose the addresses. They are captured alone,
// in short and in long vectors, are read and written, and are elements of sections, too.

#include <ikra/ikra.hpp>

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

namespace {

struct Lamp {
  int power = 1;
  int seen = 0;
  explicit Lamp(int of = 1) : power(of) {}
  virtual ~Lamp() = default;
  virtual int light() const { return power; }
};
struct Spot : Lamp {
  using Lamp::Lamp;
  int light() const override { return power * 10; }
};

class dice {
public:
  explicit dice(unsigned seed) : state_(seed * 2654435761U + 1) {}
  int below(int n) {
    state_ = state_ * 1664525U + 1013904223U;
    return static_cast<int>((state_ >> 8U) % static_cast<unsigned>(n));
  }

private:
  unsigned state_;
};

/// Memory for lamps, in which something else is where none lives.
class rack {
public:
  static constexpr int size = 150;

  ~rack() {
    for (int i = 0; i < size; ++i)
      take(i);
  }
  Lamp* put(int i, int kind, int power) {
    take(i);
    void* const at = slots_[i].bytes;
    return lives_[i] = kind == 0 ? new (at) Lamp(power) : new (at) Spot(power);
  }
  void take(int i) {
    if (lives_[i] == nullptr)
      return;
    lives_[i]->~Lamp();
    lives_[i] = nullptr;
    const int others[sizeof(Lamp) / sizeof(int)] = {7, 7, 7, 7};
    std::memcpy(slots_[i].bytes, others, sizeof(others));
  }
  Lamp* operator[](int i) const { return lives_[i]; }
  /// What lies where no lamp lives: nobody writes there.
  int rest() const {
    int sum = 0;
    for (int i = 0; i < size; ++i)
      for (std::size_t k = 0; k < sizeof(Lamp) && lives_[i] == nullptr; ++k)
        sum = sum * 31 % 10007 + slots_[i].bytes[k];
    return sum;
  }

private:
  struct slot {
    alignas(Lamp) unsigned char bytes[sizeof(Lamp)] = {};
  };
  slot slots_[size];
  Lamp* lives_[size] = {};
};

int run(unsigned seed) {
  dice roll(seed);
  std::vector<std::unique_ptr<Lamp>> owners;
  for (int i = 0; i < 40; ++i)
    owners.push_back(std::make_unique<Lamp>(i));
  rack made;
  ikra::resident scope{owners};
  const ikra::array lamps{owners};
  int sum = 0;
  for (int step = 0; step < 12; ++step) {
    // Some die, some are made, all at few addresses.
    const int kind = roll.below(3); // one, a short vector, a long one
    const int count = kind == 0 ? 1 : kind == 1 ? 2 + roll.below(4) : 100;
    const int first = kind == 2 ? roll.below(3) : roll.below(6);
    for (int i = first; i < first + count; ++i)
      if (made[i] == nullptr || roll.below(3) == 0) {
        const int of_class = roll.below(4);
        made.put(i, of_class, 1 + roll.below(9));
      }
    std::vector<Lamp*> many;
    for (int i = first; i < first + count; ++i)
      many.push_back(made[i]);
    if (roll.below(4) == 0)
      many.push_back(owners[static_cast<std::size_t>(roll.below(40))].get());
    if (count < 10 && roll.below(2) == 0) // the host's, without a word
      many.front()->power += 1;
    Lamp* const one = many.front();

    const int what = roll.below(5);
    if (what == 0)
      lamps.peach([one](Lamp* lamp) { lamp->seen = (lamp->seen * 3 + one->light()) % 1000; });
    else if (what == 1)
      lamps.peach([many](Lamp* lamp) {
        for (const Lamp* other : many)
          lamp->seen = (lamp->seen * 3 + other->light()) % 1000;
      });
    else if (what == 2)
      lamps.peach([&many](Lamp* lamp) {
        for (Lamp* other : many)
          ikra::atomic_add(other->seen, lamp->power);
      });
    else if (what == 3)
      ikra::array{many}.peach([](Lamp* lamp) { lamp->seen += lamp->light(); });
    else
      sum += lamps.pmap([many](const Lamp* lamp) { return lamp->power * many.back()->light(); })
                 .sum() %
             1000;
    if (roll.below(3) == 0) // another one before sync()
      lamps.peach([&many](Lamp* lamp) { lamp->seen += many.back()->light() + lamp->power; });

    scope.sync();
    if (roll.below(3) == 0)
      for (const Lamp* lamp : many)
        sum = (sum * 31 + lamp->seen + lamp->power) % 10007;
    for (int i = 0; i < rack::size; ++i)
      if (roll.below(3) == 0)
        made.take(i);
    if (roll.below(3) == 0) {
      lamps.peach([](Lamp* lamp) { lamp->seen += lamp->power; });
      if (roll.below(2) == 0)
        scope.sync();
    }
    sum = (sum * 31 + made.rest()) % 10007;
  }
  scope.sync();
  for (const auto& lamp : owners)
    sum = (sum * 17 + lamp->seen) % 100003;
  return sum;
}

/// More long vectors in a section than a scope keeps the IDs of, and a vector of vectors.
int run_lists(unsigned seed) {
  dice roll(seed);
  std::vector<std::unique_ptr<Lamp>> owners;
  for (int i = 0; i < 10; ++i)
    owners.push_back(std::make_unique<Lamp>(i));
  rack made;
  for (int i = 0; i < rack::size; ++i)
    made.put(i, 1, i % 7);
  ikra::resident scope{owners};
  const ikra::array lamps{owners};
  for (int step = 0; step < 5; ++step) {
    std::vector<std::vector<Lamp*>> rows(6);
    for (std::size_t k = 0; k < rows.size(); ++k)
      for (int i = 0; i < 70; ++i)
        rows[k].push_back(made[static_cast<int>(k) * 15 + i]);
    const std::vector<Lamp*>&a = rows[0], &b = rows[1], &c = rows[2], &d = rows[3], &e = rows[4],
          &f = rows[5];
    if (step % 2 == 0)
      lamps.peach([&a, &b, &c, &d, &e, &f](Lamp* lamp) {
        const auto i = static_cast<std::size_t>(lamp->power);
        lamp->seen = (lamp->seen * 3 + a[i]->light() + b[i]->light() * 2 + c[i]->light() * 3 +
                      d[i]->light() * 5 + e[i]->light() * 7 + f[i]->light() * 11) %
                     10007;
        ikra::atomic_add(a[i]->seen, 1);
        ikra::atomic_add(f[69 - i]->seen, 1);
      });
    else
      lamps.peach([&rows](Lamp* lamp) {
        for (std::size_t k = 0; k < rows.size(); ++k)
          lamp->seen =
              (lamp->seen * 3 + rows[k][static_cast<std::size_t>(lamp->power)]->light()) % 10007;
      });
    scope.sync();
    for (int i = 0; i < rack::size; ++i)
      if (roll.below(2) == 0) {
        const int seen = made[i]->seen, of_class = roll.below(3);
        made.put(i, of_class, 1 + roll.below(9))->seen = seen % 3;
      }
  }
  scope.sync();
  int sum = 0;
  for (const auto& lamp : owners)
    sum = (sum * 17 + lamp->seen) % 100003;
  for (int i = 0; i < rack::size; ++i)
    sum = (sum * 17 + made[i]->seen) % 100003;
  return sum;
}

} // namespace

int main() {
  for (unsigned seed = 0; seed < 400; ++seed)
    std::printf("%d%c", run(seed), seed % 16 == 15 ? '\n' : ' ');
  for (unsigned seed = 0; seed < 16; ++seed)
    std::printf("%d%c", run_lists(seed), seed == 15 ? '\n' : ' ');
}
