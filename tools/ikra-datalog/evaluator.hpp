// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One face for the engine and the reference: rows in, run, rows out. Relies on datalog/.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "datalog/frontend/core.hpp"
#include "datalog/frontend/domain.hpp"
#include "datalog/frontend/source.hpp"
#include "datalog/io/fact_files.hpp"
#include "options.hpp"

namespace ikra::datalog {

class evaluator {
public:
  virtual ~evaluator() = default;
  /// \param facts so many, one after the other
  virtual void insert(std::uint32_t relation, row facts, std::uint64_t count) = 0;
  virtual void run() = 0;
  virtual std::uint64_t size(std::uint32_t relation) = 0;
  /// The relation's rows in ascending order of bit patterns; valid as long as the evaluator.
  virtual row_source rows(std::uint32_t relation) = 0;
  /// How the program is evaluated.
  virtual std::string plan() = 0;
  /// Times by rule and iteration, a line each, after a run.
  virtual std::string profile() = 0;
};

/// \param program, values and source outlive the evaluator
/// \throws ikra::error, unsupported_by_engine
std::unique_ptr<evaluator> make_evaluator(const options& chosen, const core::program& program,
                                          domain& values, const source_text& source);

} // namespace ikra::datalog
