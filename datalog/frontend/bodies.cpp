// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Disjunctive normal form, with negation pushed down to atoms on the way.
#include "datalog/frontend/bodies.hpp"

#include <utility>

#include "datalog/frontend/walk.hpp"

namespace ikra::datalog {
namespace {

// Brackets in brackets multiply; a rule that becomes more than this is a mistake.
constexpr std::size_t max_alternatives = 10'000;

struct too_many {};

class normal_form {
public:
  explicit normal_form(diagnostics& messages) : messages_(messages) {}

  std::vector<conjunction> all_of(const std::vector<ast::literal>& literals) {
    std::vector<conjunction> out(1);
    for (const ast::literal& literal : literals)
      out = product(out, one(literal, false));
    return out;
  }

private:
  static std::vector<conjunction> product(const std::vector<conjunction>& left,
                                          const std::vector<conjunction>& right) {
    if (left.size() * right.size() > max_alternatives)
      throw too_many{};
    std::vector<conjunction> out;
    for (const conjunction& a : left) {
      for (const conjunction& b : right) {
        conjunction& both = out.emplace_back(a);
        both.insert(both.end(), b.begin(), b.end());
      }
    }
    return out;
  }

  static void append(std::vector<conjunction>& to, std::vector<conjunction> more) {
    if (to.size() + more.size() > max_alternatives)
      throw too_many{};
    for (conjunction& c : more)
      to.push_back(std::move(c));
  }

  std::vector<conjunction> one(const ast::literal& literal, bool negated) {
    if (const auto* group = std::get_if<ast::group>(&literal.node))
      return (group->negated != negated) ? none_of(*group) : any_of(*group);
    ast::literal out = literal;
    if (negated) {
      if (auto* atom = std::get_if<ast::atom>(&out.node))
        out.node = ast::negation{ast::atom(std::move(*atom))};
      else if (auto* negation = std::get_if<ast::negation>(&out.node))
        out.node = ast::atom(std::move(negation->inner));
      else if (auto* constraint = std::get_if<ast::constraint>(&out.node))
        constraint->op = datalog::negated(constraint->op);
      else if (auto* truth = std::get_if<ast::truth>(&out.node))
        truth->value = !truth->value;
    }
    walk_literal_arguments(out, [&](ast::argument& argument) {
      if (auto* aggregate = std::get_if<ast::aggregate>(&argument.node))
        flatten_body(*aggregate, argument.where, messages_);
    });
    std::vector<conjunction> single(1);
    single[0].push_back(std::move(out));
    return single;
  }

  std::vector<conjunction> any_of(const ast::group& group) {
    std::vector<conjunction> out;
    for (const std::vector<ast::literal>& alternative : group.alternatives)
      append(out, all_of(alternative));
    return out;
  }

  // Each alternative fails: for each, one of its literals does not hold.
  std::vector<conjunction> none_of(const ast::group& group) {
    std::vector<conjunction> out(1);
    for (const std::vector<ast::literal>& alternative : group.alternatives) {
      std::vector<conjunction> failing;
      for (const ast::literal& literal : alternative)
        append(failing, one(literal, true));
      out = product(out, failing);
    }
    return out;
  }

  diagnostics& messages_;
};

} // namespace

std::vector<conjunction> alternatives_of(const std::vector<ast::literal>& body, location where,
                                         diagnostics& messages) {
  try {
    return normal_form(messages).all_of(body);
  } catch (const too_many&) {
    messages.error("Rule has more than " + std::to_string(max_alternatives) + " alternatives",
                   where);
    return {};
  }
}

void flatten_body(ast::aggregate& aggregate, location where, diagnostics& messages) {
  std::vector<conjunction> inner = alternatives_of(aggregate.body, where, messages);
  if (inner.size() == 1)
    aggregate.body = std::move(inner[0]);
  else
    aggregate.body = {{where, ast::group{false, std::move(inner)}}};
}

std::vector<ast::clause> expand_bodies(const ast::clause& clause, diagnostics& messages) {
  // The head's aggregates, too.
  ast::clause flat = clause;
  ast::literal head{clause.head.where, clause.head};
  for (conjunction& only : alternatives_of({head}, clause.where, messages))
    flat.head = std::get<ast::atom>(only[0].node);
  std::vector<ast::clause> out;
  for (conjunction& body : alternatives_of(clause.body, clause.where, messages)) {
    flat.body = std::move(body);
    out.push_back(flat);
  }
  return out;
}

void read_wildcards(ast::clause& clause) {
  int named = 0;
  walk_literals(clause, [&](ast::literal& literal) {
    auto* constraint = std::get_if<ast::constraint>(&literal.node);
    if (constraint == nullptr || constraint->op != comparison::equal)
      return;
    for (const bool swapped : {false, true}) {
      ast::argument& side = swapped ? constraint->right : constraint->left;
      const ast::argument& other = swapped ? constraint->left : constraint->right;
      if (!std::holds_alternative<ast::wildcard>(side.node))
        continue;
      if (std::holds_alternative<ast::record>(other.node)) {
        literal.node = ast::truth{};
        return;
      }
      if (std::holds_alternative<ast::aggregate>(other.node))
        side.node = ast::variable{"_'v" + std::to_string(++named)};
    }
  });
}

} // namespace ikra::datalog
