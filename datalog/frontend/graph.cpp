// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tarjan's algorithm with a stack of its own: a program may have a chain of a hundred thousand
// relations.
#include "datalog/frontend/graph.hpp"

#include <algorithm>
#include <cstddef>

namespace ikra::datalog {

std::vector<std::vector<std::uint32_t>> connected_components(const dependency_graph& graph) {
  struct visit {
    std::uint32_t node;
    std::size_t next; // edge to follow
  };
  constexpr std::uint32_t unseen = 0;
  std::vector<std::uint32_t> order(graph.size(), unseen), low(graph.size());
  std::vector<bool> open(graph.size());
  std::vector<std::uint32_t> pending;
  std::vector<std::vector<std::uint32_t>> found;
  std::uint32_t count = 0;
  for (std::uint32_t root = 0; root < graph.size(); ++root) {
    if (order[root] != unseen)
      continue;
    std::vector<visit> path;
    auto enter = [&](std::uint32_t node) {
      order[node] = low[node] = ++count;
      open[node] = true;
      pending.push_back(node);
      path.push_back({node, 0});
    };
    enter(root);
    while (!path.empty()) {
      const std::uint32_t node = path.back().node;
      if (path.back().next < graph[node].size()) {
        const std::uint32_t to = graph[node][path.back().next++];
        if (order[to] == unseen)
          enter(to);
        else if (open[to])
          low[node] = std::min(low[node], order[to]);
        continue;
      }
      path.pop_back();
      if (!path.empty())
        low[path.back().node] = std::min(low[path.back().node], low[node]);
      if (low[node] != order[node])
        continue;
      std::vector<std::uint32_t>& component = found.emplace_back();
      std::uint32_t member = 0;
      do {
        member = pending.back();
        pending.pop_back();
        open[member] = false;
        component.push_back(member);
      } while (member != node);
      std::sort(component.begin(), component.end());
    }
  }
  return found;
}

} // namespace ikra::datalog
