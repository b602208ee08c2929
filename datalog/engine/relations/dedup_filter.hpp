// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of what the joins of a stratum have made, so that repeats are dropped before they are
// written: head tuples of a relation, which are in full or on their way there, and rows between two
// joins, of which all that follows has been made. They are filters alone: what they forget is made
// again and found to be known later. Written once for both devices.
#pragma once

#include "datalog/backend/buffer.hpp"
#include "datalog/plan/schedule.hpp"

#include <ikra/generated/datalog/seen.hpp>

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

namespace ikra::datalog {

namespace kernels {

/// Remembers what another table does: tuples that are at their place.
struct remember_places {
  seen_tuples from, in;
  IKRA_DATALOG_BOTH void operator()(u64 i) const {
    const u64 tuple = from.places[i];
    if (from.place_of(tuple) == i)
      static_cast<void>(in.seen(tuple));
  }
};

} // namespace kernels

/// The table of one join's outputs. It grows with what is kept, and rests while little is dropped.
template <class Backend> class dedup_filter {
public:
  /// \param fewest outputs at a time that are worth asking about.
  /// \param share it pays if one of so many is dropped.
  /// \param by_iteration whether that is decided when an iteration ends, and not before: several
  /// versions of rules bring the same tuples, and those of the first one are new.
  dedup_filter(u64 fewest, u64 share, bool by_iteration)
      : fewest_(fewest), share_(share), by_iteration_(by_iteration) {}

  /// What to ask about the next outputs, at most so many. \returns an empty table where that does
  /// not pay.
  seen_tuples ask(Backend& backend, u64 most) {
    if (most < fewest_)
      return {};
    if (rest_ != 0) {
      rest_ -= std::min(rest_, most);
      return {};
    }
    grow(backend, most);
    return places_.size() == 0 ? seen_tuples{} : view(places_);
  }

  /// Says what came of that: how many outputs were asked about, how many were new.
  void note(u64 asked, u64 kept) {
    kept_ += kept;
    window_ += asked;
    window_kept_ += kept;
    if (!by_iteration_ || window_ >= longest_window)
      judge();
  }

  /// Decides whether the table pays, or rests.
  void judge() {
    if (window_ < shortest_window)
      return;
    // The longer it does not pay, the longer it rests.
    const bool pays = window_ - window_kept_ >= window_ / share_;
    patience_ = pays ? 4 : std::min<u64>(2 * patience_, 64);
    rest_ = pays ? 0 : patience_ * window_;
    window_ = window_kept_ = 0;
  }

private:
  static constexpr u64 shortest_window = u64(1) << 20, longest_window = u64(1) << 28;
  static constexpr unsigned most_bits = Backend::is_cuda ? 27 : 24; ///< of the number of places
  static constexpr unsigned always_bits = 18; ///< on a CPU, of those that are always borne
  static constexpr u64 share_of_use = 32;     ///< on a CPU, a table's part of all memory in use

  static seen_tuples view(const buffer<Backend, u64>& places) {
    return {places.data(),
            static_cast<u8>(std::countr_zero(places.size() / seen_tuples::places_a_line))};
  }

  void grow(Backend& backend, u64 most) {
    // On a CPU, whose memory holds more than relations, tables are small beside these.
    const u64 bearable =
        Backend::is_cuda ? u64(1) << most_bits
                         : std::clamp(std::bit_floor(backend.in_use() / sizeof(u64) / share_of_use),
                                      u64(1) << always_bits, u64(1) << most_bits);
    const auto places_for = [&](u64 tuples) {
      return std::min(std::bit_ceil(std::max<u64>(tuples, u64(2) * seen_tuples::places_a_line)),
                      bearable);
    };
    u64 wanted = places_for(kept_ + most);
    if (wanted <= places_.size())
      return;
    const u64 room = backend.available() / 8 / sizeof(u64);
    // A GPU's table begins with places to spare: to move what it holds takes as long as asking.
    if (const u64 spare = places_for(4 * (kept_ + most)); Backend::is_cuda && spare <= room)
      wanted = spare;
    if (wanted > room)
      return;
    const buffer<Backend, u64> before = std::move(places_);
    places_ = buffer<Backend, u64>(backend, wanted, "tuples seen");
    // No place may hold a tuple of its own that has not been seen: 0 belongs to the first, and 1
    // does not.
    constexpr u64 unseen = 1;
    backend.clear(places_.data(), wanted * sizeof(u64));
    backend.upload(places_.data(), &unseen, sizeof unseen);
    if (before.size() != 0)
      backend.for_each(before.size(), kernels::remember_places{view(before), view(places_)});
  }

  buffer<Backend, u64> places_;
  u64 fewest_, share_;
  bool by_iteration_;
  u64 kept_ = 0;
  u64 window_ = 0, window_kept_ = 0;
  u64 rest_ = 0;     ///< outputs that are not asked about
  u64 patience_ = 4; ///< how many windows the next rest lasts
};

/// The tables of a stratum. What they hold is right for as long as relations only grow.
template <class Backend> class dedup_filters {
public:
  /// \param fewest outputs at a time that are asked about; 0: as many as pay.
  explicit dedup_filters(u64 fewest) : fewest_(fewest != 0 ? fewest : usual_fewest) {}

  /// Head tuples of a relation.
  dedup_filter<Backend>& of_heads(u32 relation) {
    return heads_.try_emplace(relation, fewest_, share_of_heads, Backend::is_cuda).first->second;
  }
  void end_iteration() {
    for (auto& [relation, filter] : heads_)
      filter.judge();
  }

  /// The rows that a join of a version leaves, if they may repeat and are used for joins alone.
  /// Those that came before have met all tuples that there were; the versions whose delta is
  /// further on bring the others to them.
  /// \param end the first step that is not carried out with the join.
  /// \returns null if there is no table.
  dedup_filter<Backend>* of_rows(const rule_version& version, std::size_t step, std::size_t end) {
    if (!repeats(version, step, end))
      return nullptr;
    return &rows_
                .try_emplace({version.rule, version.delta_atom, step}, fewest_, share_of_rows,
                             false)
                .first->second;
  }

  void clear() {
    heads_.clear();
    rows_.clear();
  }

private:
  /// A GPU sorts at the speed of its memory, with few bytes more for a tuple than a table takes. A
  /// row that is dropped saves all of its results besides.
  static constexpr u64 share_of_heads = Backend::is_cuda ? 3 : 8, share_of_rows = 8;
  /// Below, reading a GPU's counter and making a table cost more than repeats do.
  static constexpr u64 usual_fewest = u64(1) << 14;

  /// Whether a later step may be carried out once for equal rows, and there may be such.
  static bool repeats(const rule_version& version, std::size_t at, std::size_t end) {
    const auto* const join = std::get_if<join_step>(&version.steps[at].what);
    if (join == nullptr)
      return false;
    if (version.every_solution)
      return false;
    for (std::size_t i = end; i < version.steps.size(); ++i) {
      const auto* const later = std::get_if<join_step>(&version.steps[i].what);
      if (later != nullptr && later->source.delta) // the next iteration has another one
        return false;
      if (std::holds_alternative<generate_step>(version.steps[i].what) ||
          std::holds_alternative<aggregate_step>(version.steps[i].what))
        return false;
    }
    // Where all variables so far are needed later, rows differ as tuples do.
    const std::vector<u32>& alive = version.steps[end - 1].alive;
    const auto dropped = [&](u32 slot) {
      return !std::binary_search(alive.begin(), alive.end(), slot);
    };
    const std::vector<u32>* before = at == 0 ? nullptr : &version.steps[at - 1].alive;
    return std::any_of(join->binds.begin(), join->binds.end(),
                       [&](const join_step::bound_column& b) { return dropped(b.slot); }) ||
           (before != nullptr && std::any_of(before->begin(), before->end(), dropped));
  }

  u64 fewest_;
  std::map<u32, dedup_filter<Backend>> heads_;
  std::map<std::tuple<u32, int, std::size_t>, dedup_filter<Backend>> rows_;
};

} // namespace ikra::datalog
