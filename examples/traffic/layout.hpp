// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where to draw the crossings of a network that comes without coordinates.
#pragma once

#include "roads.hpp"

#include <vector>

namespace traffic {

// Places all crossings in the plane so that their distances resemble those along the roads (pivot
// multidimensional scaling, Brandes and Pich, GD'06). Parts that are not connected stand beside
// each other. Time and memory are linear in the network; the result is always the same.
std::vector<Place> place_crossings(const RoadMap& map);

} // namespace traffic
