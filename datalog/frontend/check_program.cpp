// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks of clauses against each other: stratification, and whether relations can be inlined.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "datalog/frontend/check.hpp"
#include "datalog/frontend/graph.hpp"
#include "datalog/frontend/walk.hpp"

namespace ikra::datalog {
namespace {

struct edge {
  std::uint32_t from = 0, to = 0; // the head's relation depends on the body's
  bool negated = false, aggregated = false;
  location where;
};

void collect_edges(const ast::literal& literal, std::uint32_t from, bool aggregated,
                   const relation_table& relations, std::vector<edge>& into);

// Values depend on relations in aggregates alone.
void collect_edges(const ast::argument& argument, std::uint32_t from,
                   const relation_table& relations, std::vector<edge>& into) {
  walk_inner_arguments(argument, [&](const ast::argument& inner) {
    const auto* aggregate = std::get_if<ast::aggregate>(&inner.node);
    if (aggregate == nullptr)
      return true;
    for (const ast::argument& target : aggregate->target)
      collect_edges(target, from, relations, into);
    for (const ast::literal& literal : aggregate->body)
      collect_edges(literal, from, true, relations, into);
    return false;
  });
}

void collect_edges(const ast::literal& literal, std::uint32_t from, bool aggregated,
                   const relation_table& relations, std::vector<edge>& into) {
  auto atom = [&](const ast::atom& inner, bool negated) {
    into.push_back({from, relations.at(inner.name).number, negated, aggregated, literal.where});
    for (const ast::argument& argument : inner.arguments)
      collect_edges(argument, from, relations, into);
  };
  if (const auto* positive = std::get_if<ast::atom>(&literal.node)) {
    atom(*positive, false);
  } else if (const auto* negation = std::get_if<ast::negation>(&literal.node)) {
    atom(negation->inner, true);
  } else if (const auto* constraint = std::get_if<ast::constraint>(&literal.node)) {
    collect_edges(constraint->left, from, relations, into);
    collect_edges(constraint->right, from, relations, into);
  } else if (const auto* group = std::get_if<ast::group>(&literal.node)) { // in an aggregate
    for (const std::vector<ast::literal>& alternative : group->alternatives)
      for (const ast::literal& inner : alternative)
        collect_edges(inner, from, aggregated, relations, into);
  }
}

std::vector<edge> edges_of(const ast::clause& clause, const relation_table& relations) {
  std::vector<edge> edges;
  const std::uint32_t from = relations.at(clause.head.name).number;
  for (const ast::argument& argument : clause.head.arguments)
    collect_edges(argument, from, relations, edges);
  for (const ast::literal& literal : clause.body)
    collect_edges(literal, from, false, relations, edges);
  return edges;
}

bool has_counter(const ast::argument& argument) {
  bool found = false;
  walk_inner_arguments(argument, [&](const ast::argument& inner) {
    found = found || std::holds_alternative<ast::counter>(inner.node);
  });
  return found;
}

std::vector<const ast::relation*> by_number(const relation_table& relations) {
  std::vector<const ast::relation*> list(relations.size());
  for (const auto& [name, relation] : relations)
    list[relation.number] = relation.written;
  return list;
}

// A cycle of inlined relations: they would be expanded for ever.
void check_inline_cycles(const std::vector<ast::clause>& clauses, const relation_table& relations,
                         diagnostics& messages) {
  const std::vector<const ast::relation*> list = by_number(relations);
  dependency_graph graph(list.size());
  std::set<std::uint32_t> own;
  for (const ast::clause& clause : clauses)
    for (const edge& e : edges_of(clause, relations))
      if (list[e.from]->inlined && list[e.to]->inlined) {
        graph[e.from].push_back(e.to);
        if (e.from == e.to)
          own.insert(e.from);
      }
  for (const std::vector<std::uint32_t>& component : connected_components(graph)) {
    if (component.size() == 1 && !own.contains(component[0]))
      continue;
    std::string names;
    for (const std::uint32_t member : component)
      names += (names.empty() ? "" : ", ") + list[member]->name;
    messages.error("Cannot inline cyclically dependent relations {" + names + "}",
                   list[component[0]]->where);
  }
}

// Whether a rule's body has variables that its head has not.
bool introduces_variables(const ast::clause& clause) {
  std::set<std::string> head;
  for (const ast::argument& argument : clause.head.arguments)
    walk_inner_arguments(argument, [&](const ast::argument& inner) {
      if (const auto* variable = std::get_if<ast::variable>(&inner.node))
        head.insert(variable->name);
    });
  bool found = false;
  for (const ast::literal& literal : clause.body)
    walk_literal_arguments(literal, [&](const ast::argument& inner) {
      if (const auto* variable = std::get_if<ast::variable>(&inner.node))
        found = found || !head.contains(variable->name);
    });
  return found;
}

// Relations that depend on each other, and for each relation its place among these.
struct dependencies {
  dependencies(const std::vector<ast::clause>& clauses, const relation_table& relations)
      : component_of(relations.size()) {
    dependency_graph graph(relations.size());
    for (const ast::clause& clause : clauses)
      for (const edge& e : edges_of(clause, relations)) {
        edges.push_back(e);
        graph[e.from].push_back(e.to);
      }
    components = connected_components(graph);
    for (std::size_t c = 0; c < components.size(); ++c)
      for (const std::uint32_t member : components[c])
        component_of[member] = c;
  }

  std::vector<edge> edges;
  std::vector<std::vector<std::uint32_t>> components;
  std::vector<std::size_t> component_of;
};

// An order names each atom of the body once.
void check_order(const ast::plan::order& order, std::size_t atoms, diagnostics& messages) {
  if (order.atoms.size() != atoms) {
    messages.error("Invalid execution order in plan (expected " + std::to_string(atoms) +
                       " atoms, not " + std::to_string(order.atoms.size()) + ")",
                   order.where);
    return;
  }
  std::vector<std::int64_t> sorted = order.atoms;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < atoms; ++i)
    if (sorted[i] != static_cast<std::int64_t>(i) + 1) {
      messages.error("Invalid execution order in plan (incomplete)", order.where);
      return;
    }
}

} // namespace

void check_plans(std::vector<ast::clause>& clauses, const relation_table& relations,
                 diagnostics& messages) {
  const dependencies all(clauses, relations);
  for (ast::clause& clause : clauses) {
    if (!clause.order)
      continue;
    const std::size_t own = all.component_of[relations.at(clause.head.name).number];
    std::size_t atoms = 0;
    std::int64_t recursive = 0;
    bool inlined = false;
    for (const ast::literal& literal : clause.body)
      if (const auto* atom = std::get_if<ast::atom>(&literal.node)) {
        const declared_relation& read = relations.at(atom->name);
        ++atoms;
        recursive += all.component_of[read.number] == own ? 1 : 0;
        inlined = inlined || read.written->inlined;
      }
    if (inlined) // other atoms will stand there
      continue;
    const std::int64_t last = std::max<std::int64_t>(recursive, 1) - 1;
    for (const auto& [version, order] : clause.order->orders) {
      check_order(order, atoms, messages);
      if (version > last)
        messages.warning("execution plan for version " + std::to_string(version) +
                             " is not used: the rule has only versions 0.." + std::to_string(last),
                         order.where);
    }
    std::erase_if(clause.order->orders, [&](const auto& one) { return one.first > last; });
    if (clause.order->orders.empty())
      clause.order.reset();
  }
}

void check_stratification(const std::vector<ast::clause>& clauses, const relation_table& relations,
                          diagnostics& messages) {
  const std::vector<const ast::relation*> list = by_number(relations);
  const auto [edges, components, component_of] = dependencies(clauses, relations);
  std::set<std::size_t> reported;
  for (const edge& e : edges) {
    const std::size_t c = component_of[e.from];
    if (c != component_of[e.to] || !(e.negated || e.aggregated) || !reported.insert(c).second)
      continue;
    std::vector<std::string> sorted;
    for (const std::uint32_t member : components[c])
      sorted.push_back(list[member]->name);
    std::sort(sorted.begin(), sorted.end());
    std::string names;
    for (const std::string& name : sorted)
      names += (names.empty() ? "" : ",") + name;
    messages.error("Unable to stratify relation(s) {" + names + "}",
                   {{"Relation " + list[e.to]->name, list[e.to]->where},
                    {e.aggregated ? "has cyclic aggregation" : "has cyclic negation", e.where}});
  }
  for (const ast::clause& clause : clauses) {
    const std::uint32_t head = relations.at(clause.head.name).number;
    const std::vector<edge> own = edges_of(clause, relations);
    const bool recursive = std::any_of(own.begin(), own.end(), [&](const edge& e) {
      return component_of[e.to] == component_of[head];
    });
    if (recursive)
      walk_arguments(clause, [&](const ast::argument& argument) {
        if (std::holds_alternative<ast::counter>(argument.node))
          messages.error("Auto-increment functor in a recursive rule", argument.where);
      });
  }
}

void check_inlining(const ast::program& program, const std::vector<ast::clause>& clauses,
                    const relation_table& relations, diagnostics& messages) {
  auto inlined = [&](const std::string& name) { return relations.at(name).written->inlined; };
  for (const ast::directive& directive : program.directives)
    if (relations.contains(directive.relation) && inlined(directive.relation))
      messages.error("IO relation " + directive.relation + " cannot be inlined",
                     relations.at(directive.relation).written->where);
  check_inline_cycles(clauses, relations, messages);
  std::set<std::string> positive_only;
  for (const ast::clause& clause : clauses) {
    if (!inlined(clause.head.name))
      continue;
    if (introduces_variables(clause))
      positive_only.insert(clause.head.name);
    walk_arguments(clause, [&](const ast::argument& argument) {
      if (std::holds_alternative<ast::counter>(argument.node))
        messages.error("Cannot inline clause containing a counter argument '$'", argument.where);
    });
  }
  for (const ast::clause& clause : clauses)
    walk_literals(clause, [&](const ast::literal& literal) {
      const auto* atom = std::get_if<ast::atom>(&literal.node);
      const auto* negation = std::get_if<ast::negation>(&literal.node);
      const ast::atom* inner = negation != nullptr ? &negation->inner : atom;
      if (inner == nullptr || !inlined(inner->name))
        return;
      if (negation != nullptr && positive_only.contains(inner->name))
        messages.error("Cannot inline negated relation which may introduce new variables",
                       literal.where);
      for (const ast::argument& argument : inner->arguments) {
        if (has_counter(argument))
          messages.error("Cannot inline literal containing a counter argument '$'", argument.where);
        if (negation != nullptr)
          walk_inner_arguments(argument, [&](const ast::argument& part) {
            if (std::holds_alternative<ast::wildcard>(part.node))
              messages.error("Cannot inline negated atom containing an unnamed variable unless the "
                             "variable is within an "
                             "aggregator",
                             part.where);
            return !std::holds_alternative<ast::aggregate>(part.node);
          });
      }
    });
}

} // namespace ikra::datalog
