// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the benchmark of layouts measures: for each access, the times of the ways to lay structs
// out.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace layouts {

struct way_time {
  std::string way;
  double us;
};
struct row {
  std::string access;
  std::size_t bytes; ///< that the access needs
  std::vector<way_time> times;
};

/// \throws std::runtime_error where the results of two ways differ, or CUDA reports an error
std::vector<row> measure();

} // namespace layouts
