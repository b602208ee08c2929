// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dense evaluation on graphs of several hundred nodes: the forms agree, known shapes have known
// closures, and the plan says which form was taken. Larger than the random plans, so that rows have
// several words, batches several rows, and sorting is not by comparison.
#include "engine_device.hpp"

#include <ikra/error.hpp>

#include <catch2/catch.hpp>

#include <random>

using namespace ikra::datalog;

namespace {

struct pair_atom {
  std::uint32_t relation;
  char first, second;
};

plan::rule rule(const pair_atom& head, const std::vector<pair_atom>& body, bool different = false) {
  plan::rule r;
  std::string letters;
  const auto slot = [&](char letter) {
    if (letters.find(letter) == std::string::npos)
      letters += letter;
    return static_cast<std::uint64_t>(letters.find(letter));
  };
  const auto variable = [&](char letter) {
    return plan::expression{plan::operation::variable, {}, slot(letter), {}};
  };
  for (const pair_atom& a : body)
    r.body.push_back({plan::atom{
        a.relation,
        {{plan::argument::variable, slot(a.first)}, {plan::argument::variable, slot(a.second)}}}});
  if (different)
    r.body.push_back({plan::condition{
        {plan::operation::not_equal, {}, 0, {variable(head.first), variable(head.second)}}}});
  r.heads.push_back({head.relation, {variable(head.first), variable(head.second)}});
  r.slots.assign(letters.size(), {});
  r.text = "a rule";
  return r;
}

/// Relations 0 and 1 are inputs, 2 and 3 derived.
plan::program program(std::vector<plan::rule> rules, std::vector<std::uint32_t> derived = {2}) {
  plan::program p;
  for (const char* name : {"a", "b", "r", "s"})
    p.relations.push_back({name, {{}, {}}, plan::form::automatic, 0});
  p.rules = std::move(rules);
  plan::stratum s{std::move(derived), {}, true};
  for (std::uint32_t i = 0; i < p.rules.size(); ++i)
    s.rules.push_back(i);
  p.strata = {s};
  return p;
}

using edges = std::vector<std::vector<std::uint32_t>>;

/// A graph on `nodes` scattered values.
edges random_graph(unsigned seed, std::uint32_t nodes, std::uint32_t count) {
  std::mt19937 random(seed);
  edges made(2);
  for (std::uint32_t i = 0; i < count; ++i)
    for (std::vector<std::uint32_t>& column : made)
      column.push_back(static_cast<std::uint32_t>(random() % nodes) * 2654435761u);
  return made;
}

std::unique_ptr<engine> evaluated(const plan::program& p, const edges& a, const edges& b,
                                  plan::form form, list_use lists = list_use::everywhere,
                                  order_use order = order_use::nowhere, std::uint64_t batch = 0) {
  engine_options options;
  options.form = form;
  options.lists = lists;
  options.order = order;
  options.batch = batch;
  auto e = make_engine(p, test_device, options);
  std::uint32_t relation = 0;
  for (const edges* input : {&a, &b}) {
    const column_view views[] = {{(*input)[0].data(), 32}, {(*input)[1].data(), 32}};
    e->load(relation++, views, (*input)[0].size());
  }
  e->run();
  return e;
}

/// All forms agree. \returns what was done where rows are not computed in order.
std::string check(const plan::program& p, const edges& a, const edges& b) {
  const auto runs = evaluated(p, a, b, plan::form::runs);
  const auto dense = evaluated(p, a, b, plan::form::dense);
  const auto automatic =
      evaluated(p, a, b, plan::form::automatic, list_use::on_gpus, order_use::automatic);
  const auto rows = evaluated(p, a, b, plan::form::dense, list_use::nowhere);
  const auto ordered =
      evaluated(p, a, b, plan::form::dense, list_use::nowhere, order_use::everywhere);
  for (const std::uint32_t r : p.strata[0].relations) {
    REQUIRE(runs->size(r) > 0);
    REQUIRE(read_all(*dense, p, r) == read_all(*runs, p, r));
    REQUIRE(read_all(*automatic, p, r) == read_all(*runs, p, r));
    REQUIRE(read_all(*rows, p, r) == read_all(*runs, p, r));
    REQUIRE(read_all(*ordered, p, r) == read_all(*runs, p, r));
  }
  REQUIRE(runs->describe().find("dense") == std::string::npos);
  return dense->describe();
}

constexpr const char* by_row = "dense, row by row";
constexpr const char* by_matrices = "dense, by matrices";
constexpr const char* in_order = "dense, rows in order";

/// Layers of nodes, with edges from each to the next.
edges layered_graph(unsigned seed, std::uint32_t layers, std::uint32_t width, std::uint32_t count) {
  std::mt19937 random(seed);
  edges made(2);
  for (std::uint32_t layer = 0; layer + 1 < layers; ++layer)
    for (std::uint32_t i = 0; i < count; ++i)
      for (const std::uint32_t step : {0u, 1u})
        made[step].push_back((layer + step) * width + static_cast<std::uint32_t>(random() % width));
  return made;
}

} // namespace

TEST_CASE("linear closures are computed row by row") {
  const edges a = random_graph(1, 700, 900), b = random_graph(2, 700, 300);
  const plan::rule base = rule({2, 'x', 'y'}, {{0, 'x', 'y'}});
  const plan::rule other_base = rule({2, 'x', 'y'}, {{1, 'x', 'y'}});
  const plan::rule left = rule({2, 'x', 'y'}, {{2, 'x', 'z'}, {0, 'z', 'y'}});
  const plan::rule right = rule({2, 'x', 'y'}, {{0, 'x', 'z'}, {2, 'z', 'y'}});
  const plan::rule turned = rule({2, 'x', 'y'}, {{2, 'x', 'z'}, {1, 'y', 'z'}});
  const plan::rule squared = rule({2, 'x', 'y'}, {{2, 'x', 'z'}, {2, 'z', 'y'}});
  const std::vector<std::vector<plan::rule>> all = {
      {base, left},        {base, right},           {other_base, left},
      {other_base, right}, {base, squared},         {other_base, right, left},
      {base, turned},      {base, squared, turned}, {base, other_base, left, turned}};
  for (const std::vector<plan::rule>& rules : all)
    REQUIRE(check(program(rules), a, b).find(by_row) != std::string::npos);
}

TEST_CASE("rows that need other rows are computed after them") {
  const plan::rule base = rule({2, 'x', 'y'}, {{0, 'x', 'y'}});
  const plan::rule other_base = rule({2, 'x', 'y'}, {{1, 'x', 'y'}});
  const plan::rule left = rule({2, 'x', 'y'}, {{2, 'x', 'z'}, {0, 'z', 'y'}});
  const plan::rule right = rule({2, 'x', 'y'}, {{0, 'x', 'z'}, {2, 'z', 'y'}});
  const plan::rule squared = rule({2, 'x', 'y'}, {{2, 'x', 'z'}, {2, 'z', 'y'}});
  const plan::rule siblings = rule({2, 'x', 'y'}, {{0, 'p', 'x'}, {0, 'p', 'y'}}, true);
  const plan::rule generation = rule({2, 'x', 'y'}, {{0, 'a', 'x'}, {2, 'a', 'b'}, {0, 'b', 'y'}});
  const plan::rule strict =
      rule({2, 'x', 'y'}, {{0, 'a', 'x'}, {2, 'a', 'b'}, {1, 'b', 'y'}}, true);
  const plan::rule alone = rule({2, 'x', 'y'}, {{2, 'x', 'z'}, {1, 'z', 'y'}}, true);
  const std::vector<std::vector<plan::rule>> all = {{base, right},
                                                    {other_base, right},
                                                    {base, left},
                                                    {base, squared},
                                                    {siblings, generation},
                                                    {base, strict},
                                                    {other_base, alone, generation},
                                                    {siblings, strict, generation, right}};
  // Few cycles and many, rows with few columns and with many, and none.
  const std::vector<edges> graphs = {random_graph(11, 300, 260), random_graph(12, 200, 300),
                                     random_graph(13, 120, 900), layered_graph(14, 8, 40, 50),
                                     layered_graph(15, 5, 80, 500)};
  const edges b = random_graph(16, 300, 80);
  for (const std::vector<plan::rule>& rules : all)
    for (const edges& a : graphs) {
      const auto p = program(rules);
      check(p, a, b);
      const auto one =
          evaluated(p, a, b, plan::form::dense, list_use::nowhere, order_use::everywhere);
      REQUIRE(one->describe().find(in_order) != std::string::npos);
      // Room for few rows at a time: the others are computed again.
      const auto small =
          evaluated(p, a, b, plan::form::dense, list_use::nowhere, order_use::everywhere, 500);
      REQUIRE(read_all(*small, p, 2) == read_all(*one, p, 2));
    }
}

TEST_CASE("a row is computed once where no row needs itself") {
  const auto p = program({rule({2, 'x', 'y'}, {{0, 'p', 'x'}, {0, 'p', 'y'}}, true),
                          rule({2, 'x', 'y'}, {{0, 'a', 'x'}, {2, 'a', 'b'}, {0, 'b', 'y'}})});
  const edges layers = layered_graph(17, 20, 40, 90);
  const auto iterations = [&](const edges& graph) {
    return evaluated(p, graph, graph, plan::form::dense, list_use::nowhere, order_use::everywhere)
        ->statistics()
        .iterations;
  };
  REQUIRE(iterations(layers) == 1);
  edges cycle = layers; // through the first two layers
  cycle[0].push_back(cycle[1].front());
  cycle[1].push_back(cycle[0].front());
  REQUIRE(iterations(cycle) > 1);
}

TEST_CASE("other chains are computed by matrices") {
  const edges a = random_graph(3, 400, 500), b = random_graph(4, 400, 250);
  const plan::rule siblings = rule({2, 'x', 'y'}, {{0, 'p', 'x'}, {0, 'p', 'y'}}, true);
  const plan::rule generation = rule({2, 'x', 'y'}, {{0, 'a', 'x'}, {2, 'a', 'b'}, {0, 'b', 'y'}});
  const plan::rule base = rule({2, 'x', 'y'}, {{1, 'x', 'y'}});
  const plan::rule strict = rule({2, 'x', 'y'}, {{2, 'x', 'z'}, {0, 'z', 'y'}}, true);
  const plan::rule turned = rule({2, 'x', 'y'}, {{2, 'z', 'x'}, {0, 'z', 'y'}});
  const plan::rule cubed = rule({2, 'x', 'y'}, {{2, 'x', 'u'}, {1, 'u', 'v'}, {2, 'v', 'y'}});
  const plan::rule there = rule({2, 'x', 'y'}, {{3, 'x', 'z'}, {1, 'z', 'y'}});
  const plan::rule back = rule({3, 'x', 'y'}, {{2, 'y', 'z'}, {0, 'z', 'x'}});
  for (const std::vector<plan::rule>& rules : std::vector<std::vector<plan::rule>>{
           {siblings, generation}, {base, strict}, {base, turned}, {base, cubed}})
    REQUIRE(check(program(rules), a, b).find(by_matrices) != std::string::npos);
  REQUIRE(check(program({base, there, back}, {2, 3}), a, b).find(by_matrices) != std::string::npos);
}

TEST_CASE("matrices are stepped over lists while tuples have few images and rows few tuples") {
  const auto p = program({rule({2, 'x', 'y'}, {{0, 'p', 'x'}, {0, 'p', 'y'}}, true),
                          rule({2, 'x', 'y'}, {{0, 'a', 'x'}, {2, 'a', 'b'}, {0, 'b', 'y'}})});
  const auto over_lists = [&](const edges& graph) {
    const std::string plan = check(p, graph, graph);
    const auto at = plan.find(by_matrices);
    REQUIRE(at != std::string::npos);
    const auto found = plan.find("iterations over lists", at);
    return found == std::string::npos ? 0 : std::stoi(plan.substr(at + 20, found));
  };
  // Two children each: the tuples of a level are the images of those of the one above.
  edges tree(2);
  for (std::uint32_t i = 2; i < 128; ++i) {
    tree[0].push_back(i / 2);
    tree[1].push_back(i);
  }
  REQUIRE(over_lists(tree) == 6); // the last of which finds nothing
  REQUIRE(over_lists(random_graph(6, 300, 3000)) == 0);
  // Levels grow until rows have many tuples.
  edges grown(2);
  for (std::uint32_t i = 4; i < 1024; ++i) {
    grown[0].push_back(i / 3);
    grown[1].push_back(i);
    grown[0].push_back(i / 4);
    grown[1].push_back(i);
  }
  REQUIRE(over_lists(grown) > 0);
}

TEST_CASE("lists are stepped through turned deltas and several relations") {
  const edges a = random_graph(7, 500, 550), b = random_graph(8, 500, 400);
  const plan::rule base = rule({2, 'x', 'y'}, {{1, 'x', 'y'}});
  const plan::rule turned = rule({2, 'x', 'y'}, {{0, 'x', 'u'}, {2, 'v', 'u'}, {1, 'v', 'y'}});
  const plan::rule back = rule({2, 'x', 'y'}, {{3, 'z', 'x'}, {0, 'z', 'y'}});
  const plan::rule forth = rule({3, 'x', 'y'}, {{0, 'x', 'z'}, {2, 'z', 'y'}}, true);
  REQUIRE(check(program({base, turned}), a, b).find("over lists") != std::string::npos);
  REQUIRE(check(program({base, back, forth}, {2, 3}), a, b).find("over lists") !=
          std::string::npos);
}

TEST_CASE("rules that are no chains are evaluated over runs whatever the option says") {
  plan::rule loop = rule({2, 'x', 'y'}, {{2, 'x', 'y'}, {0, 'y', 'x'}});
  const auto p = program({rule({2, 'x', 'y'}, {{0, 'x', 'y'}}), loop});
  const edges a = random_graph(5, 100, 200);
  REQUIRE(check(p, a, a).find("dense") == std::string::npos);
}

TEST_CASE("a relation that must be dense and cannot be is an error with the reason") {
  auto p = program(
      {rule({2, 'x', 'y'}, {{0, 'x', 'y'}}), rule({2, 'x', 'y'}, {{2, 'x', 'y'}, {0, 'y', 'x'}})});
  p.relations[2].kept = plan::form::dense;
  const auto e = make_engine(p, test_device);
  try {
    e->run();
    FAIL("no error");
  } catch (const ikra::error& error) {
    REQUIRE(error.kind() == ikra::error_kind::unsupported);
    REQUIRE(std::string(error.what()).find("no chain") != std::string::npos);
  }
}

TEST_CASE("closures of known shapes have known sizes") {
  const auto p = program(
      {rule({2, 'x', 'y'}, {{0, 'x', 'y'}}), rule({2, 'x', 'y'}, {{2, 'x', 'z'}, {0, 'z', 'y'}})});
  constexpr std::uint32_t n = 1500;
  edges path(2), cycle(2);
  for (std::uint32_t i = 0; i < n; ++i) {
    cycle[0].push_back(i);
    cycle[1].push_back((i + 1) % n);
  }
  path[0].assign(cycle[0].begin(), cycle[0].end() - 1);
  path[1].assign(cycle[1].begin(), cycle[1].end() - 1);
  for (const plan::form form : {plan::form::runs, plan::form::dense}) {
    REQUIRE(evaluated(p, path, path, form)->size(2) == std::uint64_t(n) * (n - 1) / 2);
    REQUIRE(evaluated(p, cycle, cycle, form)->size(2) == std::uint64_t(n) * n);
  }
}

TEST_CASE("facts of the derived relation itself take part in every form") {
  const auto p = program(
      {rule({2, 'x', 'y'}, {{0, 'x', 'y'}}), rule({2, 'x', 'y'}, {{2, 'x', 'z'}, {0, 'z', 'y'}})});
  for (const plan::form form : {plan::form::runs, plan::form::dense}) {
    engine_options options;
    options.form = form;
    const auto e = make_engine(p, test_device, options);
    const std::vector<std::uint32_t> from{1, 2}, to{2, 3}, more_from{7}, more_to{1};
    const column_view edge[] = {{from.data(), 32}, {to.data(), 32}};
    const column_view given[] = {{more_from.data(), 32}, {more_to.data(), 32}};
    e->load(0, edge, 2);
    e->load(2, given, 1);
    e->run();
    REQUIRE(read_all(*e, p, 2) == tuple_columns{{1, 1, 2, 7, 7, 7}, {2, 3, 3, 1, 2, 3}});
  }
}
