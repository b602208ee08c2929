// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans the rules of the engine's strata: their versions and indices, before the run, when a
// stratum begins, and again as its relations grow. Written once for both devices.
#pragma once

#include "datalog/engine/engine_on.hpp"
#include "datalog/engine/relations/value_widths.hpp"

namespace ikra::datalog {

/// Gives columns the bits that their values need. Kernels read those that types have.
template <class Backend> void engine_on<Backend>::narrow_columns() {
  if constexpr (!Backend::is_cuda) {
    if (!options_.narrow || !options_.kernels.empty())
      return;
    for (u32 r = 0; r < relations_.size(); ++r) {
      const std::vector<plan::type>& types = relations_[r].types();
      for (const shared_run<Backend>& facts : pending_[r])
        widen(fact_widths_[r], *facts, layout(types, identity_order(types.size())));
    }
    const std::vector<column_widths> widths = widths_of(program_, fact_widths_);
    for (u32 r = 0; r < relations_.size(); ++r)
      relations_[r].set_widths(widths[r]);
  }
}

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
  rule_runner<Backend> runner(*backend_, program_, relations_, sinks_, seen_, functions_, batch_,
                              fault_);
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

/// Plans the stratum's recursive rules by groups of delta, too. Kernels have no such steps.
template <class Backend> void engine_on<Backend>::group_deltas(u32 number) {
  grouped_versions_.clear();
  if (!groups_deltas())
    return;
  for (const rule_version& version : recursive_versions_[number])
    grouped_versions_.push_back(by_groups(version));
}

/// The version by groups of delta, if these have as many tuples as that pays for, and an index
/// has them beside each other.
template <class Backend>
const rule_version& engine_on<Backend>::by_groups_if_worth(u32 stratum, std::size_t version) {
  const rule_version& usual = recursive_versions_[stratum][version];
  if constexpr (!Backend::is_cuda) {
    if (version >= grouped_versions_.size() || !grouped_versions_[version])
      return usual;
    const rule_version& grouped = *grouped_versions_[version];
    const auto& first = std::get<join_step>(grouped.steps.front().what);
    relation_store<Backend>& store = relations_[first.source.relation];
    const column_set columns = bound_columns(first);
    if (store.delta_size() < options_.fewest_to_group || !store.has_index(columns))
      return usual;
    if (options_.fewest_to_group == 0)
      return grouped;
    const index_data<Backend>& index = store.index_for(columns, false);
    const auto prefix = static_cast<unsigned>(std::popcount(columns));
    const kernels::starts_group starts{index.delta->columns(), masks_of(index.packed, prefix)};
    const u64 groups =
        backend_->sum(index.delta->size(), [&](u64 i) { return starts(i) ? u64(1) : u64(0); });
    constexpr u64 least = 2; // tuples in a group
    if (groups * least <= index.delta->size())
      return grouped;
  }
  return usual;
}

/// Calls visit for each step that calls a host function, but for those within kernels.
inline void for_each_host_call(const std::vector<step>& steps, const step_kernels& kernels,
                               const std::function<void(const call_step&)>& visit) {
  for (std::size_t at = 0, compiled = 0; at < steps.size(); ++at) {
    if (at >= compiled && kernels[at] != nullptr)
      compiled = at + kernels[at]->shape.steps;
    if (const auto* a = std::get_if<aggregate_step>(&steps[at].what))
      for_each_host_call(a->body, a->kernels, visit);
    else if (const auto* e = std::get_if<exists_step>(&steps[at].what))
      for_each_host_call(e->body, e->kernels, visit);
    else if (const auto* c = std::get_if<call_step>(&steps[at].what);
             c != nullptr && at >= compiled)
      visit(*c);
  }
}

template <class Backend> void engine_on<Backend>::describe_versions() {
  description_.clear();
  std::set<std::string> on_host, on_threads;
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
        if (const auto grouped = by_groups(v); grouped && groups_deltas())
          description_ += "    or by groups of delta:\n" + print(program_, *grouped, "      ");
        for_each_host_call(v.steps, v.kernels, [&](const call_step& c) {
          const auto functor = program_.functors.find(c.function);
          const std::string in = " in " + program_.rules[v.rule].text;
          if (functor == program_.functors.end())
            on_host.insert("functions" + in);
          else
            (functor->second.all_threads ? on_threads : on_host)
                .insert("functor " + functor->second.name + in);
        });
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
  const auto list = [&](const char* by, const std::set<std::string>& all) {
    if (!all.empty())
      description_ += std::string("by ") + by + " of the host:\n";
    for (const std::string& what : all)
      description_ += "  " + what + "\n";
  };
  list("all threads", on_threads);
  list("one thread", on_host);
}

} // namespace ikra::datalog
