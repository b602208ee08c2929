// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groundedness is a least fixpoint over a body. Aggregates are opaque in it: they give a value once
// what they are given from outside is known.
#include "datalog/frontend/ground.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "datalog/frontend/walk.hpp"

namespace ikra::datalog {
namespace {

using names = std::set<std::string>;

// Variables outside of aggregates.
template <class Node> void add_direct(const Node& node, names& into) {
  auto visit = [&](const ast::argument& argument) {
    if (const auto* variable = std::get_if<ast::variable>(&argument.node))
      into.insert(variable->name);
    return !std::holds_alternative<ast::aggregate>(argument.node);
  };
  if constexpr (std::is_same_v<Node, ast::literal>)
    walk_literal_arguments(node, visit);
  else
    walk_inner_arguments(node, visit);
}

names direct_names(const std::vector<ast::literal>& body) {
  names found;
  for (const ast::literal& literal : body)
    add_direct(literal, found);
  return found;
}

// A value that is compared with something known: what it makes known.
void ground_pattern(const ast::argument& pattern, names& grounded) {
  if (const auto* variable = std::get_if<ast::variable>(&pattern.node))
    grounded.insert(variable->name);
  else if (const auto* record = std::get_if<ast::record>(&pattern.node))
    for (const ast::argument& field : record->fields)
      ground_pattern(field, grounded);
  else if (const auto* branch = std::get_if<ast::branch>(&pattern.node))
    for (const ast::argument& field : branch->fields)
      ground_pattern(field, grounded);
  else if (const auto* cast = std::get_if<ast::cast>(&pattern.node))
    ground_pattern(cast->value[0], grounded);
}

template <class Names> bool all_in(const Names& some, const names& all) {
  return std::all_of(some.begin(), some.end(),
                     [&](const std::string& name) { return all.contains(name); });
}

bool all_grounded(const std::vector<ast::argument>& values, const names& grounded) {
  return std::all_of(values.begin(), values.end(),
                     [&](const ast::argument& value) { return is_grounded(value, grounded); });
}

void rename(ast::aggregate& aggregate, const std::map<std::string, std::string>& to) {
  auto visit = [&](ast::argument& argument) {
    if (auto* variable = std::get_if<ast::variable>(&argument.node))
      if (const auto found = to.find(variable->name); found != to.end())
        variable->name = found->second;
    if (auto* inner = std::get_if<ast::aggregate>(&argument.node)) {
      names given;
      for (const std::string& name : inner->given)
        given.insert(to.contains(name) ? to.at(name) : name);
      inner->given = std::move(given);
    }
  };
  for (ast::argument& target : aggregate.target)
    walk_inner_arguments(target, visit);
  for (ast::literal& literal : aggregate.body)
    walk_literal_arguments(literal, visit);
}

class isolation {
public:
  isolation(ast::clause& clause, diagnostics& messages) : clause_(clause), messages_(messages) {}

  void run() {
    // This runs again after inlining, on names that it has made itself.
    walk_arguments(clause_, [&](const ast::argument& argument) {
      if (const auto* variable = std::get_if<ast::variable>(&argument.node))
        taken_.insert(variable->name);
    });
    find_witnesses();
    names visible = direct_names(clause_.body);
    for (const ast::argument& argument : clause_.head.arguments)
      add_direct(argument, visible);
    const scope whole{clause_.body, visible, {}};
    for (ast::argument& argument : clause_.head.arguments)
      isolate_within(argument, whole);
    for (ast::literal& literal : clause_.body)
      isolate_within(literal, whole);
  }

private:
  std::string fresh(const std::string& name) {
    const std::string stem = written_name(name) + (only_exists(name) ? existing_mark : "'");
    std::string made;
    do
      made = stem + std::to_string(++count_);
    while (!taken_.insert(made).second);
    return made;
  }

  // Witnesses are looked for in aggregates that stand by themselves on a side of an equality, the
  // only place where their condition can be stated beside.
  void find_witnesses() {
    names used = direct_names(clause_.body);
    for (const ast::argument& argument : clause_.head.arguments)
      add_direct(argument, used);
    const names grounded = grounded_variables(clause_.body, {});
    std::vector<ast::literal> added;
    walk_clause_aggregates([&](ast::argument& argument) {
      const auto aggregate = std::get<ast::aggregate>(argument.node);
      const names own = grounded_variables(aggregate.body, {});
      const bool is_extremum =
          aggregate.op == aggregator::minimum || aggregate.op == aggregator::maximum;
      names target;
      for (const ast::argument& value : aggregate.target)
        add_direct(value, target);
      names witnesses;
      for (const std::string& name : own)
        if (used.contains(name) && !grounded.contains(name) &&
            (!target.contains(name) || is_extremum))
          witnesses.insert(name);
      if (!witnesses.empty())
        export_witnesses(argument, aggregate, witnesses, added);
    });
    for (ast::literal& literal : added)
      clause_.body.push_back(std::move(literal));
  }

  template <class Visit> void walk_clause_aggregates(Visit visit) {
    walk_arguments(clause_, [&](ast::argument& argument) {
      if (!std::holds_alternative<ast::aggregate>(argument.node))
        return true;
      visit(argument);
      return false;
    });
  }

  void export_witnesses(ast::argument& argument, ast::aggregate aggregate, const names& witnesses,
                        std::vector<ast::literal>& added) {
    if (aggregate.op != aggregator::minimum && aggregate.op != aggregator::maximum) {
      for (const ast::literal& literal : aggregate.body)
        walk_literal_arguments(literal, [&](const ast::argument& inner) {
          const auto* variable = std::get_if<ast::variable>(&inner.node);
          if (variable != nullptr && witnesses.contains(variable->name))
            messages_.error("Witness problem: argument grounded by an aggregator's inner scope is "
                            "used ungrounded in outer scope "
                            "in a count/sum/mean aggregate",
                            inner.where);
        });
      return;
    }
    // `m = min t : { body }` with witness w: m' = min t : { body, w renamed }, body, t renamed, t =
    // m'.
    const location where = argument.where;
    const ast::variable result{fresh("min")};
    ast::aggregate repeated = aggregate;
    std::map<std::string, std::string> inside;
    for (const std::string& name : witnesses)
      inside[name] = fresh(name);
    rename(aggregate, inside);
    added.push_back(
        {where,
         ast::constraint{comparison::equal, {where, result}, {where, std::move(aggregate)}}});
    std::map<std::string, std::string> beside;
    names used = direct_names(clause_.body);
    for (const ast::argument& value : clause_.head.arguments)
      add_direct(value, used);
    names target;
    add_direct(repeated.target[0], target);
    names body = direct_names(repeated.body);
    body.insert(target.begin(), target.end());
    for (const std::string& name : body)
      if (!witnesses.contains(name) && (!used.contains(name) || target.contains(name)))
        beside[name] = fresh(name);
    rename(repeated, beside);
    for (ast::literal& literal : repeated.body)
      added.push_back(std::move(literal));
    added.push_back(
        {where,
         ast::constraint{comparison::equal, std::move(repeated.target[0]), {where, result}}});
    argument.node = result;
  }

  /// Where an aggregate stands.
  struct scope {
    const std::vector<ast::literal>& body;
    const names& visible; ///< names that mean something there
    const names& known;   ///< those of them that are known from further out
  };

  template <class Node> void isolate_within(Node& node, const scope& around) {
    auto visit = [&](ast::argument& argument) {
      if (!std::holds_alternative<ast::aggregate>(argument.node))
        return true;
      const names results = results_of(argument, around);
      isolate(std::get<ast::aggregate>(argument.node), around, results);
      return false;
    };
    if constexpr (std::is_same_v<Node, ast::literal>)
      walk_literal_arguments(node, visit);
    else
      walk_inner_arguments(node, visit);
  }

  /// Names that nothing but the value of this aggregate grounds, as in `x = max y : { a(x, y) }`.
  /// Within, they are others.
  static names results_of(ast::argument& aggregate, const scope& around) {
    names results = grounded_variables(around.body, around.known);
    ast::argument held = std::exchange(aggregate, {aggregate.where, ast::variable{"?"}});
    for (const std::string& name : grounded_variables(around.body, around.known))
      results.erase(name);
    aggregate = std::move(held);
    return results;
  }

  void isolate(ast::aggregate& aggregate, const scope& around, const names& results) {
    const names& visible = around.visible;
    names target;
    for (const ast::argument& value : aggregate.target)
      add_direct(value, target);
    const names bound = grounded_variables(aggregate.body, {});
    names mentioned = direct_names(aggregate.body);
    mentioned.insert(target.begin(), target.end());
    std::map<std::string, std::string> own;
    for (const std::string& name : mentioned)
      if (!visible.contains(name) ||
          (bound.contains(name) && (target.contains(name) || results.contains(name))))
        own[name] = fresh(name);
    rename(aggregate, own);
    names inner = visible;
    for (const auto& [name, renamed] : own)
      inner.insert(renamed);
    const scope within{aggregate.body, inner, visible};
    for (ast::argument& value : aggregate.target)
      isolate_within(value, within);
    for (ast::literal& literal : aggregate.body)
      isolate_within(literal, within);
    // What aggregates within are given may come from further out, too.
    aggregate.given.clear();
    auto note = [&](const ast::argument& argument) {
      if (const auto* variable = std::get_if<ast::variable>(&argument.node))
        if (visible.contains(variable->name))
          aggregate.given.insert(variable->name);
    };
    for (const ast::argument& value : aggregate.target)
      walk_inner_arguments(value, note);
    for (const ast::literal& literal : aggregate.body)
      walk_literal_arguments(literal, note);
  }

  ast::clause& clause_;
  diagnostics& messages_;
  names taken_;
  int count_ = 0;
};

class ground_checker {
public:
  explicit ground_checker(diagnostics& messages) : messages_(messages) {}

  void value(const ast::argument& argument, const names& grounded) {
    walk_inner_arguments(argument,
                         [&](const ast::argument& inner) { return one(inner, grounded); });
  }

  void body(const std::vector<ast::literal>& literals, const names& grounded) {
    for (const ast::literal& literal : literals) {
      if (const auto* group = std::get_if<ast::group>(&literal.node)) {
        for (const std::vector<ast::literal>& alternative : group->alternatives)
          body(alternative, grounded_variables(alternative, grounded));
        continue;
      }
      walk_literal_arguments(literal,
                             [&](const ast::argument& inner) { return one(inner, grounded); });
      if (const auto* negation = std::get_if<ast::negation>(&literal.node))
        for (const ast::argument& argument : negation->inner.arguments)
          check_whole(argument);
      // A pattern needs a known value on the other side.
      const auto* constraint = std::get_if<ast::constraint>(&literal.node);
      if (constraint != nullptr &&
          (constraint->op != comparison::equal || (!is_grounded(constraint->left, grounded) &&
                                                   !is_grounded(constraint->right, grounded)))) {
        check_whole(constraint->left);
        check_whole(constraint->right);
      }
    }
  }

private:
  // Reports structures that have `_` in them, the outermost ones.
  void check_whole(const ast::argument& argument) {
    walk_inner_arguments(argument, [&](const ast::argument& inner) {
      const bool is_structure = std::holds_alternative<ast::record>(inner.node) ||
                                std::holds_alternative<ast::branch>(inner.node);
      if (is_structure && has_hole(inner))
        messages_.error("Ungrounded record", inner.where);
      return !is_structure && !std::holds_alternative<ast::aggregate>(inner.node);
    });
  }

  static bool has_hole(const ast::argument& argument) {
    bool found = false;
    walk_inner_arguments(argument, [&](const ast::argument& inner) {
      found = found || std::holds_alternative<ast::wildcard>(inner.node);
      return !std::holds_alternative<ast::aggregate>(inner.node);
    });
    return found;
  }

  bool one(const ast::argument& argument, const names& grounded) {
    if (const auto* variable = std::get_if<ast::variable>(&argument.node)) {
      if (!grounded.contains(variable->name) && reported_.insert(variable->name).second)
        messages_.error("Ungrounded variable " + written_name(variable->name), argument.where);
      return false;
    }
    if (const auto* aggregate = std::get_if<ast::aggregate>(&argument.node)) {
      names inner = grounded;
      for (const std::string& name : aggregate->given)
        inner.insert(name);
      inner = grounded_variables(aggregate->body, std::move(inner));
      for (const ast::argument& target : aggregate->target)
        value(target, inner);
      body(aggregate->body, inner);
      return false;
    }
    return true;
  }

  diagnostics& messages_;
  names reported_;
};

} // namespace

bool only_exists(const std::string& variable) {
  return variable.find(existing_mark) != std::string::npos;
}

std::string written_name(const std::string& variable) {
  return variable.substr(0, variable.find('\''));
}

void isolate_aggregates(ast::clause& clause, diagnostics& messages) {
  isolation(clause, messages).run();
}

bool is_grounded(const ast::argument& value, const std::set<std::string>& grounded) {
  if (const auto* variable = std::get_if<ast::variable>(&value.node))
    return grounded.contains(variable->name);
  if (const auto* record = std::get_if<ast::record>(&value.node))
    return all_grounded(record->fields, grounded);
  if (const auto* branch = std::get_if<ast::branch>(&value.node))
    return all_grounded(branch->fields, grounded);
  if (const auto* cast = std::get_if<ast::cast>(&value.node))
    return all_grounded(cast->value, grounded);
  if (const auto* call = std::get_if<ast::call>(&value.node))
    return all_grounded(call->arguments, grounded);
  if (const auto* aggregate = std::get_if<ast::aggregate>(&value.node))
    return all_in(aggregate->given, grounded);
  return !std::holds_alternative<ast::wildcard>(value.node);
}

std::set<std::string> grounded_in_all(const std::vector<std::vector<ast::literal>>& alternatives,
                                      const std::set<std::string>& grounded) {
  std::optional<names> in_all;
  for (const std::vector<ast::literal>& alternative : alternatives) {
    names here = grounded_variables(alternative, grounded);
    if (in_all)
      std::erase_if(*in_all, [&](const std::string& name) { return !here.contains(name); });
    else
      in_all = std::move(here);
  }
  return in_all.value_or(grounded);
}

std::set<std::string> grounded_variables(const std::vector<ast::literal>& body,
                                         std::set<std::string> grounded) {
  for (std::size_t before = grounded.size() + 1; before != grounded.size();) {
    before = grounded.size();
    for (const ast::literal& literal : body) {
      if (const auto* atom = std::get_if<ast::atom>(&literal.node)) {
        for (const ast::argument& argument : atom->arguments)
          ground_pattern(argument, grounded);
      } else if (const auto* constraint = std::get_if<ast::constraint>(&literal.node);
                 constraint != nullptr && constraint->op == comparison::equal) {
        if (is_grounded(constraint->right, grounded))
          ground_pattern(constraint->left, grounded);
        if (is_grounded(constraint->left, grounded))
          ground_pattern(constraint->right, grounded);
      } else if (const auto* group = std::get_if<ast::group>(&literal.node)) {
        grounded.merge(grounded_in_all(group->alternatives, grounded));
      }
    }
  }
  return grounded;
}

void check_grounded(const ast::clause& clause, diagnostics& messages) {
  names grounded = grounded_variables(clause.body, {});
  // What an aggregate is given and nothing grounds is to blame, not what follows from the
  // aggregate.
  names given;
  for (const ast::literal& literal : clause.body)
    walk_literal_arguments(literal, [&](const ast::argument& argument) {
      if (const auto* aggregate = std::get_if<ast::aggregate>(&argument.node))
        given.insert(aggregate->given.begin(), aggregate->given.end());
    });
  names followed = grounded_variables(clause.body, given);
  for (const std::string& name : given)
    followed.erase(name);
  grounded.merge(followed);
  ground_checker checker(messages);
  for (const ast::argument& argument : clause.head.arguments)
    checker.value(argument, grounded);
  checker.body(clause.body, grounded);
}

} // namespace ikra::datalog
