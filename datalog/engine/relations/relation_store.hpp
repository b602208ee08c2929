// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A relation on a device: its indices, each an order of columns with log-structured runs of full
// and the last delta; and the tuples of the current iteration. Written once for both devices.
#pragma once

#include "datalog/engine/relations/host_tuples.hpp"
#include "datalog/engine/relations/runs.hpp"
#include "datalog/plan/index_choice.hpp"
#include "datalog/plan/widths.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <span>
#include <utility>

namespace ikra::datalog {

namespace kernels {

/// Packs tuples anew, for another order of columns.
struct repack {
  word_columns from, to;
  layout source, target;
  IKRA_DATALOG_BOTH void operator()(u64 i) const {
    if (source.words == 1 && target.words == 1) { // most relations
      const u64 word = from.words[0][i];
      u64 packed = 0;
      for (unsigned c = 0; c < source.columns; ++c)
        packed |= extract(word, source.fields[c]) << target.fields[c].shift;
      to.words[0][i] = packed;
      return;
    }
    u64 packed[max_words] = {};
    for (unsigned c = 0; c < source.columns; ++c) {
      const field in = source.fields[c], out = target.fields[c];
      packed[out.word] |= extract(from.words[in.word][i], in) << out.shift;
    }
    for (unsigned w = 0; w < target.words; ++w)
      to.words[w][i] = packed[w];
  }
};

} // namespace kernels

/// One index: all tuples of the relation, in one order of columns.
template <class Backend> struct index_data {
  std::vector<u8> order;
  layout packed;
  std::vector<shared_run<Backend>> full; ///< delta is one of them, or part of one
  shared_run<Backend> delta;
};

template <class Backend> class relation_store {
public:
  using run_type = sorted_run<Backend>;

  /// What a failed run is undone to.
  struct snapshot {
    std::vector<index_data<Backend>> indices;
    column_widths widths;
    u64 size;
  };

  relation_store(Backend& backend, std::span<const plan::type> types)
      : backend_(&backend), types_(types.begin(), types.end()) {
    add_index(identity_order(types.size()));
  }

  u64 size() const noexcept { return size_; }
  /// With the fresh tuples, some of them more than once.
  u64 kept() const noexcept {
    u64 all = size_;
    for (const run_type& r : fresh_)
      all += r.size();
    return all;
  }
  u64 delta_size() const noexcept {
    return indices_.front().delta ? indices_.front().delta->size() : 0;
  }
  const layout& primary() const noexcept { return indices_.front().packed; }
  const std::vector<index_data<Backend>>& indices() const noexcept { return indices_; }
  std::size_t column_count() const noexcept { return types_.size(); }

  snapshot save() const { return {indices_, widths_, size_}; }
  void restore(const snapshot& saved) {
    indices_ = saved.indices;
    widths_ = saved.widths;
    size_ = saved.size;
    fresh_.clear();
  }

  /// Says how many bits values take at most; none: as many as their types have. What is there is
  /// packed anew where a column takes more than before.
  void set_widths(column_widths widths) {
    bool grown = false;
    for (std::size_t c = 0; c < widths_.size(); ++c)
      grown |= widths.empty() || widths[c] > widths_[c];
    if (size_ != 0 && !grown)
      return;
    widths_ = std::move(widths);
    for (index_data<Backend>& index : indices_) {
      const layout before = std::exchange(index.packed, layout_of(index.order));
      for (shared_run<Backend>& run : index.full)
        run = repacked(*run, before, index); // columns compare as before
      index.delta.reset();
    }
  }

  /// Chooses the indices. Of a relation that has tuples, existing orders are kept.
  void set_orders(const std::vector<std::vector<u8>>& orders) {
    if (size_ == 0) {
      indices_.clear();
      for (const std::vector<u8>& order : orders)
        add_index(order);
    }
  }

  bool has_index(column_set known) const {
    return std::any_of(indices_.begin(), indices_.end(),
                       [&](const auto& index) { return is_prefix(known, index.order); });
  }

  /// \returns the index whose order begins with the set; makes it if there is none.
  /// \param searched whether full is looked into, run by run: where there are many, the smallest
  /// neighbours are merged first.
  index_data<Backend>& index_for(column_set known, bool searched) {
    for (index_data<Backend>& index : indices_)
      if (is_prefix(known, index.order)) {
        while (searched && wants_fewer_runs(index) && merge_smallest(index)) {
        }
        return index;
      }
    add_index(choose_orders({known}, types_.size()).front());
    index_data<Backend>& made = indices_.back();
    const index_data<Backend>& primary = indices_.front();
    for (const shared_run<Backend>& r : primary.full)
      made.full.push_back(reordered(*r, made));
    if (primary.delta)
      made.delta = reordered(*primary.delta, made);
    return made;
  }

  /// Takes tuples in the primary layout, in any order and with repeats.
  void add_fresh(run_type tuples) {
    sort_tuples(*backend_, tuples);
    keep_fresh<Backend>(*backend_, tuples, true, indices_.front().full);
    add_sorted_fresh(std::move(tuples));
  }

  /// Takes facts: sorted, without repeats, in the natural order of columns, packed by types.
  void add_facts(const run_type& facts) {
    run_type made(*backend_, facts.size(), primary().words);
    const std::vector<u8> natural = identity_order(types_.size());
    backend_->for_each(facts.size(), kernels::repack{facts.columns(), made.columns(),
                                                     layout(types_, natural), primary()});
    if (indices_.front().order != natural) {
      add_fresh(std::move(made));
      return;
    }
    keep_fresh<Backend>(*backend_, made, false, indices_.front().full);
    add_sorted_fresh(std::move(made));
  }

  /// Lets a part of full be read as delta.
  void show_delta(const shared_run<Backend>& part) {
    indices_.front().delta = part;
    for (std::size_t i = 1; i < indices_.size(); ++i)
      indices_[i].delta = reordered(*part, indices_[i]);
  }

  /// Takes sorted tuples without repeats, none of them in full.
  void add_sorted_fresh(run_type tuples) {
    if (tuples.size() == 0)
      return;
    fresh_.push_back(std::move(tuples));
    // The same tuple may be in several: merging drops it.
    while (fresh_.size() > 1 && fresh_[fresh_.size() - 2].size() < 2 * fresh_.back().size() &&
           merge_last_fresh()) {
    }
  }

  /// Makes the fresh tuples the delta and adds them to full. \returns the delta's size.
  u64 advance() {
    while (fresh_.size() > 1 && merge_last_fresh()) {
    }
    index_data<Backend>& primary = indices_.front();
    for (index_data<Backend>& index : indices_)
      index.delta.reset();
    if (fresh_.empty())
      return 0;
    // Only deltas longer than a run can be have several parts; each is one iteration's delta.
    primary.delta = std::make_shared<run_type>(std::move(fresh_.back()));
    fresh_.pop_back();
    for (run_type& other : fresh_)
      keep_fresh<Backend>(*backend_, other, false, {&primary.delta, 1});
    std::erase_if(fresh_, [](const run_type& r) { return r.size() == 0; });
    size_ += primary.delta->size();
    for (index_data<Backend>& index : indices_) {
      if (&index != &primary)
        index.delta = reordered(*primary.delta, index);
      append(index, index.delta);
    }
    return primary.delta->size();
  }

  /// The fresh tuples, sorted and without repeats, which are then no longer here.
  std::vector<run_type> take_fresh() {
    while (fresh_.size() > 1 && merge_last_fresh()) {
    }
    return std::exchange(fresh_, {});
  }

  /// Removes tuples from full and from delta. \param tuples of full, sorted, without repeats, in
  /// the natural order of columns
  void remove(const run_type& tuples) {
    const layout natural = layout_of(identity_order(types_.size()));
    for (index_data<Backend>& index : indices_) {
      const shared_run<Backend> gone = reordered(tuples, natural, index);
      std::map<const run_type*, shared_run<Backend>> without;
      const auto drop = [&](shared_run<Backend>& from) {
        shared_run<Backend>& made = without[from.get()];
        if (made == nullptr)
          made = difference(from, gone);
        from = made;
      };
      if (index.delta)
        drop(index.delta);
      for (shared_run<Backend>& run : index.full)
        drop(run);
      std::erase_if(index.full, [](const shared_run<Backend>& run) { return run->size() == 0; });
    }
    size_ = 0;
    for (const shared_run<Backend>& run : indices_.front().full)
      size_ += run->size();
  }

  /// Drops fresh tuples. \param keep is given all of them, once each, in ascending order of bits
  /// column by column, and says which stay.
  template <class Keep> void keep_some_fresh(const Keep& keep) {
    while (fresh_.size() > 1 && merge_last_fresh()) {
    }
    for (run_type& run : fresh_) {
      const host_tuples all = host_tuples::of(*backend_, run, primary());
      std::vector<char> kept(run.size());
      for (const u64 row : all.ascending())
        kept[row] = keep(all.tuple(row)) ? 1 : 0;
      const std::vector<u32> rows = chosen_rows(kept);
      if (rows.size() == run.size())
        continue;
      const buffer<Backend, u32> on_device(*backend_, rows.size(), "row numbers");
      backend_->upload(on_device.data(), rows.data(), rows.size() * sizeof(u32));
      run = take_rows(*backend_, run.columns(), on_device.data(), rows.size(), run.words());
    }
    std::erase_if(fresh_, [](const run_type& r) { return r.size() == 0; });
  }

  /// Adds tuples that several iterations gave.
  /// \param tuples sorted in the primary order, without repeats, none of them in full; at least one
  /// \param delta those of the last iteration; may be none.
  /// \returns the tuples, as a run.
  shared_run<Backend> add_sorted(run_type tuples, run_type delta) {
    const auto all = std::make_shared<run_type>(std::move(tuples));
    const bool one = delta.size() == all->size();
    shared_run<Backend> last;
    if (one)
      last = all;
    else if (delta.size() != 0)
      last = std::make_shared<run_type>(std::move(delta));
    size_ += all->size();
    for (std::size_t i = 0; i < indices_.size(); ++i) {
      index_data<Backend>& index = indices_[i];
      const shared_run<Backend> here = i == 0 ? all : reordered(*all, index);
      if (i == 0 || last == nullptr)
        index.delta = last;
      else
        index.delta = one ? here : reordered(*last, index);
      append(index, here);
    }
    return all;
  }

  /// Ends a fixpoint: no delta.
  void drop_delta() {
    for (index_data<Backend>& index : indices_)
      index.delta.reset();
  }

  /// Replaces everything by these parts: sorted, without repeats, ascending from part to part, in
  /// the natural order of columns.
  void replace(std::vector<run_type> parts) {
    for (index_data<Backend>& index : indices_) {
      index.full.clear();
      index.delta.reset();
    }
    fresh_.clear();
    size_ = 0;
    const layout natural = layout_of(identity_order(types_.size()));
    for (run_type& part : parts) {
      size_ += part.size();
      const auto shared = std::make_shared<run_type>(std::move(part));
      for (index_data<Backend>& index : indices_)
        if (index.order == identity_order(types_.size()))
          index.full.push_back(shared);
        else
          append(index, reordered(*shared, natural, index));
    }
  }

  void clear() { replace({}); }

  /// All tuples as sorted parts in ascending order, in the natural order of columns.
  /// \param packed gets the layout.
  std::vector<shared_run<Backend>> sorted(layout& packed) {
    index_data<Backend>* natural = &indices_.front();
    for (index_data<Backend>& index : indices_)
      if (index.order == identity_order(types_.size()))
        natural = &index;
    index_data<Backend> made;
    if (natural->order != identity_order(types_.size())) {
      made.order = identity_order(types_.size());
      made.packed = layout_of(made.order);
      for (const shared_run<Backend>& r : natural->full)
        append(made, reordered(*r, made));
      natural = &made;
    }
    packed = natural->packed;
    while (natural->full.size() > 1 && !ascending(*natural)) {
      const std::size_t before = natural->full.size();
      merge_last(*natural);
      if (natural->full.size() == before)
        break;
    }
    return natural->full;
  }

  const std::vector<plan::type>& types() const noexcept { return types_; }

private:
  layout layout_of(std::span<const u8> order) const { return {types_, order, widths_}; }

  void add_index(std::vector<u8> order) {
    index_data<Backend> made;
    made.packed = layout_of(order);
    made.order = std::move(order);
    indices_.push_back(std::move(made));
  }

  /// The run without some tuples; the same one if it has none of them.
  shared_run<Backend> difference(const shared_run<Backend>& from,
                                 const shared_run<Backend>& without) {
    const kernels::is_fresh others{
        without->columns(), without->words(), false, 1, {{from->columns(), from->size()}}};
    const buffer<Backend, u32> rows(*backend_, without->size(), "row numbers");
    if (backend_->select(without->size(), others, rows.data()) == without->size())
      return from;
    run_type left(*backend_, from->size(), from->words());
    for (unsigned w = 0; w < from->words(); ++w)
      backend_->copy(left.columns().words[w], from->columns().words[w], from->size() * sizeof(u64));
    keep_fresh<Backend>(*backend_, left, false, {&without, 1});
    return std::make_shared<run_type>(std::move(left));
  }

  shared_run<Backend> reordered(const run_type& from, const index_data<Backend>& target) {
    return reordered(from, primary(), target);
  }
  shared_run<Backend> reordered(const run_type& from, const layout& packed,
                                const index_data<Backend>& target) {
    shared_run<Backend> made = repacked(from, packed, target);
    sort_tuples(*backend_, *made);
    return made;
  }
  shared_run<Backend> repacked(const run_type& from, const layout& packed,
                               const index_data<Backend>& target) {
    auto made = std::make_shared<run_type>(*backend_, from.size(), target.packed.words);
    backend_->for_each(from.size(),
                       kernels::repack{from.columns(), made->columns(), packed, target.packed});
    return made;
  }

  /// Whether the last two runs are merged. That takes memory for the result, which has to be little
  /// beside full: what is more than a quarter of it is left. (For searching and reading, more are
  /// merged on demand.)
  bool merges_last(const index_data<Backend>& index) const {
    constexpr u64 always = u64(1) << 24;
    if (index.full.size() < 2)
      return false;
    const u64 a = index.full[index.full.size() - 2]->size(), b = index.full.back()->size();
    return a < 2 * b && a + b <= std::min(longest_run, std::max(always, size_ / 4));
  }

  void append(index_data<Backend>& index, shared_run<Backend> r) {
    index.full.push_back(std::move(r));
    while (merges_last(index))
      merge_last(index);
  }

  static constexpr std::size_t most_runs = 16;
  /// Of a GPU: to merge so many tuples takes less time than to look into one more run, whose
  /// results the host waits for. Those of several words are merged more slowly.
  static u64 worth_merging(const index_data<Backend>& index) {
    return u64(1) << (index.packed.words == 1 ? 21 : 18);
  }

  /// Whether an index whose full is searched has neighbours that had better be one run.
  bool wants_fewer_runs(const index_data<Backend>& index) const {
    return index.full.size() > most_runs ||
           (Backend::is_cuda && index.full.size() > 1 &&
            length_of_pair(index, shortest_pair(index)) <= worth_merging(index));
  }

  static u64 length_of_pair(const index_data<Backend>& index, std::size_t first) {
    return index.full[first]->size() + index.full[first + 1]->size();
  }
  /// The first of the two neighbours that are shortest together.
  static std::size_t shortest_pair(const index_data<Backend>& index) {
    std::size_t best = 0;
    for (std::size_t i = 1; i + 1 < index.full.size(); ++i)
      if (length_of_pair(index, i) < length_of_pair(index, best))
        best = i;
    return best;
  }

  /// Merges the two neighbours that are shortest together. \returns false if that is too long.
  bool merge_smallest(index_data<Backend>& index) {
    const std::size_t best = shortest_pair(index);
    if (length_of_pair(index, best) > longest_run)
      return false;
    index.full[best] =
        std::make_shared<run_type>(merge_runs(*backend_, *index.full[best], *index.full[best + 1]));
    index.full.erase(index.full.begin() + static_cast<std::ptrdiff_t>(best) + 1);
    return true;
  }

  /// Merges the last two runs, unless the result is too long.
  void merge_last(index_data<Backend>& index) {
    const shared_run<Backend>&b = index.full.back(), &a = index.full[index.full.size() - 2];
    if (a->size() + b->size() > longest_run)
      return;
    // A delta and what a failed run is undone to have runs, too.
    auto merged = std::make_shared<run_type>(
        merge_last_use(*backend_, *a, a.use_count() == 1, *b, b.use_count() == 1));
    index.full.pop_back();
    index.full.back() = std::move(merged);
  }

  bool merge_last_fresh() {
    run_type& a = fresh_[fresh_.size() - 2];
    if (a.size() + fresh_.back().size() > longest_run)
      return false;
    run_type merged = merge_last_use(*backend_, a, true, fresh_.back(), true);
    drop_repeats(*backend_, merged);
    fresh_.pop_back();
    fresh_.back() = std::move(merged);
    return true;
  }

  /// Whether each run of an index ends before the next one begins.
  bool ascending(const index_data<Backend>& index) const {
    for (std::size_t i = 0; i + 1 < index.full.size(); ++i) {
      u64 last[max_words], first[max_words];
      const run_type &a = *index.full[i], &b = *index.full[i + 1];
      if (a.size() == 0 || b.size() == 0)
        continue;
      for (unsigned w = 0; w < index.packed.words; ++w) {
        backend_->download(last + w, a.columns().words[w] + (a.size() - 1), sizeof(u64));
        backend_->download(first + w, b.columns().words[w], sizeof(u64));
      }
      if (!std::lexicographical_compare(last, last + index.packed.words, first,
                                        first + index.packed.words))
        return false;
    }
    return true;
  }

  Backend* backend_;
  std::vector<plan::type> types_;
  column_widths widths_; ///< of values, or none
  std::vector<index_data<Backend>> indices_;
  std::vector<run_type> fresh_; ///< sorted, in the primary order, none in full
  u64 size_ = 0;
};

} // namespace ikra::datalog
