// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of each literal: what it mentions, and whether it can be evaluated with the variables that are
// bound.
#include "datalog/reference/order.hpp"

#include <algorithm>
#include <stdexcept>
#include <variant>

namespace ikra::datalog {
namespace {

template <class... F> struct one_of : F... {
  using F::operator()...;
};

// Calls visit(variable) for each time that a variable is mentioned.
template <class Visit> void mentions(const core::term& term, const Visit& visit) {
  if (term.is == core::term::form::variable)
    visit(term.variable);
}

template <class Visit> void mentions(const core::expression& value, const Visit& visit) {
  if (value.is == core::expression::form::variable)
    visit(value.variable);
  for (const core::expression& operand : value.operands)
    mentions(operand, visit);
}

template <class Visit> void mentions(const core::literal& literal, const Visit& visit);

template <class Item, class Visit>
void mentions(const std::vector<Item>& list, const Visit& visit) {
  for (const Item& item : list)
    mentions(item, visit);
}

template <class Visit> void mentions_inside(const core::aggregate& aggregate, const Visit& visit) {
  mentions(aggregate.target, visit);
  mentions(aggregate.body, visit);
}

template <class Visit> void mentions(const core::literal& literal, const Visit& visit) {
  std::visit(
      one_of{[&](const core::atom& atom) { mentions(atom.arguments, visit); },
             [&](const core::negation& negation) { mentions(negation.inner.arguments, visit); },
             [&](const core::test& test) {
               mentions(test.left, visit);
               mentions(test.right, visit);
             },
             [&](const core::construct& construct) {
               visit(construct.variable);
               mentions(construct.fields, visit);
             },
             [&](const core::generator& generator) {
               visit(generator.variable);
               mentions(generator.bounds, visit);
             },
             [&](const core::aggregate& aggregate) {
               visit(aggregate.variable);
               mentions_inside(aggregate, visit);
             }},
      literal.node);
}

class ordering {
public:
  ordering(const core::rule& rule, std::vector<bool> bound)
      : rule_(rule), bound_(std::move(bound)) {}

  std::vector<const core::literal*> run(const std::vector<core::literal>& body) {
    std::vector<const core::literal*> left, order;
    for (const core::literal& literal : body)
      left.push_back(&literal);
    auto take_first = [&](auto wanted) {
      const auto next = std::find_if(
          left.begin(), left.end(), [&](const core::literal* literal) { return wanted(*literal); });
      if (next == left.end())
        return false;
      bind(**next);
      order.push_back(*next);
      left.erase(next);
      return true;
    };
    const auto is_atom = [](const core::literal& literal) {
      return std::holds_alternative<core::atom>(literal.node);
    };
    while (!left.empty())
      if (!take_first([&](const core::literal& literal) { return is_condition(literal); }) &&
          !take_first([&](const core::literal& literal) {
            return !is_atom(literal) && can_run(literal);
          }) &&
          !take_first(is_atom))
        throw std::logic_error("the reference finds no order for a body");
    return order;
  }

private:
  template <class Item> bool is_known(const Item& item) const {
    bool known = true;
    mentions(item, [&](std::uint32_t variable) { known = known && bound_[variable]; });
    return known;
  }

  /// Whether nothing is left to do but to say yes or no.
  bool is_condition(const core::literal& literal) const {
    return (std::holds_alternative<core::test>(literal.node) ||
            std::holds_alternative<core::negation>(literal.node)) &&
           is_known(literal);
  }

  bool can_run(const core::literal& literal) const {
    return std::visit(
        one_of{[](const core::atom&) { return true; },
               [&](const core::negation&) { return is_known(literal); },
               [&](const core::test& test) {
                 return is_known(literal) || (test.op == comparison::equal &&
                                              ((is_variable(test.left) && is_known(test.right)) ||
                                               (is_variable(test.right) && is_known(test.left))));
               },
               [&](const core::construct& construct) {
                 return bound_[construct.variable] || can_be_made(construct);
               },
               [&](const core::generator& generator) { return is_known(generator.bounds); },
               [&](const core::aggregate& aggregate) { return has_what_it_takes(aggregate); }},
        literal.node);
  }

  static bool is_variable(const core::expression& value) {
    return value.is == core::expression::form::variable;
  }

  bool can_be_made(const core::construct& construct) const {
    return is_known(construct.fields) &&
           std::none_of(
               construct.fields.begin(), construct.fields.end(),
               [](const core::term& field) { return field.is == core::term::form::wildcard; });
  }

  /// Variables that the rule mentions outside of the aggregate, too, are not its own.
  bool has_what_it_takes(const core::aggregate& aggregate) const {
    std::vector<std::size_t> all(bound_.size()), inside(bound_.size());
    const auto count_all = [&](std::uint32_t variable) { ++all[variable]; };
    mentions(rule_.values, count_all);
    mentions(rule_.body, count_all);
    mentions_inside(aggregate, [&](std::uint32_t variable) { ++inside[variable]; });
    for (std::size_t v = 0; v < bound_.size(); ++v)
      if (inside[v] != 0 && all[v] > inside[v] && !bound_[v])
        return false;
    return true;
  }

  void bind(const core::literal& literal) {
    if (const auto* aggregate = std::get_if<core::aggregate>(&literal.node))
      bound_[aggregate->variable] = true;
    else
      mentions(literal, [&](std::uint32_t variable) { bound_[variable] = true; });
  }

  const core::rule& rule_;
  std::vector<bool> bound_;
};

bool counts(const core::expression& value) {
  return value.is == core::expression::form::counter ||
         std::any_of(value.operands.begin(), value.operands.end(), counts);
}

/// Whether an evaluation has a value, whatever the operands are.
bool is_total(const core::expression& value) {
  const bool here = value.is != core::expression::form::call || value.op == functor::add ||
                    value.op == functor::subtract || value.op == functor::multiply ||
                    value.op == functor::negate;
  return here && !counts(value) &&
         std::all_of(value.operands.begin(), value.operands.end(), is_total);
}

bool is_total(const core::literal& literal) {
  if (const auto* test = std::get_if<core::test>(&literal.node))
    return test->op < comparison::match && is_total(test->left) && is_total(test->right);
  if (const auto* generator = std::get_if<core::generator>(&literal.node))
    return std::all_of(generator->bounds.begin(), generator->bounds.end(),
                       [](const core::expression& bound) { return is_total(bound); });
  return std::holds_alternative<core::atom>(literal.node) ||
         std::holds_alternative<core::negation>(literal.node);
}

} // namespace

std::vector<const core::literal*> order_as_written(const core::rule& rule,
                                                   const std::vector<core::literal>& body,
                                                   std::vector<bool> bound) {
  return ordering(rule, std::move(bound)).run(body);
}

std::vector<std::size_t> places_that_decide(const core::rule& rule,
                                            const std::vector<const core::literal*>& order) {
  std::vector<std::size_t> known_at(rule.variables.size(), order.size() + 1);
  for (std::size_t at = order.size(); at-- > 0;)
    mentions(*order[at], [&](std::uint32_t variable) { known_at[variable] = at + 1; });
  std::vector<bool> needed(rule.variables.size());
  const auto need = [&](std::uint32_t variable) { needed[variable] = true; };
  mentions(rule.values, need);
  const bool each_solution = std::any_of(rule.values.begin(), rule.values.end(), counts);
  std::vector<std::size_t> decided(order.size() + 1);
  for (std::size_t at = order.size() + 1; at-- > 0;) {
    if (at < order.size())
      mentions(*order[at], need);
    std::size_t first = 0;
    for (std::size_t variable = 0; variable < needed.size(); ++variable)
      if (needed[variable] && known_at[variable] <= at)
        first = std::max(first, known_at[variable]);
    for (std::size_t step = at; step-- > first;)
      if (each_solution || !is_total(*order[step]))
        first = at;
    decided[at] = first;
  }
  // A counter in the body numbers solutions, too.
  for (std::size_t step = 0; step < order.size(); ++step)
    if (const auto* test = std::get_if<core::test>(&order[step]->node);
        test != nullptr && (counts(test->left) || counts(test->right)))
      for (std::size_t at = 0; at < decided.size(); ++at)
        decided[at] = at;
  return decided;
}

} // namespace ikra::datalog
