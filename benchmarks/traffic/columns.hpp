// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The city of examples/traffic as an expert lays it out by hand: one column per member, actors
// sorted class by class, each class starting at a multiple of the warp size. What the hand-written
// programs work on.
#pragma once

#include "city.hpp"

#include <ikra/config.hpp>
#include <ikra/random.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace traffic::bench {

// Where the streets are, on the host or on the device: a column for each member, or a record for
// each street.
struct StreetColumns {
  const float* lengths;
  const float* max_speeds;
  const std::uint32_t* first_neighbours; // one more entry than streets
  const std::uint32_t* neighbours;

  IKRA_HD float length(std::uint32_t street) const { return lengths[street]; }
  IKRA_HD float max_speed(std::uint32_t street) const { return max_speeds[street]; }
  IKRA_HD std::uint32_t next(std::uint32_t street, ikra::random dice) const {
    const std::uint32_t first = first_neighbours[street];
    return neighbours[first + dice.below(first_neighbours[street + 1] - first)];
  }
};

struct StreetRecord {
  float length, max_speed;
  std::uint32_t first_neighbour, neighbours;
};

template <class Record> struct StreetRows {
  const Record* streets;
  const std::uint32_t* neighbours;

  IKRA_HD float length(std::uint32_t street) const { return streets[street].length; }
  IKRA_HD float max_speed(std::uint32_t street) const { return streets[street].max_speed; }
  IKRA_HD std::uint32_t next(std::uint32_t street, ikra::random dice) const {
    return neighbours[streets[street].first_neighbour + dice.below(streets[street].neighbours)];
  }
};

using StreetRecords = StreetRows<StreetRecord>;

struct ActorColumns {
  // Places of the classes: [cars_begin, cars_end) and so on. Between them there is padding.
  std::uint32_t cars_begin, cars_end;
  std::uint32_t buses_begin, buses_end;
  std::uint32_t pedestrians_begin, pedestrians_end;
  float* progress;
  std::uint32_t* street;
  const std::uint32_t* id;
  const float* max_velocity; // up to the last bus
  std::int32_t* waiting;     // of buses, the first bus being 0
};

struct HostStreets {
  std::vector<float> length, max_speed;
  std::vector<std::uint32_t> first_neighbour, neighbours;

  explicit HostStreets(const City& city);
  StreetColumns columns() const;
  std::vector<StreetRecord> records() const;
};

// Actors one record each, in the order in which they were made.
enum class Tag : std::uint32_t { car, bus, pedestrian };

struct ActorRecord {
  Tag tag;
  std::uint32_t id;
  std::uint32_t street;
  float progress;
  float max_velocity;
  std::int32_t waiting;
};

std::vector<ActorRecord> records(const City& city);
// Class by class, each in the same order.
std::vector<ActorRecord> sorted_by_class(const std::vector<ActorRecord>& actors);

struct HostActors {
  ActorColumns layout{}; // the ranges; pointers are null
  std::vector<float> progress, max_velocity;
  std::vector<std::uint32_t> street, id;
  std::vector<std::int32_t> waiting;

  explicit HostActors(const std::vector<ActorRecord>& all);
  ActorColumns columns();
  // The same sum as traffic::checksum.
  std::uint64_t checksum() const;
};

std::uint64_t checksum(const std::vector<ActorRecord>& actors);

// What the hand-written programs start with.
struct HostCity {
  HostStreets streets;
  std::vector<ActorRecord> actors;

  explicit HostCity(const City& city) : streets(city), actors(records(city)) {}
};

// Bytes that one tick has to move when state is kept in memory between ticks.
std::size_t bytes_per_tick(const ActorColumns& actors);

} // namespace traffic::bench
