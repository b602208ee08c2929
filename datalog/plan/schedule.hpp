// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a rule to the steps that evaluate one version of it: which atom reads delta, in which order
// atoms are joined, where conditions run, which variables are alive after each step. Plain data,
// which the rule runner carries out on either device.
#pragma once

#include "datalog/plan/index_choice.hpp"
#include "datalog/plan/layout.hpp"
#include "datalog/plan/selectivity.hpp"

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace ikra::datalog {

struct operand {
  bool constant = false;
  u64 content = 0; ///< the value or the slot
};

/// A look-up of tuples by the columns that are known.
struct probe {
  u32 relation = 0;
  bool delta = false;        ///< read delta instead of full
  column_set known = 0;      ///< the index's order begins with these columns
  std::vector<operand> keys; ///< one for each known column, in ascending order of columns
};

/// Joins the rows so far with the tuples found.
struct join_step {
  probe source;
  struct bound_column {
    u32 slot;
    u8 column;
  };
  std::vector<bound_column> binds;      ///< new variables
  std::vector<std::pair<u8, u8>> equal; ///< columns of the tuple that must agree
  std::vector<plan::expression> tests;  ///< conditions on variables known by then
  bool once = false; ///< of tuples that agree in the columns that are bound, one alone
};

struct filter_step {
  plan::expression test;
};

struct bind_step {
  u32 slot;
  plan::expression value;
};

/// slot = a host function of variables and constants.
struct call_step {
  u32 slot;
  u64 function;
  std::vector<operand> arguments;
};

/// Keeps rows for which the look-up finds nothing.
struct absent_step {
  probe source;
};

/// Keeps rows for which the look-up finds a tuple.
struct present_step {
  probe source;
};

struct generate_step {
  u32 slot;
  plan::type of;
  plan::expression from, to, step;
};

struct step;
struct compiled_join; // compiled_join.hpp

/// For each of some steps, and the place after the last, the kernel that carries it out with some
/// that follow; null: it is interpreted.
using step_kernels = std::vector<std::shared_ptr<const compiled_join>>;

struct aggregate_step {
  plan::aggregate::functions function;
  u32 slot;
  plan::type of;
  plan::expression target; ///< a variable or constant; constant 0 for count
  std::vector<u32> given;  ///< the rows' variables that body and target read, ascending
  bool repeats = false;    ///< combinations of these may come more than once
  std::vector<step> body;  ///< ends with the rows whose targets are aggregated
  u32 row_slot;            ///< holds the number of the outer row within the body, 32 bits wide
  step_kernels kernels;    ///< of the body
};

/// Keeps rows for which the body has a solution. It is evaluated for each combination of the values
/// that it reads, once; if it reads none, until the first solution.
struct exists_step {
  std::vector<u32> given; ///< the rows' variables that the body reads, ascending
  bool repeats = false;   ///< combinations of these may come more than once
  bool may_fail = false;  ///< a solution may end the program, so all are looked at
  std::vector<step> body;
  u32 row_slot = 0;     ///< as in aggregate_step, if anything is given
  step_kernels kernels; ///< of the body
};

struct step {
  std::variant<join_step, filter_step, bind_step, call_step, absent_step, present_step,
               generate_step, aggregate_step, exists_step>
      what;
  std::vector<u32> alive; ///< slots that are needed after this step
};

/// A rule as it is run once.
struct rule_version {
  u32 rule = 0;
  bool every_solution = false; ///< see plan::rule
  int delta_atom = -1;         ///< position among the rule's atoms; -1: all atoms read full
  std::vector<step> steps;
  std::vector<plan::head> heads; ///< without calls
  std::vector<plan::type> slots; ///< the rule's, and the temporary ones
  step_kernels kernels;
};

/// \param recursive whether a relation belongs to the rule's stratum.
/// \param delta_atom the position, among the rule's atoms, of the one that reads delta, or -1.
/// \param version number of the version, for plan::rule::orders.
/// \param matches decides between atoms.
/// \param order if not empty, that of all atoms, whatever the plan says.
/// \param inner_orders the same for the bodies of the rule's aggregates, as many as are given.
/// \throws ikra::error of kind unsupported if a literal's variables are never bound.
rule_version schedule(const plan::program& program, u32 number, int delta_atom, u32 version,
                      const match_estimate& matches, const std::vector<u32>& order = {},
                      const std::vector<std::vector<u32>>& inner_orders = {});

/// At most so many matches let an atom that is looked up by several columns come before tests.
inline constexpr double few_matches = 2;

/// \returns the rows that a version's joins are expected to make for each tuple of its first atom.
double expected_rows(const rule_version& version, const match_estimate& matches);

/// The variables that a step reads; more in the bodies of aggregates, which bind some of them.
std::vector<u32> uses_of(const step& s);

/// \returns the variables that a step gives values to.
std::vector<u32> bound_by(const step& s);

/// Calls visit for each look-up of a version.
void for_each_probe(const std::vector<step>& steps, const std::function<void(const probe&)>& visit);

/// \returns the steps as text, one a line, each after `indent`.
std::string print(const plan::program& program, const rule_version& version,
                  const std::string& indent);

} // namespace ikra::datalog
