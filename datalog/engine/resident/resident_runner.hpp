// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When device-resident iterations are taken, and what the host does before and after them: delta
// goes into the stores, and new tuples go from there into the indices (docs/datalog.md,
// "Device-resident iterations"). Written once for both devices.
#pragma once

#include "datalog/engine/engine.hpp"
#include "datalog/engine/relations/relation_store.hpp"
#include "datalog/engine/resident/resident_kernel.hpp"

#include <algorithm>
#include <bit>
#include <chrono>

namespace ikra::datalog {

/// The device-resident iterations of one stratum.
template <class Backend> class resident_iterations {
public:
  using stores = std::vector<relation_store<Backend>>;

  /// All arguments are kept and have to live as long.
  resident_iterations(Backend& backend, stores& relations, const plan::stratum& s,
                      const std::vector<rule_version>& versions, const plan::program& program,
                      const engine_options& options)
      : backend_(backend), relations_(relations), stratum_(s), versions_(versions),
        program_(program), options_(options), limit_(bounds_for(options)) {
    std::string why;
    possible_ = options.small != small_use::nowhere && !versions.empty() &&
                resident::is_resident_stratum(s, versions, why) &&
                std::all_of(s.relations.begin(), s.relations.end(), [&](u32 r) {
                  return program.relations[r].choices.empty() && !program.relations[r].dominated;
                });
  }

  /// Carries out iterations from the deltas that there are, if that is wanted and possible.
  /// \returns how many were carried out; 0: none, and the next one is the host's.
  u64 run() {
    added_.assign(stratum_.relations.size(), nullptr);
    traces_.clear();
    if (!wanted() || (!ready_ && !prepare()))
      return 0;
    const auto start = std::chrono::steady_clock::now();
    launch();
    seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const u64 done = result_.iterations;
    blocked_ = result_.stopped != 0;
    if (blocked_) {
      quiet_ = 0;
      patience_ = done >= 2 * usual_patience ? usual_patience : std::min<u64>(2 * patience_, 64);
    }
    if (done != 0)
      hand_over();
    return done;
  }

  /// What relation number i of the stratum got in the last run(); null: nothing.
  const shared_run<Backend>& added(std::size_t i) const { return added_[i]; }

  /// Calls visit(iteration, version, seconds, joined) for all that the last run() did; iterations
  /// count from 0. Nothing unless options.profile.
  template <class Visit> void for_each_trace(const Visit& visit) const {
    u64 all = 0;
    const auto ran = [](const resident::trace& t) { return t.joined != resident::trace::skipped; };
    for (const resident::trace& t : traces_)
      all += ran(t) ? t.ticks : 0;
    for (std::size_t i = 0; i < traces_.size(); ++i)
      if (ran(traces_[i]))
        visit(i / versions_.size(), i % versions_.size(),
              seconds_ * static_cast<double>(traces_[i].ticks) /
                  static_cast<double>(std::max<u64>(all, 1)),
              traces_[i].joined);
  }

private:
  using run_type = sorted_run<Backend>;

  /// Iterations with small deltas that the host carries out first: making ready takes about as
  /// long as a few of them.
  static constexpr u64 usual_patience = 4;
  /// A look-up waits for memory, and nothing else is done meanwhile: on a GPU a hash table pays
  /// sooner than for look-ups by the thousands. New tuples are looked for in vain, for which tables
  /// have to be small (sorted_run::build).
  static constexpr u64 weight = Backend::is_cuda ? 64 : 1, most_hashed = u64(1) << 22,
                       most_hashed_whole = u64(1) << 18;
  /// Bytes of fast memory that a group of a GPU may have; beyond, bindings are elsewhere.
  static constexpr u64 most_fast = u64(200) << 10;
  /// So that counts of candidates fit 32 bits: each row may ask for one more than is held, in each
  /// run and in the store.
  static constexpr u64 most_runs = 60, most_rows = u64(1) << 13;

  /// Tuples of deltas that are allowed, and up to which it pays: on a CPU, the host carries out an
  /// iteration with a few tuples in microseconds too.
  static constexpr u64 most_delta = 1024, paying_delta = Backend::is_cuda ? 512 : 8;

  static resident::bounds bounds_for(const engine_options& options) {
    const resident_bounds& given = options.bounds_of_resident;
    const auto value = [](u64 wanted, u64 usual) {
      return static_cast<u32>(std::min<u64>(wanted != 0 ? wanted : usual, u64(1) << 16));
    };
    resident::bounds made{};
    made.delta =
        value(given.delta, options.small == small_use::everywhere ? most_delta : paying_delta);
    made.rows = static_cast<u32>(std::min<u64>(value(given.rows, 2048), most_rows));
    made.room = std::max(value(given.tuples, 1 << 14), made.delta);
    made.places = std::bit_ceil(2 * made.room);
    // Profiles take memory for each iteration.
    made.iterations = value(given.iterations, options.profile ? 256 : 4096);
    made.work = u64(1) << 19;
    return made;
  }

  bool wanted() {
    u64 all = 0;
    for (const u32 r : stratum_.relations)
      all += relations_[r].delta_size();
    if (!possible_ || all > limit_.delta) {
      quiet_ = 0;
      return false;
    }
    if (std::exchange(blocked_, false))
      return false;
    return options_.small == small_use::everywhere || quiet_++ >= patience_;
  }

  u64 bytes_needed() const {
    u64 words = 0;
    for (const u32 r : stratum_.relations)
      words += relations_[r].primary().words;
    return words * (limit_.room + limit_.rows) * 8 +
           program_of_.tables.size() * (limit_.room + limit_.places) * 4 +
           u64(2) * program_of_.binding_columns * limit_.rows * 8 + view_.fast().bytes();
  }

  /// Makes what lasts for the stratum. \returns false if there is no room for it.
  bool prepare() {
    const std::function<layout(u32)> primary = [&](u32 r) { return relations_[r].primary(); };
    const std::function<layout(u32, column_set)> index = [&](u32 r, column_set known) {
      return relations_[r].index_for(known, true).packed;
    };
    program_of_ = resident::make_resident_program(stratum_, versions_, primary, index);
    const resident::resident_program& p = program_of_;
    view_.segment_count = static_cast<u32>(p.segments.size());
    view_.version_count = static_cast<u32>(p.versions.size());
    view_.table_count = static_cast<u32>(p.tables.size());
    view_.store_count = static_cast<u32>(stratum_.relations.size());
    view_.binding_columns = p.binding_columns;
    view_.look_up_count = static_cast<u32>(p.look_ups.size());
    view_.limit = limit_;
    if (bytes_needed() > backend_.available() / 8)
      return possible_ = false;
    view_.code = keep(p.code);
    view_.keys = keep(p.keys);
    view_.binds = keep(p.binds);
    view_.equals = keep(p.equals);
    view_.actions = keep(p.actions);
    view_.numbers = keep(p.numbers);
    view_.segments = keep(p.segments);
    view_.parts = keep(p.parts);
    view_.heads = keep(p.heads);
    view_.versions = keep(p.versions);
    view_.tables = keep(p.tables);
    if (view_.fast().bytes() > most_fast)
      view_.bindings = room_for<u64>(u64(2) * p.binding_columns * limit_.rows);
    for (const u32 r : stratum_.relations) {
      const layout& packed = relations_[r].primary();
      resident::store made{};
      made.words = packed.words;
      made.all = masks_of(packed, packed.columns);
      made.size_limit = program_.relations[r].size_limit;
      u64* const tuples = room_for<u64>(u64(packed.words) * limit_.room);
      u64* const fresh = room_for<u64>(u64(packed.words) * limit_.rows);
      for (u32 w = 0; w < packed.words; ++w) {
        made.tuples.words[w] = tuples + u64(w) * limit_.room;
        made.made.words[w] = fresh + u64(w) * limit_.rows;
      }
      stores_.push_back(made);
    }
    heads_ = room_for<u32>(p.tables.size() * limit_.places);
    u32* const next = room_for<u32>(p.tables.size() * limit_.room);
    std::vector<resident::chains> chained;
    for (u64 t = 0; t < p.tables.size(); ++t)
      chained.push_back({heads_ + t * limit_.places, next + t * limit_.room});
    view_.chained = keep(chained);
    if (options_.profile)
      view_.traces = room_for<resident::trace>(u64(limit_.iterations) * p.versions.size());
    lookups_.assign(p.look_ups.size() + stores_.size(), 1);
    status_ = room_for<char>(status_bytes());
    return ready_ = true;
  }

  // What the group tells: the outcome, deltas, and how often it looked where.
  u64 status_bytes() const {
    return sizeof(resident::outcome) + stores_.size() * sizeof(resident::slice) +
           lookups_.size() * sizeof(u32);
  }
  static resident::slice* deltas_in(char* status) {
    return reinterpret_cast<resident::slice*>(status + sizeof(resident::outcome));
  }
  u32* lookups_in(char* status) const {
    return reinterpret_cast<u32*>(deltas_in(status) + stores_.size());
  }

  /// Runs as the group sees them. \param lookups that there were since this was last asked.
  void show_runs(const index_data<Backend>& index, unsigned prefix, u64 lookups, u64 most,
                 std::vector<run_view>& to) {
    for (const shared_run<Backend>& r : index.full)
      if (r->size() != 0)
        to.push_back(r->size() <= most ? r->view(backend_, index.packed, prefix, lookups * weight)
                                       : r->view());
  }

  void launch() {
    std::vector<buffer<Backend, char>> held;
    std::vector<run_view> runs;
    std::vector<resident::look_up> look_ups = program_of_.look_ups;
    for (std::size_t i = 0; i < look_ups.size(); ++i) {
      const probe& p = program_of_.probes[i];
      if (p.delta)
        continue;
      look_ups[i].first_run = static_cast<u32>(runs.size());
      show_runs(relations_[p.relation].index_for(p.known, true),
                static_cast<unsigned>(std::popcount(p.known)), lookups_[i], most_hashed, runs);
      look_ups[i].runs = static_cast<u32>(runs.size()) - look_ups[i].first_run;
    }
    std::vector<char> status(status_bytes(), 0);
    resident::slice* const deltas = deltas_in(status.data());
    for (std::size_t i = 0; i < stores_.size(); ++i) {
      relation_store<Backend>& of = relations_[stratum_.relations[i]];
      resident::store& to = stores_[i];
      to.first_run = static_cast<u32>(runs.size());
      show_runs(of.index_for(0, true), of.primary().columns, lookups_[look_ups.size() + i],
                most_hashed_whole, runs);
      to.runs = static_cast<u32>(runs.size()) - to.first_run;
      to.full_size = of.size();
      to.base = static_cast<u32>(of.delta_size());
      deltas[i] = {0, to.base};
      for (u32 w = 0; w < to.words && to.base != 0; ++w)
        backend_.copy(to.tuples.words[w], of.indices().front().delta->columns().words[w],
                      to.base * sizeof(u64));
    }
    const auto many = [](const auto& of) { return of.runs > most_runs; };
    if (std::any_of(look_ups.begin(), look_ups.end(), many)) {
      result_ = {0, 1};
      possible_ = false;
      return;
    }
    view_.look_ups = upload(look_ups, held);
    view_.runs = upload(runs, held);
    view_.stores = upload(stores_, held);
    view_.result = reinterpret_cast<resident::outcome*>(status_);
    view_.deltas = deltas_in(status_);
    view_.lookups = lookups_in(status_);
    backend_.upload(status_, status.data(), status.size());
    backend_.clear(heads_, program_of_.tables.size() * limit_.places * sizeof(u32));
    backend_.for_groups(1, view_.fast().bytes(), 0, view_);
    backend_.download(status.data(), status_, status.size());
    std::memcpy(static_cast<void*>(&result_), status.data(), sizeof result_);
    deltas_.assign(deltas, deltas + stores_.size());
    const u32* const lookups = lookups_in(status.data());
    lookups_.assign(lookups, lookups + lookups_.size());
    if (view_.traces != nullptr) {
      traces_.resize(result_.iterations * versions_.size());
      backend_.download(traces_.data(), view_.traces, traces_.size() * sizeof(resident::trace));
    }
  }

  void hand_over() {
    for (std::size_t i = 0; i < stores_.size(); ++i) {
      relation_store<Backend>& of = relations_[stratum_.relations[i]];
      const resident::slice delta = deltas_[i];
      const u32 base = stores_[i].base;
      if (delta.end == base) {
        of.drop_delta();
        continue;
      }
      added_[i] = of.add_sorted(taken(stores_[i], base, delta.end),
                                taken(stores_[i], std::max(base, delta.begin), delta.end));
    }
  }

  /// Tuples [begin, end) of a store, sorted.
  run_type taken(const resident::store& from, u32 begin, u32 end) {
    run_type made(backend_, end - begin, from.words);
    for (u32 w = 0; w < from.words && begin != end; ++w)
      backend_.copy(made.columns().words[w], from.tuples.words[w] + begin,
                    (end - begin) * sizeof(u64));
    sort_tuples(backend_, made);
    return made;
  }

  template <class T> T* room_for(u64 count) {
    kept_.emplace_back(backend_, std::max<u64>(count, 1) * sizeof(T), "device-resident iterations");
    return reinterpret_cast<T*>(kept_.back().data());
  }
  template <class T>
  const T* upload(const std::vector<T>& from, std::vector<buffer<Backend, char>>& held) {
    held.emplace_back(backend_, std::max<u64>(from.size(), 1) * sizeof(T),
                      "device-resident iterations");
    if (!from.empty())
      backend_.upload(held.back().data(), from.data(), from.size() * sizeof(T));
    return reinterpret_cast<const T*>(held.back().data());
  }
  template <class T> const T* keep(const std::vector<T>& from) { return upload(from, kept_); }

  Backend& backend_;
  stores& relations_;
  const plan::stratum& stratum_;
  const std::vector<rule_version>& versions_;
  const plan::program& program_;
  const engine_options& options_;
  resident::bounds limit_;
  bool possible_ = false, ready_ = false;
  bool blocked_ = false; ///< the next iteration is known to pass a bound
  u64 quiet_ = 0;        ///< iterations with small deltas since the last one that was not
  u64 patience_ = usual_patience;

  resident::resident_program program_of_;
  std::vector<buffer<Backend, char>> kept_;
  std::vector<resident::store> stores_;
  resident::iterations view_{};
  u32* heads_ = nullptr;
  char* status_ = nullptr;
  std::vector<u32> lookups_; ///< of look-ups and stores, in the last launch
  resident::outcome result_;
  std::vector<resident::slice> deltas_;
  std::vector<resident::trace> traces_;
  std::vector<shared_run<Backend>> added_;
  double seconds_ = 0;
};

} // namespace ikra::datalog
