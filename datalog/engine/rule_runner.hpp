// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Carries out one version of a rule: joins balanced by output, in batches of bounded size, depth
// first; the last join writes head tuples directly. Written once for both devices; relies on
// binding_table.hpp and on the relations' stores.
#pragma once

#include "datalog/engine/aggregate.hpp"
#include "datalog/engine/compiled_joins.hpp"
#include "datalog/engine/row_assembler.hpp"
#include "datalog/plan/grouped_delta.hpp"

#include <ikra/error.hpp>

#include <bit>
#include <functional>
#include <map>

namespace ikra::datalog {

template <class Backend> class rule_runner : row_assembler<Backend> {
  using base = row_assembler<Backend>;

public:
  using typename base::bindings;
  using stores = std::vector<relation_store<Backend>>;

  rule_runner(Backend& backend, const plan::program& program, stores& relations,
              std::vector<sink<Backend>>& sinks, dedup_filters<Backend>& seen,
              host_functions* functions, u64 batch, const buffer<Backend, u32>& fault)
      : base(backend, program, fault.data()), relations_(relations), sinks_(sinks), seen_(seen),
        functions_(functions), batch_{batch, batch, nullptr},
        compiled_(backend, relations, sinks, seen, batch_, fault.data()) {}

  /// \returns the number of head tuples made, with the repeats that were not dropped at once.
  /// \throws ikra::error of kind failed_check for a division by zero.
  u64 evaluate(const rule_version& version) {
    version_ = &version;
    made_ = 0;
    may_fault_ = false;
    answered_.clear();
    go({version.steps, version.kernels}, 0, bindings{}, [&](const bindings& rows) { emit(rows); });
    if (may_fault_) {
      u32 fault = 0;
      backend_.download(&fault, fault_, sizeof fault);
      if (fault != 0) {
        backend_.clear(fault_, sizeof(u32));
        throw error(error_kind::failed_check, "Datalog: division by zero in rule '" +
                                                  program_.rules[version.rule].text +
                                                  "'; add a constraint on the divisor");
      }
    }
    return made_;
  }

  /// Whether a test of the version that reads nothing has a solution.
  bool holds(const rule_version& version, const exists_step& test) {
    version_ = &version;
    answered_.clear();
    return has_solution(test);
  }

private:
  using base::add_field, base::add_head, base::add_slots, base::add_test, base::begin;
  using base::backend_, base::fault_, base::may_fault_, base::program_, base::version_;
  using base::finish, base::no_source, base::set_source, base::write_rows;
  using typename base::assembly, typename base::row_outputs;
  using terminal = std::function<void(const bindings&)>;

  /// The version's steps, or those of a body.
  struct sequence {
    const std::vector<step>& steps;
    const step_kernels& kernels;
    const u8* found = nullptr; ///< of a test: for each row whether it has a solution
  };

  /// The rows that are to be worked on: one of them, if later steps read nothing of them.
  bindings different(const std::vector<step>& steps, std::size_t at, const bindings& rows) {
    const auto is_read = [&](const auto& slot) {
      const std::vector<u32>& alive = steps[at - 1].alive;
      return std::binary_search(alive.begin(), alive.end(), slot.first);
    };
    return rows.rows < 2 || version_->every_solution || at == 0 ||
                   std::any_of(rows.slots.begin(), rows.slots.end(), is_read)
               ? rows
               : rows.part(0, 1);
  }

  void go(const sequence& all, std::size_t at, const bindings& given, const terminal& end) {
    if (given.rows == 0)
      return;
    const std::vector<step>& steps = all.steps;
    const bindings rows = different(steps, at, given);
    const u8* const found = at == 0 ? all.found : nullptr;
    if (all.kernels[at] != nullptr) {
      const compiled_join& kernel = *all.kernels[at];
      if (compiled_.can_run(kernel, version_->heads, rows)) {
        may_fault_ = may_fault_ || kernel.shape.may_fault;
        made_ +=
            compiled_.run(kernel, *version_, steps, at, rows, found, [&](const bindings& after) {
              go(all, at + kernel.shape.steps, after, end);
            });
        return;
      }
    }
    if (at == steps.size()) {
      end(rows);
      return;
    }
    const step& now = steps[at];
    const auto next = [&](const bindings& after) { go(all, at + 1, after, end); };
    if (const auto* j = std::get_if<join_step>(&now.what)) {
      const bool last =
          at + 1 == steps.size() && &steps == &version_->steps && version_->heads.size() == 1;
      dedup_filter<Backend>* const seen =
          last || &steps != &version_->steps ? nullptr : seen_.of_rows(*version_, at, at + 1);
      join(*j, now.alive, rows, found, last, seen, next);
    } else if (const auto* f = std::get_if<filter_step>(&now.what)) {
      assembly a = begin(rows);
      add_test(a, f->test);
      const auto code = finish(a);
      next(select(rows, now.alive, passes_test{a.made}));
    } else if (const auto* b = std::get_if<bind_step>(&now.what)) {
      next(bind(rows, b->slot, b->value));
    } else if (const auto* c = std::get_if<call_step>(&now.what)) {
      next(call(rows, *c));
    } else if (const auto* n = std::get_if<absent_step>(&now.what)) {
      next(absent(rows, now.alive, n->source));
    } else if (const auto* p = std::get_if<present_step>(&now.what)) {
      next(present(rows, now.alive, p->source));
    } else if (const auto* e = std::get_if<exists_step>(&now.what)) {
      next(exists(*e, now.alive, rows));
    } else if (const auto* g = std::get_if<generate_step>(&now.what)) {
      generate(*g, now.alive, rows, next);
    } else if (const auto* a = std::get_if<aggregate_step>(&now.what)) {
      next(aggregate(*a, now.alive, rows));
    }
  }

  // Joins -----------------------------------------------------------------------------------------

  source source_of(const bindings& rows, const operand& from) const {
    if (!from.constant)
      return *rows.find(static_cast<u32>(from.content));
    source constant;
    constant.content = from.content;
    return constant;
  }

  key_maker keys_of(const probe& p, const bindings& rows, const layout& packed,
                    unsigned prefix) const {
    key_maker keys;
    keys.prefix = masks_of(packed, prefix);
    auto key = p.keys.begin();
    for (u32 c = 0; c < max_columns; ++c)
      if (((p.known >> c) & 1) != 0)
        keys.add(source_of(rows, *key++), packed.fields[c]);
    return keys;
  }

  std::vector<shared_run<Backend>> runs_of(const probe& p, const index_data<Backend>& index) const {
    if (!p.delta)
      return index.full;
    return index.delta ? std::vector{index.delta} : std::vector<shared_run<Backend>>{};
  }

  /// \param found if not null, for each row whether it needs no further results.
  /// \param seen if not null, the table of the step's rows.
  template <class Next>
  void join(const join_step& j, const std::vector<u32>& alive, const bindings& rows,
            const u8* found, bool last, dedup_filter<Backend>* seen, const Next& next) {
    const column_set first = j.once ? bound_columns(j) : j.source.known;
    index_data<Backend>& index = relations_[j.source.relation].index_for(first, !j.source.delta);
    const layout packed = index.packed;
    const auto prefix = static_cast<unsigned>(std::popcount(j.source.known));
    for (const shared_run<Backend>& r : runs_of(j.source, index)) {
      if (rows.slots.empty() && rows.rows == 1 && prefix == 0 && !last) {
        scan(j, alive, packed, *r, next);
        continue;
      }
      if (rows.slots.empty() && rows.rows == 1 && prefix == 0) {
        scan_to_head(j, packed, *r);
        continue;
      }
      batch_.each(rows.rows, [&](u64 from, u64 count) {
        join_part(j, alive, rows.part(from, count), found == nullptr ? nullptr : found + from,
                  packed, prefix, *r, last, seen, next);
      });
    }
  }

  /// Binds the step's variables to columns of a run.
  void bind_columns(assembly& a, const join_step& j, const layout& packed,
                    const word_columns& words, typename source::places place) {
    const auto column = [&](u8 c) {
      const field at = packed.fields[c];
      source from;
      from.place = place;
      from.shift = at.shift;
      from.bits = at.bits;
      from.data = words.words[at.word];
      return from;
    };
    for (const join_step::bound_column& b : j.binds)
      set_source(a, b.slot, column(b.column));
    // Temporary slots after the rule's own stand for columns that must agree.
    for (const auto& [first, second] : j.equal) {
      const auto slot = static_cast<u32>(a.place_of.size());
      a.place_of.resize(slot + 2, no_source);
      set_source(a, slot, column(first));
      set_source(a, slot + 1, column(second));
      const plan::type of{plan::kind::unsigned_number, 64};
      add_test(a, {plan::operation::equal,
                   of,
                   0,
                   {{plan::operation::variable, of, slot, {}},
                    {plan::operation::variable, of, slot + 1u, {}}}});
    }
    for (const plan::expression& test : j.tests)
      add_test(a, test);
  }

  /// The first atom: its columns are read where they lie.
  template <class Next>
  void scan(const join_step& j, const std::vector<u32>& alive, const layout& packed,
            const sorted_run<Backend>& r, const Next& next) {
    batch_.each(r.size(), [&](u64 from, u64 count) {
      bindings rows;
      rows.rows = count;
      for (const join_step::bound_column& b : j.binds) {
        const field at = packed.fields[b.column];
        source column;
        column.place = source::row;
        column.shift = at.shift;
        column.bits = at.bits;
        column.data = r.columns().words[at.word] + from;
        rows.slots.emplace_back(b.slot, column);
      }
      if (j.once) {
        const auto columns = static_cast<unsigned>(j.binds.size());
        next(select(rows, alive,
                    kernels::starts_group{r.columns().from(from, packed.words),
                                          masks_of(packed, columns)}));
        return;
      }
      if (j.equal.empty() && j.tests.empty()) {
        next(rows);
        return;
      }
      assembly a = begin({});
      bind_columns(a, j, packed, r.columns().from(from, packed.words), source::row);
      const auto code = finish(a);
      next(select(rows, alive, passes_test{a.made}));
    });
  }

  /// A rule of one atom: tuples become head tuples at once.
  void scan_to_head(const join_step& j, const layout& packed, const sorted_run<Backend>& r) {
    batch_.each(r.size(), [&](u64 from, u64 count) {
      assembly a = begin({});
      bind_columns(a, j, packed, r.columns().from(from, packed.words), source::row);
      if (a.made.test_length == 0) {
        write_head(a, count, nullptr, [&](const producer& p, const seen_tuples&) {
          write_rows(count, p);
          return count;
        });
        return;
      }
      const buffer<Backend, u32> kept(backend_, count, "row numbers");
      auto code = finish(a);
      const u64 n = backend_.select(count, passes_test{a.made}, kept.data());
      for (u32 s = 0; s < a.sources; ++s)
        if (a.made.sources[s].place == source::row)
          a.made.sources[s].place = source::indirect;
      a.made.rows = kept.data();
      write_head(a, n, nullptr, [&](const producer& p, const seen_tuples&) {
        write_rows(n, p);
        return n;
      });
    });
  }

  /// Writes outputs of one word without those that a table knows, if it is worth asking.
  template <class Produce>
  u64 produce_new(const assembly& a, u64 count, dedup_filter<Backend>* seen,
                  const Produce& produce) {
    if (seen == nullptr || a.made.word_count != 1)
      return produce(a.made, seen_tuples{});
    const seen_tuples known = seen->ask(backend_, count);
    const u64 written = produce(a.made, known);
    if (known.places != nullptr)
      seen->note(count, written);
    return written;
  }

  /// \param seen if not null, the table of the head's tuples.
  /// \param produce writes at most `count` outputs with the producer, and none that the table given
  /// to it knows, if there is one; returns how many.
  template <class Produce>
  void write_head(assembly& a, u64 count, dedup_filter<Backend>* seen, const Produce& produce) {
    if (count == 0)
      return;
    const plan::head& head = version_->heads.front();
    sink<Backend>& to = sinks_[head.relation];
    add_head(a, head, to.packed());
    const auto code = finish(a);
    const word_columns words = to.reserve(count);
    for (unsigned w = 0; w < to.packed().words; ++w)
      a.made.out[w] = words.words[w];
    const u64 written = produce_new(a, count, seen, produce);
    to.wrote(written);
    made_ += written;
  }

  template <class Next>
  void join_part(const join_step& j, const std::vector<u32>& alive, const bindings& rows,
                 const u8* found, const layout& packed, unsigned prefix, sorted_run<Backend>& r,
                 bool last, dedup_filter<Backend>* seen, const Next& next) {
    const buffer<Backend, u32> first(backend_, rows.rows, "ranges");
    const buffer<Backend, u64> offsets(backend_, rows.rows + 1, "offsets");
    if (prefix == 0)
      backend_.for_each(rows.rows, take_all{r.size(), first.data(), offsets.data()});
    else
      backend_.for_each(rows.rows, look_up{keys_of(j.source, rows, packed, prefix),
                                           {r.view(backend_, packed, prefix, rows.rows)},
                                           first.data(),
                                           offsets.data()});
    const auto expand = [&](u64 from, u64 count) {
      const u64 end = from + count;
      assembly a = begin(rows);
      a.made.first = first.data();
      bind_columns(a, j, packed, r.columns(), source::tuple);
      const bool tested = a.made.test_length != 0;
      const auto produce = [&](const producer& p, const seen_tuples& known) {
        if constexpr (!Backend::is_cuda)
          if (const std::optional<word_maker> words = word_maker::of(p))
            return backend_.expand_words(offsets.data(), rows.rows, from, end, tested, p, *words,
                                         known);
        return known.places != nullptr
                   ? backend_.expand_new(offsets.data(), rows.rows, from, end, tested, p, known)
                   : backend_.expand(offsets.data(), rows.rows, from, end, tested, p);
      };
      if (last)
        write_head(a, end - from, &seen_.of_heads(version_->heads.front().relation), produce);
      else
        next(write_slots(a, alive, end - from, seen, produce));
    };
    in_rounds(backend_, rows.rows, first.data(), offsets.data(), found,
              [&](u64 total) { batch_.each(total, expand); });
  }

  /// Writes the alive slots that the assembly knows as rows of their own.
  /// \param seen if not null, the table of such rows; produce as in write_head().
  /// \param computed if not null, the value of one more slot.
  template <class Produce>
  bindings write_slots(assembly& a, const std::vector<u32>& alive, u64 most,
                       dedup_filter<Backend>* seen, const Produce& produce, u32 computed_slot = 0,
                       const plan::expression* computed = nullptr) {
    const row_outputs outputs = add_slots(a, alive, computed_slot, computed);
    auto storage = std::make_shared<buffer<Backend, u64>>(
        backend_, std::max<u64>(outputs.words() * most, 1), "join results");
    for (u64 w = 0; w < outputs.words(); ++w)
      a.made.out[w] = storage->data() + w * most;
    const auto code = finish(a);
    const u64 rows = produce_new(a, most, seen, produce);
    return bindings::over(outputs.slots, outputs.fields, std::move(storage), most, rows);
  }

  // Other steps -----------------------------------------------------------------------------------

  /// The rows that a predicate keeps.
  template <class Keep>
  bindings select(const bindings& rows, const std::vector<u32>& alive, const Keep& keep) {
    const buffer<Backend, u32> kept(backend_, rows.rows, "row numbers");
    const u64 count = backend_.select(rows.rows, keep, kept.data());
    if (count == rows.rows)
      return rows;
    assembly a = begin(rows);
    for (u32 s = 0; s < a.sources; ++s)
      if (a.made.sources[s].place == source::row)
        a.made.sources[s].place = source::indirect;
    a.made.rows = kept.data();
    return write_slots(a, alive, count, nullptr, [&](const producer& p, const seen_tuples&) {
      write_rows(count, p);
      return count;
    });
  }

  bindings bind(const bindings& rows, u32 slot, const plan::expression& value) {
    bindings made = rows;
    if (value.what == plan::operation::constant) {
      source constant;
      constant.content = value.payload;
      made.slots.emplace_back(slot, constant);
    } else if (value.what == plan::operation::variable) {
      made.slots.emplace_back(slot, *rows.find(static_cast<u32>(value.payload)));
    } else {
      assembly a = begin(rows);
      auto column = std::make_shared<buffer<Backend, u64>>(backend_, rows.rows, "a variable");
      add_field(a, value, {});
      a.made.out[0] = column->data();
      const auto code = finish(a);
      write_rows(rows.rows, a.made);
      add_column(made, slot, std::move(column));
    }
    return made;
  }

  void add_column(bindings& rows, u32 slot, std::shared_ptr<const buffer<Backend, u64>> column) {
    source from;
    from.place = source::row;
    from.data = column->data();
    rows.slots.emplace_back(slot, from);
    rows.columns.push_back(std::move(column));
  }

  /// The values of a slot or constant in host memory.
  std::vector<u64> on_host(const bindings& rows, const operand& from) {
    if (from.constant)
      return std::vector<u64>(rows.rows, from.content);
    const auto slot = static_cast<u32>(from.content);
    assembly a = begin(rows);
    add_field(a, {plan::operation::variable, version_->slots[slot], slot, {}}, {});
    const buffer<Backend, u64> column(backend_, rows.rows, "arguments of a host function");
    a.made.out[0] = column.data();
    write_rows(rows.rows, a.made);
    std::vector<u64> values(rows.rows);
    backend_.download(values.data(), column.data(), rows.rows * sizeof(u64));
    return values;
  }

  bindings call(const bindings& rows, const call_step& c) {
    std::vector<std::vector<u64>> arguments;
    for (const operand& argument : c.arguments)
      arguments.push_back(on_host(rows, argument));
    std::vector<u64> results(rows.rows);
    constexpr u64 fewest = 256; // calls that are worth a thread
    functions_->call_all(
        c.function, arguments, results, [](u64 count, const host_functions::part_work& work) {
          host_parts(count, fewest).run([&](u64, u64 first, u64 last) { work(first, last); });
        });
    for (u64& result : results)
      result &= low_bits(version_->slots[c.slot].bits);
    auto column = std::make_shared<buffer<Backend, u64>>(backend_, rows.rows, "a variable");
    backend_.upload(column->data(), results.data(), rows.rows * sizeof(u64));
    bindings made = rows;
    add_column(made, c.slot, std::move(column));
    return made;
  }

  bindings absent(const bindings& rows, const std::vector<u32>& alive, const probe& p) {
    index_data<Backend>& index = relations_[p.relation].index_for(p.known, true);
    const layout packed = index.packed;
    const auto prefix = static_cast<unsigned>(std::popcount(p.known));
    bindings left = rows;
    const auto runs = index.full;
    for (std::size_t i = 0; i < runs.size() && left.rows != 0; ++i) {
      if (runs[i]->size() == 0)
        continue;
      if (prefix == 0) { // any tuple at all
        left.rows = 0;
        break;
      }
      // The key's variables are needed until the last run has been asked.
      std::vector<u32> needed = alive;
      for (const operand& key : p.keys)
        if (!key.constant)
          needed.push_back(static_cast<u32>(key.content));
      std::sort(needed.begin(), needed.end());
      needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
      left = select(left, needed,
                    finds_none{keys_of(p, left, packed, prefix),
                               {runs[i]->view(backend_, packed, prefix, left.rows)}});
    }
    return left;
  }

  void mark(u64 rows, const mark_found& work) {
    if constexpr (!Backend::is_cuda) {
      constexpr u64 many = 1 << 14; // rows, beside which the answers' memory is little
      if (rows >= many && work.keys.prefix.words == 1)
        return backend_.for_each(rows, mark_found_again{work});
    }
    backend_.for_each(rows, work);
  }

  /// The rows for which there is a tuple.
  bindings present(const bindings& rows, const std::vector<u32>& alive, const probe& p) {
    index_data<Backend>& index = relations_[p.relation].index_for(p.known, true);
    const auto prefix = static_cast<unsigned>(std::popcount(p.known));
    std::vector<shared_run<Backend>> runs;
    for (const shared_run<Backend>& r : index.full)
      if (r->size() != 0)
        runs.push_back(r);
    if (prefix == 0 || runs.empty())
      return runs.empty() ? rows.part(0, 0) : rows;
    const buffer<Backend, u8> found(backend_, rows.rows, "rows with a tuple");
    backend_.clear(found.data(), rows.rows);
    for (const shared_run<Backend>& r : runs)
      mark(rows.rows, mark_found{keys_of(p, rows, index.packed, prefix),
                                 {r->view(backend_, index.packed, prefix, rows.rows)},
                                 found.data()});
    return select(rows, alive, is_marked{found.data()});
  }

  // Tests -----------------------------------------------------------------------------------------

  /// The rows for which a body has a solution.
  bindings exists(const exists_step& e, const std::vector<u32>& alive, const bindings& rows) {
    if (e.given.empty()) {
      const auto [answer, is_new] = answered_.try_emplace(&e, false);
      if (is_new)
        answer->second = has_solution(e);
      return answer->second ? rows : rows.part(0, 0);
    }
    if (!pays_to_combine(e.given, e.repeats, rows)) {
      const buffer<Backend, u8> found = solve(e, rows);
      return select(rows, alive, is_marked{found.data()});
    }
    const combinations all = combine(e.given, rows);
    const buffer<Backend, u8> found = solve(e, all.each);
    const buffer<Backend, u32> kept(backend_, all.each.rows, "row numbers");
    const u64 count = backend_.select(all.each.rows, is_marked{found.data()}, kept.data());
    if (count == 0)
      return rows.part(0, 0);
    sorted_run<Backend> solved =
        take_rows(backend_, all.values->columns(), kept.data(), count, all.packed.words);
    const buffer<Backend, u8> marked(backend_, rows.rows, "rows with a solution");
    backend_.clear(marked.data(), rows.rows);
    const auto prefix = static_cast<unsigned>(e.given.size());
    backend_.for_each(rows.rows, mark_found{keys_of(all.own, rows, all.packed, prefix),
                                            {solved.view(backend_, all.packed, prefix, rows.rows)},
                                            marked.data()});
    return select(rows, alive, is_marked{marked.data()});
  }

  /// The different combinations of some variables' values among rows.
  struct combinations {
    layout packed;
    probe own; ///< looks a row's combination up
    std::shared_ptr<sorted_run<Backend>> values;
    bindings each; ///< the values as rows, which keep them
  };

  bool pays_to_combine(const std::vector<u32>& given, bool repeats, const bindings& rows) const {
    return repeats && rows.rows >= fewest_to_compare && given.size() <= max_words;
  }

  combinations combine(const std::vector<u32>& given, const bindings& rows) {
    std::vector<plan::type> types;
    column_widths widths;
    combinations made;
    for (const u32 slot : given) {
      made.own.known |= column_set(1) << types.size();
      made.own.keys.push_back({false, slot});
      types.push_back(version_->slots[slot]);
      widths.push_back(std::min(types.back().bits, rows.find(slot)->bits));
    }
    made.packed = layout(types, identity_order(types.size()), widths);
    sorted_run<Backend> values(backend_, rows.rows, made.packed.words);
    {
      assembly a = begin(rows);
      for (std::size_t c = 0; c < given.size(); ++c)
        add_field(a, {plan::operation::variable, types[c], given[c], {}}, made.packed.fields[c]);
      for (unsigned w = 0; w < made.packed.words; ++w)
        a.made.out[w] = values.columns().words[w];
      const auto code = finish(a);
      write_rows(rows.rows, a.made);
    }
    sort_tuples(backend_, values);
    drop_repeats(backend_, values);
    made.values = std::make_shared<sorted_run<Backend>>(std::move(values));
    made.each.rows = made.values->size();
    made.each.columns.emplace_back(made.values, nullptr);
    for (std::size_t c = 0; c < given.size(); ++c) {
      const field at = made.packed.fields[c];
      source column;
      column.place = source::row;
      column.shift = at.shift;
      column.bits = at.bits;
      column.data = made.values->columns().words[at.word];
      made.each.slots.emplace_back(given[c], column);
    }
    return made;
  }

  /// Evaluates a body that reads nothing, in batches that grow, until there is a solution.
  bool has_solution(const exists_step& e) {
    bool found = false;
    const batch_bounds before = batch_;
    if (!e.may_fail)
      batch_ = {batch_.most, std::min(batch_.most, first_batch), &found};
    go({e.body, e.kernels}, 0, bindings{},
       [&](const bindings& rows) { found = found || rows.rows != 0; });
    batch_ = before;
    return found;
  }

  /// \returns for each row whether the body has a solution.
  buffer<Backend, u8> solve(const exists_step& e, const bindings& rows) {
    buffer<Backend, u8> found(backend_, rows.rows, "rows with a solution");
    backend_.clear(found.data(), rows.rows);
    bindings inner;
    inner.rows = rows.rows;
    inner.columns = rows.columns;
    for (const u32 slot : e.given)
      inner.slots.emplace_back(slot, *rows.find(slot));
    auto numbers = std::make_shared<buffer<Backend, u64>>(backend_, rows.rows, "row numbers");
    backend_.for_each(rows.rows, kernels::number_words{numbers->data()});
    add_column(inner, e.row_slot, std::move(numbers));
    // What is looked for further out is not found by finding something here.
    const batch_bounds before = batch_;
    batch_ = {batch_.most, batch_.most, nullptr};
    const u8* const ends = e.may_fail ? nullptr : found.data();
    go({e.body, e.kernels, ends}, 0, inner, [&](const bindings& solved) {
      backend_.for_each(solved.rows, mark_numbers{*solved.find(e.row_slot), found.data()});
    });
    batch_ = before;
    return found;
  }

  template <class Next>
  void generate(const generate_step& g, const std::vector<u32>& alive, const bindings& all,
                const Next& next) {
    batch_.each(all.rows, [&](u64 begin_row, u64 count) {
      const bindings rows = all.part(begin_row, count);
      const auto column = [&](const plan::expression& value) {
        assembly a = begin(rows);
        buffer<Backend, u64> made(backend_, rows.rows, "a range");
        add_field(a, value, {});
        a.made.out[0] = made.data();
        const auto code = finish(a);
        write_rows(rows.rows, a.made);
        return made;
      };
      const auto from = std::make_shared<buffer<Backend, u64>>(column(g.from));
      const auto step = std::make_shared<buffer<Backend, u64>>(column(g.step));
      const buffer<Backend, u64> to = column(g.to);
      const buffer<Backend, u64> offsets(backend_, rows.rows + 1, "offsets");
      backend_.for_each(rows.rows,
                        count_range{from->data(), to.data(), step->data(), g.of, offsets.data()});
      const u64 total = backend_.scan(offsets.data(), rows.rows);
      batch_.each(total, [&](u64 first, u64 values) {
        const u64 end = first + values;
        assembly a = begin(rows);
        // The value is from + number * step; temporary slots stand for the three.
        const auto slot = static_cast<u32>(a.place_of.size());
        a.place_of.resize(slot + 3, no_source);
        source s;
        s.place = source::row;
        s.data = from->data();
        set_source(a, slot, s);
        s.data = step->data();
        set_source(a, slot + 1, s);
        s.place = source::number;
        set_source(a, slot + 2, s);
        const auto variable = [](u32 number, plan::type of) {
          return plan::expression{plan::operation::variable, of, number, {}};
        };
        const plan::expression number{plan::operation::convert,
                                      g.of,
                                      0,
                                      {variable(slot + 2, {plan::kind::unsigned_number, 64})}};
        const plan::expression offset{
            plan::operation::multiply, g.of, 0, {number, variable(slot + 1, g.of)}};
        const plan::expression value{plan::operation::add, g.of, 0, {variable(slot, g.of), offset}};
        next(write_slots(
            a, alive, end - first, nullptr,
            [&](const producer& p, const seen_tuples&) {
              return backend_.expand(offsets.data(), rows.rows, first, end, false, p);
            },
            g.slot, &value));
      });
    });
  }

  /// The rows with their aggregates. These are computed once for each combination of the values
  /// that the body reads; where no more is read later, the combinations are the rows from then on.
  bindings aggregate(const aggregate_step& g, const std::vector<u32>& alive, const bindings& rows) {
    if (version_->every_solution || g.given.empty() || !pays_to_combine(g.given, g.repeats, rows))
      return with_results(g, alive, rows, aggregate_each(g, rows));
    const combinations all = combine(g.given, rows);
    aggregated<Backend> results = aggregate_each(g, all.each);
    if (std::all_of(alive.begin(), alive.end(), [&](u32 slot) {
          return slot == g.slot || std::binary_search(g.given.begin(), g.given.end(), slot);
        }))
      return with_results(g, alive, all.each, std::move(results));
    const buffer<Backend, u32> first(backend_, rows.rows, "ranges");
    {
      const buffer<Backend, u64> lengths(backend_, rows.rows, "ranges");
      const auto prefix = static_cast<unsigned>(g.given.size());
      backend_.for_each(rows.rows,
                        look_up{keys_of(all.own, rows, all.packed, prefix),
                                {all.values->view(backend_, all.packed, prefix, rows.rows)},
                                first.data(),
                                lengths.data()});
    }
    auto column = std::make_shared<buffer<Backend, u64>>(backend_, rows.rows, "a variable");
    backend_.for_each(rows.rows,
                      kernels::copy_word{results.values->data(), column->data(), first.data()});
    bindings made = rows;
    add_column(made, g.slot, std::move(column));
    return results.present.size() == 0
               ? made
               : select(made, alive, kernels::is_present_at{results.present.data(), first.data()});
  }

  bindings with_results(const aggregate_step& g, const std::vector<u32>& alive,
                        const bindings& rows, aggregated<Backend> results) {
    bindings made = rows;
    add_column(made, g.slot, std::move(results.values));
    return results.present.size() == 0
               ? made
               : select(made, alive, kernels::is_present{results.present.data()});
  }

  /// The aggregate for each row. The body runs for all rows at once; it carries their numbers
  /// along.
  aggregated<Backend> aggregate_each(const aggregate_step& g, const bindings& rows) {
    bindings inner = rows;
    auto numbers = std::make_shared<buffer<Backend, u64>>(backend_, rows.rows, "row numbers");
    backend_.for_each(rows.rows, kernels::number_words{numbers->data()});
    add_column(inner, g.row_slot, std::move(numbers));
    aggregation<Backend> pairs(backend_, rows.rows, g.function, g.of, g.target.of);
    go({g.body, g.kernels}, 0, inner, [&](const bindings& found) {
      const operand target{g.target.what == plan::operation::constant, g.target.payload};
      pairs.add(*found.find(g.row_slot), source_of(found, target), found.rows);
    });
    return pairs.finish();
  }

  /// Rows that are left after the last step become head tuples.
  void emit(const bindings& all) {
    for (u64 from = 0; from < all.rows; from += batch_.most) {
      const bindings rows = all.part(from, std::min(batch_.most, all.rows - from));
      for (const plan::head& head : version_->heads) {
        sink<Backend>& to = sinks_[head.relation];
        assembly a = begin(rows);
        add_head(a, head, to.packed());
        const auto code = finish(a);
        const word_columns words = to.reserve(rows.rows);
        for (unsigned w = 0; w < to.packed().words; ++w)
          a.made.out[w] = words.words[w];
        write_rows(rows.rows, a.made);
        to.wrote(rows.rows);
        made_ += rows.rows;
      }
    }
  }

  stores& relations_;
  std::vector<sink<Backend>>& sinks_;
  dedup_filters<Backend>& seen_;
  host_functions* functions_;
  /// Of a test that ends with the first solution; it grows from there.
  static constexpr u64 first_batch = u64(1) << (Backend::is_cuda ? 18 : 12);
  /// Rows that are not worth sorting for the sake of repeats.
  static constexpr u64 fewest_to_compare = 64;

  batch_bounds batch_;
  std::map<const exists_step*, bool> answered_; ///< tests without variables, in this evaluation
  compiled_joins<Backend> compiled_;
  u64 made_ = 0;
};

} // namespace ikra::datalog
