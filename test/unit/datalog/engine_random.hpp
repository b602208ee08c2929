// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random stratified plans over small domains: three or four inputs, up to five derived relations,
// rules with joins, constants, repeated variables, conditions, bindings, negation, ranges,
// aggregates, host functions and several heads. Values stay below a small bound, so that every plan
// ends.
#pragma once

#include "datalog/engine/engine.hpp"

#include <algorithm>
#include <random>

namespace random_plans {

namespace plan = ikra::datalog::plan;
using std::uint32_t;

/// The host functions that the plans call.
class functions final : public ikra::datalog::host_functions {
public:
  plan::value call(std::uint64_t function, std::span<const plan::value> arguments) override {
    plan::value sum = function;
    for (const plan::value v : arguments)
      sum += v;
    return sum % 7;
  }
};

struct options {
  bool monotone = false;    ///< neither negation nor aggregates
  bool binary = false;      ///< binary relations of 32-bit numbers, rules that are chains
  bool small = false;       ///< neither host functions nor aggregates
  bool existential = false; ///< more atoms, of whose variables heads have one at most
};

class generator {
public:
  generator(unsigned seed, options wanted) : random_(seed), wanted_(wanted) {}

  plan::program make() {
    inputs_ = below(2) + 2;
    const uint32_t derived = below(4) + 1;
    for (uint32_t r = 0; r < inputs_ + derived; ++r) {
      plan::relation made;
      made.name = "r" + std::to_string(r);
      const uint32_t arity = wanted_.binary ? 2 : chance(15) ? 0 : chance(20) ? 4 : below(3) + 1;
      for (uint32_t c = 0; c < arity; ++c)
        made.columns.push_back(number(wanted_.binary || chance(70) ? 32 : 64));
      program_.relations.push_back(std::move(made));
    }
    for (uint32_t next = inputs_; next < program_.relations.size();) {
      const uint32_t end =
          std::min<uint32_t>(next + 1 + below(2), static_cast<uint32_t>(program_.relations.size()));
      make_stratum(next, end);
      next = end;
    }
    return program_;
  }

  /// Facts for a relation: distinct tuples or not, as it comes.
  std::vector<std::vector<plan::value>> facts(const plan::program& of, uint32_t relation) {
    std::vector<std::vector<plan::value>> rows;
    const std::size_t arity = of.relations[relation].columns.size();
    if (relation >= inputs_ && !chance(20))
      return rows;
    for (uint32_t n = arity == 0 ? below(2) : below(14); n > 0; --n) {
      std::vector<plan::value> row;
      for (std::size_t c = 0; c < arity; ++c)
        row.push_back(below(domain));
      rows.push_back(std::move(row));
    }
    return rows;
  }

private:
  static constexpr uint32_t domain = 7;

  static plan::type number(unsigned bits) {
    return {plan::kind::number, static_cast<std::uint8_t>(bits)};
  }
  uint32_t below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
  bool chance(uint32_t percent) { return below(100) < percent; }

  void make_stratum(uint32_t begin, uint32_t end) {
    plan::stratum s;
    s.recursive = true;
    for (uint32_t r = begin; r < end; ++r)
      s.relations.push_back(r);
    for (uint32_t r = begin; r < end; ++r)
      for (uint32_t n = below(3) + 1; n > 0; --n) {
        s.rules.push_back(static_cast<uint32_t>(program_.rules.size()));
        program_.rules.push_back(wanted_.binary ? make_chain(r, begin, end, n)
                                                : make_rule(r, begin, end, n));
      }
    program_.strata.push_back(std::move(s));
  }

  uint32_t new_slot(plan::type of) {
    rule_.slots.push_back(of);
    return static_cast<uint32_t>(rule_.slots.size() - 1);
  }

  plan::expression variable(uint32_t slot) const {
    return {plan::operation::variable, rule_.slots[slot], slot, {}};
  }
  static plan::expression constant(plan::type of, plan::value v) {
    return {plan::operation::constant, of, v, {}};
  }

  /// A variable of the type that is bound, if there is one.
  bool pick(plan::type of, uint32_t& slot) {
    std::vector<uint32_t> fitting;
    for (const uint32_t b : bound_)
      if (rule_.slots[b] == of)
        fitting.push_back(b);
    if (fitting.empty())
      return false;
    slot = fitting[below(static_cast<uint32_t>(fitting.size()))];
    return true;
  }

  /// An expression over bound variables; its value is below the domain's bound.
  plan::expression small(plan::type of) {
    uint32_t a = 0, b = 0;
    if (!pick(of, a) || chance(15))
      return constant(of, below(domain));
    if (chance(60) || !pick(of, b))
      return variable(a);
    if (!wanted_.small && chance(30))
      return {plan::operation::call, of, below(3), {variable(a), constant(of, 1), variable(b)}};
    static constexpr plan::operation operations[] = {
        plan::operation::add, plan::operation::multiply, plan::operation::bit_xor,
        plan::operation::maximum, plan::operation::minimum};
    const plan::expression sum{operations[below(5)], of, 0, {variable(a), variable(b)}};
    return {plan::operation::remainder, of, 0, {sum, constant(of, domain)}};
  }

  plan::atom make_atom(uint32_t relation, bool binds) {
    plan::atom a{relation, {}};
    std::vector<uint32_t> fresh;
    for (const plan::type& of : program_.relations[relation].columns) {
      uint32_t slot = 0;
      if (chance(10)) {
        a.arguments.push_back({plan::argument::constant, below(domain)});
      } else if (chance(10)) {
        a.arguments.push_back({plan::argument::ignored, 0});
      } else if (pick(of, slot) && (!binds || chance(55))) {
        a.arguments.push_back({plan::argument::variable, slot});
      } else if (binds) {
        if (!fresh.empty() && rule_.slots[fresh.back()] == of && chance(20)) {
          a.arguments.push_back({plan::argument::variable, fresh.back()});
          continue;
        }
        slot = new_slot(of);
        fresh.push_back(slot);
        a.arguments.push_back({plan::argument::variable, slot});
      } else {
        a.arguments.push_back({plan::argument::ignored, 0});
      }
    }
    bound_.insert(bound_.end(), fresh.begin(), fresh.end());
    return a;
  }

  plan::rule make_rule(uint32_t head, uint32_t begin, uint32_t end, uint32_t number_of_rule) {
    rule_ = {};
    bound_.clear();
    rule_.text = "rule " + std::to_string(program_.rules.size());
    rule_.keep_order = chance(15);
    const uint32_t more = wanted_.existential ? 2 : 0;
    for (uint32_t n = below(3) + (chance(10) ? 0 : 1) + more; n > 0; --n) {
      const uint32_t limit = number_of_rule == 1 ? begin : end;
      rule_.body.push_back({make_atom(below(limit), true)});
    }
    const std::vector<uint32_t> from_atoms = bound_;
    const auto any_type = [&] { return number(chance(70) ? 32 : 64); };
    if (chance(40)) {
      const plan::type of = any_type();
      static constexpr plan::operation tests[] = {plan::operation::less, plan::operation::not_equal,
                                                  plan::operation::greater_equal};
      rule_.body.push_back({plan::condition{{tests[below(3)], of, 0, {small(of), small(of)}}}});
    }
    if (chance(25)) {
      const plan::type of = any_type();
      plan::expression value = small(of);
      const uint32_t slot = new_slot(of);
      rule_.body.push_back({plan::binding{slot, std::move(value)}});
      bound_.push_back(slot);
    }
    if (chance(12)) {
      const plan::type of = any_type();
      plan::expression from = small(of), to = small(of);
      const plan::value step = chance(70) ? 2 : of.bits == 32 ? 0xffffffffu : ~plan::value(0);
      const uint32_t slot = new_slot(of);
      rule_.body.push_back(
          {plan::generator{slot, std::move(from), std::move(to), constant(of, step)}});
      bound_.push_back(slot);
    }
    if (!wanted_.monotone && chance(30) && begin > 0)
      rule_.body.push_back({plan::negation{make_atom(below(begin), false)}});
    if (!wanted_.monotone && !wanted_.small && chance(25))
      add_aggregate(from_atoms, begin);
    std::shuffle(rule_.body.begin(), rule_.body.end(), random_);
    if (wanted_.existential && !bound_.empty())
      bound_ = {bound_[below(static_cast<uint32_t>(bound_.size()))]};
    add_head(head);
    if (chance(15))
      add_head(begin + below(end - begin));
    return rule_;
  }

  void add_aggregate(const std::vector<uint32_t>& given, uint32_t begin) {
    const std::vector<uint32_t> before = bound_;
    bound_ = given;
    plan::aggregate a;
    a.function = static_cast<plan::aggregate::functions>(below(5));
    for (uint32_t n = below(2) + 1; n > 0; --n)
      a.body.push_back({make_atom(below(begin), true)});
    a.target = small(number(32));
    while (a.target.what == plan::operation::call) // calls in targets are tried elsewhere
      a.target = small(number(32));
    a.of = number(32);
    if (a.function == plan::aggregate::mean)
      a.of = {plan::kind::floating, static_cast<std::uint8_t>(chance(50) ? 32 : 64)};
    a.slot = new_slot(a.of);
    bound_ = before;
    // Only a bounded result may reach a head that is recursive.
    const uint32_t result = a.slot;
    const bool is_mean = a.function == plan::aggregate::mean;
    rule_.body.push_back({std::move(a)});
    if (is_mean)
      return;
    const uint32_t reduced = new_slot(number(32));
    rule_.body.push_back({plan::binding{
        reduced,
        {plan::operation::remainder, number(32), 0, {variable(result), constant(number(32), 7)}}}});
    bound_.push_back(reduced);
  }

  void add_head(uint32_t relation) {
    plan::head h{relation, {}};
    for (const plan::type& of : program_.relations[relation].columns)
      h.values.push_back(small(of));
    rule_.heads.push_back(std::move(h));
  }

  /// A path of binary atoms from the head's first variable to its second, in any orientation.
  plan::rule make_chain(uint32_t head, uint32_t begin, uint32_t end, uint32_t number_of_rule) {
    rule_ = {};
    rule_.text = "rule " + std::to_string(program_.rules.size());
    const uint32_t limit = number_of_rule == 1 ? begin : end;
    uint32_t at = new_slot(number(32));
    const uint32_t first = at;
    for (uint32_t n = below(3) + 1; n > 0; --n) {
      const uint32_t next = new_slot(number(32));
      const bool turned = chance(30);
      rule_.body.push_back({plan::atom{below(limit),
                                       {{plan::argument::variable, turned ? next : at},
                                        {plan::argument::variable, turned ? at : next}}}});
      at = next;
    }
    if (chance(25))
      rule_.body.push_back({plan::condition{
          {plan::operation::not_equal, number(32), 0, {variable(first), variable(at)}}}});
    std::shuffle(rule_.body.begin(), rule_.body.end(), random_);
    rule_.heads.push_back({head, {variable(first), variable(at)}});
    return rule_;
  }

  std::mt19937 random_;
  options wanted_;
  uint32_t inputs_ = 0;
  plan::program program_;
  plan::rule rule_;
  std::vector<uint32_t> bound_;
};

} // namespace random_plans
