// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The made-up town and the reader of edge lists.
#include "roads.hpp"

#include "chance.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <limits>
#include <numeric>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>

namespace traffic {
namespace {

// Each road is two streets, and streets have 32-bit numbers.
constexpr std::size_t most_roads = std::numeric_limits<std::uint32_t>::max() / 2;

//===-- the made-up town -------------------------------------------------------------------===//

struct Grid {
  std::uint32_t width, height;
  std::uint32_t crossings() const { return width * height; }
  std::uint32_t roads() const { return 2 * width * height - width - height; }
};

// A grid with about a fifth more roads than asked for, and few enough crossings to be connected by
// them.
Grid grid_for(std::uint32_t roads) {
  Grid grid{std::max(1u, static_cast<std::uint32_t>(std::sqrt(roads / 1.6))), 1};
  while (grid.roads() < roads)
    ++grid.height;
  while (grid.roads() < roads + roads / 5 && grid.crossings() + grid.width <= roads + 1)
    ++grid.height;
  return grid;
}

std::vector<Road> roads_of(const Grid& grid) {
  std::vector<Road> roads;
  roads.reserve(grid.roads());
  for (std::uint32_t y = 0; y < grid.height; ++y)
    for (std::uint32_t x = 0; x < grid.width; ++x) {
      const std::uint32_t here = y * grid.width + x;
      if (x + 1 < grid.width)
        roads.push_back({here, here + 1});
      if (y + 1 < grid.height)
        roads.push_back({here, here + grid.width});
    }
  return roads;
}

// Moves the roads of a spanning tree to the front. Kruskal's algorithm, in the given order.
void spanning_tree_first(std::vector<Road>& roads, std::uint32_t crossings) {
  std::vector<std::uint32_t> parent(crossings);
  std::iota(parent.begin(), parent.end(), 0u);
  const auto root = [&parent](std::uint32_t node) {
    while (parent[node] != node)
      node = parent[node] = parent[parent[node]];
    return node;
  };
  std::vector<Road> others;
  auto end_of_tree = roads.begin();
  for (const Road& road : roads) {
    const std::uint32_t a = root(road.from), b = root(road.to);
    if (a == b) {
      others.push_back(road);
    } else {
      parent[a] = b;
      *end_of_tree++ = road;
    }
  }
  std::copy(others.begin(), others.end(), end_of_tree);
}

// Bends the grid: streets sway, and blocks grow towards the outskirts.
Place place_on(const Grid& grid, std::uint32_t crossing, std::uint64_t seed) {
  ikra::random dice = chances(seed, Purpose::places, crossing);
  const float wobble_x = dice.uniform<float>() - 0.5f, wobble_y = dice.uniform<float>() - 0.5f;
  const float u =
      static_cast<float>(crossing % grid.width) - static_cast<float>(grid.width - 1) / 2;
  const auto row = crossing / grid.width;
  const float v = static_cast<float>(row) - static_cast<float>(grid.height - 1) / 2;
  const float far = std::hypot(u, v) / static_cast<float>(std::max(grid.width, grid.height));
  const float stretch = 1.0f + 0.8f * far;
  const float turn = 0.9f * far; // radians
  const float x = (u + 0.45f * wobble_x) * stretch, y = (v + 0.45f * wobble_y) * stretch;
  return {x * std::cos(turn) - y * std::sin(turn), x * std::sin(turn) + y * std::cos(turn)};
}

//===-- edge lists -------------------------------------------------------------------------===//

constexpr std::string_view expected = "expected two crossing numbers, as in '17 42'";

// What a message shows of the text that it complains about: short, printable.
std::string shown(std::string_view text) {
  constexpr std::size_t most = 40;
  std::string result;
  for (const char c : text.substr(0, most)) {
    if (c >= ' ' && c <= '~')
      result += c;
    else
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  return text.size() > most ? result + "..." : result;
}

std::vector<std::string_view> words(std::string_view line) {
  constexpr std::string_view blanks = " \t\r";
  std::vector<std::string_view> result;
  for (auto begin = line.find_first_not_of(blanks); begin != line.npos;) {
    const auto end = std::min(line.find_first_of(blanks, begin), line.size());
    result.push_back(line.substr(begin, end - begin));
    begin = line.find_first_not_of(blanks, end);
  }
  return result;
}

std::uint64_t crossing_number(std::string_view word, const std::string& where) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error == std::errc::result_out_of_range && end == word.data() + word.size())
    throw input_error(
        fmt::format("{}: '{}' is too large: expected a number below 2^64", where, shown(word)));
  if (error != std::errc() || end != word.data() + word.size())
    throw input_error(fmt::format("{}: found '{}', {}", where, shown(word), expected));
  return number;
}

} // namespace

RoadMap generate_roads(std::uint32_t count, std::uint64_t seed) {
  constexpr std::uint32_t most = 1u << 28; // the grid's numbers stay below 2^31
  if (count == 0 || count > most)
    throw input_error(fmt::format("a town has 1 to {} roads, not {}", most, count));
  const Grid grid = grid_for(count);
  RoadMap map{"generated town", grid.crossings(), roads_of(grid), {}};

  std::vector<std::pair<std::uint32_t, std::size_t>> drawn; // lots, and the roads that drew them
  for (std::size_t road = 0; road < map.roads.size(); ++road)
    drawn.emplace_back(chances(seed, Purpose::roads, road).bits(), road);
  std::sort(drawn.begin(), drawn.end());
  const std::vector<Road> in_order = std::exchange(map.roads, {});
  for (const auto& [lot, road] : drawn)
    map.roads.push_back(in_order[road]);
  spanning_tree_first(map.roads, map.crossings);
  map.roads.resize(count);

  for (std::uint32_t crossing = 0; crossing < map.crossings; ++crossing)
    map.places.push_back(place_on(grid, crossing, seed));
  return map;
}

RoadMap read_edge_list(std::istream& input, const std::string& name) {
  RoadMap map{name, 0, {}, {}};
  std::unordered_map<std::uint64_t, std::uint32_t> crossings;
  const auto crossing = [&](std::uint64_t number) {
    return crossings.try_emplace(number, static_cast<std::uint32_t>(crossings.size()))
        .first->second;
  };
  std::string line;
  for (std::size_t number = 1; std::getline(input, line); ++number) {
    const std::string_view text = std::string_view(line).substr(0, line.find('#'));
    const auto found = words(text);
    if (found.empty())
      continue;
    const std::string where = fmt::format("{}:{}", name, number);
    if (found.size() != 2)
      throw input_error(fmt::format("{}: found {} {} in '{}', {}", where, found.size(),
                                    found.size() == 1 ? "word" : "words", shown(text), expected));
    const std::uint64_t from = crossing_number(found[0], where);
    const std::uint64_t to = crossing_number(found[1], where);
    if (map.roads.size() == most_roads)
      throw input_error(fmt::format("{}: more than {} roads", where, most_roads));
    const std::uint32_t start = crossing(from); // numbered from left to right
    map.roads.push_back({start, crossing(to)});
  }
  if (input.bad())
    throw input_error(fmt::format("{}: reading failed after {} roads", name, map.roads.size()));
  if (map.roads.empty())
    throw input_error(fmt::format("{}: no roads in the file; {} on each line", name, expected));
  map.crossings = static_cast<std::uint32_t>(crossings.size());
  return map;
}

RoadMap read_edge_list(const std::string& file) {
  std::ifstream input(file);
  if (!input)
    throw input_error(
        fmt::format("{}: cannot be opened: {}", file, std::generic_category().message(errno)));
  return read_edge_list(input, file);
}

} // namespace traffic
