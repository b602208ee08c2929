// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random plans: the engine and the naïve evaluator give the same relations, for tiny and large
// batches, in every form, and when facts come in two runs.
#include "engine_device.hpp"
#include "engine_naive.hpp"
#include "engine_random.hpp"

#include <catch2/catch.hpp>

using namespace ikra::datalog;

namespace {

using rows = std::vector<std::vector<plan::value>>;

void load(engine& into, const plan::program& program, std::uint32_t relation, const rows& facts) {
  const auto& types = program.relations[relation].columns;
  std::vector<std::vector<plan::value>> columns(types.size());
  for (const auto& row : facts)
    for (std::size_t c = 0; c < types.size(); ++c)
      columns[c].push_back(row[c]);
  std::vector<column_view> views;
  for (const auto& column : columns)
    views.push_back({column.data(), 64});
  into.load(relation, views, facts.size());
}

naive::relation as_set(const tuple_columns& columns, std::uint64_t size) {
  naive::relation all;
  for (std::uint64_t i = 0; i < size; ++i) {
    naive::tuple t;
    for (const auto& column : columns)
      t.push_back(column[i]);
    all.insert(std::move(t));
  }
  return all;
}

bool ascending(const tuple_columns& columns) {
  for (std::size_t i = 0; !columns.empty() && i + 1 < columns[0].size(); ++i) {
    naive::tuple a, b;
    for (const auto& column : columns) {
      a.push_back(column[i]);
      b.push_back(column[i + 1]);
    }
    if (!(a < b))
      return false;
  }
  return true;
}

void compare(engine& evaluated, const plan::program& program,
             const std::vector<naive::relation>& expected) {
  for (std::uint32_t r = 0; r < program.relations.size(); ++r) {
    INFO("relation " << r << "\n" << evaluated.describe());
    REQUIRE(evaluated.size(r) == expected[r].size());
    const tuple_columns columns = read_all(evaluated, program, r);
    REQUIRE(as_set(columns, expected[r].size()) == expected[r]);
    REQUIRE(ascending(columns));
  }
}

/// \param parts 2: facts come before the first and before the second run.
/// \returns the number of device-resident iterations.
std::uint64_t check(unsigned seed, random_plans::options kind, engine_options options,
                    unsigned parts) {
  INFO("seed " << seed);
  random_plans::generator random(seed, kind);
  const plan::program program = random.make();
  random_plans::functions functions;
  std::vector<naive::relation> facts(program.relations.size());
  const auto evaluated = make_engine(program, test_device, options, &functions);
  std::uint64_t small = 0;
  for (unsigned part = 0; part < parts; ++part) {
    for (std::uint32_t r = 0; r < program.relations.size(); ++r) {
      const rows more = random.facts(program, r);
      load(*evaluated, program, r, more);
      facts[r].insert(more.begin(), more.end());
    }
    evaluated->run();
    compare(*evaluated, program, naive::evaluator(program, facts, &functions).run());
    small += evaluated->statistics().small;
  }
  return small;
}

engine_options with(plan::form form, std::uint64_t batch, bool eager) {
  engine_options options;
  options.form = form;
  options.lists = list_use::everywhere;
  options.batch = batch;
  options.eager_buffers = eager;
  return options;
}

} // namespace

TEST_CASE("random plans give what naive evaluation gives") {
  for (unsigned seed = 0; seed < 400; ++seed)
    check(seed, {}, with(plan::form::automatic, 0, true), 1);
}

TEST_CASE("random plans do not depend on the size of batches and buffers") {
  for (unsigned seed = 400; seed < 600; ++seed) {
    check(seed, {}, with(plan::form::runs, 1, true), 1);
    engine_options usual = with(plan::form::runs, 3, false);
    usual.narrow = false;
    check(seed, {}, usual, 1);
  }
}

TEST_CASE("random plans whose heads need few variables give what naive evaluation gives") {
  for (unsigned seed = 2000; seed < 2400; ++seed) {
    const random_plans::options kind{seed % 4 == 3, false, seed % 4 == 1, true};
    engine_options options = with(plan::form::runs, seed % 2 == 0 ? 0 : 3, true);
    options.fewest_to_remember = seed % 3 == 0 ? 1 : 0;
    options.least_saving = seed % 2 == 0 ? 0 : 16;
    options.fewest_to_group = seed % 4 < 2 ? 0 : 1024;
    options.small = seed % 5 == 0 ? small_use::everywhere : small_use::automatic;
    check(seed, kind, options, seed % 3 + 1);
  }
}

TEST_CASE("random plans do not depend on tables of repeats") {
  for (unsigned seed = 1100; seed < 1500; ++seed) {
    engine_options options = with(plan::form::runs, seed % 2 == 0 ? 0 : 11, true);
    options.fewest_to_remember = 1;
    check(seed, {seed % 4 == 3, seed % 4 == 3}, options, seed % 3 == 0 ? 2 : 1);
  }
}

/// Device-resident iterations wherever rules allow them, with bounds that few random plans pass (0:
/// none) or many do.
engine_options in_resident_iterations(unsigned bounds) {
  engine_options options = with(plan::form::runs, 0, true);
  options.small = small_use::everywhere;
  switch (bounds) {
  case 1:
    options.bounds_of_resident = {1, 2, 1, 1};
    break;
  case 2:
    options.bounds_of_resident = {3, 7, 5, 2};
    break;
  case 3:
    options.bounds_of_resident = {0, 16, 20, 3};
    break;
  default:
    break;
  }
  return options;
}

TEST_CASE("random plans give the same with device-resident iterations") {
  std::uint64_t small = 0;
  for (unsigned seed = 1500; seed < 1800; ++seed) {
    const random_plans::options kind{false, seed % 4 == 1, seed % 4 != 3};
    for (unsigned bounds = 0; bounds < 4; ++bounds)
      small += check(seed, kind, in_resident_iterations(bounds), seed % 3 == 0 ? 3 : 1);
    engine_options nowhere = with(plan::form::runs, 0, true);
    nowhere.small = small_use::nowhere;
    REQUIRE(check(seed, kind, nowhere, 1) == 0);
  }
  REQUIRE(small > 700);
}

TEST_CASE("random plans go on when facts are added") {
  for (unsigned seed = 600; seed < 800; ++seed) {
    check(seed, {}, with(plan::form::automatic, 0, true), 3);
    check(seed, {true, false}, with(plan::form::automatic, 5, true), 3);
  }
}

TEST_CASE("random chains of binary relations give the same in every form") {
  for (unsigned seed = 800; seed < 1100; ++seed) {
    for (const plan::form form : {plan::form::automatic, plan::form::runs, plan::form::dense})
      check(seed, {true, true}, with(form, 0, true), 2);
    for (const order_use order : {order_use::everywhere, order_use::nowhere}) {
      engine_options options = with(plan::form::dense, seed % 2 == 0 ? 0 : 7, true);
      options.order = order;
      check(seed, {true, true}, options, 2);
    }
  }
}
