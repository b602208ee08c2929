// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variants of pointers to objects of several classes: as members, in containers, as elements,
// results and captures.
#include "variants.hpp"

#include <ikra/ikra.hpp>

#include <cstddef>
#include <cstdio>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace {

struct Car {
  int length = 1;
  virtual ~Car() = default;
  virtual int speed() const { return length; }
};
struct Sport : Car {
  int speed() const override { return length * 3; }
};
struct Bike {
  int weight = 2;
};

template <class... F> struct either : F... {
  using F::operator()...;
};
template <class... F> either(F...) -> either<F...>;

struct Tolls {
  int factor;
  int operator()(const Car* car) const { return car->speed() * factor; }
  int operator()(const Bike* bike) const { return bike->weight; }
};

using vehicle = std::variant<Car*, Bike*>;

int of(vehicle v) { return v.index() == 0 ? std::get<0>(v)->speed() : std::get<1>(v)->weight; }

class Owner {
public:
  vehicle first;
  std::variant<std::monostate, Car*, int> maybe;
  std::vector<std::variant<Bike*, Car*>> many;
  int sum = 0;

  void ask() {
    if (auto car = std::get_if<Car*>(&first))
      sum += (*car)->speed();
    else
      sum += std::get<Bike*>(first)->weight;
    if (Bike* const* bike = std::get_if<1>(&first))
      sum += (*bike)->weight;
    std::visit([this](auto* p) { sum += p != nullptr ? 1 : 0; }, first);
    const auto prices = either{[](const Car* car) { return car->length; },
                               [this](const Bike* bike) { return bike->weight * 5 + sum % 3; }};
    sum += std::visit(prices, first) * 7;
    sum += std::visit(Tolls{2}, first) * 11;
    if (std::holds_alternative<Car*>(maybe))
      sum += std::get<Car*>(maybe)->length;
    else if (const int* number = std::get_if<int>(&maybe))
      sum += *number;
    for (const auto& each : many)
      sum += std::visit(
          [](const auto* p) {
            if constexpr (requires { p->weight; })
              return p->weight;
            else
              return p->speed() * 2;
          },
          each);
    sum += of(first);
    const vehicle same = first;
    sum += std::visit(
        [](const auto* a, const auto* b) {
          if constexpr (requires { a->weight; })
            return a != nullptr && b != nullptr ? a->weight : 5;
          else
            return a != nullptr && b != nullptr ? a->length : 3;
        },
        first, same);
    sum %= 10007;
  }
  void change(Bike* bike, Car* car) {
    if (sum % 2 != 0)
      first = bike;
    maybe = sum;
    for (auto& each : many)
      each = car;
    const vehicle other = car;
    if (sum % 3 == 0)
      first = other;
  }
};

int hash(const std::vector<Owner>& owners) {
  int all = 0;
  for (const Owner& o : owners)
    all = (all * 31 + o.sum * 3 + int(o.first.index()) + int(o.maybe.index()) * 7) % 1'000'003;
  return all;
}

/// A pointer that is not there shifts none of those after it.
void sparse(std::vector<Bike>& bikes, const std::vector<std::unique_ptr<Car>>& cars) {
  std::vector<std::pair<std::optional<Bike*>, Car*>> pairs;
  for (std::size_t i = 0; i < 20; ++i)
    pairs.emplace_back(i % 3 != 0 ? std::optional(&bikes[i % 5]) : std::nullopt, cars[i % 5].get());
  std::printf("sparse %d\n", ikra::array{pairs}
                                 .pmap([](const std::pair<std::optional<Bike*>, Car*>& p) {
                                   return (p.first ? (*p.first)->weight : -1) + p.second->speed();
                                 })
                                 .sum());
}

} // namespace

/// Members that sections only read; a generic lambda for one alternative that is left.
struct Rider {
  vehicle ride;
  int wheels = 0;
  int rest() const {
    return std::visit(either{[](const Car* c) { return c != nullptr ? 4 : -4; },
                             [](const auto* other) { return other != nullptr ? 2 : -2; }},
                      ride);
  }
};

void riders(std::vector<Bike>& bikes, const std::vector<std::unique_ptr<Car>>& cars) {
  std::vector<Rider> all(9);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i % 3 == 0)
      all[i].ride = &bikes[i % bikes.size()];
    else if (i % 3 == 1)
      all[i].ride = cars[i % cars.size()].get();
  }
  ikra::objects(all).peach(2, [](Rider* r, std::int64_t tick) {
    r->wheels += std::visit([tick](auto* v) { return v != nullptr ? int(tick) + 1 : 0; }, r->ride);
  });
  ikra::objects(all).peach([](Rider* r) { r->wheels = 10 * r->wheels + r->rest(); });
  for (const Rider& r : all)
    std::printf("%d ", r.wheels);
  std::printf("\n");
}

void variants() {
  std::vector<std::unique_ptr<Car>> cars;
  std::vector<Bike> bikes(5);
  for (int i = 0; i < 5; ++i) {
    cars.push_back(i % 2 != 0 ? std::make_unique<Sport>() : std::make_unique<Car>());
    cars.back()->length = i;
    bikes[std::size_t(i)].weight = i * 3;
  }
  std::vector<Owner> owners(300);
  for (std::size_t i = 0; i < owners.size(); ++i) {
    Owner& o = owners[i];
    if (i % 2 != 0)
      o.first = cars[i / 2 % 5].get();
    else
      o.first = &bikes[i / 2 % 5];
    if (i % 3 == 0)
      o.maybe = cars[1].get();
    else if (i % 3 == 1)
      o.maybe = 40;
    for (std::size_t k = 0; k < i % 4; ++k)
      if (k % 2 != 0)
        o.many.emplace_back(cars[k].get());
      else
        o.many.emplace_back(&bikes[k]);
  }
  const auto all = ikra::objects(owners);
  all.peach([](Owner* o) { o->ask(); });
  std::printf("variants %d\n", hash(owners));
  all.peach([bike = &bikes[4], car = cars[3].get()](Owner* o) { o->change(bike, car); });
  std::printf("%d\n", hash(owners));
  {
    ikra::resident scope{owners};
    for (int step = 0; step < 3; ++step) {
      all.peach(2, [](Owner* o) { o->ask(); });
      all.peach([bike = &bikes[1], car = cars[2].get()](Owner& o) { o.change(bike, car); });
      scope.sync();
      owners[std::size_t(step)].first = &bikes[0];
      scope.changed(&owners[std::size_t(step)]);
    }
  }
  std::printf("%d\n", hash(owners));

  std::vector<vehicle> chosen;
  for (const Owner& o : owners)
    chosen.push_back(o.first);
  const vehicle one = chosen[7];
  std::printf("%d\n", ikra::array{chosen}
                          .pmap([one](vehicle v) { return std::visit(Tolls{3}, v) + of(one); })
                          .sum());
  const auto firsts = all.pmap([](Owner* o) { return o->first; });
  int cars_among = 0;
  for (const vehicle& v : firsts)
    cars_among += v.index() == 0 ? 1 : 0;
  std::printf("%d\n", cars_among);
  sparse(bikes, cars);
  riders(bikes, cars);
}
