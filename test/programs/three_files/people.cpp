// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model.hpp"

void trust(const Accounts& accounts) {
  accounts.peach([](Account* a) {
    ++a->moves;
    if (a->holder != nullptr && a->holder->risk() < 4)
      a->balance += 5;
    if (const auto* person = dynamic_cast<const Person*>(a->holder))
      if (person->friend_of != nullptr && person->friend_of->age > 31)
        a->balance -= person->friend_of->trust;
  });
}

void age(const ikra::array<Person*>& people) {
  people.peach([](Person* p) {
    ++p->age;
    p->trust += p->age % 4;
  });
}

std::vector<Account*> risky(const Accounts& accounts, int of) {
  const ikra::array<Account*> chosen = accounts.pselect([of](const Account* a) {
    return a->holder != nullptr && a->holder->risk() >= of && a->balance % 3 != 0;
  });
  return {chosen.begin(), chosen.end()};
}
