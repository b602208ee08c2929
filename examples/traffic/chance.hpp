// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the chances of everything but the moves come from: ikra::random, with a seed of its own for
// each purpose, so that more streets do not change the actors.
#pragma once

#include <ikra/random.hpp>

#include <cstdint>

namespace traffic {

enum class Purpose : std::uint64_t { moves, roads, places, streets, actors, weather };

// The chances of one element (a road, an actor, …). Those of `moves` are the actors' own:
// model.hpp.
inline ikra::random chances(std::uint64_t seed, Purpose purpose, std::uint64_t element) {
  return ikra::random(seed + static_cast<std::uint64_t>(purpose) * 0x9e3779b97f4a7c15u, element);
}

} // namespace traffic
