// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// unshared_update: what several elements may reach is updated without an atomic. Nothing is said of what elements own.
//
// RUN: split-file %s %t
// RUN: %ikrac -o %t.cu %t/warned.cpp -- %ikra_flags 2>&1 | FileCheck %t/warned.cpp
// RUN: %ikrac -o %t.cu %t/accepted.cpp -- %ikra_flags 2>&1 | count 0

//--- warned.cpp
#include <ikra/ikra.hpp>
#include <memory>
#include <vector>
struct Account {
  long balance = 0;
  void deposit(long amount) { balance += amount; }
  // CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: several elements may update 'Account::balance' of one object at once, and updates get lost: make it a std::atomic, or use std::atomic_ref or ikra::atomic_add; if each element has an object of its own there, hold it by value or by std::unique_ptr, or say so by // NOLINT(ikra-unshared-update) [ikra-unshared-update]
  // CHECK-DAG: warned.cpp:[[@LINE+13]]:59: note: called here
  // CHECK-DAG: warned.cpp:[[@LINE+12]]:34: note: reached from this section
};
struct Counter {
  int seen = 0;
};
struct Transfer {
  Account* to = nullptr;
  std::shared_ptr<Account> from;
  std::vector<Account*> others;
  long amount = 0;
};
void sections(std::vector<Transfer>& transfers, Counter& counter) {
  ikra::objects(transfers).peach([](Transfer* t) { t->to->deposit(t->amount); });
  ikra::objects(transfers).peach([](Transfer* t) { t->from->balance = t->from->balance - t->amount; });
  // CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: several elements may update 'Account::balance'
  ikra::objects(transfers).peach([](Transfer& t) {
    for (Account* other : t.others)
      ++other->balance;
    // CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: several elements may update 'Account::balance'
  });
  ikra::objects(transfers).peach([&](Transfer*) { counter.seen += 1; });
  // CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: several elements may update 'Counter::seen'
}
void captured_otherwise(std::vector<Transfer>& transfers, Counter& counter, std::vector<Counter*>& counters) {
  ikra::objects(transfers).peach([of = &counter](Transfer*) { of->seen += 1; });
  // CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: several elements may update 'Counter::seen'
  ikra::objects(transfers).peach([first = counters[0]](Transfer*) { first->seen += 2; });
  // CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: several elements may update 'Counter::seen'
  ikra::objects(transfers).peach([&counters](Transfer*) { counters[0]->seen += 3; });
  // CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: several elements may update 'Counter::seen'
  ikra::objects(transfers).peach([&counters](Transfer*) { counters.front()->seen += 4; });
  // CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: several elements may update 'Counter::seen'
}
struct Agent {
  Agent* ahead = nullptr;
  int count = 0;
};
void chosen(std::vector<Agent>& agents) {
  ikra::objects(agents).peach([](Agent* a) {
    Agent* other = a->ahead ? a->ahead : a;
    other->count += 1;
    // CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: several elements may update 'Agent::count'
  });
}
void not_answered(std::vector<Transfer>& transfers) {
  ikra::objects(transfers).peach([](Transfer* t) {
    t->to->balance += 1; // NOLINT
    // CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: several elements may update 'Account::balance'
    t->to->balance += 2; // NOLINTNEXTLINE(ikra-unshared-update)
    // CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: several elements may update 'Account::balance'
    t->to->balance += 3; // NOLINT(ikra-unshared)
    // CHECK-DAG: warned.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: several elements may update 'Account::balance'
  });
}
// CHECK: 12 warnings generated.

//--- accepted.cpp
#include <ikra/ikra.hpp>
#include <memory>
#include <vector>
struct Engine {
  float power = 1;
  void tune() { power *= 2; }
};
struct Account {
  long balance = 0;
};
struct Car {
  Engine engine;
  std::unique_ptr<Engine> spare;
  std::vector<Engine> more;
  Account* bill = nullptr;
  float x[2] = {0, 0};
  int now = 0, ticks = 0;
  void go() {
    engine.tune();
    spare->tune();
    for (Engine& each : more)
      each.tune();
    x[1 - now] = x[now] + 1;
    ++ticks;
    ikra::atomic_add(bill->balance, 1L);
  }
};
void sections(std::vector<Car>& cars) {
  ikra::objects(cars).peach([](Car* car) { car->go(); });
  ikra::objects(cars).peach([](Car& car) {
    car.engine.power += 1;
    car.spare->power += 1;
    Engine* best = &car.engine;
    best->power += 1;
    Engine* either = car.now == 0 ? &car.engine : car.spare.get();
    either->power += 1;
    car.bill->balance = 7; // the same for all
    car.bill->balance += 1; // NOLINT(ikra-unshared-update)
    // NOLINTNEXTLINE(ikra-taken-name, ikra-unshared-update)
    car.bill->balance += 1;
  });
}
void own(std::vector<Car>& cars, std::vector<Account*>& accounts) {
  ikra::objects(cars).peach([&accounts](Car* car) { accounts[std::size_t(car->ticks)]->balance += 1; });
}
