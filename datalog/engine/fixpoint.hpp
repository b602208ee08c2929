// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The engine on one backend: loads facts, evaluates strata semi-naïvely, reads relations. Written
// once for both devices; engine_host.cpp and engine_cuda.cu make it for theirs.
#pragma once

#include "datalog/engine/bits/dense_runner.hpp"
#include "datalog/engine/relations/chosen_keys.hpp"
#include "datalog/engine/relations/sampling.hpp"
#include "datalog/engine/relations/transfer.hpp"
#include "datalog/engine/resident/resident_runner.hpp"
#include "datalog/engine/rule_runner.hpp"
#include "datalog/plan/check_plan.hpp"

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace ikra::datalog {

template <class Backend> class engine_on final : public engine {
public:
  engine_on(std::unique_ptr<Backend> backend, plan::program program, engine_options options,
            host_functions* functions)
      : backend_(std::move(backend)), program_(std::move(program)), options_(std::move(options)),
        functions_(functions), batch_(options_.batch != 0 ? options_.batch : usual_batch()),
        seen_(options_.fewest_to_remember) {
    check_plan(program_);
    monotone_ = is_monotone(program_);
    for (const plan::relation& r : program_.relations) {
      relations_.emplace_back(*backend_, r.columns);
      facts_.emplace_back();
      changed_.emplace_back();
    }
    pending_.resize(program_.relations.size());
    for (relation_store<Backend>& r : relations_)
      sinks_.emplace_back(*backend_, r, options_, batch_, longest_part());
  }

  void load(u32 relation, std::span<const column_view> columns, u64 count) override {
    check_columns(relation, columns.size());
    load_parts(relation, columns.empty(), count, [&](u64 from, u64 n, kernels::pack_columns& pack) {
      std::vector<buffer<Backend, char>> staged;
      for (std::size_t c = 0; c < columns.size(); ++c) {
        const u64 width = columns[c].bits / 8u;
        staged.emplace_back(*backend_, n * width, "facts");
        backend_->upload(staged.back().data(),
                         static_cast<const char*>(columns[c].data) + from * width, n * width);
        pack.columns[c] = staged.back().data();
        pack.strides[c] = width;
        pack.bits[c] = columns[c].bits;
      }
      return staged;
    });
  }

  void load_from_device(u32 relation, std::span<const device_facts> columns, u64 count) override {
    check_columns(relation, columns.size());
    load_parts(relation, columns.empty(), count, [&](u64 from, u64, kernels::pack_columns& pack) {
      for (std::size_t c = 0; c < columns.size(); ++c) {
        pack.columns[c] = static_cast<const char*>(columns[c].first) + from * columns[c].stride;
        pack.strides[c] = columns[c].stride;
        pack.bits[c] = columns[c].bits;
      }
      return std::vector<buffer<Backend, char>>();
    });
  }

  void run_once();
  void run() override;

  u64 size(u32 relation) override { return relations_[relation].size(); }

  void read(u32 relation,
            const std::function<void(std::span<const column_view>, u64)>& take) override;
  void write_to_device(u32 relation, std::span<const device_room> columns) override;

  std::string describe() const override { return description_; }
  const run_statistics& statistics() const noexcept override { return statistics_; }

private:
  using clock = std::chrono::steady_clock;
  using changes = std::vector<shared_run<Backend>>;

  void check_columns(u32 relation, std::size_t columns) const {
    if (relation >= relations_.size() || columns != relations_[relation].column_count())
      throw error(error_kind::bad_shape,
                  "Datalog: " + std::to_string(columns) + " columns do not fit their relation");
  }

  /// Packs, sorts and keeps facts in parts. \param fill is given the part's first row, its length
  /// and what packs it, and says where columns are; what it returns is kept while they are read.
  template <class Fill> void load_parts(u32 relation, bool nullary, u64 count, const Fill& fill) {
    const std::vector<plan::type>& types = relations_[relation].types();
    const layout packed(types, identity_order(types.size()));
    // Of a proposition one fact says all.
    for (u64 from = 0, all = nullary ? std::min<u64>(count, 1) : count; from < all;
         from += longest_part()) {
      const u64 n = std::min(longest_part(), all - from);
      sorted_run<Backend> made(*backend_, n, packed.words);
      kernels::pack_columns pack{{}, {}, {}, packed, made.columns(), {}};
      for (std::size_t c = 0; c < types.size(); ++c)
        pack.floats[c] = types[c].of == plan::kind::floating;
      const auto kept = fill(from, n, pack);
      backend_->for_each(n, pack);
      sort_tuples(*backend_, made);
      drop_repeats(*backend_, made);
      pending_[relation].push_back(std::make_shared<sorted_run<Backend>>(std::move(made)));
    }
  }

  bool in_stratum(const plan::stratum& s, u32 relation) const {
    return std::find(s.relations.begin(), s.relations.end(), relation) != s.relations.end();
  }

  /// Whether a version begins with an empty delta.
  bool reads_empty_delta(const rule_version& version) const {
    const auto* join = std::get_if<join_step>(&version.steps.front().what);
    return join != nullptr && join->source.delta &&
           relations_[join->source.relation].delta_size() == 0;
  }

  double matches(u32 relation, column_set known, bool begins);
  void note_searches(u32 stratum, std::span<const u32> in);
  void choose_indices(u32 relation);
  void plan_versions();
  void plan_stratum(u32 number, bool begins);
  bool plan_again(u32 number);
  void settle_tests(u32 number);
  void describe_versions();
  void evaluate(u32 stratum, u32 iteration, const rule_version& version,
                dedup_filters<Backend>& seen);
  void evaluate(u32 stratum, u32 iteration, const rule_version& version) {
    evaluate(stratum, iteration, version, seen_);
  }
  void remove_dominated(const plan::stratum& s);
  void report(u32 stratum, u64 iteration);
  void flush_sinks(const plan::stratum& s);
  bool advance(const plan::stratum& s);
  bool is_complete(const plan::stratum& s) const;
  u64 run_resident(u32 number, u64 iteration, resident_iterations<Backend>& small);
  void give_facts(const plan::stratum& s);
  void run_stratum(u32 number);
  void run_with_context(u32 number);
  bool wants_dense(u32 number);
  bool run_dense(u32 number);
  void run_changes(u32 number);

  std::unique_ptr<Backend> backend_;
  plan::program program_;
  engine_options options_;
  host_functions* functions_;
  /// Rows that are worked on at once.
  static constexpr u64 most_in_batch = u64(1) << (Backend::is_cuda ? 27 : 22);
  /// On a CPU as many as keep all threads busy: what a join makes is mostly repeats, and takes
  /// memory until it is sorted.
  u64 usual_batch() const {
    return Backend::is_cuda ? most_in_batch
                            : std::min(most_in_batch, backend_->group_count() << 16);
  }
  /// Tuples that are sorted at once where there are no more of them to come than are kept.
  u64 longest_part() const { return options_.batch != 0 ? options_.batch : most_in_batch; }
  u64 batch_;
  bool monotone_ = false;
  bool complete_ = false;   ///< a run has ended, and its result stands
  bool continuing_ = false; ///< this run continues from the last one's result
  std::vector<relation_store<Backend>> relations_;
  std::vector<sink<Backend>> sinks_;
  dedup_filters<Backend> seen_;     ///< of the stratum that is evaluated
  std::vector<chosen_keys> chosen_; ///< by relation: what choice domains have taken
  std::vector<changes> facts_;      ///< loaded before the last run, in the natural order
  std::vector<changes> pending_;    ///< loaded since
  std::vector<changes> changed_;    ///< deltas of a continuing run
  std::vector<std::vector<rule_version>> first_versions_;     ///< by stratum: run once
  std::vector<std::vector<rule_version>> recursive_versions_; ///< by stratum
  std::vector<std::vector<rule_version>> removing_versions_;  ///< by stratum: of subsumption
  std::vector<std::optional<dense_stratum>> dense_;           ///< by stratum
  std::vector<u8> refuted_; ///< by stratum: versions lack tests that new facts may make true
  std::vector<std::optional<tuple_sample>> samples_; ///< by relation: the last one
  std::vector<std::vector<std::pair<u32, column_set>>>
      searches_;                   ///< by relation: strata's look-ups
  std::vector<std::string> forms_; ///< by stratum: what was done
  std::string description_;
  run_statistics statistics_;
  clock::time_point started_; ///< the run
  u64 next_plan_ = 0;         ///< tuples of the stratum at which its rules are planned again
  bool in_bits_ = false;      ///< a stratum is evaluated by matrices
};

template <class Backend> void engine_on<Backend>::plan_versions() {
  first_versions_.assign(program_.strata.size(), {});
  dense_.clear();
  refuted_.assign(program_.strata.size(), 0);
  forms_.assign(program_.strata.size(), "runs");
  for (const plan::stratum& s : program_.strata) {
    std::string why;
    dense_.push_back(find_dense(program_, s, why));
    for (const u32 r : s.relations)
      if (program_.relations[r].kept == plan::form::dense && !dense_.back())
        throw error(error_kind::unsupported, "Datalog: relation " + program_.relations[r].name +
                                                 " cannot be kept as bits: " + why);
  }
  recursive_versions_.assign(program_.strata.size(), {});
  removing_versions_.assign(program_.strata.size(), {});
  samples_.assign(program_.relations.size(), {});
  searches_.assign(program_.relations.size(), {});
  for (u32 s = 0; s < program_.strata.size(); ++s) {
    plan_stratum(s, false);
    note_searches(s, {});
  }
  for (u32 r = 0; r < program_.relations.size(); ++r)
    choose_indices(r);
}

/// Notes what a stratum's rules look up. \param in one of these, or all if there are none.
template <class Backend>
void engine_on<Backend>::note_searches(u32 stratum, std::span<const u32> in) {
  for (const auto* versions :
       {&first_versions_[stratum], &recursive_versions_[stratum], &removing_versions_[stratum]})
    for (const rule_version& version : *versions)
      for_each_probe(version.steps, [&](const probe& p) {
        if (in.empty() || std::find(in.begin(), in.end(), p.relation) != in.end())
          searches_[p.relation].emplace_back(stratum, p.known);
      });
}

template <class Backend> void engine_on<Backend>::choose_indices(u32 relation) {
  std::vector<column_set> sets;
  for (const auto& [stratum, set] : searches_[relation])
    sets.push_back(set);
  relations_[relation].set_orders(
      choose_orders(std::move(sets), program_.relations[relation].columns.size()));
}

/// The tuples of a relation that agree with given values, from a sample of those that are there.
/// \param begins false: they are not there yet, only facts are.
template <class Backend>
double engine_on<Backend>::matches(u32 relation, column_set known, bool begins) {
  std::optional<tuple_sample>& sample = samples_[relation];
  if (begins) {
    const index_data<Backend>& index = relations_[relation].indices().front();
    if (!sample || sample->population() != relations_[relation].size())
      sample.emplace(sample_of<Backend>(*backend_, index.full, index.packed));
  } else if (!sample) {
    changes facts = facts_[relation];
    facts.insert(facts.end(), pending_[relation].begin(), pending_[relation].end());
    const std::vector<plan::type>& types = relations_[relation].types();
    sample.emplace(
        sample_of<Backend>(*backend_, facts, layout(types, identity_order(types.size()))));
  }
  return std::max(sample->matches(known), 1.0);
}

/// Plans a stratum's rules. \param begins whether it is evaluated now, so that relations of lower
/// strata have their sizes.
template <class Backend> void engine_on<Backend>::plan_stratum(u32 number, bool begins) {
  const plan::stratum& s = program_.strata[number];
  // Relations that are still filled are taken for large.
  std::vector<char> filled(program_.relations.size(), 0);
  for (u32 r = 0; r < program_.rules.size(); ++r)
    if (!begins || std::find(s.rules.begin(), s.rules.end(), r) != s.rules.end())
      for (const plan::head& h : program_.rules[r].heads)
        filled[h.relation] = 1;
  const auto expected = [&](u32 relation, column_set known) {
    return filled[relation] != 0
               ? guessed_matches(u64(1) << 32, known, program_.relations[relation].columns.size())
               : matches(relation, known, begins);
  };
  refuted_[number] = 0;
  first_versions_[number].clear();
  recursive_versions_[number].clear();
  removing_versions_[number].clear();
  const auto add = [&](std::vector<rule_version>& to, u32 rule, int delta_atom, u32 version) {
    to.push_back(schedule(program_, rule, delta_atom, version, expected));
    attach_kernels(program_, options_.kernels, to.back());
  };
  const auto add_deltas = [&](std::vector<rule_version>& to, u32 rule) {
    int place = 0;
    u32 version = 0;
    for (const plan::literal& l : program_.rules[rule].body)
      if (const auto* a = std::get_if<plan::atom>(&l.what)) {
        if (in_stratum(s, a->relation))
          add(to, rule, place, version++);
        ++place;
      }
    return version != 0;
  };
  for (const u32 rule : s.rules)
    if (!add_deltas(recursive_versions_[number], rule))
      add(first_versions_[number], rule, -1, 0);
  for (const u32 rule : s.removals)
    add_deltas(removing_versions_[number], rule);
  if (!begins)
    return;
  // What it looks up in its own relations, still empty, may be something else now.
  for (const u32 r : s.relations)
    std::erase_if(searches_[r], [&](const auto& search) { return search.first == number; });
  note_searches(number, s.relations);
  for (const u32 r : s.relations)
    choose_indices(r);
}

/// Plans the recursive rules of a stratum anew, since its own relations have sizes now. An order is
/// changed only where that is expected to save much: another one may need indices of its own.
/// As many tuples as there are already are expected to come as delta.
/// \returns whether any was changed.
template <class Backend> bool engine_on<Backend>::plan_again(u32 number) {
  constexpr double less = 2;     // times fewer rows: estimates are no better than that
  constexpr double start = 1024; // tuples whose sorting takes as long as changing a version
  const auto saving = static_cast<double>(options_.least_saving);
  const plan::stratum& s = program_.strata[number];
  u64 now = 0;
  for (const u32 r : s.relations)
    now += relations_[r].size();
  if (now < next_plan_)
    return false;
  next_plan_ = 4 * std::max<u64>(now, 1);
  const auto expected = [&](u32 r, column_set known) { return matches(r, known, true); };
  bool changed = false;
  std::map<u32, u32> versions; // by rule
  for (rule_version& old : recursive_versions_[number]) {
    const u32 version = versions[old.rule]++;
    rule_version made = schedule(program_, old.rule, old.delta_atom, version, expected);
    const double before = expected_rows(old, expected), after = expected_rows(made, expected);
    double sorted = start;
    for_each_probe(made.steps, [&](const probe& p) {
      if (!relations_[p.relation].has_index(p.known))
        sorted += static_cast<double>(relations_[p.relation].size());
    });
    if (saving != 0 &&
        (after * less > before || (before - after) * static_cast<double>(now) < saving * sorted))
      continue;
    attach_kernels(program_, options_.kernels, made);
    old = std::move(made);
    changed = true;
  }
  if (changed)
    seen_.clear(); // rows between joins are others
  return changed;
}

/// Carries out the tests of recursive rules that read nothing but lower strata: answers stay.
template <class Backend> void engine_on<Backend>::settle_tests(u32 number) {
  const plan::stratum& s = program_.strata[number];
  rule_runner<Backend> runner(*backend_, program_, relations_, sinks_, seen_, functions_, batch_);
  for (rule_version& version : recursive_versions_[number]) {
    if (std::any_of(version.kernels.begin(), version.kernels.end(),
                    [](const auto& kernel) { return kernel != nullptr; }))
      continue; // steps have their places
    for (std::size_t i = 0; i < version.steps.size(); ++i) {
      const auto* test = std::get_if<exists_step>(&version.steps[i].what);
      if (test == nullptr || !test->given.empty() || test->may_fail)
        continue;
      bool stays = true;
      for_each_probe(test->body, [&](const probe& p) { stays &= !in_stratum(s, p.relation); });
      if (!stays)
        continue;
      if (!runner.holds(version, *test)) {
        version.steps[i].what = filter_step{{plan::operation::constant, {}, 0, {}}};
        refuted_[number] = 1;
        break;
      }
      version.steps.erase(version.steps.begin() + static_cast<std::ptrdiff_t>(i));
      --i;
      version.kernels.pop_back(); // as many as steps, and one
    }
  }
}

/// Whether some step calls a host function.
inline bool calls_host(const std::vector<step>& steps) {
  return std::any_of(steps.begin(), steps.end(), [](const step& s) {
    if (const auto* a = std::get_if<aggregate_step>(&s.what))
      return calls_host(a->body);
    if (const auto* e = std::get_if<exists_step>(&s.what))
      return calls_host(e->body);
    return std::holds_alternative<call_step>(s.what);
  });
}

template <class Backend> void engine_on<Backend>::describe_versions() {
  description_.clear();
  std::set<std::string> on_host;
  for (std::size_t s = 0; s < program_.strata.size(); ++s) {
    description_ += "stratum " + std::to_string(s) + ":";
    for (const u32 r : program_.strata[s].relations)
      description_ += " " + program_.relations[r].name;
    description_ +=
        std::string(program_.strata[s].recursive ? " (recursive, " : " (") + forms_[s] + ")\n";
    for (const auto* versions :
         {&first_versions_[s], &recursive_versions_[s], &removing_versions_[s]})
      for (const rule_version& v : *versions) {
        description_ += "  " + program_.rules[v.rule].text + "\n" + print(program_, v, "    ");
        if (calls_host(v.steps))
          on_host.insert("functions in " + program_.rules[v.rule].text);
      }
    for (const u32 r : program_.strata[s].relations)
      if (!program_.relations[r].choices.empty())
        on_host.insert("the choice of tuples of " + program_.relations[r].name);
  }
  description_ += "indices:\n";
  for (u32 r = 0; r < program_.relations.size(); ++r) {
    description_ += "  " + program_.relations[r].name + ":";
    for (const index_data<Backend>& index : relations_[r].indices()) {
      description_ += " (";
      for (std::size_t i = 0; i < index.order.size(); ++i)
        description_ += (i == 0 ? "" : ", ") + std::to_string(index.order[i]);
      description_ += ")";
    }
    description_ += "\n";
  }
  if (!on_host.empty())
    description_ += "by one thread of the host:\n";
  for (const std::string& what : on_host)
    description_ += "  " + what + "\n";
}

template <class Backend>
void engine_on<Backend>::evaluate(u32 stratum, u32 iteration, const rule_version& version,
                                  dedup_filters<Backend>& seen) {
  const auto start = clock::now();
  rule_runner<Backend> runner(*backend_, program_, relations_, sinks_, seen, functions_, batch_);
  u64 joined = 0;
  try {
    joined = runner.evaluate(version);
  } catch (const error& problem) {
    if (problem.kind() != error_kind::out_of_memory)
      throw;
    throw error(problem.kind(),
                ikra::detail::text(problem.what(), "\n    rule ", program_.rules[version.rule].text,
                                   program_.rules[version.rule].place));
  }
  if (options_.profile) {
    backend_->synchronize();
    statistics_.profile.push_back(
        {stratum, version.rule, static_cast<u32>(std::max(version.delta_atom, 0)), iteration,
         std::chrono::duration<double>(clock::now() - start).count(), joined});
  }
}

template <class Backend> void engine_on<Backend>::flush_sinks(const plan::stratum& s) {
  for (const u32 r : s.relations) {
    sinks_[r].flush();
    if (!program_.relations[r].choices.empty())
      relations_[r].keep_some_fresh(
          [&](std::span<const u64> tuple) { return chosen_[r].add(tuple); });
  }
}

/// Makes the new tuples the deltas. \returns whether there are any.
template <class Backend> bool engine_on<Backend>::advance(const plan::stratum& s) {
  flush_sinks(s);
  for (const u32 r : s.relations)
    if (relations_[r].advance() != 0 && continuing_)
      changed_[r].push_back(relations_[r].indices().front().delta);
  remove_dominated(s);
  return !is_complete(s);
}

/// Carries out the stratum's rules of subsumption. Tables of repeats are of this iteration alone: a
/// tuple that was removed may come again, and has to be removed again.
template <class Backend> void engine_on<Backend>::remove_dominated(const plan::stratum& s) {
  if (s.removals.empty())
    return;
  const auto number = static_cast<u32>(&s - program_.strata.data());
  dedup_filters<Backend> seen(options_.fewest_to_remember);
  for (const rule_version& version : removing_versions_[number])
    if (!reads_empty_delta(version))
      evaluate(number, 0, version, seen);
  for (const u32 r : s.relations)
    if (const auto& dominated = program_.relations[r].dominated) {
      sinks_[*dominated].flush();
      for (const sorted_run<Backend>& tuples : relations_[*dominated].take_fresh())
        relations_[r].remove(tuples);
    }
}

/// Whether no relation has a delta, or one is as large as it may become.
template <class Backend> bool engine_on<Backend>::is_complete(const plan::stratum& s) const {
  bool more = false, full = false;
  for (const u32 r : s.relations) {
    more |= relations_[r].delta_size() != 0;
    const u64 limit = program_.relations[r].size_limit;
    full |= limit != 0 && relations_[r].size() >= limit;
  }
  return full || !more;
}

/// Facts of a stratum's relations become new tuples.
template <class Backend> void engine_on<Backend>::give_facts(const plan::stratum& s) {
  for (const u32 r : s.relations) {
    const auto give = [&](const changes& all) {
      for (const shared_run<Backend>& fact : all)
        relations_[r].add_facts(*fact);
    };
    if (!continuing_)
      give(facts_[r]);
    give(pending_[r]);
  }
}

template <class Backend> void engine_on<Backend>::run_stratum(u32 number) {
  const plan::stratum& s = program_.strata[number];
  seen_.clear();
  if (!continuing_ || refuted_[number] != 0)
    plan_stratum(number, true);
  give_facts(s);
  const auto tell = [&](u64 iteration) {
    if (functions_ != nullptr)
      functions_->begin_iteration(iteration);
  };
  tell(0);
  if (continuing_) {
    run_changes(number);
  } else {
    for (const rule_version& version : first_versions_[number])
      evaluate(number, 0, version);
  }
  bool more = advance(s);
  if (more && wants_dense(number)) {
    seen_.clear();
    if (run_dense(number))
      return;
  }
  std::optional<resident_iterations<Backend>> small;
  const auto prepare = [&] {
    small.emplace(*backend_, relations_, s, recursive_versions_[number], program_, options_);
  };
  next_plan_ = options_.least_saving == 0 ? 0 : 1024;
  if (more)
    settle_tests(number);
  prepare();
  for (u64 iteration = 1; more;) {
    if (plan_again(number)) {
      settle_tests(number);
      prepare();
    }
    report(number, iteration);
    tell(iteration);
    if (const u64 done = run_resident(number, iteration, *small); done != 0) {
      iteration += done;
      more = !is_complete(s);
      continue;
    }
    for (const rule_version& version : recursive_versions_[number]) {
      if (reads_empty_delta(version))
        continue;
      evaluate(number, static_cast<u32>(iteration), version);
    }
    ++statistics_.iterations;
    ++iteration;
    more = advance(s);
  }
  seen_.clear();
  for (const u32 r : s.relations)
    relations_[r].drop_delta();
}

/// Says of a stratum whose evaluation runs out of memory what it evaluates, and how far it came.
template <class Backend> void engine_on<Backend>::run_with_context(u32 number) {
  const u64 before = statistics_.iterations;
  try {
    run_stratum(number);
  } catch (const error& problem) {
    if (problem.kind() != error_kind::out_of_memory)
      throw;
    std::string message = problem.what();
    for (const u32 r : program_.strata[number].relations)
      message += ikra::detail::text("\n    relation ", program_.relations[r].name, ": ",
                                    relations_[r].size(), " tuples after ",
                                    statistics_.iterations - before, " iterations");
    throw error(problem.kind(), message);
  }
}

/// \returns how many device-resident iterations were carried out.
template <class Backend>
u64 engine_on<Backend>::run_resident(u32 number, u64 iteration,
                                     resident_iterations<Backend>& small) {
  const u64 done = small.run();
  if (done == 0)
    return 0;
  const plan::stratum& s = program_.strata[number];
  for (std::size_t i = 0; continuing_ && i < s.relations.size(); ++i)
    if (small.added(i))
      changed_[s.relations[i]].push_back(small.added(i));
  forms_[number] = "runs, device-resident iterations";
  statistics_.iterations += done;
  statistics_.small += done;
  small.for_each_trace([&](u64 after, u64 version, double seconds, u64 joined) {
    const rule_version& v = recursive_versions_[number][version];
    statistics_.profile.push_back({number, v.rule, static_cast<u32>(std::max(v.delta_atom, 0)),
                                   static_cast<u32>(iteration + after), seconds, joined});
  });
  return done;
}

/// Says where the run is, to who wants to know.
template <class Backend> void engine_on<Backend>::report(u32 stratum, u64 iteration) {
  if (!options_.progress)
    return;
  std::vector<run_progress::change> made;
  if (!in_bits_) // else they are counted at the end
    for (const u32 r : program_.strata[stratum].relations)
      made.push_back({r, relations_[r].delta_size(), relations_[r].size()});
  options_.progress(
      {stratum, iteration, std::chrono::duration<double>(clock::now() - started_).count(), made});
}

/// Whether the stratum may be evaluated over bits. \throws ikra::error of kind unsupported if a
/// relation must be dense and cannot.
template <class Backend> bool engine_on<Backend>::wants_dense(u32 number) {
  bool runs = options_.form == plan::form::runs;
  for (const u32 r : program_.strata[number].relations) {
    const plan::form kept = program_.relations[r].kept;
    runs = kept == plan::form::automatic ? runs : kept == plan::form::runs;
  }
  return !runs && !continuing_ && dense_[number].has_value();
}

/// Evaluates a stratum over bits, from the tuples that its other rules gave. \returns false, and
/// does nothing, if bits do not pay or do not fit.
template <class Backend> bool engine_on<Backend>::run_dense(u32 number) {
  const auto start = clock::now();
  const plan::stratum& s = program_.strata[number];
  const dense_stratum& dense = *dense_[number];
  bool forced = options_.form == plan::form::dense;
  for (const u32 r : s.relations)
    forced |= program_.relations[r].kept == plan::form::dense;

  dense_runner<Backend> work(*backend_, relations_, s, dense, options_, forced, batch_);
  in_bits_ = true;
  const auto done = work.run([&](u64 iteration) { report(number, iteration); });
  in_bits_ = false;
  if (!done)
    return false;
  forms_[number] = done->form;
  statistics_.iterations += done->iterations;
  if (options_.profile) {
    backend_->synchronize();
    u64 found = 0;
    for (const u32 r : s.relations)
      found += relations_[r].size();
    statistics_.profile.push_back({number, dense.chains.front().rule, 0, 1,
                                   std::chrono::duration<double>(clock::now() - start).count(),
                                   found});
  }
  return true;
}

/// What changed in lower strata takes part as delta, one atom at a time.
template <class Backend> void engine_on<Backend>::run_changes(u32 number) {
  const plan::stratum& s = program_.strata[number];
  const auto expected = [&](u32 r, column_set known) { return matches(r, known, true); };
  for (const u32 rule : s.rules) {
    int place = 0;
    for (const plan::literal& l : program_.rules[rule].body) {
      const auto* a = std::get_if<plan::atom>(&l.what);
      if (a == nullptr)
        continue;
      if (!in_stratum(s, a->relation) && !changed_[a->relation].empty()) {
        rule_version version = schedule(program_, rule, place, 0, expected);
        attach_kernels(program_, options_.kernels, version);
        for (const shared_run<Backend>& part : changed_[a->relation]) {
          relations_[a->relation].show_delta(part);
          evaluate(number, 0, version);
        }
        relations_[a->relation].drop_delta();
      }
      ++place;
    }
  }
}

template <class Backend> void engine_on<Backend>::run_once() {
  statistics_ = {};
  backend_->reset_peak();
  started_ = clock::now();
  in_bits_ = false;
  std::vector<char> grown(relations_.size(), 0);
  for (u32 r = 0; r < relations_.size(); ++r)
    grown[r] = pending_[r].empty() ? 0 : 1;
  continuing_ = complete_ && only_adds_tuples(program_, grown);
  if (!continuing_) {
    for (relation_store<Backend>& r : relations_)
      r.clear();
    chosen_.clear();
    for (const plan::relation& r : program_.relations)
      chosen_.emplace_back(r.choices);
    plan_versions();
  }
  for (changes& c : changed_)
    c.clear();
  std::vector<char> in_strata(relations_.size(), 0);
  for (const plan::stratum& s : program_.strata)
    for (const u32 r : s.relations)
      in_strata[r] = 1;
  for (u32 r = 0; r < relations_.size(); ++r)
    if (in_strata[r] == 0) {
      const plan::stratum alone{{r}, {}, false};
      give_facts(alone);
      while (advance(alone)) {
      }
      relations_[r].drop_delta();
    }
  for (u32 s = 0; s < program_.strata.size(); ++s)
    run_with_context(s);
  backend_->synchronize();
  statistics_.seconds = std::chrono::duration<double>(clock::now() - started_).count();
  statistics_.peak_bytes = backend_->peak();
  describe_versions();
}

template <class Backend> void engine_on<Backend>::run() {
  std::vector<typename relation_store<Backend>::snapshot> before;
  for (const relation_store<Backend>& r : relations_)
    before.push_back(r.save());
  // A guard rather than a handler: whatever is thrown goes on to the caller.
  struct guard {
    engine_on& self;
    std::vector<typename relation_store<Backend>::snapshot>& before;
    bool done = false;
    guard(engine_on& engine, std::vector<typename relation_store<Backend>::snapshot>& snapshots)
        : self(engine), before(snapshots) {}
    guard(const guard&) = delete;
    guard& operator=(const guard&) = delete;
    ~guard() {
      if (done)
        return;
      for (std::size_t r = 0; r < before.size(); ++r) {
        self.relations_[r].restore(before[r]);
        self.sinks_[r].forget();
      }
      self.seen_.clear();
    }
  } undo(*this, before);
  run_once();
  undo.done = true;
  complete_ = true;
  for (std::size_t r = 0; r < pending_.size(); ++r) {
    // Without continuing, facts are needed again.
    if (!monotone_)
      facts_[r].insert(facts_[r].end(), pending_[r].begin(), pending_[r].end());
    pending_[r].clear();
  }
}

template <class Backend>
void engine_on<Backend>::read(u32 relation,
                              const std::function<void(std::span<const column_view>, u64)>& take) {
  layout packed;
  const std::vector<shared_run<Backend>> parts = relations_[relation].sorted(packed);
  constexpr u64 block = u64(1) << 22;
  const std::vector<plan::type>& types = relations_[relation].types();
  for (const shared_run<Backend>& part : parts)
    for (u64 from = 0; from < part->size(); from += block) {
      const u64 n = std::min(block, part->size() - from);
      std::vector<std::vector<char>> bytes;
      std::vector<column_view> views;
      for (std::size_t c = 0; c < types.size(); ++c) {
        const u64 size = n * types[c].bits / 8u;
        const buffer<Backend, char> column(*backend_, size, "a column to read");
        const field at = packed.fields[c];
        const u64* const words = part->columns().words[at.word] + from;
        if (at.bits == 32)
          backend_->for_each(
              n, kernels::unpack_column<u32>{words, at, reinterpret_cast<u32*>(column.data())});
        else
          backend_->for_each(
              n, kernels::unpack_column<u64>{words, at, reinterpret_cast<u64*>(column.data())});
        bytes.emplace_back(size);
        backend_->download(bytes.back().data(), column.data(), size);
        views.push_back({bytes.back().data(), at.bits});
      }
      take(views, n);
    }
}

template <class Backend>
void engine_on<Backend>::write_to_device(u32 relation, std::span<const device_room> columns) {
  check_columns(relation, columns.size());
  layout packed;
  std::vector<shared_run<Backend>> parts = relations_[relation].sorted(packed);
  const value_keys kinds = order_by_value(*backend_, parts, packed, relations_[relation].types());
  u64 row = 0;
  for (const shared_run<Backend>& part : parts) {
    kernels::unpack_rows unpack{part->columns(), packed, {}, {}, {}};
    std::copy(kinds.begin(), kinds.end(), unpack.kinds);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      unpack.columns[c] = static_cast<char*>(columns[c].first) + row * columns[c].stride;
      unpack.strides[c] = columns[c].stride;
    }
    backend_->for_each(part->size(), unpack);
    row += part->size();
  }
}

} // namespace ikra::datalog
