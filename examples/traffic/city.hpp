// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A city: the streets of a road map and the actors on them. It owns its objects; none of them moves
// in memory while the city lives.
#pragma once

#include "model.hpp"
#include "roads.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace traffic {

class City {
public:
  // Streets 2r and 2r + 1 are the two directions of road r. One actor in five drives; one in ten
  // drivers drives a bus. Throws input_error where the road map is empty.
  City(const RoadMap& map, std::uint32_t actors, std::uint64_t seed);

  const std::vector<Street>& streets() const { return streets_; }
  const std::vector<std::unique_ptr<Actor>>& actors() const { return actors_; }

private:
  void build_streets(const RoadMap& map, std::uint64_t seed);
  void place_actors(std::uint32_t count, std::uint64_t seed);

  std::vector<Street> streets_;
  std::vector<std::unique_ptr<Actor>> actors_;
};

// The weather from a tick that is a multiple of `ticks_of_weather` on, until the next such tick.
inline constexpr std::int64_t ticks_of_weather = 120;
Weather weather_at(std::uint64_t seed, std::int64_t tick);

// What an actor adds to the checksum: its street and every bit of its progress.
std::uint64_t fingerprint(std::uint32_t actor, std::uint32_t street, float progress);
// The sum of the actors' fingerprints, modulo 2^64.
std::uint64_t checksum(const std::vector<std::unique_ptr<Actor>>& actors);

} // namespace traffic
