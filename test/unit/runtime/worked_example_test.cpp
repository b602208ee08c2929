// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The worked example of docs/emitted-code.md against the same program on the objects themselves.
#include <catch2/catch.hpp>

#include "traffic_emitted.hpp"

#include <memory>

namespace {

struct city {
  std::vector<std::unique_ptr<Street>> streets;
  std::vector<std::unique_ptr<Actor>> owners;
  std::vector<Actor*> actors;

  city(std::size_t street_count, std::size_t actor_count) {
    for (std::size_t i = 0; i < street_count; ++i)
      streets.push_back(std::make_unique<Street>(1 + static_cast<float>(i % 25)));
    for (std::size_t i = 0; i < street_count; ++i)
      for (std::size_t j = 0; j < i % 5; ++j)
        streets[i]->add_neighbour(streets[(i * 7 + j * 13 + 1) % street_count].get());
    for (std::size_t i = 0; i < actor_count; ++i) {
      Street* street = streets[i * 31 % street_count].get();
      const auto progress = static_cast<float>(i % 3);
      if (i % 3 == 1)
        owners.push_back(std::make_unique<Pedestrian>(street, progress));
      else
        owners.push_back(
            std::make_unique<Car>(street, progress, 65 + static_cast<float>(i * 17 % 20)));
      actors.push_back(owners.back().get());
    }
  }

  std::vector<float> progress() const {
    std::vector<float> result;
    for (const Actor* a : actors)
      result.push_back(a->progress());
    return result;
  }
  std::vector<std::size_t> places() const {
    std::vector<std::size_t> result;
    for (const Actor* a : actors)
      result.push_back(static_cast<std::size_t>(
          std::find_if(streets.begin(), streets.end(),
                       [&](const auto& s) { return s.get() == a->street(); }) -
          streets.begin()));
    return result;
  }
};

} // namespace

TEST_CASE("peach moves the actors as the plain program does") {
  const std::size_t actors = GENERATE(0, 1, 31, 32, 33, 1000, 5000);
  city plain(17, actors), parallel(17, actors);
  for (int tick = 0; tick < 100; ++tick)
    for (Actor* a : plain.actors)
      a->move(Weather::bad);
  simulate(parallel.actors, 100, Weather::bad);
  CHECK(parallel.progress() == plain.progress());
  CHECK(parallel.places() == plain.places());
}

TEST_CASE("a launch for each tick moves the actors as the plain program does") {
  const int ticks = GENERATE(0, 1, 64, 128, 129, 192, 193, 300);
  city plain(17, 3000), parallel(17, 3000);
  for (int tick = 0; tick < ticks; ++tick)
    for (Actor* a : plain.actors)
      a->move(Weather::good);
  simulate_tick_by_tick(parallel.actors, ticks, Weather::good);
  CHECK(parallel.progress() == plain.progress());
  CHECK(parallel.places() == plain.places());
}

TEST_CASE("pmap over objects of several classes keeps the order of the array") {
  city c(5, 5000);
  const std::vector<float> out = speeds(c.actors).to_vector();
  REQUIRE(out.size() == c.actors.size());
  for (std::size_t i = 0; i < out.size(); ++i)
    REQUIRE(out[i] == c.actors[i]->speed());
}

TEST_CASE("a chain in the fusion table runs as one, and gives the same") {
  city c(5, 100);
  fused_runs = 0;
  const auto result = scaled(speeds(c.actors), 2.0f);
  const std::vector<float> out = result.to_vector();
  CHECK(fused_runs == 1);
  for (std::size_t i = 0; i < out.size(); ++i)
    REQUIRE(out[i] == 2 * c.actors[i]->speed());
}

TEST_CASE("a chain whose middle is there already is not fused") {
  city c(5, 100);
  fused_runs = 0;
  const auto middle = speeds(c.actors);
  const std::vector<float> before = middle.to_vector();
  const std::vector<float> out = scaled(middle, 3.0f).to_vector();
  CHECK(fused_runs == 0);
  for (std::size_t i = 0; i < out.size(); ++i)
    REQUIRE(out[i] == 3 * before[i]);
}

TEST_CASE("a chain that is not in the fusion table is computed step by step") {
  city c(5, 100);
  fused_runs = 0;
  const std::vector<float> out = scaled(scaled(speeds(c.actors), 2.0f), 3.0f).to_vector();
  CHECK(fused_runs == 1); // the lower two
  for (std::size_t i = 0; i < out.size(); ++i)
    REQUIRE(out[i] == 3 * (2 * c.actors[i]->speed()));
}
