// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs for the simulations on them: neighbours of each vertex, one after the other.
#pragma once

#include "edges.hpp"

#include <ikra/ikra.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace simulations {

/// Neighbours of vertex v are to[first[v]] to to[first[v + 1] - 1].
struct graph {
  ikra::array<std::int32_t> first, to;
  std::int64_t vertices() const { return first.size() - 1; }
};

/// \param edges pairs of vertices 0 … vertices - 1; those of one vertex are kept in their order
inline graph make_graph(std::int64_t vertices, const edge_list& edges) {
  std::vector<std::int32_t> first(static_cast<std::size_t>(vertices) + 1), to(edges.size());
  for (const auto& [from, target] : edges)
    ++first[static_cast<std::size_t>(from) + 1];
  for (std::size_t v = 1; v < first.size(); ++v)
    first[v] += first[v - 1];
  std::vector<std::int32_t> next(first);
  for (const auto& [from, target] : edges)
    to[static_cast<std::size_t>(next[static_cast<std::size_t>(from)]++)] = target;
  return {ikra::array<std::int32_t>(std::move(first)), ikra::array<std::int32_t>(std::move(to))};
}

/// Edges of a web-like graph: each vertex leads to some that are chosen by chance, the older the
/// likelier.
inline edge_list web(std::int64_t vertices, int links) {
  edge_list edges;
  for (std::int64_t v = 1; v < vertices; ++v)
    for (int k = 0; k < links; ++k) {
      ikra::random chance(7, static_cast<std::uint64_t>(v), k);
      const double older = chance.uniform<double>() * chance.uniform<double>();
      edges.emplace_back(static_cast<std::int32_t>(v),
                         static_cast<std::int32_t>(older * static_cast<double>(v)));
    }
  return edges;
}

/// The graph that the user gives, or else one by chance. \returns its vertices and edges
template <class Options> std::pair<std::int64_t, edge_list> edges_of(const Options& given) {
  if (const std::string& file = given.file("edges"); !file.empty())
    return read_edges(file);
  const std::int64_t n = given["vertices"];
  return {n, web(n, static_cast<int>(given["links"]))};
}

} // namespace simulations
