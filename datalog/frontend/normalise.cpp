// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything that stands for a value in a place where core.hpp wants a variable gets a new variable
// and a literal that binds it: records, aggregates, ranges, and arithmetic in atoms.
#include "datalog/frontend/normalise.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <utility>

#include "datalog/frontend/graph.hpp"
#include "datalog/frontend/ground.hpp"
#include "datalog/frontend/projections.hpp"
#include "datalog/frontend/unify.hpp"
#include "datalog/frontend/values.hpp"

namespace ikra::datalog {
namespace {

using core::word;

class symbol_numbers {
public:
  explicit symbol_numbers(std::vector<std::string>& symbols) : symbols_(symbols) {}
  word operator()(const std::string& text) {
    const auto [found, is_new] = numbers_.emplace(text, symbols_.size());
    if (is_new)
      symbols_.push_back(text);
    return found->second;
  }

private:
  std::vector<std::string>& symbols_;
  std::map<std::string, word> numbers_;
};

class rule_maker {
public:
  rule_maker(const clause_types& found, const relation_table& relations, type_table& types,
             symbol_numbers& symbols, int bits, diagnostics& messages)
      : found_(found), relations_(relations), types_(types), symbols_(symbols), format_(bits),
        messages_(messages) {}

  core::rule make(const ast::clause& clause) {
    rule_.where = clause.where;
    rule_.head = relations_.at(clause.head.name).number;
    for (const ast::literal& literal : clause.body)
      add(literal, rule_.body);
    for (const ast::argument& argument : clause.head.arguments)
      rule_.values.push_back(expression(argument, rule_.body));
    rule_.removes = clause.subsumes;
    if (clause.subsumes)
      for (const ast::argument& argument : std::get<ast::atom>(clause.body[1].node).arguments)
        rule_.values.push_back(expression(argument, rule_.body));
    if (clause.order)
      for (const auto& [version, order] : clause.order->orders)
        rule_.orders[version] = order.atoms;
    return std::move(rule_);
  }

private:
  using literals = std::vector<core::literal>;

  std::uint32_t fresh(value_kind kind) {
    rule_.variables.push_back({"", kind});
    return static_cast<std::uint32_t>(rule_.variables.size() - 1);
  }

  std::uint32_t variable(const std::string& name, value_kind kind) {
    const auto [known, is_new] =
        names_.emplace(name, static_cast<std::uint32_t>(rule_.variables.size()));
    if (is_new)
      rule_.variables.push_back({written_name(name), kind});
    return known->second;
  }

  static core::expression use(std::uint32_t variable, value_kind kind, location where) {
    core::expression made;
    made.is = core::expression::form::variable;
    made.kind = kind;
    made.variable = variable;
    made.where = where;
    return made;
  }

  core::expression constant(word value, value_kind kind, location where) {
    core::expression made;
    made.kind = kind;
    made.value = value;
    made.where = where;
    return made;
  }

  // ---- values ----

  core::expression expression(const ast::argument& argument, literals& body) {
    const auto& node = argument.node;
    const value_kind kind = found_.kind(argument);
    if (const auto* name = std::get_if<ast::variable>(&node))
      return use(variable(name->name, kind), kind, argument.where);
    if (const auto* text = std::get_if<ast::string_constant>(&node))
      return constant(symbols_(text->value), kind, argument.where);
    if (const auto* number = std::get_if<ast::number_constant>(&node))
      return constant(number_value(*number, kind, argument.where), kind, argument.where);
    if (std::holds_alternative<ast::nil>(node))
      return constant(0, kind, argument.where);
    if (std::holds_alternative<ast::counter>(node)) {
      core::expression made = constant(0, kind, argument.where);
      made.is = core::expression::form::counter;
      return made;
    }
    if (const auto* cast = std::get_if<ast::cast>(&node)) {
      const ast::argument& inner = cast->value[0];
      // A constant is read as what it is cast to: as(2, float) is 2.0.
      if (const auto* number = std::get_if<ast::number_constant>(&inner.node);
          number != nullptr && kind <= value_kind::real) {
        using form = ast::number_constant::form;
        if (number->written == form::real && kind != value_kind::real)
          messages_.error("Float constant (type mismatch)", inner.where);
        else if (number->written != form::unsigned_number)
          return constant(number_value(*number, kind, inner.where), kind, argument.where);
      }
      core::expression made = expression(cast->value[0], body);
      made.kind = kind;
      return made;
    }
    if (const auto* call = std::get_if<ast::call>(&node))
      return call_value(argument, *call, body);
    if (const auto* aggregate = std::get_if<ast::aggregate>(&node))
      return aggregate_value(argument, *aggregate, body);
    const std::uint32_t made = fresh(kind);
    if (!std::holds_alternative<ast::wildcard>(node))
      construct(made, argument, body);
    return use(made, kind, argument.where);
  }

  word number_value(const ast::number_constant& number, value_kind kind, location where) {
    if (const auto value = format_.read(number.digits, kind))
      return *value;
    const char* what = "Number";
    if (kind != value_kind::number)
      what = kind == value_kind::real ? "Float" : "Unsigned";
    messages_.error(std::string{what} + " constant (type mismatch)", where);
    return 0;
  }

  core::expression call_value(const ast::argument& argument, const ast::call& call,
                              literals& body) {
    const value_kind kind = found_.kind(argument);
    std::vector<core::expression> operands;
    for (const ast::argument& operand : call.arguments)
      operands.push_back(expression(operand, body));
    if (call.op == functor::range) {
      const std::uint32_t made = fresh(kind);
      body.push_back({core::generator{made, kind, std::move(operands)}, argument.where});
      return use(made, kind, argument.where);
    }
    core::expression made;
    made.is = core::expression::form::call;
    made.kind = kind;
    made.op =
        call.op == functor::add && kind == value_kind::symbol ? functor::concatenate : call.op;
    if (call.op == functor::external)
      made.variable = types_.functor(call.name)->number;
    made.operands_are = operands.empty() ? kind : operands[0].kind;
    made.operands = std::move(operands);
    made.where = argument.where;
    return made;
  }

  core::expression aggregate_value(const ast::argument& argument, const ast::aggregate& aggregate,
                                   literals& body) {
    core::aggregate made;
    made.variable = fresh(found_.kind(argument));
    made.op = aggregate.op;
    made.kind = found_.kind(argument);
    for (const ast::literal& literal : aggregate.body)
      add(literal, made.body);
    for (const ast::argument& target : aggregate.target) {
      made.target.push_back(expression(target, made.body));
      made.kind = made.target[0].kind;
    }
    const std::uint32_t result = made.variable;
    body.push_back({std::move(made), argument.where});
    return use(result, found_.kind(argument), argument.where);
  }

  // Says what a variable's structure is.
  void construct(std::uint32_t made, const ast::argument& argument, literals& body) {
    core::construct literal;
    literal.variable = made;
    literal.structure = types_.structure(found_.of(argument));
    const auto* branch = std::get_if<ast::branch>(&argument.node);
    if (branch != nullptr)
      literal.branch = types_.find_branch(branch->name)->branch;
    literals after;
    for (const ast::argument& field :
         branch != nullptr ? branch->fields : std::get<ast::record>(argument.node).fields)
      literal.fields.push_back(term(field, after));
    body.push_back({std::move(literal), argument.where});
    body.insert(body.end(), std::make_move_iterator(after.begin()),
                std::make_move_iterator(after.end()));
  }

  core::term term(const ast::argument& argument, literals& body) {
    core::term made;
    if (std::holds_alternative<ast::wildcard>(argument.node))
      return made;
    const core::expression value = expression(argument, body);
    if (value.is == core::expression::form::constant) {
      made.is = core::term::form::constant;
      made.value = value.value;
      return made;
    }
    made.is = core::term::form::variable;
    made.variable = value.variable;
    if (value.is != core::expression::form::variable) {
      made.variable = fresh(value.kind);
      body.push_back({core::test{comparison::equal, value.kind,
                                 use(made.variable, value.kind, argument.where), value},
                      argument.where});
    }
    return made;
  }

  // ---- literals ----

  core::atom atom(const ast::atom& written, literals& after) {
    core::atom made;
    made.relation = relations_.at(written.name).number;
    for (const ast::argument& argument : written.arguments)
      made.arguments.push_back(term(argument, after));
    return made;
  }

  void add(const ast::literal& literal, literals& body) {
    if (const auto* positive = std::get_if<ast::atom>(&literal.node)) {
      literals after;
      core::atom made = atom(*positive, after);
      body.push_back({std::move(made), literal.where});
      body.insert(body.end(), std::make_move_iterator(after.begin()),
                  std::make_move_iterator(after.end()));
    } else if (const auto* negation = std::get_if<ast::negation>(&literal.node)) {
      core::atom made = atom(negation->inner, body);
      body.push_back({core::negation{std::move(made)}, literal.where});
    } else if (const auto* constraint = std::get_if<ast::constraint>(&literal.node)) {
      add_constraint(*constraint, literal.where, body);
    } else if (!std::get<ast::truth>(literal.node).value) {
      // Never holds.
      body.push_back({core::test{comparison::unequal, value_kind::number,
                                 constant(0, value_kind::number, literal.where),
                                 constant(0, value_kind::number, literal.where)},
                      literal.where});
    }
  }

  static bool is_structure(const ast::argument& argument) {
    return std::holds_alternative<ast::record>(argument.node) ||
           std::holds_alternative<ast::branch>(argument.node);
  }

  void add_constraint(const ast::constraint& constraint, location where, literals& body) {
    if (constraint.op == comparison::equal) {
      for (const bool swapped : {false, true}) {
        const ast::argument& side = swapped ? constraint.right : constraint.left;
        const ast::argument& other = swapped ? constraint.left : constraint.right;
        const auto* name = std::get_if<ast::variable>(&side.node);
        if (name != nullptr && is_structure(other))
          return construct(variable(name->name, found_.kind(side)), other, body);
      }
    }
    core::expression left = expression(constraint.left, body);
    core::expression right = expression(constraint.right, body);
    const value_kind kind = left.kind;
    body.push_back({core::test{constraint.op, kind, std::move(left), std::move(right)}, where});
  }

  const clause_types& found_;
  const relation_table& relations_;
  type_table& types_;
  symbol_numbers& symbols_;
  value_format format_;
  diagnostics& messages_;
  core::rule rule_;
  std::map<std::string, std::uint32_t> names_;
};

std::vector<std::uint32_t>
columns_of(const std::vector<std::pair<std::string, location>>& attributes,
           const ast::relation& declared) {
  std::vector<std::uint32_t> columns;
  for (std::uint32_t i = 0; i < declared.attributes.size(); ++i)
    if (std::any_of(attributes.begin(), attributes.end(),
                    [&](const auto& one) { return one.first == declared.attributes[i].name; }))
      columns.push_back(i);
  return columns;
}

void add_relations(const ast::program& program, const relation_table& relations,
                   const type_table& types, core::program& out) {
  out.relations.resize(relations.size());
  for (const auto& [name, declared] : relations) {
    core::relation& made = out.relations[declared.number];
    made.name = name;
    made.where = declared.written->where;
    made.equivalence = declared.written->stored == ast::representation::equivalence;
    for (std::size_t i = 0; i < declared.types.size(); ++i) {
      const ast::attribute& attribute = declared.written->attributes[i];
      core::column& column = made.columns.emplace_back();
      column.name = attribute.name;
      column.type = attribute.type;
      column.kind = types.kind(declared.types[i]);
      column.structure = types.structure(declared.types[i]);
    }
  }
  for (const auto& [name, declared] : relations)
    for (const auto& domain : declared.written->choices)
      out.relations[declared.number].choices.push_back(columns_of(domain, *declared.written));
  for (const ast::directive& directive : program.directives) {
    const std::uint32_t relation = relations.at(directive.relation).number;
    if (directive.kind == ast::directive_kind::limit_size) {
      const std::string& n = directive.parameters.at("n");
      std::from_chars(n.data(), n.data() + n.size(), out.relations[relation].limit);
      continue;
    }
    auto kind = core::directive_kind::print_size;
    if (directive.kind != ast::directive_kind::print_size)
      kind = directive.kind == ast::directive_kind::input ? core::directive_kind::input
                                                          : core::directive_kind::output;
    out.directives.push_back({kind, relation, directive.parameters, directive.where});
  }
}

void add_dependencies(const std::vector<core::literal>& body, std::vector<std::uint32_t>& into) {
  for (const core::literal& literal : body) {
    if (const auto* atom = std::get_if<core::atom>(&literal.node))
      into.push_back(atom->relation);
    else if (const auto* negation = std::get_if<core::negation>(&literal.node))
      into.push_back(negation->inner.relation);
    else if (const auto* aggregate = std::get_if<core::aggregate>(&literal.node))
      add_dependencies(aggregate->body, into);
  }
}

/// \param together pairs of relations that are of one stratum if the second depends on the first
void add_strata(core::program& out,
                const std::vector<std::pair<std::uint32_t, std::uint32_t>>& together) {
  dependency_graph graph(out.relations.size());
  for (const auto& [first, second] : together)
    graph[first].push_back(second);
  for (const core::rule& rule : out.rules) {
    std::vector<std::uint32_t> needs;
    add_dependencies(rule.body, needs);
    if (rule.removes) // that a rule of subsumption reads its relation makes nothing recursive
      std::erase(needs, rule.head);
    graph[rule.head].insert(graph[rule.head].end(), needs.begin(), needs.end());
  }
  std::vector<std::uint32_t> stratum_of(out.relations.size());
  for (std::vector<std::uint32_t>& component : connected_components(graph)) {
    core::stratum& stratum = out.strata.emplace_back();
    for (const std::uint32_t relation : component) {
      stratum_of[relation] = static_cast<std::uint32_t>(out.strata.size() - 1);
      const auto& needs = graph[relation];
      stratum.recursive = stratum.recursive || component.size() > 1 ||
                          std::find(needs.begin(), needs.end(), relation) != needs.end();
    }
    stratum.relations = std::move(component);
  }
  for (std::uint32_t i = 0; i < out.rules.size(); ++i) {
    core::stratum& stratum = out.strata[stratum_of[out.rules[i].head]];
    (out.rules[i].removes ? stratum.removals : stratum.rules).push_back(i);
  }
}

bool never_holds(const ast::clause& clause) {
  return std::any_of(clause.body.begin(), clause.body.end(), [](const ast::literal& literal) {
    const auto* truth = std::get_if<ast::truth>(&literal.node);
    return truth != nullptr && !truth->value;
  });
}

} // namespace

core::program normalise(const ast::program& program, std::vector<ast::clause> clauses,
                        const relation_table& relations, type_table& types, int bits,
                        diagnostics& messages) {
  core::program out;
  out.bits = bits;
  for (const ast::functor_declaration& functor : program.functors) {
    const type_table::signature& declared = *types.functor(functor.name);
    out.functors.push_back({functor.name, {}, types.kind(declared.result), functor.where});
    core::external& made = out.functors.back();
    made.stateful = functor.stateful;
    for (const type_id parameter : declared.parameters) {
      made.parameters.push_back(types.kind(parameter));
      made.structures.push_back(types.structure(parameter));
    }
    made.structures.push_back(types.structure(declared.result));
  }
  add_relations(program, relations, types, out);
  symbol_numbers symbols(out.symbols);
  for (ast::clause& clause : clauses) {
    if (never_holds(clause))
      continue;
    isolate_aggregates(clause, messages);
    number_arguments(clause);
    const clause_types found(clause, relations, types, clause_types::detail::kinds);
    out.rules.push_back(rule_maker(found, relations, types, symbols, bits, messages).make(clause));
    unify_variables(out.rules.back());
  }
  out.structures = types.structures();
  project_aggregates(out);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> together;
  for (const ast::relation& relation : program.relations)
    if (!relation.traced.empty())
      together.emplace_back(relations.at(relation.traced).number,
                            relations.at(relation.name).number);
  add_strata(out, together);
  return out;
}

} // namespace ikra::datalog
