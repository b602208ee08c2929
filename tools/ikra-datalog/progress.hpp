// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One line on a terminal that says how far a long fixpoint is. Relies on the engine's run_progress.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "datalog/engine/engine.hpp"

namespace ikra::datalog {

/// \param names of the plan's relations.
/// \returns what the line says, at most 79 characters.
std::string text_of(const run_progress& now, const std::vector<std::string>& names);

/// Writes the line to the standard error once a run is long, that is after a second or 100,000
/// iterations, and then at most ten times a second; erases it when it ends. Says nothing if the
/// standard error is no terminal.
class progress_line {
public:
  explicit progress_line(std::vector<std::string> names);
  progress_line(const progress_line&) = delete;
  progress_line& operator=(const progress_line&) = delete;
  ~progress_line();

  void show(const run_progress& now);

private:
  static constexpr std::uint64_t many = 100000; ///< iterations
  using clock = std::chrono::steady_clock;
  std::vector<std::string> names_;
  bool wanted_, shown_ = false;
  clock::time_point next_;
};

} // namespace ikra::datalog
