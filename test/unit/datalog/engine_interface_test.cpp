// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The engine as its users meet it: loading, running, reading; errors, which leave relations as they
// were; limits, statistics, and the described plan.
#include "engine_device.hpp"

#include <ikra/error.hpp>

#include <catch2/catch.hpp>

using namespace ikra::datalog;

namespace {

using op = plan::operation;

plan::expression variable(std::uint64_t slot, plan::type of = {}) {
  return {op::variable, of, slot, {}};
}
plan::expression constant(plan::value v, plan::type of = {}) { return {op::constant, of, v, {}}; }
plan::argument slot(std::uint64_t number) { return {plan::argument::variable, number}; }

/// edge(x, y); path = its transitive closure.
plan::program closure() {
  plan::program p;
  p.relations = {{"edge", {{}, {}}, plan::form::automatic, 0},
                 {"path", {{}, {}}, plan::form::automatic, 0}};
  plan::rule base, step;
  base.text = "path(x, y) :- edge(x, y).";
  base.slots = {{}, {}};
  base.body = {{plan::atom{0, {slot(0), slot(1)}}}};
  base.heads = {{1, {variable(0), variable(1)}}};
  step.text = "path(x, y) :- path(x, z), edge(z, y).";
  step.slots = {{}, {}, {}};
  step.body = {{plan::atom{1, {slot(0), slot(2)}}}, {plan::atom{0, {slot(2), slot(1)}}}};
  step.heads = {{1, {variable(0), variable(1)}}};
  p.rules = {base, step};
  p.strata = {{{1}, {0, 1}, true}};
  return p;
}

void load(engine& into, std::uint32_t relation,
          const std::vector<std::vector<std::uint32_t>>& all) {
  std::vector<column_view> views;
  for (const auto& column : all)
    views.push_back({column.data(), 32});
  into.load(relation, views, all.empty() ? 0 : all[0].size());
}

/// a(x); b(x) :- a(x), x > 9; c(100 / x) :- a(x).
plan::program division() {
  plan::program p;
  p.relations = {{"a", {{}}, plan::form::automatic, 0}, {"c", {{}}, plan::form::automatic, 0}};
  plan::rule r;
  r.text = "c(100 / x) :- a(x).";
  r.slots = {{}};
  r.body = {{plan::atom{0, {slot(0)}}}};
  r.heads = {{1, {{op::divide, {}, 0, {constant(100), variable(0)}}}}};
  p.rules = {r};
  p.strata = {{{1}, {0}, false}};
  return p;
}

} // namespace

TEST_CASE("a relation is read as sorted tuples, whatever the order of facts") {
  const plan::program p = closure();
  const auto e = make_engine(p, test_device);
  load(*e, 0, {{3, 1, 2, 1}, {4, 2, 3, 2}});
  e->run();
  REQUIRE(e->size(0) == 3);
  REQUIRE(read_all(*e, p, 1) == tuple_columns{{1, 1, 1, 2, 2, 3}, {2, 3, 4, 3, 4, 4}});
}

TEST_CASE("without facts relations are empty") {
  const plan::program p = closure();
  const auto e = make_engine(p, test_device);
  e->run();
  REQUIRE(e->size(1) == 0);
  REQUIRE(read_all(*e, p, 1) == tuple_columns{{}, {}});
}

TEST_CASE("the largest values are ordinary") {
  const plan::program p = closure();
  const auto e = make_engine(p, test_device);
  load(*e, 0, {{0xffffffffu, 0}, {0, 0xfffffffeu}});
  e->run();
  REQUIRE(read_all(*e, p, 1) ==
          tuple_columns{{0, 0xffffffffu, 0xffffffffu}, {0xfffffffeu, 0, 0xfffffffeu}});
}

TEST_CASE("facts with a wrong number of columns are refused") {
  const auto e = make_engine(closure(), test_device);
  try {
    load(*e, 0, {{1, 2}});
    FAIL("no error");
  } catch (const ikra::error& error) {
    REQUIRE(error.kind() == ikra::error_kind::bad_shape);
  }
}

TEST_CASE("division by zero names the rule and leaves relations as they were") {
  const plan::program p = division();
  const auto e = make_engine(p, test_device);
  load(*e, 0, {{5, 20}});
  e->run();
  REQUIRE(read_all(*e, p, 1) == tuple_columns{{5, 20}});
  load(*e, 0, {{0}});
  try {
    e->run();
    FAIL("no error");
  } catch (const ikra::error& error) {
    REQUIRE(error.kind() == ikra::error_kind::failed_check);
    REQUIRE(std::string(error.what()).find("c(100 / x)") != std::string::npos);
  }
  REQUIRE(e->size(0) == 2);
  REQUIRE(read_all(*e, p, 1) == tuple_columns{{5, 20}});
}

TEST_CASE("a memory limit that is too small is an error that leaves relations as they were") {
  const plan::program p = closure();
  engine_options options;
  options.memory_limit = 1 << 20;
  options.form = plan::form::runs;
  const auto e = make_engine(p, test_device, options);
  load(*e, 0, {{1}, {2}});
  e->run();
  std::vector<std::uint32_t> from, to;
  for (std::uint32_t i = 0; i < 2000; ++i) {
    from.push_back(i);
    to.push_back((i + 1) % 2000);
  }
  load(*e, 0, {from, to});
  try {
    e->run();
    FAIL("no error");
  } catch (const ikra::error& error) {
    REQUIRE(error.kind() == ikra::error_kind::out_of_memory);
    REQUIRE_THAT(std::string(error.what()),
                 Catch::Contains("relation " + p.relations[1].name + ": ") &&
                     Catch::Contains(" iterations"));
  }
  REQUIRE(read_all(*e, p, 1) == tuple_columns{{1}, {2}});
}

TEST_CASE("a size limit ends the fixpoint") {
  plan::program p = closure();
  p.relations[1].size_limit = 3;
  engine_options options;
  options.form = plan::form::runs;
  const auto e = make_engine(p, test_device, options);
  load(*e, 0, {{1, 2, 3, 4, 5, 6}, {2, 3, 4, 5, 6, 7}});
  e->run();
  REQUIRE(e->size(1) >= 3);
  REQUIRE(e->size(1) < 21);
}

TEST_CASE("plans that break a rule are refused with the rule's text") {
  plan::program p = closure();
  p.rules[1].heads[0].values.pop_back();
  try {
    make_engine(p, test_device);
    FAIL("no error");
  } catch (const ikra::error& error) {
    REQUIRE(error.kind() == ikra::error_kind::unsupported);
    REQUIRE(std::string(error.what()).find("path(x, z)") != std::string::npos);
  }
}

TEST_CASE("a head variable that nothing binds is refused") {
  plan::program p = closure();
  p.rules[0].slots.push_back({});
  p.rules[0].heads[0].values[0] = variable(2);
  const auto e = make_engine(p, test_device);
  REQUIRE_THROWS_AS(e->run(), ikra::error);
}

TEST_CASE("statistics and the plan tell what was done") {
  const plan::program p = closure();
  engine_options options;
  options.profile = true;
  options.form = plan::form::runs;
  const auto e = make_engine(p, test_device, options);
  load(*e, 0, {{1, 2, 3}, {2, 3, 4}});
  e->run();
  const run_statistics& s = e->statistics();
  REQUIRE(s.iterations == 3);
  REQUIRE(s.peak_bytes > 0);
  REQUIRE(s.profile.size() == 4); // the base rule, and three iterations of the other
  REQUIRE(s.profile[0].joined == 3);
  REQUIRE(s.profile[1].joined == 2);
  const std::string plan = e->describe();
  REQUIRE(plan.find("scan delta path(_, _)") != std::string::npos);
  REQUIRE(plan.find("join edge(v2, _)") != std::string::npos);
}

TEST_CASE("what the head does not need is tested, once for each value that it depends on") {
  // d(x) :- a(x, y), b(y, z), c(z, w), w != 0.   d(x) :- b(x, _), c(_, y), c(y, z), a(z, z).
  plan::program p;
  for (const char* name : {"a", "b", "c"})
    p.relations.push_back({name, {{}, {}}, plan::form::automatic, 0});
  p.relations.push_back({"d", {{}}, plan::form::automatic, 0});
  plan::rule r;
  r.text = "one";
  r.slots = {{}, {}, {}, {}};
  r.body = {{plan::atom{0, {slot(0), slot(1)}}},
            {plan::atom{1, {slot(1), slot(2)}}},
            {plan::atom{2, {slot(2), slot(3)}}},
            {plan::condition{{op::not_equal, {}, 0, {variable(3), {op::constant, {}, 0, {}}}}}}};
  r.heads = {{3, {variable(0)}}};
  plan::rule s = r;
  s.text = "two";
  s.body = {{plan::atom{1, {slot(0), {}}}},
            {plan::atom{2, {{}, slot(1)}}},
            {plan::atom{2, {slot(1), slot(2)}}},
            {plan::atom{0, {slot(2), slot(2)}}}};
  p.rules = {r, s};
  p.strata = {{{3}, {0, 1}, false}};
  engine_options options;
  options.profile = true;
  const auto e = make_engine(p, test_device, options);
  // 100 x 100 values of y and z, and of x and y: naively there are 10^6 solutions.
  std::vector<std::uint32_t> first, second;
  for (std::uint32_t i = 0; i < 10000; ++i) {
    first.push_back(i / 100);
    second.push_back(i % 100);
  }
  for (const std::uint32_t relation : {0, 1, 2})
    load(*e, relation, {first, second});
  e->run();
  REQUIRE(e->size(3) == 100);
  const std::string plan = e->describe();
  INFO(plan);
  REQUIRE(plan.find("exists for v1\n") != std::string::npos);
  REQUIRE(plan.find("exists for v2\n") != std::string::npos);
  REQUIRE(plan.find("exists for all\n") != std::string::npos);
  REQUIRE(plan.find("some a(v2, v2)\n") != std::string::npos);
  std::uint64_t joined = 0;
  for (const auto& entry : e->statistics().profile)
    joined += entry.joined;
  REQUIRE(joined <= 20000);
}

TEST_CASE("joins are ordered by the sizes that lower strata have when a stratum begins") {
  // big(x, y) :- a(x, y).  small(x) :- a(x, x).  d(x) :- big(x, y), small(y).
  plan::program p;
  p.relations = {{"a", {{}, {}}, plan::form::automatic, 0},
                 {"big", {{}, {}}, plan::form::automatic, 0},
                 {"small", {{}}, plan::form::automatic, 0},
                 {"d", {{}, {}}, plan::form::automatic, 0}};
  plan::rule big, small, join;
  big.slots = small.slots = join.slots = {{}, {}};
  big.body = {{plan::atom{0, {slot(0), slot(1)}}}};
  big.heads = {{1, {variable(0), variable(1)}}};
  small.body = {{plan::atom{0, {slot(0), slot(0)}}}};
  small.heads = {{2, {variable(0)}}};
  join.body = {{plan::atom{1, {slot(0), slot(1)}}}, {plan::atom{2, {slot(1)}}}};
  join.heads = {{3, {variable(0), variable(1)}}};
  p.rules = {big, small, join};
  p.strata = {{{1}, {0}, false}, {{2}, {1}, false}, {{3}, {2}, false}};
  const auto e = make_engine(p, test_device);
  load(*e, 0, {{1, 2, 3, 4, 5, 6, 7, 8}, {1, 3, 4, 5, 6, 7, 8, 1}});
  e->run();
  REQUIRE(e->size(3) == 2);
  INFO(e->describe());
  REQUIRE(e->describe().find("scan small(_) -> v1=#0\n    join big(_, v1)") != std::string::npos);
}

TEST_CASE("a host function is called for each result of a join, whatever is remembered") {
  // c(f(x)) :- a(x, y), b(y).
  class counting final : public host_functions {
  public:
    plan::value call(std::uint64_t, std::span<const plan::value>) override { return calls++; }
    plan::value calls = 0;
  };
  plan::program p;
  p.relations = {{"a", {{}, {}}, plan::form::automatic, 0},
                 {"b", {{}}, plan::form::automatic, 0},
                 {"c", {{}}, plan::form::automatic, 0}};
  plan::rule r;
  r.text = "c(f(x)) :- a(x, y), b(y).";
  r.every_solution = true;
  r.slots = {{}, {}};
  r.body = {{plan::atom{0, {slot(0), slot(1)}}}, {plan::atom{1, {slot(1)}}}};
  r.heads = {{2, {{op::call, {}, 0, {variable(0)}}}}};
  p.rules = {r};
  p.strata = {{{2}, {0}, false}};
  engine_options options;
  options.fewest_to_remember = 1;
  counting functions;
  const auto e = make_engine(p, test_device, options, &functions);
  load(*e, 0, {{1, 1, 1, 2, 2}, {5, 6, 7, 5, 6}});
  load(*e, 1, {{5, 6, 7}});
  e->run();
  REQUIRE(functions.calls == 5);
  REQUIRE(e->size(2) == 5);
}

TEST_CASE("the order of a rule is chosen anew once its stratum's relations have sizes") {
  // r(x, y) :- r(x, z), e(z, w), s(w, y).  s(w, y) :- r(w, y), s(y, w).
  plan::program p;
  p.relations = {{"e", {{}, {}}, plan::form::automatic, 0},
                 {"r", {{}, {}}, plan::form::automatic, 0},
                 {"s", {{}, {}}, plan::form::automatic, 0}};
  plan::rule step, small;
  step.text = "r(x, y) :- r(x, z), e(z, w), s(w, y).";
  step.slots = {{}, {}, {}, {}};
  step.body = {{plan::atom{1, {slot(0), slot(1)}}},
               {plan::atom{0, {slot(1), slot(2)}}},
               {plan::atom{2, {slot(2), slot(3)}}}};
  step.heads = {{1, {variable(0), variable(3)}}};
  small.text = "s(w, y) :- r(w, y), s(y, w).";
  small.slots = {{}, {}};
  small.body = {{plan::atom{1, {slot(0), slot(1)}}}, {plan::atom{2, {slot(1), slot(0)}}}};
  small.heads = {{2, {variable(0), variable(1)}}};
  p.rules = {step, small};
  p.strata = {{{1, 2}, {0, 1}, true}};
  std::vector<std::uint32_t> from, to, x, z;
  for (std::uint32_t i = 0; i < 300 * 300; ++i) {
    from.push_back(i / 300);
    to.push_back(i % 300);
  }
  for (std::uint32_t i = 0; i < 2000; ++i) {
    x.push_back(i);
    z.push_back(i % 300);
  }
  std::vector<tuple_columns> results;
  for (const std::uint64_t saving : {std::uint64_t(16), std::uint64_t(1) << 60}) {
    engine_options options;
    options.form = plan::form::runs;
    options.least_saving = saving;
    const auto e = make_engine(p, test_device, options);
    load(*e, 0, {from, to});
    load(*e, 1, {x, z});
    load(*e, 2, {{0}, {7}});
    e->run();
    results.push_back(read_all(*e, p, 1));
    // All 300 of e for each tuple of r, or the one of s.
    REQUIRE((e->describe().find("some e(") != std::string::npos) == (saving == 16));
  }
  REQUIRE(results[0] == results[1]);
  REQUIRE(results[0][0].size() == 4000 - 7);
}

TEST_CASE(
    "what reads few of delta's columns is evaluated once for the tuples that agree in these") {
  // t(v, g) :- l(v, b, k), p(b, h), f(h, k, g).  f(h, k, g) :- t(v, g), s(v, h, k).
  plan::program p;
  const auto relation = [](const char* name, std::size_t columns) {
    return plan::relation{name, std::vector<plan::type>(columns)};
  };
  p.relations = {relation("l", 3), relation("p", 2), relation("s", 3), relation("f", 3),
                 relation("t", 2)};
  plan::rule reads, gives;
  reads.text = "t(v, g) :- l(v, b, k), p(b, h), f(h, k, g).";
  reads.slots.resize(5);
  reads.body = {{plan::atom{0, {slot(0), slot(2), slot(3)}}},
                {plan::atom{1, {slot(2), slot(4)}}},
                {plan::atom{3, {slot(4), slot(3), slot(1)}}}};
  reads.heads = {{4, {variable(0), variable(1)}}};
  gives.text = "f(h, k, g) :- t(v, g), s(v, h, k).";
  gives.slots.resize(4);
  gives.body = {{plan::atom{4, {slot(0), slot(1)}}}, {plan::atom{2, {slot(0), slot(2), slot(3)}}}};
  gives.heads = {{3, {variable(2), variable(3), variable(1)}}};
  p.rules = {reads, gives};
  p.strata = {{{3, 4}, {0, 1}, true}};
  std::vector<std::vector<std::uint32_t>> l(3), b(2), s(3), f(3);
  for (std::uint32_t v = 0; v < 50; ++v) {
    for (const auto& [column, value] : {std::pair{0, v}, {1, v}, {2, v % 3}})
      l[static_cast<std::size_t>(column)].push_back(value);
    for (const auto& [column, value] : {std::pair{0, v}, {1, v % 10}})
      b[static_cast<std::size_t>(column)].push_back(value);
    for (const auto& [column, value] : {std::pair{0, v}, {1, (v + 1) % 10}, {2, (v + 1) % 3}})
      s[static_cast<std::size_t>(column)].push_back(value);
  }
  for (std::uint32_t i = 0; i < 2000; ++i)
    for (const auto& [column, value] : {std::pair{0, i % 10}, {1, i % 3}, {2, i}})
      f[static_cast<std::size_t>(column)].push_back(value);
  std::vector<tuple_columns> results;
  for (const std::uint64_t fewest :
       {std::uint64_t(0), std::uint64_t(1024), std::uint64_t(1) << 60}) {
    engine_options options;
    options.fewest_to_group = fewest;
    const auto e = make_engine(p, test_device, options);
    load(*e, 0, l);
    load(*e, 1, b);
    load(*e, 2, s);
    load(*e, 3, f);
    e->run();
    results.push_back(read_all(*e, p, 4));
    const bool groups = test_device == device_kind::cpu;
    REQUIRE((e->statistics().grouped != 0) == (groups && fewest <= 1024));
    REQUIRE((e->describe().find("once delta f(_, _, _)") != std::string::npos) == groups);
  }
  REQUIRE(results[0] == results[1]);
  REQUIRE(results[0] == results[2]);
  REQUIRE(results[0][0].size() > 2000);
}
