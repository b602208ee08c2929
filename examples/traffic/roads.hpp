// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Road maps: crossings and the roads between them, either made up or read from an edge list. Plain
// data that the city is built from and that the picture is drawn from.
#pragma once

#include <cstdint>
#include <istream>
#include <stdexcept>
#include <string>
#include <vector>

namespace traffic {

// Something is wrong with what the user gave us: an option or a file.
struct input_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Road {
  std::uint32_t from, to; // crossings
};

struct Place {
  float x, y;
};

struct RoadMap {
  std::string name;
  std::uint32_t crossings = 0;
  std::vector<Road> roads;
  std::vector<Place> places; // of the crossings; empty where the source has none
};

// A town of exactly `count` roads on a bent grid: connected, some blocks larger than others.
// Throws input_error where `count` is 0 or too large.
RoadMap generate_roads(std::uint32_t count, std::uint64_t seed);

// Reads a line `a b` for each road, a and b being any numbers below 2^64 with tabs or spaces
// between them; `#` begins a comment. Crossings are numbered in the order in which they appear.
// `name` is what messages call the input. Throws input_error with the line's number, what stands
// there and what is expected.
RoadMap read_edge_list(std::istream& input, const std::string& name);
RoadMap read_edge_list(const std::string& file);

} // namespace traffic
