// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many tuples of a relation agree with given values of some columns, on average: what the
// planner orders atoms by (docs/datalog.md, "The order of atoms"). From a random sample of the
// relation's tuples, or, where there is none yet, from its size alone. Estimates change the time
// that a program takes, never its result.
#pragma once

#include "datalog/plan/index_choice.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

namespace ikra::datalog {

/// The tuples of a relation that are expected for given values of the columns.
using match_estimate = std::function<double(std::uint32_t relation, column_set known)>;

/// From the size alone: each known column divides the tuples by the same factor.
double guessed_matches(std::uint64_t tuples, column_set known, std::size_t columns);

/// Some tuples of a relation, drawn at random and without repeats.
class tuple_sample {
public:
  /// Where a relation has no more, it is its own sample.
  static constexpr std::uint64_t most = 4096;

  /// \param values of the sample's tuples, tuple by tuple.
  /// \param population tuples of the relation.
  tuple_sample(std::vector<std::uint64_t> values, std::size_t columns, std::uint64_t population);

  std::uint64_t population() const noexcept { return population_; }

  /// \returns the relation's tuples over the different values of these columns.
  double matches(column_set known);

private:
  double different(column_set known) const;

  std::vector<std::uint64_t> values_;
  std::size_t columns_, rows_;
  std::uint64_t population_;
  std::map<column_set, double> matches_; ///< those asked for so far
};

/// \returns different numbers below the population, ascending: as many as a sample has, the same
/// ones each time.
std::vector<std::uint64_t> sampled_rows(std::uint64_t population);

} // namespace ikra::datalog
