// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device-resident iterations by one group of threads: versions are interpreted over delta, what is
// new is appended to a store with hash chains, and the next iteration begins, without the host
// (docs/datalog.md, "Device-resident iterations"). An iteration that would pass a bound leaves no
// trace. Written once for both devices; Group as in bit_rows.hpp.
#pragma once

#include "datalog/engine/bits/bit_rows.hpp"
#include "datalog/engine/resident/resident_view.hpp"

namespace ikra::datalog::resident {

/// Calls f(i) for all i below count. Few items are spread over the group: their look-ups differ,
/// and neighbouring threads of a GPU would do them one after the other.
template <class Group, class F>
IKRA_DATALOG_GROUP void for_items(const Group& group, u32 count, const F& f) {
  u32 apart = 1;
  while (apart < 32 && count * apart * 2 <= group.size())
    apart *= 2;
  if (group.rank() % apart != 0)
    return;
  for (u32 i = group.rank() / apart; i < count; i += group.size() / apart)
    f(i);
}

/// The program and the data as the group sees them.
struct iterations {
  const instruction* code;
  const key* keys;
  const look_up* look_ups;
  const bound_value* binds;
  const equal_columns* equals;
  const action* actions;
  const u32* numbers;
  const segment* segments;
  const head_part* parts;
  const head* heads;
  const version* versions;
  const table* tables;
  const chains* chained;
  const run_view* runs;
  const store* stores;
  slice* deltas;
  u32* lookups;  ///< of each look-up and each store: how often full was looked into
  u64* bindings; ///< two, each `binding_columns` columns of `rows` values; null: in fast memory
  trace* traces; ///< of each iteration and version; null: not wanted
  outcome* result;
  u32 segment_count, version_count, table_count, store_count, look_up_count, binding_columns;
  bounds limit;

  IKRA_DATALOG_BOTH fast_sizes fast() const {
    return {limit.rows, store_count, 2 * (segment_count + store_count), look_up_count,
            bindings == nullptr ? binding_columns : 0};
  }

  template <class Group> IKRA_DATALOG_GROUP void operator()(const Group& group, u64) const {
    const work_space m = begin(group);
    u64 work = 0;
    for (u32 iteration = 0;; ++iteration) {
      const bool ended = iteration == limit.iterations || work >= limit.work || is_over(m);
      if (!ended)
        clear_counters(group, m);
      if (ended || !run_versions(group, m, iteration, work)) {
        end(group, m, {iteration, ended ? u64(0) : u64(1)});
        return;
      }
      for (u32 s = 0; s < store_count; ++s)
        append(group, m, s);
    }
  }

private:
  struct place {
    u32 row;   ///< of the bindings
    u32 part;  ///< the run, or `in_store`
    u64 tuple; ///< or the number of a value in its range
  };
  static constexpr u32 in_store = 255;

  IKRA_DATALOG_GROUP static u64 pack(u32 row, u32 part, u64 tuple) {
    return u64(row) << 40 | u64(part) << 32 | tuple;
  }
  IKRA_DATALOG_GROUP static place unpack(u64 candidate) {
    return {static_cast<u32>(candidate >> 40), static_cast<u32>(candidate >> 32) & 255,
            candidate & 0xffffffffu};
  }

  template <class Group> IKRA_DATALOG_GROUP work_space begin(const Group& group) const {
    work_space m(group.fast, fast());
    if (bindings != nullptr)
      m.bindings = bindings;
    for (u32 i = group.rank(); i < store_count; i += group.size())
      m.deltas[i] = deltas[i];
    for (u32 i = group.rank(); i < look_up_count + store_count; i += group.size())
      m.lookups[i] = 0;
    group.sync();
    return m;
  }

  template <class Group>
  IKRA_DATALOG_GROUP void end(const Group& group, const work_space& m, const outcome& what) const {
    group.sync();
    for (u32 i = group.rank(); i < store_count; i += group.size())
      deltas[i] = m.deltas[i];
    for (u32 i = group.rank(); i < look_up_count + store_count; i += group.size())
      lookups[i] = m.lookups[i];
    if (group.rank() == 0)
      *result = what;
  }

  template <class Group>
  IKRA_DATALOG_GROUP void clear_counters(const Group& group, const work_space& m) const {
    for (u32 i = group.rank(); i < 2 * (segment_count + store_count); i += group.size())
      m.counters[i] = 0;
    group.sync();
  }

  /// Whether the host has to look at what there is now.
  IKRA_DATALOG_GROUP bool is_over(const work_space& m) const {
    u64 all = 0;
    bool full = false;
    for (u32 s = 0; s < store_count; ++s) {
      all += m.deltas[s].end - m.deltas[s].begin;
      full = full ||
             (stores[s].size_limit != 0 &&
              stores[s].full_size + (m.deltas[s].end - stores[s].base) >= stores[s].size_limit);
    }
    return all == 0 || all > limit.delta || full;
  }

  /// \returns false if a bound was passed or something divided by zero.
  template <class Group>
  IKRA_DATALOG_GROUP bool run_versions(const Group& group, const work_space& m, u32 iteration,
                                       u64& work) const {
    for (u32 v = 0; v < version_count; ++v) {
      const version& now = versions[v];
      const bool skipped =
          now.front != none && m.deltas[now.front].begin == m.deltas[now.front].end;
      u64 start = 0, before = 0;
      if (traces != nullptr) {
        start = group.ticks();
        before = heads_made(group, m);
        group.sync(); // nobody makes more until all have counted
      }
      if (!skipped && !run_version(group, m, now, work))
        return false;
      if (traces != nullptr && group.rank() == 0)
        traces[u64(iteration) * version_count + v] = {
            skipped ? trace::skipped : heads_made(group, m) - before, group.ticks() - start};
    }
    // Nobody counts more made tuples from here on, so that all threads agree.
    for (u32 s = 0; s < store_count; ++s) {
      const u32 made = made_of(group, m, s);
      if (made > limit.rows || m.deltas[s].end + made > limit.room)
        return false;
    }
    return true;
  }

  IKRA_DATALOG_GROUP u32* made_counter(const work_space& m, u32 s) const {
    return m.counters + u64(2) * (segment_count + s);
  }
  template <class Group>
  IKRA_DATALOG_GROUP u32 made_of(const Group& group, const work_space& m, u32 s) const {
    return group.read_local(made_counter(m, s));
  }
  template <class Group>
  IKRA_DATALOG_GROUP u64 heads_made(const Group& group, const work_space& m) const {
    u64 all = 0;
    for (u32 s = 0; s < store_count; ++s)
      all += made_of(group, m, s);
    return all;
  }

  template <class Group>
  IKRA_DATALOG_GROUP bool run_version(const Group& group, const work_space& m, const version& now,
                                      u64& work) const {
    u32 rows = 1, fault = 0; // of this thread
    for (u32 i = 0; i < now.segments && rows != 0; ++i) {
      const u32 number = now.first_segment + i;
      const segment& s = segments[number];
      const u64* const from = m.bindings + u64(i % 2) * binding_columns * limit.rows;
      u64* const to = m.bindings + u64((i + 1) % 2) * binding_columns * limit.rows;
      u32* const counter = m.counters + u64(2) * number;
      const u64 count = find_candidates(group, m, s, from, rows, counter, fault);
      if (count > limit.rows)
        return false;
      work += count + 1;
      const bool last = i + 1 == now.segments;
      for_items(group, static_cast<u32>(count), [&](u32 c) {
        carry_out(group, m, now, s, candidate(m, s, c), from, last ? nullptr : to, counter + 1,
                  fault);
      });
      if (!group.all(fault == 0))
        return false;
      rows = group.read_local(counter + 1);
    }
    return true;
  }

  // What rows meet ------------------------------------------------------------------------------

  /// \returns how many candidates there are; more than limit.rows if too many.
  template <class Group>
  IKRA_DATALOG_GROUP u64 find_candidates(const Group& group, const work_space& m, const segment& s,
                                         const u64* bound, u32 rows, u32* counter,
                                         u32& fault) const {
    if (s.what == segment::pass)
      return rows;
    if (s.what == segment::delta) {
      const slice all = m.deltas[look_ups[s.look_up].store];
      return u64(rows) * (all.end - all.begin);
    }
    if (s.what == segment::range) {
      for_items(group, rows,
                [&](u32 row) { find_range_values(group, m, s, bound, row, counter, fault); });
    } else {
      const look_up& l = look_ups[s.look_up];
      const u32 places = l.runs + (l.store != none ? 1 : 0);
      for_items(group, rows * places,
                [&](u32 i) { find_tuples(group, m, s, l, bound, i % rows, i / rows, counter); });
      if (group.rank() == 0)
        m.lookups[s.look_up] += rows;
    }
    group.sync();
    return group.read_local(counter);
  }

  template <class Group>
  IKRA_DATALOG_GROUP void add_candidates(const Group& group, const work_space& m, u32 row, u32 part,
                                         u64 first, u64 length, u32* counter) const {
    if (length == 0)
      return;
    // More than can be held is as good as any number of them.
    const u32 wanted = length > limit.rows ? limit.rows + 1 : static_cast<u32>(length);
    const u32 at = group.add_local(counter, wanted);
    for (u32 k = 0; k < wanted && at + k < limit.rows; ++k)
      m.candidates[at + k] = pack(row, part, first + k);
  }

  template <class Group>
  IKRA_DATALOG_GROUP void find_tuples(const Group& group, const work_space& m, const segment& s,
                                      const look_up& l, const u64* bound, u32 row, u32 part,
                                      u32* counter) const {
    const bool stored = part == l.runs;
    if (l.keys == 0) {
      const u32 base = stored ? stores[l.store].base : 0;
      const u64 size = stored ? m.deltas[l.store].end - base : runs[l.first_run + part].size;
      add_candidates(group, m, row, stored ? in_store : part, base, size, counter);
      return;
    }
    u64 values[most_values], wanted[max_words];
    load(s, bound, row, values);
    if (!make_key(l, stored, values, wanted))
      return;
    if (!stored) {
      const tuple_range found = find_range(runs[l.first_run + part], l.run_masks, wanted);
      add_candidates(group, m, row, part, found.first, found.length, counter);
      return;
    }
    const word_columns& tuples = stores[l.store].tuples;
    u32 found = 0;
    for (u32 at = first_in_chain(l.table, wanted); at != 0; at = chained[l.table].next[at - 1])
      if (l.store_masks.compare(tuples, at - 1, wanted) == 0) {
        // Chains are walked by one thread: where they are long, tuples had better be in full.
        const u32 to = group.add_local(counter, ++found <= longest_chain ? 1 : limit.rows + 1);
        if (to >= limit.rows || found > longest_chain)
          return;
        m.candidates[to] = pack(row, in_store, at - 1);
      }
  }

  template <class Group>
  IKRA_DATALOG_GROUP void find_range_values(const Group& group, const work_space& m,
                                            const segment& s, const u64* bound, u32 row,
                                            u32* counter, u32& fault) const {
    u64 values[most_values];
    load(s, bound, row, values);
    add_candidates(group, m, row, 0, 0,
                   range_length(s.of, compute(s.from, values, fault), compute(s.to, values, fault),
                                compute(s.step, values, fault)),
                   counter);
  }

  IKRA_DATALOG_GROUP place candidate(const work_space& m, const segment& s, u32 c) const {
    if (s.what == segment::pass)
      return {c, 0, 0};
    if (s.what != segment::delta)
      return unpack(m.candidates[c]);
    const slice all = m.deltas[look_ups[s.look_up].store];
    const u32 size = all.end - all.begin;
    return {c / size, in_store, u64(all.begin) + c % size};
  }

  // One row -------------------------------------------------------------------------------------

  struct values_of {
    const u64* values;
    IKRA_DATALOG_BOTH u64 operator()(u32 number) const { return values[number]; }
  };

  IKRA_DATALOG_GROUP u64 compute(const code_range& what, const u64* values, u32& fault) const {
    return evaluate(code + what.at, what.length, values_of{values}, &fault);
  }

  IKRA_DATALOG_GROUP void load(const segment& s, const u64* bound, u32 row, u64* values) const {
    for (u32 i = 0; i < s.loads; ++i)
      values[numbers[s.first_load + i]] = bound[u64(i) * limit.rows + row];
  }

  /// \returns false if no tuple has the key: a value has more bits than the column's take.
  IKRA_DATALOG_GROUP bool make_key(const look_up& l, bool stored, const u64* values,
                                   u64* made) const {
    const u32 words = stored ? l.store_masks.words : l.run_masks.words;
    for (u32 w = 0; w < words; ++w)
      made[w] = 0;
    u64 beyond = 0;
    for (u32 i = 0; i < l.keys; ++i) {
      const key& k = keys[l.first_key + i];
      const field at = stored ? k.in_store : k.in_run;
      const u64 v = k.constant ? k.content : values[k.content], taken = v & low_bits(at.bits);
      beyond |= v ^ taken;
      made[at.word] |= taken << at.shift;
    }
    return beyond == 0;
  }

  IKRA_DATALOG_GROUP u32 first_in_chain(u32 number, const u64* wanted) const {
    return chained[number].heads[tables[number].masks.hash(wanted) & (limit.places - 1)];
  }

  template <class Group>
  IKRA_DATALOG_GROUP void carry_out(const Group& group, const work_space& m, const version& now,
                                    const segment& s, const place& at, const u64* from, u64* to,
                                    u32* counter, u32& fault) const {
    u64 values[most_values];
    load(s, from, at.row, values);
    if (s.what == segment::range) {
      const plan::type counted{plan::kind::unsigned_number, 64};
      const u64 offset =
          apply(plan::operation::multiply, s.of, datalog::detail::convert(at.tuple, counted, s.of),
                compute(s.step, values, fault), &fault);
      values[s.value] =
          apply(plan::operation::add, s.of, compute(s.from, values, fault), offset, &fault);
    } else if (s.what != segment::pass && !meet(s, at, values)) {
      return;
    }
    for (u32 i = 0; i < s.actions; ++i)
      if (!act(actions[s.first_action + i], values, fault))
        return;
    if (to == nullptr) {
      make_heads(group, m, now, values, fault);
      return;
    }
    const u32 row = group.add_local(counter, 1);
    for (u32 i = 0; i < s.saves; ++i)
      to[u64(i) * limit.rows + row] = values[numbers[s.first_save + i]];
  }

  /// Takes what a tuple binds. \returns whether it fits.
  IKRA_DATALOG_GROUP bool meet(const segment& s, const place& at, u64* values) const {
    const look_up& l = look_ups[s.look_up];
    const bool stored = at.part == in_store;
    const word_columns& tuples =
        stored ? stores[l.store].tuples : runs[l.first_run + at.part].words;
    if (s.what == segment::delta && l.keys != 0) {
      u64 wanted[max_words];
      if (!make_key(l, true, values, wanted) ||
          l.store_masks.compare(tuples, at.tuple, wanted) != 0)
        return false;
    }
    const auto column = [&](field f) { return extract(tuples.words[f.word][at.tuple], f); };
    for (u32 i = 0; i < s.binds; ++i) {
      const bound_value& b = binds[s.first_bind + i];
      values[b.value] = column(stored ? b.in_store : b.in_run);
    }
    for (u32 i = 0; i < s.equals; ++i) {
      const equal_columns& e = equals[s.first_equal + i];
      if (column(stored ? e.store_first : e.run_first) !=
          column(stored ? e.store_second : e.run_second))
        return false;
    }
    return true;
  }

  /// \returns whether the row stays.
  IKRA_DATALOG_GROUP bool act(const action& now, u64* values, u32& fault) const {
    if (now.what == action::test)
      return compute(now.code, values, fault) != 0;
    if (now.what == action::let) {
      values[now.number] = compute(now.code, values, fault);
      return true;
    }
    const look_up& l = look_ups[now.number]; // of a lower stratum: full's runs are all
    u64 wanted[max_words];
    if (!make_key(l, false, values, wanted))
      return true;
    for (u32 r = 0; r < l.runs; ++r)
      if (holds(runs[l.first_run + r], l.run_masks, wanted))
        return false;
    return true;
  }

  /// Whether a run has a tuple with these columns.
  IKRA_DATALOG_GROUP static bool holds(const run_view& in, const prefix_masks& masks,
                                       const u64* wanted) {
    if (in.hash.capacity != 0)
      return find_range(in, masks, wanted).length != 0;
    u64 low = 0, high = in.size;
    while (low < high) {
      const u64 middle = (low + high) / 2;
      if (masks.compare(in.words, middle, wanted) < 0)
        low = middle + 1;
      else
        high = middle;
    }
    return low != in.size && masks.compare(in.words, low, wanted) == 0;
  }

  template <class Group>
  IKRA_DATALOG_GROUP void make_heads(const Group& group, const work_space& m, const version& now,
                                     const u64* values, u32& fault) const {
    for (u32 h = 0; h < now.heads; ++h) {
      const head& to = heads[now.first_head + h];
      const store& into = stores[to.store];
      const u32 at = group.add_local(made_counter(m, to.store), 1);
      if (at >= limit.rows)
        return; // the iteration will not stand
      u64 words[max_words];
      for (u32 w = 0; w < into.words; ++w)
        words[w] = 0;
      for (u32 p = 0; p < to.parts; ++p) {
        const head_part& part = parts[to.first_part + p];
        const u64 v = part.computed ? compute(part.code, values, fault) : values[part.value];
        words[part.to.word] |= (v & low_bits(part.to.bits)) << part.to.shift;
      }
      for (u32 w = 0; w < into.words; ++w)
        into.made.words[w][at] = words[w];
    }
  }

  // The end of an iteration -----------------------------------------------------------------------

  /// Appends the head tuples that are new; they are the next delta.
  template <class Group>
  IKRA_DATALOG_GROUP void append(const Group& group, const work_space& m, u32 number) const {
    const store& into = stores[number];
    const u32 count = made_of(group, m, number), end = m.deltas[number].end;
    u32* const added = made_counter(m, number) + 1;
    if (count != 0) {
      u32 places = 2;
      while (places < 2 * count)
        places *= 2;
      for (u32 i = group.rank(); i < places; i += group.size())
        m.places[i] = 0;
      for (u32 i = group.rank(); i < count; i += group.size())
        m.flags[i] = 0;
      group.sync();
      // Among those of this iteration, in the store, in each run of full.
      const u32 checks = into.runs + 2;
      for_items(group, count * checks, [&](u32 i) {
        if (is_known(group, m, number, into, i % count, i / count, places))
          static_cast<void>(group.or_local(m.flags + i % count, u32(1)));
      });
      group.sync();
      for_items(group, count, [&](u32 i) {
        if (m.flags[i] == 0)
          put(group, number, into, i, end + group.add_local(added, 1));
      });
    }
    group.sync();
    if (group.rank() == 0) {
      m.deltas[number] = {end, end + group.read_local(added)};
      m.lookups[look_up_count + number] += count;
    }
    group.sync();
  }

  template <class Group>
  IKRA_DATALOG_GROUP bool is_known(const Group& group, const work_space& m, u32 number,
                                   const store& into, u32 tuple, u32 check, u32 places) const {
    u64 wanted[max_words];
    for (u32 w = 0; w < into.words; ++w)
      wanted[w] = into.made.words[w][tuple];
    if (check >= 2)
      return holds(runs[into.first_run + check - 2], into.all, wanted);
    if (check == 1) {
      for (u32 at = first_in_chain(number, wanted); at != 0; at = chained[number].next[at - 1])
        if (into.all.compare(into.tuples, at - 1, wanted) == 0)
          return true;
      return false;
    }
    for (u32 at = static_cast<u32>(into.all.hash(wanted)) & (places - 1);;
         at = (at + 1) & (places - 1)) {
      const u32 other = group.swap_if(m.places + at, u32(0), tuple + 1);
      if (other == 0)
        return false;
      if (into.all.compare(into.made, other - 1, wanted) == 0)
        return true;
    }
  }

  template <class Group>
  IKRA_DATALOG_GROUP void put(const Group& group, u32 number, const store& into, u32 from,
                              u32 at) const {
    u64 words[max_words], wanted[max_words];
    for (u32 w = 0; w < into.words; ++w)
      into.tuples.words[w][at] = words[w] = into.made.words[w][from];
    for (u32 t = 0; t < table_count; ++t) {
      const table& of = tables[t];
      if (of.store != number)
        continue;
      for (u32 w = 0; w < of.masks.words; ++w)
        wanted[w] = words[w] & of.masks.mask[w];
      chained[t].next[at] =
          group.swap(chained[t].heads + (of.masks.hash(wanted) & (limit.places - 1)), at + 1);
    }
  }
};

} // namespace ikra::datalog::resident
