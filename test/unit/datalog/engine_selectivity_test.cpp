// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The planner's estimates from samples, and the orders of atoms that follow from them.
#include "datalog/plan/selectivity.hpp"
#include "engine_device.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace ikra::datalog;

namespace {

/// What a sample says of `population` tuples (value(i), i) whose first column is known.
template <class Value> double matches_of(std::uint64_t population, const Value& value) {
  std::vector<std::uint64_t> values;
  for (const std::uint64_t row : sampled_rows(population)) {
    values.push_back(value(row));
    values.push_back(row);
  }
  return tuple_sample(std::move(values), 2, population).matches(1);
}

plan::expression variable(std::uint32_t number) {
  return {plan::operation::variable, {}, number, {}};
}

plan::argument slot(std::uint64_t number) { return {plan::argument::variable, number}; }

using columns = std::vector<std::vector<std::uint32_t>>;

void load(engine& into, std::uint32_t relation, const columns& facts) {
  std::vector<column_view> views;
  for (const auto& column : facts)
    views.push_back({column.data(), 32});
  into.load(relation, views, facts.front().size());
}

/// Where a step's text stands in a plan; npos: nowhere.
std::size_t place_of(const std::string& plan, const std::string& step) { return plan.find(step); }

} // namespace

TEST_CASE("samples give the tuples that have one value of a column") {
  for (const std::uint64_t population : {1000u, 4096u, 5000u, 300000u, 5000000u}) {
    const auto all = static_cast<double>(population);
    REQUIRE(matches_of(population, [](std::uint64_t i) { return i; }) < 1.8); // keys
    REQUIRE(matches_of(population, [](std::uint64_t) { return 7; }) == all);
    REQUIRE(std::abs(matches_of(population, [](std::uint64_t i) { return i % 3; }) / (all / 3) -
                     1) < 0.01);
    // Tuples that belong together are neighbours in sorted runs.
    const double twenty = matches_of(population, [](std::uint64_t i) { return i / 20; });
    REQUIRE(twenty > 10);
    REQUIRE(twenty < 40);
  }
  // One value that half of all tuples have says little about the others.
  REQUIRE(matches_of(100000, [](std::uint64_t i) { return i % 2 == 0 ? 0 : i; }) < 5);
}

TEST_CASE("samples are ascending rows that differ, all where there are few") {
  for (const std::uint64_t population : {0u, 1u, 4095u, 4096u, 4097u, 1000000u}) {
    const std::vector<std::uint64_t> rows = sampled_rows(population);
    REQUIRE(rows.size() <= tuple_sample::most);
    REQUIRE(rows.size() >= std::min<std::uint64_t>(population, tuple_sample::most / 2));
    REQUIRE(std::adjacent_find(rows.begin(), rows.end(), std::greater_equal<>()) == rows.end());
    REQUIRE((rows.empty() || rows.back() < population));
  }
  tuple_sample none({}, 2, 0);
  REQUIRE(none.matches(1) == 0);
}

TEST_CASE("atoms come in the order of their matches, not of their sizes") {
  // r(w) :- start(n, s), few(g, n), call(s, g), result(s, w).
  plan::program p;
  p.relations = {{"start", {{}, {}}, plan::form::automatic, 0},
                 {"few", {{}, {}}, plan::form::automatic, 0},
                 {"call", {{}, {}}, plan::form::automatic, 0},
                 {"result", {{}, {}}, plan::form::automatic, 0},
                 {"r", {{}}, plan::form::automatic, 0}};
  plan::rule rule;
  rule.text = "r(w) :- start(n, s), few(g, n), call(s, g), result(s, w).";
  rule.slots = {{}, {}, {}, {}};
  rule.body = {{plan::atom{0, {slot(0), slot(1)}}},
               {plan::atom{1, {slot(2), slot(0)}}},
               {plan::atom{2, {slot(1), slot(2)}}},
               {plan::atom{3, {slot(1), slot(3)}}}};
  rule.heads = {{4, {variable(3)}}};
  p.rules = {rule};
  p.strata = {{{4}, {0}, false}};
  columns start(2), few(2), call(2), result(2);
  for (std::uint32_t i = 0; i < 50; ++i) {
    start[0].push_back(i % 3);
    start[1].push_back(i * 7);
  }
  for (std::uint32_t i = 0; i < 3000; ++i) { // a thousand for each of three values
    few[0].push_back(i);
    few[1].push_back(i % 3);
  }
  for (std::uint32_t i = 0; i < 20000; ++i) { // one for each site
    call[0].push_back(i);
    call[1].push_back(i % 3000);
    result[0].push_back(i);
    result[1].push_back(i);
  }
  const auto e = make_engine(p, test_device, {});
  load(*e, 0, start);
  load(*e, 1, few);
  load(*e, 2, call);
  load(*e, 3, result);
  e->run();
  const std::string plan = e->describe();
  REQUIRE(place_of(plan, "scan start(") != std::string::npos);
  REQUIRE(place_of(plan, " call(v1") < place_of(plan, " few(v2, v0)"));
  // Both columns of few are known when it is asked, so that it has no order for the second alone.
  REQUIRE(place_of(plan, " few(_") == std::string::npos);
  REQUIRE(e->size(4) != 0);
}

TEST_CASE("a relation that no row is linked to is not joined early for being small") {
  // r(m) :- at(n), branch(n, v, m), known(v, c).  known is read for one value of c.
  plan::program p;
  p.relations = {{"at", {{}}, plan::form::automatic, 0},
                 {"branch", {{}, {}, {}}, plan::form::automatic, 0},
                 {"known", {{}, {}}, plan::form::automatic, 0},
                 {"r", {{}}, plan::form::automatic, 0}};
  plan::rule rule;
  rule.text = "r(m) :- at(n), branch(n, v, m), known(v, 0).";
  rule.slots = {{}, {}, {}};
  rule.body = {{plan::atom{0, {slot(0)}}},
               {plan::atom{2, {slot(1), {plan::argument::constant, 0}}}},
               {plan::atom{1, {slot(0), slot(1), slot(2)}}}};
  rule.heads = {{3, {variable(2)}}};
  p.rules = {rule};
  p.strata = {{{3}, {0}, false}};
  columns at(1), branch(3), known(2);
  for (std::uint32_t i = 0; i < 40; ++i)
    at[0].push_back(i);
  for (std::uint32_t i = 0; i < 8000; ++i) {
    branch[0].push_back(i);
    branch[1].push_back(i % 700);
    branch[2].push_back(i + 1);
  }
  for (std::uint32_t i = 0; i < 700; ++i) {
    known[0].push_back(i);
    known[1].push_back(i % 4);
  }
  const auto e = make_engine(p, test_device, {});
  load(*e, 0, at);
  load(*e, 1, branch);
  load(*e, 2, known);
  e->run();
  const std::string plan = e->describe();
  REQUIRE(place_of(plan, " branch(v0, _, _)") != std::string::npos);
  REQUIRE(place_of(plan, " known(v1, 0)") != std::string::npos);
  REQUIRE(e->size(3) == 10);
}

TEST_CASE("a test that takes more than a look-up comes after an atom that may well have no match") {
  // r(v) :- points(b, h), heap(h, f), load(v, b, f), in(b, m), reached(m).
  plan::program p;
  p.relations = {{"points", {{}, {}}, plan::form::automatic, 0},
                 {"heap", {{}, {}}, plan::form::automatic, 0},
                 {"load", {{}, {}, {}}, plan::form::automatic, 0},
                 {"in", {{}, {}}, plan::form::automatic, 0},
                 {"reached", {{}}, plan::form::automatic, 0},
                 {"r", {{}}, plan::form::automatic, 0}};
  plan::rule rule;
  rule.text = "r";
  rule.slots = {{}, {}, {}, {}, {}};
  rule.body = {{plan::atom{0, {slot(0), slot(1)}}},
               {plan::atom{1, {slot(1), slot(2)}}},
               {plan::atom{2, {slot(3), slot(0), slot(2)}}},
               {plan::atom{3, {slot(0), slot(4)}}},
               {plan::atom{4, {slot(4)}}}};
  rule.heads = {{5, {variable(3)}}};
  p.rules = {rule};
  p.strata = {{{5}, {0}, false}};
  columns points(2), heap(2), in(2);
  for (std::uint32_t i = 0; i < 3000; ++i) {
    points[0].push_back(i);
    points[1].push_back(i % 100);
    in[0].push_back(i);
    in[1].push_back(i + 5);
  }
  for (std::uint32_t i = 0; i < 100; ++i) {
    heap[0].push_back(i);
    heap[1].push_back(i % 7);
  }
  const auto plan_of = [&](std::uint32_t loads_each) {
    columns load_here(3);
    for (std::uint32_t i = 0; i < 2000; ++i) {
      load_here[0].push_back(i);
      load_here[1].push_back(i / loads_each * loads_each);
      load_here[2].push_back(8 + i / loads_each % 2);
    }
    const auto e = make_engine(p, test_device, {});
    load(*e, 0, points);
    load(*e, 1, heap);
    load(*e, 2, load_here);
    load(*e, 3, in);
    load(*e, 4, {points[0]});
    e->run();
    return e->describe();
  };
  const std::string few = plan_of(1), many = plan_of(200);
  INFO(few << many);
  REQUIRE(place_of(few, "exists for") != std::string::npos);
  REQUIRE(place_of(few, " load(_, v") < place_of(few, "exists for"));
  REQUIRE(place_of(many, "exists for") < place_of(many, " load(_, v"));
}
