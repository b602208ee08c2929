// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How tuples are packed into 64-bit words for an order of their columns: comparing words compares
// columns, so a prefix of the columns is a range (docs/datalog.md, "Tuples and runs"). Used on both
// devices; relies on the plan alone.
#pragma once

#include "datalog/plan/plan.hpp"

#include <ikra/generated/datalog/runs.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace ikra::datalog {

/// The layout of one index of a relation.
struct layout {
  u8 words = 1;                   ///< at least 1: a proposition is one word of zeros
  u8 columns = 0;                 ///< of the relation
  u8 order[max_columns] = {};     ///< order[i]: the column that comes at place i
  field fields[max_columns] = {}; ///< of column c (not place)

  layout() = default;
  /// \param types of the relation's columns. \param places a permutation of them.
  /// \param widths if not empty, the bits that each column's values take at most: columns stand
  /// close to each other where that saves words.
  layout(std::span<const plan::type> types, std::span<const u8> places,
         std::span<const u8> widths = {});

  /// The bits of word w that belong to the first `prefix` columns of the order.
  IKRA_DATALOG_BOTH u64 prefix_mask(unsigned prefix, unsigned w) const {
    u64 mask = 0;
    for (unsigned i = 0; i < prefix; ++i)
      if (fields[order[i]].word == w)
        mask |= low_bits(fields[order[i]].bits) << fields[order[i]].shift;
    return mask;
  }

private:
  void place_by_types(std::span<const plan::type> types);
  void place_closely(std::span<const u8> widths);
};

/// Columns in ascending order.
std::vector<u8> identity_order(std::size_t columns);

/// The masks of the first `prefix` columns of an order.
prefix_masks masks_of(const layout& of, unsigned prefix);

} // namespace ikra::datalog
