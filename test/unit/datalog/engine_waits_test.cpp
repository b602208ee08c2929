// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the engine does on a GPU, carried out by the host: how often it would wait for a count, and
// that relations are the same. The GPU's own operations have tests of their own, which need one.
#include "datalog/backend/host_backend.hpp"
#include "datalog/engine/fixpoint.hpp"

#include "engine_random.hpp"

#include <catch2/catch.hpp>

#include <array>

using namespace ikra::datalog;

namespace {

/// All cores that say they are a GPU, and count what a GPU's host waits for.
class gpu_on_host : public host_backend {
public:
  static constexpr bool is_cuda = true;
  using host_backend::host_backend;

  void download(void* to, const void* from, u64 bytes) {
    ++waits;
    host_backend::download(to, from, bytes);
  }
  u64 scan(u64* values, u64 count) {
    ++waits;
    return host_backend::scan(values, count);
  }
  template <class F> u64 sum(u64 count, const F& f) {
    ++waits;
    return host_backend::sum(count, f);
  }
  template <class Keep> u64 select(u64 count, const Keep& keep, u32* out) {
    ++waits;
    return host_backend::select(count, keep, out);
  }
  template <class Keep> u64 keep_words(u64* words, u64 count, const Keep& keep) {
    ++waits;
    return host_backend::keep_words(words, count, keep);
  }
  template <class F>
  u64 expand(const u64* offsets, u64 rows, u64 begin, u64 end, bool tested, const F& f) {
    waits += tested ? 1 : 0;
    return host_backend::expand(offsets, rows, begin, end, tested, f);
  }
  template <class F>
  u64 expand_new(const u64* offsets, u64 rows, u64 begin, u64 end, bool tested, const F& f,
                 const seen_tuples& known) {
    ++waits;
    return host_backend::expand_new(offsets, rows, begin, end, tested, f, known);
  }

  u64 waits = 0;
};
static_assert(engine_backend<gpu_on_host>);

engine_options over_runs() {
  engine_options options;
  options.form = plan::form::runs;
  options.small = small_use::nowhere;
  return options;
}

/// reach(y) from 0 along a path, and pair(y, z) of all that is reached:
/// edge(x, y) is relation 0, reach(0, y) relation 1, pair relation 2.
plan::program pairs_of_reached() {
  const plan::type number{plan::kind::number, 32};
  const auto variable = [&](std::uint32_t slot) {
    return plan::expression{plan::operation::variable, number, slot, {}};
  };
  plan::program made;
  for (const char* name : {"edge", "reach", "pair"}) {
    plan::relation r;
    r.name = name;
    r.columns = {number, number};
    made.relations.push_back(std::move(r));
  }
  const auto rule = [&](std::uint32_t head, std::array<std::uint32_t, 2> values,
                        std::vector<std::array<std::uint32_t, 3>> atoms) {
    plan::rule r;
    r.heads.push_back({head, {variable(values[0]), variable(values[1])}});
    for (const auto& [relation, first, second] : atoms)
      r.body.push_back({plan::atom{
          relation, {{plan::argument::variable, first}, {plan::argument::variable, second}}}});
    r.slots.assign(3, number);
    made.rules.push_back(std::move(r));
  };
  rule(1, {0, 2}, {{1, 0, 1}, {0, 1, 2}}); // reach(x, z) :- reach(x, y), edge(y, z).
  rule(2, {1, 2}, {{1, 0, 1}, {1, 0, 2}}); // pair(y, z) :- reach(x, y), reach(x, z).
  made.strata.push_back({{1, 2}, {0, 1}, true});
  return made;
}

void load(engine& into, std::uint32_t relation, const std::vector<std::uint32_t>& first,
          const std::vector<std::uint32_t>& second) {
  const column_view columns[] = {{first.data(), 32}, {second.data(), 32}};
  into.load(relation, columns, first.size());
}

/// Pairs along a path of edges, evaluated on what says that it is a GPU.
struct path_run {
  static constexpr std::uint32_t length = 100;
  std::vector<u64> waits; ///< before each iteration
  std::uint64_t reached = 0, pairs = 0;

  explicit path_run(engine_options options) {
    auto owned = std::make_unique<gpu_on_host>(0);
    const gpu_on_host& gpu = *owned;
    options.progress = [&](const run_progress&) { waits.push_back(gpu.waits); };
    engine_on<gpu_on_host> evaluated(std::move(owned), pairs_of_reached(), options, nullptr);
    std::vector<std::uint32_t> from, to;
    for (std::uint32_t i = 0; i < length; ++i) {
      from.push_back(i);
      to.push_back(i + 1);
    }
    load(evaluated, 0, from, to);
    load(evaluated, 1, {0}, {0});
    evaluated.run();
    reached = evaluated.size(1);
    pairs = evaluated.size(2);
  }
};

} // namespace

TEST_CASE("a GPU's host waits no oftener in late iterations than in early ones") {
  const path_run run(over_runs());
  CHECK(run.reached == path_run::length + 1);
  CHECK(run.pairs == (path_run::length + 1) * (path_run::length + 1));
  REQUIRE(run.waits.size() > path_run::length);
  // Two joins of delta with full, one with edge, and the new tuples of two relations are five. Hash
  // tables and samples for the planner come besides.
  constexpr u64 most = 8;
  for (std::size_t i = 10; i < path_run::length; ++i) {
    INFO("iteration " << i);
    CHECK(run.waits[i] - run.waits[i - 1] <= most);
  }
}

TEST_CASE("values are not numbered where no rule can be evaluated over bits") {
  engine_options options = over_runs();
  const path_run over_runs_alone(options);
  options.form = plan::form::automatic;
  const path_run chosen(options);
  CHECK(chosen.pairs == over_runs_alone.pairs);
  CHECK(chosen.waits == over_runs_alone.waits);
}

TEST_CASE("random plans give the same as on the host where runs are merged for a GPU") {
  for (unsigned seed = 0; seed < 150; ++seed) {
    INFO("seed " << seed);
    random_plans::generator random(seed, {});
    const plan::program program = random.make();
    random_plans::functions functions;
    engine_options options = over_runs();
    options.batch = seed % 3 == 0 ? 3 : 0;
    options.fewest_to_remember = seed % 2;
    const auto expected = make_engine(program, device_kind::cpu, options, &functions);
    engine_on<gpu_on_host> evaluated(std::make_unique<gpu_on_host>(0), program, options,
                                     &functions);
    for (std::uint32_t r = 0; r < program.relations.size(); ++r) {
      const auto facts = random.facts(program, r);
      std::vector<std::vector<plan::value>> columns(program.relations[r].columns.size());
      std::vector<column_view> views;
      for (std::size_t c = 0; c < columns.size(); ++c) {
        for (const auto& row : facts)
          columns[c].push_back(row[c]);
        views.push_back({columns[c].data(), 64});
      }
      expected->load(r, views, facts.size());
      evaluated.load(r, views, facts.size());
    }
    expected->run();
    evaluated.run();
    for (std::uint32_t r = 0; r < program.relations.size(); ++r)
      REQUIRE(read_all(evaluated, program, r) == read_all(*expected, program, r));
  }
}
