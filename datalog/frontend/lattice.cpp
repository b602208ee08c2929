// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For .decl r(k: number, v: L<>):
//   r(k, Lub(v, w)) :- r(k, v), r(k, w), v != w.
//   r(k, v) <= r(k, w) :- Lub(v, w) = w.
// A body's r(k, v) where nothing else grounds v takes the value of k, unless it is Bottom; with
// several such atoms, v is the Glb of their values. Where v is known, r(k, v) asks whether v is at
// most the value of k.
#include "datalog/frontend/lattice.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "datalog/frontend/ground.hpp"
#include "datalog/frontend/walk.hpp"

namespace ikra::datalog {
namespace {

int holes_in(const ast::argument& operation) {
  int holes = 0;
  walk_inner_arguments(operation, [&](const ast::argument& argument) {
    holes += std::holds_alternative<ast::wildcard>(argument.node) ? 1 : 0;
  });
  return holes;
}

ast::literal compared(location where, comparison op, ast::argument left, ast::argument right) {
  return {where, ast::constraint{op, std::move(left), std::move(right)}};
}

} // namespace

lattice_rules::lattice_rules(const ast::program& program, diagnostics& messages)
    : program_(program), messages_(messages) {
  for (const ast::lattice& lattice : program.lattices) {
    if (!lattices_.emplace(lattice.name, &lattice).second)
      messages.error("Redefinition of lattice " + lattice.name, lattice.where);
    check(lattice);
  }
  for (const ast::relation& relation : program.relations)
    add_columns(relation);
}

void lattice_rules::check(const ast::lattice& lattice) {
  const bool declared =
      std::any_of(program_.types.begin(), program_.types.end(),
                  [&](const ast::type& type) { return type.name == lattice.name; });
  const std::set<std::string> predefined{"number", "unsigned", "float", "symbol"};
  if (!declared && !predefined.contains(lattice.name))
    messages_.error("Undefined type " + lattice.name + " of a lattice", lattice.where);
  for (const char* needed : {"Bottom", "Lub"})
    if (!lattice.operators.contains(needed))
      messages_.error("Lattice " + lattice.name + " has no " + needed, lattice.where);
  for (const auto& [name, operation] : lattice.operators) {
    const int holes = name == "Bottom" || name == "Top" ? 0 : 2;
    if (holes_in(operation) != holes)
      messages_.error(
          name + " of lattice " + lattice.name +
              (holes == 2 ? " has to have two _, for two values" : " has to be a value, without _"),
          operation.where);
  }
}

void lattice_rules::add_columns(const ast::relation& relation) {
  relations_[relation.name] = &relation;
  for (std::size_t i = 0; i < relation.attributes.size(); ++i) {
    const ast::attribute& attribute = relation.attributes[i];
    if (!attribute.lattice)
      continue;
    const auto found = lattices_.find(attribute.type);
    if (found == lattices_.end()) {
      messages_.error("Type " + attribute.type + " of column " + attribute.name + " is no lattice",
                      attribute.where);
      continue;
    }
    columns_[relation.name].push_back({i, found->second});
  }
  if (columns_.contains(relation.name) && (relation.inlined || !relation.choices.empty() ||
                                           relation.stored == ast::representation::equivalence))
    messages_.error("Relation " + relation.name +
                        " with a lattice column cannot be inlined, an equivalence relation, or "
                        "have a choice-domain",
                    relation.where);
}

ast::argument lattice_rules::fresh(location where) {
  return {where, ast::variable{"lattice'l" + std::to_string(++count_)}};
}

ast::argument lattice_rules::apply(const ast::argument& operation, const ast::argument& a,
                                   const ast::argument& b) {
  ast::argument made = operation;
  int hole = 0;
  walk_inner_arguments(made, [&](ast::argument& argument) {
    if (!std::holds_alternative<ast::wildcard>(argument.node))
      return true;
    argument = hole++ == 0 ? a : b;
    return false;
  });
  return made;
}

const ast::argument& lattice_rules::glb(const ast::lattice& lattice, location where) {
  const auto found = lattice.operators.find("Glb");
  if (found != lattice.operators.end())
    return found->second;
  messages_.error("Lattice " + lattice.name + " has no Glb, which comparing its values needs",
                  where);
  return lattice.operators.begin()->second;
}

std::vector<ast::clause> lattice_rules::rules() const {
  std::vector<ast::clause> made;
  for (const auto& [name, columns] : columns_) {
    const ast::relation& relation = *relations_.at(name);
    const location where = relation.where;
    ast::atom first{where, name, {}};
    for (const ast::attribute& attribute : relation.attributes)
      first.arguments.push_back({where, ast::variable{attribute.name}});
    ast::atom second = first;
    ast::clause combine;
    combine.where = where;
    ast::clause remove;
    remove.where = where;
    remove.subsumes = true;
    ast::group differ;
    literals at_most;
    combine.head = first;
    for (const auto& [number, of] : columns) {
      ast::argument& other = second.arguments[number];
      other.node = ast::variable{relation.attributes[number].name + "'l"};
      const ast::argument lub = apply(of->operators.at("Lub"), first.arguments[number], other);
      combine.head.arguments[number] = lub;
      differ.alternatives.push_back(
          {compared(where, comparison::unequal, first.arguments[number], other)});
      at_most.push_back(compared(where, comparison::equal, lub, other));
    }
    combine.body = {{where, first}, {where, second}, {where, std::move(differ)}};
    remove.head = first;
    remove.body = {{where, first}, {where, second}};
    remove.body.insert(remove.body.end(), at_most.begin(), at_most.end());
    made.push_back(std::move(combine));
    made.push_back(std::move(remove));
  }
  return made;
}

void lattice_rules::read_atom(ast::atom& atom, literals& added,
                              std::map<std::string, std::vector<ast::argument>>& read,
                              std::map<std::string, const ast::lattice*>& lattice_of) {
  const auto found = columns_.find(atom.name);
  if (found == columns_.end())
    return;
  for (const auto& [number, of] : found->second) {
    if (number >= atom.arguments.size())
      return; // the wrong arity, which is reported later
    ast::argument& argument = atom.arguments[number];
    if (std::holds_alternative<ast::wildcard>(argument.node))
      continue;
    const auto* variable = std::get_if<ast::variable>(&argument.node);
    const ast::argument value = fresh(argument.where);
    if (variable != nullptr && read.contains(variable->name)) {
      read[variable->name].push_back(value);
      lattice_of[variable->name] = of;
    } else {
      added.push_back(compared(argument.where, comparison::equal,
                               apply(glb(*of, argument.where), value, argument), argument));
    }
    argument = value;
  }
}

ast::literal lattice_rules::read_negation(const ast::negation& negation, location where) {
  const auto found = columns_.find(negation.inner.name);
  ast::literal written{where, negation};
  if (found == columns_.end())
    return written;
  ast::atom absent = negation.inner;
  ast::atom present = negation.inner;
  ast::group less;
  for (const auto& [number, of] : found->second) {
    if (number >= absent.arguments.size() ||
        std::holds_alternative<ast::wildcard>(absent.arguments[number].node))
      continue;
    const ast::argument wanted = absent.arguments[number];
    absent.arguments[number].node = ast::wildcard{};
    present.arguments[number] = fresh(wanted.where);
    less.alternatives.push_back(
        {compared(wanted.where, comparison::unequal,
                  apply(glb(*of, wanted.where), present.arguments[number], wanted), wanted)});
  }
  if (less.alternatives.empty())
    return written;
  ast::group either;
  either.alternatives.push_back({{where, ast::negation{std::move(absent)}}});
  either.alternatives.push_back({{where, std::move(present)}, {where, std::move(less)}});
  return {where, std::move(either)};
}

ast::clause lattice_rules::read(const ast::clause& written) {
  if (columns_.empty() || written.subsumes)
    return written;
  // What is known without the lattice columns, and the variables that these alone have.
  literals without = written.body;
  std::map<std::string, std::vector<ast::argument>> read;
  for (ast::literal& literal : without)
    if (auto* atom = std::get_if<ast::atom>(&literal.node))
      if (const auto found = columns_.find(atom->name); found != columns_.end())
        for (const auto& [number, of] : found->second)
          if (number < atom->arguments.size()) {
            if (const auto* name = std::get_if<ast::variable>(&atom->arguments[number].node))
              read[name->name] = {};
            atom->arguments[number].node = ast::wildcard{};
          }
  for (const std::string& name : grounded_variables(without, {}))
    read.erase(name);

  ast::clause made = written;
  literals added;
  std::map<std::string, const ast::lattice*> lattice_of;
  for (ast::literal& literal : made.body) {
    if (auto* atom = std::get_if<ast::atom>(&literal.node))
      read_atom(*atom, added, read, lattice_of);
    else if (const auto* negation = std::get_if<ast::negation>(&literal.node))
      literal = read_negation(ast::negation(*negation), literal.where);
  }
  for (auto& [name, values] : read) {
    if (values.empty())
      continue;
    const location where = values.front().where;
    const ast::lattice& lattice = *lattice_of.at(name);
    ast::argument all = values.front();
    for (std::size_t i = 1; i < values.size(); ++i)
      all = apply(glb(lattice, where), all, values[i]);
    const ast::argument variable{where, ast::variable{name}};
    added.push_back(compared(where, comparison::equal, variable, std::move(all)));
    if (const auto bottom = lattice.operators.find("Bottom"); bottom != lattice.operators.end())
      added.push_back(compared(where, comparison::unequal, variable, bottom->second));
  }
  for (ast::literal& literal : added)
    made.body.push_back(std::move(literal));
  return made;
}

} // namespace ikra::datalog
