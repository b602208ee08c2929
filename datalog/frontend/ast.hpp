// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program as it is written. Nodes are values: copying one copies all that is under it, which is
// what components, inlining and disjunctions need. Qualified names are strings with dots. Relies on
// source.hpp.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "datalog/frontend/operators.hpp"
#include "datalog/frontend/source.hpp"

namespace ikra::datalog::ast {

struct argument;
struct literal;

struct variable {
  std::string name;
};
struct wildcard {};
struct string_constant {
  std::string value;
};
/// A number as it is written, with its sign; what it is worth depends on its type.
struct number_constant {
  enum class form { any, unsigned_number, real };
  std::string digits;
  form written = form::any; ///< any: its type follows from where it is used
};
struct nil {};
struct counter {}; ///< `autoinc()` and `$`
struct record {
  std::vector<argument> fields;
};
struct branch {
  std::string name;
  std::vector<argument> fields;
};
struct cast {
  std::vector<argument> value; ///< one
  std::string type;
};
struct call {
  functor op = functor::add;
  std::vector<argument> arguments;
  std::string name = {}; ///< of an external functor
};
struct aggregate {
  aggregator op = aggregator::count;
  std::vector<argument> target; ///< one, or none for count
  std::vector<literal> body;
  std::set<std::string> given; ///< variables that come from outside; found by isolate_aggregates()
};

/// What stands for a value.
struct argument {
  location where;
  std::variant<variable, wildcard, string_constant, number_constant, nil, counter, record, branch,
               cast, call, aggregate>
      node;
  int id = -1;           ///< given by number_arguments(), unique within a clause
  std::string type = {}; ///< that an inlined relation's column gave it; else empty
};

struct atom {
  location where;
  std::string name;
  std::vector<argument> arguments;
};
struct negation {
  atom inner;
};
struct constraint {
  comparison op = comparison::equal;
  argument left;
  argument right;
};
struct truth {
  bool value = true;
};
/// `(a, b; c)`, perhaps with a `!`.
struct group {
  bool negated = false;
  std::vector<std::vector<literal>> alternatives;
};

struct literal {
  location where;
  std::variant<atom, negation, constraint, truth, group> node;
};

/// The order of body atoms that `.plan` asks for, by the version of the rule: number → order, both
/// from 1.
struct plan {
  struct order {
    std::vector<std::int64_t> atoms;
    location where;
  };
  std::map<std::int64_t, order> orders;
};

/// A rule or a fact. The parser leaves one per head; bodies become conjunctions in expand_bodies().
struct clause {
  location where;
  atom head;
  std::vector<literal> body;
  std::optional<plan> order;
  /// `a(x) <= a(y) :- …`: removes the head's tuple where the rule holds and the two tuples differ.
  /// The body begins with the head and the atom after `<=`, whose arguments are different variables
  /// or constants.
  bool subsumes = false;
};

struct attribute {
  location where; ///< of the type's name
  std::string name;
  std::string type;
  bool lattice = false; ///< `type<>`
};

/// `.functor`: a function of the user's.
struct functor_declaration {
  location where; ///< of the name
  std::string name;
  std::vector<attribute> parameters;
  attribute result; ///< without a name
  bool stateful = false;
};

/// `.lattice L<> { Bottom -> 0, Lub -> max(_, _), Glb -> min(_, _) }`: an order of a type's values.
struct lattice {
  location where;
  std::string name;                          ///< of the type
  std::map<std::string, argument> operators; ///< of two values, for which they have `_`, or values
};

enum class representation { standard, btree, brie, equivalence };

struct relation {
  location where; ///< of the name
  std::string name;
  std::vector<attribute> attributes;
  representation stored = representation::standard;
  bool inlined = false;
  bool overridable = false;
  /// `choice-domain`: sets of attributes.
  std::vector<std::vector<std::pair<std::string, location>>> choices = {};
  /// `= debug_delta(r)`: r, whose tuples this one has with the iteration that made them; else
  /// empty.
  std::string traced = {};
};

struct subset_type {
  std::string base;
};
struct union_type { ///< of one element: another name for it
  std::vector<std::string> elements;
};
struct record_type {
  std::vector<attribute> fields;
};
struct type_branch {
  location where;
  std::string name;
  std::vector<attribute> fields;
};
struct sum_type {
  std::vector<type_branch> branches;
};
struct type {
  location where;
  std::string name;
  std::variant<subset_type, union_type, record_type, sum_type> definition;
};

enum class directive_kind { input, output, print_size, limit_size };

struct directive {
  location where;
  directive_kind kind = directive_kind::input;
  std::string relation;
  std::map<std::string, std::string> parameters;
};

struct component_type {
  location where;
  std::string name;
  std::vector<std::string> parameters;
};
struct component_init {
  location where;
  std::string name;
  component_type type;
};

struct component;

/// What a program and a component's body consist of.
struct scope {
  std::vector<type> types;
  std::vector<relation> relations;
  std::vector<clause> clauses;
  std::vector<directive> directives;
  std::vector<component> components;
  std::vector<component_init> inits;
  std::vector<functor_declaration> functors; ///< at the top only
  std::vector<lattice> lattices;             ///< at the top only
};

struct component : scope {
  location where;
  component_type head;
  std::vector<component_type> bases;
  std::vector<std::pair<std::string, location>> overridden;
};

using program = scope;

} // namespace ikra::datalog::ast
