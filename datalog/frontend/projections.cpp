// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One new relation for each relation and set of columns. A range or an aggregate beside an atom
// makes a body one of several, too.
#include "datalog/frontend/projections.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace ikra::datalog {
namespace {

class projections {
public:
  explicit projections(core::program& program) : program_(program) {}

  void run() {
    const std::size_t rules = program_.rules.size();
    for (std::size_t i = 0; i < rules; ++i) {
      std::vector<core::literal> body = std::move(program_.rules[i].body);
      visit(body);
      program_.rules[i].body = std::move(body);
    }
  }

private:
  void visit(std::vector<core::literal>& body) {
    for (core::literal& literal : body)
      if (auto* aggregate = std::get_if<core::aggregate>(&literal.node)) {
        visit(aggregate->body);
        project(aggregate->body);
      }
  }

  void project(std::vector<core::literal>& body) {
    const auto gives_solutions = [](const core::literal& literal) {
      return std::holds_alternative<core::atom>(literal.node) ||
             std::holds_alternative<core::generator>(literal.node) ||
             std::holds_alternative<core::aggregate>(literal.node);
    };
    if (std::count_if(body.begin(), body.end(), gives_solutions) < 2)
      return;
    for (core::literal& literal : body)
      if (auto* atom = std::get_if<core::atom>(&literal.node))
        project(*atom);
  }

  void project(core::atom& atom) {
    std::vector<std::uint32_t> columns;
    std::vector<core::term> kept;
    for (std::uint32_t i = 0; i < atom.arguments.size(); ++i)
      if (atom.arguments[i].is != core::term::form::wildcard) {
        columns.push_back(i);
        kept.push_back(atom.arguments[i]);
      }
    if (columns.size() == atom.arguments.size())
      return;
    const auto [known, is_new] = made_.emplace(
        std::pair{atom.relation, columns}, static_cast<std::uint32_t>(program_.relations.size()));
    if (is_new)
      add(atom.relation, columns);
    atom = {known->second, std::move(kept)};
  }

  //   projection(x, z) :- relation(x, _, z).
  void add(std::uint32_t relation, const std::vector<std::uint32_t>& columns) {
    const core::relation& from = program_.relations[relation];
    core::relation made;
    made.name = from.name + " of";
    made.where = from.where;
    core::rule rule;
    rule.where = from.where;
    rule.head = static_cast<std::uint32_t>(program_.relations.size());
    core::atom all{relation, std::vector<core::term>(from.columns.size())};
    for (const std::uint32_t column : columns) {
      const auto variable = static_cast<std::uint32_t>(rule.variables.size());
      const core::column& of = from.columns[column];
      made.columns.push_back(of);
      made.name += ' ' + of.name;
      rule.variables.push_back({of.name, of.kind});
      core::expression value;
      value.is = core::expression::form::variable;
      value.kind = of.kind;
      value.variable = variable;
      rule.values.push_back(std::move(value));
      all.arguments[column].is = core::term::form::variable;
      all.arguments[column].variable = variable;
    }
    rule.body.push_back({std::move(all), from.where});
    program_.relations.push_back(std::move(made));
    program_.rules.push_back(std::move(rule));
  }

  core::program& program_;
  std::map<std::pair<std::uint32_t, std::vector<std::uint32_t>>, std::uint32_t> made_;
};

} // namespace

void project_aggregates(core::program& program) { projections(program).run(); }

} // namespace ikra::datalog
