// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   r(n) :- c(z), n = sum x : { a(x), x < z ; b(x) }.
// becomes
//   r(n) :- c(z), n = sum x : { d(x, z) }.
//   d(x, z) :- c(z), a(x), x < z.
//   d(x, z) :- c(z), b(x).
// The new relation has the variables that every alternative grounds, which tell solutions apart,
// and those that come from outside. An alternative that does not ground the latter repeats what
// grounds them outside.
#include "datalog/frontend/lift.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "datalog/frontend/check.hpp"
#include "datalog/frontend/ground.hpp"
#include "datalog/frontend/walk.hpp"

namespace ikra::datalog {
namespace {

using names = std::set<std::string>;
using literals = std::vector<ast::literal>;

bool has_existing(const literals& body) {
  bool found = false;
  for (const ast::literal& literal : body)
    walk_literal_arguments(literal, [&](const ast::argument& argument) {
      const auto* variable = std::get_if<ast::variable>(&argument.node);
      found = found || (variable != nullptr && only_exists(variable->name));
      return !std::holds_alternative<ast::aggregate>(argument.node);
    });
  return found;
}

std::vector<literals> alternatives_of_body(const ast::aggregate& aggregate) {
  if (aggregate.body.size() == 1)
    if (const auto* group = std::get_if<ast::group>(&aggregate.body[0].node))
      return group->alternatives;
  return {aggregate.body};
}

bool is_to_be_lifted(const ast::aggregate& aggregate) {
  return has_existing(aggregate.body) ||
         (aggregate.body.size() == 1 && std::holds_alternative<ast::group>(aggregate.body[0].node));
}

class lifting {
public:
  lifting(std::vector<ast::clause>& clauses, relation_table& relations,
          std::deque<ast::relation>& made, type_table& types, diagnostics& messages)
      : clauses_(clauses), relations_(relations), made_(made), types_(types), messages_(messages) {}

  /// \return whether there was anything to do
  bool run() {
    for (std::size_t i = 0; i < clauses_.size(); ++i) // grows
      while (lift_first(i)) {
      }
    return !made_.empty();
  }

private:
  struct found_aggregate {
    ast::aggregate* aggregate = nullptr;
    location where;
    literals context; // what holds around it
  };

  bool lift_first(std::size_t index) {
    bool any = false;
    walk_arguments(clauses_[index], [&](const ast::argument& argument) {
      const auto* aggregate = std::get_if<ast::aggregate>(&argument.node);
      any = any || (aggregate != nullptr && is_to_be_lifted(*aggregate));
    });
    if (!any)
      return false;
    ast::clause clause = clauses_[index];
    isolate_aggregates(clause, messages_);
    number_arguments(clause);
    found_aggregate found;
    for (ast::argument& argument : clause.head.arguments)
      find(argument, clause.body, found);
    find_in(clause.body, {}, found);
    if (found.aggregate == nullptr)
      return false;
    lift(clause, found);
    clauses_[index] = std::move(clause);
    return true;
  }

  // The outermost one first: what is within it is then in a rule of its own.
  static void find_in(literals& body, const literals& around, found_aggregate& found) {
    for (std::size_t i = 0; i < body.size(); ++i) {
      if (found.aggregate != nullptr)
        return;
      literals context = around;
      for (std::size_t j = 0; j < body.size(); ++j)
        if (j != i)
          context.push_back(body[j]);
      walk_literal_arguments(body[i], [&](ast::argument& argument) {
        if (!std::holds_alternative<ast::aggregate>(argument.node))
          return true;
        find(argument, context, found);
        return false;
      });
    }
  }

  static void find(ast::argument& value, const literals& context, found_aggregate& found) {
    walk_inner_arguments(value, [&](ast::argument& argument) {
      auto* aggregate = std::get_if<ast::aggregate>(&argument.node);
      if (aggregate == nullptr || found.aggregate != nullptr)
        return found.aggregate == nullptr;
      if (is_to_be_lifted(*aggregate)) {
        found = {aggregate, argument.where, context};
        return false;
      }
      literals around = context;
      around.insert(around.end(), aggregate->body.begin(), aggregate->body.end());
      for (ast::argument& target : aggregate->target)
        find(target, around, found);
      find_in(aggregate->body, context, found);
      return false;
    });
  }

  void lift(const ast::clause& clause, const found_aggregate& found) {
    ast::aggregate& aggregate = *found.aggregate;
    const std::vector<literals> alternatives = alternatives_of_body(aggregate);
    names columns = grounded_in_all(alternatives, aggregate.given);
    std::erase_if(columns, [](const std::string& name) { return only_exists(name); });

    const std::string name = clause.head.name + "'s aggregate " + std::to_string(made_.size() + 1);
    ast::relation& relation = made_.emplace_back();
    relation.name = name;
    relation.where = found.where;
    declared_relation declared{&relation, {}, static_cast<std::uint32_t>(relations_.size())};
    const std::map<std::string, type_id> type_of = types_of_variables(clause);
    ast::atom use{found.where, name, {}};
    for (const std::string& column : columns) {
      const type_id type = type_of.at(column);
      relation.attributes.push_back({found.where, column, types_.name(type)});
      declared.types.push_back(type);
      use.arguments.push_back({found.where, ast::variable{column}});
    }
    relations_.emplace(name, std::move(declared));

    for (const literals& alternative : alternatives) {
      ast::clause rule;
      rule.where = found.where;
      rule.head = use;
      rule.body = grounding(alternative, aggregate.given, found.context);
      rule.body.insert(rule.body.end(), alternative.begin(), alternative.end());
      clauses_.push_back(std::move(rule));
    }
    aggregate.body = {{found.where, std::move(use)}};
  }

  std::map<std::string, type_id> types_of_variables(const ast::clause& clause) {
    const clause_types found(clause, relations_, types_, clause_types::detail::kinds);
    std::map<std::string, type_id> types;
    walk_arguments(clause, [&](const ast::argument& argument) {
      if (const auto* variable = std::get_if<ast::variable>(&argument.node)) {
        const type_id type = found.of(argument);
        types.emplace(variable->name,
                      types_.is_structure(type) ? type : type_table::primitive(types_.kind(type)));
      }
    });
    return types;
  }

  // Literals around the aggregate that ground what the alternative is given: atoms that have it, if
  // these do, else all.
  static literals grounding(const literals& alternative, const names& given,
                            const literals& context) {
    const auto lacks = [&](const literals& some) {
      literals all = some;
      all.insert(all.end(), alternative.begin(), alternative.end());
      names lacking = given;
      for (const std::string& name : grounded_variables(all, {}))
        lacking.erase(name);
      return lacking;
    };
    literals chosen;
    names lacking = lacks(chosen);
    for (const ast::literal& literal : context) {
      if (lacking.empty())
        break;
      const auto* atom = std::get_if<ast::atom>(&literal.node);
      const bool helps =
          atom != nullptr &&
          std::any_of(atom->arguments.begin(), atom->arguments.end(),
                      [&](const ast::argument& argument) {
                        const auto* variable = std::get_if<ast::variable>(&argument.node);
                        return variable != nullptr && lacking.contains(variable->name);
                      });
      const bool plain =
          helps && std::all_of(atom->arguments.begin(), atom->arguments.end(),
                               [](const ast::argument& argument) {
                                 return std::holds_alternative<ast::variable>(argument.node) ||
                                        std::holds_alternative<ast::wildcard>(argument.node);
                               });
      if (!plain)
        continue;
      chosen.push_back(literal);
      lacking = lacks(chosen);
    }
    return lacking.empty() ? chosen : context;
  }

  std::vector<ast::clause>& clauses_;
  relation_table& relations_;
  std::deque<ast::relation>& made_;
  type_table& types_;
  diagnostics& messages_;
};

} // namespace

void lift_aggregates(std::vector<ast::clause>& clauses, relation_table& relations,
                     std::deque<ast::relation>& made, type_table& types, diagnostics& messages) {
  if (lifting(clauses, relations, made, types, messages).run())
    check_stratification(clauses, relations, messages);
}

} // namespace ikra::datalog
