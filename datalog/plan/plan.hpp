// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the engine evaluates: a Datalog program as plain data, with names resolved, strata found and
// types checked. The front end makes it; the engine derives delta versions, join orders and indices
// from it (docs/datalog.md). Values are bit patterns: 32-bit ones are zero-extended to 64 bits, a
// symbol is the number that the front end gave it. Types and operations are those of
// datalog/values.hpp, which kernels use too.
#pragma once

#include <ikra/generated/datalog/values.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace ikra::datalog::plan {

/// How a relation is kept (docs/datalog.md, "Forms of full").
enum class form : std::uint8_t {
  automatic, ///< the planner's rule decides
  runs,      ///< sorted runs, any arity
  dense      ///< bits; an error if the relation's stratum does not allow it
};

inline constexpr std::size_t most_columns = 32;
inline constexpr std::size_t most_wide_columns = 16; ///< of a relation where some have 64 bits

struct relation {
  std::string name;
  std::vector<type> columns; ///< none (a proposition) up to most_columns, or most_wide_columns
  form kept = form::automatic;
  std::uint64_t size_limit = 0; ///< evaluation of its stratum stops at this size; 0: no limit
  /// Sets of columns. A new tuple that agrees with another one in all columns of a set is dropped;
  /// of new ones, those come first whose bits are less, column by column.
  std::vector<std::vector<std::uint32_t>> choices = {};
  /// The relation, of no stratum and with the same columns, that gets the tuples which are removed
  /// from this one, by the stratum's removals.
  std::optional<std::uint32_t> dominated = {};
};

struct expression {
  operation what = operation::constant;
  type of;                   ///< result type; the operands' type for comparisons
  std::uint64_t payload = 0; ///< see operation
  std::vector<expression> operands;
};

/// One place of an atom.
struct argument {
  enum places : std::uint8_t { variable, constant, ignored } place = ignored;
  std::uint64_t content = 0; ///< the slot or the value
};

/// A relation with as many arguments as it has columns. A variable may occur more than once.
struct atom {
  std::uint32_t relation = 0;
  std::vector<argument> arguments;
};

/// Holds if no tuple matches. Its variables are bound by other literals.
struct negation {
  atom what;
};

/// Holds if the expression is not 0.
struct condition {
  expression test;
};

/// Gives the variable the value, or compares them where something else binds the variable.
struct binding {
  std::uint32_t slot = 0;
  expression value;
};

/// Binds the variable to from, from + step, … up to but without `to`; down for a negative step. A
/// step of 0 gives `from`, unless that is `to`.
struct generator {
  std::uint32_t slot = 0;
  expression from, to, step;
};

struct literal;

/// Binds the variable to an aggregate over all combinations of tuples that fulfil the body; each
/// counts once, ignored columns included. Variables that are bound outside are given, the others
/// are local. Over nothing, count and sum are 0, and the others make the literal fail.
struct aggregate {
  enum functions : std::uint8_t { count, sum, minimum, maximum, mean } function = count;
  std::uint32_t slot = 0;
  type of;                   ///< of the result; mean is floating
  expression target;         ///< not looked at for count
  std::vector<literal> body; ///< no relation of the rule's own stratum
};

struct literal {
  std::variant<atom, negation, condition, binding, generator, aggregate> what;
  /// Literals with the same number, unless it is 0, are two ways to one end, such as to make a
  /// record or to take it apart. Those of the way that is ready first are carried out, the others
  /// are left out.
  std::uint32_t choice = 0;
  std::uint8_t way = 0; ///< 0 is preferred where both are ready
};

struct head {
  std::uint32_t relation = 0;
  std::vector<expression> values; ///< one for each column
};

struct rule {
  std::string text; ///< for messages, the printed plan and the profile
  std::vector<head> heads;
  /// In any order: the engine runs each literal once the variables that it needs are bound.
  std::vector<literal> body;
  std::vector<type> slots; ///< the variables' types
  /// True: atoms are joined in the order in which they stand (the delta version too).
  bool keep_order = false;
  /// True: each solution of the body counts, because a host function numbers them. Else nothing is
  /// lost if equal rows are taken for one.
  bool every_solution = false;
  bool asks_iteration = false; ///< a host function gives the number of the stratum's iteration
  /// `.plan`: for delta version v (the v-th atom of the rule's own stratum, from 0; version 0 where
  /// there is none) the order of all atoms, as their positions among the atoms. Empty: the
  /// engine's.
  std::vector<std::vector<std::uint32_t>> orders;
  std::string place = {}; ///< after the text in messages: " in file a.dl at line 3", or nothing
};

/// Relations that depend on each other, and the rules for them. Rules without a body atom of the
/// stratum run once.
struct stratum {
  std::vector<std::uint32_t> relations;
  std::vector<std::uint32_t> rules;
  bool recursive = false;
  /// Rules for the relations that are `dominated`; carried out after each iteration. Each tuple
  /// that they make is in its relation.
  std::vector<std::uint32_t> removals = {};
};

/// A functor of the user's.
struct functor {
  std::string name;         ///< as declared
  std::string code = {};    ///< the name of what kernels have for it; empty: the host alone has it
  bool all_threads = false; ///< several threads of the host may call it at once
};

struct program {
  std::vector<relation> relations;
  std::vector<rule> rules;
  std::vector<stratum> strata; ///< in the order of evaluation
  /// By the number of the host function that calls it (expression::payload).
  std::map<std::uint64_t, functor> functors = {};
};

} // namespace ikra::datalog::plan
