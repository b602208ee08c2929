// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs in files, an edge a line.
#pragma once

#include <cstdint>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace simulations {

using edge_list = std::vector<std::pair<std::int32_t, std::int32_t>>;

/// Edges of a graph in a file, a line for each: its two vertices, any whole numbers. Vertices are
/// numbered as they come; empty lines and those that begin with # are comments.
/// \returns number of vertices, edges \throws std::runtime_error with the line that has something
/// else
inline std::pair<std::int64_t, edge_list> read_edges(const std::string& name) {
  std::ifstream file(name);
  edge_list edges;
  std::unordered_map<std::int64_t, std::int32_t> vertices;
  const auto number_of = [&](std::int64_t vertex) {
    return vertices.try_emplace(vertex, static_cast<std::int32_t>(vertices.size())).first->second;
  };
  std::string line;
  for (std::int64_t at = 1; std::getline(file, line); ++at) {
    if (line.empty() || line.front() == '#')
      continue;
    std::istringstream words(line);
    std::int64_t from = 0, to = 0;
    std::string more;
    if (!(words >> from >> to) || words >> more)
      throw std::runtime_error(name + ":" + std::to_string(at) +
                               ": two whole numbers are expected, an edge's vertices");
    const std::int32_t number = number_of(from);
    edges.emplace_back(number, number_of(to));
  }
  if (edges.empty())
    throw std::runtime_error("no edges in '" + name + "'");
  return {static_cast<std::int64_t>(vertices.size()), std::move(edges)};
}

} // namespace simulations
