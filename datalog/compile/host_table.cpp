// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host functions are closures over the program's symbols and structures.
#include "datalog/compile/host_table.hpp"

#include <utility>

namespace ikra::datalog {

using core::word;

plan::value host_table::call(std::uint64_t number, std::span<const plan::value> arguments) {
  const entry& called = entries_[static_cast<std::size_t>(number)];
  try {
    return called.run(arguments);
  } catch (const undefined_value& problem) {
    throw evaluation_error(problem.what(), called.where);
  }
}

std::uint64_t host_table::functor_call(const core::expression& call) {
  core::expression head = call;
  head.operands.clear();
  return add(
      [this, head](std::span<const word> arguments) {
        return apply(head, arguments, format_, values_);
      },
      call.where);
}

std::uint64_t host_table::comparison_call(const core::test& test, location where) {
  return add(
      [this, op = test.op, kind = test.kind](std::span<const word> sides) -> word {
        return holds(op, kind, sides[0], sides[1], format_, values_.symbols) ? 1 : 0;
      },
      where);
}

std::uint64_t host_table::make_call(int structure, int branch, location where) {
  return add(
      [this, structure, branch](std::span<const word> fields) {
        return values_.structures.number({structure, branch, {fields.begin(), fields.end()}});
      },
      where);
}

std::uint64_t host_table::is_branch_call(int branch, location where) {
  return add(
      [this, branch](std::span<const word> value) -> word {
        return value[0] != 0 && values_.structures.value(value[0]).branch == branch ? 1 : 0;
      },
      where);
}

std::uint64_t host_table::field_call(int branch, std::size_t field, location where) {
  return add(
      [this, branch, field](std::span<const word> value) -> word {
        if (value[0] == 0)
          return 0;
        const structure_value& held = values_.structures.value(value[0]);
        return held.branch == branch ? field_of(held, field) : 0;
      },
      where);
}

std::uint64_t host_table::counter_call(location where) {
  return add([this](std::span<const word> /*none*/) { return format_.from_unsigned(counter_++); },
             where);
}

} // namespace ikra::datalog
