// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A rule is run by trying, literal by literal, every way to bind its variables.
#include "datalog/reference/evaluation.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "datalog/frontend/functions.hpp"
#include "datalog/reference/order.hpp"

namespace ikra::datalog {
namespace {

using core::word;

class rule_run {
public:
  using relations = std::vector<reference_evaluation::tuple_set>;
  using bindings = std::vector<std::optional<word>>;

  /// \param before if not null, the state before the last round: solutions count that use a tuple
  /// of `growing` relations that was not there
  rule_run(const core::program& program, const core::rule& rule, const relations& state,
           domain& values, std::uint64_t& counter, const relations* before = nullptr,
           const std::vector<std::uint32_t>& growing = {})
      : rule_(rule), state_(state), values_(values), counter_(counter), format_(program.bits),
        bound_(rule.variables.size()), before_(before), growing_(growing) {}

  // Calls take(tuple) for each tuple that the rule derives.
  template <class Take> void run(Take take) {
    const auto order = order_as_written(rule_, rule_.body, given());
    ways found{places_that_decide(rule_, order), std::vector<bool>(order.size() + 1)};
    solve(
        order, 0,
        [&] {
          if (before_ != nullptr && new_tuples_ == 0)
            return;
          reference_evaluation::tuple made;
          for (const core::expression& value : rule_.values)
            made.push_back(evaluate(value));
          take(std::move(made));
        },
        before_ == nullptr ? &found : nullptr);
  }

private:
  using literal_list = std::vector<const core::literal*>;
  using continuation = std::function<void()>;

  /// Of each place in a rule's order: places_that_decide(), and whether a way there was found since
  /// that place was entered.
  struct ways {
    std::vector<std::size_t> decided;
    std::vector<bool> found;

    void enter(std::size_t place) {
      for (std::size_t at = place + 1; at < decided.size(); ++at)
        if (decided[at] == place)
          found[at] = false;
    }
    /// Whether another solution of the literal at the place changes nothing.
    bool is_enough(std::size_t place) const {
      for (std::size_t at = place + 1; at < decided.size(); ++at)
        if (decided[at] <= place && found[at])
          return true;
      return false;
    }
  };

  /// By variable: whether it has a value.
  std::vector<bool> given() const {
    std::vector<bool> given;
    for (const std::optional<word>& value : bound_)
      given.push_back(value.has_value());
    return given;
  }

  word evaluate(const core::expression& value) {
    switch (value.is) {
    case core::expression::form::constant:
      return value.value;
    case core::expression::form::variable:
      return bound_[value.variable].value();
    case core::expression::form::counter:
      return format_.from_unsigned(counter_++);
    case core::expression::form::call:
      break;
    }
    std::vector<word> operands;
    for (const core::expression& operand : value.operands)
      operands.push_back(evaluate(operand));
    try {
      return apply(value, operands, format_, values_);
    } catch (const undefined_value& problem) {
      throw evaluation_error(problem.what(), value.where);
    }
  }

  // Calls found() for every way to fulfil the literals from `at` on.
  // \param known of a rule's own body; an aggregate's counts each solution
  void solve(const literal_list& literals, std::size_t at, const continuation& found,
             ways* known = nullptr) {
    if (known != nullptr) {
      if (known->decided[at] < at && known->found[at])
        return;
      known->found[at] = true;
      known->enter(at);
    }
    if (at == literals.size())
      return found();
    const continuation rest = [&] { solve(literals, at + 1, found, known); };
    const auto& node = literals[at]->node;
    if (const auto* atom = std::get_if<core::atom>(&node)) {
      for (const reference_evaluation::tuple& candidate : state_[atom->relation]) {
        const bool is_new = before_ != nullptr && is_growing(atom->relation) &&
                            !(*before_)[atom->relation].contains(candidate);
        new_tuples_ += is_new ? 1 : 0;
        match(atom->arguments, candidate, rest);
        new_tuples_ -= is_new ? 1 : 0;
        if (known != nullptr && known->is_enough(at))
          break;
      }
    } else if (const auto* negation = std::get_if<core::negation>(&node)) {
      bool any = false;
      for (const reference_evaluation::tuple& candidate : state_[negation->inner.relation])
        match(negation->inner.arguments, candidate, [&] { any = true; });
      if (!any)
        rest();
    } else if (const auto* test = std::get_if<core::test>(&node)) {
      solve_test(*test, literals[at]->where, rest);
    } else if (const auto* construct = std::get_if<core::construct>(&node)) {
      solve_construct(*construct, literals[at]->where, rest);
    } else if (const auto* generator = std::get_if<core::generator>(&node)) {
      std::vector<word> bounds;
      for (const core::expression& value : generator->bounds)
        bounds.push_back(evaluate(value));
      for (const word value : range_values(bounds, generator->kind, format_)) {
        bind(generator->variable, value, rest);
        if (known != nullptr && known->is_enough(at))
          break;
      }
    } else {
      const auto& aggregate = std::get<core::aggregate>(node);
      if (const std::optional<word> value = gather(aggregate))
        bind(aggregate.variable, *value, rest);
    }
  }

  bool is_growing(std::uint32_t relation) const {
    return std::find(growing_.begin(), growing_.end(), relation) != growing_.end();
  }

  // Goes on if the variable has the value, or can have it.
  void bind(std::uint32_t variable, word value, const continuation& rest) {
    if (bound_[variable]) {
      if (*bound_[variable] == value)
        rest();
      return;
    }
    bound_[variable] = value;
    rest();
    bound_[variable].reset();
  }

  void match(const std::vector<core::term>& pattern, const std::vector<word>& values,
             const continuation& rest, std::size_t at = 0) {
    if (at == pattern.size())
      return rest();
    const core::term& term = pattern[at];
    const continuation next = [&] { match(pattern, values, rest, at + 1); };
    if (term.is == core::term::form::wildcard)
      next();
    else if (term.is == core::term::form::variable)
      bind(term.variable, values[at], next);
    else if (term.value == values[at])
      next();
  }

  void solve_test(const core::test& test, location where, const continuation& rest) {
    auto is_open = [&](const core::expression& side) {
      return side.is == core::expression::form::variable && !bound_[side.variable];
    };
    if (is_open(test.left))
      bind(test.left.variable, evaluate(test.right), rest);
    else if (is_open(test.right))
      bind(test.right.variable, evaluate(test.left), rest);
    else if (is_true(test, where))
      rest();
  }

  bool is_true(const core::test& test, location where) {
    try {
      return holds(test.op, test.kind, evaluate(test.left), evaluate(test.right), format_,
                   values_.symbols);
    } catch (const undefined_value& problem) {
      throw evaluation_error(problem.what(), where);
    }
  }

  structure_value taken_apart(word value, const core::construct& construct, location where) const {
    try {
      const structure_value& taken = values_.structures.value(value);
      if (taken.branch == construct.branch && !construct.fields.empty())
        field_of(taken, construct.fields.size() - 1);
      return taken;
    } catch (const undefined_value& problem) {
      throw evaluation_error(problem.what(), where);
    }
  }

  void solve_construct(const core::construct& construct, location where, const continuation& rest) {
    if (const std::optional<word> value = bound_[construct.variable]) {
      if (*value == 0)
        return; // nil has no fields
      const structure_value taken = taken_apart(*value, construct, where);
      if (taken.branch == construct.branch)
        match(construct.fields, taken.fields, rest);
      return;
    }
    structure_value made{construct.structure, construct.branch, {}};
    for (const core::term& field : construct.fields)
      made.fields.push_back(
          field.is == core::term::form::constant ? field.value : bound_[field.variable].value());
    bind(construct.variable, values_.structures.number(std::move(made)), rest);
  }

  double as_real(word value, value_kind kind) const {
    if (kind == value_kind::real)
      return format_.real(value);
    return kind == value_kind::number ? static_cast<double>(format_.number(value))
                                      : static_cast<double>(value);
  }

  /// The first of the least or greatest values in ascending order of bit patterns: zeros of either
  /// sign are equal.
  std::optional<word> best(std::vector<word> of, const core::aggregate& aggregate) const {
    const auto better =
        aggregate.op == aggregator::minimum ? comparison::less : comparison::greater;
    std::sort(of.begin(), of.end());
    std::optional<word> best;
    for (const word value : of)
      if (!best || holds(better, aggregate.kind, value, *best, format_, values_.symbols))
        best = value;
    return best;
  }

  /// The order of the values does not matter: integers of 32 bits are added exactly, others in
  /// ascending order of bit patterns, in chunks, as the engine does it (engine/aggregate.hpp).
  double real_sum(std::vector<word>& of, value_kind kind) const {
    constexpr std::size_t chunk = 1024;
    if (kind == value_kind::number && format_.is_32()) {
      std::int64_t sum = 0;
      for (const word value : of)
        sum += format_.number(value);
      return static_cast<double>(sum);
    }
    if (kind == value_kind::unsigned_number && format_.is_32())
      return static_cast<double>(std::accumulate(of.begin(), of.end(), std::uint64_t(0)));
    std::sort(of.begin(), of.end());
    double sum = 0;
    for (std::size_t first = 0; first < of.size(); first += chunk) {
      double partial = as_real(of[first], kind);
      for (std::size_t i = first + 1; i < std::min(of.size(), first + chunk); ++i)
        partial += as_real(of[i], kind);
      sum = first == 0 ? partial : sum + partial;
    }
    return sum;
  }

  // The variables of the body that are not bound here are its own, and unbound again after it.
  std::optional<word> gather(const core::aggregate& aggregate) {
    const literal_list literals = order_as_written(rule_, aggregate.body, given());
    std::uint64_t count = 0;
    word sum = 0;
    std::vector<word> gathered;
    const value_kind kind = aggregate.kind;
    solve(literals, 0, [&] {
      ++count;
      if (aggregate.target.empty())
        return;
      const word value = evaluate(aggregate.target[0]);
      sum = format_.from_unsigned(sum + value);
      gathered.push_back(value);
    });
    switch (aggregate.op) {
    case aggregator::count:
      return kind == value_kind::real ? format_.from_real(static_cast<double>(count))
                                      : format_.from_unsigned(count);
    case aggregator::sum:
      return kind == value_kind::real ? format_.from_real(real_sum(gathered, kind)) : sum;
    case aggregator::minimum:
    case aggregator::maximum:
      return best(std::move(gathered), aggregate);
    case aggregator::mean:
      break;
    }
    if (count == 0)
      return std::nullopt;
    return format_.from_real(real_sum(gathered, kind) / static_cast<double>(count));
  }

  const core::rule& rule_;
  const relations& state_;
  domain& values_;
  std::uint64_t& counter_;
  value_format format_;
  bindings bound_;
  const relations* before_;
  std::vector<std::uint32_t> growing_;
  std::uint64_t new_tuples_ = 0; ///< of the solution so far
};

bool asks_iteration(const core::expression& value) {
  return (value.is == core::expression::form::call && value.op == functor::iteration) ||
         std::any_of(value.operands.begin(), value.operands.end(), asks_iteration);
}

/// Whether the rule has other solutions in another round, though its relations are the same.
bool asks_iteration(const core::rule& rule) {
  const std::function<bool(const core::literal&)> asks = [&](const core::literal& literal) {
    if (const auto* test = std::get_if<core::test>(&literal.node))
      return asks_iteration(test->left) || asks_iteration(test->right);
    const auto asks_value = [](const core::expression& value) { return asks_iteration(value); };
    if (const auto* generator = std::get_if<core::generator>(&literal.node))
      return std::any_of(generator->bounds.begin(), generator->bounds.end(), asks_value);
    const auto* aggregate = std::get_if<core::aggregate>(&literal.node);
    return aggregate != nullptr &&
           (std::any_of(aggregate->target.begin(), aggregate->target.end(), asks_value) ||
            std::any_of(aggregate->body.begin(), aggregate->body.end(), asks));
  };
  return std::any_of(rule.values.begin(), rule.values.end(),
                     [](const core::expression& value) { return asks_iteration(value); }) ||
         std::any_of(rule.body.begin(), rule.body.end(), asks);
}

bool mentions(const std::vector<core::literal>& body, const std::vector<std::uint32_t>& relations) {
  return std::any_of(body.begin(), body.end(), [&](const core::literal& literal) {
    const auto* atom = std::get_if<core::atom>(&literal.node);
    return atom != nullptr &&
           std::find(relations.begin(), relations.end(), atom->relation) != relations.end();
  });
}

} // namespace

reference_evaluation::reference_evaluation(const core::program& program, domain& values)
    : program_(program), values_(values), given_(program.relations.size()),
      relations_(program.relations.size()) {}

void reference_evaluation::run() {
  for (const core::stratum& stratum : program_.strata)
    run_stratum(stratum);
}

// All rules see the relations before anything is removed.
void reference_evaluation::remove(const core::stratum& stratum) {
  std::set<std::pair<std::uint32_t, tuple>> dominated;
  for (const std::uint32_t number : stratum.removals) {
    const core::rule& rule = program_.rules[number];
    rule_run(program_, rule, relations_, values_, counter_).run([&](const tuple& both) {
      const auto half = both.begin() + static_cast<std::ptrdiff_t>(both.size() / 2);
      tuple removed(both.begin(), half);
      if (removed != tuple(half, both.end()))
        dominated.emplace(rule.head, std::move(removed));
    });
  }
  for (const auto& [relation, removed] : dominated)
    relations_[relation].erase(removed);
}

// Whether no tuple agrees with the candidate in all columns of a choice domain.
bool reference_evaluation::is_chosen(std::uint32_t relation, const tuple& candidate) const {
  for (const std::vector<std::uint32_t>& domain : program_.relations[relation].choices)
    for (const tuple& known : relations_[relation])
      if (std::all_of(domain.begin(), domain.end(),
                      [&](std::uint32_t column) { return known[column] == candidate[column]; }))
        return false;
  return true;
}

void reference_evaluation::run_stratum(const core::stratum& stratum) {
  std::vector<tuple_set> last = relations_; // before the last round
  values_.iteration = 0;
  // All rules see the relations as they were before the round.
  auto round = [&](bool recursive) {
    std::set<std::pair<std::uint32_t, tuple>> derived; // most solutions are repeats
    for (const std::uint32_t relation : stratum.relations)
      for (const tuple& fact : given_[relation])
        derived.emplace(relation, fact);
    for (const std::uint32_t number : stratum.rules) {
      const core::rule& rule = program_.rules[number];
      if (mentions(rule.body, stratum.relations) == recursive)
        rule_run(program_, rule, relations_, values_, counter_,
                 recursive && asks_iteration(rule) ? &last : nullptr, stratum.relations)
            .run([&](tuple made) { derived.emplace(rule.head, std::move(made)); });
    }
    for (const std::uint32_t relation : stratum.relations)
      last[relation] = relations_[relation];
    const std::vector<tuple_set> before =
        stratum.removals.empty() ? std::vector<tuple_set>() : relations_;
    bool changed = false;
    for (const auto& [relation, made] : derived)
      if (is_chosen(relation, made))
        changed = relations_[relation].insert(made).second || changed;
    for (const std::uint32_t relation : stratum.relations)
      if (program_.relations[relation].equivalence)
        close(relation);
    remove(stratum);
    return stratum.removals.empty() ? changed : relations_ != before;
  };
  auto is_full = [&] {
    return std::any_of(stratum.relations.begin(), stratum.relations.end(),
                       [&](std::uint32_t relation) {
                         const std::uint64_t limit = program_.relations[relation].limit;
                         return limit != 0 && relations_[relation].size() >= limit;
                       });
  };
  round(false);
  if (stratum.recursive)
    do {
      ++values_.iteration;
    } while (!is_full() && round(true));
}

// Reflexive, symmetric, transitive: all pairs within each class of what is connected.
void reference_evaluation::close(std::uint32_t relation) {
  std::map<word, word> parent;
  const std::function<word(word)> root = [&](word x) {
    while (parent.at(x) != x)
      x = parent.at(x);
    return x;
  };
  for (const tuple& pair : relations_[relation]) {
    parent.emplace(pair[0], pair[0]);
    parent.emplace(pair[1], pair[1]);
    parent[root(pair[0])] = root(pair[1]);
  }
  std::map<word, std::vector<word>> classes;
  for (const auto& [element, up] : parent)
    classes[root(element)].push_back(element);
  for (const auto& [representative, members] : classes)
    for (const word a : members)
      for (const word b : members)
        relations_[relation].insert({a, b});
}

} // namespace ikra::datalog
