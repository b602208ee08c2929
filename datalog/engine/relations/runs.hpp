// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sorted runs of different tuples, packed into words: making one from unsorted tuples, difference,
// merge by merge path, and hash tables over a prefix that give the first tuple of a range
// (docs/datalog.md, "Tuples and runs"; HISA, "The Hash-Indexed Sorted Array"). Written once for
// both devices; Backend is an engine_backend.
#pragma once

#include "datalog/backend/buffer.hpp"

#include <atomic>
#include <map>
#include <memory>
#include <span>
#include <vector>

namespace ikra::datalog {

/// The longest run: row numbers within one are 32 bits wide.
inline constexpr u64 longest_run = 0xffffffffu;

template <class Backend> class sorted_run {
public:
  sorted_run(Backend& backend, u64 size, unsigned words)
      : storage_(backend, size * words, "tuples"), size_(size), stride_(size), words_(words) {}
  /// Takes storage that holds `words` arrays, `stride` words apart, of which `size` are used.
  sorted_run(buffer<Backend, u64> storage, u64 size, u64 stride, unsigned words)
      : storage_(std::move(storage)), size_(size), stride_(stride), words_(words) {}

  u64 size() const noexcept { return size_; }
  unsigned words() const noexcept { return words_; }
  /// Tuples that there is room for.
  u64 room() const noexcept { return stride_; }
  /// Leaves the first tuples. What views have been given of the others is no longer valid.
  void shorten(u64 size) { size_ = size; }
  word_columns columns() const noexcept {
    word_columns all;
    for (unsigned w = 0; w < words_; ++w)
      all.words[w] = storage_.data() + w * stride_;
    return all;
  }
  run_view view() const noexcept { return {columns(), size_, {}}; }

  /// With a hash table over the first `prefix` columns, if it pays for this many look-ups (those so
  /// far included) to build one.
  run_view view(Backend& backend, const layout& of, unsigned prefix, u64 lookups);

private:
  struct hash_table {
    buffer<Backend, u64> places;
    prefix_masks masks;
    u64 lookups = 0;
    unsigned by = 0; ///< the prefix whose table is used, this one or a shorter one; 0: none yet
  };

  void build(Backend& backend, const layout& of, unsigned prefix, hash_table& into) const;
  unsigned prefix_that_tells(Backend& backend, const layout& of, unsigned prefix) const;

  buffer<Backend, u64> storage_;
  u64 size_, stride_;
  unsigned words_;
  std::map<unsigned, hash_table> hashes_; ///< by prefix
};

namespace kernels {

struct starts_group {
  word_columns words;
  prefix_masks prefix;
  IKRA_DATALOG_BOTH bool operator()(u64 i) const {
    if (i == 0)
      return true;
    for (unsigned w = 0; w < prefix.words; ++w)
      if (((words.words[w][i] ^ words.words[w][i - 1]) & prefix.mask[w]) != 0)
        return true;
    return false;
  }
};

IKRA_DATALOG_BOTH inline bool take_place(u64* place, u64 content) {
#ifdef __CUDA_ARCH__
  return atomicCAS(reinterpret_cast<unsigned long long*>(place), 0ull,
                   static_cast<unsigned long long>(content)) == 0;
#else
  u64 empty = 0;
  return std::atomic_ref(*place).compare_exchange_strong(empty, content, std::memory_order_relaxed);
#endif
}

struct insert_group {
  word_columns words;
  prefix_masks prefix;
  const u32* starts;
  u64 groups, size;
  u64* places;
  u64 capacity;
  IKRA_DATALOG_BOTH void operator()(u64 g) const {
    const u64 first = starts[g], end = g + 1 < groups ? starts[g + 1] : size;
    u64 key[max_words];
    for (unsigned w = 0; w < prefix.words; ++w)
      key[w] = words.words[w][first] & prefix.mask[w];
    const u64 hash = prefix.hash(key);
    u64 at = reduce_range(hash, capacity);
    while (!take_place(places + at, hash_view::place(first, end - first, hash)))
      at = at + 1 == capacity ? 0 : at + 1;
  }
};

struct copy_rows {
  word_columns from, to;
  const u32* rows;
  unsigned words;
  IKRA_DATALOG_BOTH void operator()(u64 i) const {
    for (unsigned w = 0; w < words; ++w)
      to.words[w][i] = from.words[w][rows[i]];
  }
};

struct copy_word {
  const u64* from;
  u64* to;
  const u32* rows;
  IKRA_DATALOG_BOTH void operator()(u64 i) const { to[i] = from[rows[i]]; }
};

struct number_rows {
  u32* rows;
  IKRA_DATALOG_BOTH void operator()(u64 i) const { rows[i] = static_cast<u32>(i); }
};

/// A sorted run in which tuples are looked for. On a CPU a thread asks for ascending tuples, so the
/// search goes on from where the last one ended.
struct searched_run {
  word_columns in;
  u64 size = 0;
  mutable u64 hint = 0;

  /// Where tuple i of one word is or would be, at least `low` and at most `high`.
  IKRA_DATALOG_BOTH u64 place_of(const word_columns& tuples, u64 i, u64 low, u64 high) const {
    const u64 wanted = tuples.words[0][i];
    const u64* const keys = in.words[0];
    return first_not_before(low, high, [=](u64 row) { return keys[row] < wanted; });
  }

  IKRA_DATALOG_BOTH bool holds(const word_columns& tuples, u64 i, unsigned words) const {
    if (words == 1) {
      const u64 wanted = tuples.words[0][i];
      const u64* const keys = in.words[0];
      const u64 at = lower_bound([=](u64 row) { return keys[row] < wanted; });
      return at != size && keys[at] == wanted;
    }
    const u64 at = lower_bound([&](u64 row) { return compare(in, row, tuples, i, words) < 0; });
    return at != size && compare(in, at, tuples, i, words) == 0;
  }

private:
  /// The first row that is not before the tuple.
  template <class Before> IKRA_DATALOG_BOTH u64 lower_bound(const Before& before) const {
    u64 low = 0, high = size;
#ifndef __CUDA_ARCH__
    low = hint;
    u64 step = 1;
    while (low + step < size && before(low + step)) {
      low += step;
      step *= 2;
    }
    high = low + step < size ? low + step + 1 : size;
#endif
    return hint = first_not_before(low, high, before);
  }
};

/// Finds the tuples whose prefix is a key. On a CPU a thread often asks for the same key again, or
/// for one that comes soon after it: these are found beside the last one, without waiting for a
/// hash table's memory.
struct range_finder {
  run_view in;
  mutable u64 first = 0, length = 0; ///< what was found last; length 0: where it would be
  mutable u32 credit = 8, vain = 0;  ///< how many were found near, and how many not at all

  IKRA_DATALOG_BOTH tuple_range operator()(const prefix_masks& prefix, const u64* key) const {
#ifdef __CUDA_ARCH__
    return find_range(in, prefix, key);
#else
    return prefix.words == 1 ? find<1>(prefix, key) : find<max_words>(prefix, key);
#endif
  }

private:
  template <unsigned Most>
  IKRA_DATALOG_BOTH tuple_range find(const prefix_masks& prefix, const u64* key) const {
    if (tuple_range near; in.size != 0 && find_near<Most>(prefix, key, near)) {
      first = near.first;
      length = near.length;
      credit += credit < 256 ? 1 : 0;
      return near;
    }
    const tuple_range found = find_range<Most>(in, prefix, key);
    if (found.first != 0 || found.length != 0) {
      first = found.first;
      length = found.length;
    } else {
      look_for_place<Most>(prefix, key);
    }
    return found;
  }

  /// A hash table does not say where a key would be that it does not have. That is looked for as
  /// often as it pays: where the keys that follow are near, these are found there.
  template <unsigned Most>
  IKRA_DATALOG_BOTH void look_for_place(const prefix_masks& prefix, const u64* key) const {
    constexpr u32 price = 8, seldom = 256;
    credit += ++vain % seldom == 0 ? price : 0;
    if (credit < price || in.size == 0)
      return;
    credit -= price;
    first = first_not_before(0, in.size,
                             [&](u64 row) { return prefix.compare<Most>(in.words, row, key) < 0; });
    length = 0;
  }

  /// \returns whether the few tuples that are looked at say where the key is or would be.
  template <unsigned Most>
  IKRA_DATALOG_BOTH bool find_near(const prefix_masks& prefix, const u64* key,
                                   tuple_range& found) const {
    const auto is_before = [&](u64 row) { return prefix.compare<Most>(in.words, row, key) < 0; };
    if (first == in.size) { // the last key came after all tuples
      found = {first, 0};
      return is_before(first - 1);
    }
    const int order = prefix.compare<Most>(in.words, first, key);
    if (order > 0) {
      found = {first, 0};
      return first == 0 || is_before(first - 1);
    }
    if (order == 0) {
      found = length != 0 ? tuple_range{first, length} : range_from<Most>(in, prefix, key, first);
      return true;
    }
    constexpr u64 most = 16;
    u64 low = first + (length != 0 ? length : 1), high = low;
    for (u64 step = 1; high < in.size && is_before(high); step *= 2) {
      if (step > most)
        return false;
      low = high + 1;
      high += step;
    }
    low = first_not_before(low, high < in.size ? high : in.size, is_before);
    found = low < in.size ? range_from<Most>(in, prefix, key, low) : tuple_range{low, 0};
    return true;
  }
};

/// Whether a tuple differs from the one before it, if that is asked for, and is in none of some
/// runs.
struct is_fresh {
  static constexpr unsigned most_runs = 8;
  word_columns tuples;
  unsigned words;
  bool once;
  unsigned runs = 0;
  searched_run known[most_runs];

  IKRA_DATALOG_BOTH bool operator()(u64 i) const {
    if (once && i != 0 && compare(tuples, i, tuples, i - 1, words) == 0)
      return false;
    for (unsigned r = 0; r < runs; ++r)
      if (known[r].holds(tuples, i, words))
        return false;
    return true;
  }

  /// Of tuples of one word, what can be asked by itself: a tuple is fresh if all parts say so.
  unsigned parts() const { return runs == 0 ? 1 : runs; }
  IKRA_DATALOG_BOTH bool test_part(u64 i, unsigned part) const {
    const u64 wanted = tuples.words[0][i];
    if (part == 0 && once && i != 0 && tuples.words[0][i - 1] == wanted)
      return false;
    if (part >= runs)
      return true;
    const u64 at = known[part].place_of(tuples, i, 0, known[part].size);
    return at == known[part].size || known[part].in.words[0][at] != wanted;
  }

  /// Where tuples of one word that stand beside each other are looked for.
  struct neighbourhood {
    u64 low[most_runs], high[most_runs];
  };
  /// Of tuples first to last: a part of the work, of 2 * most_runs parts.
  IKRA_DATALOG_BOTH void find(unsigned part, u64 first, u64 last, neighbourhood& near) const {
    const unsigned r = part / 2;
    if (r < runs)
      (part % 2 == 0 ? near.low : near.high)[r] =
          known[r].place_of(tuples, part % 2 == 0 ? first : last, 0, known[r].size);
  }
  IKRA_DATALOG_BOTH bool test(u64 i, const neighbourhood& near) const {
    const u64 wanted = tuples.words[0][i];
    if (once && i != 0 && tuples.words[0][i - 1] == wanted)
      return false;
    for (unsigned r = 0; r < runs; ++r) {
      const u64 at = known[r].place_of(tuples, i, near.low[r], near.high[r]);
      if (at != known[r].size && known[r].in.words[0][at] == wanted)
        return false;
    }
    return true;
  }
};

/// Merges outputs [d * chunk, (d + 1) * chunk) of two sorted runs without common tuples.
struct merge_chunk {
  word_columns a, b, out;
  u64 size_a, size_b, chunk;
  unsigned words;
  IKRA_DATALOG_BOTH u64 split(u64 diagonal) const {
    return first_not_before(
        diagonal > size_b ? diagonal - size_b : 0, diagonal < size_a ? diagonal : size_a,
        [&](u64 row) { return compare(a, row, b, diagonal - 1 - row, words) <= 0; });
  }
  IKRA_DATALOG_BOTH void operator()(u64 d) const {
    const u64 begin = d * chunk;
    const u64 end = begin + chunk < size_a + size_b ? begin + chunk : size_a + size_b;
    u64 i = split(begin), j = begin - i;
    for (u64 t = begin; t < end; ++t) {
      const bool first = j == size_b || (i < size_a && compare(a, i, b, j, words) <= 0);
      for (unsigned w = 0; w < words; ++w)
        out.words[w][t] = first ? a.words[w][i] : b.words[w][j];
      i += first ? 1 : 0;
      j += first ? 0 : 1;
    }
  }
};

} // namespace kernels

template <class Backend> using shared_run = std::shared_ptr<sorted_run<Backend>>;

template <class Backend>
void sorted_run<Backend>::build(Backend& backend, const layout& of, unsigned prefix,
                                hash_table& into) const {
  const prefix_masks masks = into.masks = masks_of(of, prefix);
  const buffer<Backend, u32> starts(backend, size_, "group starts");
  const u64 groups = backend.select(size_, kernels::starts_group{columns(), masks}, starts.data());
  // Load factor 0.8. On a GPU each place that is looked at in vain is a wait for memory: there
  // small tables, which stay in its cache, are at most a quarter full.
  const u64 capacity =
      Backend::is_cuda && groups <= u64(1) << 18 ? 4 * groups + 1 : groups + groups / 4 + 1;
  into.places = buffer<Backend, u64>(backend, capacity, "hash table");
  backend.clear(into.places.data(), capacity * sizeof(u64));
  backend.for_each(groups, kernels::insert_group{columns(), masks, starts.data(), groups, size_,
                                                 into.places.data(), capacity});
}

/// The prefix whose hash table is to be used for look-ups by `prefix`. On a CPU it may be shorter,
/// since few tuples beside each other are searched as fast as a large table: that takes as much
/// memory as the tuples, and longer to build than to sort them.
template <class Backend>
unsigned sorted_run<Backend>::prefix_that_tells(Backend& backend, const layout& of,
                                                unsigned prefix) const {
  if constexpr (!Backend::is_cuda) {
    constexpr u64 least = u64(1) << 14; // tuples; the tables of fewer stay in the cache
    constexpr u64 fewest_in_group = 4, most_in_group = 256; // on average
    for (unsigned shorter = prefix; size_ >= least && --shorter != 0;) {
      const kernels::starts_group starts{columns(), masks_of(of, shorter)};
      const u64 groups = backend.sum(size_, [&](u64 i) { return starts(i) ? u64(1) : u64(0); });
      if (groups < size_ / most_in_group)
        break;
      if (groups <= size_ / fewest_in_group)
        return shorter;
    }
  }
  return prefix;
}

template <class Backend>
run_view sorted_run<Backend>::view(Backend& backend, const layout& of, unsigned prefix,
                                   u64 lookups) {
  run_view made = view();
  if (prefix == 0)
    return made;
  hash_table& table = hashes_[prefix];
  table.lookups += lookups;
  // Building costs about as much as a binary search for an eighth of the tuples.
  if (table.by == 0 && table.lookups >= size_ / 8) {
    table.by = prefix_that_tells(backend, of, prefix);
    if (hash_table& used = hashes_[table.by]; used.places.size() == 0) {
      build(backend, of, table.by, used);
      used.by = table.by;
    }
  }
  if (table.by != 0) {
    const hash_table& used = hashes_[table.by];
    made.hash = {used.places.data(), used.places.size(),
                 table.by != prefix ? &used.masks : nullptr};
  }
  return made;
}

/// Copies the chosen rows. \param rows in the order wanted.
template <class Backend>
sorted_run<Backend> take_rows(Backend& backend, const word_columns& from, const u32* rows,
                              u64 count, unsigned words) {
  sorted_run<Backend> taken(backend, count, words);
  backend.for_each(count, kernels::copy_rows{from, taken.columns(), rows, words});
  return taken;
}

/// Sorts `count` tuples lexicographically, in place where they are one word wide.
template <class Backend> void sort_tuples(Backend& backend, sorted_run<Backend>& tuples) {
  const u64 count = tuples.size();
  const unsigned words = tuples.words();
  if (count < 2)
    return;
  if (words == 1) {
    backend.sort(tuples.columns().words[0], count);
    return;
  }
  if constexpr (!Backend::is_cuda)
    if (backend.sort_as_words(tuples.columns(), words, count))
      return;
  // From the last word to the first, stably.
  buffer<Backend, u32> rows(backend, count, "sorting");
  {
    const buffer<Backend, u64> keys(backend, count, "sorting");
    backend.for_each(count, kernels::number_rows{rows.data()});
    for (unsigned w = words; w-- > 0;) {
      backend.for_each(count,
                       kernels::copy_word{tuples.columns().words[w], keys.data(), rows.data()});
      backend.sort_pairs(keys.data(), rows.data(), count);
    }
  }
  tuples = take_rows(backend, tuples.columns(), rows.data(), count, words);
}

/// Drops repeated tuples of a sorted run, if `once`, and those that are in any of `known`.
template <class Backend>
void keep_fresh(Backend& backend, sorted_run<Backend>& tuples, bool once,
                std::span<const shared_run<Backend>> known) {
  for (std::size_t next = 0; tuples.size() != 0 && (once || next < known.size()); once = false) {
    kernels::is_fresh fresh{tuples.columns(), tuples.words(), once, 0, {}};
    for (; next < known.size() && fresh.runs < kernels::is_fresh::most_runs; ++next)
      if (known[next]->size() != 0)
        fresh.known[fresh.runs++] = {known[next]->columns(), known[next]->size()};
    if (tuples.words() == 1) {
      tuples.shorten(backend.keep_words(fresh.tuples.words[0], tuples.size(), fresh));
    } else {
      const buffer<Backend, u32> rows(backend, tuples.size(), "row numbers");
      const u64 kept = backend.select(tuples.size(), fresh, rows.data());
      if (kept != tuples.size())
        tuples = take_rows(backend, tuples.columns(), rows.data(), kept, tuples.words());
    }
  }
  if (tuples.size() <= tuples.room() / 4 * 3) { // give back what is no longer needed
    sorted_run<Backend> left(backend, tuples.size(), tuples.words());
    for (unsigned w = 0; w < tuples.words(); ++w)
      backend.copy(left.columns().words[w], tuples.columns().words[w], tuples.size() * sizeof(u64));
    tuples = std::move(left);
  }
}

/// Drops repeated tuples of a sorted run.
template <class Backend> void drop_repeats(Backend& backend, sorted_run<Backend>& tuples) {
  keep_fresh(backend, tuples, true, {});
}

/// Merges two sorted runs; equal tuples stay beside each other.
template <class Backend>
sorted_run<Backend> merge_runs(Backend& backend, const sorted_run<Backend>& a,
                               const sorted_run<Backend>& b) {
  sorted_run<Backend> merged(backend, a.size() + b.size(), a.words());
  if (a.words() == 1) {
    backend.merge(a.columns().words[0], a.size(), b.columns().words[0], b.size(),
                  merged.columns().words[0]);
    return merged;
  }
  const u64 chunk = Backend::is_cuda ? 16 : 4096;
  backend.for_each((merged.size() + chunk - 1) / chunk,
                   kernels::merge_chunk{a.columns(), b.columns(), merged.columns(), a.size(),
                                        b.size(), chunk, a.words()});
  return merged;
}

/// How many of the first tuples of the merged run come from a. Where memory is the host's.
template <class Run> u64 merged_from(const Run& a, const Run& b, u64 count) {
  const auto is_first = [&](u64 i, u64 j) { // a's before b's
    for (unsigned w = 0; w < a.words(); ++w) {
      const u64 x = a.columns().words[w][i], y = b.columns().words[w][j];
      if (x != y)
        return x < y;
    }
    return true;
  };
  return first_not_before(count > b.size() ? count - b.size() : 0, std::min(count, a.size()),
                          [&](u64 row) { return is_first(row, count - 1 - row); });
}

/// Merges two sorted runs that may be needed no more. On a CPU, long ones are merged part by part,
/// and memory of what has been merged is given back: not both the runs and the result take some.
template <class Backend>
sorted_run<Backend> merge_last_use(Backend& backend, const sorted_run<Backend>& a, bool last_of_a,
                                   const sorted_run<Backend>& b, bool last_of_b) {
  if constexpr (Backend::is_cuda) {
    return merge_runs(backend, a, b);
  } else {
    constexpr u64 least = u64(16) << 20, part = u64(4) << 20; // bytes
    const u64 count = a.size() + b.size(), tuple = a.words() * sizeof(u64);
    if (count * tuple < least || !(last_of_a || last_of_b))
      return merge_runs(backend, a, b);
    sorted_run<Backend> merged(backend, count, a.words());
    const auto after = [&](const sorted_run<Backend>& run, u64 first) {
      word_columns columns = run.columns();
      for (unsigned w = 0; w < run.words(); ++w)
        columns.words[w] += first;
      return columns;
    };
    const auto give_back = [&](const sorted_run<Backend>& run, u64 end) {
      for (unsigned w = 0; w < run.words(); ++w)
        backend.give_back(run.columns().words[w], end * sizeof(u64));
    };
    u64 a_done = 0;
    for (u64 done = 0; done < count;) {
      const u64 end = std::min(done + part / tuple, count), a_end = merged_from(a, b, end);
      const u64 b_done = done - a_done, b_end = end - a_end;
      const word_columns from_a = after(a, a_done), from_b = after(b, b_done),
                         to = after(merged, done);
      if (a.words() == 1) {
        backend.merge(from_a.words[0], a_end - a_done, from_b.words[0], b_end - b_done,
                      to.words[0]);
      } else {
        constexpr u64 chunk = 4096;
        backend.for_each((end - done + chunk - 1) / chunk,
                         kernels::merge_chunk{from_a, from_b, to, a_end - a_done, b_end - b_done,
                                              chunk, a.words()});
      }
      if (last_of_a)
        give_back(a, a_end);
      if (last_of_b)
        give_back(b, b_end);
      done = end;
      a_done = a_end;
    }
    return merged;
  }
}

} // namespace ikra::datalog
