// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks a plan before anything is evaluated, so that the engine need not check again.
#include "datalog/plan/check_plan.hpp"

#include "datalog/plan/layout.hpp"

#include <ikra/error.hpp>

#include <algorithm>

namespace ikra::datalog {

namespace {

[[noreturn]] void fail(const std::string& where, const std::string& why) {
  throw error(error_kind::unsupported, "Datalog plan: " + where + ": " + why);
}

class rule_checker {
public:
  rule_checker(const plan::program& program, const plan::rule& rule)
      : program_(program), rule_(rule), where_("rule '" + rule.text + "'") {}

  void run() const {
    if (rule_.heads.empty())
      fail(where_, "it has no head");
    for (const plan::type& t : rule_.slots)
      check(t);
    for (const plan::head& h : rule_.heads) {
      check_relation(h.relation, h.values.size());
      for (const plan::expression& e : h.values)
        check(e);
    }
    check(rule_.body);
    const auto atoms = static_cast<std::size_t>(
        std::count_if(rule_.body.begin(), rule_.body.end(), [](const plan::literal& l) {
          return std::holds_alternative<plan::atom>(l.what);
        }));
    for (const std::vector<u32>& order : rule_.orders) {
      std::vector<u32> sorted = order;
      std::sort(sorted.begin(), sorted.end());
      for (std::size_t i = 0; i < sorted.size(); ++i)
        if (sorted[i] != i || sorted.size() != atoms)
          fail(where_, "an order is no permutation of its atoms");
    }
  }

private:
  void check(const plan::type& t) const {
    if (t.bits != 32 && t.bits != 64)
      fail(where_, "a width is neither 32 nor 64");
  }
  void check_slot(u64 slot) const {
    if (slot >= rule_.slots.size())
      fail(where_, "it has no variable " + std::to_string(slot));
  }
  void check_relation(u32 relation, std::size_t arity) const {
    if (relation >= program_.relations.size())
      fail(where_, "there is no relation " + std::to_string(relation));
    if (program_.relations[relation].columns.size() != arity)
      fail(where_, "relation " + program_.relations[relation].name + " has " +
                       std::to_string(program_.relations[relation].columns.size()) + " columns");
  }

  void check(const plan::expression& e) const {
    using plan::operation;
    check(e.of);
    if (e.what == operation::variable)
      check_slot(e.payload);
    std::size_t wanted = 2;
    if (e.what == operation::constant || e.what == operation::variable)
      wanted = 0;
    else if (e.what == operation::convert || e.what == operation::negate ||
             e.what == operation::bit_not || e.what == operation::logical_not)
      wanted = 1;
    if (e.what != operation::call && e.operands.size() != wanted)
      fail(where_, "an operation has " + std::to_string(e.operands.size()) + " operands");
    for (const plan::expression& operand : e.operands)
      check(operand);
  }

  void check(const plan::atom& a) const {
    check_relation(a.relation, a.arguments.size());
    for (const plan::argument& argument : a.arguments)
      if (argument.place == plan::argument::variable)
        check_slot(argument.content);
  }

  void check(const std::vector<plan::literal>& body) const {
    for (const plan::literal& l : body) {
      if (const auto* a = std::get_if<plan::atom>(&l.what)) {
        check(*a);
      } else if (const auto* n = std::get_if<plan::negation>(&l.what)) {
        check(n->what);
      } else if (const auto* c = std::get_if<plan::condition>(&l.what)) {
        check(c->test);
      } else if (const auto* b = std::get_if<plan::binding>(&l.what)) {
        check_slot(b->slot);
        check(b->value);
      } else if (const auto* g = std::get_if<plan::generator>(&l.what)) {
        check_slot(g->slot);
        check(g->from);
        check(g->to);
        check(g->step);
      } else if (const auto* agg = std::get_if<plan::aggregate>(&l.what)) {
        check_slot(agg->slot);
        check(agg->of);
        if (agg->function != plan::aggregate::count)
          check(agg->target);
        check(agg->body);
      }
    }
  }

  const plan::program& program_;
  const plan::rule& rule_;
  std::string where_;
};

bool has_negation_or_aggregate(const plan::rule& rule) {
  return std::any_of(rule.body.begin(), rule.body.end(), [](const plan::literal& l) {
    return std::holds_alternative<plan::negation>(l.what) ||
           std::holds_alternative<plan::aggregate>(l.what);
  });
}

/// Whether a positive atom of the body, or one that is negated or aggregated over, is of a relation
/// that grows.
bool reads_grown(const std::vector<plan::literal>& body, const std::vector<char>& grown,
                 bool positive) {
  return std::any_of(body.begin(), body.end(), [&](const plan::literal& l) {
    if (const auto* a = std::get_if<plan::atom>(&l.what))
      return positive && grown[a->relation] != 0;
    if (const auto* n = std::get_if<plan::negation>(&l.what))
      return !positive && grown[n->what.relation] != 0;
    if (const auto* g = std::get_if<plan::aggregate>(&l.what))
      return !positive && (reads_grown(g->body, grown, true) || reads_grown(g->body, grown, false));
    return false;
  });
}

/// Whether a relation gets what is removed from one of the stratum's.
bool removes_from(const plan::program& program, const plan::stratum& s, u32 dominated) {
  return std::any_of(s.relations.begin(), s.relations.end(), [&](u32 r) {
    const plan::relation& from = program.relations[r];
    return from.dominated == dominated &&
           from.columns.size() == program.relations[dominated].columns.size();
  });
}

/// Whether what is in the relation stays there, whatever comes later.
bool only_grows(const plan::relation& r) {
  return r.size_limit == 0 && r.choices.empty() && !r.dominated;
}

} // namespace

void check_plan(const plan::program& program) {
  for (const plan::relation& r : program.relations) {
    static_assert(plan::most_columns == max_columns && plan::most_wide_columns == max_words);
    const bool wide = std::any_of(r.columns.begin(), r.columns.end(),
                                  [](const plan::type& t) { return t.bits == 64; });
    const std::size_t most = wide ? plan::most_wide_columns : plan::most_columns;
    if (r.columns.size() > most)
      fail("relation " + r.name, "more than " + std::to_string(most) + " columns");
    for (const plan::type& t : r.columns)
      if (t.bits != 32 && t.bits != 64)
        fail("relation " + r.name, "a width is neither 32 nor 64");
    for (const std::vector<u32>& domain : r.choices)
      for (const u32 column : domain)
        if (column >= r.columns.size())
          fail("relation " + r.name, "a choice is of a column that it has not");
  }
  for (const plan::rule& r : program.rules)
    rule_checker(program, r).run();
  std::vector<int> stratum_of(program.relations.size(), -1);
  for (std::size_t s = 0; s < program.strata.size(); ++s) {
    for (const u32 relation : program.strata[s].relations) {
      if (relation >= program.relations.size() || stratum_of[relation] >= 0)
        fail("stratum " + std::to_string(s), "a relation is unknown or in two strata");
      stratum_of[relation] = static_cast<int>(s);
    }
    for (const u32 rule : program.strata[s].rules) {
      if (rule >= program.rules.size())
        fail("stratum " + std::to_string(s), "a rule is unknown");
      for (const plan::head& h : program.rules[rule].heads)
        if (stratum_of[h.relation] != static_cast<int>(s))
          fail("rule '" + program.rules[rule].text + "'", "its head is of another stratum");
    }
    for (const u32 rule : program.strata[s].removals) {
      if (rule >= program.rules.size())
        fail("stratum " + std::to_string(s), "a rule is unknown");
      for (const plan::head& h : program.rules[rule].heads)
        if (!removes_from(program, program.strata[s], h.relation))
          fail("rule '" + program.rules[rule].text + "'", "it removes from no relation");
    }
  }
}

bool is_monotone(const plan::program& program) {
  return std::none_of(program.rules.begin(), program.rules.end(),
                      [](const plan::rule& r) {
                        return r.asks_iteration || has_negation_or_aggregate(r);
                      }) &&
         std::all_of(program.relations.begin(), program.relations.end(), only_grows);
}

bool only_adds_tuples(const plan::program& program, std::vector<char> grown) {
  for (bool more = true; more;) {
    more = false;
    for (const plan::rule& r : program.rules)
      if (reads_grown(r.body, grown, true))
        for (const plan::head& h : r.heads) {
          more |= grown[h.relation] == 0;
          grown[h.relation] = 1;
        }
  }
  for (std::size_t r = 0; r < program.relations.size(); ++r)
    if (grown[r] != 0 && !only_grows(program.relations[r]))
      return false;
  for (const plan::rule& r : program.rules)
    if (r.asks_iteration) // iterations are those of a run from the start
      return false;
  for (const plan::stratum& s : program.strata)
    for (const u32 rule : s.removals)
      if (reads_grown(program.rules[rule].body, grown, true))
        return false;
  return std::none_of(program.rules.begin(), program.rules.end(),
                      [&](const plan::rule& r) { return reads_grown(r.body, grown, false); });
}

} // namespace ikra::datalog
