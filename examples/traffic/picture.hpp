// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The picture of a city: its roads, glowing where there is traffic.
#pragma once

#include "roads.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace traffic {

// Writes a PNG file, whole or not at all. `actors` has the number of actors on each street, two
// streets a road. Throws std::runtime_error where the file cannot be written.
void draw_traffic(const std::string& file, const RoadMap& map,
                  const std::vector<std::uint32_t>& actors);

} // namespace traffic
