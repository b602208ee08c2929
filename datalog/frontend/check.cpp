// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks of declarations and of single clauses.
#include "datalog/frontend/check.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "datalog/frontend/ground.hpp"
#include "datalog/frontend/walk.hpp"

namespace ikra::datalog {
namespace {

std::string written(const ast::attribute& attribute) {
  return attribute.name + ":" + attribute.type;
}

// Every `_` in a value that is compared or computed with; records and algebraic values may have
// them, aggregates have bodies of their own.
void check_wildcards(const ast::argument& side, diagnostics& messages) {
  walk_inner_arguments(side, [&](const ast::argument& inner) {
    if (std::holds_alternative<ast::wildcard>(inner.node))
      messages.error("Underscore in binary relation", inner.where);
    return !std::holds_alternative<ast::record>(inner.node) &&
           !std::holds_alternative<ast::branch>(inner.node) &&
           !std::holds_alternative<ast::aggregate>(inner.node);
  });
}

// `as(_, T)` is a value that nothing gives.
void check_negated(const ast::atom& atom, diagnostics& messages) {
  for (const ast::argument& argument : atom.arguments)
    if (const auto* cast = std::get_if<ast::cast>(&argument.node))
      check_wildcards(cast->value[0], messages);
}

void check_operands(const ast::argument& argument, diagnostics& messages) {
  walk_inner_arguments(argument, [&](const ast::argument& inner) {
    if (const auto* call = std::get_if<ast::call>(&inner.node))
      for (const ast::argument& operand : call->arguments)
        check_wildcards(operand, messages);
    return !std::holds_alternative<ast::aggregate>(inner.node);
  });
}

} // namespace

relation_table check_relations(const std::vector<ast::relation>& relations, const type_table& types,
                               diagnostics& messages) {
  relation_table table;
  for (const ast::relation& relation : relations) {
    declared_relation entry{&relation, {}, static_cast<std::uint32_t>(table.size())};
    std::set<std::string> names;
    for (const ast::attribute& attribute : relation.attributes) {
      const auto type = types.find(attribute.type);
      if (!type)
        messages.error("Undefined type in attribute " + written(attribute), attribute.where);
      if (!names.insert(attribute.name).second)
        messages.error("Doubly defined attribute name " + written(attribute), attribute.where);
      entry.types.push_back(type.value_or(type_table::primitive(value_kind::number)));
    }
    if (relation.stored == ast::representation::equivalence) {
      if (relation.attributes.size() != 2)
        messages.error("Equivalence relation " + relation.name + " is not binary", relation.where);
      else if (relation.attributes[0].type != relation.attributes[1].type)
        messages.error("Domains of equivalence relation " + relation.name + " are different",
                       relation.where);
    }
    for (const auto& domain : relation.choices)
      for (const auto& [name, where] : domain)
        if (!names.contains(name))
          messages.error("Undefined attribute " + name + " in choice-domain of relation " +
                             relation.name,
                         where);
    if (!relation.choices.empty() &&
        (relation.inlined || relation.stored == ast::representation::equivalence))
      messages.error("Relation " + relation.name + " with a choice-domain cannot be " +
                         (relation.inlined ? "inlined" : "an equivalence relation"),
                     relation.where);
    table.emplace(relation.name, std::move(entry));
  }
  return table;
}

namespace {

bool is_column_set(const std::string& text, std::size_t columns) {
  std::size_t places = 1;
  bool digit_before = false;
  for (const char c : text) {
    if (c == ':' ? !digit_before : c < '0' || c > '9')
      return false;
    places += c == ':' ? 1 : 0;
    digit_before = c != ':';
  }
  return text.empty() ? columns == 0 : digit_before && places == columns;
}

/// What would else be found out when facts are read, or when all is done and written.
void check_parameters(const ast::directive& directive, std::size_t columns, diagnostics& messages) {
  const bool reads = directive.kind == ast::directive_kind::input;
  static const std::set<std::string> inputs{"file", "stdin", "json", "jsonfile", "sqlite"};
  static const std::set<std::string> outputs{"file", "stdout",   "stdoutprintsize", "stdoutjson",
                                             "json", "jsonfile", "sqlite"};
  static const std::set<std::string> flags{"headers", "rfc4180", "compress"};
  const auto format = directive.parameters.find("IO");
  const std::string kind = format == directive.parameters.end() ? "file" : format->second;
  const bool is_database = kind == "sqlite";
  const bool is_json = kind == "json" || kind == "jsonfile" || kind == "stdoutjson";
  for (const auto& [key, value] : directive.parameters) {
    // A result is written beside its destination and renamed, so that has to be a file's path.
    if (is_database && !reads && (key == "filename" || key == "dbname") &&
        (value.starts_with("file:") || value == ":memory:"))
      messages.error("Database <" + value + "> of relation " + directive.relation +
                         " cannot be written: name a file by its path, without file:",
                     directive.where);
    if (key == "IO" && !(reads ? inputs : outputs).contains(value))
      messages.error("Requested " + std::string(reads ? "input" : "output") + " type <" + value +
                         "> of relation " + directive.relation + " is not supported",
                     directive.where);
    if (flags.contains(key) && value != "true" && value != "false")
      messages.error("Parameter " + key + " of relation " + directive.relation +
                         " is neither true nor false: " + value,
                     directive.where);
    if (key == "delimiter" && value.empty())
      messages.error("The delimiter of relation " + directive.relation + " is empty",
                     directive.where);
    // Other kinds have one format, whatever this says.
    if (is_json && key == "format" && value != "list" && value != "object")
      messages.error("Requested JSON format <" + value + "> of relation " + directive.relation +
                         " is not supported",
                     directive.where);
    if (key == "columns" && reads && !is_column_set(value, columns))
      messages.error("Invalid column set <" + value + "> of relation " + directive.relation +
                         ": it has " + std::to_string(columns) + " columns",
                     directive.where);
  }
}

} // namespace

void check_directives(const std::vector<ast::directive>& directives,
                      const relation_table& relations, diagnostics& messages) {
  for (const ast::directive& directive : directives) {
    const auto relation = relations.find(directive.relation);
    if (relation == relations.end())
      messages.error("Undefined relation " + directive.relation, directive.where);
    else if (directive.kind == ast::directive_kind::input ||
             directive.kind == ast::directive_kind::output)
      check_parameters(directive, relation->second.written->attributes.size(), messages);
    if (directive.kind != ast::directive_kind::limit_size)
      continue;
    const auto n = directive.parameters.find("n");
    const bool number = n != directive.parameters.end() && !n->second.empty() &&
                        n->second.size() < 19 &&
                        n->second.find_first_not_of("0123456789") == std::string::npos;
    if (!number)
      messages.error("limitsize directive requires a number n", directive.where);
  }
}

void warn_of_empty_relations(const ast::program& program, diagnostics& messages) {
  std::set<std::string> filled;
  for (const ast::clause& clause : program.clauses)
    filled.insert(clause.head.name);
  for (const ast::directive& directive : program.directives)
    if (directive.kind == ast::directive_kind::input)
      filled.insert(directive.relation);
  for (const ast::relation& relation : program.relations)
    if (!filled.contains(relation.name))
      messages.warning("No rules/facts defined for relation " + relation.name, relation.where);
}

void warn_of_oddities(const ast::program& program, diagnostics& messages) {
  // Heads of one rule are clauses of one place.
  for (std::size_t i = 0; i < program.clauses.size();) {
    const ast::clause& rule = program.clauses[i];
    std::map<std::string, std::pair<int, location>> seen;
    auto count = [&](const ast::argument& argument) {
      if (const auto* variable = std::get_if<ast::variable>(&argument.node)) {
        auto& [times, where] = seen[variable->name];
        ++times;
        where = argument.where;
      }
    };
    for (std::size_t j = rule.subsumes ? 1 : 0; j < rule.body.size(); ++j) // without its head
      walk_literal_arguments(rule.body[j], count);
    for (; i < program.clauses.size() && program.clauses[i].where.begin == rule.where.begin &&
           program.clauses[i].where.end == rule.where.end;
         ++i)
      for (const ast::argument& argument : program.clauses[i].head.arguments)
        walk_inner_arguments(argument, count);
    for (const auto& [name, use] : seen) {
      if (name[0] == '_' && use.first > 1)
        messages.warning("Variable " + name + " marked as singleton but occurs more than once",
                         use.second);
      else if (name[0] != '_' && use.first == 1 && !rule.body.empty())
        messages.warning("Variable " + name + " only occurs once", use.second);
    }
  }
}

bool check_clause(const ast::clause& clause, const relation_table& relations,
                  diagnostics& messages) {
  bool sound = true;
  if (clause.subsumes) {
    const auto& dominating = std::get<ast::atom>(clause.body[1].node);
    sound = dominating.name == clause.head.name;
    if (!sound)
      messages.error("Subsumption between different relations " + clause.head.name + " and " +
                         dominating.name,
                     dominating.where);
  }
  if (const auto head = relations.find(clause.head.name);
      clause.subsumes && head != relations.end()) {
    const ast::relation& declared = *head->second.written;
    const char* what = declared.inlined ? "an inlined relation" : nullptr;
    if (declared.stored == ast::representation::equivalence)
      what = "an equivalence relation";
    else if (!declared.choices.empty())
      what = "a relation with a choice-domain";
    if (what != nullptr)
      messages.error(std::string("Subsumption in ") + what + " " + declared.name,
                     clause.head.where);
  }
  walk_atoms(clause, [&](const ast::atom& atom) {
    const auto found = relations.find(atom.name);
    if (found == relations.end()) {
      messages.error("Undefined relation " + atom.name, atom.where);
      sound = false;
      return;
    }
    if (found->second.types.size() != atom.arguments.size()) {
      messages.error("Mismatching arity of relation " + atom.name + " (expected " +
                         std::to_string(found->second.types.size()) + ", got " +
                         std::to_string(atom.arguments.size()) + ")",
                     atom.where);
      sound = false;
    }
    for (const ast::argument& argument : atom.arguments)
      check_operands(argument, messages);
  });
  for (const ast::argument& argument : clause.head.arguments)
    walk_inner_arguments(argument, [&](const ast::argument& inner) {
      if (std::holds_alternative<ast::wildcard>(inner.node))
        messages.error("Underscore in head of rule", inner.where);
      return !std::holds_alternative<ast::aggregate>(inner.node);
    });
  walk_arguments(clause, [&](const ast::argument& argument) {
    if (const auto* aggregate = std::get_if<ast::aggregate>(&argument.node))
      for (const ast::argument& target : aggregate->target)
        walk_inner_arguments(target, [&](const ast::argument& inner) {
          if (std::holds_alternative<ast::wildcard>(inner.node))
            messages.error("Underscore in target expression of aggregator", inner.where);
          return !std::holds_alternative<ast::aggregate>(inner.node);
        });
  });
  walk_literals(clause, [&](const ast::literal& literal) {
    if (const auto* constraint = std::get_if<ast::constraint>(&literal.node)) {
      check_wildcards(constraint->left, messages);
      check_wildcards(constraint->right, messages);
    }
    if (const auto* negation = std::get_if<ast::negation>(&literal.node))
      check_negated(negation->inner, messages);
  });
  if (!clause.body.empty())
    return sound;
  for (const ast::argument& argument : clause.head.arguments) {
    bool constant = true;
    walk_inner_arguments(argument, [&](const ast::argument& inner) {
      constant = constant && !std::holds_alternative<ast::variable>(inner.node) &&
                 !std::holds_alternative<ast::wildcard>(inner.node) &&
                 !std::holds_alternative<ast::counter>(inner.node);
      return !std::holds_alternative<ast::aggregate>(inner.node);
    });
    if (!constant)
      messages.error("Argument in fact is not constant", argument.where);
    sound = sound && constant;
  }
  return sound;
}

} // namespace ikra::datalog
