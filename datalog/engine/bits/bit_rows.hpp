// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a group of threads does with rows of bits: breadth-first search, images, listing the bits
// that are set. Group is a thread_group (backend/backend.hpp). Written once for both devices.
#pragma once

#include "datalog/plan/layout.hpp"

// Functions of a group run on one device only.
#ifdef __CUDACC__
#define IKRA_DATALOG_GROUP __device__ inline
#else
#define IKRA_DATALOG_GROUP inline
#endif

namespace ikra::datalog {

/// Rows of column numbers: row r is columns[offsets[r]] to columns[offsets[r + 1]].
struct sparse_rows {
  const u64* offsets = nullptr;
  const u32* columns = nullptr;
};

template <class Word> inline constexpr unsigned word_bits = sizeof(Word) * 8;

template <class Word> IKRA_DATALOG_GROUP Word bit_of(u32 column) {
  return Word(1) << (column % word_bits<Word>);
}

template <class Word> IKRA_DATALOG_GROUP unsigned count_bits(Word word) {
#ifdef __CUDA_ARCH__
  return static_cast<unsigned>(sizeof(Word) == 8 ? __popcll(word)
                                                 : __popc(static_cast<unsigned>(word)));
#else
  // Without the instruction, which not every x86-64 has, the compiler calls a function.
  u64 sums = word - ((word >> 1) & 0x5555555555555555u);
  sums = (sums & 0x3333333333333333u) + ((sums >> 2) & 0x3333333333333333u);
  return static_cast<unsigned>(
      (((sums + (sums >> 4)) & 0x0f0f0f0f0f0f0f0fu) * 0x0101010101010101u) >> 56);
#endif
}

template <class Word> IKRA_DATALOG_GROUP unsigned lowest_bit(Word word) {
#ifdef __CUDA_ARCH__
  return static_cast<unsigned>(
      (sizeof(Word) == 8 ? __ffsll(static_cast<long long>(word)) : __ffs(static_cast<int>(word))) -
      1);
#else
  return static_cast<unsigned>(__builtin_ctzll(word));
#endif
}

template <class Group, class Word>
IKRA_DATALOG_GROUP void clear_row(const Group& group, Word* row, u64 words) {
  for (u64 w = group.rank(); w < words; w += group.size())
    row[w] = 0;
  group.sync();
}

/// Calls take(column, number) for all set bits, in order; number counts them from 0.
/// \returns how many there are.
template <class Group, class Word, class Take>
IKRA_DATALOG_GROUP u32 list_bits(const Group& group, const Word* row, u64 words, const Take& take) {
  u32 done = 0;
  for (u64 base = 0; base < words; base += group.size()) {
    const u64 w = base + group.rank();
    Word word = w < words ? row[w] : Word(0);
    u32 total = 0;
    u32 number = done + group.exclusive(count_bits(word), total);
    done += total;
    for (; word != 0; word &= word - 1)
      take(static_cast<u32>(w * word_bits<Word>) + lowest_bit(word), number++);
  }
  group.sync();
  return done;
}

/// Adds to `row` the columns of rows list[begin, end) of `edges`; those that were not there are
/// appended to the list at `end`. \param counter shared by the group. \returns the list's new
/// length.
template <class Group, class Word>
IKRA_DATALOG_GROUP u32 reach_round(const Group& group, Word* row, u32* list, u32 begin, u32 end,
                                   const sparse_rows& edges, unsigned lanes, u32* counter) {
  if (group.rank() == 0)
    *counter = end;
  group.sync();
  const unsigned step = group.size() / lanes, lane = group.rank() % lanes;
  for (u32 i = begin + group.rank() / lanes; i < end; i += step) {
    const u32 from = list[i];
    const u64 stop = edges.offsets[from + 1];
    for (u64 e = edges.offsets[from] + lane; e < stop; e += lanes) {
      const u32 to = edges.columns[e];
      const Word bit = bit_of<Word>(to);
      Word* const word = row + to / word_bits<Word>;
      if ((group.read_local(word) & bit) == 0 && (group.or_local(word, bit) & bit) == 0) {
        const u32 place = group.add_local(counter, 1);
        list[place] = to;
      }
    }
  }
  group.sync();
  const u32 length = *counter;
  group.sync();
  return length;
}

/// The same until nothing is new.
template <class Group, class Word>
IKRA_DATALOG_GROUP u32 reach(const Group& group, Word* row, u32* list, u32 begin, u32 end,
                             const sparse_rows& edges, unsigned lanes, u32* counter) {
  while (begin < end) {
    const u32 length = reach_round(group, row, list, begin, end, edges, lanes, counter);
    begin = end;
    end = length;
  }
  return end;
}

/// Sets in `row` the columns of rows list[0, count) of `edges`.
template <class Group, class Word>
IKRA_DATALOG_GROUP void add_image(const Group& group, Word* row, const u32* list, u32 count,
                                  const sparse_rows& edges, unsigned lanes) {
  const unsigned step = group.size() / lanes, lane = group.rank() % lanes;
  for (u32 i = group.rank() / lanes; i < count; i += step) {
    const u64 stop = edges.offsets[list[i] + 1];
    for (u64 e = edges.offsets[list[i]] + lane; e < stop; e += lanes) {
      const u32 to = edges.columns[e];
      const Word bit = bit_of<Word>(to);
      Word* const word = row + to / word_bits<Word>;
      // One thread does better without a branch that it cannot foresee.
      if (Group::is_single || (group.read_local(word) & bit) == 0)
        group.or_local(word, bit);
    }
  }
  group.sync();
}

} // namespace ikra::datalog
