// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hand-written program for all cores: a parallel loop over sorted columns, class by class.
// Classes wait for each other at the end of a tick only.
#include "rules.hpp"
#include "simulations.hpp"

namespace traffic::bench {
namespace {

class Columns : public Simulation {
public:
  explicit Columns(const HostCity& city) : streets_(city.streets), actors_(city.actors) {}
  std::uint64_t checksum() override { return actors_.checksum(); }

protected:
  HostStreets streets_;
  HostActors actors_;
};

class TickByTick : public Columns {
public:
  using Columns::Columns;
  void run(Weather weather, std::uint64_t seed, std::int64_t first, std::int64_t ticks) override {
    const StreetColumns s = streets_.columns();
    const ActorColumns a = actors_.columns();
#pragma omp parallel
    for (std::int64_t tick = first; tick < first + ticks; ++tick) {
      const Moment now{weather, seed, tick};
#pragma omp for schedule(static) nowait
      for (std::uint32_t i = a.cars_begin; i < a.cars_end; ++i)
        move_car(s, a.progress[i], a.street[i], a.id[i], a.max_velocity[i], now);
#pragma omp for schedule(static) nowait
      for (std::uint32_t i = a.buses_begin; i < a.buses_end; ++i)
        move_bus(s, a.progress[i], a.street[i], a.id[i], a.max_velocity[i],
                 a.waiting[i - a.buses_begin], now);
#pragma omp for schedule(static)
      for (std::uint32_t i = a.pedestrians_begin; i < a.pedestrians_end; ++i)
        move_pedestrian(s, a.progress[i], a.street[i], a.id[i], now);
    }
  }
};

class ActorByActor : public Columns {
public:
  using Columns::Columns;
  void run(Weather weather, std::uint64_t seed, std::int64_t first, std::int64_t ticks) override {
    const StreetColumns s = streets_.columns();
    const ActorColumns a = actors_.columns();
    const std::int64_t end = first + ticks;
#pragma omp parallel
    {
#pragma omp for schedule(static) nowait
      for (std::uint32_t i = a.cars_begin; i < a.cars_end; ++i) {
        float progress = a.progress[i];
        std::uint32_t street = a.street[i];
        const float max_velocity = a.max_velocity[i];
        for (std::int64_t tick = first; tick < end; ++tick)
          move_car(s, progress, street, a.id[i], max_velocity, {weather, seed, tick});
        a.progress[i] = progress;
        a.street[i] = street;
      }
#pragma omp for schedule(static) nowait
      for (std::uint32_t i = a.buses_begin; i < a.buses_end; ++i) {
        float progress = a.progress[i];
        std::uint32_t street = a.street[i];
        std::int32_t waiting = a.waiting[i - a.buses_begin];
        const float max_velocity = a.max_velocity[i];
        for (std::int64_t tick = first; tick < end; ++tick)
          move_bus(s, progress, street, a.id[i], max_velocity, waiting, {weather, seed, tick});
        a.progress[i] = progress;
        a.street[i] = street;
        a.waiting[i - a.buses_begin] = waiting;
      }
#pragma omp for schedule(static) nowait
      for (std::uint32_t i = a.pedestrians_begin; i < a.pedestrians_end; ++i) {
        float progress = a.progress[i];
        std::uint32_t street = a.street[i];
        const std::uint32_t id = a.id[i];
        for (std::int64_t tick = first; tick < end; ++tick)
          move_pedestrian(s, progress, street, id, {weather, seed, tick});
        a.progress[i] = progress;
        a.street[i] = street;
      }
    }
  }
};

} // namespace

std::unique_ptr<Simulation> openmp_columns(const HostCity& city, Loop loop) {
  if (loop == Loop::outside)
    return std::make_unique<TickByTick>(city);
  return std::make_unique<ActorByActor>(city);
}

} // namespace traffic::bench
