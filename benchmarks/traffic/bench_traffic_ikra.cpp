// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parallel section of examples/traffic. This file is compiled twice: through ikrac, and, with
// TRAFFIC_PLAIN defined, by the C++ compiler alone.
#include "simulations.hpp"

#include <ikra/ikra.hpp>

#include <cstdint>

namespace traffic::bench {
namespace {

class Objects : public Simulation {
public:
  Objects(City& city, Loop loop, void (*wait)())
      : city_(city), loop_(loop), wait_(wait), actors_(city.actors()), scope_(actors_) {}
  // The end of a resident scope may throw, that of a simulation may not.
  ~Objects() noexcept override = default;

  void run(Weather weather, std::uint64_t seed, std::int64_t first, std::int64_t ticks) override {
    if (loop_ == Loop::inside)
      move(weather, seed, first, ticks);
    else
      for (std::int64_t tick = first; tick < first + ticks; ++tick)
        move(weather, seed, tick, 1);
    if (wait_)
      wait_();
  }

  std::uint64_t checksum() override {
    scope_.sync();
    return traffic::checksum(city_.actors());
  }

private:
  void move(Weather weather, std::uint64_t seed, std::int64_t first, std::int64_t ticks) {
    const ikra::array<Actor*, 1> actors = actors_;
    actors.peach(ticks, [=](Actor* a, std::int64_t tick) { a->move(weather, seed, first + tick); });
  }

  City& city_;
  Loop loop_;
  void (*wait_)();
  ikra::array<Actor*, 1> actors_;
  ikra::resident scope_;
};

} // namespace

#ifdef TRAFFIC_PLAIN
std::unique_ptr<Simulation> plain_objects(City& city, Loop loop, void (*wait)()) {
#else
std::unique_ptr<Simulation> ikra_objects(City& city, Loop loop, void (*wait)()) {
#endif
  return std::make_unique<Objects>(city, loop, wait);
}

} // namespace traffic::bench
