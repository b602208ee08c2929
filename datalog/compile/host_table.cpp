// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host functions are closures over the program's symbols and structures.
#include "datalog/compile/host_table.hpp"

#include <exception>
#include <mutex>
#include <string>
#include <utility>

namespace ikra::datalog {

using core::word;

namespace {

/// What the first of some rows threw, whichever thread met it.
class first_problem {
public:
  /// The present exception, of this row.
  void note(std::uint64_t row) {
    const std::lock_guard<std::mutex> alone(mutex_);
    if (row < row_) {
      row_ = row;
      thrown_ = std::current_exception();
    }
  }
  void rethrow(location where) const {
    try {
      if (thrown_)
        std::rethrow_exception(thrown_);
    } catch (const undefined_value& problem) {
      throw evaluation_error(problem.what(), where);
    }
  }

private:
  std::mutex mutex_;
  std::uint64_t row_ = ~std::uint64_t{0};
  std::exception_ptr thrown_;
};

} // namespace

plan::value host_table::call(std::uint64_t number, std::span<const plan::value> arguments) {
  const entry& called = entries_[static_cast<std::size_t>(number)];
  try {
    return called.run(arguments);
  } catch (const undefined_value& problem) {
    throw evaluation_error(problem.what(), called.where);
  }
}

// Texts get their numbers after the calls, in the order of rows: no symbol is added while several
// threads read some, and numbers are the same for any number of threads.
void host_table::call_all(std::uint64_t number, std::span<const std::vector<plan::value>> arguments,
                          std::span<plan::value> results, const run_in_parts& in_parts) {
  const entry& called = entries_[static_cast<std::size_t>(number)];
  const external_function* const given = called.external;
  if (given == nullptr || !given->for_all_threads)
    return host_functions::call_all(number, arguments, results, in_parts);
  std::vector<std::string> texts(given->text ? results.size() : 0);
  first_problem problem;
  in_parts(results.size(), [&](std::uint64_t begin, std::uint64_t end) {
    std::uint64_t i = begin;
    try {
      for (std::vector<plan::value> row(arguments.size()); i < end; ++i) {
        for (std::size_t k = 0; k < row.size(); ++k)
          row[k] = arguments[k][i];
        if (given->text)
          texts[i] = given->text(row);
        else
          results[i] = given->run(row);
      }
    } catch (...) {
      problem.note(i);
    }
  });
  problem.rethrow(called.where);
  for (std::size_t i = 0; i < texts.size(); ++i)
    results[i] = values_.symbols.number(texts[i]);
}

std::uint64_t host_table::functor_call(const core::expression& call) {
  core::expression head = call;
  head.operands.clear();
  const bool is_external = call.op == functor::external;
  return add(
      [this, head](std::span<const word> arguments) {
        return apply(head, arguments, format_, values_);
      },
      call.where, is_external ? &values_.externals[call.variable] : nullptr);
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
