// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several sections over the same objects, one after the other and in counted loops: in one kernel,
// in several, and where they cannot be a sequence since something changes between them.

#include "wheels.hpp"

#include <ikra/ikra.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <memory>
#include <vector>

namespace {

struct Road {
  double limit = 3;
  int visits = 0;
};

class Car {
public:
  virtual ~Car() = default;
  virtual void accelerate(int step) { speed += 0.25 * step + pull(); }
  virtual double pull() const { return 0.5; }
  void move() { position += speed; }
  void brake() {
    if (speed > road->limit)
      speed = road->limit / 2;
  }
  void look() { gap = ahead->position - position; }
  void follow() { speed += 0.125 * gap; }
  void count() { ikra::atomic_add(road->visits, 1); }

  double position = 0, speed = 0, gap = 0;
  std::array<int, 2> state{};
  Car* ahead = nullptr;
  Road* road = nullptr;
  std::uint64_t seen = 0;
};

class Truck : public Car {
public:
  double pull() const override { return 0.125 * load; }
  void accelerate(int step) override {
    Car::accelerate(step / 2);
    load = (load + step) % 7;
  }
  int load = 3;
};

using Cars = std::vector<std::unique_ptr<Car>>;

class Simulation {
public:
  explicit Simulation(std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
      if (i % 3 == 0)
        cars_.push_back(std::make_unique<Truck>());
      else
        cars_.push_back(std::make_unique<Car>());
      cars_.back()->position = 10.0 * static_cast<double>(i);
    }
    roads_.resize(3);
    for (std::size_t i = 0; i < n; ++i) {
      cars_[i]->ahead = cars_[(i + 1) % n].get();
      cars_[i]->road = &roads_[i % roads_.size()];
    }
    roads_[1].limit = 5;
  }

  // One kernel for all turns.
  void drive(int steps) {
    for (int step = 0; step < steps; ++step) {
      ikra::array{cars_}.peach([=](Car* c) { c->accelerate(step); });
      ikra::array{cars_}.peach([](Car* c) { c->brake(); });
      ikra::array{cars_}.peach([](Car* c) { c->move(); });
    }
  }
  // Others' positions are read between writes to them.
  void follow(std::int64_t steps) {
    for (std::int64_t step = 2; step < steps; step++) {
      ikra::array{cars_}.peach([](Car* c) { c->look(); });
      ikra::array{cars_}.peach([step](Car* c) {
        c->follow();
        c->seen = c->seen * 3 + static_cast<std::uint64_t>(step);
      });
      ikra::array{cars_}.peach([](Car* c) { c->move(); });
    }
  }
  // Statements without a loop, with members of this object and ticks.
  void rest(double by) {
    ikra::array{cars_}.peach([this](Car* c) { c->speed *= friction; });
    ikra::array{cars_}.peach(3, [=](Car* c, std::int64_t tick) {
      c->speed -= by;
      c->seen += static_cast<std::uint64_t>(tick);
    });
    ikra::array{cars_}.peach([](Car* c) { c->count(); });
  }
  const Cars& cars() const { return cars_; }
  Cars& cars() { return cars_; }
  std::vector<Road>& roads() { return roads_; }
  double friction = 0.75;

private:
  Cars cars_;
  std::vector<Road> roads_;
};

/// Loops whose variable is there before and after.
void outside(Simulation& of, int n) {
  auto& cars = of.cars();
  int t = 1;
  while (t <= n) {
    ikra::array{cars}.peach([t](Car* c) { c->accelerate(t); });
    ikra::array{cars}.peach([](Car* c) { c->move(); });
    t += 3;
  }
  const int last = t;
  for (; t != 0; --t) {
    ikra::array{cars}.peach([=](Car* c) { c->speed -= 0.125 * t; });
  }
  while (t > n) {
    ikra::array{cars}.peach([=](Car* c) { c->speed -= 1000; });
    t--;
  }
  std::cout << "outside " << last << ' ' << t << '\n';
}

void print(const char* name, Simulation& of) {
  double position = 0, speed = 0, gap = 0;
  std::uint64_t seen = 0;
  int state = 0, visits = 0;
  for (const auto& c : of.cars()) {
    position += c->position;
    speed += c->speed;
    gap += c->gap;
    seen = seen * 31 + c->seen;
    state = (state * 5 + c->state[0] * 2 + c->state[1]) % 100003;
  }
  for (const Road& r : of.roads())
    visits = visits * 7 + r.visits;
  std::cout << name << ": " << position << " " << speed << " " << gap << " " << seen << " " << state
            << " " << visits << "\n";
}

// What a turn writes, the next one reads of others: one kernel, but a launch for each turn.
void life(const ikra::array<Car*, 1>& cars, unsigned turns) {
  for (unsigned t = 0; t < turns; ++t)
    cars.peach([t](Car* c) {
      const std::size_t from = t % 2, to = 1 - t % 2;
      c->state[to] = (c->ahead->state[from] + c->state[from] + 1) % 5;
    });
}

// Values that change between the sections.
void changes(const ikra::array<Car*, 1>& cars, Car& first) {
  double& speed = first.speed;
  cars.peach([](Car* c) { c->speed += 1; });
  cars.peach([speed](Car* c) { c->position += speed; });
  cars.peach([&speed](Car* c) { c->gap += speed; });
  double by = 1;
  for (int t = 0; t < 3; ++t) {
    cars.peach([by](Car* c) { c->speed += by; });
    cars.peach([=](Car* c) { c->position += by * t; });
    by *= 2;
  }
  int calls = 0;
  const auto next = [&] { return ++calls; };
  cars.peach([k = next()](Car* c) { c->seen += static_cast<std::uint64_t>(k); });
  cars.peach([k = next()](Car* c) { c->seen *= static_cast<std::uint64_t>(k); });
  // A lazy array that reads what the section before writes.
  const auto speeds = cars.pmap([](const Car* c) { return c->speed; });
  cars.peach([](Car* c) { c->speed = -c->speed; });
  cars.peach([speeds](Car* c) { c->gap += speeds[0]; });
}

// Containers, objects and other captures.
void captures(Simulation& of) {
  const ikra::array<Car*, 1> cars{of.cars()};
  const std::vector<double> table{0.5, 0.25, 2};
  std::vector<Car*> leaders{of.cars()[0].get(), of.cars()[1].get()};
  Road& road = of.roads()[1];
  const Car* const leader = of.cars().back().get();
  const unsigned char small = 3;
  for (std::size_t t = 0; t < 20; ++t) {
    cars.peach([&](Car* c) { c->speed += table[t % table.size()] * road.limit; });
    cars.peach([&, t](Car* c) { c->gap += static_cast<double>(leaders.size() + t) + small; });
    cars.peach([leader](Car* c) { c->seen += c == leader ? 1 : 2; });
  }
}

// An element that stands twice, so that two threads may write to it, and one that is null.
void repeats(Simulation& of) {
  Car* const first = of.cars()[0].get();
  Car* const second = of.cars()[1].get();
  const ikra::array<Car*, 1> twice(std::vector<Car*>{first, second, first});
  for (int t = 0; t < 18; ++t) {
    twice.peach(1, [](Car* c) { ikra::atomic_add(c->seen, std::uint64_t(3)); });
    twice.peach([](Car* c) { ikra::atomic_add(c->position, c->speed); });
  }
  const ikra::array<Car*, 1> some(std::vector<Car*>{first, nullptr, second});
  for (int t = 0; t < 18; ++t) {
    some.peach([](Car* c) {
      if (c != nullptr)
        c->gap += 1;
    });
    some.peach([](Car* c) {
      if (c != nullptr)
        c->gap *= 2;
    });
  }
}

// Loops as programs have them: bounds of all kinds, methods, members, vectors of pointers, and
// containers whose elements sections write.
struct Unit {
  double weight = 1, sum = 0;
  int steps = 2;
  std::vector<double> weights{1, 2, 3};
  std::vector<double> gradient{0.5, 0.25, 0.125};
  std::uint64_t seen = 0;
  void descend() {
    for (std::size_t i = 0; i < weights.size(); ++i)
      weights[i] -= 0.125 * gradient[i];
  }
  void forward() {
    sum = 0;
    for (const double w : weights)
      sum += w * weight;
  }
  void note(std::uint64_t t) { seen = seen * 5 + t; }
};

struct Settings {
  int steps = 19;
  double rate = 0.25;
};

class Network {
public:
  explicit Network(std::size_t n) : all_(n) {
    for (std::size_t i = 0; i < n; ++i) {
      all_[i].weight = static_cast<double>(i % 7);
      pointers_.push_back(&all_[i]);
    }
  }

  void bounds(int n, unsigned m) {
    const std::vector<Unit*>& some = pointers_;
    for (int t = 1; t <= n; ++t) {
      ikra::array{some}.peach(&Unit::descend);
      ikra::array{some}.peach([t](Unit* u) { u->note(static_cast<std::uint64_t>(t)); });
    }
    for (int t = n; t > 0; --t)
      ikra::array{pointers_}.peach([t](Unit* u) { u->note(static_cast<std::uint64_t>(t)); });
    for (int t = n - 1; t >= -3; t--) {
      ikra::array{pointers_}.peach([t](Unit* u) { u->note(static_cast<std::uint64_t>(t + 9)); });
      ikra::array{pointers_}.peach(&Unit::forward);
    }
    for (std::size_t t = 0; t < all_.size(); ++t)
      ikra::objects(all_).peach([t](Unit* u) { u->note(t); });
    for (unsigned t = m; t != 30; ++t)
      ikra::objects(all_).peach([t](Unit* u) { u->note(t); });
    for (std::uint8_t t = 200; t < 255; ++t)
      ikra::objects(all_).peach([t](Unit* u) { u->note(t); });
    for (unsigned t = 0; t < static_cast<unsigned>(n) + 2 * m; ++t)
      ikra::objects(all_).peach([t](Unit* u) { u->note(t); });
    for (std::int64_t t = -7; t < 7; ++t)
      ikra::objects(all_).peach([t](Unit* u) { u->note(static_cast<std::uint64_t>(t + 7)); });
    for (int t = 1; t < n; t += 2)
      ikra::array{pointers_}.peach([t](Unit* u) { u->note(static_cast<std::uint64_t>(t)); });
    constexpr unsigned step = 7;
    for (std::uint8_t t = 3; t <= 120; t += step) {
      ikra::objects(all_).peach([t](Unit* u) { u->note(t); });
      ikra::objects(all_).peach(&Unit::forward);
    }
    for (int t = n; t > -5; t -= 3)
      ikra::objects(all_).peach([t](Unit* u) { u->note(static_cast<std::uint64_t>(t + 9)); });
    for (int t = 0; t < settings.steps; ++t) {
      ikra::objects(all_).peach([rate = settings.rate, half = 0.5 * settings.rate](Unit* u) {
        u->weight += rate - half;
      });
      ikra::objects(all_).peach([](Unit* u) { u->forward(); });
    }
  }
  // The host reads for each section what another one writes.
  void members(Unit& first) {
    for (int t = 0; t < first.steps; ++t)
      ikra::objects(all_).peach([](Unit* u) { u->steps = 3; });
    for (int t = 0; t < 3; ++t) {
      ikra::objects(all_).peach([w = first.weight](Unit* u) { u->weight += w; });
      ikra::objects(all_).peach([](Unit* u) { u->sum += u->weight; });
    }
    const std::vector<double>& others = first.gradient;
    ikra::objects(all_).peach([](Unit* u) { u->gradient[0] = u->weight; });
    ikra::objects(all_).peach([&others](Unit* u) { u->sum += others[0]; });
    const std::vector<double> mine = first.gradient;
    ikra::objects(all_).peach([](Unit* u) { u->gradient[0] += 1; });
    ikra::objects(all_).peach([&mine](Unit* u) { u->sum += mine[0] + u->gradient[0]; });
  }
  void print(const char* name) const {
    double sum = 0;
    std::uint64_t seen = 0;
    for (const Unit& u : all_) {
      sum = sum * 0.5 + u.weight + u.sum + u.weights[1] + u.gradient[0] + u.steps;
      seen = seen * 31 + u.seen;
    }
    std::cout << name << ": " << sum << " " << seen << "\n";
  }
  std::vector<Unit>& all() { return all_; }
  Settings settings;

private:
  std::vector<Unit> all_;
  std::vector<Unit*> pointers_;
};

void natural(std::size_t n) {
  Network of(n);
  of.bounds(20, 3);
  of.members(of.all()[0]);
  of.print("natural");
  {
    ikra::resident scope{of.all()};
    of.bounds(5, 27);
    of.settings.steps = 3;
    of.settings.rate = 8;
    of.bounds(0, 2);
  }
  of.print("natural in a scope");
  of.members(of.all()[0]);
  of.print("natural after it");
}

void run(Simulation& of, std::int64_t n) {
  of.drive(static_cast<int>(n));
  of.follow(n);
  of.rest(0.5);
  of.drive(0);
  of.drive(-3);
  of.follow(2);
}

// A header's sequence, with objects that stay, and with a class that one file alone knows.
void wheels() {
  std::vector<Wheel> all(3000);
  std::vector<Wheel*> pointers;
  for (Wheel& w : all)
    pointers.push_back(&w);
  const auto report = [&](double tyre) {
    double sum = tyre;
    for (const Wheel& w : all)
      sum += w.angle + w.speed;
    std::cout << "wheels: " << sum << "\n";
  };
  spin(pointers, 30);
  report(spin_elsewhere(pointers, 20));
  double tyre = 0;
  {
    const ikra::resident scope{pointers};
    spin(pointers, 30);
    tyre = spin_elsewhere(pointers, 3);
  }
  report(tyre);
}

// Two arrays in one loop: of other objects, of some of the same, and of what is not computed yet.
struct Wolf {
  virtual ~Wolf() = default;
  virtual int hunger() const { return 1; }
  Car* prey = nullptr;
  double x = 0;
  int eaten = 0;
};
struct OldWolf : Wolf {
  int hunger() const override { return 2; }
};
void hunt(Simulation& of, std::vector<std::unique_ptr<Wolf>>& wolves, int turns) {
  const Cars& cars = of.cars();
  for (int t = 0; t < turns; ++t) {
    ikra::array{wolves}.peach([t](Wolf* w) { w->x += w->prey->position / 64 - t; });
    ikra::array{cars}.peach([](Car* c) { c->position += c->speed / 2; });
    ikra::array{cars}.peach([](Car* c) { c->speed += c->ahead->gap / 256; });
    ikra::array{wolves}.peach(
        [](Wolf* w) { w->eaten += w->hunger() + (w->prey->position > w->x); });
  }
}
void some(Simulation& of, int turns) {
  const ikra::array<Car*, 1> all{of.cars()};
  std::vector<Car*> last, mixed;
  for (std::size_t i = 0; i < of.cars().size(); ++i) {
    if (2 * i > of.cars().size())
      last.push_back(of.cars()[i].get());
    mixed.push_back(of.cars()[of.cars().size() - 1 - i].get());
  }
  for (int t = 0; t < turns; ++t) {
    all.peach([](Car* c) { c->gap += 1; });
    ikra::array{last}.peach([](Car* c) { c->gap *= 0.5; });
  }
  for (int t = 0; t < turns; ++t) {
    ikra::array{mixed}.peach([](Car* c) { c->gap += c->speed; });
    all.peach([](Car* c) { c->gap *= 0.75; });
  }
  const auto far = all.pselect([](const Car* c) { return c->gap > 4; });
  for (int t = 0; t < turns; ++t) {
    all.peach([t](Car* c) { c->gap += t == 0 ? 2 : 0; });
    far.peach([](Car* c) { c->gap -= 1; }); // the choice is of the first turn's gaps
  }
}
void hunts(Simulation& of, int turns) {
  std::vector<std::unique_ptr<Wolf>> wolves;
  for (std::size_t i = 0; i < of.cars().size(); i += 2) {
    wolves.push_back(i % 3 == 0 ? std::make_unique<OldWolf>() : std::make_unique<Wolf>());
    wolves.back()->prey = of.cars()[i].get();
  }
  hunt(of, wolves, turns);
  some(of, turns);
  {
    ikra::resident scope{of.cars(), wolves};
    hunt(of, wolves, turns);
    some(of, turns);
    hunt(of, wolves, turns + 2);
  }
  {
    ikra::resident scope{of.cars()}; // of one alone
    hunt(of, wolves, turns);
  }
  std::vector<std::unique_ptr<Wolf>> none;
  hunt(of, none, turns);
  double x = 0;
  int eaten = 0;
  for (const auto& w : wolves) {
    x += w->x;
    eaten += w->eaten;
  }
  std::printf("hunts: %.9g %d\n", x, eaten);
}

/// Objects stay on the device in a host section; what it returns may be computed after it.
void stays(Simulation& s, int steps) {
  const Cars& cars = s.cars();
  const ikra::array<Car*, 1> all{cars};
  double total = 0;
  std::int64_t ahead = 0;
  const auto gaps = ikra::host_section([&] {
    for (int t = 0; t < steps; ++t) {
      ikra::array{cars}.peach(20, [](Car* c) { c->speed *= 0.75; });
      const double sum = all.pmap([](const Car* c) { return c->speed; }).sum();
      total += sum;
      all.peach([sum](Car* c) { c->position += sum; });
      all.pselect([](const Car* c) { return c->position > 3; }).peach(18, [](Car* c) {
        c->gap += c->position / 8;
      });
      if (t % 3 == 1)
        all.peach(30, [t](Car* c) { c->speed += t; });
      ahead += all.count([sum](const Car* c) { return c->position > sum; });
      if (all.any([](const Car* c) { return c->gap > 2; }) && !all.all(&Car::gap))
        ahead += all.phistogram(2, [](const Car* c) { return c->gap > 2 ? 1 : 0; })[1];
      total += all.psort_by([](const Car* c) { return -c->position; }).pmap([](const Car* c) {
        return c->position;
      })[0];
    }
    return all.pmap([](const Car* c) { return c->gap; });
  });
  cars[0]->gap = 5; // before they are computed
  std::printf("stays: %.9g %.9g, %lld\n", total, gaps.sum(), static_cast<long long>(ahead));
}

} // namespace

void captured_lists(); // captured_lists.cpp

int main() {
  wheels();
  natural(5);
  natural(3000);
  for (const std::size_t size : {std::size_t(5), std::size_t(3000)}) {
    for (const std::int64_t n : {std::int64_t(3), std::int64_t(40), std::int64_t(200)}) {
      Simulation plain(size);
      run(plain, n);
      print("plain", plain);
      {
        const ikra::resident scope{plain.cars()};
        run(plain, n);
        run(plain, 4);
      }
      print("resident", plain);
      ikra::host_section([&] { run(plain, 5); });
      print("section", plain);
    }
    Simulation held(size);
    for (const int steps : {0, 1, 7})
      stays(held, steps);
    print("held", held);
    for (const int turns : {3, 40, 150})
      hunts(held, turns);
    print("hunted", held);
    Simulation all(size);
    for (const int n : {-1, 20, 200})
      outside(all, n);
    print("outside", all);
    const ikra::array<Car*, 1> cars{all.cars()};
    life(cars, 7);
    changes(cars, *all.cars()[0]);
    print("changes", all);
    {
      ikra::resident scope{cars};
      life(cars, 301);
      captures(all);
      scope.sync();
      all.cars()[0]->speed = 100;
      scope.changed();
      captures(all);
      repeats(all);
    }
    print("scope", all);
    captures(all);
    repeats(all);
    const auto fast = cars.pselect([](const Car* c) { return c->gap > 0; });
    for (int t = 0; t < 30; ++t) {
      fast.peach([](Car* c) { c->speed *= 0.5; });
      fast.peach([](Car* c) { c->position += c->speed; });
    }
    print("rest", all);
  }
  captured_lists();
}
