// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order in which rows that need each other are computed: strongly connected components
// (Tarjan, Depth-first search and linear graph algorithms, 1972), those that are needed first
// (docs/datalog.md, "Dense evaluation"). Runs on the host.
#pragma once

#include "datalog/engine/bits/bit_rows.hpp"

#include <optional>
#include <vector>

namespace ikra::datalog {

/// rows[begin, cyclic) are on no cycle, each after the rows that it needs; rows[cyclic, end) are
/// on cycles. All rows that a stage needs are in it or in earlier ones.
struct row_stage {
  u64 begin = 0, cyclic = 0, end = 0;
};

struct row_order {
  std::vector<u32> rows;
  std::vector<row_stage> stages;
  /// Ends of parts of `rows` that need none of their own part, or are a stage's rows on cycles.
  std::vector<u64> levels;
  u64 most_cyclic = 0; ///< rows on cycles in one stage
};

/// \param needs row x needs the rows that are its columns, in each of these.
/// \param themselves whether all rows need themselves.
/// \param starts of each row: not 0 if it has tuples whatever other rows have. Rows that are
/// neither such nor need such stay empty and are left out.
/// \param least_width rows on no cycle that have to be in a level, on average. \returns nothing if
/// there are fewer.
std::optional<row_order> order_rows(u32 rows, const std::vector<sparse_rows>& needs,
                                    bool themselves, const std::vector<u8>& starts,
                                    u64 least_width = 0);

} // namespace ikra::datalog
