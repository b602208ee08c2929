// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inference: passes over the clause narrow types until nothing changes. Types only become smaller,
// so this ends. Then numbers that nothing has decided are of the type number, and a last round
// spreads that.
#include "datalog/frontend/infer.hpp"

#include <algorithm>
#include <utility>

#include "datalog/frontend/ground.hpp"
#include "datalog/frontend/walk.hpp"

namespace ikra::datalog {

void number_arguments(ast::clause& clause) {
  int next = 0;
  walk_arguments(clause, [&](ast::argument& argument) { argument.id = next++; });
}

clause_types::clause_types(const ast::clause& clause, const relation_table& relations,
                           type_table& types, detail level)
    : clause_(clause), relations_(relations), types_(types), level_(level) {
  make_slots();
  sources();
  pass();
  bool defaulted = false;
  walk_arguments(clause_, [&](const ast::argument& argument) {
    const bool number = std::holds_alternative<ast::number_constant>(argument.node) ||
                        std::holds_alternative<ast::call>(argument.node) ||
                        std::holds_alternative<ast::aggregate>(argument.node);
    if (number && slots_[slot(argument)] == unknown) {
      slots_[slot(argument)] = type_table::constant(value_kind::number);
      defaulted = true;
    }
  });
  if (defaulted)
    pass();
  while (name_a_record())
    pass();
}

// A record that is compared with nothing of a declared type gets a type of its own, from its
// fields: the first one all of whose fields have types.
bool clause_types::name_a_record() {
  bool named = false;
  walk_arguments(clause_, [&](const ast::argument& argument) {
    const auto* record = std::get_if<ast::record>(&argument.node);
    if (named || record == nullptr || slots_[slot(argument)] != unknown)
      return;
    std::vector<type_id> fields;
    for (const ast::argument& field : record->fields) {
      if (!known(field))
        return;
      const type_id type = of(field);
      fields.push_back(types_.is_structure(type) ? type : type_table::primitive(types_.kind(type)));
    }
    narrow(argument, types_.nameless_record(fields));
    named = true;
  });
  return named;
}

void clause_types::make_slots() {
  std::map<std::string, int> variables;
  walk_arguments(clause_, [&](const ast::argument& argument) {
    const auto* variable = std::get_if<ast::variable>(&argument.node);
    const int fresh = static_cast<int>(slots_.size());
    const int slot =
        variable == nullptr ? fresh : variables.emplace(variable->name, fresh).first->second;
    if (slot == fresh)
      slots_.push_back(unknown);
    slot_of_.push_back(slot);
  });
}

// What positive atoms say of variables comes first: against that, wrong uses are judged.
void clause_types::sources() {
  walk_literals(clause_, [&](const ast::literal& literal) {
    const auto* atom = std::get_if<ast::atom>(&literal.node);
    if (atom == nullptr)
      return;
    const std::vector<type_id>& columns = relations_.at(atom->name).types;
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (std::holds_alternative<ast::variable>(atom->arguments[i].node))
        narrow(atom->arguments[i], columns[i]);
  });
}

void clause_types::pass() {
  do {
    changed_ = false;
    arguments(clause_.head, false);
    for (const ast::literal& inner : clause_.body)
      literal(inner);
  } while (changed_);
}

void clause_types::narrow(const ast::argument& argument, type_id type) {
  type_id& held = slots_[slot(argument)];
  if (level_ == detail::kinds && !types_.is_structure(type))
    type = type_table::constant(types_.kind(type));
  if (held == impossible || held == type)
    return;
  const std::optional<type_id> both =
      held == unknown ? std::optional{type} : types_.meet(held, type);
  const type_id now = both.value_or(impossible);
  changed_ = changed_ || now != held;
  held = now;
}

// All that is known of the type is what values of it are made of.
void clause_types::narrow_kind(const ast::argument& argument, type_id type) {
  narrow(argument, types_.is_structure(type) ? type : type_table::constant(types_.kind(type)));
}

void clause_types::unify(const ast::argument& a, const ast::argument& b) {
  const type_id left = slots_[slot(a)];
  const type_id right = slots_[slot(b)];
  if (left >= 0 && right >= 0 && !types_.meet(left, right)) {
    // A constant of the wrong kind is the better thing to complain about.
    const auto is_constant = [](const ast::argument& x) {
      return std::holds_alternative<ast::number_constant>(x.node) ||
             std::holds_alternative<ast::string_constant>(x.node);
    };
    if (is_constant(a))
      narrow(a, right);
    else if (is_constant(b))
      narrow(b, left);
    else if (types_.kind(left) == types_.kind(right) ||
             !std::holds_alternative<ast::call>(b.node)) {
      narrow(a, right);
      narrow(b, left);
    }
    return;
  }
  if (right >= 0)
    narrow(a, right);
  if (left >= 0)
    narrow(b, left);
}

void clause_types::unify_kinds(const ast::argument& a, const ast::argument& b) {
  const type_id left = slots_[slot(a)];
  const type_id right = slots_[slot(b)];
  if (right >= 0 && left == unknown)
    narrow_kind(a, right);
  if (left >= 0 && right == unknown)
    narrow_kind(b, left);
}

void clause_types::literal(const ast::literal& literal) {
  if (const auto* atom = std::get_if<ast::atom>(&literal.node)) {
    arguments(*atom, true);
  } else if (const auto* negation = std::get_if<ast::negation>(&literal.node)) {
    arguments(negation->inner, false);
  } else if (const auto* constraint = std::get_if<ast::constraint>(&literal.node)) {
    value(constraint->left);
    value(constraint->right);
    if (constraint->op == comparison::equal) {
      unify(constraint->left, constraint->right);
    } else if (constraint->op >= comparison::match) {
      narrow_kind(constraint->left, type_table::primitive(value_kind::symbol));
      narrow_kind(constraint->right, type_table::primitive(value_kind::symbol));
    } else {
      unify_kinds(constraint->left, constraint->right);
    }
  } else if (const auto* group = std::get_if<ast::group>(&literal.node)) {
    for (const std::vector<ast::literal>& alternative : group->alternatives)
      for (const ast::literal& inner : alternative)
        this->literal(inner);
  }
}

void clause_types::arguments(const ast::atom& atom, bool source) {
  const std::vector<type_id>& columns = relations_.at(atom.name).types;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const ast::argument& argument = atom.arguments[i];
    // A value of a supertype is looked up: `as(x, symbol)` where a subtype of symbol stands.
    const bool narrows = std::holds_alternative<ast::variable>(argument.node) ||
                         std::holds_alternative<ast::wildcard>(argument.node) ||
                         std::holds_alternative<ast::cast>(argument.node);
    if (source && narrows)
      narrow(argument, columns[i]);
    else
      narrow_kind(argument, columns[i]);
    value(argument);
  }
}

void clause_types::value(const ast::argument& argument) {
  const auto& node = argument.node;
  if (!argument.type.empty())
    narrow_kind(argument, *types_.find(argument.type));
  if (std::holds_alternative<ast::string_constant>(node)) {
    narrow(argument, type_table::constant(value_kind::symbol));
  } else if (const auto* number = std::get_if<ast::number_constant>(&node)) {
    if (number->written == ast::number_constant::form::unsigned_number)
      narrow(argument, type_table::constant(value_kind::unsigned_number));
    else if (number->written == ast::number_constant::form::real)
      narrow(argument, type_table::constant(value_kind::real));
  } else if (std::holds_alternative<ast::counter>(node)) {
    narrow(argument, type_table::constant(value_kind::number));
  } else if (const auto* record = std::get_if<ast::record>(&node)) {
    fields(argument, record->fields, 0);
  } else if (const auto* branch = std::get_if<ast::branch>(&node)) {
    if (const auto place = types_.find_branch(branch->name)) {
      narrow(argument, place->type);
      fields(argument, branch->fields, place->branch);
    } else {
      fields(argument, branch->fields, -1);
    }
  } else if (const auto* cast = std::get_if<ast::cast>(&node)) {
    if (const auto type = types_.find(cast->type))
      narrow(argument, *type);
    value(cast->value[0]);
  } else if (const auto* called = std::get_if<ast::call>(&node)) {
    call(argument, *called);
  } else if (const auto* gathered = std::get_if<ast::aggregate>(&node)) {
    aggregate(argument, *gathered);
  }
}

void clause_types::fields(const ast::argument& argument, const std::vector<ast::argument>& values,
                          int branch) {
  const std::vector<type_id>* wanted = nullptr;
  if (branch >= 0 && known(argument) && types_.is_structure(of(argument))) {
    // A record where an algebraic value belongs, or the other way round, has no fields to compare.
    const bool sum = types_.kind(of(argument)) == value_kind::sum;
    if (sum == std::holds_alternative<ast::branch>(argument.node))
      wanted = &types_.field_types(of(argument), branch);
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (wanted != nullptr && i < wanted->size()) {
      if (std::holds_alternative<ast::variable>(values[i].node) &&
          slots_[slot(values[i])] == unknown)
        narrow(values[i], (*wanted)[i]);
      else
        narrow_kind(values[i], (*wanted)[i]);
    }
    value(values[i]);
  }
}

void clause_types::call(const ast::argument& argument, const ast::call& call) {
  const auto symbol = type_table::constant(value_kind::symbol);
  const auto number = type_table::constant(value_kind::number);
  for (const ast::argument& operand : call.arguments)
    value(operand);
  switch (call.op) {
  case functor::external:
    if (const type_table::signature* called = types_.functor(call.name)) {
      narrow(argument, called->result);
      for (std::size_t i = 0; i < std::min(call.arguments.size(), called->parameters.size()); ++i)
        narrow_kind(call.arguments[i], called->parameters[i]);
    }
    return;
  case functor::iteration:
    narrow(argument, type_table::constant(value_kind::unsigned_number));
    return;
  case functor::concatenate:
    narrow(argument, symbol);
    for (const ast::argument& operand : call.arguments)
      narrow_kind(operand, symbol);
    return;
  case functor::length:
    narrow(argument, number);
    for (const ast::argument& operand : call.arguments)
      narrow_kind(operand, symbol);
    return;
  case functor::substring:
    narrow(argument, symbol);
    for (std::size_t i = 0; i < call.arguments.size(); ++i)
      narrow_kind(call.arguments[i], i == 0 ? symbol : number);
    return;
  case functor::ordinal:
  case functor::to_number:
    narrow(argument, number);
    return;
  case functor::to_unsigned:
    narrow(argument, type_table::constant(value_kind::unsigned_number));
    return;
  case functor::to_real:
    narrow(argument, type_table::constant(value_kind::real));
    return;
  case functor::to_string:
    narrow(argument, symbol);
    return;
  default:
    break;
  }
  // The operands' kind is the result's. What is there is not narrowed to another kind: check_call
  // says it better.
  for (const ast::argument& operand : call.arguments)
    unify_kinds(argument, operand);
}

void clause_types::aggregate(const ast::argument& argument, const ast::aggregate& aggregate) {
  for (const ast::argument& target : aggregate.target)
    value(target);
  for (const ast::literal& inner : aggregate.body)
    literal(inner);
  if (aggregate.op == aggregator::mean)
    narrow(argument, type_table::constant(value_kind::real));
  else if (!aggregate.target.empty())
    unify_kinds(argument, aggregate.target[0]);
}

} // namespace ikra::datalog
