// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks over the AST, for passes that look at one kind of node wherever it stands. Every walk
// visits a node before what is under it; where a visitor of values gives false, what is under the
// value is left out. Works on const and other trees alike. Relies on the AST.
#pragma once

#include <type_traits>
#include <variant>

#include "datalog/frontend/ast.hpp"

namespace ikra::datalog {

namespace detail {

template <class Literal, class OnLiteral, class OnArgument>
void walk_literal(Literal& literal, OnLiteral& on_literal, OnArgument& on_argument);

template <class Argument, class OnLiteral, class OnArgument>
void walk_argument(Argument& argument, OnLiteral& on_literal, OnArgument& on_argument) {
  if constexpr (std::is_same_v<decltype(on_argument(argument)), bool>) {
    if (!on_argument(argument))
      return;
  } else {
    on_argument(argument);
  }
  auto each = [&](auto& list) {
    for (auto& item : list)
      walk_argument(item, on_literal, on_argument);
  };
  if (auto* record = std::get_if<ast::record>(&argument.node)) {
    each(record->fields);
  } else if (auto* branch = std::get_if<ast::branch>(&argument.node)) {
    each(branch->fields);
  } else if (auto* cast = std::get_if<ast::cast>(&argument.node)) {
    each(cast->value);
  } else if (auto* call = std::get_if<ast::call>(&argument.node)) {
    each(call->arguments);
  } else if (auto* aggregate = std::get_if<ast::aggregate>(&argument.node)) {
    each(aggregate->target);
    for (auto& literal : aggregate->body)
      walk_literal(literal, on_literal, on_argument);
  }
}

template <class Literal, class OnLiteral, class OnArgument>
void walk_literal(Literal& literal, OnLiteral& on_literal, OnArgument& on_argument) {
  on_literal(literal);
  auto atom = [&](auto& inner) {
    for (auto& argument : inner.arguments)
      walk_argument(argument, on_literal, on_argument);
  };
  if (auto* positive = std::get_if<ast::atom>(&literal.node)) {
    atom(*positive);
  } else if (auto* negation = std::get_if<ast::negation>(&literal.node)) {
    atom(negation->inner);
  } else if (auto* constraint = std::get_if<ast::constraint>(&literal.node)) {
    walk_argument(constraint->left, on_literal, on_argument);
    walk_argument(constraint->right, on_literal, on_argument);
  } else if (auto* group = std::get_if<ast::group>(&literal.node)) {
    for (auto& alternative : group->alternatives)
      for (auto& inner : alternative)
        walk_literal(inner, on_literal, on_argument);
  }
}

} // namespace detail

/// Calls visit(argument) for every value in a clause, those within others and in aggregates
/// included.
template <class Clause, class Visit> void walk_arguments(Clause& clause, Visit visit) {
  auto ignore = [](auto&) {};
  for (auto& argument : clause.head.arguments)
    detail::walk_argument(argument, ignore, visit);
  for (auto& literal : clause.body)
    detail::walk_literal(literal, ignore, visit);
}

/// The same for the values in one literal, or in one value.
template <class Literal, class Visit> void walk_literal_arguments(Literal& literal, Visit visit) {
  auto ignore = [](auto&) {};
  detail::walk_literal(literal, ignore, visit);
}
template <class Argument, class Visit> void walk_inner_arguments(Argument& argument, Visit visit) {
  auto ignore = [](auto&) {};
  detail::walk_argument(argument, ignore, visit);
}

/// Calls visit(literal) for every literal in a clause's body, those in groups and aggregates
/// included.
template <class Clause, class Visit> void walk_literals(Clause& clause, Visit visit) {
  auto ignore = [](auto&) {};
  for (auto& argument : clause.head.arguments)
    detail::walk_argument(argument, visit, ignore);
  for (auto& literal : clause.body)
    detail::walk_literal(literal, visit, ignore);
}

/// Calls visit(atom) for the head and for every atom and negated atom.
template <class Clause, class Visit> void walk_atoms(Clause& clause, Visit visit) {
  visit(clause.head);
  walk_literals(clause, [&](auto& literal) {
    if (auto* atom = std::get_if<ast::atom>(&literal.node))
      visit(*atom);
    else if (auto* negation = std::get_if<ast::negation>(&literal.node))
      visit(negation->inner);
  });
}

} // namespace ikra::datalog
