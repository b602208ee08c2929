// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device-resident iterations against the host's: the same relations, iterations and profile,
// wherever bounds make the host go on; size limits, errors, more facts, wide tuples.
#include "engine_device.hpp"

#include <ikra/error.hpp>

#include <catch2/catch.hpp>

#include <map>
#include <stdexcept>

using namespace ikra::datalog;

namespace {

using op = plan::operation;
using numbers = std::vector<std::vector<std::uint32_t>>; // columns

constexpr plan::type wide{plan::kind::number, 64};

plan::expression variable(std::uint64_t slot, plan::type of = {}) {
  return {op::variable, of, slot, {}};
}
plan::expression constant(plan::value v, plan::type of = {}) { return {op::constant, of, v, {}}; }
plan::expression apply_to(op what, plan::expression a, plan::expression b) {
  const plan::type of = a.of;
  return {what, of, 0, {std::move(a), std::move(b)}};
}
plan::argument slot(std::uint64_t number) { return {plan::argument::variable, number}; }
plan::argument value(std::uint64_t v) { return {plan::argument::constant, v}; }

plan::rule make_rule(const std::string& text, std::size_t slots, std::vector<plan::literal> body,
                     plan::head head) {
  plan::rule made;
  made.text = text;
  made.slots.resize(slots);
  made.body = std::move(body);
  made.heads = {std::move(head)};
  return made;
}

/// reach(y) :- edge(0, y). reach(y) :- reach(x), edge(x, y).
plan::program from_one_source() {
  plan::program p;
  p.relations = {{"edge", {{}, {}}, plan::form::automatic, 0},
                 {"reach", {{}}, plan::form::automatic, 0}};
  p.rules = {make_rule("reach(y) :- edge(0, y).", 1, {{plan::atom{0, {value(0), slot(0)}}}},
                       {1, {variable(0)}}),
             make_rule("reach(y) :- reach(x), edge(x, y).", 2,
                       {{plan::atom{1, {slot(0)}}}, {plan::atom{0, {slot(0), slot(1)}}}},
                       {1, {variable(1)}})};
  p.strata = {{{1}, {0, 1}, true}};
  return p;
}

/// Two relations that need each other, of which one is read in both orders, a condition, and a
/// relation that is not to hold.
///   even(x, y) :- edge(x, y), edge(y, x).          odd(x, y) :- start(x), edge(x, y).
///   odd(x, z) :- even(x, y), edge(y, z), x != z.   even(x, z) :- odd(x, y), edge(y, z), !start(z).
///   even(x, z) :- odd(x, y), odd(z, y), x < z.
plan::program mutual() {
  plan::program p;
  p.relations = {{"edge", {{}, {}}, plan::form::automatic, 0},
                 {"start", {{}}, plan::form::automatic, 0},
                 {"even", {{}, {}}, plan::form::automatic, 0},
                 {"odd", {{}, {}}, plan::form::automatic, 0}};
  const auto pair = [](std::uint32_t relation, std::uint64_t a, std::uint64_t b) {
    return plan::literal{plan::atom{relation, {slot(a), slot(b)}}};
  };
  const auto test = [](op what, std::uint64_t a, std::uint64_t b) {
    return plan::literal{plan::condition{apply_to(what, variable(a), variable(b))}};
  };
  p.rules = {make_rule("even both ways", 2, {pair(0, 0, 1), pair(0, 1, 0)},
                       {2, {variable(0), variable(1)}}),
             make_rule("odd from start", 2, {{plan::atom{1, {slot(0)}}}, pair(0, 0, 1)},
                       {3, {variable(0), variable(1)}}),
             make_rule("odd by even", 3, {pair(2, 0, 1), pair(0, 1, 2), test(op::not_equal, 0, 2)},
                       {3, {variable(0), variable(2)}}),
             make_rule("even by odd", 3,
                       {pair(3, 0, 1), pair(0, 1, 2), {plan::negation{{1, {slot(2)}}}}},
                       {2, {variable(0), variable(2)}}),
             make_rule("even by two", 3, {pair(3, 0, 1), pair(3, 2, 1), test(op::less, 0, 2)},
                       {2, {variable(0), variable(2)}})};
  p.strata = {{{2, 3}, {0, 1, 2, 3, 4}, true}};
  return p;
}

/// n(x + 1) :- n(x), x < 400, and 1000 / (x - 300) if `divides`.
plan::program counting(bool divides) {
  plan::program p;
  p.relations = {{"n", {{}}, plan::form::automatic, 0}};
  plan::rule r = make_rule("n(x + 1) :- n(x).", 1,
                           {{plan::atom{0, {slot(0)}}},
                            {plan::condition{apply_to(op::less, variable(0), constant(400))}}},
                           {0, {apply_to(op::add, variable(0), constant(1))}});
  if (divides)
    r.body.push_back({plan::condition{apply_to(
        op::not_equal,
        apply_to(op::divide, constant(1000), apply_to(op::subtract, variable(0), constant(300))),
        constant(12345))}});
  p.rules = {r};
  p.strata = {{{0}, {0}, true}};
  return p;
}

void load(engine& into, std::uint32_t relation, const numbers& all) {
  std::vector<column_view> views;
  for (const auto& column : all)
    views.push_back({column.data(), 32});
  into.load(relation, views, all.empty() ? 0 : all[0].size());
}

numbers path(std::uint32_t edges) {
  numbers made(2);
  for (std::uint32_t i = 0; i < edges; ++i) {
    made[0].push_back(i);
    made[1].push_back(i + 1);
  }
  return made;
}

/// A path, with a few edges back and forth.
numbers knotted(std::uint32_t edges) {
  numbers made = path(edges);
  for (std::uint32_t i = 0; i < edges; i += 7) {
    made[0].push_back(i + 3);
    made[1].push_back(i * 5 % edges);
  }
  return made;
}

engine_options options_for(small_use small, resident_bounds bounds = {}) {
  engine_options made;
  made.form = plan::form::runs;
  made.small = small;
  made.bounds_of_resident = bounds;
  made.profile = true;
  return made;
}

struct result {
  std::vector<tuple_columns> relations;
  std::uint64_t iterations = 0, small = 0;
  /// By stratum, rule, version and iteration: join results.
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>, std::uint64_t>
      joined;
};

result of(engine& evaluated, const plan::program& p) {
  result made;
  for (std::uint32_t r = 0; r < p.relations.size(); ++r)
    made.relations.push_back(read_all(evaluated, p, r));
  made.iterations = evaluated.statistics().iterations;
  made.small = evaluated.statistics().small;
  for (const profile_entry& e : evaluated.statistics().profile) {
    REQUIRE(e.seconds >= 0);
    made.joined[{e.stratum, e.rule, e.version, e.iteration}] += e.joined;
  }
  return made;
}

result evaluated(const plan::program& p, const std::vector<numbers>& facts,
                 const engine_options& options) {
  const auto e = make_engine(p, test_device, options);
  for (std::uint32_t r = 0; r < facts.size(); ++r)
    load(*e, r, facts[r]);
  e->run();
  return of(*e, p);
}

/// Each bound alone, and all together.
const std::vector<resident_bounds> tight = {
    {},           {1, 0, 0, 0},  {2, 0, 0, 0}, {7, 0, 0, 0}, {0, 1, 0, 0},
    {0, 3, 0, 0}, {0, 20, 0, 0}, {0, 0, 1, 0}, {4, 0, 5, 0}, {0, 0, 30, 0},
    {0, 0, 0, 1}, {0, 0, 0, 7},  {3, 9, 6, 5}};

void same_for_all_bounds(const plan::program& p, const std::vector<numbers>& facts,
                         std::uint64_t at_least_small) {
  const result expected = evaluated(p, facts, options_for(small_use::nowhere));
  REQUIRE(expected.small == 0);
  for (const resident_bounds& bounds : tight) {
    INFO("bounds " << bounds.delta << ", " << bounds.rows << ", " << bounds.tuples << ", "
                   << bounds.iterations);
    const result found = evaluated(p, facts, options_for(small_use::everywhere, bounds));
    REQUIRE(found.relations == expected.relations);
    REQUIRE(found.iterations == expected.iterations);
    REQUIRE(found.joined == expected.joined);
  }
  REQUIRE(evaluated(p, facts, options_for(small_use::everywhere)).small >= at_least_small);
  const result chosen = evaluated(p, facts, options_for(small_use::automatic));
  REQUIRE(chosen.relations == expected.relations);
  REQUIRE(chosen.iterations == expected.iterations);
  REQUIRE(chosen.joined == expected.joined);
}

} // namespace

TEST_CASE("device-resident iterations along a path are counted as the host's") {
  same_for_all_bounds(from_one_source(), {path(300)}, 299);
  const result chosen =
      evaluated(from_one_source(), {path(300)}, options_for(small_use::automatic));
  REQUIRE(chosen.small > 200);
  REQUIRE(chosen.small < chosen.iterations); // the host's come first
}

TEST_CASE("device-resident iterations of relations that need each other") {
  same_for_all_bounds(mutual(), {knotted(40), {{0, 11}}}, 10);
}

TEST_CASE("device-resident iterations with all of a relation for each row") {
  // pair(x, y) :- a(x), a(y); a(x + 1) :- pair(x, 3), x < 40.
  plan::program p;
  p.relations = {{"a", {{}}, plan::form::automatic, 0},
                 {"pair", {{}, {}}, plan::form::automatic, 0}};
  p.rules = {make_rule("pair", 2, {{plan::atom{0, {slot(0)}}}, {plan::atom{0, {slot(1)}}}},
                       {1, {variable(0), variable(1)}}),
             make_rule("a", 1,
                       {{plan::atom{1, {slot(0), value(3)}}},
                        {plan::condition{apply_to(op::less, variable(0), constant(40))}}},
                       {0, {apply_to(op::add, variable(0), constant(1))}})};
  p.strata = {{{0, 1}, {0, 1}, true}};
  same_for_all_bounds(p, {{{1, 3}}}, 70);
}

TEST_CASE("device-resident iterations with ranges, bindings and columns that agree") {
  // t(x, x, y + 2) :- t(x, x, y), y < 60.  t(x, z, y) :- t(x, x, y), z = range(x, x + 4, 2).
  plan::program p;
  p.relations = {{"t", {{}, {}, {}}, plan::form::automatic, 0}};
  p.rules = {
      make_rule("up", 3,
                {{plan::atom{0, {slot(0), slot(0), slot(1)}}},
                 {plan::binding{2, apply_to(op::add, variable(1), constant(2))}},
                 {plan::condition{apply_to(op::less, variable(1), constant(60))}}},
                {0, {variable(0), variable(0), variable(2)}}),
      make_rule("across", 3,
                {{plan::atom{0, {slot(0), slot(0), slot(1)}}},
                 {plan::generator{2, variable(0), apply_to(op::add, variable(0), constant(4)),
                                  constant(2)}}},
                {0, {variable(0), variable(2), variable(1)}})};
  p.strata = {{{0}, {0, 1}, true}};
  same_for_all_bounds(p, {{{1, 2}, {1, 2}, {0, 1}}}, 25);
}

TEST_CASE("a range that is longer than any bound is the host's") {
  // n(y) :- n(x), x < 3, y = range(0, x + 100000).
  plan::program p;
  p.relations = {{"n", {{}}, plan::form::automatic, 0}};
  p.rules = {
      make_rule("n", 2,
                {{plan::atom{0, {slot(0)}}},
                 {plan::condition{apply_to(op::less, variable(0), constant(3))}},
                 {plan::generator{1, constant(0), apply_to(op::add, variable(0), constant(100000)),
                                  constant(1)}}},
                {0, {variable(1)}})};
  p.strata = {{{0}, {0}, true}};
  const result found = evaluated(p, {{{1}}}, options_for(small_use::everywhere));
  REQUIRE(found.relations == evaluated(p, {{{1}}}, options_for(small_use::nowhere)).relations);
  REQUIRE(found.relations[0][0].size() == 100002);
}

TEST_CASE("device-resident iterations where a row meets many new tuples") {
  // near(x, 7) :- near(y, 7), edge(y, x). far(x, y) :- near(x, z), near(y, z), x + 290 <= y.
  plan::program p;
  p.relations = {{"edge", {{}, {}}, plan::form::automatic, 0},
                 {"near", {{}, {}}, plan::form::automatic, 0},
                 {"far", {{}, {}}, plan::form::automatic, 0}};
  p.rules = {
      make_rule("near", 2,
                {{plan::atom{1, {slot(0), value(7)}}}, {plan::atom{0, {slot(0), slot(1)}}}},
                {1, {variable(1), constant(7)}}),
      make_rule("far", 3,
                {{plan::atom{1, {slot(0), slot(2)}}},
                 {plan::atom{1, {slot(1), slot(2)}}},
                 {plan::condition{apply_to(
                     op::less_equal, apply_to(op::add, variable(0), constant(290)), variable(1))}}},
                {2, {variable(0), variable(1)}})};
  p.strata = {{{1, 2}, {0, 1}, true}};
  same_for_all_bounds(p, {path(300), {{0}, {7}}}, 250);
}

TEST_CASE("device-resident iterations over tuples of many words") {
  // w(a + 1, b, c, d, e) :- w(a, b, c, d, e), a < 12.  w(a, b, c, d, a) :- w(a, b, c, d, e).
  // w(a, b, c, d, f) :- w(a, b, c, d, e), w(f, g, c, d, f).
  plan::program p;
  p.relations = {{"w", {wide, {}, wide, wide, wide}, plan::form::automatic, 0}};
  const auto atom = [](std::vector<std::uint64_t> slots) {
    plan::atom made{0, {}};
    for (const std::uint64_t s : slots)
      made.arguments.push_back(slot(s));
    return plan::literal{made};
  };
  p.rules.resize(3);
  p.rules[0].body = {atom({0, 1, 2, 3, 4}),
                     {plan::condition{apply_to(op::less, variable(0, wide), constant(12, wide))}}};
  p.rules[0].heads = {{0,
                       {apply_to(op::add, variable(0, wide), constant(1, wide)), variable(1),
                        variable(2, wide), variable(3, wide), variable(4, wide)}}};
  p.rules[1].body = {atom({0, 1, 2, 3, 4})};
  p.rules[1].heads = {
      {0,
       {variable(0, wide), variable(1), variable(2, wide), variable(3, wide), variable(0, wide)}}};
  p.rules[2].body = {atom({0, 1, 2, 3, 4}), atom({5, 6, 2, 3, 5})};
  p.rules[2].heads = {
      {0,
       {variable(0, wide), variable(1), variable(2, wide), variable(3, wide), variable(5, wide)}}};
  for (plan::rule& r : p.rules)
    r.slots = {wide, {}, wide, wide, wide, wide, {}};
  p.strata = {{{0}, {0, 1, 2}, true}};
  same_for_all_bounds(p, {{{1, 5}, {2, 2}, {3, 3}, {0xffffffff, 9}, {5, 6}}}, 10);
}

TEST_CASE("device-resident iterations of a proposition and its relation") {
  // on() :- n(30). n(x + 1) :- n(x), x < 30. n(x + 1) :- n(x), on(), x < 60.
  plan::program p = counting(false);
  p.relations.push_back({"on", {}, plan::form::automatic, 0});
  p.rules[0].body[1] = {plan::condition{apply_to(op::less, variable(0), constant(30))}};
  p.rules.push_back(make_rule("on", 0, {{plan::atom{0, {value(30)}}}}, {1, {}}));
  p.rules.push_back(make_rule("further", 1,
                              {{plan::atom{0, {slot(0)}}},
                               {plan::atom{1, {}}},
                               {plan::condition{apply_to(op::less, variable(0), constant(60))}}},
                              {0, {apply_to(op::add, variable(0), constant(1))}}));
  p.strata = {{{0, 1}, {0, 1, 2}, true}};
  same_for_all_bounds(p, {{{0}}}, 50);
}

TEST_CASE("a size limit ends device-resident iterations where it ends the host's") {
  plan::program p = from_one_source();
  p.relations[1].size_limit = 123;
  same_for_all_bounds(p, {path(300)}, 122);
  REQUIRE(evaluated(p, {path(300)}, options_for(small_use::everywhere)).relations[1][0].size() ==
          123);
}

TEST_CASE("division by zero in a small iteration is reported, and relations stay as they were") {
  const plan::program p = counting(true);
  for (const resident_bounds& bounds : tight) {
    const auto e = make_engine(p, test_device, options_for(small_use::everywhere, bounds));
    load(*e, 0, {{350}});
    e->run();
    REQUIRE(e->size(0) == 51);
    load(*e, 0, {{200}});
    try {
      e->run();
      FAIL("no error");
    } catch (const ikra::error& error) {
      REQUIRE(error.kind() == ikra::error_kind::failed_check);
      REQUIRE(std::string(error.what()).find("n(x + 1)") != std::string::npos);
    }
    REQUIRE(e->size(0) == 51);
    REQUIRE(read_all(*e, p, 0)[0].front() == 350);
  }
}

TEST_CASE("what is thrown while device-resident iterations are reported ends the run") {
  engine_options options = options_for(small_use::everywhere, {0, 0, 0, 10});
  std::vector<std::uint64_t> reported;
  options.progress = [&](const run_progress& now) {
    reported.push_back(now.iteration);
    REQUIRE(now.changes.size() == 1);
    REQUIRE(now.changes[0].size == now.iteration); // one tuple an iteration
    if (now.iteration > 50)
      throw std::runtime_error("enough");
  };
  const plan::program p = from_one_source();
  const auto e = make_engine(p, test_device, options);
  load(*e, 0, path(300));
  REQUIRE_THROWS_AS(e->run(), std::runtime_error);
  REQUIRE(reported == std::vector<std::uint64_t>{1, 11, 21, 31, 41, 51});
  REQUIRE(e->size(1) == 0);
}

TEST_CASE("a run goes on from device-resident iterations when facts are added") {
  // Another stratum reads what they give.
  plan::program p = from_one_source();
  p.relations.push_back({"next", {{}, {}}, plan::form::automatic, 0});
  p.rules.push_back(make_rule("next(x, y) :- reach(x), edge(x, y).", 2,
                              {{plan::atom{1, {slot(0)}}}, {plan::atom{0, {slot(0), slot(1)}}}},
                              {2, {variable(0), variable(1)}}));
  p.strata.push_back({{2}, {2}, false});
  numbers first(2), second(2);
  const numbers all = knotted(150);
  for (std::size_t i = 0; i < all[0].size(); ++i)
    for (std::size_t c = 0; c < 2; ++c)
      (i % 31 == 30 ? second : first)[c].push_back(all[c][i]);
  const result expected = evaluated(p, {all}, options_for(small_use::nowhere));
  for (const resident_bounds& bounds : tight) {
    const auto e = make_engine(p, test_device, options_for(small_use::everywhere, bounds));
    load(*e, 0, first);
    e->run();
    REQUIRE(e->size(1) < expected.relations[1][0].size());
    load(*e, 0, second);
    e->run();
    REQUIRE(of(*e, p).relations == expected.relations);
  }
}

TEST_CASE("rules that device-resident iterations lack are the host's") {
  class functions final : public host_functions {
  public:
    plan::value call(std::uint64_t, std::span<const plan::value> with) override {
      return with[0] + 1;
    }
  } host;
  plan::program p = counting(false);
  p.rules[0].heads[0].values[0] = {op::call, {}, 0, {variable(0)}};
  const auto e = make_engine(p, test_device, options_for(small_use::everywhere), &host);
  load(*e, 0, {{0}});
  e->run();
  REQUIRE(e->size(0) == 401);
  REQUIRE(e->statistics().small == 0);
  REQUIRE(e->statistics().iterations == 401);
}

TEST_CASE("device-resident iterations are left where memory is short") {
  engine_options options = options_for(small_use::everywhere);
  options.memory_limit = 1 << 20;
  const result found = evaluated(from_one_source(), {path(300)}, options);
  REQUIRE(found.relations[1][0].size() == 300);
  REQUIRE(found.small == 0);
}

TEST_CASE("the plan says where device-resident iterations were taken") {
  const plan::program p = from_one_source();
  const auto e = make_engine(p, test_device, options_for(small_use::everywhere));
  load(*e, 0, path(10));
  e->run();
  REQUIRE(e->describe().find("reach (recursive, runs, device-resident iterations)") !=
          std::string::npos);
}
