// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accounts and those who hold them: three files with sections over the same objects. Two have
// classes of their own, which the others know by an interface at most.
#pragma once

#include <ikra/ikra.hpp>

#include <memory>
#include <vector>

struct Bank {
  int number = 0;
  long long total = 0;
  float rate = 1;
};

class Holder {
  IKRA_OBJECT

public:
  virtual ~Holder() = default;
  virtual int risk() const = 0;
  int trust = 0;
};

class Person final : public Holder {
  IKRA_OBJECT

public:
  int risk() const override { return 2 + trust % 3; }
  Person* friend_of = nullptr;
  int age = 30;
};

struct Account {
  Holder* holder = nullptr;
  Bank* bank = nullptr;
  std::vector<Account*> others;
  long long balance = 0;
  int moves = 0;
  unsigned flags : 3 = 0;
};

using Accounts = ikra::array<Account*>;
void pay(const Accounts& accounts, int amount);                // payments.cpp
void choose_banks(const Accounts& accounts, Bank* bank);       // payments.cpp
std::unique_ptr<Holder> company();                             // payments.cpp
void trust(const Accounts& accounts);                          // people.cpp
void age(const ikra::array<Person*>& people);                  // people.cpp
std::vector<Account*> risky(const Accounts& accounts, int of); // people.cpp
