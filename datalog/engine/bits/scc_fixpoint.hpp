// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fixpoint of a linear stratum in the order in which rows need each other. The row of x in
// H = B ∪ L·H·R is B(x) and the image by R of the rows of all a with L(x, a). Where these are
// finished, it is computed once, in fast memory; rows on cycles are computed in rounds, from what
// was new in the last one. Finished rows are lists of columns, or bits where these take less
// memory (docs/datalog.md, "Dense evaluation"). Written once for both devices.
#pragma once

#include "datalog/engine/bits/dense_blocks.hpp"
#include "datalog/engine/bits/dense_rows.hpp"
#include "datalog/engine/bits/scc_order.hpp"
#include "datalog/plan/dense_plan.hpp"

#include <functional>

namespace ikra::datalog {

namespace kernels {

/// A row: `count` columns in ascending order, or the bits of as many.
struct kept_row {
  const u32* at;
  u32 count;
  u32 is_bits;
};

/// What is known of a row while rows are computed.
namespace row_state {
inline constexpr u32 open = 0, finished = 1, no_room = 2;
} // namespace row_state

/// Memory that rows are kept in, one after the other.
struct row_room {
  u32* first = nullptr;
  u64 capacity = 0;
  u64* used = nullptr; ///< more than capacity once a row found no room
};

/// Lists the words that are not 0. Most are 0, so eight are passed over at once.
/// \param list room for as many numbers as there are words. \returns how many are listed.
template <class Word> u32 list_filled(const Word* row, u64 words, u32* list) {
  constexpr u64 step = 8;
  u32 listed = 0;
  const auto add = [&](u64 w) {
    list[listed] = static_cast<u32>(w);
    listed += row[w] != 0 ? 1 : 0;
  };
  u64 from = 0;
  for (; from + step <= words; from += step) {
    Word any = 0;
    for (u64 w = from; w < from + step; ++w)
      any |= row[w];
    if (any != 0)
      for (u64 w = from; w < from + step; ++w)
        add(w);
  }
  for (; from < words; ++from)
    add(from);
  return listed;
}

/// Writes the columns of `row` that are not in `full` (null: none are) where there is room, adds
/// them to full, and clears row. \param place shared by the group. \param list room for as many
/// numbers as a row has words; on a GPU it is not used. \returns whether there was room; if not,
/// row has the columns still.
template <class Group, class Word>
IKRA_DATALOG_GROUP bool keep_row(const Group& group, Word* row, Word* full, u64 words,
                                 const row_room& room, u64* place, u32* list, kept_row* to) {
  // A thread alone passes over the empty words once; a block's threads have few words each.
  u32 listed = 0;
  if constexpr (Group::is_single)
    listed = list_filled(row, words, list);
  const auto for_words = [&](const auto& take) {
    if constexpr (Group::is_single)
      for (u32 i = 0; i < listed; ++i)
        take(u64(list[i]));
    else
      for (u64 w = group.rank(); w < words; w += group.size())
        take(w);
  };
  u32 mine = 0, total = 0;
  for_words([&](u64 w) {
    if (full != nullptr && row[w] != 0)
      row[w] &= ~full[w];
    mine += count_bits(row[w]);
  });
  group.exclusive(mine, total);
  const u64 as_list = (u64(total) + 1) / 2 * 2, as_bits = words * sizeof(Word) / sizeof(u32);
  const u64 size = as_list < as_bits ? as_list : as_bits;
  if (group.rank() == 0)
    *place = size == 0 ? 0 : group.add_shared(room.used, size);
  group.sync();
  const u64 at = *place;
  if (at + size > room.capacity)
    return false;
  u32* const out = room.first + at;
  if (size == as_bits) {
    for (u64 w = group.rank(); w < words; w += group.size())
      reinterpret_cast<Word*>(out)[w] = row[w];
  } else if constexpr (Group::is_single) {
    u32 n = 0;
    for_words([&](u64 w) {
      for (Word word = row[w]; word != 0; word &= word - 1)
        out[n++] = static_cast<u32>(w * word_bits<Word>) + lowest_bit(word);
    });
  } else if (total != 0) {
    list_bits(group, row, words, [&](u32 column, u32 n) { out[n] = column; });
  }
  for_words([&](u64 w) {
    if (full != nullptr && row[w] != 0)
      full[w] |= row[w];
    row[w] = 0;
  });
  if (group.rank() == 0)
    *to = {out, total, size == as_bits ? 1u : 0u};
  group.sync();
  return true;
}

/// L·H·R, as rows of the head see it.
template <class Word> struct pulled_chain {
  bool has_left = false, has_right = false, irreflexive = false;
  sparse_rows left;  ///< of x: the rows that it needs; without, x itself
  sparse_rows right; ///< what their columns lead to; without, themselves
  u64 right_size = 0;
  unsigned lanes = 1;
  Word* mapped = nullptr; ///< of each place: columns that were mapped in earlier rounds

  /// Calls take(a) for the rows that x needs.
  template <class Take> IKRA_DATALOG_GROUP void for_needs(u32 x, const Take& take) const {
    if (!has_left)
      take(x);
    else
      for (u64 e = left.offsets[x]; e < left.offsets[x + 1]; ++e)
        take(left.columns[e]);
  }
};

/// Computes rows from rows; an item is a batch of rows that do not need each other's.
template <class Word> struct pull_rows {
  pulled_chain<Word> chains[most_ordered_chains];
  unsigned chain_count = 0;
  bool with_base = true;
  sparse_rows base;
  const u32* rows = nullptr;
  const u32* batches = nullptr; ///< of each item: the place of its first row; one more at the end
  const kept_row* from = nullptr;
  kept_row* to = nullptr;
  u32* states = nullptr;
  bool waits = false;   ///< for the rows that are needed
  Word* full = nullptr; ///< of each place: the row so far; null: nothing
  row_room room;
  u64 words = 0;
  u32 columns = 0;

  struct work_space {
    Word* image; ///< all zeros between rows, like seen
    Word* seen;
    u64* place;
    u32* counter;
    u32* list;
    Word* blocks; ///< three matrices of block_rows rows, on a CPU
  };
  static u64 fast_bytes(u64 words) { return 2 * words * sizeof(Word) + 2 * sizeof(u64); }
  static u64 slow_bytes(u64 words, bool in_blocks) {
    return words * word_bits<Word> * sizeof(u32) +
           (in_blocks ? u64(3) * block_rows * words * sizeof(Word) : 0);
  }

  template <class Group> IKRA_DATALOG_GROUP void operator()(const Group& group, u64 item) const {
    work_space m;
    m.image = static_cast<Word*>(group.fast);
    m.seen = m.image + words;
    m.place = reinterpret_cast<u64*>(m.seen + words);
    m.counter = reinterpret_cast<u32*>(m.place + 1);
    m.blocks = static_cast<Word*>(group.slow);
    m.list = static_cast<u32*>(group.slow);
    const u32 first = batches[item], end = batches[item + 1];
    if constexpr (Group::is_single) {
      m.list = reinterpret_cast<u32*>(m.blocks + u64(3) * block_rows * words);
      if (make_block(group, m, first, end))
        return;
    }
    for (u32 p = first; p < end; ++p)
      if (group.all(states[rows[p]] == row_state::open))
        make_row(group, m, p);
  }

private:
  template <class Group>
  IKRA_DATALOG_GROUP void make_row(const Group& group, const work_space& m, u32 place) const {
    const u32 x = rows[place];
    if (!group.all(is_ready(group, x))) {
      if (group.rank() == 0)
        group.publish(states + x, row_state::no_room);
      return;
    }
    add_base(group, m.image, x);
    group.sync();
    for (unsigned c = 0; c < chain_count; ++c)
      add_chain(group, m, chains[c], x, place);
    keep(group, m, m.image, place);
  }

  template <class Group>
  IKRA_DATALOG_GROUP void add_base(const Group& group, Word* row, u32 x) const {
    if (with_base)
      for (u64 e = base.offsets[x] + group.rank(); e < base.offsets[x + 1]; e += group.size())
        group.or_local(row + base.columns[e] / word_bits<Word>, bit_of<Word>(base.columns[e]));
  }

  /// Keeps a row, clears it and says so.
  template <class Group>
  IKRA_DATALOG_GROUP void keep(const Group& group, const work_space& m, Word* row,
                               u32 place) const {
    const u32 x = rows[place];
    Word* const own = full == nullptr ? nullptr : full + u64(place) * words;
    const bool kept = keep_row(group, row, own, words, room, m.place, m.list, to + x);
    if (!kept)
      clear_row(group, row, words);
    if (group.rank() == 0)
      group.publish(states + x, kept ? row_state::finished : row_state::no_room);
  }

  /// Whether the rows that are needed are there, and room is left.
  template <class Group> IKRA_DATALOG_GROUP bool is_ready(const Group& group, u32 x) const {
    if (group.read_shared(room.used) > room.capacity)
      return false;
    bool ready = true;
    for (unsigned c = 0; waits && c < chain_count; ++c) {
      const sparse_rows& left = chains[c].left;
      for (u64 e = left.offsets[x] + group.rank(); e < left.offsets[x + 1]; e += group.size())
        ready &= group.await(states + left.columns[e]) == row_state::finished;
    }
    return ready;
  }

  template <class Group>
  IKRA_DATALOG_GROUP void add_chain(const Group& group, const work_space& m,
                                    const pulled_chain<Word>& chain, u32 x, u32 place) const {
    Word* const mapped = chain.mapped == nullptr ? nullptr : chain.mapped + u64(place) * words;
    if (group.rank() == 0)
      *m.counter = 0;
    group.sync();
    chain.for_needs(x, [&](u32 a) { collect(group, m, from[a], mapped); });
    group.sync();
    const u32 count = *m.counter;
    const Word own = bit_of<Word>(x);
    const bool had = (m.image[x / word_bits<Word>] & own) != 0;
    for (u32 i = group.rank(); i < count; i += group.size())
      m.seen[m.list[i] / word_bits<Word>] = 0;
    group.sync();
    if (mapped != nullptr)
      for (u32 i = group.rank(); i < count; i += group.size())
        group.or_shared(mapped + m.list[i] / word_bits<Word>, bit_of<Word>(m.list[i]));
    if (chain.has_right)
      add_image(group, m.image, m.list, count, chain.right, chain.lanes);
    else
      for (u32 i = group.rank(); i < count; i += group.size())
        group.or_local(m.image + m.list[i] / word_bits<Word>, bit_of<Word>(m.list[i]));
    group.sync();
    if (chain.irreflexive && !had && group.rank() == 0)
      m.image[x / word_bits<Word>] &= ~own;
    group.sync();
  }

  /// Computes a batch at once if that is less work than row by row. \returns whether it did.
  bool make_block(const auto& group, const work_space& m, u32 first, u32 end) const {
    double by_row = 0, at_once = 0;
    for (u32 p = first; p < end; ++p)
      if (states[rows[p]] != row_state::open || !is_ready(group, rows[p]))
        return false;
    for (unsigned c = 0; c < chain_count; ++c) {
      double tuples = 0;
      for (u32 p = first; p < end; ++p)
        chains[c].for_needs(rows[p], [&](u32 a) { tuples += from[a].count; });
      if (tuples == 0)
        continue;
      // In steps that take about as long: an edge, turning a column there and back.
      const auto edges = static_cast<double>(chains[c].right_size);
      by_row += tuples * (1 + edges / columns);
      at_once += chains[c].has_right ? edges + turning * columns
                                     : static_cast<double>((end - first) * words);
    }
    if (by_row <= at_once)
      return false;
    Word* const image = m.blocks;
    std::fill(image, image + (end - first) * words, 0);
    for (u32 p = first; p < end; ++p)
      add_base(group, image + (p - first) * words, rows[p]);
    for (unsigned c = 0; c < chain_count; ++c)
      add_chain_to_block(m, chains[c], first, end);
    for (u32 p = first; p < end; ++p)
      keep(group, m, image + (p - first) * words, p);
    return true;
  }
  static constexpr double turning = 8;

  void add_chain_to_block(const work_space& m, const pulled_chain<Word>& chain, u32 first,
                          u32 end) const {
    Word *const image = m.blocks, *const pulled = image + block_rows * words,
                *const turned = pulled + block_rows * words;
    const unsigned count = end - first;
    std::fill(pulled, pulled + count * words, 0);
    for (u32 p = first; p < end; ++p) {
      Word* const row = pulled + (p - first) * words;
      chain.for_needs(rows[p], [&](u32 a) { add_row(from[a], row); });
      if (chain.mapped != nullptr) {
        Word* const mapped = chain.mapped + u64(p) * words;
        for (u64 w = 0; w < words; ++w) {
          row[w] &= ~mapped[w];
          mapped[w] |= row[w];
        }
      }
    }
    const auto add = [&](unsigned r, u64 w, Word more) {
      const u32 x = rows[first + r];
      Word& word = image[r * words + w];
      if (chain.irreflexive && w == x / word_bits<Word>)
        more &= ~bit_of<Word>(x);
      word |= more;
    };
    if (chain.has_right) {
      turn_rows_to_columns(pulled, count, words, turned);
      std::fill(pulled, pulled + block_rows * words, 0);
      add_turned_image(turned, columns, chain.right, pulled);
      turn_columns_to_rows(pulled, count, words, add);
    } else {
      for (unsigned r = 0; r < count; ++r)
        for (u64 w = 0; w < words; ++w)
          add(r, w, pulled[r * words + w]);
    }
  }

  void add_row(const kept_row& from_row, Word* row) const {
    if (from_row.is_bits != 0) {
      const Word* const bits = reinterpret_cast<const Word*>(from_row.at);
      for (u64 w = 0; w < words; ++w)
        row[w] |= bits[w];
    } else {
      for (u32 i = 0; i < from_row.count; ++i)
        row[from_row.at[i] / word_bits<Word>] |= bit_of<Word>(from_row.at[i]);
    }
  }

  /// Lists the row's columns that are neither listed nor mapped yet.
  template <class Group>
  IKRA_DATALOG_GROUP void collect(const Group& group, const work_space& m, const kept_row& row,
                                  const Word* mapped) const {
    if (row.is_bits != 0) {
      const Word* const bits = reinterpret_cast<const Word*>(row.at);
      for (u64 w = group.rank(); w < words; w += group.size()) {
        Word more = bits[w];
        if (more != 0 && mapped != nullptr)
          more &= ~group.read_shared(mapped + w);
        if (more == 0)
          continue;
        more &= ~group.or_local(m.seen + w, more);
        if (more == 0)
          continue;
        u32 place = group.add_local(m.counter, count_bits(more));
        for (; more != 0; more &= more - 1)
          m.list[place++] = static_cast<u32>(w * word_bits<Word>) + lowest_bit(more);
      }
      return;
    }
    for (u32 i = group.rank(); i < row.count; i += group.size()) {
      const u32 column = row.at[i];
      const u32 w = column / word_bits<Word>;
      const Word bit = bit_of<Word>(column);
      if (mapped != nullptr && (group.read_shared(mapped + w) & bit) != 0)
        continue;
      if ((group.read_local(m.seen + w) & bit) == 0 && (group.or_local(m.seen + w, bit) & bit) == 0)
        m.list[group.add_local(m.counter, 1)] = column;
    }
  }
};

/// Keeps rows that were bits.
template <class Word> struct keep_rows {
  const u32* rows;
  Word* full; ///< cleared
  kept_row* to;
  u32* states;
  row_room room;
  u64 words;
  template <class Group> IKRA_DATALOG_GROUP void operator()(const Group& group, u64 item) const {
    const u32 x = rows[item];
    if (group.all(states[x] != row_state::open))
      return;
    Word* const none = nullptr;
    const bool kept =
        group.all(group.read_shared(room.used) <= room.capacity) &&
        keep_row(group, full + item * words, none, words, room, static_cast<u64*>(group.fast),
                 static_cast<u32*>(group.slow), to + x);
    if (group.rank() == 0)
      group.publish(states + x, kept ? row_state::finished : row_state::no_room);
  }
};

/// Sets the states of all rows, or of those that are not finished.
struct set_states {
  const u32* rows; ///< null: all
  u32* states;
  u32 to;
  bool unfinished;
  IKRA_DATALOG_BOTH void operator()(u64 i) const {
    u32& state = states[rows == nullptr ? i : rows[i]];
    if (!unfinished || state != row_state::finished)
      state = to;
  }
};

/// Marks rows that are not empty.
struct mark_filled {
  const u64* offsets;
  u8* to;
  IKRA_DATALOG_BOTH void operator()(u64 i) const { to[i] = offsets[i] != offsets[i + 1] ? 1 : 0; }
};

struct row_lengths {
  const kept_row* rows;
  u64* to;
  IKRA_DATALOG_BOTH void operator()(u64 i) const { to[i] = rows[i].count; }
};

/// The tuples of rows, in order.
template <class Word> struct write_kept_rows {
  const kept_row* rows;
  row_tuples<Word> tuples;
  template <class Group> IKRA_DATALOG_GROUP void operator()(const Group& group, u64 item) const {
    const kept_row row = rows[tuples.first_row + item];
    if (row.is_bits != 0)
      tuples.write_bits(group, item, reinterpret_cast<const Word*>(row.at));
    else
      tuples.write_list(group, item, row.at, row.count);
  }
};

} // namespace kernels

/// head(x, y) for head(a, b), left(x, a), right(b, y); without a matrix, x = a or b = y.
template <class Backend> struct ordered_chain {
  const sparse_matrix<Backend>* left = nullptr;
  const sparse_matrix<Backend>* right = nullptr;
  bool irreflexive = false;
};

template <class Backend> class ordered_rows {
public:
  using word = typename Backend::bits;
  using chain_list = std::vector<ordered_chain<Backend>>;

  /// \param start the tuples of the rules that are not recursive.
  /// \param least_room for rows that are kept, in numbers of 32 bits.
  ordered_rows(Backend& backend, const numbering<Backend>& numbers, chain_list chains,
               const sparse_matrix<Backend>& start, u64 least_room)
      : backend_(backend), numbers_(numbers), n_(numbers.count), words_(row_words<word>(n_)),
        least_room_(least_room), chains_(std::move(chains)), start_(start),
        kept_(backend, n_, "rows"), states_(backend, n_, "rows"), used_(backend, 1, "rows") {}

  /// Finds the order. \param least_width as in order_rows(). \returns whether there is one.
  bool find_order(u64 least_width) {
    std::vector<u8> starts(n_);
    {
      const buffer<Backend, u8> marks(backend_, n_, "rows");
      backend_.for_each(n_, kernels::mark_filled{start_.offsets.data(), marks.data()});
      backend_.download(starts.data(), marks.data(), n_);
    }
    std::vector<host_matrix> lefts;
    for (const ordered_chain<Backend>& c : chains_)
      if (c.left != nullptr)
        lefts.push_back(on_host(*c.left));
    std::vector<sparse_rows> needs;
    for (const host_matrix& m : lefts)
      needs.push_back({m.offsets.data(), m.columns.data()});
    auto found = order_rows(n_, needs, lefts.size() != chains_.size(), starts, least_width);
    if (found)
      order_ = std::move(*found);
    return found.has_value();
  }

  /// Bytes that rows on cycles take while they are computed.
  u64 cyclic_bytes() const {
    return order_.most_cyclic * words_ * sizeof(word) * (3 + chains_.size());
  }

  /// Runs to the fixpoint. \returns the number of iterations: one for the rows of a stage on no
  /// cycle, and the rounds of the others. \param begun is called with the number of each.
  u64 run(const std::function<void(u64)>& begun) {
    backend_.clear(kept_.data(), n_ * sizeof(kernels::kept_row));
    rows_ = on_device(order_.rows);
    backend_.for_each(
        n_, kernels::set_states{nullptr, states_.data(), kernels::row_state::finished, false});
    u64 iterations = 0;
    for (const row_stage& stage : order_.stages) {
      if (stage.begin != stage.cyclic) {
        begun(++iterations);
        run_in_order(stage);
      }
      const u64 together = rows_together(stage.end - stage.cyclic);
      for (u64 at = stage.cyclic; at < stage.end; at += together)
        run_rounds(at, std::min(at + together, stage.end), [&] { begun(++iterations); });
    }
    return iterations;
  }

  /// The tuples, sorted in the natural order.
  std::vector<sorted_run<Backend>> tuples() {
    const buffer<Backend, u64> offsets(backend_, u64(n_) + 1, "offsets");
    backend_.for_each(n_, kernels::row_lengths{kept_.data(), offsets.data()});
    backend_.scan(offsets.data(), n_);
    std::vector<u64> starts(u64(n_) + 1);
    backend_.download(starts.data(), offsets.data(), starts.size() * sizeof(u64));
    return cut_into_runs(backend_, starts, [&](u32 first, u32 rows, sorted_run<Backend>& part) {
      backend_.for_groups(
          rows, 0, 0,
          kernels::write_kept_rows<word>{kept_.data(),
                                         {words_, first, offsets.data(), starts[first],
                                          numbers_.values.data(), part.columns().words[0]}});
    });
  }

private:
  struct host_matrix {
    std::vector<u64> offsets;
    std::vector<u32> columns;
  };
  using recent_rows = buffer<Backend, kernels::kept_row>;

  host_matrix on_host(const sparse_matrix<Backend>& m) {
    host_matrix made{std::vector<u64>(u64(n_) + 1), std::vector<u32>(m.size)};
    backend_.download(made.offsets.data(), m.offsets.data(), made.offsets.size() * sizeof(u64));
    backend_.download(made.columns.data(), m.columns.data(), m.size * sizeof(u32));
    return made;
  }

  buffer<Backend, u32> on_device(const std::vector<u32>& from) {
    buffer<Backend, u32> made(backend_, from.size(), "rows");
    backend_.upload(made.data(), from.data(), from.size() * sizeof(u32));
    return made;
  }

  /// Cuts some of the order's rows, which start at `first`, into batches of rows that do not need
  /// each other's: places after the first, and the end. More than one row a batch, on a CPU, if
  /// there are enough for all threads.
  std::vector<u32> batches(u64 first, u64 end) const {
    std::vector<u32> made;
    auto level = std::upper_bound(order_.levels.begin(), order_.levels.end(), first);
    for (u64 at = first; at < end; ++level) {
      const u64 stop = std::min(*level, end);
      const u64 size = Backend::is_cuda
                           ? 1
                           : std::clamp<u64>((stop - at) / backend_.group_count(), 1, block_rows);
      for (; at < stop; at = std::min(at + size, stop))
        made.push_back(static_cast<u32>(at - first));
    }
    made.push_back(static_cast<u32>(end - first));
    return made;
  }

  kernels::pull_rows<word> work_for(const u32* rows) {
    kernels::pull_rows<word> work;
    for (const ordered_chain<Backend>& c : chains_) {
      kernels::pulled_chain<word>& made = work.chains[work.chain_count++];
      made.has_left = c.left != nullptr;
      made.has_right = c.right != nullptr;
      made.irreflexive = c.irreflexive;
      if (made.has_left)
        made.left = c.left->view();
      if (made.has_right) {
        made.right = c.right->view();
        made.right_size = c.right->size;
        made.lanes = lanes_for(made.right_size, n_, Backend::most_lanes);
      }
    }
    work.base = start_.view();
    work.rows = rows;
    work.from = kept_.data();
    work.to = kept_.data();
    work.states = states_.data();
    work.words = words_;
    work.columns = n_;
    return work;
  }

  kernels::row_room room_in(const buffer<Backend, u32>& memory) {
    backend_.clear(used_.data(), sizeof(u64));
    return {memory.data(), memory.size(), used_.data()};
  }

  /// Room for further rows: more where more was needed.
  kernels::row_room more_room() {
    const u64 size = std::max<u64>(
        {std::min(kept_size_ / 8, most_room), least_room_, words_ * sizeof(word) / sizeof(u32)});
    rooms_.emplace_back(backend_, size, "rows");
    kept_size_ += size;
    return room_in(rooms_.back());
  }

  void set_states(const u32* rows, u64 count, bool unfinished) {
    backend_.for_each(
        count, kernels::set_states{rows, states_.data(), kernels::row_state::open, unfinished});
  }

  /// Runs work over items until all of the rows have found room.
  template <class Work>
  void keep_all(Work work, u64 count, u64 items, u64 fast_bytes, u64 slow_bytes) {
    if (rooms_.empty())
      work.room = more_room();
    else
      work.room = {rooms_.back().data(), rooms_.back().size(), used_.data()};
    set_states(work.rows, count, false);
    for (;;) {
      backend_.for_groups_in_order(items, fast_bytes, slow_bytes, work);
      u64 used = 0;
      backend_.download(&used, used_.data(), sizeof used);
      if (used <= work.room.capacity)
        return;
      set_states(work.rows, count, true);
      work.room = more_room();
    }
  }

  void run_in_order(const row_stage& stage) {
    kernels::pull_rows<word> work = work_for(rows_.data() + stage.begin);
    work.waits = true;
    const std::vector<u32> cut = batches(stage.begin, stage.cyclic);
    const buffer<Backend, u32> there = on_device(cut);
    work.batches = there.data();
    keep_all(work, stage.cyclic - stage.begin, cut.size() - 1, work.fast_bytes(words_),
             work.slow_bytes(words_, !Backend::is_cuda));
  }

  /// How many of a stage's rows on cycles are computed at a time. Rows that need themselves alone
  /// may be taken in parts, so that a CPU has bits for a part of the rows only; a GPU needs many.
  u64 rows_together(u64 cyclic) const {
    const bool alone = std::all_of(chains_.begin(), chains_.end(),
                                   [](const auto& chain) { return chain.left == nullptr; });
    if (Backend::is_cuda || !alone)
      return cyclic;
    constexpr u64 enough = u64(8) << 20; // bytes, about what a cache holds
    const u64 least = u64(2) * block_rows * backend_.group_count();
    return std::max(enough / (words_ * sizeof(word) * (3 + chains_.size())), least);
  }

  /// Computes the rows in places [first, end), which are on cycles.
  template <class Begun> void run_rounds(u64 first, u64 end, const Begun& begun) {
    const u64 count = end - first;
    kernels::pull_rows<word> work = work_for(rows_.data() + first);
    const std::vector<u32> cut = batches(first, end);
    const buffer<Backend, u32> there = on_device(cut);
    work.batches = there.data();
    const u64 size = count * words_;
    const buffer<Backend, word> full(backend_, size, "rows on cycles");
    backend_.clear(full.data(), size * sizeof(word));
    work.full = full.data();
    std::vector<buffer<Backend, word>> mapped;
    for (unsigned c = 0; c < work.chain_count; ++c) {
      mapped.emplace_back(backend_, size, "rows on cycles");
      backend_.clear(mapped.back().data(), size * sizeof(word));
      work.chains[c].mapped = mapped.back().data();
    }
    // What is new in a round fits: no row takes more than its bits.
    const u64 room = size * sizeof(word) / sizeof(u32);
    const buffer<Backend, u32> memory[] = {{backend_, room, "rows on cycles"},
                                           {backend_, room, "rows on cycles"}};
    const recent_rows recent[] = {{backend_, n_, "rows on cycles"},
                                  {backend_, n_, "rows on cycles"}};
    for (const recent_rows& rows : recent)
      backend_.clear(rows.data(), n_ * sizeof(kernels::kept_row));
    // The room of kept rows goes on where it ended.
    u64 used_before = 0;
    if (!rooms_.empty())
      backend_.download(&used_before, used_.data(), sizeof used_before);
    for (unsigned round = 0;; ++round) {
      begun();
      work.to = recent[round % 2].data();
      work.room = room_in(memory[round % 2]);
      set_states(work.rows, count, false);
      backend_.for_groups(cut.size() - 1, work.fast_bytes(words_),
                          work.slow_bytes(words_, !Backend::is_cuda), work);
      u64 used = 0;
      backend_.download(&used, used_.data(), sizeof used);
      if (used == 0)
        break;
      work.from = work.to;
      work.with_base = false;
    }
    backend_.upload(used_.data(), &used_before, sizeof used_before);
    keep_all(
        kernels::keep_rows<word>{work.rows, full.data(), kept_.data(), states_.data(), {}, words_},
        count, count, sizeof(u64), words_ * sizeof(u32));
  }

  static constexpr u64 most_room = u64(1) << 28;

  Backend& backend_;
  const numbering<Backend>& numbers_;
  u32 n_;
  u64 words_, least_room_;
  chain_list chains_;
  const sparse_matrix<Backend>& start_;
  row_order order_;
  buffer<Backend, kernels::kept_row> kept_;
  buffer<Backend, u32> states_, rows_;
  std::vector<buffer<Backend, u32>> rooms_;
  buffer<Backend, u64> used_; ///< of the last room
  u64 kept_size_ = 0;
};

} // namespace ikra::datalog
