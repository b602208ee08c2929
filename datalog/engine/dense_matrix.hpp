// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fixpoint of a stratum of chains over bit matrices: full, delta and next delta of each
// relation are rows of bits. A row that changed is mapped through the factors to the right of
// delta, and the image is or-ed into the rows that the factor to the left leads to; bits that were
// not there are the next delta (docs/datalog.md, "Dense evaluation"). Written once for both
// devices.
#pragma once

#include "dense_plan.hpp"
#include "dense_rows.hpp"

#include <map>
#include <memory>

namespace ikra::datalog {

/// A matrix of bits as kernels see it.
template <class Word> struct bit_matrix {
  Word* rows = nullptr;
  u8* dirty = nullptr; ///< per row: has bits that are new
};

namespace kernels {

template <class Word> struct chain_step {
  sparse_rows sparse; ///< a static factor
  const Word* dense = nullptr;
  const Word* only = nullptr; ///< bits of the rows of `dense` that are not empty; null: all may be
  unsigned lanes = 1;
};

/// One version of a chain, for one row of its first factor.
template <class Word> struct run_chain {
  chain_step<Word> steps[max_factors]; ///< the first gives the row itself
  unsigned step_count = 0;
  bool has_left = false;
  sparse_rows left; ///< of each row: the rows of the head that get its image
  unsigned left_lanes = 1;
  const u32* items = nullptr; ///< rows to start from; null: all
  bit_matrix<Word> full, next;
  bool irreflexive = false;
  u64 words = 0;

  template <class Group> IKRA_DATALOG_GROUP void operator()(const Group& group, u64 item) const {
    const u32 start = items != nullptr ? items[item] : static_cast<u32>(item);
    if (has_left && left.offsets[start] == left.offsets[start + 1])
      return;
    Word* row = static_cast<Word*>(group.fast);
    Word* other = row + words;
    u32* const list = static_cast<u32*>(group.slow);
    const chain_step<Word>& first = steps[0];
    if (first.dense != nullptr) {
      const Word* const from = first.dense + start * words;
      for (u64 w = group.rank(); w < words; w += group.size())
        row[w] = group.read_shared(from + w);
      group.sync();
    } else {
      clear_row(group, row, words);
      if (group.rank() == 0)
        list[0] = start;
      group.sync();
      add_image(group, row, list, 1, first.sparse, first.lanes);
    }
    for (unsigned s = 1; s < step_count; ++s) {
      const chain_step<Word>& now = steps[s];
      if (now.only != nullptr) {
        for (u64 w = group.rank(); w < words; w += group.size())
          row[w] &= now.only[w];
        group.sync();
      }
      const u32 count = list_bits(group, row, words, [&](u32 column, u32 n) { list[n] = column; });
      if (count == 0)
        return;
      clear_row(group, other, words);
      if (now.dense == nullptr) {
        add_image(group, other, list, count, now.sparse, now.lanes);
      } else {
        for (u32 i = 0; i < count; ++i) {
          const Word* const from = now.dense + u64(list[i]) * words;
          for (u64 w = group.rank(); w < words; w += group.size())
            other[w] |= group.read_shared(from + w);
        }
        group.sync();
      }
      Word* const swapped = row;
      row = other;
      other = swapped;
    }
    if (!has_left) {
      push(group, row, start);
      return;
    }
    for (u64 e = left.offsets[start]; e < left.offsets[start + 1]; ++e)
      push(group, row, left.columns[e]);
  }

  template <class Group>
  IKRA_DATALOG_GROUP void push(const Group& group, const Word* row, u32 to) const {
    Word* const known = full.rows + u64(to) * words;
    Word* const fresh = next.rows + u64(to) * words;
    bool changed = false;
    for (u64 w = group.rank(); w < words; w += group.size()) {
      Word more = row[w];
      if (irreflexive && w == to / word_bits<Word>)
        more &= ~bit_of<Word>(to);
      if (more == 0 || (more & ~group.read_shared(known + w)) == 0)
        continue;
      more &= ~group.or_shared(known + w, more);
      if (more != 0) {
        group.or_shared(fresh + w, more);
        changed = true;
      }
    }
    if (changed)
      group.mark(next.dirty + to);
  }
};

/// Sets bits from pairs: one group for a block of pairs.
template <class Word> struct set_bits {
  const u64* pairs;
  u64 size;
  u64 words;
  bit_matrix<Word> full, delta;
  static constexpr u64 block = 4096;
  template <class Group> IKRA_DATALOG_GROUP void operator()(const Group& group, u64 item) const {
    const u64 end = (item + 1) * block < size ? (item + 1) * block : size;
    for (u64 i = item * block + group.rank(); i < end; i += group.size()) {
      const u64 row = pairs[i] >> 32;
      const u32 column = static_cast<u32>(pairs[i]);
      const u64 at = row * words + column / word_bits<Word>;
      group.or_shared(full.rows + at, bit_of<Word>(column));
      group.or_shared(delta.rows + at, bit_of<Word>(column));
      group.mark(delta.dirty + row);
    }
  }
};

/// Sets the bits of changed rows in the turned matrix.
template <class Word> struct turn_rows {
  const u32* items;
  const Word* delta;
  u64 words;
  bit_matrix<Word> full, turned;
  template <class Group> IKRA_DATALOG_GROUP void operator()(const Group& group, u64 item) const {
    const u32 row = items[item];
    const Word* const from = delta + u64(row) * words;
    for (u64 w = group.rank(); w < words; w += group.size())
      for (Word left = from[w]; left != 0; left &= left - 1) {
        const u64 column = w * word_bits<Word> + lowest_bit(left);
        const u64 at = column * words + row / word_bits<Word>;
        group.or_shared(full.rows + at, bit_of<Word>(row));
        group.or_shared(turned.rows + at, bit_of<Word>(row));
        group.mark(turned.dirty + column);
      }
  }
};

template <class Word> struct clear_rows {
  const u32* items;
  bit_matrix<Word> of;
  u64 words;
  template <class Group> IKRA_DATALOG_GROUP void operator()(const Group& group, u64 item) const {
    const u32 row = items[item];
    clear_row(group, of.rows + u64(row) * words, words);
    if (group.rank() == 0)
      of.dirty[row] = 0;
  }
};

/// Marks as bits.
template <class Word> struct pack_marks {
  const u8* marks;
  u64 count;
  Word* to;
  IKRA_DATALOG_BOTH void operator()(u64 w) const {
    Word word = 0;
    for (u64 i = w * word_bits<Word>; i < (w + 1) * word_bits<Word> && i < count; ++i)
      if (marks[i] != 0)
        word |= Word(1) << (i % word_bits<Word>);
    to[w] = word;
  }
};

struct is_marked {
  const u8* marks;
  IKRA_DATALOG_BOTH bool operator()(u64 i) const { return marks[i] != 0; }
};

template <class Word> struct count_row {
  const Word* rows;
  u64 words;
  u64* lengths;
  template <class Group> IKRA_DATALOG_GROUP void operator()(const Group& group, u64 item) const {
    const Word* const row = rows + item * words;
    u32 mine = 0, total = 0;
    for (u64 w = group.rank(); w < words; w += group.size())
      mine += count_bits(row[w]);
    group.exclusive(mine, total);
    group.sync();
    if (group.rank() == 0)
      lengths[item] = total;
  }
};

template <class Word> struct write_row {
  const Word* rows;
  u64 words;
  u32 first_row;
  const u64* offsets;
  u64 base;
  const u32* values;
  u64* to;
  template <class Group> IKRA_DATALOG_GROUP void operator()(const Group& group, u64 item) const {
    const u64 row = first_row + item;
    const u64 high = static_cast<u64>(values[row]) << 32;
    u64* const out = to + (offsets[row] - base);
    if (offsets[row] != offsets[row + 1])
      list_bits(group, rows + row * words, words,
                [&](u32 column, u32 n) { out[n] = high | values[column]; });
  }
};

} // namespace kernels

template <class Backend> class dense_matrices {
public:
  using word = typename Backend::bits;

  /// Static factors are given by set_static, in the orientations that needed() lists.
  dense_matrices(Backend& backend, const dense_stratum& plan, const numbering<Backend>& numbers)
      : backend_(backend), plan_(plan), numbers_(numbers), n_(numbers.count),
        words_(row_words<word>(n_)), items_(backend, n_, "rows that changed"),
        only_(backend, words_, "rows that changed") {
    for (const chain_rule& c : plan.chains) {
      add(c.head);
      for (const chain_factor& f : c.factors)
        if (f.recursive) {
          add(f.relation);
          if (f.turned)
            state_.at(f.relation).is_turned = true;
        }
    }
  }

  /// Bytes that full, delta and next take.
  static u64 bytes(const dense_stratum& plan, u64 n) {
    std::map<u32, u64> matrices;
    for (const chain_rule& c : plan.chains) {
      matrices.emplace(c.head, 3);
      for (const chain_factor& f : c.factors)
        if (f.recursive && f.turned)
          matrices[f.relation] = 5;
    }
    u64 total = 0;
    for (const auto& [relation, count] : matrices)
      total += count * n * row_words<word>(n) * sizeof(word);
    return total;
  }

  /// The static factors of a stratum's chains, in the orientations in which they are read.
  static std::vector<chain_factor> needed(const dense_stratum& plan) {
    std::vector<chain_factor> all;
    for (const chain_rule& c : plan.chains)
      for (std::size_t i = 0; i < c.factors.size(); ++i)
        if (!c.factors[i].recursive)
          for (const bool turned : {false, true}) {
            const chain_factor f{c.factors[i].relation, turned, false};
            // The first one is also read backwards, to find the rows of the head.
            if ((turned == c.factors[i].turned || i == 0) &&
                std::find(all.begin(), all.end(), f) == all.end())
              all.push_back(f);
          }
    return all;
  }

  void set_static(const chain_factor& factor, sparse_matrix<Backend> rows) {
    statics_[key(factor)] = std::move(rows);
  }

  void start(u32 relation, const sorted_run<Backend>& pairs) {
    add(relation);
    allocate();
    state& s = state_.at(relation);
    backend_.for_groups((pairs.size() + 4095) / 4096, 0, 0,
                        kernels::set_bits<word>{pairs.columns().words[0], pairs.size(), words_,
                                                s.full.view(), s.delta.view()});
  }

  /// Runs to the fixpoint. \returns the number of iterations.
  u64 run() {
    allocate();
    u64 iterations = 0;
    for (;;) {
      bool more = false;
      for (auto& [relation, s] : state_) {
        const u64 changed = find_dirty(s.delta);
        more |= changed != 0;
        if (changed != 0 && s.is_turned)
          backend_.for_groups(changed, 0, 0,
                              kernels::turn_rows<word>{items_.data(), s.delta.bits.data(), words_,
                                                       s.turned_full.view(),
                                                       s.turned_delta.view()});
      }
      if (!more)
        return iterations;
      ++iterations;
      for (const chain_rule& c : plan_.chains)
        for (std::size_t i = 0; i < c.factors.size(); ++i)
          if (c.factors[i].recursive)
            run_version(c, i);
      for (auto& [relation, s] : state_) {
        clear(s.delta);
        if (s.is_turned)
          clear(s.turned_delta);
        std::swap(s.delta, s.next);
      }
    }
  }

  /// The relation's tuples, sorted in the natural order.
  std::vector<sorted_run<Backend>> tuples_of(u32 relation) {
    const state& s = state_.at(relation);
    const buffer<Backend, u64> offsets(backend_, u64(n_) + 1, "offsets");
    backend_.for_groups(n_, 0, 0,
                        kernels::count_row<word>{s.full.bits.data(), words_, offsets.data()});
    const u64 total = backend_.scan(offsets.data(), n_);
    std::vector<sorted_run<Backend>> parts;
    if (total == 0)
      return parts;
    std::vector<u64> starts(u64(n_) + 1);
    backend_.download(starts.data(), offsets.data(), starts.size() * sizeof(u64));
    for (u32 first = 0; first < n_;) {
      // As many rows as one run may have tuples.
      u32 end = first + 1;
      while (end < n_ && starts[end + 1] - starts[first] <= longest_run)
        ++end;
      const u64 size = starts[end] - starts[first];
      sorted_run<Backend> part(backend_, size, 1);
      backend_.for_groups(
          end - first, 0, 0,
          kernels::write_row<word>{s.full.bits.data(), words_, first, offsets.data(), starts[first],
                                   numbers_.values.data(), part.columns().words[0]});
      if (size != 0)
        parts.push_back(std::move(part));
      first = end;
    }
    return parts;
  }

private:
  struct matrix {
    buffer<Backend, word> bits;
    buffer<Backend, u8> dirty;
    bit_matrix<word> view() const { return {bits.data(), dirty.data()}; }
  };
  struct state {
    matrix full, delta, next, turned_full, turned_delta;
    bool is_turned = false;
  };

  static std::pair<u32, bool> key(const chain_factor& f) { return {f.relation, f.turned}; }

  void add(u32 relation) { state_.try_emplace(relation); }

  void make(matrix& m) {
    if (m.bits.size() != 0)
      return;
    m.bits = buffer<Backend, word>(backend_, n_ * words_, "a bit matrix");
    m.dirty = buffer<Backend, u8>(backend_, n_, "a bit matrix");
    backend_.clear(m.bits.data(), n_ * words_ * sizeof(word));
    backend_.clear(m.dirty.data(), n_);
  }

  void allocate() {
    for (auto& [relation, s] : state_) {
      make(s.full);
      make(s.delta);
      make(s.next);
      if (s.is_turned) {
        make(s.turned_full);
        make(s.turned_delta);
      }
    }
  }

  /// Lists the changed rows in items_. \returns how many.
  u64 find_dirty(const matrix& m) {
    return backend_.select(n_, kernels::is_marked{m.dirty.data()}, items_.data());
  }

  void clear(const matrix& m) {
    const u64 changed = find_dirty(m);
    backend_.for_groups(changed, 0, 0, kernels::clear_rows<word>{items_.data(), m.view(), words_});
  }

  kernels::chain_step<word> step_of(const chain_factor& f, bool delta, bool only) {
    kernels::chain_step<word> made;
    if (!f.recursive) {
      const sparse_matrix<Backend>& m = statics_.at(key(f));
      made.sparse = m.view();
      made.lanes = lanes_for(m.size, n_, Backend::most_lanes);
      return made;
    }
    const state& s = state_.at(f.relation);
    const matrix& m =
        f.turned ? (delta ? s.turned_delta : s.turned_full) : (delta ? s.delta : s.full);
    made.dense = m.bits.data();
    if (delta && only) {
      backend_.for_each(words_, kernels::pack_marks<word>{m.dirty.data(), n_, only_.data()});
      made.only = only_.data();
    }
    return made;
  }

  /// The version in which factor `at` reads delta.
  void run_version(const chain_rule& c, std::size_t at) {
    kernels::run_chain<word> work;
    std::size_t from = 0;
    u64 items = n_;
    if (at == 0 || (at == 1 && !c.factors[0].recursive)) {
      // Starts at delta; a static factor before it says which rows of the head get the image.
      from = at;
      const state& s = state_.at(c.factors[at].relation);
      items = find_dirty(c.factors[at].turned ? s.turned_delta : s.delta);
      work.items = items_.data();
      if (at == 1) {
        const chain_factor& f = c.factors[0];
        work.has_left = true;
        work.left = statics_.at({f.relation, !f.turned}).view();
      }
    }
    if (items == 0)
      return;
    for (std::size_t k = from; k < c.factors.size(); ++k)
      work.steps[work.step_count++] = step_of(c.factors[k], k == at, k != from);
    state& head = state_.at(c.head);
    work.full = head.full.view();
    work.next = head.next.view();
    work.irreflexive = c.irreflexive;
    work.words = words_;
    backend_.for_groups(items, 2 * words_ * sizeof(word), u64(n_) * sizeof(u32), work);
  }

  Backend& backend_;
  const dense_stratum& plan_;
  const numbering<Backend>& numbers_;
  u64 n_, words_;
  buffer<Backend, u32> items_;
  buffer<Backend, word> only_; ///< rows of delta that are not empty
  std::map<u32, state> state_;
  std::map<std::pair<u32, bool>, sparse_matrix<Backend>> statics_;
};

} // namespace ikra::datalog
