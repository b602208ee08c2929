// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of the passes. A pass that later ones rely on ends the work if it found errors; checks
// that are independent of each other all run, so that users see as much as possible at once.
#include "datalog/frontend/frontend.hpp"

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

#include "datalog/frontend/bodies.hpp"
#include "datalog/frontend/check.hpp"
#include "datalog/frontend/components.hpp"
#include "datalog/frontend/ground.hpp"
#include "datalog/frontend/infer.hpp"
#include "datalog/frontend/inline.hpp"
#include "datalog/frontend/lattice.hpp"
#include "datalog/frontend/lift.hpp"
#include "datalog/frontend/normalise.hpp"
#include "datalog/frontend/parser.hpp"
#include "datalog/frontend/trace.hpp"

namespace ikra::datalog {

std::optional<core::program> compile(const source_text& source, int bits, diagnostics& messages,
                                     fact_source facts) {
  const ast::program written = parse(source, messages);
  if (messages.errors() > 0)
    return std::nullopt;
  ast::program program = instantiate_components(written, messages);
  add_traces(program, messages);
  if (messages.errors() > 0)
    return std::nullopt;

  type_table types(program.types, messages);
  types.add_functors(program.functors, messages);
  relation_table relations = check_relations(program.relations, types, messages);
  check_directives(program.directives, relations, messages);
  if (facts == fact_source::directives)
    warn_of_empty_relations(program, messages);
  warn_of_oddities(program, messages);
  lattice_rules lattices(program, messages);
  const bool declarations_hold = messages.errors() == 0;
  std::vector<ast::clause> conjunctions;
  for (const ast::clause& rule : program.clauses)
    for (ast::clause& clause : expand_bodies(rule, messages)) {
      read_wildcards(clause);
      conjunctions.push_back(declarations_hold ? lattices.read(clause) : clause);
    }
  if (declarations_hold)
    for (ast::clause& rule : lattices.rules())
      conjunctions.push_back(std::move(rule));

  std::vector<ast::clause> clauses;
  bool names_hold = true;
  for (const ast::clause& rule : conjunctions) {
    // What an inlined relation leaves open, its uses may ground.
    const auto head = relations.find(rule.head.name);
    const bool is_inlined = head != relations.end() && head->second.written->inlined;
    for (ast::clause& clause : expand_bodies(rule, messages)) {
      const bool sound = check_clause(clause, relations, messages);
      names_hold = sound && names_hold;
      isolate_aggregates(clause, messages);
      // A disjunction that has a witness now stands in the rule's body, too.
      for (ast::clause& isolated : expand_bodies(clause, messages)) {
        if ((sound || !isolated.body.empty()) && !is_inlined)
          check_grounded(isolated, messages);
        number_arguments(isolated);
        clauses.push_back(std::move(isolated));
      }
    }
  }
  if (!names_hold || !declarations_hold)
    return std::nullopt;
  for (const ast::clause& clause : clauses)
    clause_types(clause, relations, types).check(messages);
  check_plans(clauses, relations, messages);
  check_stratification(clauses, relations, messages);
  check_inlining(program, clauses, relations, messages);
  if (messages.errors() > 0)
    return std::nullopt;

  const bool any_inlined = std::any_of(clauses.begin(), clauses.end(), [&](const auto& clause) {
    return relations.at(clause.head.name).written->inlined;
  });
  clauses = inline_relations(clauses, relations, messages);
  if (any_inlined)
    for (ast::clause& clause : clauses) {
      isolate_aggregates(clause, messages);
      check_grounded(clause, messages);
    }
  if (messages.errors() > 0)
    return std::nullopt;
  std::deque<ast::relation> lifted;
  lift_aggregates(clauses, relations, lifted, types, messages);
  if (messages.errors() > 0)
    return std::nullopt;
  core::program made = normalise(program, std::move(clauses), relations, types, bits, messages);
  if (messages.errors() > 0)
    return std::nullopt;
  return made;
}

} // namespace ikra::datalog
