// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fixpoint of a stratum of chains over bit matrices: full, delta and next delta of each
// relation are rows of bits. A row that changed is mapped through the factors to the right of
// delta, and the image is or-ed into the rows that the factor to the left leads to; bits that were
// not there are the next delta (docs/datalog.md, "Dense evaluation"). Written once for both
// devices.
#pragma once

#include "datalog/engine/bits/dense_lists.hpp"
#include "datalog/engine/bits/dense_rows.hpp"
#include "datalog/plan/dense_plan.hpp"

#include <functional>
#include <map>
#include <memory>

namespace ikra::datalog {

/// A matrix of bits as kernels see it. A row has a summary with a bit for each word that is not 0,
/// so that rows with few bits are read in few steps.
template <class Word> struct bit_matrix {
  Word* rows = nullptr;
  Word* summaries = nullptr;
  u8* dirty = nullptr; ///< per row: has bits that are new
  u64 words = 0, summary_words = 0;

  /// Sets bits of a word. \returns those that were not set.
  template <class Group>
  IKRA_DATALOG_GROUP Word set(const Group& group, u32 row, u32 w, Word bits) const {
    const Word before = group.or_shared(rows + row * words + w, bits);
    if (before == 0)
      group.or_shared(summaries + row * summary_words + w / word_bits<Word>, bit_of<Word>(w));
    return bits & ~before;
  }

  /// Calls take(w, word) for the words of a row that are not 0. On a GPU the same thread always
  /// gets the same words.
  template <class Group, class Take>
  IKRA_DATALOG_GROUP void for_words(const Group& group, u32 row, const Take& take) const {
    const Word* const summary = summaries + row * summary_words;
    const Word* const from = rows + row * words;
    if constexpr (Group::is_single) {
      for (u64 s = 0; s < summary_words; ++s)
        for (Word left = group.read_shared(summary + s); left != 0; left &= left - 1) {
          const u32 w = static_cast<u32>(s * word_bits<Word>) + lowest_bit(left);
          take(w, group.read_shared(from + w));
        }
    } else {
      for (u32 w = group.rank(); w < words; w += group.size())
        if ((group.read_shared(summary + w / word_bits<Word>) & bit_of<Word>(w)) != 0)
          take(w, group.read_shared(from + w));
    }
  }
};

namespace kernels {

template <class Word> struct chain_step {
  sparse_rows sparse; ///< a static factor
  bool is_dense = false;
  bit_matrix<Word> dense;
  const Word* only = nullptr; ///< bits of the rows of `dense` that are not empty; null: all may be
  unsigned lanes = 1;
};

/// One version of a chain, for one row of its first factor. The row's image is collected in fast
/// memory, with a list of the words that were touched; between factors it is a list of columns.
template <class Word> struct run_chain {
  chain_step<Word> steps[max_factors]; ///< the first gives the row itself
  unsigned step_count = 0;
  bool has_left = false;
  sparse_rows left;           ///< of each row: the rows of the head that get its image
  const u32* items = nullptr; ///< rows to start from; null: all
  bit_matrix<Word> full, next;
  bool irreflexive = false;
  u64 words = 0;
  u32 rows = 0;

  /// Memory of a group. The image is all zeros between items.
  struct work_space {
    Word* image;
    u32* counters; ///< lengths of the two lists
    u32* list;     ///< columns
    u32* touched;  ///< words of the image that are not 0
  };
  static u64 fast_bytes(u64 words) { return words * sizeof(Word) + 2 * sizeof(u32); }
  static u64 slow_bytes(u64 words, u64 rows) { return (words + rows) * sizeof(u32); }

  template <class Group> IKRA_DATALOG_GROUP void operator()(const Group& group, u64 item) const {
    const u32 start = items != nullptr ? items[item] : static_cast<u32>(item);
    if (has_left && left.offsets[start] == left.offsets[start + 1])
      return;
    work_space m;
    m.image = static_cast<Word*>(group.fast);
    m.counters = reinterpret_cast<u32*>(m.image + words);
    m.list = static_cast<u32*>(group.slow);
    m.touched = m.list + rows;

    reset(group, m);
    list_first(group, m, start);
    for (unsigned s = 1; s < step_count; ++s) {
      const u32 count = m.counters[0];
      reset(group, m);
      if (count == 0)
        return;
      map_list(group, m, steps[s], count);
      if (s + 1 < step_count)
        list_image(group, m, steps[s + 1].only);
    }
    if (step_count == 1) {
      const u32 count = m.counters[0];
      for (u32 i = group.rank(); i < count; i += group.size())
        touch(group, m, m.list[i]);
      group.sync();
    }
    const u32 touched = m.counters[1];
    if (!has_left)
      push(group, m, touched, start);
    else
      for (u64 e = left.offsets[start]; e < left.offsets[start + 1]; ++e)
        push(group, m, touched, left.columns[e]);
    group.sync();
    for (u32 i = group.rank(); i < touched; i += group.size())
      m.image[m.touched[i]] = 0;
    group.sync();
  }

private:
  template <class Group>
  IKRA_DATALOG_GROUP void reset(const Group& group, const work_space& m) const {
    group.sync();
    if (group.rank() == 0)
      m.counters[0] = m.counters[1] = 0;
    group.sync();
  }

  /// Appends a word's columns to the list.
  template <class Group>
  IKRA_DATALOG_GROUP void list_word(const Group& group, const work_space& m, u32 w,
                                    Word word) const {
    if (word == 0)
      return;
    u32 place = group.add_local(m.counters, count_bits(word));
    for (; word != 0; word &= word - 1)
      m.list[place++] = w * word_bits<Word> + lowest_bit(word);
  }

  /// Lists the columns of the first factor's row.
  template <class Group>
  IKRA_DATALOG_GROUP void list_first(const Group& group, const work_space& m, u32 start) const {
    const Word* const only = step_count > 1 ? steps[1].only : nullptr;
    const chain_step<Word>& first = steps[0];
    if (first.is_dense) {
      first.dense.for_words(group, start, [&](u32 w, Word word) {
        list_word(group, m, w, only == nullptr ? word : word & only[w]);
      });
    } else {
      const u64 stop = first.sparse.offsets[start + 1];
      for (u64 e = first.sparse.offsets[start] + group.rank(); e < stop; e += group.size()) {
        const u32 column = first.sparse.columns[e];
        if (only == nullptr || (only[column / word_bits<Word>] & bit_of<Word>(column)) != 0)
          m.list[group.add_local(m.counters, 1)] = column;
      }
    }
    group.sync();
  }

  template <class Group>
  IKRA_DATALOG_GROUP void touch(const Group& group, const work_space& m, u32 column) const {
    const u32 w = column / word_bits<Word>;
    const Word bit = bit_of<Word>(column);
    if ((group.read_local(m.image + w) & bit) == 0 && group.or_local(m.image + w, bit) == 0)
      m.touched[group.add_local(m.counters + 1, 1)] = w;
  }

  /// The image of the listed columns.
  template <class Group>
  IKRA_DATALOG_GROUP void map_list(const Group& group, const work_space& m,
                                   const chain_step<Word>& by, u32 count) const {
    if (by.is_dense) {
      for (u32 i = 0; i < count; ++i)
        by.dense.for_words(group, m.list[i], [&](u32 w, Word word) {
          const Word before = m.image[w];
          m.image[w] = before | word;
          if (before == 0)
            m.touched[group.add_local(m.counters + 1, 1)] = w;
        });
    } else {
      const unsigned step = group.size() / by.lanes, lane = group.rank() % by.lanes;
      for (u32 i = group.rank() / by.lanes; i < count; i += step) {
        const u64 stop = by.sparse.offsets[m.list[i] + 1];
        for (u64 e = by.sparse.offsets[m.list[i]] + lane; e < stop; e += by.lanes)
          touch(group, m, by.sparse.columns[e]);
      }
    }
    group.sync();
  }

  /// Lists the image's columns and clears it.
  template <class Group>
  IKRA_DATALOG_GROUP void list_image(const Group& group, const work_space& m,
                                     const Word* only) const {
    const u32 touched = m.counters[1];
    for (u32 i = group.rank(); i < touched; i += group.size()) {
      const u32 w = m.touched[i];
      list_word(group, m, w, only == nullptr ? m.image[w] : m.image[w] & only[w]);
      m.image[w] = 0;
    }
    group.sync();
  }

  /// Ors the image into a row of the head; what is new goes to its next delta.
  template <class Group>
  IKRA_DATALOG_GROUP void push(const Group& group, const work_space& m, u32 touched, u32 to) const {
    bool changed = false;
    for (u32 i = group.rank(); i < touched; i += group.size()) {
      const u32 w = m.touched[i];
      Word more = m.image[w];
      if (irreflexive && w == to / word_bits<Word>)
        more &= ~bit_of<Word>(to);
      more &= ~group.read_shared(full.rows + to * words + w);
      if (more != 0)
        more = full.set(group, to, w, more);
      if (more != 0) {
        next.set(group, to, w, more);
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
  bit_matrix<Word> full, delta;
  static constexpr u64 block = 4096;
  template <class Group> IKRA_DATALOG_GROUP void operator()(const Group& group, u64 item) const {
    const u64 end = (item + 1) * block < size ? (item + 1) * block : size;
    for (u64 i = item * block + group.rank(); i < end; i += group.size()) {
      const u32 row = static_cast<u32>(pairs[i] >> 32), column = static_cast<u32>(pairs[i]);
      full.set(group, row, column / word_bits<Word>, bit_of<Word>(column));
      delta.set(group, row, column / word_bits<Word>, bit_of<Word>(column));
      group.mark(delta.dirty + row);
    }
  }
};

/// Sets the bits of changed rows in the turned matrix.
template <class Word> struct turn_rows {
  const u32* items;
  bit_matrix<Word> delta, full, turned;
  template <class Group> IKRA_DATALOG_GROUP void operator()(const Group& group, u64 item) const {
    const u32 row = items[item];
    delta.for_words(group, row, [&](u32 w, Word word) {
      for (; word != 0; word &= word - 1) {
        const u32 column = w * word_bits<Word> + lowest_bit(word);
        full.set(group, column, row / word_bits<Word>, bit_of<Word>(row));
        turned.set(group, column, row / word_bits<Word>, bit_of<Word>(row));
        group.mark(turned.dirty + column);
      }
    });
  }
};

template <class Word> struct clear_rows {
  const u32* items;
  bit_matrix<Word> of;
  template <class Group> IKRA_DATALOG_GROUP void operator()(const Group& group, u64 item) const {
    const u32 row = items[item];
    of.for_words(group, row, [&](u32 w, Word) { of.rows[row * of.words + w] = 0; });
    group.sync();
    clear_row(group, of.summaries + row * of.summary_words, of.summary_words);
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
  row_tuples<Word> tuples;
  template <class Group> IKRA_DATALOG_GROUP void operator()(const Group& group, u64 item) const {
    tuples.write_bits(group, item, rows + (tuples.first_row + item) * tuples.words);
  }
};

} // namespace kernels

template <class Backend> class dense_matrices {
public:
  using word = typename Backend::bits;

  /// Static factors are given by set_static, in the orientations that needed() lists.
  /// \param lists whether deltas may be lists of tuples
  dense_matrices(Backend& backend, const dense_stratum& plan, const numbering<Backend>& numbers,
                 bool lists)
      : backend_(backend), lists_(lists), plan_(plan), numbers_(numbers), n_(numbers.count),
        words_(row_words<word>(n_)), summary_words_(row_words<word>(words_)),
        items_(backend, n_, "rows that changed"), only_(backend, words_, "rows that changed") {
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
      total += count * n * row_words<word>(n) * sizeof(word) * 33 / 32;
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
    state& s = state_.at(relation);
    backend_.copy(s.list.extend(backend_, pairs.size()), pairs.columns().words[0],
                  pairs.size() * sizeof(u64));
    s.list.add(pairs.size());
  }

  /// Runs to the fixpoint. \returns the number of iterations.
  /// \param begun is called with the number of each iteration over bits.
  u64 run(const std::function<void(u64)>& begun = [](u64) {}) {
    u64 iterations = list_iterations_ = run_lists();
    if (std::all_of(state_.begin(), state_.end(),
                    [](const auto& one) { return one.second.list.size() == 0; })) {
      for (auto& [relation, s] : state_)
        make(s.full);
      return iterations;
    }
    allocate();
    for (auto& [relation, s] : state_) {
      backend_.for_groups(
          (s.list.size() + 4095) / 4096, 0, 0,
          kernels::set_bits<word>{s.list.data(), s.list.size(), view(s.full), view(s.delta)});
      s.list = {};
    }
    for (;;) {
      bool more = false;
      for (auto& [relation, s] : state_) {
        const u64 changed = find_dirty(s.delta);
        more |= changed != 0;
        if (changed != 0 && s.is_turned)
          backend_.for_groups(changed, 0, 0,
                              kernels::turn_rows<word>{items_.data(), view(s.delta),
                                                       view(s.turned_full), view(s.turned_delta)});
      }
      if (!more)
        return iterations;
      begun(++iterations);
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

  /// How many of them were over lists.
  u64 list_iterations() const noexcept { return list_iterations_; }

  /// The relation's tuples, sorted in the natural order.
  std::vector<sorted_run<Backend>> tuples_of(u32 relation) {
    const state& s = state_.at(relation);
    const buffer<Backend, u64> offsets(backend_, u64(n_) + 1, "offsets");
    backend_.for_groups(n_, 0, 0,
                        kernels::count_row<word>{s.full.bits.data(), words_, offsets.data()});
    backend_.scan(offsets.data(), n_);
    std::vector<u64> starts(u64(n_) + 1);
    backend_.download(starts.data(), offsets.data(), starts.size() * sizeof(u64));
    return cut_into_runs(backend_, starts, [&](u32 first, u32 rows, sorted_run<Backend>& part) {
      backend_.for_groups(
          rows, 0, 0,
          kernels::write_row<word>{s.full.bits.data(),
                                   {words_, first, offsets.data(), starts[first],
                                    numbers_.values.data(), part.columns().words[0]}});
    });
  }

private:
  struct matrix {
    buffer<Backend, word> bits, summaries;
    buffer<Backend, u8> dirty;
  };
  struct state {
    matrix full, delta, next, turned_full, turned_delta;
    bool is_turned = false;
    tuple_list<Backend> list; ///< delta, where it is not bits
  };

  bit_matrix<word> view(const matrix& m) const {
    return {m.bits.data(), m.summaries.data(), m.dirty.data(), words_, summary_words_};
  }

  static std::pair<u32, bool> key(const chain_factor& f) { return {f.relation, f.turned}; }

  void add(u32 relation) { state_.try_emplace(relation); }

  void make(matrix& m) {
    if (m.bits.size() != 0)
      return;
    m.bits = buffer<Backend, word>(backend_, n_ * words_, "a bit matrix");
    m.summaries = buffer<Backend, word>(backend_, n_ * summary_words_, "a bit matrix");
    m.dirty = buffer<Backend, u8>(backend_, n_, "a bit matrix");
    backend_.clear(m.summaries.data(), n_ * summary_words_ * sizeof(word));
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
    backend_.for_groups(changed, 0, 0, kernels::clear_rows<word>{items_.data(), view(m)});
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
    const matrix& full = f.turned ? s.turned_full : s.full;
    const matrix& recent = f.turned ? s.turned_delta : s.delta;
    const matrix& m = delta ? recent : full;
    made.is_dense = true;
    made.dense = view(m);
    if (delta && only) {
      backend_.for_each(words_, kernels::pack_marks<word>{m.dirty.data(), n_, only_.data()});
      made.only = only_.data();
    }
    return made;
  }

  /// Iterations with deltas as lists, while that pays: few tuples a row and few images a tuple.
  /// \returns how many; lists that are left are the delta.
  u64 run_lists() {
    if (!lists_ || !std::all_of(plan_.chains.begin(), plan_.chains.end(), steps_over_lists))
      return 0;
    for (auto& [relation, s] : state_) {
      make(s.full);
      backend_.for_each(s.list.size(),
                        kernels::set_tuples<word>{s.list.data(), s.full.bits.data(), words_});
    }
    for (u64 iterations = 0;; ++iterations) {
      u64 tuples = 0, images = 0;
      for (const auto& [relation, s] : state_)
        tuples += s.list.size();
      if (tuples == 0)
        return iterations;
      std::vector<image_step> steps;
      for (const chain_rule& c : plan_.chains) {
        steps.push_back(images_of(c));
        images += steps.back().count;
      }
      if (tuples > u64(n_) * most_tuples_a_row || images > tuples * most_images_a_tuple)
        return iterations;
      std::map<u32, tuple_list<Backend>> next;
      for (const image_step& step : steps)
        add_images(step, next[step.chain->head]);
      for (auto& [relation, s] : state_)
        s.list = std::move(next[relation]);
    }
  }

  static constexpr u64 most_tuples_a_row = 32, most_images_a_tuple = 16;

  /// A chain's step from a list: offsets of the images of each tuple.
  struct image_step {
    const chain_rule* chain = nullptr;
    kernels::image_chain images;
    buffer<Backend, u64> offsets;
    u64 tuples = 0, count = 0;
  };

  image_step images_of(const chain_rule& c) {
    image_step made;
    made.chain = &c;
    const std::size_t at = c.factors[0].recursive ? 0 : 1;
    const tuple_list<Backend>& list = state_.at(c.factors[at].relation).list;
    made.tuples = list.size();
    made.images = {list.data(), c.factors[at].turned, at == 1, at + 1 < c.factors.size(), {}, {}};
    if (made.images.has_left) {
      const chain_factor& f = c.factors[0];
      made.images.left = statics_.at({f.relation, !f.turned}).view();
    }
    if (made.images.has_right)
      made.images.right = statics_.at(key(c.factors[at + 1])).view();
    made.offsets = buffer<Backend, u64>(backend_, made.tuples + 1, "offsets");
    backend_.for_each(made.tuples, kernels::count_images{made.images, made.offsets.data()});
    made.count = backend_.scan(made.offsets.data(), made.tuples);
    return made;
  }

  void add_images(const image_step& step, tuple_list<Backend>& next) {
    constexpr u64 batch = Backend::is_cuda ? u64(1) << 27 : u64(1) << 20;
    const matrix& full = state_.at(step.chain->head).full;
    for (u64 begin = 0; begin < step.count; begin += batch) {
      const u64 end = std::min(begin + batch, step.count);
      u64* const to = next.extend(backend_, end - begin);
      next.add(backend_.expand(step.offsets.data(), step.tuples, begin, end, true,
                               kernels::add_images<word>{step.images, full.bits.data(), words_,
                                                         step.chain->irreflexive, to}));
    }
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
    work.full = view(head.full);
    work.next = view(head.next);
    work.irreflexive = c.irreflexive;
    work.words = words_;
    work.rows = n_;
    backend_.for_groups(items, kernels::run_chain<word>::fast_bytes(words_),
                        kernels::run_chain<word>::slow_bytes(words_, n_), work);
  }

  Backend& backend_;
  bool lists_;
  const dense_stratum& plan_;
  const numbering<Backend>& numbers_;
  u32 n_;
  u64 words_, summary_words_;
  buffer<Backend, u32> items_;
  buffer<Backend, word> only_; ///< rows of delta that are not empty
  std::map<u32, state> state_;
  u64 list_iterations_ = 0;
  std::map<std::pair<u32, bool>, sparse_matrix<Backend>> statics_;
};

} // namespace ikra::datalog
