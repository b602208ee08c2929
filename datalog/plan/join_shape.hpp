// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel is specialised to: the types of the columns that it reads, constants,
// conditions, computed values, and what it writes. ikrac makes kernels of shapes, and the engine
// looks for the kernel of a shape by its text (docs/datalog-kernels.md). Relies on schedule.hpp.
#pragma once

#include "datalog/plan/schedule.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ikra::datalog {

/// A join, a scan or a range and, after it, bindings, conditions and negations: everything up to
/// the next step that needs rows of its own. Or such steps alone, or none but the head, where a
/// step without kernels stands before them. Variables in its expressions are numbered by
/// read_from() below.
struct join_shape {
  /// Values that a kernel reads or has computed before. Of a range, column 0 is the number of the
  /// value.
  enum sources : u8 { input, column, computed };

  bool scans = false;                  ///< there are no rows so far
  bool joins_nothing = false;          ///< each row has one output
  std::vector<plan::expression> range; ///< from, to and step; empty: no range
  std::vector<u32> input_slots;        ///< the rule's variables that are read from the rows so far
  std::vector<u8> input_bits;          ///< their widths
  std::vector<operand> keys;           ///< of known columns, ascending; if no constant, of an input
  std::vector<u8> key_bits;            ///< their widths
  std::vector<u8> columns;             ///< columns of the tuple that are read
  std::vector<u8> column_bits;         ///< their widths
  struct action {
    enum kinds : u8 {
      test,   ///< drops the output if the value is 0
      let,    ///< later expressions may use the value
      absent, ///< drops the output if a look-up finds a tuple
      present ///< drops the output if a look-up finds none
    } what;
    plan::expression value;
    std::vector<plan::expression> keys; ///< of the look-up: known columns, ascending
    std::vector<u8> key_bits;           ///< their widths
    std::size_t step = 0;               ///< of the rule version, which says where to look
  };
  std::vector<action> actions; ///< in this order
  /// What kernels have for functors (plan::functor::code); calls in expressions number these.
  std::vector<std::string> functors;
  std::vector<plan::expression> outputs;
  std::vector<u8> output_bits;
  u8 head_words = 0;             ///< of the head's tuples; 0: outputs are rows for further steps
  std::vector<u32> output_slots; ///< the rule's variables that these are
  std::size_t steps = 1;         ///< of the rule version that it carries out
  bool may_fault = false;        ///< divides integers

  /// The number of a variable that stands for a value.
  static constexpr u64 read_from(sources from, std::size_t number) {
    return static_cast<u64>(from) << 32 | number;
  }

  /// All of the above but the rule's own numbers of variables and columns: kernels with one text do
  /// the same.
  std::string text() const;
};

/// Steps of a rule version that follow each other: its own, or the body of an aggregate or a test.
struct step_list {
  const rule_version& version;
  const std::vector<step>& steps;
  bool inner = false;              ///< they are a body
  std::optional<u32> row_slot;     ///< of a body whose rows are numbered
  std::vector<const step*> before; ///< steps around the body that are done before it

  static step_list own(const rule_version& version) {
    return {version, version.steps, false, {}, {}};
  }
  /// \param at the number of a step that is an aggregate, with this body
  step_list body(std::size_t at, const aggregate_step& aggregate) const {
    return body(at, aggregate.body, aggregate.row_slot);
  }
  /// \param at the number of a step that is a test, with this body
  step_list body(std::size_t at, const exists_step& test) const {
    return body(at, test.body,
                test.given.empty() ? std::nullopt : std::optional<u32>(test.row_slot));
  }

private:
  step_list body(std::size_t at, const std::vector<step>& inside, std::optional<u32> rows) const {
    step_list made{version, inside, true, rows, before};
    for (std::size_t i = 0; i < at; ++i)
      made.before.push_back(&steps[i]);
    return made;
  }
};

/// \param at a step, or the place after the last. \returns the shape of what begins there; none if
/// no kernel does it (host functions, aggregates), or one would have nothing to do, because later
/// steps read the columns where they lie.
/// \param why is set to the reason if a step is too large for a kernel; empty otherwise.
std::optional<join_shape> shape_of(const plan::program& program, const step_list& list,
                                   std::size_t at, std::string& why);

} // namespace ikra::datalog
