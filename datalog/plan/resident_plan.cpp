// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flattens versions: a segment is a join or a range with the bindings, conditions and negations
// that follow it; variables become numbers.
#include "datalog/plan/resident_plan.hpp"

#include <algorithm>
#include <bit>

namespace ikra::datalog::resident {

namespace {

u32 size_of(const auto& all) { return static_cast<u32>(all.size()); }

u32 store_of(const plan::stratum& s, u32 relation) {
  const auto at = std::find(s.relations.begin(), s.relations.end(), relation);
  return at == s.relations.end() ? none : static_cast<u32>(at - s.relations.begin());
}

/// The words of some columns, which need not come first.
prefix_masks masks_of_columns(const layout& packed, column_set columns) {
  prefix_masks made;
  for (u32 c = 0; c < packed.columns; ++c) {
    if (((columns >> c) & 1) == 0)
      continue;
    const field at = packed.fields[c];
    made.mask[at.word] |= low_bits(at.bits) << at.shift;
    made.words = std::max(made.words, static_cast<u8>(at.word + 1));
  }
  return made;
}

bool produces(const step& s) {
  return std::holds_alternative<join_step>(s.what) || std::holds_alternative<generate_step>(s.what);
}

/// Appends steps in which tests are joins: rows are few, and head tuples are compared anyway.
/// \param alive variables that are needed after the steps, besides what these say
void inline_tests(const std::vector<step>& steps, const std::vector<u32>& alive,
                  std::vector<step>& to) {
  for (const step& s : steps) {
    std::vector<u32> both = s.alive;
    both.insert(both.end(), alive.begin(), alive.end());
    std::sort(both.begin(), both.end());
    both.erase(std::unique(both.begin(), both.end()), both.end());
    if (const auto* e = std::get_if<exists_step>(&s.what))
      inline_tests(e->body, both, to);
    else if (const auto* p = std::get_if<present_step>(&s.what))
      to.push_back({join_step{p->source, {}, {}, {}}, std::move(both)});
    else
      to.push_back({s.what, std::move(both)});
  }
}

class flattener {
public:
  flattener(const plan::stratum& s, const std::function<layout(u32)>& primary,
            const std::function<layout(u32, column_set)>& index)
      : stratum_(s), primary_(primary), index_(index) {
    for (u32 store = 0; store < s.relations.size(); ++store)
      table_over(store, all_columns(primary(s.relations[store])));
  }

  void add(rule_version from) {
    std::vector<step> steps;
    inline_tests(from.steps, {}, steps);
    from.steps = std::move(steps);
    version made;
    made.first_segment = size_of(made_.segments);
    made.first_head = size_of(made_.heads);
    if (const auto* j = std::get_if<join_step>(&from.steps.front().what))
      if (j->source.delta)
        made.front = store_of(stratum_, j->source.relation);
    number_of_.assign(from.slots.size(), none);
    values_ = 0;
    bound_.clear();
    for (std::size_t at = 0; at < from.steps.size();)
      at = add_segment(from, at);
    made.segments = size_of(made_.segments) - made.first_segment;
    for (const plan::head& h : from.heads)
      add_head(h);
    made.heads = size_of(made_.heads) - made.first_head;
    made_.versions.push_back(made);
  }

  resident_program take() { return std::move(made_); }

private:
  static column_set all_columns(const layout& packed) {
    return static_cast<column_set>((u64(1) << packed.columns) - 1);
  }

  u32 table_over(u32 store, column_set columns) {
    for (u32 t = 0; t < tables_.size(); ++t)
      if (tables_[t] == std::pair{store, columns})
        return t;
    tables_.emplace_back(store, columns);
    made_.tables.push_back({store, masks_of_columns(primary_(stratum_.relations[store]), columns)});
    return size_of(tables_) - 1;
  }

  u32 number(u32 slot) {
    if (number_of_[slot] == none)
      number_of_[slot] = values_++;
    return number_of_[slot];
  }

  code_range add_code(const plan::expression& from) {
    const std::vector<instruction> code = compile(from, number_of_);
    const code_range made{size_of(made_.code), size_of(code)};
    made_.code.insert(made_.code.end(), code.begin(), code.end());
    return made;
  }

  u32 add_look_up(const probe& p) {
    look_up made;
    made.store = store_of(stratum_, p.relation);
    const layout stored = primary_(p.relation);
    const layout packed = p.delta ? stored : index_(p.relation, p.known);
    made.first_key = size_of(made_.keys);
    for (u32 c = 0; c < max_columns; ++c) {
      if (((p.known >> c) & 1) == 0)
        continue;
      const operand& from = p.keys[size_of(made_.keys) - made.first_key];
      made_.keys.push_back({from.constant,
                            from.constant ? from.content : number(static_cast<u32>(from.content)),
                            packed.fields[c], stored.fields[c]});
    }
    made.keys = size_of(made_.keys) - made.first_key;
    made.store_masks = masks_of_columns(stored, p.known);
    made.run_masks = masks_of_columns(packed, p.known);
    if (made.store != none && made.keys != 0 && !p.delta)
      made.table = table_over(made.store, p.known);
    made_.look_ups.push_back(made);
    made_.probes.push_back(p);
    return size_of(made_.look_ups) - 1;
  }

  void add_action(action::kinds what, const code_range& code, u32 of = 0) {
    made_.actions.push_back({what, code, of});
  }

  void add_join(segment& to, const join_step& j) {
    const layout stored = primary_(j.source.relation);
    const layout packed = j.source.delta ? stored : index_(j.source.relation, j.source.known);
    to.what = j.source.delta ? segment::delta : segment::full;
    to.look_up = add_look_up(j.source);
    to.first_bind = size_of(made_.binds);
    for (const join_step::bound_column& b : j.binds)
      made_.binds.push_back({number(b.slot), packed.fields[b.column], stored.fields[b.column]});
    to.binds = size_of(made_.binds) - to.first_bind;
    to.first_equal = size_of(made_.equals);
    for (const auto& [first, second] : j.equal)
      made_.equals.push_back({packed.fields[first], packed.fields[second], stored.fields[first],
                              stored.fields[second]});
    to.equals = size_of(made_.equals) - to.first_equal;
    for (const plan::expression& test : j.tests)
      add_action(action::test, add_code(test));
  }

  void add_action(const step& s) {
    if (const auto* f = std::get_if<filter_step>(&s.what)) {
      add_action(action::test, add_code(f->test));
    } else if (const auto* b = std::get_if<bind_step>(&s.what)) {
      const code_range code = add_code(b->value);
      add_action(action::let, code, number(b->slot));
    } else if (const auto* n = std::get_if<absent_step>(&s.what)) {
      add_action(action::absent, {}, add_look_up(n->source));
    }
  }

  /// \returns the first step after the segment.
  std::size_t add_segment(const rule_version& from, std::size_t at) {
    segment made;
    made.first_load = size_of(made_.numbers);
    made.loads = size_of(bound_);
    made_.numbers.insert(made_.numbers.end(), bound_.begin(), bound_.end());
    made.first_action = size_of(made_.actions);
    if (const auto* j = std::get_if<join_step>(&from.steps[at].what)) {
      add_join(made, *j);
      ++at;
    } else if (const auto* g = std::get_if<generate_step>(&from.steps[at].what)) {
      made.what = segment::range;
      made.of = g->of;
      made.from = add_code(g->from);
      made.to = add_code(g->to);
      made.step = add_code(g->step);
      made.value = number(g->slot);
      ++at;
    }
    for (; at < from.steps.size() && !produces(from.steps[at]); ++at)
      add_action(from.steps[at]);
    made.actions = size_of(made_.actions) - made.first_action;
    bound_.clear();
    if (at < from.steps.size())
      for (const u32 slot : from.steps[at - 1].alive)
        if (number_of_[slot] != none)
          bound_.push_back(number_of_[slot]);
    made.first_save = size_of(made_.numbers);
    made.saves = size_of(bound_);
    made_.numbers.insert(made_.numbers.end(), bound_.begin(), bound_.end());
    made_.binding_columns = std::max(made_.binding_columns, made.saves);
    made_.segments.push_back(made);
    return at;
  }

  void add_head(const plan::head& from) {
    head made{store_of(stratum_, from.relation), size_of(made_.parts), 0};
    const layout packed = primary_(from.relation);
    for (std::size_t c = 0; c < from.values.size(); ++c) {
      const bool computed = from.values[c].what != plan::operation::variable;
      head_part part{packed.fields[c], computed, 0, {}};
      if (computed)
        part.code = add_code(from.values[c]);
      else
        part.value = number_of_[from.values[c].payload];
      made_.parts.push_back(part);
    }
    made.parts = size_of(made_.parts) - made.first_part;
    made_.heads.push_back(made);
  }

  const plan::stratum& stratum_;
  const std::function<layout(u32)>& primary_;
  const std::function<layout(u32, column_set)>& index_;
  resident_program made_;
  std::vector<std::pair<u32, column_set>> tables_;
  std::vector<u32> number_of_; ///< of the version's slots
  u32 values_ = 0;
  std::vector<u32> bound_; ///< the values that rows have now
};

} // namespace

bool is_resident_stratum(const plan::stratum& s, const std::vector<rule_version>& versions,
                         std::string& why) {
  for (const rule_version& v : versions) {
    if (v.slots.size() > most_values)
      why = "a rule has more than 32 variables";
    std::vector<step> steps;
    inline_tests(v.steps, {}, steps);
    for (const step& now : steps)
      if (std::holds_alternative<call_step>(now.what))
        why = "a rule calls host functions";
      else if (std::holds_alternative<aggregate_step>(now.what))
        why = "a rule aggregates";
      else if (const auto* n = std::get_if<absent_step>(&now.what))
        if (store_of(s, n->source.relation) != none)
          why = "a rule negates a relation of its own stratum";
    if (v.steps.empty())
      why = "a rule has no steps";
  }
  return why.empty();
}

resident_program make_resident_program(const plan::stratum& s,
                                       const std::vector<rule_version>& versions,
                                       const std::function<layout(u32)>& primary,
                                       const std::function<layout(u32, column_set)>& index) {
  flattener work(s, primary, index);
  for (const rule_version& v : versions)
    work.add(v);
  return work.take();
}

} // namespace ikra::datalog::resident
