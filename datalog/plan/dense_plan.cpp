// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognises chains: the head's variables are the ends of a path of atoms.
#include "datalog/plan/dense_plan.hpp"

#include <algorithm>

namespace ikra::datalog {

namespace {

bool is_binary(const plan::relation& r) {
  return r.columns.size() == 2 && r.columns[0].bits == 32 && r.columns[1].bits == 32;
}

bool contains(const std::vector<u32>& all, u32 one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

/// x != y, in either order, on the slots a and b.
bool is_difference(const plan::condition& c, u64 a, u64 b) {
  if (c.test.what != plan::operation::not_equal || c.test.of.of == plan::kind::floating)
    return false;
  const plan::expression &l = c.test.operands[0], &r = c.test.operands[1];
  if (l.what != plan::operation::variable || r.what != plan::operation::variable)
    return false;
  return (l.payload == a && r.payload == b) || (l.payload == b && r.payload == a);
}

std::optional<chain_rule> find_chain(const plan::program& program, const plan::stratum& s,
                                     u32 number) {
  const plan::rule& rule = program.rules[number];
  if (rule.heads.size() != 1 || rule.heads[0].values.size() != 2)
    return {};
  const plan::expression &from = rule.heads[0].values[0], &to = rule.heads[0].values[1];
  if (from.what != plan::operation::variable || to.what != plan::operation::variable ||
      from.payload == to.payload)
    return {};
  chain_rule made{number, rule.heads[0].relation, {}, false};
  std::vector<const plan::atom*> atoms;
  for (const plan::literal& l : rule.body) {
    if (const auto* a = std::get_if<plan::atom>(&l.what)) {
      if (!is_binary(program.relations[a->relation]) ||
          a->arguments[0].place != plan::argument::variable ||
          a->arguments[1].place != plan::argument::variable ||
          a->arguments[0].content == a->arguments[1].content)
        return {};
      atoms.push_back(a);
    } else if (const auto* c = std::get_if<plan::condition>(&l.what);
               c != nullptr && is_difference(*c, from.payload, to.payload)) {
      made.irreflexive = true;
    } else {
      return {};
    }
  }
  // Walks from the head's first variable; each variable on the way is in two atoms, the ends in
  // one.
  std::vector<std::size_t> uses(rule.slots.size(), 0);
  for (const plan::atom* a : atoms)
    for (const plan::argument& argument : a->arguments)
      ++uses[argument.content];
  u64 at = from.payload;
  for (std::size_t n = atoms.size(); n > 0; --n) {
    const auto next = std::find_if(atoms.begin(), atoms.end(), [&](const plan::atom* a) {
      return a->arguments[0].content == at || a->arguments[1].content == at;
    });
    if (next == atoms.end() || uses[at] != (at == from.payload ? 1u : 2u))
      return {};
    const plan::atom& a = **next;
    const bool turned = a.arguments[0].content != at;
    made.factors.push_back({a.relation, turned, contains(s.relations, a.relation)});
    at = a.arguments[turned ? 0 : 1].content;
    atoms.erase(next);
    if (at == to.payload && n > 1)
      return {};
  }
  if (at != to.payload || uses[at] != 1)
    return {};
  return made;
}

std::optional<row_closure> find_row_closure(const dense_stratum& dense, std::size_t relations) {
  if (relations != 1)
    return {};
  row_closure made;
  for (const chain_rule& c : dense.chains) {
    if (c.irreflexive || c.factors.size() != 2)
      return {};
    const chain_factor &a = c.factors[0], &b = c.factors[1];
    if ((a.recursive && a.turned) || (b.recursive && b.turned))
      return {};
    if (a.recursive && b.recursive)
      made.squared = true;
    else if (a.recursive)
      made.right.push_back(b);
    else
      made.left.push_back(a);
  }
  if (made.squared && !made.left.empty())
    return {};
  return made;
}

/// L·H·R, where L and R may be missing.
bool takes_rows(const chain_rule& c) {
  const auto is_recursive = [](const chain_factor& f) { return f.recursive; };
  const auto at = std::find_if(c.factors.begin(), c.factors.end(), is_recursive);
  return at - c.factors.begin() <= 1 && c.factors.end() - at <= 2 && !at->turned &&
         std::none_of(at + 1, c.factors.end(), is_recursive);
}

} // namespace

std::optional<dense_stratum> find_dense(const plan::program& program, const plan::stratum& of,
                                        std::string& why) {
  dense_stratum made;
  for (const u32 r : of.relations) {
    if (!is_binary(program.relations[r])) {
      why = "relation " + program.relations[r].name + " has not two columns of 32 bits";
      return {};
    }
    if (program.relations[r].size_limit != 0) {
      why = "relation " + program.relations[r].name + " has a size limit";
      return {};
    }
    if (!program.relations[r].choices.empty()) {
      why = "relation " + program.relations[r].name + " has a choice domain";
      return {};
    }
    if (program.relations[r].dominated) {
      why = "relation " + program.relations[r].name + " has rules of subsumption";
      return {};
    }
  }
  for (const u32 number : of.rules) {
    const plan::rule& rule = program.rules[number];
    const bool recursive = std::any_of(rule.body.begin(), rule.body.end(), [&](const auto& l) {
      const auto* a = std::get_if<plan::atom>(&l.what);
      return a != nullptr && contains(of.relations, a->relation);
    });
    if (!recursive)
      continue;
    std::optional<chain_rule> chain = find_chain(program, of, number);
    if (!chain) {
      why = "rule '" + rule.text + "' is no chain of binary relations";
      return {};
    }
    if (chain->factors.size() > max_factors) {
      why = "rule '" + rule.text + "' is too long a chain";
      return {};
    }
    made.chains.push_back(std::move(*chain));
  }
  if (made.chains.empty()) {
    why = "no rule is recursive";
    return {};
  }
  made.starts_at_delta = std::all_of(made.chains.begin(), made.chains.end(), [](const auto& c) {
    const auto is_recursive = [](const chain_factor& f) { return f.recursive; };
    const auto first = std::find_if(c.factors.begin(), c.factors.end(), is_recursive);
    return first - c.factors.begin() <= 1 && std::none_of(first + 1, c.factors.end(), is_recursive);
  });
  made.in_order = of.relations.size() == 1 && made.chains.size() <= most_ordered_chains &&
                  std::all_of(made.chains.begin(), made.chains.end(), takes_rows);
  made.by_row = find_row_closure(made, of.relations.size());
  return made;
}

} // namespace ikra::datalog
