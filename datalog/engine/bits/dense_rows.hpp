// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrices over densely numbered values, and the fixpoint of a linear stratum row by row: F*·B·E*.
// A row's bits stay in fast memory; what is written is the list of its columns, from which the
// sorted tuples are made (docs/datalog.md, "Dense evaluation"). Written once for both devices.
#pragma once

#include "datalog/engine/bits/bit_rows.hpp"
#include "datalog/engine/relations/relation_store.hpp"

#include <algorithm>

namespace ikra::datalog {

/// Values of a stratum, numbered in order.
template <class Backend> struct numbering {
  buffer<Backend, u32> values; ///< ascending, by number
  u32 count = 0;
};

/// A matrix as lists of columns.
template <class Backend> struct sparse_matrix {
  buffer<Backend, u64> offsets;
  buffer<Backend, u32> columns;
  u64 size = 0;
  sparse_rows view() const { return {offsets.data(), columns.data()}; }
};

namespace kernels {

struct take_half {
  const u64* pairs;
  u64* to;
  bool upper;
  IKRA_DATALOG_BOTH void operator()(u64 i) const {
    to[i] = upper ? pairs[i] >> 32 : pairs[i] & 0xffffffffu;
  }
};

struct narrow {
  const u64* from;
  u32* to;
  IKRA_DATALOG_BOTH void operator()(u64 i) const { to[i] = static_cast<u32>(from[i]); }
};

/// Both halves of pairs become numbers; turned, they change places.
struct number_pairs {
  const u64* words;
  field first, second;
  const u32* values;
  u32 count;
  bool turned;
  u64* to;
  IKRA_DATALOG_BOTH u64 number_of(u64 value) const {
    u32 low = 0, high = count;
    while (low < high) {
      const u32 middle = low + (high - low) / 2;
      if (values[middle] < value)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
  IKRA_DATALOG_BOTH void operator()(u64 i) const {
    const u64 a = number_of(extract(words[i], first)), b = number_of(extract(words[i], second));
    to[i] = turned ? b << 32 | a : a << 32 | b;
  }
};

struct row_starts {
  const u64* pairs;
  u64 size;
  u64* offsets;
  IKRA_DATALOG_BOTH void operator()(u64 row) const {
    u64 low = 0, high = size;
    while (low < high) {
      const u64 middle = (low + high) / 2;
      if ((pairs[middle] >> 32) < row)
        low = middle + 1;
      else
        high = middle;
    }
    offsets[row] = low;
  }
};

struct differs_at {
  const u64* a;
  const u64* b;
  IKRA_DATALOG_BOTH u64 operator()(u64 i) const { return a[i] != b[i] ? 1 : 0; }
};

/// Computes rows; each writes its columns after the last one's, or notes that there is no room.
template <class Word> struct close_rows {
  sparse_rows start, left, right; ///< B, F, E
  bool has_left, has_right;
  u64 words;
  unsigned lanes;
  u32 first_row;
  u32* room; ///< columns of finished rows
  u64 capacity;
  u64* used;    ///< of the room
  u64* places;  ///< of each item: where its columns start
  u64* lengths; ///< of each item; no_room: not done
  static constexpr u64 no_room = ~u64(0);

  template <class Group> IKRA_DATALOG_GROUP void operator()(const Group& group, u64 item) const {
    const u32 x = first_row + static_cast<u32>(item);
    Word* const row = static_cast<Word*>(group.fast);
    u32* const counter = reinterpret_cast<u32*>(row + words);
    u64* const place = reinterpret_cast<u64*>(row + words) + 1;
    u32* const list = static_cast<u32*>(group.slow);
    clear_row(group, row, words);
    if (group.rank() == 0)
      list[0] = x;
    group.sync();
    u32 length = 0;
    if (!has_left) {
      length = reach_round(group, row, list, 0, 1, start, lanes, counter);
      if (has_right)
        length = reach(group, row, list, 1, length, right, lanes, counter);
      --length; // list[0] is x itself
    } else {
      // The rows of B that F leads to from x, x included.
      if (group.rank() == 0)
        row[x / word_bits<Word>] |= bit_of<Word>(x);
      group.sync();
      const u32 reached = reach(group, row, list, 0, 1, left, lanes, counter);
      clear_row(group, row, words);
      add_image(group, row, list, reached, start, lanes);
      length = list_bits(group, row, words, [&](u32 column, u32 n) { list[n] = column; });
      if (has_right)
        length = reach(group, row, list, 0, length, right, lanes, counter);
    }
    if (group.rank() == 0) {
      const u64 at = group.add_shared(used, length);
      const bool fits = at + length <= capacity;
      lengths[item] = fits ? length : no_room;
      places[item] = at;
      *place = fits ? at : no_room;
    }
    group.sync();
    if (*place != no_room) {
      u32* const to = room + *place;
      list_bits(group, row, words, [&](u32 column, u32 n) { to[n] = column; });
    }
  }
};

/// Writes the tuples of finished rows.
struct write_tuples {
  const u32* values;
  const u32* room;
  const u64* places;
  u32 first_row;
  u64* to;
  IKRA_DATALOG_BOTH bool test(u64, u64) const { return true; }
  IKRA_DATALOG_BOTH void write(u64 item, u64 k, u64 place) const {
    to[place] = static_cast<u64>(values[first_row + item]) << 32 | values[room[places[item] + k]];
  }
  void move(u64, u64, u64) const {}
};

struct is_unfinished {
  const u64* lengths;
  IKRA_DATALOG_BOTH bool operator()(u64 i) const { return lengths[i] == ~u64(0); }
};

} // namespace kernels

/// Words of a row of n bits; even, so that what follows a row is aligned.
template <class Word> u64 row_words(u64 n) {
  return ((n + word_bits<Word> - 1) / word_bits<Word> + 1) / 2 * 2;
}

/// Takes values of both columns of all these runs. Many at a time, since there are far fewer values
/// than tuples: the tuples' memory is not to be taken again. \param pairs runs of binary relations,
/// with their layouts.
template <class Backend>
numbering<Backend> number_values(Backend& backend,
                                 const std::vector<std::pair<shared_run<Backend>, layout>>& pairs) {
  constexpr u64 at_once = u64(1) << (Backend::is_cuda ? 26 : 19);
  sorted_run<Backend> all(backend, 0, 1);
  for (const auto& [part, packed] : pairs)
    for (const bool upper : {true, false})
      for (u64 done = 0; done < part->size(); done += at_once) {
        sorted_run<Backend> more(backend, std::min(at_once, part->size() - done), 1);
        backend.for_each(more.size(), kernels::take_half{part->columns().words[0] + done,
                                                         more.columns().words[0], upper});
        sort_tuples(backend, more);
        drop_repeats(backend, more);
        if (all.size() == 0) {
          all = std::move(more);
          continue;
        }
        all = merge_runs(backend, all, more);
        drop_repeats(backend, all);
      }
  numbering<Backend> made{buffer<Backend, u32>(backend, all.size(), "values"),
                          static_cast<u32>(all.size())};
  backend.for_each(all.size(), kernels::narrow{all.columns().words[0], made.values.data()});
  return made;
}

/// Numbered pairs of some runs, sorted, without repeats.
template <class Backend>
sorted_run<Backend> numbered_pairs(Backend& backend, const numbering<Backend>& numbers,
                                   const std::vector<std::pair<shared_run<Backend>, layout>>& parts,
                                   const std::vector<char>& turned) {
  u64 size = 0;
  for (const auto& [part, packed] : parts)
    size += part->size();
  sorted_run<Backend> all(backend, size, 1);
  u64 done = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto& [part, packed] = parts[i];
    backend.for_each(part->size(),
                     kernels::number_pairs{part->columns().words[0], packed.fields[0],
                                           packed.fields[1], numbers.values.data(), numbers.count,
                                           turned[i] != 0, all.columns().words[0] + done});
    done += part->size();
  }
  sort_tuples(backend, all);
  drop_repeats(backend, all);
  return all;
}

template <class Backend>
sparse_matrix<Backend> matrix_of(Backend& backend, const sorted_run<Backend>& pairs, u32 rows) {
  sparse_matrix<Backend> made{buffer<Backend, u64>(backend, u64(rows) + 1, "a matrix"),
                              buffer<Backend, u32>(backend, pairs.size(), "a matrix"),
                              pairs.size()};
  backend.for_each(u64(rows) + 1, kernels::row_starts{pairs.columns().words[0], pairs.size(),
                                                      made.offsets.data()});
  backend.for_each(pairs.size(), kernels::narrow{pairs.columns().words[0], made.columns.data()});
  return made;
}

template <class Backend>
bool same_pairs(Backend& backend, const sorted_run<Backend>& a, const sorted_run<Backend>& b) {
  return a.size() == b.size() &&
         backend.sum(a.size(), kernels::differs_at{a.columns().words[0], b.columns().words[0]}) ==
             0;
}

/// Threads that share a row of a sparse matrix: about as many as it has columns.
inline unsigned lanes_for(u64 size, u64 rows, unsigned most) {
  unsigned lanes = 1;
  while (lanes < most && u64(lanes) * 4 * std::max<u64>(rows, 1) < size * 3)
    lanes *= 2;
  return lanes;
}

namespace kernels {

/// Where the tuples of consecutive rows go, and their values.
template <class Word> struct row_tuples {
  u64 words;
  u32 first_row;
  const u64* offsets;
  u64 base;
  const u32* values;
  u64* to;

  template <class Group>
  IKRA_DATALOG_GROUP void write_bits(const Group& group, u64 item, const Word* bits) const {
    const u64 row = first_row + item, high = upper(row);
    u64* const out = place(row);
    if (offsets[row] != offsets[row + 1])
      list_bits(group, bits, words, [&](u32 column, u32 n) { out[n] = high | values[column]; });
  }
  template <class Group>
  IKRA_DATALOG_GROUP void write_list(const Group& group, u64 item, const u32* columns,
                                     u32 count) const {
    const u64 row = first_row + item, high = upper(row);
    u64* const out = place(row);
    for (u32 i = group.rank(); i < count; i += group.size())
      out[i] = high | values[columns[i]];
  }

private:
  IKRA_DATALOG_GROUP u64 upper(u64 row) const { return static_cast<u64>(values[row]) << 32; }
  IKRA_DATALOG_GROUP u64* place(u64 row) const { return to + (offsets[row] - base); }
};

} // namespace kernels

/// Cuts rows into runs that are short enough. \param offsets rows + 1 places, on the host.
/// \param write is called with the first row, the number of rows and a run.
template <class Backend, class Write>
std::vector<sorted_run<Backend>> cut_into_runs(Backend& backend, const std::vector<u64>& offsets,
                                               const Write& write) {
  std::vector<sorted_run<Backend>> parts;
  const u32 n = static_cast<u32>(offsets.size() - 1);
  for (u32 first = 0; first < n;) {
    u32 end = first + 1;
    while (end < n && offsets[end + u64(1)] - offsets[first] <= longest_run)
      ++end;
    sorted_run<Backend> part(backend, offsets[end] - offsets[first], 1);
    write(first, end - first, part);
    if (part.size() != 0)
      parts.push_back(std::move(part));
    first = end;
  }
  return parts;
}

/// F*·B·E*, as sorted tuples in the natural order.
/// \param left, right null if there is no such factor.
template <class Backend>
std::vector<sorted_run<Backend>> close_by_row(Backend& backend, const numbering<Backend>& numbers,
                                              const sparse_matrix<Backend>& start,
                                              const sparse_matrix<Backend>* left,
                                              const sparse_matrix<Backend>* right) {
  using word = typename Backend::bits;
  const u32 n = numbers.count;
  const u64 words = row_words<word>(n);
  // Room for the rows of a batch. Rows that find none are computed again in the next one.
  const u64 capacity = std::max<u64>(Backend::is_cuda ? u64(1) << 28 : u64(1) << 22, n);
  const u32 most_rows = std::min<u32>(n, u32(1) << 20);
  const buffer<Backend, u32> room(backend, capacity, "rows of a closure");
  const buffer<Backend, u64> used(backend, 1, "rows of a closure");
  const buffer<Backend, u64> places(backend, most_rows, "rows of a closure");
  const buffer<Backend, u64> lengths(backend, u64(most_rows) + 1, "rows of a closure");
  const buffer<Backend, u32> unfinished(backend, most_rows, "rows of a closure");
  kernels::close_rows<word> work{};
  work.start = start.view();
  work.has_left = left != nullptr;
  work.has_right = right != nullptr;
  if (left != nullptr)
    work.left = left->view();
  if (right != nullptr)
    work.right = right->view();
  work.words = words;
  const sparse_matrix<Backend>& inner = left != nullptr ? *left : start;
  const sparse_matrix<Backend>& widest = right != nullptr ? *right : inner;
  work.lanes = lanes_for(widest.size, n, Backend::most_lanes);
  work.room = room.data();
  work.capacity = capacity;
  work.used = used.data();
  work.places = places.data();
  work.lengths = lengths.data();

  const u64 fast_bytes = words * sizeof(word) + 2 * sizeof(u64);
  const u64 slow_bytes = (u64(n) + 1) * sizeof(u32);
  std::vector<sorted_run<Backend>> parts;
  u32 next_rows = std::min<u32>(most_rows, Backend::is_cuda ? 8192 : 512);
  for (u32 first = 0; first < n;) {
    u32 rows = std::min(next_rows, n - first);
    work.first_row = first;
    backend.clear(used.data(), sizeof(u64));
    backend.for_groups(rows, fast_bytes, slow_bytes, work);
    // Rows up to the first one without room make a part.
    if (backend.select(rows, kernels::is_unfinished{lengths.data()}, unfinished.data()) != 0)
      backend.download(&rows, unfinished.data(), sizeof rows);
    if (rows == 0) { // others took the room; alone, a row has enough
      rows = 1;
      backend.clear(used.data(), sizeof(u64));
      backend.for_groups(1, fast_bytes, slow_bytes, work);
    }
    const u64 total = backend.scan(lengths.data(), rows);
    if (total != 0) {
      sorted_run<Backend> part(backend, total, 1);
      backend.expand(lengths.data(), rows, 0, total, false,
                     kernels::write_tuples{numbers.values.data(), room.data(), places.data(), first,
                                           part.columns().words[0]});
      parts.push_back(std::move(part));
    }
    first += rows;
    const u64 mean = total / rows + 1;
    next_rows = static_cast<u32>(std::clamp<u64>(capacity / mean * 7 / 8, 1, most_rows));
  }
  return parts;
}

} // namespace ikra::datalog
