// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host functions of one program: what the engine's expressions call by number. Relies on
// functions.hpp.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "datalog/engine/engine.hpp"
#include "datalog/frontend/core.hpp"
#include "datalog/frontend/domain.hpp"
#include "datalog/frontend/functions.hpp"

namespace ikra::datalog {

class host_table final : public host_functions {
public:
  host_table(const core::program& program, domain& values)
      : values_(values), format_(program.bits) {}

  plan::value call(std::uint64_t number, std::span<const plan::value> arguments) override;
  void call_all(std::uint64_t number, std::span<const std::vector<plan::value>> arguments,
                std::span<plan::value> results, const run_in_parts& in_parts) override;
  void begin_iteration(std::uint64_t iteration) override { values_.iteration = iteration; }

  /// Each gives the number of a function.
  /// A functor; its operands are the arguments.
  std::uint64_t functor_call(const core::expression& call);
  /// 1 or 0 for a comparison of two arguments.
  std::uint64_t comparison_call(const core::test& test, location where);
  /// Makes a structure of its fields.
  std::uint64_t make_call(int structure, int branch, location where);
  /// 1 if the argument is a structure of this branch; nil is of none.
  std::uint64_t is_branch_call(int branch, location where);
  /// A field of a structure of this branch; of others 0, which is_branch_call's condition drops.
  std::uint64_t field_call(int branch, std::size_t field, location where);
  /// 0, 1, 2, …
  std::uint64_t counter_call(location where);

private:
  using function = std::function<core::word(std::span<const core::word>)>;
  struct entry {
    function run;
    location where;
    const external_function* external = nullptr; ///< what is run, if that is all
  };
  std::uint64_t add(function run, location where, const external_function* external = nullptr) {
    entries_.push_back({std::move(run), where, external});
    return entries_.size() - 1;
  }

  domain& values_;
  value_format format_;
  std::vector<entry> entries_;
  std::uint64_t counter_ = 0;
};

} // namespace ikra::datalog
