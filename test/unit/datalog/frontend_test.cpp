// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the programs in test/datalog/ do not show of the front end: places in pasted files, what
// normalising leaves behind, limits, and the arithmetic of single values.
#include <catch2/catch.hpp>

#include <algorithm>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include "datalog/frontend/domain.hpp"
#include "datalog/frontend/frontend.hpp"
#include "datalog/frontend/functions.hpp"
#include "datalog/frontend/graph.hpp"
#include "datalog/frontend/values.hpp"

using namespace ikra::datalog;

namespace {

std::string messages_of(const std::string& text) {
  const source_text source("test.dl", text);
  diagnostics messages;
  compile(source, 32, messages);
  std::ostringstream out;
  messages.print(out, source);
  return out.str();
}

core::program compiled(const std::string& text) {
  const source_text source("test.dl", text);
  diagnostics messages;
  auto program = compile(source, 32, messages);
  std::ostringstream out;
  messages.print(out, source, false);
  INFO(out.str());
  REQUIRE(program.has_value());
  return *program;
}

template <class Node> std::size_t count(const core::rule& rule) {
  return static_cast<std::size_t>(
      std::count_if(rule.body.begin(), rule.body.end(), [](const core::literal& literal) {
        return std::holds_alternative<Node>(literal.node);
      }));
}

core::word computed(functor op, value_kind kind, std::vector<core::word> operands, int bits = 32) {
  core::expression call;
  call.is = core::expression::form::call;
  call.op = op;
  call.kind = call.operands_are = kind;
  domain values{core::program{}};
  return apply(call, operands, value_format(bits), values);
}

} // namespace

TEST_CASE("Datalog sources know their lines and columns") {
  const source_text source("a.dl", "one\ntwo three\n\nlast");
  const place at = source.locate(8);
  CHECK(at.file == "a.dl");
  CHECK(at.line == 2);
  CHECK(at.column == 5);
  CHECK(at.text == "two three");
  CHECK(source.locate(0).line == 1);
  CHECK(source.locate(14).line == 3);
  CHECK(source.locate(14).text.empty());
  CHECK(source.locate(1000).line == 4);
  CHECK(source.locate(1000).column == 5);
}

TEST_CASE("Datalog line markers say where lines come from") {
  const source_text source(
      "a.dl",
      "# 1 \"a.dl\"\nx\n# 7 \"dir/b \\\"q\\\".dl\" 1\ny\nz\n#line 3 \"a.dl\"\nw\n#define no\n");
  CHECK(source.locate(11).line == 1);
  const auto y = static_cast<std::uint32_t>(source.text().find("y\n"));
  CHECK(source.locate(y).file == "dir/b \"q\".dl");
  CHECK(source.locate(y).line == 7);
  CHECK(source.locate(y + 2).line == 8);
  const auto w = static_cast<std::uint32_t>(source.text().find("w\n"));
  CHECK(source.locate(w).file == "a.dl");
  CHECK(source.locate(w).line == 3);
}

TEST_CASE("Datalog messages are printed once, in the order of their places") {
  diagnostics messages;
  messages.error("second", {4, 5});
  messages.warning("first", {0, 1});
  messages.error("second", {4, 5});
  messages.error("without a place");
  std::ostringstream out;
  messages.print(out, source_text("folder/a.dl", "abc\ndef\n"));
  CHECK(out.str() == "Warning: first in file a.dl at line 1\nabc\n^---\n"
                     "Error: second in file a.dl at line 2\ndef\n^---\n"
                     "Error: without a place\n"
                     "2 errors generated, evaluation aborted\n");
}

TEST_CASE("Datalog atoms have variables, constants and underscores alone once normalised") {
  const core::program program =
      compiled(".type P = [x: number, y: number]\n"
               ".decl a(p: P, n: number)\n.decl r(n: number)\n"
               "r(n) :- a([x, _], x + 1), a(_, n), n = count : { a(_, x) }.\n");
  REQUIRE(program.rules.size() == 1);
  const core::rule& rule = program.rules[0];
  CHECK(count<core::atom>(rule) == 2);
  CHECK(count<core::construct>(rule) == 1);
  CHECK(count<core::aggregate>(rule) == 1);
  CHECK(count<core::test>(rule) == 2); // x + 1, and n = the count
}

TEST_CASE("Datalog disjunctions become rules, inlined relations disappear") {
  const core::program program =
      compiled(".decl a(x: number)\n.decl b(x: number)\n.decl i(x: number) inline\n"
               ".decl r(x: number)\na(1). b(2).\ni(x) :- a(x) ; b(x).\n"
               "r(x) :- i(x), (x = 1 ; x = 2).\n");
  const auto heads = [&](const std::string& name) {
    return std::count_if(program.rules.begin(), program.rules.end(), [&](const core::rule& rule) {
      return program.relations[rule.head].name == name;
    });
  };
  CHECK(heads("r") == 4);
  CHECK(heads("i") == 0);
}

TEST_CASE("Datalog strata come after those that they depend on") {
  const core::program program =
      compiled(".decl c(x: number)\n.decl b(x: number)\n.decl a(x: number)\n"
               "a(1).\nb(x) :- a(x).\nb(x) :- c(x).\nc(x) :- b(x), x < 0.\n");
  REQUIRE(program.strata.size() == 2);
  CHECK_FALSE(program.strata[0].recursive);
  CHECK(program.relations[program.strata[0].relations[0]].name == "a");
  CHECK(program.strata[1].recursive);
  CHECK(program.strata[1].relations.size() == 2);
  CHECK(program.strata[1].rules.size() == 3);
}

TEST_CASE("Datalog programs that are too much are refused, not run out of stack or memory on") {
  const std::string declared = ".decl a(x: number)\n";
  CHECK(messages_of(declared + "a(" + std::string(100'000, '(') + "1")
            .find("Nesting is deeper than 400") != std::string::npos);
  CHECK(messages_of(declared + "a(1) :- " + std::string(100'000, '!') + "a(1).")
            .find("Nesting is deeper than 400") != std::string::npos);
  std::string sum = declared + "a(1";
  for (int i = 0; i < 100'000; ++i)
    sum += " + 1";
  CHECK(messages_of(sum + ").").find("more than 1000 operators") != std::string::npos);
  std::string wide = declared + "a(1) :- a(0)";
  for (int i = 0; i < 20; ++i)
    wide += ", (a(1) ; a(2))";
  CHECK(messages_of(wide + ".").find("more than 10000 alternatives") != std::string::npos);
  std::string chain = declared;
  for (int i = 0; i < 20'000; ++i)
    chain += ".decl r" + std::to_string(i) + "(x: number)\nr" + std::to_string(i) + "(x) :- " +
             (i == 0 ? "a" : "r" + std::to_string(i - 1)) + "(x).\n";
  CHECK(compiled(chain).strata.size() == 20'001);
}

TEST_CASE("Datalog components are found from the inside out") {
  const core::program program =
      compiled(".comp C { .decl r(x: number) r(1). }\n"
               ".comp D { .comp C { .decl s(x: number) s(2). }\n .init i = C }\n"
               ".init d = D\n.init e = C\n");
  std::vector<std::string> names;
  for (const core::relation& relation : program.relations)
    names.push_back(relation.name);
  CHECK(names == std::vector<std::string>{"d.i.s", "e.r"});
}

TEST_CASE("Strongly connected components come in the order of dependencies") {
  // 0 → 1 → 2 → 0, 3 → 0, 4 on its own, 5 → 5
  const dependency_graph graph{{1}, {2}, {0}, {0}, {}, {5}};
  const auto found = connected_components(graph);
  CHECK(found == std::vector<std::vector<std::uint32_t>>{{0, 1, 2}, {3}, {4}, {5}});
}

TEST_CASE("Datalog numbers are read and written at the edges of their width") {
  const value_format narrow(32);
  const value_format wide(64);
  CHECK(narrow.read("-2147483648", value_kind::number) == 0x80000000U);
  CHECK_FALSE(narrow.read("2147483648", value_kind::number));
  CHECK(wide.read("2147483648", value_kind::number) == 2147483648U);
  CHECK_FALSE(narrow.read("4294967296", value_kind::unsigned_number));
  CHECK_FALSE(narrow.read("-1", value_kind::unsigned_number));
  CHECK(narrow.read("-0", value_kind::unsigned_number) == 0U);
  CHECK_FALSE(wide.read("99999999999999999999", value_kind::unsigned_number));
  for (const char* no_number : {"", "-", "+", "0x", "1x", " 1", "1 ", "--1", "1.0"})
    CHECK_FALSE(narrow.read(no_number, value_kind::number));
  for (const char* no_float : {"", "1.5x", "x", "1,5"})
    CHECK_FALSE(narrow.read(no_float, value_kind::real));
  CHECK(narrow.write(0x80000000U, value_kind::number) == "-2147483648");
  CHECK(narrow.write(0x80000000U, value_kind::unsigned_number) == "2147483648");
  CHECK(narrow.write(narrow.from_real(-0.5), value_kind::real) == "-0.5");
}

TEST_CASE("Datalog arithmetic wraps and never traps") {
  const value_format format(32);
  const core::word least = format.from_number(-2147483648LL);
  const core::word minus_one = format.from_number(-1);
  CHECK(computed(functor::divide, value_kind::number, {least, minus_one}) == least);
  CHECK(computed(functor::modulo, value_kind::number, {least, minus_one}) == 0);
  CHECK(computed(functor::negate, value_kind::number, {least}) == least);
  CHECK(computed(functor::shift_left, value_kind::number, {1, 33}) == 2);
  CHECK(computed(functor::shift_right, value_kind::number, {least, 31}) == minus_one);
  CHECK(computed(functor::power, value_kind::number, {minus_one, minus_one}) == minus_one);
  CHECK(computed(functor::power, value_kind::number, {2, minus_one}) == 0);
  CHECK(computed(functor::power, value_kind::number, {3, 40}) ==
        static_cast<std::uint32_t>(12157665459056928801ULL));
  CHECK(computed(functor::add, value_kind::number, {~core::word{0}, 2}, 64) == 1);
  CHECK_THROWS_AS(computed(functor::divide, value_kind::number, {1, 0}), undefined_value);
  CHECK_THROWS_AS(computed(functor::modulo, value_kind::unsigned_number, {1, 0}), undefined_value);
}

TEST_CASE("Datalog ranges end at the edges of their width") {
  const value_format format(32);
  const core::word most = format.from_number(2147483647);
  CHECK(range_values(std::vector<core::word>{most - 2, most, 2}, value_kind::number, format) ==
        std::vector<core::word>{most - 2});
  CHECK(range_values(std::vector<core::word>{3, 7, 0}, value_kind::number, format) ==
        std::vector<core::word>{3});
  CHECK(range_values(std::vector<core::word>{7, 7, 0}, value_kind::number, format).empty());
  CHECK(range_values(std::vector<core::word>{3, 0}, value_kind::unsigned_number, format) ==
        std::vector<core::word>{3, 2, 1});
}

TEST_CASE("UTF-8 is told from what is none") {
  for (const char* good :
       {"", "plain", "\xC3\xA9", "\xE6\xBC\xA2", "\xF0\x9F\x98\x80", "\xF4\x8F\xBF\xBF"})
    CHECK(is_utf8(good));
  for (const char* bad : {"\xFF", "\xC3", "\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80",
                          "\xF4\x90\x80\x80", "\x80", "a\xE6\xBC"})
    CHECK_FALSE(is_utf8(bad));
}
