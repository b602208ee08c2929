// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of a base array that is not direct, in lists by class. A launch goes through each list
// by itself: threads that are neighbours have objects of one class, and look at no others.
#pragma once

#include <ikra/generated/objects/object_graph.hpp>

#include "repeats.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ikra::rt {

/// As in base_array.
struct class_lists {
  std::size_t threads = 0; ///< places of all lists, gaps between them included
  std::vector<std::uint64_t> places;
  std::vector<class_list> lists;
  std::vector<class_list> parts;
  std::vector<std::size_t> rounds;
};
/// By counting, on all cores. A list's elements are in rounds, and else in their order.
/// \param codes of the elements: classes below `classes`, or null_code
class_lists lists_by_class(std::span<const std::uint16_t> codes, std::size_t classes,
                           const element_rounds& rounds);

} // namespace ikra::rt
