// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bits that the values of tuples in host memory take. Relies on runs.hpp and the plan's
// widths.hpp.
#pragma once

#include "datalog/engine/relations/runs.hpp"
#include "datalog/plan/widths.hpp"

#include <algorithm>
#include <bit>

namespace ikra::datalog {

/// Makes widths, none so far or one for each column, those of these tuples, too.
template <class Run> void widen(column_widths& widths, const Run& tuples, const layout& packed) {
  if (tuples.size() == 0)
    return;
  widths.resize(packed.columns, 1);
  for (unsigned w = 0; w < packed.words; ++w) {
    const u64* const words = tuples.columns().words[w];
    u64 all = 0;
    for (u64 row = 0; row < tuples.size(); ++row)
      all |= words[row];
    for (unsigned c = 0; c < packed.columns; ++c)
      if (packed.fields[c].word == w)
        widths[c] =
            std::max(widths[c], static_cast<u8>(std::bit_width(extract(all, packed.fields[c]))));
  }
}

} // namespace ikra::datalog
