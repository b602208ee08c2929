// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random stratified programs as text, with negation, aggregates, arithmetic, symbols and records:
// ikra::datalog::program gives what the naive evaluator gives, in every form of relations, for any
// number of threads, and when facts come in several runs. The random plans of
// engine_random_test.cpp do the same for the engine alone. Built with IKRA_COMPILED_SEEDS, the
// programs of so many seeds have kernels (write_random_kernels.cpp), as if ikrac had seen them.
#include <ikra/ikra.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <iostream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "datalog/frontend/frontend.hpp"
#include "datalog/frontend/value_text.hpp"
#include "datalog/reference/evaluation.hpp"
#include "random_program.hpp"

using namespace ikra::datalog;
using namespace random_programs;

namespace {

using rows = std::multiset<std::vector<std::string>>;

/// All relations by the naive evaluator.
std::vector<rows> naive(const generator& made, const std::vector<facts>& given) {
  const source_text source("random", made.text());
  diagnostics said;
  const auto rules = compile(source, 32, said, fact_source::caller);
  if (!rules)
    said.print(std::cerr, source, false);
  REQUIRE(rules);
  domain values(*rules);
  value_text text(*rules, values);
  reference_evaluation evaluated(*rules, values);
  for (std::uint32_t r = 0; r < given.size(); ++r)
    for (const auto& fact : given[r]) {
      reference_evaluation::tuple tuple;
      for (std::size_t c = 0; c < fact.size(); ++c)
        tuple.push_back(text.read(fact[c], rules->relations[r].columns[c]));
      evaluated.insert(r, std::move(tuple));
    }
  evaluated.run();
  std::vector<rows> all;
  for (std::uint32_t r = 0; r < rules->relations.size(); ++r) {
    rows& found = all.emplace_back();
    for (const reference_evaluation::tuple& tuple : evaluated.tuples(r)) {
      std::vector<std::string> shown;
      for (std::size_t c = 0; c < tuple.size(); ++c)
        text.write(tuple[c], rules->relations[r].columns[c], shown.emplace_back());
      found.insert(std::move(shown));
    }
  }
  return all;
}

std::vector<int> numbers(const facts& all, std::size_t column) {
  std::vector<int> values;
  for (const auto& fact : all)
    values.push_back(std::stoi(fact[column]));
  return values;
}
std::vector<std::string> texts(const facts& all, std::size_t column) {
  std::vector<std::string> values;
  for (const auto& fact : all)
    values.push_back(fact[column]);
  return values;
}

void insert(program& into, const signature& of, const facts& all) {
  if (of.columns == "nn")
    into.insert(of.name, numbers(all, 0), numbers(all, 1));
  else if (of.columns == "sn")
    into.insert(of.name, texts(all, 0), numbers(all, 1));
  else
    into.insert(of.name, texts(all, 0));
}

std::string shown(int value) { return std::to_string(value); }
const std::string& shown(const std::string& value) { return value; }

/// The relation's rows as text. They are in ascending order.
template <class... Columns> rows read(const program& from, const std::string& name) {
  const std::vector<std::tuple<Columns...>> tuples = from.relation<Columns...>(name).to_vector();
  REQUIRE(std::is_sorted(tuples.begin(), tuples.end()));
  rows all;
  for (const auto& tuple : tuples)
    std::apply([&](const auto&... value) { all.insert({shown(value)...}); }, tuple);
  return all;
}
rows read(const program& from, const signature& of) {
  if (of.columns == "n")
    return read<int>(from, of.name);
  if (of.columns == "nn")
    return read<int, int>(from, of.name);
  if (of.columns == "sn")
    return read<std::string, int>(from, of.name);
  return read<std::string>(from, of.name);
}

void check(unsigned seed, const program_options& options, int runs) {
  generator made(seed);
  made.make();
  INFO("seed " << seed << "\n" << made.text());
  program evaluated(made.text(), options);
  std::vector<facts> given(generator::inputs);
  for (int run = 0; run < runs; ++run) {
    for (std::size_t r = 0; r < generator::inputs; ++r) {
      const bool grows = run == 0 || (seed + r) % 2 == 0;
      const facts more = grows ? made.some_facts(made.relations()[r]) : facts();
      insert(evaluated, made.relations()[r], more);
      given[r].insert(given[r].end(), more.begin(), more.end());
    }
    evaluated.run();
    const std::vector<rows> expected = naive(made, given);
    for (std::size_t r = 0; r < made.relations().size(); ++r) {
      INFO("run " << run << ", relation " << made.relations()[r].name);
      REQUIRE(read(evaluated, made.relations()[r]) == expected[r]);
    }
  }
}

} // namespace

#ifdef IKRA_COMPILED_SEEDS
constexpr unsigned one_run = 0, one_run_end = IKRA_COMPILED_SEEDS;
constexpr unsigned many_runs = 0, many_runs_end = IKRA_COMPILED_SEEDS;

/// The joins with which the bodies of aggregates begin. \returns how many there are; the number of
/// those that are compiled is added to `compiled`.
std::size_t count_inner_joins(const std::string& plan, std::size_t& compiled) {
  std::istringstream lines(plan);
  std::string line;
  std::size_t depth = 0, joins = 0;
  for (bool after_aggregate = false; std::getline(lines, line);) {
    const std::size_t indent = line.find_first_not_of(' ');
    const bool joins_here =
        after_aggregate && indent > depth && line.compare(indent, 5, "join ") == 0;
    joins += joins_here ? 1 : 0;
    compiled += joins_here && line.find("(compiled)") != std::string::npos ? 1 : 0;
    after_aggregate =
        line.compare(indent, 6, "count ") == 0 || line.compare(indent, 4, "sum ") == 0;
    depth = indent;
  }
  return joins;
}

TEST_CASE("random programs that were compiled take their kernels") {
  unsigned compiled = 0;
  std::size_t inner_joins = 0, inner_compiled = 0;
  for (unsigned seed = 0; seed < IKRA_COMPILED_SEEDS; ++seed) {
    generator made(seed);
    made.make();
    const auto steps = [&](const std::string& text) {
      program evaluated(text);
      insert(evaluated, made.relations()[0], {{"1", "2"}, {"2", "3"}});
      evaluated.run();
      return evaluated.plan();
    };
    const std::string plan = steps(made.text());
    compiled += plan.find("(compiled)") != std::string::npos ? 1 : 0;
    inner_joins += count_inner_joins(plan, inner_compiled);
    REQUIRE(steps(made.text() + "\n").find("(compiled)") == std::string::npos);
  }
  REQUIRE(compiled > IKRA_COMPILED_SEEDS * 9 / 10);
  REQUIRE(inner_joins != 0);
  REQUIRE(inner_compiled == inner_joins);
}
#else
constexpr unsigned one_run = 0, one_run_end = 200;
constexpr unsigned many_runs = 200, many_runs_end = 350;
#endif

TEST_CASE(
    "random programs with negation and aggregates and records give what naive evaluation gives") {
  for (unsigned seed = one_run; seed < one_run_end; ++seed)
    for (const relation_form form :
         {relation_form::automatic, relation_form::runs, relation_form::dense}) {
      program_options options;
      options.form = form;
      options.threads = static_cast<int>(seed % 3);
      check(seed, options, 1);
    }
}

TEST_CASE("random programs go on when facts are inserted") {
  for (unsigned seed = many_runs; seed < many_runs_end; ++seed)
    check(seed, {}, 3);
}
