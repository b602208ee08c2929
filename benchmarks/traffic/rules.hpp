// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules of examples/traffic/model.hpp written for columns, as device code and as host code.
// That they are the same rules is what the checksums show. Keys are passed by reference, so that
// they are read only where a chance is drawn.
#pragma once

#include "columns.hpp"

#include <ikra/config.hpp>
#include <ikra/random.hpp>

#include <cstdint>

namespace traffic::bench {

// One tick of the simulation, the same for all actors.
struct Moment {
  Weather weather;
  std::uint64_t seed;
  std::int64_t tick;
};

IKRA_HD inline ikra::random dice(const Moment& now, std::uint32_t id, Chance chance) {
  return ikra::random(now.seed, id,
                      static_cast<std::uint32_t>(2 * now.tick + static_cast<int>(chance)));
}

template <class Streets>
IKRA_HD bool advance(const Streets& streets, float& progress, std::uint32_t& street,
                     const std::uint32_t& id, float speed, const Moment& now) {
  progress += speed / 60.0f;
  if (progress < 0.0f)
    progress = 0.0f;
  if (progress < streets.length(street))
    return false;
  progress = 0.0f;
  street = streets.next(street, dice(now, id, Chance::turn));
  return true;
}

template <class Streets>
IKRA_HD float vehicle_speed(const Streets& streets, std::uint32_t street, float max_velocity,
                            Weather weather) {
  const float limit = streets.max_speed(street);
  return (max_velocity < limit ? max_velocity : limit) * (weather == Weather::bad ? 0.75f : 1.0f);
}

template <class Streets>
IKRA_HD void move_car(const Streets& streets, float& progress, std::uint32_t& street,
                      const std::uint32_t& id, float max_velocity, const Moment& now) {
  advance(streets, progress, street, id, vehicle_speed(streets, street, max_velocity, now.weather),
          now);
}

template <class Streets>
IKRA_HD void move_bus(const Streets& streets, float& progress, std::uint32_t& street,
                      const std::uint32_t& id, float max_velocity, std::int32_t& waiting,
                      const Moment& now) {
  if (waiting > 0) {
    --waiting;
    return;
  }
  if (advance(streets, progress, street, id,
              vehicle_speed(streets, street, max_velocity, now.weather), now))
    waiting = 2;
}

template <class Streets>
IKRA_HD void move_pedestrian(const Streets& streets, float& progress, std::uint32_t& street,
                             const std::uint32_t& id, const Moment& now) {
  ikra::random pace = dice(now, id, Chance::pace);
  advance(streets, progress, street, id, -2.0f + 6.0f * pace.uniform<float>(), now);
}

} // namespace traffic::bench
