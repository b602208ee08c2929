// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables of the program in sections: containers, pointers and objects, in lambdas, functions and
// methods, and their values when each section starts; constant ones in a lazy operation too.

#include <cstdio>
#include <ikra/ikra.hpp>
#include <memory>
#include <vector>
struct Street {
  float speed = 3;
  int cars = 0;
};
struct Car {
  static inline std::vector<float> weights{1, 2, 3};
  float v = 0;
  int k = 0;
  Street* at = nullptr;
  void go();
};
std::vector<Street> streets(2);
Street* home = nullptr;
std::unique_ptr<Street> away = std::make_unique<Street>();
std::vector<Street*> some;
Street town;
const std::vector<int> steps{4, 5, 6};
namespace settings {
static std::vector<int> limits{7, 8};
}
float total() {
  float sum = 0;
  for (const float w : Car::weights)
    sum += w;
  return sum;
}
void Car::go() {
  v += weights[k % weights.size()] + float(settings::limits.back());
  at = home;
  if (home)
    v += home->speed;
  v += away->speed + town.speed;
  for (const Street* s : some)
    v += s->speed;
  ikra::atomic_add(town.cars, 1);
}

// Sections that run as a sequence, and objects that are told apart.
namespace actors {
struct Actor {
  virtual ~Actor() = default;
  virtual float pay() const { return x; }
  virtual void go();
  float x = 1;
};
struct Boss : Actor {
  float pay() const override { return 2 * x; }
};
Actor* boss = nullptr;
std::vector<float> weights{1, 2};
void Actor::go() { x += boss->pay() * 0.5f + weights[0]; }
void run() {
  Actor first, second;
  Boss third, one;
  std::vector<Actor*> all{&third, &first, &second};
  boss = &one;
  const ikra::array actors{all};
  for (int t = 0; t < 5; ++t) {
    actors.peach([](Actor* a) { a->go(); });
    actors.peach([](Actor* a) { a->x += weights[1]; });
  }
  boss = all[1];
  weights = {3, 4, 5};
  {
    ikra::resident scope{all};
    for (int t = 0; t < 5; ++t) {
      actors.peach([](Actor* a) { a->x += weights.back() + float(boss == a); });
      actors.peach(2, [](Actor* a) { a->x += weights.at(1); });
    }
  }
  for (Actor* a : all)
    std::printf("%g ", double(a->x));
  std::puts("");
}
} // namespace actors

int main() {
  std::vector<Car> cars(5);
  for (int i = 0; i < 5; ++i)
    cars[i].k = i;
  for (int turn = 0; turn < 3; ++turn) {
    home = turn == 2 ? nullptr : &streets[turn];
    streets[turn % 2].speed = float(turn + 5);
    some.push_back(&streets[0]);
    Car::weights.push_back(float(turn));
    settings::limits.back() += turn;
    ikra::resident scope{cars};
    ikra::objects(cars).peach(2, [](Car* c) {
      c->go();
      c->v += total() + Car::weights.front() + streets[1].speed;
      for (const Street& s : streets)
        c->v += s.speed;
    });
    scope.sync();
    for (const Car& c : cars)
      std::printf("%g %d\n", double(c.v), c.at ? int(c.at - streets.data()) : -1);
  }
  const auto plus = ikra::array{std::vector{1, 2, 3}}.pmap(
      [](int x) { return x + steps[x % 3] + int(steps.size()); });
  for (const int x : plus)
    std::printf("%d ", x);
  std::printf("%d\n", town.cars);
  actors::run();
}
