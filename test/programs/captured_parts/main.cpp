// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Captured objects that no scope has, and what they lead to. After sync() the host destroys them
// and makes others, writes to what they own, and replaces it; mostly at the same addresses. Members
// that no section used before are used then, and changed() names some of them.

#include <ikra/ikra.hpp>

#include <cstddef>
#include <cstdio>
#include <memory>
#include <new>
#include <optional>
#include <vector>

namespace {

struct Part {
  int size = 1;
  std::vector<int> plan{1, 2};
};
struct Boss {
  int pay = 1;
  Part own{};
  Part* lent = nullptr;
  std::unique_ptr<Part> desk = std::make_unique<Part>();
  std::vector<Part> pens = std::vector<Part>(2);
};
struct Car {
  int id = 0;
  long way = 0;
  std::vector<Part> parts = std::vector<Part>(1);
  std::unique_ptr<Part> motor = std::make_unique<Part>();
};

std::vector<Car> make_cars() {
  std::vector<Car> cars(30);
  for (std::size_t i = 0; i < cars.size(); ++i)
    cars[i].id = static_cast<int>(i);
  return cars;
}

void show(const char* name, ikra::resident& scope, const std::vector<Car>& cars) {
  scope.sync();
  long sum = 0;
  for (const Car& car : cars)
    sum = (sum * 3 + car.way) % 1000003;
  std::printf("%s: %ld\n", name, sum);
}

/// A new object in each turn, and what it leads to: on the stack, in a container, by an owner.
void made_in_each_turn() {
  std::vector<Car> cars = make_cars();
  ikra::resident scope{cars};
  for (int k = 0; k < 5; ++k) {
    Part part{k * 10, {k}};
    Boss boss;
    boss.pay = k;
    boss.lent = &part;
    boss.desk->size = k * 100;
    for (Part& pen : boss.pens)
      pen.size = k + 7;
    ikra::objects(cars).peach([b = &boss](Car* car) {
      car->way += b->pay + b->lent->size * 3 + b->desk->size * 5;
      for (const Part& pen : b->pens)
        car->way += pen.size * car->id;
    });
    scope.sync();
  }
  show("made in each turn", scope, cars);
}

/// An object that stays, and what the host does to it and to what it owns after sync().
void kept() {
  std::vector<Car> cars = make_cars();
  Boss boss;
  Part lent;
  boss.lent = &lent;
  ikra::resident scope{cars};
  for (int k = 0; k < 12; ++k) {
    ikra::objects(cars).peach([&boss](Car* car) {
      car->way = (car->way * 3 + boss.own.size + boss.lent->size + boss.desk->size) % 1009;
      for (const Part& pen : boss.pens)
        car->way += pen.size;
    });
    if (k % 2 == 0)
      boss.own.size += 3; // without a word, and without sync()
    if (k % 3 == 2)
      continue;
    scope.sync();
    switch (k % 4) {
    case 0:
      boss.pens[1].size = k;
      break;
    case 1:
      boss.desk.reset();
      boss.desk = std::make_unique<Part>();
      boss.desk->size = k + 5;
      break;
    case 2:
      boss.lent->size = k * 2;
      break;
    default:
      boss.pens.assign(2, Part{k, {k}});
      break;
    }
  }
  show("kept", scope, cars);
}

/// One is destroyed, and a section that captures another one uses a member for the first time.
void destroyed_before_members_are_used() {
  std::vector<Car> cars = make_cars();
  std::vector<std::unique_ptr<Part>> all;
  std::optional<Boss> one(std::in_place), other(std::in_place);
  Part third{9, {4, 5, 6}};
  other->lent = &third;
  ikra::resident scope{cars};
  for (int k = 0; k < 6; ++k)
    all.push_back(std::make_unique<Part>(Part{k, {k, k + 1}}));
  ikra::objects(cars).peach([a = &*one, b = &*other](Car* car) { car->way += a->pay + b->pay; });
  std::vector<const Part*> some{all[0].get(), all[1].get(), all[2].get()};
  ikra::objects(cars).peach([some](Car* car) { car->way += some[1]->size; });
  scope.sync();
  one.reset();
  all[1].reset();
  all[1] = std::make_unique<Part>(Part{20, {20}});
  some[1] = all[1].get();
  all[0].reset();
  some.erase(some.begin());
  ikra::objects(cars).peach([b = &*other](Car* car) {
    car->way += b->lent->plan[2] + b->own.plan[1] + b->pens[1].plan[0];
  });
  ikra::objects(cars).peach([&some](Car* car) {
    for (const Part* part : some)
      for (const int step : part->plan)
        car->way += step;
  });
  scope.sync();
  one.emplace().pay = 50;
  ikra::objects(cars).peach([a = &*one](Car* car) { car->way += a->pay + a->own.plan[1]; });
  show("destroyed", scope, cars);
}

/// changed() names a member that no section has used; a captured object's is replaced without.
void named_before_it_is_used() {
  std::vector<Car> cars = make_cars();
  Boss boss;
  ikra::resident scope{cars};
  ikra::objects(cars).peach([b = &boss](Car* car) { car->way += car->id + b->pay; });
  scope.sync();
  cars[3].parts.resize(4);
  scope.changed(&cars[3], &Car::parts);
  cars[4].motor = std::make_unique<Part>(Part{5, {5}});
  scope.changed(&cars[4], &Car::motor);
  boss.desk = std::make_unique<Part>(Part{6, {6}});
  boss.pens.resize(5);
  ikra::objects(cars).peach([](Car* car) {
    for (const Part& part : car->parts)
      car->way += part.size;
    car->way += car->motor->size;
  });
  ikra::objects(cars).peach([b = &boss](Car* car) {
    for (const Part& pen : b->pens)
      car->way += pen.size;
    car->way += b->desk->size;
  });
  show("named", scope, cars);
}

/// An object of the scope comes to lead to a captured one, since a section says so.
struct Node {
  int value = 0;
  Node* next = nullptr;
};
void led_to_by_sections() {
  std::vector<Node> nodes(20);
  ikra::resident scope{nodes};
  int sum = 0;
  for (int k = 0; k < 4; ++k) {
    Node extra{k * 5, nullptr};
    ikra::objects(nodes).peach([e = &extra](Node* node) { node->next = e; });
    ikra::objects(nodes).peach(
        [](Node* node) { node->value += node->next->value; }); // NOLINT(ikra-unshared-read)
    scope.sync();
    extra.value += 1;
    ikra::objects(nodes).peach(
        [](Node* node) { node->value += node->next->value; }); // NOLINT(ikra-unshared-read)
    ikra::objects(nodes).peach([](Node* node) { node->next = nullptr; });
    scope.sync();
    sum = sum * 7 + nodes[3].value;
  }
  std::printf("led to: %d\n", sum);
}

} // namespace

int main() {
  made_in_each_turn();
  kept();
  destroyed_before_members_are_used();
  named_before_it_is_used();
  led_to_by_sections();
}
