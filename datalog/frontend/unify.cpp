// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records are equal if and only if their fields are, so two patterns of one record are one pattern
// and equalities of fields. Floating-point numbers stay as they are, since NaN equals nothing, and
// so do results of aggregates and ranges, which are bound in one place.
#include "datalog/frontend/unify.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

namespace ikra::datalog {
namespace {

template <class Visit> void each_variable(core::expression& value, Visit visit) {
  if (value.is == core::expression::form::variable)
    visit(value.variable);
  for (core::expression& operand : value.operands)
    each_variable(operand, visit);
}

template <class Visit> void each_variable(std::vector<core::term>& terms, Visit visit) {
  for (core::term& term : terms)
    if (term.is == core::term::form::variable)
      visit(term.variable);
}

template <class Visit> void each_variable(core::literal& literal, Visit visit) {
  if (auto* atom = std::get_if<core::atom>(&literal.node)) {
    each_variable(atom->arguments, visit);
  } else if (auto* negation = std::get_if<core::negation>(&literal.node)) {
    each_variable(negation->inner.arguments, visit);
  } else if (auto* test = std::get_if<core::test>(&literal.node)) {
    each_variable(test->left, visit);
    each_variable(test->right, visit);
  } else if (auto* construct = std::get_if<core::construct>(&literal.node)) {
    visit(construct->variable);
    each_variable(construct->fields, visit);
  } else if (auto* generator = std::get_if<core::generator>(&literal.node)) {
    visit(generator->variable);
    for (core::expression& bound : generator->bounds)
      each_variable(bound, visit);
  } else if (auto* aggregate = std::get_if<core::aggregate>(&literal.node)) {
    visit(aggregate->variable);
    for (core::expression& target : aggregate->target)
      each_variable(target, visit);
    for (core::literal& inner : aggregate->body)
      each_variable(inner, visit);
  }
}

bool same(const core::term& a, const core::term& b) {
  return a.is == b.is &&
         (a.is == core::term::form::wildcard ||
          (a.is == core::term::form::variable ? a.variable == b.variable : a.value == b.value));
}

bool same(const core::atom& a, const core::atom& b) {
  return a.relation == b.relation &&
         std::equal(a.arguments.begin(), a.arguments.end(), b.arguments.begin(),
                    [](const core::term& x, const core::term& y) { return same(x, y); });
}

// Only of what holds or not, whatever the number of times.
bool same(const core::expression& a, const core::expression& b) {
  return a.is == b.is && a.kind == b.kind && a.is != core::expression::form::counter &&
         (a.is != core::expression::form::variable || a.variable == b.variable) &&
         (a.is != core::expression::form::constant || a.value == b.value) &&
         (a.is != core::expression::form::call ||
          (a.op == b.op && a.op != functor::external && a.operands_are == b.operands_are &&
           std::equal(
               a.operands.begin(), a.operands.end(), b.operands.begin(), b.operands.end(),
               [](const core::expression& x, const core::expression& y) { return same(x, y); })));
}

bool same(const core::literal& a, const core::literal& b) {
  if (const auto* atom = std::get_if<core::atom>(&a.node)) {
    const auto* other = std::get_if<core::atom>(&b.node);
    return other != nullptr && same(*atom, *other);
  }
  if (const auto* test = std::get_if<core::test>(&a.node)) {
    const auto* other = std::get_if<core::test>(&b.node);
    return other != nullptr && test->op == other->op && same(test->left, other->left) &&
           same(test->right, other->right);
  }
  return false;
}

bool counts(const core::expression& value) {
  return value.is == core::expression::form::counter ||
         std::any_of(value.operands.begin(), value.operands.end(), counts);
}

class unification {
public:
  explicit unification(core::rule& rule) : rule_(rule), names_(rule.variables.size()) {
    std::iota(names_.begin(), names_.end(), 0U);
  }

  void run() {
    for (const core::literal& literal : rule_.body)
      note_fixed(literal);
    while (round())
      rename();
    if (!rule_.orders.empty() || std::any_of(rule_.values.begin(), rule_.values.end(), counts))
      return; // its atoms are numbered, or its solutions are
    std::vector<core::literal> kept;
    for (core::literal& literal : rule_.body)
      if (std::none_of(kept.begin(), kept.end(),
                       [&](const core::literal& other) { return same(literal, other); }))
        kept.push_back(std::move(literal));
    rule_.body = std::move(kept);
  }

private:
  void note_fixed(const core::literal& literal) {
    if (const auto* aggregate = std::get_if<core::aggregate>(&literal.node))
      fixed_.push_back(aggregate->variable);
    else if (const auto* generator = std::get_if<core::generator>(&literal.node))
      fixed_.push_back(generator->variable);
  }

  bool is_free(std::uint32_t variable) const {
    return rule_.variables[variable].kind != value_kind::real &&
           std::find(fixed_.begin(), fixed_.end(), variable) == fixed_.end();
  }

  // One round: equalities of variables and pairs of patterns, until names have to be replaced.
  bool round() {
    bool changed = false;
    std::map<std::tuple<std::uint32_t, int, int>, std::size_t> pattern_of;
    std::vector<core::literal> kept;
    std::vector<core::literal> added;
    for (core::literal& literal : rule_.body) {
      if (auto* test = std::get_if<core::test>(&literal.node); test != nullptr && unify(*test)) {
        changed = true;
        continue;
      }
      if (auto* construct = std::get_if<core::construct>(&literal.node)) {
        const auto [first, is_new] = pattern_of.emplace(
            std::tuple{name(construct->variable), construct->structure, construct->branch},
            kept.size());
        if (!is_new && may_merge(std::get<core::construct>(kept[first->second].node), *construct)) {
          merge(std::get<core::construct>(kept[first->second].node), *construct, literal.where,
                added);
          changed = true;
          continue;
        }
        changed = unify_with_equal(*construct, kept) || changed;
      }
      kept.push_back(std::move(literal));
    }
    kept.insert(kept.end(), std::make_move_iterator(added.begin()),
                std::make_move_iterator(added.end()));
    rule_.body = std::move(kept);
    return changed;
  }

  std::uint32_t name(std::uint32_t variable) const {
    while (names_[variable] != variable)
      variable = names_[variable];
    return variable;
  }

  // True if the test says no more than that two variables are one.
  bool unify(const core::test& test) {
    using form = core::expression::form;
    if (test.op != comparison::equal || test.left.is != form::variable ||
        test.right.is != form::variable)
      return false;
    return unify(test.left.variable, test.right.variable);
  }

  bool unify(std::uint32_t a, std::uint32_t b) {
    a = name(a);
    b = name(b);
    if (a == b)
      return rule_.variables[a].kind != value_kind::real;
    if (!is_free(a) || !is_free(b) || rule_.variables[a].kind != rule_.variables[b].kind)
      return false;
    if (rule_.variables[a].name.empty()) // the one that the program names stays
      std::swap(a, b);
    names_[b] = a;
    return true;
  }

  // Patterns without `_` that have the same fields are of one record.
  bool unify_with_equal(const core::construct& one, const std::vector<core::literal>& others) {
    if (std::any_of(one.fields.begin(), one.fields.end(),
                    [](const core::term& field) { return field.is == core::term::form::wildcard; }))
      return false;
    for (const core::literal& literal : others) {
      const auto* other = std::get_if<core::construct>(&literal.node);
      if (other != nullptr && other->structure == one.structure && other->branch == one.branch &&
          name(other->variable) != name(one.variable) &&
          std::equal(one.fields.begin(), one.fields.end(), other->fields.begin(),
                     [](const core::term& a, const core::term& b) { return same(a, b); }))
        return unify(other->variable, one.variable);
    }
    return false;
  }

  // Fields are compared by their bits, tests of floating-point numbers by value.
  bool may_merge(const core::construct& a, const core::construct& b) const {
    const auto is_real = [&](const core::term& term) {
      return term.is == core::term::form::variable &&
             rule_.variables[term.variable].kind == value_kind::real;
    };
    for (std::size_t i = 0; i < a.fields.size(); ++i)
      if (!same(a.fields[i], b.fields[i]) && (is_real(a.fields[i]) || is_real(b.fields[i])))
        return false;
    return true;
  }

  void merge(core::construct& into, const core::construct& other, location where,
             std::vector<core::literal>& added) {
    for (std::size_t i = 0; i < into.fields.size(); ++i) {
      core::term& field = into.fields[i];
      const core::term& equal = other.fields[i];
      if (equal.is == core::term::form::wildcard || same(field, equal))
        continue;
      if (field.is == core::term::form::wildcard) {
        field = equal;
        continue;
      }
      if (field.is == core::term::form::variable && equal.is == core::term::form::variable &&
          unify(field.variable, equal.variable))
        continue;
      const bool swapped = field.is == core::term::form::constant;
      const value_kind kind = kind_of(field, equal);
      added.push_back({core::test{comparison::equal, kind, value_of(swapped ? equal : field, kind),
                                  value_of(swapped ? field : equal, kind)},
                       where});
    }
  }

  value_kind kind_of(const core::term& a, const core::term& b) const {
    if (a.is == core::term::form::variable)
      return rule_.variables[a.variable].kind;
    return b.is == core::term::form::variable ? rule_.variables[b.variable].kind
                                              : value_kind::number; // of bits
  }

  static core::expression value_of(const core::term& term, value_kind kind) {
    core::expression made;
    made.kind = kind;
    made.value = term.value;
    made.variable = term.variable;
    if (term.is == core::term::form::variable)
      made.is = core::expression::form::variable;
    return made;
  }

  void rename() {
    const auto put = [&](std::uint32_t& variable) { variable = name(variable); };
    for (core::literal& literal : rule_.body)
      each_variable(literal, put);
    for (core::expression& value : rule_.values)
      each_variable(value, put);
  }

  core::rule& rule_;
  std::vector<std::uint32_t> names_; // by variable: the one that it now is
  std::vector<std::uint32_t> fixed_;
};

} // namespace

void unify_variables(core::rule& rule) {
  if (!rule.removes)
    unification(rule).run();
}

} // namespace ikra::datalog
