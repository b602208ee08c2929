// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model.hpp"

#include <cstdio>
#include <utility>

namespace {

struct Town {
  std::vector<Bank> banks = std::vector<Bank>(3);
  std::vector<std::unique_ptr<Holder>> holders;
  std::vector<std::unique_ptr<Account>> owned;
  std::vector<Person*> people;
  std::vector<Account*> accounts;
};

Town town(int n, bool with_company) {
  Town made;
  for (int b = 0; b < 3; ++b) {
    made.banks[static_cast<std::size_t>(b)].number = b + 1;
    made.banks[static_cast<std::size_t>(b)].rate = 1.0f + static_cast<float>(b) * 0.25f;
  }
  for (int i = 0; i < n; ++i) {
    auto person = std::make_unique<Person>();
    person->age = 25 + i % 13;
    if (i > 2)
      person->friend_of = made.people[static_cast<std::size_t>(i * 3 % (i - 1))];
    made.people.push_back(person.get());
    made.holders.push_back(std::move(person));
  }
  if (with_company)
    made.holders.push_back(company());
  for (int i = 0; i < 2 * n; ++i) {
    auto account = std::make_unique<Account>();
    const auto at = static_cast<std::size_t>(i);
    account->holder = i % 9 == 0 ? nullptr : made.holders[at * 5 % made.holders.size()].get();
    if (i % 4 != 0)
      account->bank = &made.banks[at % 2];
    for (int k = 1; k < i % 4; ++k)
      account->others.push_back(made.accounts[static_cast<std::size_t>(i - k)]);
    made.accounts.push_back(account.get());
    made.owned.push_back(std::move(account));
  }
  return made;
}

/// This file's section: of people's ages by way of accounts.
void celebrate(const Accounts& accounts) {
  accounts.peach([](Account* a) {
    if (const auto* person = dynamic_cast<const Person*>(a->holder); person && person->age > 30)
      a->balance += person->age;
    if (a->bank != nullptr)
      a->moves += a->bank->number;
  });
}

void print(const char* what, const Town& of) {
  long long balances = 0, moves = 0, flags = 0, banks = 0, people = 0;
  for (std::size_t i = 0; i < of.accounts.size(); ++i) {
    const Account& a = *of.accounts[i];
    const auto weight = static_cast<long long>(i % 5 + 1);
    balances += a.balance * weight;
    moves += a.moves * weight;
    flags += a.flags * weight;
    banks += a.bank == nullptr ? 0 : a.bank->number * weight;
  }
  for (const Person* p : of.people)
    people += p->age * 3 + p->trust;
  std::printf("%s: %lld %lld %lld %lld %lld\n", what, balances, moves, flags, banks, people);
}

void run(const char* what, Town& of) {
  const Accounts accounts{of.accounts};
  const ikra::array<Person*> people{of.people};
  ikra::resident scope{accounts, people};
  for (int t = 0; t < 5; ++t) {
    pay(accounts, t);
    trust(accounts);
    if (t % 2 == 0)
      age(people);
    celebrate(accounts);
    if (t == 2)
      choose_banks(accounts, &of.banks[2]);
    std::printf(" %zu", risky(accounts, 3).size());
  }
  scope.sync();
  print(what, of);
  of.banks[1].number = 50;
  of.people[4]->age = 90;
  scope.changed();
  celebrate(accounts);
  trust(accounts);
  {
    // Other objects in another scope, whose sections come in another order.
    Town other = town(20, false);
    const Accounts others{other.accounts};
    ikra::resident inner{others};
    celebrate(others);
    choose_banks(others, &other.banks[2]);
    trust(others);
    celebrate(accounts);
    inner.sync();
    print("inner", other);
  }
  const std::vector<Account*> chosen = risky(accounts, 2);
  pay(Accounts{chosen}, 100); // another array of objects of the scope
  celebrate(accounts);
  scope.sync();
  print(what, of);
}

} // namespace

int main() {
  Town people_only = town(60, false), with_company = town(50, true);
  run("people", people_only);
  run("with a company", with_company);
  run("people again", people_only);
  return 0;
}
