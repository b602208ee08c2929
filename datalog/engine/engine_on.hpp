// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The engine on one backend: what it has, and what loads facts into it and reads relations. Written
// once for both devices; planning.hpp and fixpoint.hpp have the rest of its members.
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
        seen_(options_.fewest_to_remember), fault_(*backend_, 1, "error flag") {
    check_plan(program_);
    monotone_ = is_monotone(program_);
    for (const plan::relation& r : program_.relations) {
      relations_.emplace_back(*backend_, r.columns);
      facts_.emplace_back();
      changed_.emplace_back();
    }
    pending_.resize(program_.relations.size());
    fact_widths_.resize(program_.relations.size());
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
  void narrow_columns();
  void note_searches(u32 stratum, std::span<const u32> in);
  void choose_indices(u32 relation);
  void plan_versions();
  void plan_stratum(u32 number, bool begins);
  bool plan_again(u32 number);
  void settle_tests(u32 number);
  void group_deltas(u32 number);
  bool groups_deltas() const { return !Backend::is_cuda && options_.kernels.empty(); }
  const rule_version& by_groups_if_worth(u32 stratum, std::size_t version);
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
  dedup_filters<Backend> seen_;            ///< of the stratum that is evaluated
  buffer<Backend, u32> fault_;             ///< of rules: set where one divides by zero
  std::vector<chosen_keys> chosen_;        ///< by relation: what choice domains have taken
  std::vector<changes> facts_;             ///< loaded before the last run, in the natural order
  std::vector<changes> pending_;           ///< loaded since
  std::vector<column_widths> fact_widths_; ///< by relation: of all facts so far; none without any
  std::vector<changes> changed_;           ///< deltas of a continuing run
  std::vector<std::vector<rule_version>> first_versions_;     ///< by stratum: run once
  std::vector<std::vector<rule_version>> recursive_versions_; ///< by stratum
  /// Of the stratum that is evaluated: its recursive versions by groups of delta.
  std::vector<std::optional<rule_version>> grouped_versions_;
  std::vector<std::vector<rule_version>> removing_versions_; ///< by stratum: of subsumption
  std::vector<std::optional<dense_stratum>> dense_;          ///< by stratum
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
        if (types[c].bits == 32)
          backend_->for_each(
              n, kernels::unpack_column<u32>{words, at, reinterpret_cast<u32*>(column.data())});
        else
          backend_->for_each(
              n, kernels::unpack_column<u64>{words, at, reinterpret_cast<u64*>(column.data())});
        bytes.emplace_back(size);
        backend_->download(bytes.back().data(), column.data(), size);
        views.push_back({bytes.back().data(), types[c].bits});
      }
      take(views, n);
    }
  backend_->trim();
}

template <class Backend>
void engine_on<Backend>::write_to_device(u32 relation, std::span<const device_room> columns) {
  check_columns(relation, columns.size());
  layout packed;
  std::vector<shared_run<Backend>> parts = relations_[relation].sorted(packed);
  const value_keys kinds = order_by_value(*backend_, parts, packed, relations_[relation].types());
  u64 row = 0;
  for (const shared_run<Backend>& part : parts) {
    kernels::unpack_rows unpack{part->columns(), packed, {}, {}, {}, {}};
    std::copy(kinds.begin(), kinds.end(), unpack.kinds);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      unpack.columns[c] = static_cast<char*>(columns[c].first) + row * columns[c].stride;
      unpack.strides[c] = columns[c].stride;
      unpack.bits[c] = relations_[relation].types()[c].bits;
    }
    backend_->for_each(part->size(), unpack);
    row += part->size();
  }
  backend_->trim();
}

} // namespace ikra::datalog
