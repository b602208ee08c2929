// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program as it is evaluated: what the front end leaves behind, and what the reference runs and
// the engine's plan is made from. Names are resolved, types are checked, components, inlined
// relations and disjunctions are gone, every functor has one meaning. Plain data; relies on the
// standard library and operators.hpp only.
//
// Invariants: arguments of atoms are variables, constants or `_`. Every variable of a rule is bound
// by a positive atom, by a generator, by an aggregate's result, by a construct whose other side is
// bound, or by a test `=` whose other side is bound; some order of the body's literals has each
// bound before it is needed.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "datalog/frontend/operators.hpp"
#include "datalog/frontend/source.hpp"

namespace ikra::datalog::core {

/// The bits of a value. 32-bit values are zero-extended; a symbol is its number in program::symbols
/// (or after them), a record or algebraic value the number that its contents got, nil is 0.
using word = std::uint64_t;

struct field {
  std::string name;
  value_kind kind = value_kind::number;
  int structure = -1; ///< for records and algebraic types: index into program::structures
};
struct branch {
  std::string name; ///< empty for a record
  std::vector<field> fields;
};
/// A record type (one branch without a name) or an algebraic one.
struct structure {
  std::string name;
  bool sum = false;
  std::vector<branch> branches;
};

struct column : field {
  std::string type; ///< as declared
};

struct relation {
  std::string name;
  std::vector<column> columns;
  bool equivalence = false; ///< holds the equivalence closure of what is put in
  std::uint64_t limit = 0;  ///< its stratum ends once it has as many tuples; 0: none
  /// Sets of columns: of tuples that agree in one of them, the first stays. Of the tuples of one
  /// iteration those come first whose bits are less, column by column.
  std::vector<std::vector<std::uint32_t>> choices = {};
  location where;
};

enum class directive_kind : std::uint8_t { input, output, print_size };
struct directive {
  directive_kind kind = directive_kind::input;
  std::uint32_t relation = 0;
  std::map<std::string, std::string> parameters;
  location where;
};

struct variable {
  std::string name;
  value_kind kind = value_kind::number;
};

/// A function of the user's: a C function, or one of a C++ program (external.hpp).
struct external {
  std::string name;
  std::vector<value_kind> parameters; ///< numbers, unsigned numbers, floats, symbols
  value_kind result = value_kind::number;
  location where;
  /// It gets tables of symbols and records, and its values may be structures.
  bool stateful = false;
  std::vector<int> structures = {}; ///< of the parameters, then of the result; -1: none
};

/// An argument of an atom or a field of a construct.
struct term {
  enum class form : std::uint8_t { variable, constant, wildcard };
  form is = form::wildcard;
  std::uint32_t variable = 0; ///< index into rule::variables
  word value = 0;
};

struct expression {
  enum class form : std::uint8_t { variable, constant, call, counter };
  form is = form::constant;
  value_kind kind = value_kind::number; ///< of the result
  functor op = functor::add;            ///< of a call; never range
  value_kind operands_are =
      value_kind::number; ///< what the call's operands are; with substring: the first one's kind
  std::uint32_t variable = 0; ///< of a call of an external functor: index into program::functors
  word value = 0;
  std::vector<expression> operands;
  location where;
};

struct literal;

struct atom {
  std::uint32_t relation = 0;
  std::vector<term> arguments;
};
struct negation {
  atom inner;
};
/// A comparison. `=` with a variable that nothing else binds on one side binds it.
struct test {
  comparison op = comparison::equal;
  value_kind kind = value_kind::number; ///< of both sides
  expression left, right;
};
/// The variable's value is a structure with these fields: takes it apart if the variable is bound,
/// makes it otherwise.
struct construct {
  std::uint32_t variable = 0;
  int structure = 0;
  int branch = 0;
  std::vector<term> fields;
};
/// The variable takes every value of range(from, to[, step]).
struct generator {
  std::uint32_t variable = 0;
  value_kind kind = value_kind::number;
  std::vector<expression> bounds; ///< two or three
};
/// Over all bindings of the body's own variables. No value over an empty set, except for count and
/// sum, which are 0.
struct aggregate {
  std::uint32_t variable = 0;
  aggregator op = aggregator::count;
  value_kind kind = value_kind::number; ///< of the target
  std::vector<expression> target;       ///< one; none for count
  std::vector<literal> body;
};

struct literal {
  std::variant<atom, negation, test, construct, generator, aggregate> node;
  location where;
};

struct rule {
  std::uint32_t head = 0;
  std::vector<expression> values; ///< variables, constants, calls and counters
  std::vector<literal> body;
  std::vector<variable> variables;
  std::map<std::int64_t, std::vector<std::int64_t>> orders; ///< `.plan`, as written
  location where;
  /// Subsumption: `values` are those of a tuple of the head's relation and of another one, which
  /// the body binds. Where they differ, the first is removed.
  bool removes = false;
};

/// Relations that depend on each other, with their rules.
struct stratum {
  std::vector<std::uint32_t> relations;
  std::vector<std::uint32_t> rules;
  bool recursive = false;
  std::vector<std::uint32_t> removals = {}; ///< rules of subsumption, carried out after each round
};

struct program {
  std::vector<structure> structures;
  std::vector<external> functors;
  std::vector<relation> relations;
  std::vector<rule> rules;
  std::vector<stratum> strata; ///< in the order of evaluation
  std::vector<directive> directives;
  std::vector<std::string> symbols; ///< those that the program mentions
  int bits = 32;                    ///< of numbers, unsigned numbers and floats
};

} // namespace ikra::datalog::core
