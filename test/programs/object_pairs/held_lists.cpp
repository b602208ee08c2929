// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Containers of pairs, tuples, optionals and variants that hold pointers, as captures and as
// variables of the program.
#include "held_values.hpp"

#include <ikra/ikra.hpp>

#include <array>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace {

struct Town {
  virtual ~Town() = default;
  virtual int fee() const { return size; }
  int size = 1, visits = 0;
};
struct Port : Town {
  int fee() const override { return size * 2 + 1; }
};
struct Truck {
  int number = 0;
  double cost = 0;
};
using Leg = std::pair<Town*, float>;
using Route = std::vector<Leg>;

} // namespace

// Variables of the program.
namespace network {
Route route;
Leg legs[2];
std::array<Leg, 2> pair;
std::vector<std::optional<Town*>> maybe;
Leg first;
std::optional<const Town*> last;
} // namespace network

namespace {

double along(const Route& route) {
  double sum = 0;
  for (const auto& [to, length] : route)
    sum += to->fee() * double(length);
  return sum + double(route.size()) + double(route.back().second);
}

void captures(std::vector<Truck>& trucks, const std::vector<Town*>& towns) {
  Route route;
  std::vector<std::tuple<const Town*, int, float>> stops;
  std::vector<std::optional<Town*>> maybe;
  std::vector<std::variant<Town*, int>> either;
  for (std::size_t i = 0; i < 20; ++i) {
    route.emplace_back(towns[i * 3 % towns.size()], float(i) / 2);
    stops.emplace_back(towns[i * 7 % towns.size()], int(i), 0.25f);
    maybe.push_back(i % 3 ? std::optional(towns[i % towns.size()]) : std::nullopt);
    if (i % 2)
      either.emplace_back(towns[i % towns.size()]);
    else
      either.emplace_back(int(i));
  }
  const std::array<Leg, 2> pair{route[1], route[2]};
  const Leg legs[2] = {route[3], route[4]};
  const std::span<const Leg> all(route);
  const auto on = ikra::objects(trucks);
  on.peach([&route](Truck* t) {
    t->cost += along(route) + route[std::size_t(t->number) % route.size()].first->size;
  });
  on.peach([&](Truck* t) {
    for (const auto& [to, number, length] : stops)
      t->cost += to->fee() * number * double(length);
    for (const auto& town : maybe)
      t->cost += town ? (*town)->size : 0.5;
    for (const auto& each : either)
      if (const auto* town = std::get_if<Town*>(&each))
        t->cost += (*town)->fee();
      else
        t->cost -= std::get<int>(each);
  });
  on.peach([pair, legs, all](Truck* t) {
    t->cost += pair[1].first->fee() + double(legs[1].second) + legs[0].first->size;
    for (const auto& leg : all)
      t->cost += double(leg.second);
  });
  on.peach([&route](Truck* t) {
    ikra::atomic_add(route[std::size_t(t->number) % route.size()].first->visits, t->number);
  });
  const auto costs = on.pmap([route, a = ikra::array{route}](const Truck* t) {
    double sum = t->cost;
    for (const auto& [to, length] : a)
      sum += to->visits + double(length);
    return sum + route.front().first->fee();
  });
  const auto numbers = ikra::array{std::vector<int>{1, 2, 3}}.pmap(
      [route](int i) { return route[std::size_t(i)].first->fee() + i; });
  std::printf("%g %d\n", costs.sum(), numbers.sum());
  {
    ikra::resident scope{trucks};
    for (int tick = 0; tick < 3; ++tick)
      on.peach([&route](Truck* t) { t->cost += route[2].first->visits; });
    on.peach(2, [&route](Truck* t, std::int64_t tick) {
      t->cost += route[std::size_t(tick)].first->size;
    });
  }
  const Route none;
  on.peach([&none](Truck* t) { t->cost += none.empty() ? 1 : 2; });
}

void variables(std::vector<Truck>& trucks, const std::vector<Town*>& towns) {
  network::route = {{towns[1], 2.0f}, {towns[2], 3.0f}};
  network::legs[1] = {towns[3], 4.0f};
  network::pair[1] = {towns[4], 5.0f};
  network::maybe = {std::nullopt, towns[5]};
  network::first = {towns[6], 6.0f};
  network::last = towns[7];
  ikra::objects(trucks).peach([](Truck* t) {
    t->cost += along(network::route) + network::legs[1].first->fee();
    t->cost += double(network::pair[1].second) * network::pair[1].first->fee();
    for (const auto& town : network::maybe)
      t->cost += town ? (*town)->fee() : 0.25;
    t->cost += double(network::first.second) + network::first.first->fee();
    if (network::last)
      t->cost += (*network::last)->fee();
  });
}

} // namespace

void held_lists() {
  std::vector<std::unique_ptr<Town>> owned;
  std::vector<Town*> towns;
  for (int i = 0; i < 9; ++i) {
    owned.push_back(i % 3 ? std::make_unique<Town>() : std::make_unique<Port>());
    owned.back()->size = i + 1;
    towns.push_back(owned.back().get());
  }
  std::vector<Truck> trucks(40);
  for (int i = 0; i < 40; ++i)
    trucks[std::size_t(i)].number = i;
  captures(trucks, towns);
  variables(trucks, towns);
  for (const Truck& t : trucks)
    std::printf("%a\n", t.cost);
  for (const Town* town : towns)
    std::printf("%d\n", town->visits);
}
