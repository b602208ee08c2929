// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// at(), value() and get() in sections that run on the objects as they are: what does not fail is as
// in a plain build, what fails is told with the least element, and the next section runs.
#include <array>
#include <cstdio>
#include <exception>
#include <ikra/ikra.hpp>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

struct Limit {
  int price = 0;
};
struct Market {
  float slip = 0;
};

class Account {
public:
  virtual ~Account() = default;
  virtual int fee(int k) const = 0;
  IKRA_OBJECT
};
class Small final : public Account {
public:
  int fee(int k) const override { return fees_.at(static_cast<std::size_t>(k)); }

private:
  std::array<int, 3> fees_{1, 2, 3};
  IKRA_OBJECT
};
class Great final : public Account {
public:
  int fee(int k) const override { return 2 * k; }
  IKRA_OBJECT
};

struct Order {
  std::variant<Limit, Market> kind;
  std::optional<int> parent;
  std::vector<int> fills;
  Account* account = nullptr;
  int left = 0;
  IKRA_OBJECT
  void fill(int k) {
    if (std::holds_alternative<Limit>(kind))
      left += std::get<Limit>(kind).price;
    else
      left += std::get<1>(kind).slip > 0.5f ? 1 : 2;
    if (parent.has_value())
      left += parent.value();
    left += fills.at(static_cast<std::size_t>(k));
  }
};

/// What a run gives. Generated code may say at which element one fails.
template <class Run> void report(const char* name, int at, const Run& run) {
  try {
    std::printf("%s: %ld\n", name, static_cast<long>(run()));
  } catch (const ikra::error& e) {
    const std::string text = e.what(), where = " at element ";
    const bool is_right = text.find(where) == std::string::npos ||
                          text.find(where + std::to_string(at) + " of ") != std::string::npos;
    std::printf("%s: %s\n", name,
                e.kind() == ikra::error_kind::failed_check && is_right ? "failed" : e.what());
  } catch (const std::exception&) {
    std::printf("%s: failed\n", name);
  }
}

int main() {
  for (const int n : {10, 100'000}) {
    const int few = n * 7 / 10, fewer = n * 9 / 10; // the elements that may fail
    std::vector<std::unique_ptr<Account>> accounts;
    std::vector<Order> orders(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) {
      if (i % 3 == 0)
        accounts.push_back(std::make_unique<Small>());
      else
        accounts.push_back(std::make_unique<Great>());
      Order& o = orders[static_cast<std::size_t>(i)];
      if (i % 2 == 0)
        o.kind = Limit{i % 10};
      else
        o.kind = Market{static_cast<float>(i % 4) / 4};
      if (i % 5 == 0)
        o.parent = i % 7;
      o.fills.assign(i == few || i == fewer ? 2 : 3, i % 11);
      o.account = accounts.back().get();
    }
    const ikra::array over = ikra::objects(orders);
    const ikra::array all{accounts};
    const auto sum = [&] { return over.pmap([](const Order* o) { return o->left; }).sum(); };
    const auto clear = [&] {
      for (Order& o : orders)
        o.left = 0;
    };

    over.peach([](Order* o) { o->fill(1); });
    report("fills", -1, sum);
    over.peach(3, [](Order* o) { o->fill(0); });
    report("ticks", -1, sum);
    report("at", few, [&] {
      over.peach([](Order* o) { o->left += o->fills.at(2); });
      return 0;
    });
    clear();
    report("at, in a tick", few, [&] {
      over.peach(3, [](Order* o, int tick) { o->fill(tick); });
      return 0;
    });
    clear();
    over.peach([](Order* o) { o->fill(0); });
    report("after it", -1, sum);
    const auto third = over.pmap([](const Order* o) { return o->fills.at(2); });
    report("map", few, [&] { return third.sum(); });
    report("map, again", few, [&] { return third[0]; });
    report("map, value", 1,
           [&] { return over.pmap([](const Order* o) { return o->parent.value(); })[0]; });
    report("map, get", 1,
           [&] { return over.pmap([](const Order* o) { return std::get<0>(o->kind).price; })[0]; });
    report("select", few,
           [&] { return over.pselect([](const Order* o) { return o->fills.at(2) > 3; }).size(); });
    report("select, all there", -1,
           [&] { return over.pselect([](const Order* o) { return o->fills.at(1) > 3; }).size(); });
    report("virtual", -1,
           [&] { return all.pmap([](const Account* a) { return a->fee(2); }).sum(); });
    report("virtual, outside", 0,
           [&] { return all.pmap([](const Account* a) { return a->fee(3); }).sum(); });
    report("of others", -1, [&] {
      over.peach([](Order* o) { o->left += o->account->fee(o->fills.at(1) % 3); });
      return sum();
    });
    report("of others, outside", few, [&] {
      over.peach([](Order* o) { o->left += o->account->fee(0) + o->fills.at(2); });
      return 0;
    });
    clear();
    report("greatest", -1, [&] {
      return over
          .preduce([](Order* a, Order* b) { return a->fills.at(0) < b->fills.at(0) ? b : a; })[0]
          ->fills[0];
    });
  }
}
