// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Carries out joins for which ikrac emitted kernels, in the batches of those that are interpreted:
// look-up of all rows, one scan, then outputs, which are head tuples or the next step's rows.
// Written once for both devices.
#pragma once

#include "datalog/engine/binding_table.hpp"
#include "datalog/engine/compiled_join.hpp"
#include "datalog/engine/relations/dedup_filter.hpp"
#include "datalog/engine/relations/sink.hpp"

#include <bit>

namespace ikra::datalog {

template <class Backend> class compiled_joins {
public:
  using bindings = binding_table<Backend>;

  compiled_joins(Backend& backend, std::vector<relation_store<Backend>>& relations,
                 std::vector<sink<Backend>>& sinks, dedup_filters<Backend>& seen,
                 const batch_bounds& batch, u32* fault)
      : backend_(backend), relations_(relations), sinks_(sinks), seen_(seen), batch_(batch),
        fault_(fault) {}

  /// \returns whether values lie where the kernel reads them, and go where it writes them.
  bool can_run(const compiled_join& join, const std::vector<plan::head>& heads,
               const bindings& rows) const {
    const bool fits = join.shape.head_words == 0 ||
                      sinks_[heads.front().relation].packed().words == join.shape.head_words;
    return fits &&
           std::all_of(join.shape.input_slots.begin(), join.shape.input_slots.end(), [&](u32 slot) {
             const source* from = rows.find(slot);
             return from != nullptr && from->place == source::row;
           });
  }

  /// Carries out a join, or a range, whose values take the place of tuples, or what follows a step
  /// without kernels.
  /// \param steps the version's own or those of an aggregate's body. \param at where it begins.
  /// \param found if not null, for each row whether it needs no further results.
  /// \param next is given the rows, if these are not head tuples. \returns the number of head
  /// tuples made.
  template <class Next>
  u64 run(const compiled_join& join, const rule_version& version, const std::vector<step>& steps,
          std::size_t at, const bindings& rows, const u8* found, const Next& next) {
    const std::vector<plan::head>& heads = version.heads;
    dedup_filter<Backend>* seen = nullptr;
    if (join.shape.head_words != 0)
      seen = &seen_.of_heads(heads.front().relation);
    else if (&steps == &version.steps && at < steps.size()) // an aggregate counts repeats
      seen = seen_.of_rows(version, at, at + join.shape.steps);
    const look_ups absent = look_ups_of(join.shape, steps);
    if (join.shape.joins_nothing) {
      u64 made = 0;
      batch_.each(rows.rows, [&](u64 from, u64 count) {
        compiled::join_call call = begin(join.shape, heads, absent);
        set_rows(join.shape, rows.part(from, count), call);
        call.end = call.rows;
        made += produce(join, heads, seen, call, next);
      });
      return made;
    }
    if (!join.shape.range.empty()) {
      u64 made = 0;
      batch_.each(rows.rows, [&](u64 from, u64 count) {
        compiled::join_call call = begin(join.shape, heads, absent);
        made += make_range(join, heads, seen, rows.part(from, count), call, next);
      });
      return made;
    }
    const probe& source = std::get<join_step>(steps[at].what).source;
    index_data<Backend>& index = relations_[source.relation].index_for(source.known, !source.delta);
    const layout packed = index.packed;
    const auto prefix = static_cast<unsigned>(std::popcount(source.known));
    std::vector<shared_run<Backend>> runs = index.full;
    if (source.delta)
      runs.assign(index.delta ? 1 : 0, index.delta);
    u64 made = 0;
    for (const shared_run<Backend>& r : runs) {
      compiled::join_call call = begin(join.shape, heads, absent);
      if (join.shape.scans) {
        batch_.each(r->size(), [&](u64 from, u64 count) {
          set_columns(join.shape, packed, r->columns().from(from, packed.words), call);
          call.begin = 0;
          call.end = call.rows = count;
          made += produce(join, heads, seen, call, next);
        });
        continue;
      }
      set_columns(join.shape, packed, r->columns(), call);
      batch_.each(rows.rows, [&](u64 from, u64 count) {
        made +=
            join_part(join, heads, seen, rows.part(from, count),
                      found == nullptr ? nullptr : found + from, packed, prefix, *r, call, next);
      });
    }
    return made;
  }

private:
  /// Where a kernel looks whether tuples are absent or present, in the device's memory.
  struct look_ups {
    std::vector<shared_run<Backend>> kept; ///< while kernels read them
    buffer<Backend, run_view> runs;
    buffer<Backend, compiled::absence> all;
  };

  look_ups look_ups_of(const join_shape& shape, const std::vector<step>& steps) {
    std::vector<compiled::absence> all;
    std::vector<run_view> views;
    std::vector<u64> first; // of the views of each
    look_ups made;
    for (const join_shape::action& next : shape.actions) {
      const auto* const absent = std::get_if<absent_step>(&steps[next.step].what);
      const auto* const present = std::get_if<present_step>(&steps[next.step].what);
      if (next.what == join_shape::action::test || next.what == join_shape::action::let)
        continue;
      const probe& p = absent != nullptr ? absent->source : present->source;
      const index_data<Backend>& index = relations_[p.relation].index_for(p.known, true);
      const auto prefix = static_cast<unsigned>(std::popcount(p.known));
      compiled::absence one{};
      one.prefix = masks_of(index.packed, prefix);
      set_keys(index.packed, prefix, one.keys);
      first.push_back(views.size());
      for (const shared_run<Backend>& r : index.full)
        if (r->size() != 0) {
          // A run does not change: its hash table is made once.
          views.push_back(r->view(backend_, index.packed, prefix, r->size()));
          made.kept.push_back(r);
          ++one.count;
        }
      all.push_back(one);
    }
    if (all.empty())
      return made;
    made.runs = buffer<Backend, run_view>(backend_, std::max<u64>(views.size(), 1), "look-ups");
    made.all = buffer<Backend, compiled::absence>(backend_, all.size(), "look-ups");
    for (std::size_t i = 0; i < all.size(); ++i)
      all[i].runs = made.runs.data() + first[i];
    backend_.upload(made.runs.data(), views.data(), views.size() * sizeof(run_view));
    backend_.upload(made.all.data(), all.data(), all.size() * sizeof(compiled::absence));
    return made;
  }

  /// Known columns are the first of an index's order; keys come in ascending order of columns.
  static void set_keys(const layout& packed, unsigned prefix, field* keys) {
    column_set known = 0;
    for (unsigned i = 0; i < prefix; ++i)
      known |= column_set(1) << packed.order[i];
    for (u32 c = 0; c < max_columns; ++c)
      if (((known >> c) & 1) != 0)
        *keys++ = packed.fields[c];
  }

  compiled::join_call begin(const join_shape& shape, const std::vector<plan::head>& heads,
                            const look_ups& absent) const {
    compiled::join_call call{};
    call.fault = fault_;
    call.absent = absent.all.data();
    if (shape.head_words != 0) {
      const layout& to = sinks_[heads.front().relation].packed();
      std::copy_n(to.fields, to.columns, call.fields);
    }
    return call;
  }

  static void set_columns(const join_shape& shape, const layout& packed, const word_columns& words,
                          compiled::join_call& call) {
    for (std::size_t c = 0; c < shape.columns.size(); ++c) {
      const field at = packed.fields[shape.columns[c]];
      call.columns[c] = {words.words[at.word], at.shift};
    }
  }

  template <class Next>
  u64 join_part(const compiled_join& join, const std::vector<plan::head>& heads,
                dedup_filter<Backend>* seen, const bindings& rows, const u8* found,
                const layout& packed, unsigned prefix, sorted_run<Backend>& r,
                compiled::join_call& call, const Next& next) {
    const buffer<Backend, u32> first(backend_, rows.rows, "ranges");
    const buffer<Backend, u64> offsets(backend_, rows.rows + 1, "offsets");
    call.first = first.data();
    call.offsets = offsets.data();
    set_rows(join.shape, rows, call);
    if (prefix == 0) {
      backend_.for_each(rows.rows, take_all{r.size(), first.data(), offsets.data()});
    } else {
      call.prefix = masks_of(packed, prefix);
      call.in = r.view(backend_, packed, prefix, rows.rows);
      set_keys(packed, prefix, call.keys);
      join.code->look_up(call, backend_.execution());
    }
    u64 made = 0;
    in_rounds(backend_, rows.rows, first.data(), offsets.data(), found,
              [&](u64 total) { made += produce_all(join, heads, seen, total, call, next); });
    return made;
  }

  template <class Next>
  u64 make_range(const compiled_join& join, const std::vector<plan::head>& heads,
                 dedup_filter<Backend>* seen, const bindings& rows, compiled::join_call& call,
                 const Next& next) {
    const buffer<Backend, u64> offsets(backend_, rows.rows + 1, "offsets");
    call.offsets = offsets.data();
    set_rows(join.shape, rows, call);
    join.code->look_up(call, backend_.execution());
    return produce_all(join, heads, seen, backend_.scan(offsets.data(), call.rows), call, next);
  }

  static void set_rows(const join_shape& shape, const bindings& rows, compiled::join_call& call) {
    call.rows = rows.rows;
    for (std::size_t i = 0; i < shape.input_slots.size(); ++i) {
      const source* from = rows.find(shape.input_slots[i]);
      call.inputs[i] = {from->data, from->shift};
    }
  }

  /// All outputs, whose numbers a look-up has written.
  template <class Next>
  u64 produce_all(const compiled_join& join, const std::vector<plan::head>& heads,
                  dedup_filter<Backend>* seen, u64 total, compiled::join_call& call,
                  const Next& next) {
    u64 made = 0;
    batch_.each(total, [&](u64 from, u64 count) {
      call.begin = from;
      call.end = from + count;
      made += produce(join, heads, seen, call, next);
    });
    return made;
  }

  template <class Next>
  u64 produce(const compiled_join& join, const std::vector<plan::head>& heads,
              dedup_filter<Backend>* seen, compiled::join_call& call, const Next& next) {
    const u64 most = call.end - call.begin;
    if (most == 0)
      return 0;
    const join_shape& shape = join.shape;
    if (shape.head_words != 0) {
      sink<Backend>& to = sinks_[heads.front().relation];
      const word_columns words = to.reserve(most);
      std::copy_n(words.words, shape.head_words, call.out);
      const u64 written = produce_new(join, shape.head_words == 1 ? seen : nullptr, call);
      to.wrote(written);
      return written;
    }
    const std::vector<field> fields = row_fields(shape.output_bits);
    const u64 words = fields.empty() ? 0 : fields.back().word + u64(1);
    auto storage = std::make_shared<buffer<Backend, u64>>(backend_, std::max<u64>(words * most, 1),
                                                          "join results");
    for (u64 w = 0; w < words; ++w)
      call.out[w] = storage->data() + w * most;
    call.one_word = words == 1;
    if (call.one_word)
      std::copy(fields.begin(), fields.end(), call.fields);
    const u64 written = produce_new(join, call.one_word ? seen : nullptr, call);
    next(bindings::over(shape.output_slots, fields, std::move(storage), most, written));
    return 0;
  }

  u64 produce_new(const compiled_join& join, dedup_filter<Backend>* seen,
                  compiled::join_call& call) {
    const u64 most = call.end - call.begin;
    call.known = seen != nullptr ? seen->ask(backend_, most) : seen_tuples{};
    const u64 written = join.code->produce(call, backend_.execution());
    if (call.known.places != nullptr)
      seen->note(most, written);
    return written;
  }

  Backend& backend_;
  std::vector<relation_store<Backend>>& relations_;
  std::vector<sink<Backend>>& sinks_;
  dedup_filters<Backend>& seen_;
  const batch_bounds& batch_;
  u32* fault_;
};

} // namespace ikra::datalog
