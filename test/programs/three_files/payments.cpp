// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model.hpp"

namespace {

class Company final : public Holder {
  IKRA_OBJECT

public:
  int risk() const override { return 9; }
};

} // namespace

// Does not look at holders.
void pay(const Accounts& accounts, int amount) {
  accounts.peach([amount](Account* a) {
    long long sum = amount;
    for (const Account* other : a->others)
      sum += other->moves; // which no account writes here
    a->balance += sum;
    a->flags = static_cast<unsigned>(sum % 8);
  });
}

void choose_banks(const Accounts& accounts, Bank* bank) {
  accounts.peach([bank](Account* a) {
    if (a->bank == nullptr || a->bank->rate < bank->rate)
      a->bank = bank;
    else if (a->balance % 2 == 0)
      a->balance += a->bank->number;
  });
}

std::unique_ptr<Holder> company() { return std::make_unique<Company>(); }
