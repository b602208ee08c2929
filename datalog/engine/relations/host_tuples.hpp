// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A run's tuples on the host, one value a column, for what is decided tuple by tuple. Relies on
// runs.hpp.
#pragma once

#include "datalog/engine/relations/runs.hpp"
#include "datalog/plan/layout.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

namespace ikra::datalog {

class host_tuples {
public:
  template <class Backend>
  static host_tuples of(Backend& backend, const sorted_run<Backend>& run, const layout& packed) {
    host_tuples made;
    made.columns_ = packed.columns;
    made.values_.resize(run.size() * packed.columns);
    std::vector<u64> word(run.size());
    for (unsigned w = 0; w < packed.words; ++w) {
      backend.download(word.data(), run.columns().words[w], run.size() * sizeof(u64));
      for (unsigned c = 0; c < packed.columns; ++c)
        if (packed.fields[c].word == w)
          for (u64 row = 0; row < run.size(); ++row)
            made.values_[row * packed.columns + c] = extract(word[row], packed.fields[c]);
    }
    return made;
  }

  /// Tuple by tuple.
  const std::vector<u64>& values() const noexcept { return values_; }

  std::span<const u64> tuple(u64 row) const {
    return std::span(values_).subspan(row * columns_, columns_);
  }

  /// The rows in ascending order of their tuples, by columns from the first.
  std::vector<u64> ascending() const {
    std::vector<u64> rows(columns_ == 0 ? 0 : values_.size() / columns_);
    std::iota(rows.begin(), rows.end(), u64(0));
    std::sort(rows.begin(), rows.end(), [&](u64 a, u64 b) {
      const std::span<const u64> left = tuple(a), right = tuple(b);
      return std::lexicographical_compare(left.begin(), left.end(), right.begin(), right.end());
    });
    return rows;
  }

private:
  std::size_t columns_ = 0;
  std::vector<u64> values_;
};

/// The numbers of the rows that are marked.
inline std::vector<u32> chosen_rows(const std::vector<char>& marked) {
  std::vector<u32> rows;
  for (std::size_t row = 0; row < marked.size(); ++row)
    if (marked[row] != 0)
      rows.push_back(static_cast<u32>(row));
  return rows;
}

} // namespace ikra::datalog
