// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rule `d(x, y, recursive_iteration_cnt() - 1) :- r(x, y).` in the stratum of r, which reads
// each tuple in the iteration after the one that made it.
#include "datalog/frontend/trace.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace ikra::datalog {
namespace {

ast::clause rule_of(const ast::relation& trace) {
  const location where = trace.where;
  ast::clause rule;
  rule.where = where;
  rule.head = {where, trace.name, {}};
  for (std::size_t i = 0; i + 1 < trace.attributes.size(); ++i)
    rule.head.arguments.push_back({where, ast::variable{trace.attributes[i].name}});
  ast::atom traced = rule.head;
  traced.name = trace.traced;
  rule.body.push_back({where, std::move(traced)});
  const ast::argument now{where, ast::call{functor::iteration, {}}};
  const ast::argument one{where,
                          ast::number_constant{"1", ast::number_constant::form::unsigned_number}};
  rule.head.arguments.push_back({where, ast::call{functor::subtract, {now, one}}});
  return rule;
}

} // namespace

void add_traces(ast::program& program, diagnostics& messages) {
  for (ast::relation& trace : program.relations) {
    if (trace.traced.empty())
      continue;
    const auto traced =
        std::find_if(program.relations.begin(), program.relations.end(),
                     [&](const ast::relation& other) { return other.name == trace.traced; });
    if (traced == program.relations.end()) {
      messages.error("Undefined relation " + trace.traced, trace.where);
      continue;
    }
    if (!traced->traced.empty() || traced->inlined ||
        traced->stored == ast::representation::equivalence) {
      messages.error("debug_delta of relation " + trace.traced +
                         ", which is inlined, an equivalence relation, or a debug_delta itself",
                     trace.where);
      continue;
    }
    trace.attributes = traced->attributes;
    trace.attributes.push_back({trace.where, "iteration'", "unsigned"});
    program.clauses.push_back(rule_of(trace));
  }
}

} // namespace ikra::datalog
