// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Readiness of literals, and the loop that takes ready ones.
#include "datalog/compile/body_order.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>

namespace ikra::datalog {
namespace {

void add(const core::expression& value, variable_set& into) {
  if (value.is == core::expression::form::variable)
    into.insert(value.variable);
  for (const core::expression& operand : value.operands)
    add(operand, into);
}

void add(const core::term& term, variable_set& into) {
  if (term.is == core::term::form::variable)
    into.insert(term.variable);
}

void add(const std::vector<core::literal>& body, const core::aggregate* except, variable_set& into);

void add(const core::literal& literal, const core::aggregate* except, variable_set& into) {
  auto each = [&](const auto& list) {
    for (const auto& item : list)
      add(item, into);
  };
  if (const auto* atom = std::get_if<core::atom>(&literal.node)) {
    each(atom->arguments);
  } else if (const auto* negation = std::get_if<core::negation>(&literal.node)) {
    each(negation->inner.arguments);
  } else if (const auto* test = std::get_if<core::test>(&literal.node)) {
    add(test->left, into);
    add(test->right, into);
  } else if (const auto* construct = std::get_if<core::construct>(&literal.node)) {
    into.insert(construct->variable);
    each(construct->fields);
  } else if (const auto* generator = std::get_if<core::generator>(&literal.node)) {
    into.insert(generator->variable);
    each(generator->bounds);
  } else if (const auto* aggregate = std::get_if<core::aggregate>(&literal.node)) {
    into.insert(aggregate->variable);
    if (aggregate != except) {
      each(aggregate->target);
      add(aggregate->body, except, into);
    }
  }
}

void add(const std::vector<core::literal>& body, const core::aggregate* except,
         variable_set& into) {
  for (const core::literal& literal : body)
    add(literal, except, into);
}

bool all_bound(const variable_set& some, const variable_set& bound) {
  return std::includes(bound.begin(), bound.end(), some.begin(), some.end());
}

template <class Item> bool all_bound(const Item& item, const variable_set& bound) {
  variable_set mentioned;
  add(item, mentioned);
  return all_bound(mentioned, bound);
}

bool all_known(const std::vector<core::term>& fields, const variable_set& bound) {
  return std::all_of(fields.begin(), fields.end(), [&](const core::term& field) {
    return field.is != core::term::form::wildcard && all_bound(field, bound);
  });
}

bool is_unbound_variable(const core::expression& value, const variable_set& bound) {
  return value.is == core::expression::form::variable && !bound.contains(value.variable);
}

// Decides without binding anything.
bool is_ready_condition(const core::literal& literal, const variable_set& bound) {
  if (const auto* test = std::get_if<core::test>(&literal.node))
    return all_bound(test->left, bound) && all_bound(test->right, bound);
  if (std::holds_alternative<core::negation>(literal.node)) {
    variable_set mentioned;
    add(literal, nullptr, mentioned);
    return all_bound(mentioned, bound);
  }
  return false;
}

// Binds variables, to one value or to several, from those that are bound.
bool is_ready_binding(const core::rule& rule, const core::literal& literal,
                      const variable_set& bound) {
  if (const auto* test = std::get_if<core::test>(&literal.node))
    return test->op == comparison::equal &&
           ((is_unbound_variable(test->left, bound) && all_bound(test->right, bound)) ||
            (is_unbound_variable(test->right, bound) && all_bound(test->left, bound)));
  if (const auto* construct = std::get_if<core::construct>(&literal.node))
    return bound.contains(construct->variable) || all_known(construct->fields, bound);
  if (const auto* generator = std::get_if<core::generator>(&literal.node))
    return std::all_of(generator->bounds.begin(), generator->bounds.end(),
                       [&](const core::expression& value) { return all_bound(value, bound); });
  if (const auto* aggregate = std::get_if<core::aggregate>(&literal.node)) {
    variable_set inside;
    add(aggregate->body, nullptr, inside);
    for (const core::expression& target : aggregate->target)
      add(target, inside);
    const variable_set outside = variables_outside(rule, aggregate);
    return std::all_of(inside.begin(), inside.end(), [&](std::uint32_t variable) {
      return !outside.contains(variable) || bound.contains(variable);
    });
  }
  return false;
}

} // namespace

variable_set variables_outside(const core::rule& rule, const core::aggregate* aggregate) {
  variable_set found;
  for (const core::expression& value : rule.values)
    add(value, found);
  add(rule.body, aggregate, found);
  return found;
}

std::vector<const core::literal*> evaluation_order(const core::rule& rule,
                                                   const std::vector<core::literal>& body,
                                                   variable_set bound) {
  std::vector<const core::literal*> open;
  for (const core::literal& literal : body)
    open.push_back(&literal);
  std::vector<const core::literal*> order;
  const std::function<bool(const core::literal*)> preferences[] = {
      [&](const core::literal* literal) { return is_ready_condition(*literal, bound); },
      [&](const core::literal* literal) { return is_ready_binding(rule, *literal, bound); },
      [&](const core::literal* literal) {
        return std::holds_alternative<core::atom>(literal->node);
      }};
  while (!open.empty()) {
    auto next = open.end();
    for (const auto& ready : preferences)
      if (next == open.end())
        next = std::find_if(open.begin(), open.end(), ready);
    if (next == open.end())
      throw std::logic_error("a rule's body has no order in which its variables are bound");
    order.push_back(*next);
    // The variables of an aggregate's body stay its own.
    if (const auto* aggregate = std::get_if<core::aggregate>(&(*next)->node))
      bound.insert(aggregate->variable);
    else
      add(**next, nullptr, bound);
    open.erase(next);
  }
  return order;
}

} // namespace ikra::datalog
