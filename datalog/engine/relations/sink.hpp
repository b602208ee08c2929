// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the joins of an iteration put head tuples: room that grows eagerly, and is sorted and freed
// of repeats when it is full. Written once for both devices; relies on the relations' stores.
#pragma once

#include "datalog/engine/engine.hpp"
#include "datalog/engine/relations/relation_store.hpp"

#include <algorithm>
#include <utility>

namespace ikra::datalog {

/// Head tuples of one relation, collected until there are enough to sort.
template <class Backend> class sink {
public:
  /// \param batch tuples that are collected in any case, and \param most those that are as long as
  /// they are few beside what the relation has.
  sink(Backend& backend, relation_store<Backend>& into, const engine_options& options, u64 batch,
       u64 most)
      : backend_(backend), into_(into), options_(options), batch_(batch), most_(most) {}

  /// Makes room for n more tuples. \returns where they go: one array a word.
  word_columns reserve(u64 n) {
    const unsigned words = into_.primary().words;
    if (count_ + n > capacity_) {
      const u64 enough = std::clamp(into_.kept() / 4, batch_, most_);
      if (count_ != 0 && count_ + n > enough)
        flush();
      u64 wanted = count_ + n;
      if (options_.eager_buffers) {
        const auto extra =
            static_cast<u64>(options_.eager_factor * static_cast<double>(into_.delta_size() + n));
        wanted = std::max(wanted, std::min(enough, wanted + extra));
        if (wanted * words * sizeof(u64) > backend_.available() / 4)
          wanted = count_ + n; // memory is short
      }
      buffer<Backend, u64> grown(backend_, wanted * words, "new tuples");
      for (unsigned w = 0; w < words && count_ != 0; ++w)
        backend_.copy(grown.data() + w * wanted, storage_.data() + w * capacity_,
                      count_ * sizeof(u64));
      storage_ = std::move(grown);
      capacity_ = wanted;
    }
    word_columns to;
    for (unsigned w = 0; w < words; ++w)
      to.words[w] = storage_.data() + w * capacity_ + count_;
    return to;
  }
  void wrote(u64 n) { count_ += n; }

  void flush() {
    if (count_ != 0)
      into_.add_fresh(sorted_run<Backend>(std::exchange(storage_, {}), count_, capacity_,
                                          into_.primary().words));
    storage_ = {};
    count_ = capacity_ = 0;
  }

  /// Drops what has been collected.
  void forget() {
    storage_ = {};
    count_ = capacity_ = 0;
  }

  const layout& packed() const { return into_.primary(); }

private:
  Backend& backend_;
  relation_store<Backend>& into_;
  const engine_options& options_;
  u64 batch_, most_;
  buffer<Backend, u64> storage_;
  u64 count_ = 0, capacity_ = 0;
};

} // namespace ikra::datalog
