// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the streets, puts actors on them, and sums up where they are.
#include "city.hpp"

#include "chance.hpp"

#include <bit>
#include <span>

namespace traffic {
namespace {

// For each crossing the streets that start there, in the order of their numbers.
class Departures {
public:
  explicit Departures(const RoadMap& map)
      : begin_(map.crossings + std::size_t{1}), streets_(2 * map.roads.size()) {
    for (const Road& road : map.roads) {
      ++begin_[road.from + std::size_t{1}];
      ++begin_[road.to + std::size_t{1}];
    }
    for (std::size_t crossing = 1; crossing < begin_.size(); ++crossing)
      begin_[crossing] += begin_[crossing - 1];
    std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
    std::uint32_t street = 0;
    for (const Road& road : map.roads) {
      streets_[next[road.from]++] = street++;
      streets_[next[road.to]++] = street++;
    }
  }

  std::span<const std::uint32_t> from(std::uint32_t crossing) const {
    return std::span(streets_).subspan(begin_[crossing],
                                       begin_[crossing + std::size_t{1}] - begin_[crossing]);
  }

private:
  std::vector<std::size_t> begin_;
  std::vector<std::uint32_t> streets_;
};

std::uint32_t way_back(std::uint32_t street) { return street ^ 1u; }

std::uint64_t mixed(std::uint64_t x) { // the finaliser of SplitMix64
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

float whole_number(ikra::random& dice, std::uint32_t least, std::uint32_t most) {
  return static_cast<float>(least + dice.below(most - least + 1));
}

} // namespace

City::City(const RoadMap& map, std::uint32_t actors, std::uint64_t seed) {
  if (map.roads.empty())
    throw input_error(map.name + ": a city without roads");
  build_streets(map, seed);
  place_actors(actors, seed);
}

void City::build_streets(const RoadMap& map, std::uint64_t seed) {
  streets_.reserve(2 * map.roads.size());
  for (std::uint32_t road = 0; road < map.roads.size(); ++road) {
    ikra::random dice = chances(seed, Purpose::streets, road);
    const float length = whole_number(dice, 1, 25);
    const float max_speed = whole_number(dice, 45, 84);
    streets_.emplace_back(2 * road, length, max_speed);
    streets_.emplace_back(2 * road + 1, length, max_speed);
  }
  const Departures departures(map);
  for (Street& street : streets_) {
    const std::uint32_t back = way_back(street.id());
    const Road& road = map.roads[street.id() / 2];
    for (const std::uint32_t next : departures.from(street.id() % 2 == 0 ? road.to : road.from))
      if (next != back)
        street.add_neighbour(&streets_[next]);
    if (street.neighbours().empty())
      street.add_neighbour(&streets_[back]);
  }
}

void City::place_actors(std::uint32_t count, std::uint64_t seed) {
  actors_.reserve(count);
  for (std::uint32_t id = 0; id < count; ++id) {
    ikra::random dice = chances(seed, Purpose::actors, id);
    Street* street = &streets_[dice.below(static_cast<std::uint32_t>(streets_.size()))];
    const float progress = street->length() * dice.uniform<float>();
    const std::uint32_t kind = dice.below(100u);
    if (kind < 18)
      actors_.push_back(std::make_unique<Car>(id, street, progress, whole_number(dice, 65, 84)));
    else if (kind < 20)
      actors_.push_back(std::make_unique<Bus>(id, street, progress, whole_number(dice, 40, 55)));
    else
      actors_.push_back(std::make_unique<Pedestrian>(id, street, progress));
  }
}

Weather weather_at(std::uint64_t seed, std::int64_t tick) {
  const auto period = static_cast<std::uint64_t>(tick / ticks_of_weather);
  return chances(seed, Purpose::weather, period).below(3) == 0 ? Weather::bad : Weather::good;
}

std::uint64_t fingerprint(std::uint32_t actor, std::uint32_t street, float progress) {
  const std::uint64_t place = std::uint64_t{street} << 32 | std::bit_cast<std::uint32_t>(progress);
  return mixed(mixed(actor + 0x9e3779b97f4a7c15u) ^ place);
}

std::uint64_t checksum(const std::vector<std::unique_ptr<Actor>>& actors) {
  std::uint64_t sum = 0;
  for (const auto& actor : actors)
    sum += fingerprint(actor->id(), actor->street()->id(), actor->progress());
  return sum;
}

} // namespace traffic
