// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What inference found, checked: values without a type, values of the wrong one, functors without a
// meaning.
#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "datalog/frontend/ground.hpp"
#include "datalog/frontend/infer.hpp"
#include "datalog/frontend/walk.hpp"

namespace ikra::datalog {
namespace {

struct operand_count {
  std::size_t least, most;
};

operand_count operands_of(functor op) {
  constexpr std::size_t many = 1'000'000;
  switch (op) {
  case functor::negate:
  case functor::bit_not:
  case functor::logical_not:
  case functor::length:
  case functor::ordinal:
  case functor::to_number:
  case functor::to_unsigned:
  case functor::to_real:
  case functor::to_string:
    return {1, 1};
  case functor::iteration:
    return {0, 0};
  case functor::substring:
    return {3, 3};
  case functor::range:
    return {2, 3};
  case functor::minimum:
  case functor::maximum:
    return {2, many};
  case functor::concatenate:
    return {0, many};
  default:
    return {2, 2};
  }
}

bool works_on(functor op, value_kind kind) {
  switch (op) {
  case functor::negate:
    return kind == value_kind::number || kind == value_kind::real;
  case functor::add: // of symbols: concatenation
    return kind <= value_kind::symbol;
  case functor::subtract:
  case functor::multiply:
  case functor::divide:
  case functor::power:
  case functor::range:
    return kind <= value_kind::real;
  case functor::minimum:
  case functor::maximum:
    return kind <= value_kind::symbol;
  default:
    return kind <= value_kind::unsigned_number;
  }
}

bool is_converter(functor op) { return op >= functor::to_number && op <= functor::to_string; }

} // namespace

void clause_types::check(diagnostics& messages) const {
  std::set<std::string> reported;
  walk_arguments(clause_, [&](const ast::argument& argument) {
    const auto* variable = std::get_if<ast::variable>(&argument.node);
    if (variable != nullptr && !known(argument) && reported.insert(variable->name).second)
      messages.error("Unable to deduce type for variable " + written_name(variable->name),
                     argument.where);
    check_value(argument, messages);
  });
  check_atom(clause_.head, false, messages);
  walk_literals(clause_, [&](const ast::literal& literal) {
    if (const auto* atom = std::get_if<ast::atom>(&literal.node))
      check_atom(*atom, false, messages);
    else if (const auto* negation = std::get_if<ast::negation>(&literal.node))
      check_atom(negation->inner, true, messages);
    else if (const auto* constraint = std::get_if<ast::constraint>(&literal.node))
      check_constraint(literal, *constraint, messages);
  });
}

void clause_types::check_atom(const ast::atom& atom, bool negated, diagnostics& messages) const {
  const declared_relation& relation = relations_.at(atom.name);
  for (std::size_t i = 0; i < relation.types.size(); ++i) {
    const ast::argument& argument = atom.arguments[i];
    if (!known(argument))
      continue;
    const type_id type = of(argument);
    const type_id column = relation.types[i];
    const ast::attribute& declared = relation.written->attributes[i];
    const bool same_kind = types_.kind(type) == types_.kind(column) &&
                           (!types_.is_structure(column) || type == column);
    const remark note{"The argument's declared type is " + declared.type, declared.where};
    if (negated ? !same_kind
                : !types_.is_subtype(type, column) && !(types_.is_constant(type) && same_kind))
      messages.error(negated ? "The kind of atom's argument doesn't match the declared type kind"
                             : "Atom's argument type is not a subtype of its declared type",
                     argument.where, {note});
  }
}

void clause_types::check_value(const ast::argument& argument, diagnostics& messages) const {
  const auto& node = argument.node;
  if (std::holds_alternative<ast::string_constant>(node)) {
    if (!is_kind(argument, value_kind::symbol))
      messages.error("Symbol constant (type mismatch)", argument.where);
  } else if (const auto* number = std::get_if<ast::number_constant>(&node)) {
    check_number(argument, *number, messages);
  } else if (std::holds_alternative<ast::nil>(node)) {
    if (!is_kind(argument, value_kind::record))
      messages.error("Nil constant used as a non-record", argument.where);
  } else if (const auto* record = std::get_if<ast::record>(&node)) {
    if (!is_kind(argument, value_kind::record))
      messages.error("Ambiguous record", argument.where);
    else if (types_.field_types(of(argument), 0).size() != record->fields.size())
      messages.error("Wrong number of arguments given to record", argument.where);
    else
      for (std::size_t i = 0; i < record->fields.size(); ++i) {
        const ast::argument& field = record->fields[i];
        const type_id wanted = types_.field_types(of(argument), 0)[i];
        if (known(field) && !types_.is_subtype(of(field), wanted) &&
            !types_.is_subtype(wanted, of(field)))
          messages.error("Record argument's type doesn't match its declared type", field.where);
      }
  } else if (const auto* branch = std::get_if<ast::branch>(&node)) {
    check_branch(argument, *branch, messages);
  } else if (const auto* cast = std::get_if<ast::cast>(&node)) {
    if (!types_.find(cast->type))
      messages.error("Type cast to the undeclared type \"" + cast->type + "\"", argument.where);
    else if (!known(argument))
      messages.error("Unable to deduce type of the argument (cast)", argument.where);
    else if (const auto* plain = std::get_if<ast::number_constant>(&cast->value[0].node);
             plain != nullptr && plain->written == ast::number_constant::form::any &&
             types_.kind(of(argument)) > value_kind::real)
      messages.error("Ambiguous constant (unable to deduce type)", cast->value[0].where);
  } else if (const auto* call = std::get_if<ast::call>(&node)) {
    check_call(argument, *call, messages);
  } else if (const auto* aggregate = std::get_if<ast::aggregate>(&node)) {
    const bool same =
        aggregate->target.empty() || aggregate->op == aggregator::mean ||
        (known(aggregate->target[0]) && is_kind(argument, types_.kind(of(aggregate->target[0]))));
    if (!is_numeric(argument) || !same ||
        (!aggregate->target.empty() && !is_numeric(aggregate->target[0])))
      messages.error("Couldn't assign types to the aggregator", argument.where);
  } else if (std::holds_alternative<ast::counter>(node)) {
    if (!is_kind(argument, value_kind::number))
      messages.error("Auto-increment functor (type mismatch)", argument.where);
  }
}

void clause_types::check_number(const ast::argument& argument, const ast::number_constant& number,
                                diagnostics& messages) const {
  using form = ast::number_constant::form;
  if (is_numeric(argument))
    return;
  const char* what = "Number";
  if (number.written != form::any)
    what = number.written == form::real ? "Float" : "Unsigned";
  messages.error(std::string{what} + " constant (type mismatch)", argument.where);
}

void clause_types::check_branch(const ast::argument& argument, const ast::branch& branch,
                                diagnostics& messages) const {
  const auto place = types_.find_branch(branch.name);
  if (!place) {
    messages.error("Undeclared branch", argument.where);
    return;
  }
  if (!is_kind(argument, value_kind::sum)) {
    messages.error("Ambiguous branch", argument.where);
    return;
  }
  const std::vector<type_id>& wanted = types_.field_types(place->type, place->branch);
  if (wanted.size() != branch.fields.size()) {
    messages.error("Invalid arity, the declared arity of " + branch.name + " is " +
                       std::to_string(wanted.size()),
                   argument.where);
    return;
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const ast::argument& field = branch.fields[i];
    if (known(field) && !types_.is_subtype(of(field), wanted[i]) &&
        !types_.is_subtype(wanted[i], of(field)))
      messages.error("Branch argument's type doesn't match its declared type", field.where);
  }
}

void clause_types::check_call(const ast::argument& argument, const ast::call& call,
                              diagnostics& messages) const {
  if (call.op == functor::external)
    return check_external(argument, call, messages);
  const operand_count count = operands_of(call.op);
  if (call.arguments.size() < count.least || call.arguments.size() > count.most) {
    messages.error("invalid overload (arity mismatch)", argument.where);
    return;
  }
  // An operand without a type has been reported.
  if (!std::all_of(call.arguments.begin(), call.arguments.end(),
                   [&](const ast::argument& a) { return known(a); }))
    return;
  bool valid = known(argument);
  if (is_converter(call.op) || call.op == functor::ordinal) {
    valid = valid && (call.op == functor::ordinal ||
                      types_.kind(of(call.arguments[0])) <= value_kind::symbol);
  } else if (call.op == functor::concatenate || call.op == functor::length) {
    for (const ast::argument& operand : call.arguments)
      valid = valid && is_kind(operand, value_kind::symbol);
  } else if (call.op == functor::substring) {
    for (std::size_t i = 0; i < call.arguments.size(); ++i)
      valid = valid && is_kind(call.arguments[i], i == 0 ? value_kind::symbol : value_kind::number);
  } else {
    valid = valid && works_on(call.op, types_.kind(of(argument)));
    for (const ast::argument& operand : call.arguments)
      valid = valid && is_kind(operand, types_.kind(of(argument)));
  }
  if (!valid)
    messages.error("no valid overloads", argument.where);
}

void clause_types::check_external(const ast::argument& argument, const ast::call& call,
                                  diagnostics& messages) const {
  const type_table::signature* called = types_.functor(call.name);
  if (called == nullptr) {
    messages.error("Undefined user-defined functor " + call.name, argument.where);
    return;
  }
  if (called->parameters.size() != call.arguments.size()) {
    messages.error("Mismatching arity of functor " + call.name + " (expected " +
                       std::to_string(called->parameters.size()) + ", got " +
                       std::to_string(call.arguments.size()) + ")",
                   argument.where);
    return;
  }
  if (!known(argument))
    messages.error("Result of functor " + call.name + " is a " + types_.name(called->result) +
                       ", and something else is wanted here",
                   argument.where);
  for (std::size_t i = 0; i < call.arguments.size(); ++i)
    if (known(call.arguments[i]) && !is_kind(call.arguments[i], types_.kind(called->parameters[i])))
      messages.error("Argument of functor " + call.name + " is no " +
                         types_.name(called->parameters[i]),
                     call.arguments[i].where);
}

void clause_types::check_constraint(const ast::literal& literal, const ast::constraint& constraint,
                                    diagnostics& messages) const {
  if (!known(constraint.left) || !known(constraint.right))
    return;
  const value_kind left = types_.kind(of(constraint.left));
  const value_kind right = types_.kind(of(constraint.right));
  const bool structures = types_.is_structure(of(constraint.left));
  if (constraint.op >= comparison::match) {
    for (const ast::argument* side : {&constraint.left, &constraint.right})
      if (!is_kind(*side, value_kind::symbol))
        messages.error("Constraint requires an operand of type `symbol`", side->where);
  } else if (left != right || (structures && of(constraint.left) != of(constraint.right))) {
    messages.error("Cannot compare different types", literal.where);
  } else if (structures && constraint.op != comparison::equal &&
             constraint.op != comparison::unequal) {
    messages.error(
        "Constraint requires an operand of type `number` or `unsigned` or `float` or `symbol`",
        constraint.left.where);
  }
}

} // namespace ikra::datalog
