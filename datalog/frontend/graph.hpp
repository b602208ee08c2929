// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Strongly connected components of the dependencies between relations. Relies on the standard
// library only.
#pragma once

#include <cstdint>
#include <vector>

namespace ikra::datalog {

/// By node: the nodes that it depends on.
using dependency_graph = std::vector<std::vector<std::uint32_t>>;

/// The strongly connected components, each after those that it depends on; nodes ascending within
/// one.
std::vector<std::vector<std::uint32_t>> connected_components(const dependency_graph& graph);

} // namespace ikra::datalog
