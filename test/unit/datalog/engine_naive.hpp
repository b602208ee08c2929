// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A naïve evaluator of plans, for the engine's tests: sets of tuples, every rule on everything
// until nothing is new. Short enough to be believed by reading; shares no code with the engine but
// the plan's types. Expressions: the operations that the random plans use.
#pragma once

#include "datalog/engine/engine.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>

namespace naive {

namespace plan = ikra::datalog::plan;
using value = plan::value;
using tuple = std::vector<value>;
using relation = std::set<tuple>;
using environment = std::map<std::uint32_t, value>;

class evaluator {
public:
  evaluator(const plan::program& program, std::vector<relation> facts,
            ikra::datalog::host_functions* functions)
      : program_(program), all_(std::move(facts)), functions_(functions) {}

  const std::vector<relation>& run() {
    for (const plan::stratum& s : program_.strata)
      for (bool more = true; more;) {
        more = false;
        for (const std::uint32_t r : s.rules) {
          std::vector<std::pair<std::uint32_t, tuple>> found;
          const plan::rule& rule = program_.rules[r];
          std::vector<const plan::literal*> body;
          for (const plan::literal& l : rule.body)
            body.push_back(&l);
          solve(rule, body, {}, [&](const environment& e) {
            for (const plan::head& h : rule.heads) {
              tuple t;
              for (std::size_t c = 0; c < h.values.size(); ++c)
                t.push_back(*evaluate(h.values[c], e));
              found.emplace_back(h.relation, std::move(t));
            }
          });
          for (auto& [head, t] : found)
            more |= all_[head].insert(std::move(t)).second;
        }
      }
    return all_;
  }

private:
  using visitor = std::function<void(const environment&)>;

  static std::int64_t as_signed(value v, plan::type of) {
    return of.bits == 32 ? static_cast<std::int32_t>(v) : static_cast<std::int64_t>(v);
  }
  static double as_double(value v, plan::type of) {
    double d = 0;
    float f = 0;
    const auto low = static_cast<std::uint32_t>(v);
    if (of.of == plan::kind::number)
      return static_cast<double>(as_signed(v, of));
    if (of.of != plan::kind::floating)
      return static_cast<double>(v);
    of.bits == 32 ? std::memcpy(&f, &low, 4) : std::memcpy(&d, &v, 8);
    return of.bits == 32 ? static_cast<double>(f) : d;
  }
  static value masked(value v, plan::type of) { return of.bits == 32 ? v & 0xffffffffu : v; }

  /// \returns nothing if a variable is unbound.
  std::optional<value> evaluate(const plan::expression& e, const environment& with) const {
    using op = plan::operation;
    if (e.what == op::constant)
      return e.payload;
    if (e.what == op::variable) {
      const auto at = with.find(static_cast<std::uint32_t>(e.payload));
      return at == with.end() ? std::nullopt : std::optional<value>(at->second);
    }
    std::vector<value> v;
    for (const plan::expression& operand : e.operands) {
      const std::optional<value> x = evaluate(operand, with);
      if (!x)
        return std::nullopt;
      v.push_back(*x);
    }
    if (e.what == op::call)
      return functions_->call(e.payload, v);
    const bool is_signed = e.of.of == plan::kind::number;
    const std::int64_t a = as_signed(v[0], e.of), b = v.size() < 2 ? 0 : as_signed(v[1], e.of);
    const auto less = [&] { return is_signed ? a < b : v[0] < v[1]; };
    switch (e.what) {
    case op::negate:
      return masked(value(0) - v[0], e.of);
    case op::bit_not:
      return masked(~v[0], e.of);
    case op::add:
      return masked(v[0] + v[1], e.of);
    case op::subtract:
      return masked(v[0] - v[1], e.of);
    case op::multiply:
      return masked(v[0] * v[1], e.of);
    case op::remainder:
      return is_signed ? masked(static_cast<value>(a % b), e.of) : masked(v[0] % v[1], e.of);
    case op::bit_and:
      return v[0] & v[1];
    case op::bit_xor:
      return v[0] ^ v[1];
    case op::minimum:
      return less() ? v[0] : v[1];
    case op::maximum:
      return less() ? v[1] : v[0];
    case op::equal:
      return v[0] == v[1] ? 1 : 0;
    case op::not_equal:
      return v[0] != v[1] ? 1 : 0;
    case op::less:
      return less() ? 1 : 0;
    case op::less_equal:
      return less() || v[0] == v[1] ? 1 : 0;
    case op::greater:
      return !less() && v[0] != v[1] ? 1 : 0;
    case op::greater_equal:
      return !less() ? 1 : 0;
    default:
      throw std::logic_error("an operation that the naive evaluator lacks");
    }
  }

  /// Matches an atom with a tuple. \returns whether it fits; `with` gets the new bindings.
  static bool match(const plan::atom& a, const tuple& t, environment& with) {
    for (std::size_t c = 0; c < t.size(); ++c) {
      const plan::argument& arg = a.arguments[c];
      if (arg.place == plan::argument::ignored)
        continue;
      if (arg.place == plan::argument::constant) {
        if (arg.content != t[c])
          return false;
        continue;
      }
      const auto [at, made] = with.emplace(static_cast<std::uint32_t>(arg.content), t[c]);
      if (!made && at->second != t[c])
        return false;
    }
    return true;
  }

  static bool is_bound(const plan::atom& a, const environment& with) {
    for (const plan::argument& arg : a.arguments)
      if (arg.place == plan::argument::variable &&
          with.count(static_cast<std::uint32_t>(arg.content)) == 0)
        return false;
    return true;
  }

  /// Binds, or compares.
  static bool bind(std::uint32_t slot, value v, environment& with) {
    const auto [at, made] = with.emplace(slot, v);
    return made || at->second == v;
  }

  void solve(const plan::rule& rule, std::vector<const plan::literal*> body, environment with,
             const visitor& visit) const {
    // Atoms as they stand; everything else once it can be decided.
    for (const bool last_resort : {false, true})
      for (std::size_t i = 0; i < body.size(); ++i) {
        const plan::literal& l = *body[i];
        auto rest = body;
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
        if (const auto* c = std::get_if<plan::condition>(&l.what)) {
          const auto holds = evaluate(c->test, with);
          if (!holds)
            continue;
          if (*holds != 0)
            solve(rule, rest, with, visit);
          return;
        }
        if (const auto* b = std::get_if<plan::binding>(&l.what)) {
          const auto v = evaluate(b->value, with);
          if (!v)
            continue;
          if (bind(b->slot, *v, with))
            solve(rule, rest, with, visit);
          return;
        }
        if (const auto* n = std::get_if<plan::negation>(&l.what)) {
          if (!is_bound(n->what, with))
            continue;
          for (const tuple& t : all_[n->what.relation]) {
            environment same = with;
            if (match(n->what, t, same))
              return;
          }
          solve(rule, rest, with, visit);
          return;
        }
        if (const auto* g = std::get_if<plan::generator>(&l.what)) {
          const auto from = evaluate(g->from, with), to = evaluate(g->to, with),
                     by = evaluate(g->step, with);
          if (!from || !to || !by)
            continue;
          const plan::type of = rule.slots[g->slot];
          const std::int64_t a = as_signed(*from, of), b = as_signed(*to, of),
                             s = as_signed(*by, of);
          for (std::int64_t x = a; s > 0 ? x < b : s < 0 && x > b; x += s) {
            environment bound = with;
            if (bind(g->slot, masked(static_cast<value>(x), of), bound))
              solve(rule, rest, bound, visit);
          }
          return;
        }
        if (const auto* a = std::get_if<plan::atom>(&l.what)) {
          if (!last_resort)
            continue;
          for (const tuple& t : all_[a->relation]) {
            environment bound = with;
            if (match(*a, t, bound))
              solve(rule, rest, bound, visit);
          }
          return;
        }
        if (const auto* a = std::get_if<plan::aggregate>(&l.what)) {
          // In the random plans all variables from outside are bound by atoms.
          if (std::any_of(rest.begin(), rest.end(), [](const plan::literal* other) {
                return !std::holds_alternative<plan::condition>(other->what) &&
                       !std::holds_alternative<plan::negation>(other->what) &&
                       !std::holds_alternative<plan::binding>(other->what);
              }))
            continue;
          if (const auto v = aggregate(rule, *a, with); v && bind(a->slot, *v, with))
            solve(rule, rest, with, visit);
          return;
        }
      }
    if (!body.empty())
      throw std::logic_error("a literal's variables are never bound");
    visit(with);
  }

  std::optional<value> aggregate(const plan::rule& rule, const plan::aggregate& a,
                                 const environment& with) const {
    std::vector<const plan::literal*> body;
    for (const plan::literal& l : a.body)
      body.push_back(&l);
    std::uint64_t count = 0;
    value sum = 0;
    double total = 0;
    std::optional<value> least, most;
    const plan::type of = a.target.of;
    const auto less = [&](value x, value y) {
      return of.of == plan::kind::number ? as_signed(x, of) < as_signed(y, of) : x < y;
    };
    solve(rule, body, with, [&](const environment& e) {
      ++count;
      if (a.function == plan::aggregate::count)
        return;
      const value v = *evaluate(a.target, e);
      sum = masked(sum + v, of);
      total += as_double(v, of);
      least = !least || less(v, *least) ? v : *least;
      most = !most || less(*most, v) ? v : *most;
    });
    switch (a.function) {
    case plan::aggregate::count:
      return masked(count, a.of);
    case plan::aggregate::sum:
      return sum;
    case plan::aggregate::minimum:
      return least;
    case plan::aggregate::maximum:
      return most;
    default:
      break;
    }
    if (count == 0)
      return std::nullopt;
    const double mean = total / static_cast<double>(count);
    const auto narrow = static_cast<float>(mean);
    std::uint64_t bits = 0;
    a.of.bits == 32 ? std::memcpy(&bits, &narrow, 4) : std::memcpy(&bits, &mean, 8);
    return bits;
  }

  const plan::program& program_;
  std::vector<relation> all_;
  ikra::datalog::host_functions* functions_;
};

} // namespace naive
