// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A rule's literals are visited in an order in which they can be evaluated; that says for each
// equality which side is to be bound, and for each record whether it is made or taken apart. The
// engine may take another order: a binding whose variable is known by then compares.
#include "datalog/compile/lower.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "datalog/compile/body_order.hpp"
#include "datalog/compile/host_table.hpp"

namespace ikra::datalog {
namespace {

using core::word;

class lowering {
public:
  lowering(const core::program& program, domain& values, const source_text& source)
      : program_(program), source_(source), format_(program.bits),
        bits_(static_cast<std::uint8_t>(program.bits)), values_(values),
        functions_(std::make_unique<host_table>(program, values)) {}

  lowered_program run() {
    lowered_program out;
    for (const core::relation& relation : program_.relations) {
      const std::size_t most = program_.bits == 32 ? plan::most_columns : plan::most_wide_columns;
      if (relation.columns.size() > most)
        throw unsupported_by_engine("Relation " + relation.name + " with more than " +
                                        std::to_string(most) + " columns",
                                    relation.where);
      plan::relation& made = out.plan.relations.emplace_back();
      made.name = relation.name;
      made.size_limit = relation.limit;
      made.choices = relation.choices;
      for (const core::column& column : relation.columns)
        made.columns.push_back(type(column.kind));
    }
    for (std::uint32_t number = 0; number < program_.relations.size(); ++number) {
      filled_.push_back(number);
      if (!program_.relations[number].equivalence)
        continue;
      filled_.back() = static_cast<std::uint32_t>(out.plan.relations.size());
      plan::relation given = out.plan.relations[number];
      given.name += " as given";
      given.size_limit = 0;
      out.plan.relations.push_back(std::move(given));
    }
    for (const core::stratum& stratum : program_.strata)
      for (const std::uint32_t rule : stratum.removals)
        add_dominated(program_.rules[rule].head, out);
    for (const core::stratum& stratum : program_.strata)
      add_stratum(stratum, out);
    out.filled = std::move(filled_);
    out.plan.functors = std::move(functors_);
    out.functions = std::move(functions_);
    return out;
  }

private:
  /// The relation that gets what is removed from another one.
  static void add_dominated(std::uint32_t number, lowered_program& out) {
    if (out.plan.relations[number].dominated)
      return;
    plan::relation made;
    made.name = out.plan.relations[number].name + " dominated";
    made.columns = out.plan.relations[number].columns;
    out.plan.relations[number].dominated = static_cast<std::uint32_t>(out.plan.relations.size());
    out.plan.relations.push_back(std::move(made));
  }

  // ---- rules ----

  void add_stratum(const core::stratum& stratum, lowered_program& out) {
    plan::stratum made{{}, {}, stratum.recursive};
    plan::stratum closed{{}, {}, true}; // equivalence relations that nothing here depends on
    const auto add = [&](plan::stratum& to, plan::rule rule) {
      to.rules.push_back(static_cast<std::uint32_t>(out.plan.rules.size()));
      out.plan.rules.push_back(std::move(rule));
    };
    for (const std::uint32_t number : stratum.rules) {
      const core::rule& rule = program_.rules[number];
      if (auto fact = constant_fact(rule))
        out.facts[filled_[rule.head]].push_back(std::move(*fact));
      else
        add(made, lower(rule));
    }
    for (const std::uint32_t number : stratum.removals) {
      made.removals.push_back(static_cast<std::uint32_t>(out.plan.rules.size()));
      out.plan.rules.push_back(lower(program_.rules[number]));
      out.plan.rules.back().heads[0].relation =
          *out.plan.relations[program_.rules[number].head].dominated;
    }
    for (const std::uint32_t relation : stratum.relations) {
      made.relations.push_back(filled_[relation]);
      if (!program_.relations[relation].equivalence)
        continue;
      made.recursive = true;
      plan::stratum& closure = reads_itself(stratum) ? made : closed;
      closure.relations.push_back(relation);
      add(made, symmetry(relation));
      for (plan::rule& rule : closure_rules(relation))
        add(closure, std::move(rule));
    }
    out.plan.strata.push_back(std::move(made));
    if (!closed.relations.empty())
      out.plan.strata.push_back(std::move(closed));
  }

  bool reads_itself(const core::stratum& stratum) const {
    return std::any_of(stratum.rules.begin(), stratum.rules.end(), [&](std::uint32_t rule) {
      return std::any_of(program_.rules[rule].body.begin(), program_.rules[rule].body.end(),
                         [&](const core::literal& literal) {
                           const auto* atom = std::get_if<core::atom>(&literal.node);
                           return atom != nullptr &&
                                  std::find(stratum.relations.begin(), stratum.relations.end(),
                                            atom->relation) != stratum.relations.end();
                         });
    });
  }

  std::ptrdiff_t atoms_of_own_stratum(const core::rule& rule) const {
    const auto own = std::find_if(
        program_.strata.begin(), program_.strata.end(), [&](const core::stratum& stratum) {
          return std::find(stratum.relations.begin(), stratum.relations.end(), rule.head) !=
                 stratum.relations.end();
        });
    return std::count_if(rule.body.begin(), rule.body.end(), [&](const core::literal& literal) {
      const auto* atom = std::get_if<core::atom>(&literal.node);
      return atom != nullptr && std::find(own->relations.begin(), own->relations.end(),
                                          atom->relation) != own->relations.end();
    });
  }

  static std::optional<std::vector<word>> constant_fact(const core::rule& rule) {
    std::vector<word> values;
    for (const core::expression& value : rule.values) {
      if (value.is != core::expression::form::constant)
        return std::nullopt;
      values.push_back(value.value);
    }
    return rule.body.empty() ? std::optional{std::move(values)} : std::nullopt;
  }

  // What is put into an equivalence relation r goes to a relation of its own, g, which is made
  // symmetric. Then r is g's closure by linear rules, a chain, which takes time for each pair of a
  // class rather than for each three.
  //   g(y, x) :- g(x, y).
  plan::rule symmetry(std::uint32_t relation) const {
    const std::uint32_t given = filled_[relation];
    return closure_rule(relation, "symmetric", given, 1, 0, {atom(given, 0, 1)});
  }
  //   r(x, x) :- g(x, y).  r(x, y) :- g(x, y).  r(x, z) :- r(x, y), g(y, z).
  std::vector<plan::rule> closure_rules(std::uint32_t relation) const {
    const std::uint32_t given = filled_[relation];
    return {closure_rule(relation, "reflexive", relation, 0, 0, {atom(given, 0, 1)}),
            closure_rule(relation, "as given", relation, 0, 1, {atom(given, 0, 1)}),
            closure_rule(relation, "transitive", relation, 0, 2,
                         {atom(relation, 0, 1), atom(given, 1, 2)})};
  }

  static plan::literal atom(std::uint32_t relation, std::uint64_t a, std::uint64_t b) {
    return {plan::atom{relation, {{plan::argument::variable, a}, {plan::argument::variable, b}}}};
  }
  plan::rule closure_rule(std::uint32_t relation, const char* what, std::uint32_t head,
                          std::uint64_t a, std::uint64_t b, std::vector<plan::literal> body) const {
    const core::relation& declared = program_.relations[relation];
    const plan::type of = type(declared.columns[0].kind);
    plan::rule made;
    made.text = declared.name + ": " + what;
    made.heads.push_back({head, {slot(a, of), slot(b, of)}});
    made.body = std::move(body);
    made.slots.assign(3, of);
    return made;
  }

  plan::rule lower(const core::rule& rule) {
    rule_ = &rule;
    counts_ = asks_iteration_ = false;
    choices_ = 0;
    looks_up_records_ = atoms_of_own_stratum(rule) > 1;
    plan::rule made;
    made.text = text_of(rule.where);
    const place at = source_.locate(rule.where.begin);
    made.place = " in file " + std::filesystem::path{at.file}.filename().string() + " at line " +
                 std::to_string(at.line);
    slots_ = &made.slots;
    for (const core::variable& variable : rule.variables)
      made.slots.push_back(type(variable.kind));
    body(rule.body, {}, made.body);
    plan::head& head = made.heads.emplace_back();
    head.relation = filled_[rule.head];
    for (const core::expression& value : rule.values)
      head.values.push_back(expression(value));
    if (rule.removes)
      take_if_different(head.values, made.body);
    made.orders = orders(rule, made.body);
    made.every_solution = counts_;
    made.asks_iteration = asks_iteration_;
    return made;
  }

  // The first half of the values is the head's; some of them differ from those of the second half.
  void take_if_different(std::vector<plan::expression>& values,
                         std::vector<plan::literal>& into) const {
    const plan::type truth = type(value_kind::unsigned_number);
    plan::expression differs = constant(0, truth);
    const std::size_t columns = values.size() / 2;
    for (std::size_t i = 0; i < columns; ++i) {
      const plan::expression &a = values[i], &b = values[columns + i];
      if (a.what == plan::operation::variable && b.what == a.what && a.payload == b.payload)
        continue;
      plan::expression here{plan::operation::not_equal, a.of, 0, {a, b}};
      differs =
          differs.what == plan::operation::constant
              ? std::move(here)
              : plan::expression{
                    plan::operation::logical_or, truth, 0, {std::move(differs), std::move(here)}};
    }
    into.push_back({plan::condition{std::move(differs)}});
    values.resize(columns);
  }

  std::string text_of(location where) const {
    std::string text;
    for (const char c : source_.text().substr(where.begin, where.end - where.begin)) {
      const bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
      if (!blank)
        text += c;
      else if (!text.empty() && text.back() != ' ')
        text += ' ';
    }
    return text;
  }

  // `.plan` counts atoms from 1; a plan that does not fit the normalised body is left to the
  // engine.
  static std::vector<std::vector<std::uint32_t>> orders(const core::rule& rule,
                                                        const std::vector<plan::literal>& body) {
    const auto atoms = static_cast<std::size_t>(
        std::count_if(body.begin(), body.end(), [](const plan::literal& l) {
          return std::holds_alternative<plan::atom>(l.what);
        }));
    std::vector<std::vector<std::uint32_t>> made;
    for (const auto& [version, order] : rule.orders) {
      if (version < 0 || order.size() != atoms ||
          static_cast<std::size_t>(version) >= std::max<std::size_t>(atoms, 1))
        continue;
      made.resize(std::max(made.size(), static_cast<std::size_t>(version) + 1));
      for (const std::int64_t position : order)
        made[static_cast<std::size_t>(version)].push_back(static_cast<std::uint32_t>(position - 1));
    }
    // Versions without an order keep the one of the text.
    for (std::vector<std::uint32_t>& order : made)
      for (std::uint32_t i = 0; order.size() < atoms; ++i)
        order.push_back(i);
    return made;
  }

  // ---- literals ----

  // bound: variables that are known before; with what the body binds, afterwards.
  void body(const std::vector<core::literal>& literals, variable_set bound,
            std::vector<plan::literal>& into) {
    for (const core::literal* literal : evaluation_order(*rule_, literals, bound)) {
      if (const auto* atom = std::get_if<core::atom>(&literal->node)) {
        into.push_back({this->atom(*atom)});
        bind(atom->arguments, bound);
      } else if (const auto* negation = std::get_if<core::negation>(&literal->node)) {
        into.push_back({plan::negation{this->atom(negation->inner)}});
      } else if (const auto* test = std::get_if<core::test>(&literal->node)) {
        this->test(*test, literal->where, bound, into);
      } else if (const auto* construct = std::get_if<core::construct>(&literal->node)) {
        this->construct(*construct, literal->where, bound, into);
      } else if (const auto* generator = std::get_if<core::generator>(&literal->node)) {
        generate(*generator, into);
        bound.insert(generator->variable);
      } else {
        const auto& aggregate = std::get<core::aggregate>(literal->node);
        gather(aggregate, bound, into);
        bound.insert(aggregate.variable);
      }
    }
  }

  static void bind(const std::vector<core::term>& terms, variable_set& bound) {
    for (const core::term& term : terms)
      if (term.is == core::term::form::variable)
        bound.insert(term.variable);
  }

  plan::atom atom(const core::atom& atom) const {
    plan::atom made{atom.relation, {}};
    for (const core::term& term : atom.arguments) {
      if (term.is == core::term::form::variable)
        made.arguments.push_back({plan::argument::variable, term.variable});
      else if (term.is == core::term::form::constant)
        made.arguments.push_back({plan::argument::constant, term.value});
      else
        made.arguments.push_back({plan::argument::ignored, 0});
    }
    return made;
  }

  void test(const core::test& test, location where, variable_set& bound,
            std::vector<plan::literal>& into) {
    auto is_open = [&](const core::expression& side) {
      return side.is == core::expression::form::variable && !bound.contains(side.variable);
    };
    for (const bool swapped : {false, true}) {
      const core::expression& side = swapped ? test.right : test.left;
      if (!is_open(side))
        continue;
      into.push_back({plan::binding{side.variable, expression(swapped ? test.left : test.right)}});
      bound.insert(side.variable);
      return;
    }
    plan::expression made;
    const bool by_text = test.op >= comparison::match ||
                         (test.kind == value_kind::symbol && test.op != comparison::equal &&
                          test.op != comparison::unequal);
    made.what = by_text ? plan::operation::call : comparison_operation(test.op);
    made.of = by_text ? type(value_kind::number) : type(test.kind);
    if (by_text)
      made.payload = functions_->comparison_call(test, where);
    made.operands = {expression(test.left), expression(test.right)};
    into.push_back({plan::condition{std::move(made)}});
  }

  static plan::operation comparison_operation(comparison op) {
    switch (op) {
    case comparison::equal:
      return plan::operation::equal;
    case comparison::unequal:
      return plan::operation::not_equal;
    case comparison::less:
      return plan::operation::less;
    case comparison::less_equal:
      return plan::operation::less_equal;
    case comparison::greater:
      return plan::operation::greater;
    default:
      return plan::operation::greater_equal;
    }
  }

  // A record is made of its fields or taken apart. Which of both depends on what a version of the
  // rule knows first, so both ways are given where both are of use: where the text makes it, and in
  // rules with several atoms of their own stratum, since a record that is made is looked up. Not
  // with floating-point fields: NaN differs from itself, and a record of NaN does not.
  void construct(const core::construct& construct, location where, variable_set& bound,
                 std::vector<plan::literal>& into) {
    const core::branch& branch = branch_of(construct);
    const bool makes = !bound.contains(construct.variable);
    const bool whole =
        std::none_of(branch.fields.begin(), branch.fields.end(), [&](const core::field& field) {
          const core::term& term =
              construct.fields[static_cast<std::size_t>(&field - branch.fields.data())];
          return term.is == core::term::form::wildcard || field.kind == value_kind::real;
        });
    const bool both = whole && (makes || looks_up_records_);
    const std::uint32_t choice = both ? ++choices_ : 0;
    if (!makes || both)
      take_apart(construct, where, choice, into);
    if (makes || both)
      make(construct, where, choice, into);
    bound.insert(construct.variable);
    bind(construct.fields, bound);
  }

  const core::branch& branch_of(const core::construct& construct) const {
    return program_.structures[static_cast<std::size_t>(construct.structure)]
        .branches[static_cast<std::size_t>(construct.branch)];
  }

  void make(const core::construct& construct, location where, std::uint32_t choice,
            std::vector<plan::literal>& into) {
    const core::branch& branch = branch_of(construct);
    plan::expression made =
        call(functions_->make_call(construct.structure, construct.branch, where),
             type(value_kind::record), {});
    for (std::size_t i = 0; i < construct.fields.size(); ++i)
      made.operands.push_back(operand(construct.fields[i], branch.fields[i].kind));
    into.push_back({plan::binding{construct.variable, std::move(made)}, choice, 1});
  }

  void take_apart(const core::construct& construct, location where, std::uint32_t choice,
                  std::vector<plan::literal>& into) {
    const core::branch& branch = branch_of(construct);
    const plan::expression whole = slot(construct.variable, type(value_kind::record));
    into.push_back({plan::condition{call(functions_->is_branch_call(construct.branch, where),
                                         type(value_kind::number), {whole})},
                    choice, 0});
    for (std::size_t i = 0; i < construct.fields.size(); ++i) {
      const core::term& field = construct.fields[i];
      if (field.is == core::term::form::wildcard)
        continue;
      const plan::type field_type = type(branch.fields[i].kind);
      plan::expression value =
          call(functions_->field_call(construct.branch, i, where), field_type, {whole});
      if (field.is == core::term::form::variable)
        into.push_back({plan::binding{field.variable, std::move(value)}, choice, 0});
      else
        into.push_back(
            {plan::condition{{plan::operation::equal,
                              field_type,
                              0,
                              {std::move(value), operand(field, branch.fields[i].kind)}}},
             choice, 0});
    }
  }

  void generate(const core::generator& generator, std::vector<plan::literal>& into) {
    const plan::type of = type(generator.kind);
    plan::generator made;
    made.slot = generator.variable;
    made.from = expression(generator.bounds[0]);
    made.to = expression(generator.bounds[1]);
    if (generator.bounds.size() == 3) {
      made.step = expression(generator.bounds[2]);
    } else if (generator.kind == value_kind::unsigned_number) {
      const bool goes_up = made.from.what == plan::operation::constant &&
                           made.to.what == plan::operation::constant &&
                           made.from.payload <= made.to.payload;
      if (!goes_up)
        return either_way(made, of, into);
      made.step = constant(1, of);
    } else {
      made.step = towards(made, of);
    }
    into.push_back({std::move(made)});
  }

  // Unsigned numbers from `from` up or down to `to`: numbers from 0 to the distance are added or
  // subtracted, which is to multiply by 1 or by the -1 that wraps.
  void either_way(const plan::generator& range, plan::type of, std::vector<plan::literal>& into) {
    const auto combined = [&](plan::operation what, plan::expression a, plan::expression b) {
      return plan::expression{what, of, 0, {std::move(a), std::move(b)}};
    };
    using plan::operation;
    const plan::expression below = combined(operation::less, range.to, range.from);
    const plan::expression direction =
        combined(operation::subtract, constant(1, of),
                 combined(operation::multiply, constant(2, of), below));
    plan::generator numbers;
    numbers.slot = static_cast<std::uint32_t>(slots_->size());
    slots_->push_back(of);
    numbers.from = constant(0, of);
    numbers.to = combined(operation::multiply, combined(operation::subtract, range.to, range.from),
                          direction);
    numbers.step = constant(1, of);
    plan::expression value =
        combined(operation::add, range.from,
                 combined(operation::multiply, slot(numbers.slot, of), direction));
    into.push_back({std::move(numbers)});
    into.push_back({plan::binding{range.slot, std::move(value)}});
  }

  // 1, or -1 if `to` is below `from`.
  plan::expression towards(const plan::generator& range, plan::type of) const {
    const plan::type number = type(value_kind::number);
    plan::expression below{plan::operation::less, of, 0, {range.to, range.from}};
    // A comparison has the type of what it compares, and gives 0 or 1 of no type.
    plan::expression twice{
        plan::operation::multiply, number, 0, {constant(2, number), std::move(below)}};
    plan::expression step{
        plan::operation::subtract, number, 0, {constant(1, number), std::move(twice)}};
    if (of.of == plan::kind::number)
      return step;
    return {plan::operation::convert, of, 0, {std::move(step)}};
  }

  void gather(const core::aggregate& aggregate, const variable_set& bound,
              std::vector<plan::literal>& into) {
    plan::aggregate made;
    made.function = function_of(aggregate.op);
    made.slot = aggregate.variable;
    made.of = type(rule_->variables[aggregate.variable].kind);
    if (!aggregate.target.empty())
      made.target = expression(aggregate.target[0]);
    body(aggregate.body, bound, made.body);
    into.push_back({std::move(made)});
  }

  static plan::aggregate::functions function_of(aggregator op) {
    switch (op) {
    case aggregator::count:
      return plan::aggregate::count;
    case aggregator::sum:
      return plan::aggregate::sum;
    case aggregator::minimum:
      return plan::aggregate::minimum;
    case aggregator::maximum:
      return plan::aggregate::maximum;
    case aggregator::mean:
      break;
    }
    return plan::aggregate::mean;
  }

  // ---- values ----

  plan::type type(value_kind kind) const {
    switch (kind) {
    case value_kind::number:
      return {plan::kind::number, bits_};
    case value_kind::unsigned_number:
      return {plan::kind::unsigned_number, bits_};
    case value_kind::real:
      return {plan::kind::floating, bits_};
    case value_kind::symbol:
    case value_kind::record:
    case value_kind::sum:
      break;
    }
    return {plan::kind::symbol, bits_};
  }

  static plan::expression slot(std::uint64_t variable, plan::type of) {
    return {plan::operation::variable, of, variable, {}};
  }
  static plan::expression constant(word value, plan::type of) {
    return {plan::operation::constant, of, value, {}};
  }
  static plan::expression call(std::uint64_t function, plan::type of,
                               std::vector<plan::expression> operands) {
    return {plan::operation::call, of, function, std::move(operands)};
  }

  plan::expression operand(const core::term& term, value_kind kind) const {
    return term.is == core::term::form::variable ? slot(term.variable, type(kind))
                                                 : constant(term.value, type(kind));
  }

  plan::expression expression(const core::expression& value) {
    const plan::type of = type(value.kind);
    switch (value.is) {
    case core::expression::form::constant:
      return constant(value.value, of);
    case core::expression::form::variable:
      return slot(value.variable, of);
    case core::expression::form::counter:
      counts_ = true;
      return call(functions_->counter_call(value.where), of, {});
    case core::expression::form::call:
      break;
    }
    std::vector<plan::expression> operands;
    for (const core::expression& inner : value.operands)
      operands.push_back(expression(inner));
    const bool of_numbers =
        value.kind <= value_kind::real && value.operands_are <= value_kind::real;
    if (of_numbers && (value.op == functor::to_number || value.op == functor::to_unsigned ||
                       value.op == functor::to_real))
      return {plan::operation::convert, of, 0, std::move(operands)};
    if (value.op == functor::ordinal)
      return std::move(operands[0]);
    const std::optional<plan::operation> operation =
        of_numbers ? arithmetic(value.op) : std::nullopt;
    asks_iteration_ = asks_iteration_ || value.op == functor::iteration;
    if (!operation) {
      const std::uint64_t number = functions_->functor_call(value);
      if (value.op == functor::external) {
        const external_function& given = values_.externals[value.variable];
        functors_[number] = {program_.functors[value.variable].name, given.code,
                             given.for_all_threads};
      }
      return call(number, of, std::move(operands));
    }
    plan::expression made{*operation, of, 0, {}};
    if (operands.size() <= 2) {
      made.operands = std::move(operands);
      return made;
    }
    // min and max of several: the first two, then the next, …
    made.operands = {std::move(operands[0]), std::move(operands[1])};
    for (std::size_t i = 2; i < operands.size(); ++i) {
      plan::expression outer{*operation, of, 0, {}};
      outer.operands.push_back(std::move(made));
      outer.operands.push_back(std::move(operands[i]));
      made = std::move(outer);
    }
    return made;
  }

  static std::optional<plan::operation> arithmetic(functor op) {
    using to = plan::operation;
    switch (op) {
    case functor::negate:
      return to::negate;
    case functor::bit_not:
      return to::bit_not;
    case functor::logical_not:
      return to::logical_not;
    case functor::add:
      return to::add;
    case functor::subtract:
      return to::subtract;
    case functor::multiply:
      return to::multiply;
    case functor::divide:
      return to::divide;
    case functor::modulo:
      return to::remainder;
    case functor::power:
      return to::power;
    case functor::bit_and:
      return to::bit_and;
    case functor::bit_or:
      return to::bit_or;
    case functor::bit_xor:
      return to::bit_xor;
    case functor::shift_left:
      return to::shift_left;
    case functor::shift_right:
      return to::shift_right;
    case functor::shift_right_unsigned:
      return to::shift_right_unsigned;
    case functor::logical_and:
      return to::logical_and;
    case functor::logical_or:
      return to::logical_or;
    case functor::logical_xor:
      return to::logical_xor;
    case functor::minimum:
      return to::minimum;
    case functor::maximum:
      return to::maximum;
    default:
      return std::nullopt;
    }
  }

  std::vector<std::uint32_t> filled_; ///< as lowered_program::filled
  const core::program& program_;
  const source_text& source_;
  value_format format_;
  std::uint8_t bits_;
  const domain& values_;
  std::unique_ptr<host_table> functions_;
  std::map<std::uint64_t, plan::functor> functors_; ///< as plan::program::functors
  const core::rule* rule_ = nullptr;
  std::vector<plan::type>* slots_ = nullptr; ///< of the plan's rule
  bool counts_ = false;                      ///< the rule numbers its solutions
  bool asks_iteration_ = false;
  bool looks_up_records_ = false; ///< the rule has several atoms of its own stratum
  std::uint32_t choices_ = 0;     ///< of ways, in the rule
};

} // namespace

lowered_program lower(const core::program& program, domain& values, const source_text& source) {
  return lowering(program, values, source).run();
}

} // namespace ikra::datalog
