// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates strata semi-naïvely: rules, deltas, subsumption, iterations by one group of threads or
// over bits, and runs that continue. Written once for both devices; engine_host.cpp and
// engine_cuda.cu make the engine for theirs.
#pragma once

#include "datalog/engine/planning.hpp"

namespace ikra::datalog {

template <class Backend>
void engine_on<Backend>::evaluate(u32 stratum, u32 iteration, const rule_version& version,
                                  dedup_filters<Backend>& seen) {
  const auto start = clock::now();
  rule_runner<Backend> runner(*backend_, program_, relations_, sinks_, seen, functions_, batch_,
                              fault_);
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
  seen_.end_iteration();
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
  if (more) {
    settle_tests(number);
    group_deltas(number);
  }
  prepare();
  for (u64 iteration = 1; more;) {
    if (plan_again(number)) {
      settle_tests(number);
      group_deltas(number);
      prepare();
    }
    report(number, iteration);
    tell(iteration);
    if (const u64 done = run_resident(number, iteration, *small); done != 0) {
      iteration += done;
      more = !is_complete(s);
      continue;
    }
    for (std::size_t v = 0; v < recursive_versions_[number].size(); ++v)
      if (!reads_empty_delta(recursive_versions_[number][v])) {
        const rule_version& version = by_groups_if_worth(number, v);
        statistics_.grouped += &version != &recursive_versions_[number][v] ? 1 : 0;
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
  backend_->clear(fault_.data(), sizeof(u32));
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
  }
  narrow_columns();
  if (!continuing_)
    plan_versions();
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
      if (!done) {
        for (std::size_t r = 0; r < before.size(); ++r) {
          self.relations_[r].restore(before[r]);
          self.sinks_[r].forget();
        }
        self.seen_.clear();
      }
      before.clear(); // which has the runs of before
      self.backend_->trim();
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

} // namespace ikra::datalog
