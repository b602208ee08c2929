// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parser's half for what stands in rules: values by precedence climbing, literals, bodies.
// Brackets that may hold a value or a body are told apart by what follows the closing one, so
// nothing is read twice.
#include <array>
#include <optional>
#include <utility>

#include "datalog/frontend/token_reader.hpp"

namespace ikra::datalog::detail {
namespace {

constexpr int max_depth = 400;
constexpr int max_operators = 1'000;

template <class Value> using row = std::pair<std::string_view, Value>;

template <class Table>
auto find(const Table& table, std::string_view word)
    -> std::optional<typename Table::value_type::second_type> {
  for (const auto& [name, value] : table)
    if (name == word)
      return value;
  return std::nullopt;
}

constexpr std::array<row<functor>, 20> functors = {{{"cat", functor::concatenate},
                                                    {"ord", functor::ordinal},
                                                    {"range", functor::range},
                                                    {"strlen", functor::length},
                                                    {"substr", functor::substring},
                                                    {"to_float", functor::to_real},
                                                    {"to_number", functor::to_number},
                                                    {"to_string", functor::to_string},
                                                    {"to_unsigned", functor::to_unsigned},
                                                    {"itof", functor::to_real},
                                                    {"utof", functor::to_real},
                                                    {"itou", functor::to_unsigned},
                                                    {"ftou", functor::to_unsigned},
                                                    {"utoi", functor::to_number},
                                                    {"ftoi", functor::to_number},
                                                    {"recursive_iteration_cnt", functor::iteration},
                                                    {"bnot", functor::bit_not},
                                                    {"lnot", functor::logical_not},
                                                    {"min", functor::minimum},
                                                    {"max", functor::maximum}}};
constexpr std::array<row<aggregator>, 5> aggregators = {{{"count", aggregator::count},
                                                         {"sum", aggregator::sum},
                                                         {"min", aggregator::minimum},
                                                         {"max", aggregator::maximum},
                                                         {"mean", aggregator::mean}}};
constexpr std::array<row<comparison>, 6> comparisons = {{{"=", comparison::equal},
                                                         {"!=", comparison::unequal},
                                                         {"<", comparison::less},
                                                         {"<=", comparison::less_equal},
                                                         {">", comparison::greater},
                                                         {">=", comparison::greater_equal}}};
// Words that begin a value, and so name no relation in a body.
constexpr std::array<std::string_view, 3> value_words = {"as", "nil", "autoinc"};

struct infix {
  std::string_view word;
  functor op;
  int level;
};
constexpr int unary_level = 9;
constexpr std::array<infix, 14> infixes = {{{"lor", functor::logical_or, 0},
                                            {"lxor", functor::logical_xor, 1},
                                            {"land", functor::logical_and, 2},
                                            {"bor", functor::bit_or, 3},
                                            {"bxor", functor::bit_xor, 4},
                                            {"band", functor::bit_and, 5},
                                            {"bshl", functor::shift_left, 6},
                                            {"bshr", functor::shift_right, 6},
                                            {"bshru", functor::shift_right_unsigned, 6},
                                            {"+", functor::add, 7},
                                            {"-", functor::subtract, 7},
                                            {"*", functor::multiply, 8},
                                            {"/", functor::divide, 8},
                                            {"%", functor::modulo, 8}}};

const infix* find_infix(const token& t) {
  if (t.kind != token_kind::identifier && t.kind != token_kind::punctuation)
    return nullptr;
  for (const infix& row : infixes)
    if (row.word == t.text)
      return &row;
  return nullptr;
}

std::optional<comparison> find_comparison(const token& t) {
  return t.kind == token_kind::punctuation ? find(comparisons, t.text) : std::nullopt;
}

ast::argument make_call(functor op, location where, std::vector<ast::argument> arguments) {
  return {where, ast::call{op, std::move(arguments)}};
}

} // namespace

// Deep nesting would use up the stack.
class body_parser::nesting {
public:
  explicit nesting(body_parser& parser) : parser_(parser) {
    if (++parser_.depth_ > max_depth) {
      parser_.in_.messages().error("Nesting is deeper than " + std::to_string(max_depth),
                                   parser_.in_.peek().where);
      throw syntax_error{};
    }
  }
  nesting(const nesting&) = delete;
  nesting& operator=(const nesting&) = delete;
  ~nesting() { --parser_.depth_; }

private:
  body_parser& parser_;
};

std::string body_parser::qualified_name() {
  std::string name = in_.expect(token_kind::identifier, "identifier").text;
  while (in_.peek().is(".") && in_.peek(1).kind == token_kind::identifier) {
    in_.take();
    name += "." + in_.take().text;
  }
  return name;
}

std::vector<ast::argument> body_parser::arguments(std::string_view close) {
  std::vector<ast::argument> list;
  if (!in_.peek().is(close)) {
    list.push_back(argument());
    while (in_.take_if(","))
      list.push_back(argument());
  }
  if (!in_.peek().is(close))
    in_.fail(", or " + std::string{close});
  in_.take();
  return list;
}

ast::atom body_parser::atom() {
  const location start = in_.peek().where;
  ast::atom read;
  read.name = qualified_name();
  in_.expect("(");
  read.arguments = arguments(")");
  read.where = join(start, in_.last_where());
  return read;
}

std::vector<std::vector<ast::literal>> body_parser::disjunction() {
  std::vector<std::vector<ast::literal>> alternatives;
  alternatives.push_back(conjunction());
  while (in_.take_if(";"))
    alternatives.push_back(conjunction());
  return alternatives;
}

std::vector<ast::literal> body_parser::conjunction() {
  std::vector<ast::literal> literals;
  literals.push_back(literal());
  while (in_.take_if(","))
    literals.push_back(literal());
  return literals;
}

bool body_parser::starts_functor() const {
  const token& t = in_.peek();
  if (t.kind != token_kind::identifier)
    return false;
  for (const std::string_view word : value_words)
    if (t.text == word)
      return true;
  return find(functors, t.text).has_value() || find(aggregators, t.text).has_value();
}

bool body_parser::starts_atom() const {
  if (in_.peek().kind != token_kind::identifier || starts_functor())
    return false;
  return in_.peek(1).is("(") || in_.peek(1).is(".");
}

bool body_parser::starts_value_in_brackets() const {
  const token& after = in_.after(in_.closing(in_.position()));
  return find_comparison(after).has_value() || find_infix(after) != nullptr || after.is("^");
}

ast::literal body_parser::literal() {
  const nesting guard(*this);
  const location start = in_.peek().where;
  if (in_.take_if("!")) {
    ast::literal inner = literal();
    inner.where = join(start, inner.where);
    if (auto* plain = std::get_if<ast::atom>(&inner.node)) {
      inner.node = ast::negation{std::move(*plain)};
    } else if (auto* truth = std::get_if<ast::truth>(&inner.node)) {
      truth->value = !truth->value;
    } else if (auto* group = std::get_if<ast::group>(&inner.node)) {
      group->negated = !group->negated;
    } else {
      ast::group wrapped{true, {}};
      wrapped.alternatives.emplace_back().push_back(inner);
      inner.node = std::move(wrapped);
    }
    return inner;
  }
  if (in_.peek().is("(") && !starts_value_in_brackets()) {
    in_.take();
    ast::group read{false, disjunction()};
    in_.expect(")");
    return {join(start, in_.last_where()), std::move(read)};
  }
  if ((in_.peek().is_word("true") || in_.peek().is_word("false")) && !in_.peek(1).is("(")) {
    const bool value = in_.take().text == "true";
    return {start, ast::truth{value}};
  }
  if (starts_atom() && !in_.peek().is_word("match") && !in_.peek().is_word("contains")) {
    ast::atom read = atom();
    return {read.where, std::move(read)};
  }
  return constraint();
}

ast::literal body_parser::constraint() {
  const location start = in_.peek().where;
  if ((in_.peek().is_word("match") || in_.peek().is_word("contains")) && in_.peek(1).is("(")) {
    const comparison op = in_.take().text == "match" ? comparison::match : comparison::contains;
    in_.take();
    ast::argument left = argument();
    in_.expect(",");
    ast::argument right = argument();
    in_.expect(")");
    return {join(start, in_.last_where()), ast::constraint{op, std::move(left), std::move(right)}};
  }
  ast::argument left = argument();
  const std::optional<comparison> op = find_comparison(in_.peek());
  if (!op)
    in_.fail("a comparison");
  in_.take();
  ast::argument right = argument();
  return {join(start, in_.last_where()), ast::constraint{*op, std::move(left), std::move(right)}};
}

// All levels associate to the left.
ast::argument body_parser::binary(int level) {
  if (level == unary_level)
    return unary();
  ast::argument left = binary(level + 1);
  int operators = 0; // each makes the tree one deeper
  while (true) {
    const infix* found = find_infix(in_.peek());
    if (found == nullptr || found->level != level)
      return left;
    in_.take();
    if (++operators > max_operators) {
      in_.messages().error("Value has more than " + std::to_string(max_operators) +
                               " operators in a row",
                           left.where);
      throw syntax_error{};
    }
    std::vector<ast::argument> operands;
    const location start = left.where;
    operands.push_back(std::move(left));
    operands.push_back(binary(level + 1));
    left = make_call(found->op, join(start, in_.last_where()), std::move(operands));
  }
}

ast::argument body_parser::unary() {
  const nesting guard(*this);
  const location start = in_.peek().where;
  std::optional<functor> op;
  if (in_.peek().is("-"))
    op = functor::negate;
  else if (in_.peek().is_word("bnot"))
    op = functor::bit_not;
  else if (in_.peek().is_word("lnot"))
    op = functor::logical_not;
  if (!op)
    return power();
  in_.take();
  std::vector<ast::argument> operand;
  operand.push_back(unary());
  const location where = join(start, in_.last_where());
  if (auto* number = std::get_if<ast::number_constant>(&operand[0].node);
      number != nullptr && op == functor::negate && !number->digits.starts_with("-")) {
    number->digits.insert(0, "-");
    operand[0].where = where;
    return std::move(operand[0]);
  }
  return make_call(*op, where, std::move(operand));
}

// To the right, and above the signs: -2^2 is -(2^2).
ast::argument body_parser::power() {
  const nesting guard(*this);
  ast::argument base = primary();
  if (!in_.take_if("^"))
    return base;
  std::vector<ast::argument> operands;
  const location start = base.where;
  operands.push_back(std::move(base));
  operands.push_back(unary());
  return make_call(functor::power, join(start, in_.last_where()), std::move(operands));
}

ast::argument body_parser::primary() {
  const token& t = in_.peek();
  const location start = t.where;
  switch (t.kind) {
  case token_kind::string:
    return {start, ast::string_constant{in_.take().text}};
  case token_kind::number:
    return {start, ast::number_constant{in_.take().text, ast::number_constant::form::any}};
  case token_kind::unsigned_number:
    return {start,
            ast::number_constant{in_.take().text, ast::number_constant::form::unsigned_number}};
  case token_kind::real:
    return {start, ast::number_constant{in_.take().text, ast::number_constant::form::real}};
  case token_kind::identifier:
    return word();
  case token_kind::end:
  case token_kind::directive:
  case token_kind::punctuation:
    break;
  }
  if (in_.take_if("_"))
    return {start, ast::wildcard{}};
  if (in_.take_if("(")) {
    ast::argument inner = argument();
    in_.expect(")");
    return inner;
  }
  if (in_.take_if("[")) {
    std::vector<ast::argument> fields = arguments("]");
    return {join(start, in_.last_where()), ast::record{std::move(fields)}};
  }
  if (in_.peek().is("$"))
    return dollar();
  if (in_.take_if("@")) {
    ast::call read{functor::external, {}, in_.expect(token_kind::identifier, "identifier").text};
    in_.expect("(");
    read.arguments = arguments(")");
    return {join(start, in_.last_where()), std::move(read)};
  }
  in_.fail("a value");
}

ast::argument body_parser::dollar() {
  const location start = in_.take().where;
  if (in_.peek().kind != token_kind::identifier || find_infix(in_.peek()) != nullptr)
    return {start, ast::counter{}};
  ast::branch read;
  read.name = qualified_name();
  if (in_.take_if("("))
    read.fields = arguments(")");
  return {join(start, in_.last_where()), std::move(read)};
}

ast::argument body_parser::word() {
  const token& t = in_.take();
  const location start = t.where;
  if (t.text == "nil")
    return {start, ast::nil{}};
  if (t.text == "as" && in_.peek().is("("))
    return cast(start);
  if (t.text == "autoinc" && in_.peek().is("(") && in_.peek(1).is(")")) {
    in_.take();
    in_.take();
    return {join(start, in_.last_where()), ast::counter{}};
  }
  const std::optional<aggregator> aggregate_op = find(aggregators, t.text);
  const std::optional<functor> functor_op = find(functors, t.text);
  if (functor_op && in_.peek().is("(")) {
    // min and max are both; a list of several values makes a functor of them.
    const std::size_t close = in_.closing(in_.position());
    bool several = false;
    int depth = 0;
    for (std::size_t i = in_.position(); i < close; ++i) {
      const token& inner = in_.at(i);
      if (inner.is("(") || inner.is("[") || inner.is("{"))
        ++depth;
      else if (inner.is(")") || inner.is("]") || inner.is("}"))
        --depth;
      else if (inner.is(",") && depth == 1)
        several = true;
    }
    if (!aggregate_op || several)
      return call(*functor_op, start);
  }
  if (aggregate_op)
    return aggregate(*aggregate_op, start);
  if (functor_op || t.text == "match" || t.text == "contains")
    in_.fail("(");
  return {start, ast::variable{t.text}};
}

ast::argument body_parser::call(functor op, location start) {
  in_.expect("(");
  std::vector<ast::argument> list = arguments(")");
  return make_call(op, join(start, in_.last_where()), std::move(list));
}

ast::argument body_parser::cast(location start) {
  in_.expect("(");
  ast::cast read;
  read.value.push_back(argument());
  in_.expect(",");
  read.type = qualified_name();
  in_.expect(")");
  return {join(start, in_.last_where()), std::move(read)};
}

ast::argument body_parser::aggregate(aggregator op, location start) {
  const nesting guard(*this);
  ast::aggregate read;
  read.op = op;
  if (!in_.peek().is(":"))
    read.target.push_back(argument());
  in_.expect(":");
  if (in_.take_if("{")) {
    std::vector<std::vector<ast::literal>> alternatives = disjunction();
    in_.expect("}");
    if (alternatives.size() == 1)
      read.body = std::move(alternatives[0]);
    else
      read.body.push_back(
          {join(start, in_.last_where()), ast::group{false, std::move(alternatives)}});
  } else {
    ast::atom inner = atom();
    read.body.push_back({inner.where, std::move(inner)});
  }
  const location where = join(start, in_.last_where());
  if (read.target.empty() != (op == aggregator::count))
    in_.messages().error("Incorrect expression arity for given aggregate mode", where);
  return {where, std::move(read)};
}

} // namespace ikra::datalog::detail
