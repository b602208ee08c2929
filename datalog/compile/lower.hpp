// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Normalised programs to the engine's plans. Whatever is about symbols, records and algebraic
// values becomes a call of a host function; an equivalence relation gets the rules of its closure;
// facts become rows to load. Relies on the front end, plan.hpp and the order in which a body can be
// evaluated.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "datalog/engine/engine.hpp"
#include "datalog/frontend/core.hpp"
#include "datalog/frontend/domain.hpp"
#include "datalog/frontend/source.hpp"
#include "datalog/plan/plan.hpp"

namespace ikra::datalog {

/// A construct that the engine has no way to evaluate; the reference does.
class unsupported_by_engine : public std::runtime_error {
public:
  unsupported_by_engine(const std::string& message, location where)
      : std::runtime_error(message), where_(where) {}
  location where() const noexcept { return where_; }

private:
  location where_;
};

/// What the engine needs to run a program.
struct lowered_program {
  plan::program plan; ///< relations have the numbers that they have in the program
  /// By relation of the program: the one of the plan that facts and rules put tuples into. Another
  /// one for equivalence relations, which hold the closure of that.
  std::vector<std::uint32_t> filled;
  /// Facts of the program, row after row, by the relation that they are loaded into.
  std::map<std::uint32_t, std::vector<std::vector<core::word>>> facts;
  std::unique_ptr<host_functions> functions; ///< throws evaluation_error (functions.hpp)
};

/// \param program, values outlive the result
/// \param source  for the rules' texts in printed plans and messages
/// \throws unsupported_by_engine
lowered_program lower(const core::program& program, domain& values, const source_text& source);

} // namespace ikra::datalog
