// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One use is replaced at a time: by a disjunction over the relation's rules, or by its negation,
// which then goes through the same normal form as what users write.
#include "datalog/frontend/inline.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>

#include "datalog/frontend/bodies.hpp"
#include "datalog/frontend/ground.hpp"
#include "datalog/frontend/walk.hpp"

namespace ikra::datalog {
namespace {

constexpr std::size_t max_clauses = 100'000;
using substitution = std::map<std::string, ast::argument>;

class inliner {
public:
  inliner(const std::vector<ast::clause>& clauses, const relation_table& relations,
          diagnostics& messages)
      : relations_(relations), messages_(messages) {
    for (const ast::clause& clause : clauses)
      if (is_inlined(clause.head.name))
        bodies_[clause.head.name].push_back(&clause);
  }

  std::vector<ast::clause> run(const std::vector<ast::clause>& clauses) {
    std::vector<ast::clause> done;
    for (const ast::clause& clause : clauses) {
      if (is_inlined(clause.head.name))
        continue;
      std::deque<ast::clause> open{clause};
      for (std::size_t made = 1; !open.empty(); open.pop_front()) {
        std::vector<ast::clause> next;
        if (!expand_first(open.front(), next)) {
          done.push_back(std::move(open.front()));
          continue;
        }
        made += next.size();
        if (made > max_clauses) {
          messages_.error("Inlining makes more than " + std::to_string(max_clauses) +
                              " rules of this one",
                          clause.where);
          return {};
        }
        open.insert(open.end(), next.begin(), next.end());
      }
    }
    return done;
  }

private:
  bool is_inlined(const std::string& name) const { return relations_.at(name).written->inlined; }

  // Replaces the first use; false if there is none.
  bool expand_first(const ast::clause& clause, std::vector<ast::clause>& into) {
    for (std::size_t i = 0; i < clause.body.size(); ++i) {
      const auto* atom = std::get_if<ast::atom>(&clause.body[i].node);
      const auto* negation = std::get_if<ast::negation>(&clause.body[i].node);
      const ast::atom* used = negation != nullptr ? &negation->inner : atom;
      if (used == nullptr || !is_inlined(used->name))
        continue;
      ast::clause changed = clause;
      changed.body[i] = replacement(*used, negation != nullptr, place::body);
      for (conjunction& body : alternatives_of(changed.body, clause.where, messages_)) {
        ast::clause made = clause;
        made.body = std::move(body);
        into.push_back(std::move(made));
      }
      return true;
    }
    ast::clause changed = clause;
    if (!expand_in_aggregate(changed))
      return false;
    into.push_back(std::move(changed));
    return true;
  }

  // Replaces the first use in an aggregate, whose body may become a disjunction by that.
  bool expand_in_aggregate(ast::clause& clause) {
    bool expanded = false;
    walk_arguments(clause, [&](ast::argument& argument) {
      auto* aggregate = std::get_if<ast::aggregate>(&argument.node);
      if (expanded || aggregate == nullptr)
        return !expanded;
      expanded = expand_one(aggregate->body, 0);
      if (expanded)
        flatten_body(*aggregate, argument.where, messages_);
      return !expanded;
    });
    return expanded;
  }

  bool expand_one(std::vector<ast::literal>& body, int depth) {
    for (ast::literal& literal : body) {
      if (auto* group = std::get_if<ast::group>(&literal.node)) {
        for (std::vector<ast::literal>& alternative : group->alternatives)
          if (expand_one(alternative, depth + 1))
            return true;
        continue;
      }
      const auto* atom = std::get_if<ast::atom>(&literal.node);
      const auto* negation = std::get_if<ast::negation>(&literal.node);
      const ast::atom* used = negation != nullptr ? &negation->inner : atom;
      if (used == nullptr || !is_inlined(used->name))
        continue;
      const bool alone = atom != nullptr && depth == 0 && count_atoms(body) == 1;
      if (!alone)
        name_wildcards(body);
      literal = replacement(*used, negation != nullptr, alone ? place::alone : place::aggregate);
      return true;
    }
    return false;
  }

  static std::ptrdiff_t count_atoms(const std::vector<ast::literal>& body) {
    return std::count_if(body.begin(), body.end(), [](const ast::literal& literal) {
      return std::holds_alternative<ast::atom>(literal.node);
    });
  }

  // In a body of several atoms, what `_` stands for does not count, however many of them inlining
  // leaves.
  void name_wildcards(std::vector<ast::literal>& body) {
    for (ast::literal& literal : body)
      if (auto* atom = std::get_if<ast::atom>(&literal.node))
        for (ast::argument& argument : atom->arguments)
          if (std::holds_alternative<ast::wildcard>(argument.node))
            argument.node = ast::variable{existing("_")};
  }

  // Where a use stands: in a rule's body, as the one atom of an aggregate's body, or elsewhere in
  // one.
  enum class place : std::uint8_t { body, alone, aggregate };

  ast::literal replacement(const ast::atom& written, bool negated, place where) {
    // A copy: the body that it stands in changes.
    const ast::atom use = written; // NOLINT(performance-unnecessary-copy-initialization)
    const auto found = bodies_.find(use.name);
    if (found == bodies_.end()) // nothing is in it
      return {use.where, ast::truth{negated}};
    ast::atom call = use;
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      ast::argument& argument = call.arguments[i];
      // The column's type goes with the value, as the atom that says it will be gone.
      argument.type = relations_.at(use.name).written->attributes[i].type;
      if (std::holds_alternative<ast::wildcard>(argument.node))
        argument.node = ast::variable{where == place::aggregate ? existing("_") : fresh("_")};
    }
    ast::group group{negated, {}};
    for (const ast::clause* body : found->second)
      group.alternatives.push_back(instance(*body, call, negated, where != place::body));
    return {use.where, std::move(group)};
  }

  std::string fresh(const std::string& name) {
    return written_name(name) + "'i" + std::to_string(++count_);
  }

  std::string existing(const std::string& name) {
    return written_name(name) + existing_mark + std::to_string(++count_);
  }

  // Whether a value may stand in several places: a pattern may not, its `_` would be several.
  static bool is_simple(const ast::argument& argument) {
    return std::holds_alternative<ast::variable>(argument.node) ||
           std::holds_alternative<ast::string_constant>(argument.node) ||
           std::holds_alternative<ast::number_constant>(argument.node) ||
           std::holds_alternative<ast::nil>(argument.node);
  }

  // A rule's body with the use's values in place of the head's variables, and new names for the
  // others. Where it is to be negated, values have no `_`, and new variables have no place.
  // In an aggregate, new variables only have to exist: the relation has no column for them.
  std::vector<ast::literal> instance(const ast::clause& rule, const ast::atom& use, bool negated,
                                     bool in_aggregate) {
    substitution to;
    std::vector<std::pair<ast::argument, ast::argument>> equal;
    for (std::size_t i = 0; i < use.arguments.size(); ++i) {
      ast::argument formal = rule.head.arguments[i];
      formal.type = use.arguments[i].type;
      const auto* variable = std::get_if<ast::variable>(&formal.node);
      const bool put_in = variable != nullptr && (negated || is_simple(use.arguments[i]));
      if (!put_in || !to.emplace(variable->name, use.arguments[i]).second)
        equal.emplace_back(use.arguments[i], formal);
    }
    std::vector<ast::literal> body = rule.body;
    if (in_aggregate)
      for (const ast::literal& literal : rule.body)
        walk_literal_arguments(literal, [&](const ast::argument& argument) {
          if (const auto* variable = std::get_if<ast::variable>(&argument.node))
            to.emplace(variable->name,
                       ast::argument{argument.where, ast::variable{existing(variable->name)}});
          return !std::holds_alternative<ast::aggregate>(argument.node);
        });
    for (auto& [given, formal] : equal)
      body.push_back({use.where, ast::constraint{comparison::equal, given, formal}});
    for (std::size_t i = 0; i < body.size(); ++i) {
      // The first side of an added equality is the use's own.
      if (i < rule.body.size())
        walk_literal_arguments(body[i],
                               [&](ast::argument& argument) { return substitute(argument, to); });
      else
        walk_inner_arguments(std::get<ast::constraint>(body[i].node).right,
                             [&](ast::argument& argument) { return substitute(argument, to); });
    }
    if (in_aggregate && !negated)
      name_wildcards(body);
    if (body.empty())
      body.push_back({use.where, ast::truth{true}});
    return body;
  }

  // False where a value was put in: it is not to be looked into.
  bool substitute(ast::argument& argument, substitution& to) {
    const auto* variable = std::get_if<ast::variable>(&argument.node);
    if (variable == nullptr)
      return true;
    auto found = to.find(variable->name);
    if (found == to.end())
      found = to.emplace(variable->name,
                         ast::argument{argument.where, ast::variable{fresh(variable->name)}})
                  .first;
    argument = found->second;
    return false;
  }

  const relation_table& relations_;
  diagnostics& messages_;
  std::map<std::string, std::vector<const ast::clause*>> bodies_;
  int count_ = 0;
};

} // namespace

std::vector<ast::clause> inline_relations(const std::vector<ast::clause>& clauses,
                                          const relation_table& relations, diagnostics& messages) {
  return inliner(clauses, relations, messages).run(clauses);
}

} // namespace ikra::datalog
