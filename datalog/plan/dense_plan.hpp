// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which strata are products of Boolean matrices, and which of those can be computed row by row
// (docs/datalog.md, "Dense evaluation"). Looks at the plan alone.
#pragma once

#include "datalog/plan/layout.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ikra::datalog {

/// The longest chain.
inline constexpr unsigned max_factors = 6;

/// The most chains of a stratum whose rows are computed in order.
inline constexpr unsigned most_ordered_chains = 8;

/// A binary relation in a chain, read from its first column to its second or the other way.
struct chain_factor {
  u32 relation = 0;
  bool turned = false;
  bool recursive = false; ///< of the rule's own stratum
  friend bool operator==(const chain_factor&, const chain_factor&) = default;
};

/// head(x, y) :- factors from x to y [, x != y].
struct chain_rule {
  u32 rule = 0, head = 0;
  std::vector<chain_factor> factors;
  bool irreflexive = false;
};

/// H = B ∪ H·E ∪ F·H, or H = B ∪ H·H ∪ H·E.
struct row_closure {
  std::vector<chain_factor> right; ///< E
  std::vector<chain_factor> left;  ///< F
  bool squared = false;            ///< H·H is there: B belongs to E
};

struct dense_stratum {
  std::vector<chain_rule> chains; ///< the recursive rules
  /// Each chain has one recursive factor, with at most one before it: work begins at rows of delta.
  bool starts_at_delta = false;
  /// One relation, and each chain has it once, as it is, with at most one factor on either side:
  /// a row is made from whole rows.
  bool in_order = false;
  std::optional<row_closure> by_row; ///< if each row can be computed alone
};

/// \param why gets the reason if the stratum is not dense.
/// \returns nothing if a recursive rule is no chain of binary relations of 32-bit columns.
std::optional<dense_stratum> find_dense(const plan::program& program, const plan::stratum& of,
                                        std::string& why);

} // namespace ikra::datalog
