// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Carries out joins for which ikrac emitted kernels, in the batches of those that are interpreted:
// look-up of all rows, one scan, then outputs, which are head tuples or the next step's rows.
// Written once for both devices.
#pragma once

#include "compiled_join.hpp"
#include "frame.hpp"
#include "seen_table.hpp"
#include "sink.hpp"

#include <bit>

namespace ikra::datalog {

template <class Backend> class compiled_joins {
public:
  using frame_type = frame<Backend>;

  compiled_joins(Backend& backend, std::vector<relation_store<Backend>>& relations,
                 std::vector<sink<Backend>>& sinks, seen_tables<Backend>& seen, u64 batch,
                 u32* fault)
      : backend_(backend), relations_(relations), sinks_(sinks), seen_(seen), batch_(batch),
        fault_(fault) {}

  /// \returns whether values lie where the kernel reads them, and go where it writes them.
  bool can_run(const compiled_join& join, const std::vector<plan::head>& heads,
               const frame_type& rows) const {
    const bool fits = join.shape.head_words == 0 ||
                      sinks_[heads.front().relation].packed().words == join.shape.head_words;
    return fits &&
           std::all_of(join.shape.input_slots.begin(), join.shape.input_slots.end(), [&](u32 slot) {
             const source* from = rows.find(slot);
             return from != nullptr && from->place == source::row;
           });
  }

  /// \param at the number of the join's step in the version.
  /// \param next is given the rows, if these are not head tuples. \returns the number of head
  /// tuples made.
  template <class Next>
  u64 run(const compiled_join& join, const join_step& step, const rule_version& version,
          std::size_t at, const frame_type& rows, const Next& next) {
    const std::vector<plan::head>& heads = version.heads;
    seen_table<Backend>* const seen = join.shape.head_words != 0
                                          ? &seen_.of_heads(heads.front().relation)
                                          : seen_.of_rows(version, at, at + join.shape.steps);
    index_data<Backend>& index =
        relations_[step.source.relation].index_for(step.source.known, !step.source.delta);
    const layout packed = index.packed;
    const auto prefix = static_cast<unsigned>(std::popcount(step.source.known));
    std::vector<shared_run<Backend>> runs = index.full;
    if (step.source.delta)
      runs.assign(index.delta ? 1 : 0, index.delta);
    u64 made = 0;
    for (const shared_run<Backend>& r : runs) {
      compiled::join_call call = begin(join.shape, heads);
      if (join.shape.scans) {
        for (u64 from = 0; from < r->size(); from += batch_) {
          set_columns(join.shape, packed, r->columns().from(from, packed.words), call);
          call.begin = 0;
          call.end = call.rows = std::min(batch_, r->size() - from);
          made += produce(join, heads, seen, call, next);
        }
        continue;
      }
      set_columns(join.shape, packed, r->columns(), call);
      for (u64 from = 0; from < rows.rows; from += batch_)
        made += join_part(join, heads, seen, rows.part(from, std::min(batch_, rows.rows - from)),
                          packed, prefix, *r, call, next);
    }
    return made;
  }

private:
  compiled::join_call begin(const join_shape& shape, const std::vector<plan::head>& heads) const {
    compiled::join_call call{};
    call.fault = fault_;
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
                seen_table<Backend>* seen, const frame_type& rows, const layout& packed,
                unsigned prefix, sorted_run<Backend>& r, compiled::join_call& call,
                const Next& next) {
    const buffer<Backend, u32> first(backend_, rows.rows, "ranges");
    const buffer<Backend, u64> offsets(backend_, rows.rows + 1, "offsets");
    call.first = first.data();
    call.offsets = offsets.data();
    call.rows = rows.rows;
    for (std::size_t i = 0; i < join.shape.input_slots.size(); ++i) {
      const source* from = rows.find(join.shape.input_slots[i]);
      call.inputs[i] = {from->data, from->shift};
    }
    if (prefix == 0) {
      backend_.for_each(rows.rows, take_all{r.size(), first.data(), offsets.data()});
    } else {
      call.prefix = masks_of(packed, prefix);
      call.in = r.view(backend_, packed, prefix, rows.rows);
      // Known columns are the first of the index's order; keys come in ascending order of columns.
      column_set known = 0;
      for (unsigned i = 0; i < prefix; ++i)
        known |= column_set(1) << packed.order[i];
      unsigned key = 0;
      for (u32 c = 0; c < max_columns; ++c)
        if (((known >> c) & 1) != 0)
          call.keys[key++] = packed.fields[c];
      join.code->look_up(call, backend_.execution());
    }
    const u64 total = backend_.scan(offsets.data(), rows.rows);
    u64 made = 0;
    for (u64 from = 0; from < total; from += batch_) {
      call.begin = from;
      call.end = std::min(total, from + batch_);
      made += produce(join, heads, seen, call, next);
    }
    return made;
  }

  template <class Next>
  u64 produce(const compiled_join& join, const std::vector<plan::head>& heads,
              seen_table<Backend>* seen, compiled::join_call& call, const Next& next) {
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
    next(frame_type::over(shape.output_slots, fields, std::move(storage), most, written));
    return 0;
  }

  u64 produce_new(const compiled_join& join, seen_table<Backend>* seen, compiled::join_call& call) {
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
  seen_tables<Backend>& seen_;
  u64 batch_;
  u32* fault_;
};

} // namespace ikra::datalog
