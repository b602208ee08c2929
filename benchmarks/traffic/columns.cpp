// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fills the columns and records from the objects of a city.
#include "columns.hpp"

#include <array>
#include <stdexcept>

namespace traffic::bench {
namespace {

constexpr std::uint32_t warp = 32;

std::uint32_t aligned(std::uint32_t place) { return (place + warp - 1) / warp * warp; }

ActorRecord record(const Actor& actor) {
  ActorRecord result{Tag::pedestrian, actor.id(), actor.street()->id(), actor.progress(), 0, 0};
  if (const auto* car = dynamic_cast<const Car*>(&actor)) {
    result.tag = Tag::car;
    result.max_velocity = car->max_velocity();
  } else if (const auto* bus = dynamic_cast<const Bus*>(&actor)) {
    result.tag = Tag::bus;
    result.max_velocity = bus->max_velocity();
    result.waiting = bus->waiting();
  } else if (!dynamic_cast<const Pedestrian*>(&actor)) {
    throw std::logic_error("an actor of a class that the hand-written programs do not know");
  }
  return result;
}

} // namespace

HostStreets::HostStreets(const City& city) {
  for (const Street& street : city.streets()) {
    length.push_back(street.length());
    max_speed.push_back(street.max_speed());
    first_neighbour.push_back(static_cast<std::uint32_t>(neighbours.size()));
    for (const Street* neighbour : street.neighbours())
      neighbours.push_back(neighbour->id());
  }
  first_neighbour.push_back(static_cast<std::uint32_t>(neighbours.size()));
}

StreetColumns HostStreets::columns() const {
  return {length.data(), max_speed.data(), first_neighbour.data(), neighbours.data()};
}

std::vector<StreetRecord> HostStreets::records() const {
  std::vector<StreetRecord> result;
  for (std::size_t i = 0; i < length.size(); ++i)
    result.push_back(
        {length[i], max_speed[i], first_neighbour[i], first_neighbour[i + 1] - first_neighbour[i]});
  return result;
}

HostActors::HostActors(const std::vector<ActorRecord>& all) {
  std::array<std::uint32_t, 3> counts{};
  for (const ActorRecord& actor : all)
    ++counts[static_cast<std::size_t>(actor.tag)];
  layout.cars_end = counts[0];
  layout.buses_begin = aligned(layout.cars_end);
  layout.buses_end = layout.buses_begin + counts[1];
  layout.pedestrians_begin = aligned(layout.buses_end);
  layout.pedestrians_end = layout.pedestrians_begin + counts[2];

  progress.resize(layout.pedestrians_end);
  street.resize(layout.pedestrians_end);
  id.resize(layout.pedestrians_end);
  max_velocity.resize(layout.buses_end);
  waiting.resize(counts[1]);
  std::array<std::uint32_t, 3> next{layout.cars_begin, layout.buses_begin,
                                    layout.pedestrians_begin};
  for (const ActorRecord& actor : all) {
    const std::uint32_t place = next[static_cast<std::size_t>(actor.tag)]++;
    progress[place] = actor.progress;
    street[place] = actor.street;
    id[place] = actor.id;
    if (actor.tag != Tag::pedestrian)
      max_velocity[place] = actor.max_velocity;
    if (actor.tag == Tag::bus)
      waiting[place - layout.buses_begin] = actor.waiting;
  }
}

ActorColumns HostActors::columns() {
  ActorColumns result = layout;
  result.progress = progress.data();
  result.street = street.data();
  result.id = id.data();
  result.max_velocity = max_velocity.data();
  result.waiting = waiting.data();
  return result;
}

std::uint64_t HostActors::checksum() const {
  std::uint64_t sum = 0;
  const auto add = [&](std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t i = begin; i < end; ++i)
      sum += fingerprint(id[i], street[i], progress[i]);
  };
  add(layout.cars_begin, layout.cars_end);
  add(layout.buses_begin, layout.buses_end);
  add(layout.pedestrians_begin, layout.pedestrians_end);
  return sum;
}

std::vector<ActorRecord> records(const City& city) {
  std::vector<ActorRecord> result;
  result.reserve(city.actors().size());
  for (const auto& actor : city.actors())
    result.push_back(record(*actor));
  return result;
}

std::vector<ActorRecord> sorted_by_class(const std::vector<ActorRecord>& actors) {
  std::vector<ActorRecord> result;
  result.reserve(actors.size());
  for (const Tag tag : {Tag::car, Tag::bus, Tag::pedestrian})
    for (const ActorRecord& actor : actors)
      if (actor.tag == tag)
        result.push_back(actor);
  return result;
}

std::uint64_t checksum(const std::vector<ActorRecord>& actors) {
  std::uint64_t sum = 0;
  for (const ActorRecord& actor : actors)
    sum += fingerprint(actor.id, actor.street, actor.progress);
  return sum;
}

std::size_t bytes_per_tick(const ActorColumns& actors) {
  constexpr std::size_t progress = 2 * sizeof(float), street = sizeof(std::uint32_t);
  constexpr std::size_t car = progress + street + sizeof(float); // its maximum
  constexpr std::size_t bus = car + sizeof(std::int32_t);        // and whether it waits
  constexpr std::size_t pedestrian = progress + street + sizeof(std::uint32_t); // its chances' key
  return car * (actors.cars_end - actors.cars_begin) +
         bus * (actors.buses_end - actors.buses_begin) +
         pedestrian * (actors.pedestrians_end - actors.pedestrians_begin);
}

} // namespace traffic::bench
