// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reference finds an order of a body for itself: in whatever order the literals of a body
// stand, it derives the same, and no condition comes too late for what it guards.
#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>
#include <sstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "datalog/frontend/domain.hpp"
#include "datalog/frontend/frontend.hpp"
#include "datalog/reference/evaluation.hpp"
#include "datalog/reference/order.hpp"

using namespace ikra::datalog;

namespace {

using tuples = reference_evaluation::tuple_set;

constexpr const char* facts = R"(
.type pair = [first: number, second: number]
.decl a(x: number)
a(0). a(1). a(2). a(5).
.decl b(x: number, y: number)
b(0, 1). b(1, 2). b(2, 5). b(5, 5).
.decl c(p: pair)
c([1, 2]). c([2, 5]). c([7, 7]).
)";

/// A program of the facts and one rule for r.
core::program with_rule(const std::string& columns, const std::string& rule) {
  const source_text source("test.dl", facts + (".decl r(" + columns + ")\n" + rule + "\n"));
  diagnostics messages;
  auto program = compile(source, 32, messages, fact_source::caller);
  std::ostringstream out;
  messages.print(out, source, false);
  INFO(out.str());
  REQUIRE(program.has_value());
  return *program;
}

tuples derived(const core::program& program, const std::string& name) {
  domain values(program);
  reference_evaluation evaluated(program, values);
  evaluated.run();
  for (std::uint32_t r = 0; r < program.relations.size(); ++r)
    if (program.relations[r].name == name)
      return evaluated.tuples(r);
  FAIL("no relation " << name);
  return {};
}

/// The longest body.
core::rule& rule_of(core::program& program) {
  return *std::max_element(program.rules.begin(), program.rules.end(),
                           [](const core::rule& one, const core::rule& other) {
                             return one.body.size() < other.body.size();
                           });
}

/// Evaluates the program with its rule's body in every order.
void check_all_orders(core::program program, const tuples& expected) {
  core::rule& rule = rule_of(program);
  const std::vector<core::literal> body = rule.body;
  std::vector<std::size_t> order(body.size());
  std::iota(order.begin(), order.end(), 0);
  std::size_t orders = 0;
  do {
    for (std::size_t i = 0; i < order.size(); ++i)
      rule.body[i] = body[order[i]];
    CHECK(derived(program, "r") == expected);
    ++orders;
  } while (std::next_permutation(order.begin(), order.end()));
  CHECK(orders > 1);
}

} // namespace

TEST_CASE("The reference derives the same from a body in any order") {
  check_all_orders(with_rule("x: number, y: number", "r(x, y) :- a(x), b(x, y), x < y, !b(y, x)."),
                   {{0, 1}, {1, 2}, {2, 5}});
  check_all_orders(
      with_rule("x: number, z: number", "r(x, z) :- a(x), x != 0, y = 10 / x, z = y + 1, z > 3."),
      {{1, 11}, {2, 6}});
  check_all_orders(
      with_rule("x: number, y: number", "r(x, y) :- a(x), y = range(0, x), a(y), y > 0."),
      {{2, 1}, {5, 1}, {5, 2}});
}

TEST_CASE("The reference makes records or takes them apart, as a body allows") {
  check_all_orders(with_rule("x: number, y: number", "r(x, y) :- c(p), p = [x, y], a(x), y < 6."),
                   {{1, 2}, {2, 5}});
  check_all_orders(with_rule("x: number, y: number", "r(x, y) :- a(x), b(x, y), p = [x, y], c(p)."),
                   {{1, 2}, {2, 5}});
}

TEST_CASE("The reference gives an aggregate what it shares with its rule") {
  check_all_orders(
      with_rule("x: number, n: number", "r(x, n) :- a(x), n = count : { b(y, _), y < x }, n > 0."),
      {{1, 1}, {2, 2}, {5, 3}});
  // An aggregate within an aggregate, and a variable that two of them call by one name.
  check_all_orders(
      with_rule("x: number, n: number",
                "r(x, n) :- a(x), n = sum y : { b(x, y), m = count : { a(z), z < y }, m > 1 }, "
                "k = count : { a(y) }, k = 4."),
      {{0, 0}, {1, 2}, {2, 5}, {5, 5}});
}

TEST_CASE("The reference joins atoms as they stand, and all else as soon as it can") {
  core::program program =
      with_rule("x: number, z: number", "r(x, z) :- z = 10 / x, b(x, y), a(y), x != 0, !a(z).");
  const core::rule& rule = rule_of(program);
  std::vector<std::size_t> forms;
  for (const core::literal* literal :
       order_as_written(rule, rule.body, std::vector<bool>(rule.variables.size())))
    forms.push_back(literal->node.index());
  const auto index_of = [](auto node) {
    return std::variant<core::atom, core::negation, core::test>(node).index();
  };
  const std::size_t atom = index_of(core::atom{}), negation = index_of(core::negation{}),
                    test = index_of(core::test{});
  CHECK(forms == std::vector<std::size_t>{atom, test, test, negation, atom});
}
