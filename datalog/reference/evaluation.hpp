// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The naive evaluator: what every other way of running a program is compared with. Relations are
// sets of tuples, a stratum is run by applying all of its rules to all that is there until nothing
// is new. No indices, no deltas, no plans, and no decision shared with those that make one; it is
// meant to be believed by reading, not to be fast.
// Relies on core.hpp and functions.hpp.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "datalog/frontend/core.hpp"
#include "datalog/frontend/domain.hpp"

namespace ikra::datalog {

class reference_evaluation {
public:
  using tuple = std::vector<core::word>;
  using tuple_set = std::set<tuple>;

  /// \param program and \param values outlive this
  reference_evaluation(const core::program& program, domain& values);

  /// Adds a fact.
  /// \param relation index into program.relations
  /// \param fact     a value for each column
  void insert(std::uint32_t relation, tuple fact) { given_[relation].insert(std::move(fact)); }

  /// Runs the program once.
  /// \throws evaluation_error
  void run();

  const tuple_set& tuples(std::uint32_t relation) const { return relations_[relation]; }

private:
  void run_stratum(const core::stratum& stratum);
  void remove(const core::stratum& stratum);
  bool is_chosen(std::uint32_t relation, const tuple& candidate) const;
  void close(std::uint32_t relation);

  const core::program& program_;
  domain& values_;
  std::vector<tuple_set> given_, relations_;
  std::uint64_t counter_ = 0;
};

} // namespace ikra::datalog
