// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays in which objects stand several times: a section runs for each occurrence, one after the
// other, and loses no write. In columns and on the objects as they are, in a scope and without one.
// Arrays of some objects of several classes, in another order, with nulls.
#include <ikra/ikra.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

struct Account {
  double balance = 1;
  int visits = 0;
  std::uint64_t history = 0;
  virtual ~Account() = default;
  virtual double rate() const { return 1.0625; }
  void visit(double amount) {
    balance = balance * rate() + amount;
    ++visits;
    history = history * 31 + static_cast<std::uint64_t>(visits);
    for (int i = 0; i < 40; ++i)
      balance = balance > 64 ? balance / 2 : balance + 0.125;
  }
};
struct Savings : Account {
  double rate() const override { return 1.125; }
};

struct Deposit final : Savings {
  double rate() const override { return 1.25; }
};

class Bank {
public:
  explicit Bank(std::size_t n) : accounts_(n), savings_(n / 2), deposits_(n / 4 + 1) {
    std::uint32_t state = 7;
    const auto below = [&](std::size_t count) {
      state = state * 1664525U + 1013904223U;
      return (state >> 8U) % count;
    };
    for (std::size_t i = 0; i < 2 * n; ++i) {
      if (i % 11 == 0)
        queue_.push_back(&deposits_[below(deposits_.size())]);
      else if (i % 3 == 0)
        queue_.push_back(&savings_[below(savings_.size())]);
      else
        queue_.push_back(&accounts_[below(i % 7 == 0 ? 2 : n)]);
    }
  }

  void run() {
    const ikra::array<Account*, 1> all{queue_};
    all.peach([](Account* a) { a->visit(0.5); });
    all.peach(3, [](Account* a) { a->visit(0.25); });
    all.with_index().peach([](Account* a, std::int64_t i) {
      a->visit(static_cast<double>(i % 3));
      a->history = a->history * 7 + static_cast<std::uint64_t>(i);
    });
    // Elements that are one account take turns in each tick.
    all.peach(3, [](Account* a, std::int64_t t) {
      a->history = a->history * 5 + static_cast<std::uint64_t>(t);
    });
    all.with_index().peach(9, [](Account* a, std::int64_t i) {
      a->history = a->history * 3 + static_cast<std::uint64_t>(i);
    });
    all.peach([](Account* a) { a->visit(1); });
    all.peach([](Account* a) { a->visits += 1; });
    // Others' results, in the array's order.
    std::printf("%d", all.pmap([](const Account* a) { return a->visits; }).sum());
    const auto some = all.pselect([](const Account* a) { return a->visits % 2 == 0; });
    some.peach([](Account* a) { a->visit(2); });
    std::printf(" %zu %d\n", some.size(),
                some.with_index()
                    .pmap([](const Account* a, std::int64_t i) {
                      return static_cast<int>((a->history + static_cast<std::uint64_t>(i)) % 1000);
                    })
                    .sum());
  }
  void with_nulls() {
    std::vector<Account*> few(queue_.begin(), queue_.begin() + 12);
    few[3] = few[9] = nullptr;
    ikra::array{few}.peach([](Account* a) {
      if (a != nullptr)
        a->visit(3);
    });
  }
  /// Each object once at most, the classes mixed and none of them in its objects' order.
  void in_other_order() {
    std::vector<Account*> some;
    for (std::size_t i = accounts_.size(); i-- > 0;) {
      if (i % 3 != 1)
        some.push_back(&accounts_[i]);
      if (i % 2 == 0 && i / 2 < savings_.size())
        some.push_back(&savings_[i / 2]);
      if (i % 5 == 0 && i / 4 < deposits_.size())
        some.push_back(&deposits_[i / 4]);
    }
    const ikra::array mixed{some};
    const auto sum_by_place = [&] {
      return mixed.with_index()
          .pmap([](const Account* a, std::int64_t i) {
            return a->history * static_cast<std::uint64_t>(i + 1);
          })
          .sum();
    };
    mixed.peach([](Account* a) { a->visit(0.25); });
    mixed.with_index().peach(
        [](Account* a, std::int64_t i) { a->history ^= static_cast<std::uint64_t>(i); });
    mixed.peach(2, [](Account* a, std::int64_t t) { a->visits += static_cast<int>(t); });
    std::printf("%zu %llu\n", some.size(), static_cast<unsigned long long>(sum_by_place()));
    // Null comes first, and none of the first class.
    std::vector<Account*> gaps;
    for (std::size_t i = 0; i < deposits_.size(); ++i) {
      gaps.push_back(i % 4 == 0 ? nullptr : &deposits_[deposits_.size() - 1 - i]);
      gaps.push_back(i % 4 == 1 || i >= savings_.size() ? nullptr : &savings_[i]);
    }
    std::printf("%llu\n",
                static_cast<unsigned long long>(ikra::array{gaps}
                                                    .with_index()
                                                    .pmap([](const Account* a, std::int64_t i) {
                                                      return (a == nullptr ? 7 : a->history) *
                                                             static_cast<std::uint64_t>(i + 1);
                                                    })
                                                    .sum()));
  }
  void print(const char* name) const {
    std::uint64_t history = 0;
    double balance = 0;
    int visits = 0;
    const auto add = [&](const Account& a) {
      history = history * 1000003 + a.history;
      balance += a.balance;
      visits += a.visits;
    };
    for (const Account& a : accounts_)
      add(a);
    for (const Account& a : savings_)
      add(a);
    for (const Account& a : deposits_)
      add(a);
    std::printf("%s: %g %d %llu\n", name, balance, visits,
                static_cast<unsigned long long>(history));
  }
  std::vector<Account>& accounts() { return accounts_; }
  std::vector<Savings>& savings() { return savings_; }
  std::vector<Deposit>& deposits() { return deposits_; }
  std::vector<Account*>& queue() { return queue_; }

private:
  std::vector<Account> accounts_;
  std::vector<Savings> savings_;
  std::vector<Deposit> deposits_;
  std::vector<Account*> queue_;
};

/// Sizes of which a tick takes a moment, or just long enough for a second thread.
void many_sizes() {
  std::uint64_t sum = 0;
  for (std::size_t n = 256; n < 200'000; n += n / 4) {
    std::vector<Account> all(n / 2);
    std::vector<Account*> visits;
    for (std::size_t i = 0; i < n; ++i)
      visits.push_back(&all[i * 7919 % (i % 3 == 0 ? 5 : all.size())]);
    ikra::array{visits}.peach(9, [](Account* a, std::int64_t t) {
      a->history = a->history * 5 + static_cast<std::uint64_t>(t);
    });
    for (const Account& a : all)
      sum = sum * 31 + a.history;
  }
  std::printf("many sizes: %llu\n", static_cast<unsigned long long>(sum));
}

/// In a scope, arrays that come again and again, and others that come once between their uses.
void between_selections() {
  std::vector<Account> all(3000);
  std::vector<Account*> often, seldom;
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].history = i;
    often.push_back(&all[i * i % all.size()]);
    if (i % 3 == 0)
      seldom.push_back(&all[i * 7 % all.size()]);
  }
  std::size_t selected = 0;
  {
    ikra::resident scope{all};
    for (unsigned round = 0; round < 40; ++round) {
      for (unsigned k = 0; k <= round % 6; ++k) {
        const auto some = ikra::objects(all).pselect(
            [=](const Account* a) { return (a->history + round) % (3 + k) == 0; });
        some.peach([=](Account* a) { a->history = a->history * 3 + k; });
        selected += some.size();
      }
      ikra::array{often}.peach([=](Account* a) { a->history = a->history * 5 + round; });
      if (round % 7 == 0)
        ikra::array{seldom}.peach([](Account* a) { a->history += 2; });
      if (round % 16 == 15) { // others in the same place
        scope.sync();
        std::swap(often[0], often[round]);
      }
    }
  }
  std::uint64_t sum = 0;
  for (const Account& a : all)
    sum = sum * 31 + a.history;
  std::printf("between selections: %zu, %llu\n", selected, static_cast<unsigned long long>(sum));
}

} // namespace

int main() {
  many_sizes();
  between_selections();
  for (const std::size_t n : {std::size_t(6), std::size_t(3000), std::size_t(40000)}) {
    Bank bank(n);
    bank.run();
    bank.with_nulls();
    bank.in_other_order();
    bank.print("as they are");
    {
      ikra::resident scope{bank.queue()};
      bank.run();
      bank.with_nulls();
      bank.in_other_order();
      bank.run();
    }
    bank.print("in a scope");
    {
      ikra::resident scope{bank.accounts(), bank.savings(), bank.deposits(), bank.queue()};
      bank.run();
      bank.queue().pop_back();
      bank.queue()[0] = bank.queue()[1];
      bank.run();
      bank.in_other_order();
    }
    bank.print("of another array");
    ikra::array{bank.queue()}.peach(20, [](Account* a) { a->visit(0.5); });
    bank.print("many ticks");
  }
  return 0;
}
