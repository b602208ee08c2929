// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a backend offers to the engine: memory, loops, scans, sorting, selection, merging and groups
// of threads. Everything above is written once against it. All cores are one (host_backend.hpp),
// a GPU is the other (cuda_backend.cuh); each is checked against these concepts where it is
// defined. Functors are copied to the device and must not throw.
#pragma once

#include "datalog/plan/layout.hpp"

#include <ikra/generated/datalog/joins.hpp>

#include <concepts>

namespace ikra::datalog {

/// What takes an item in for_groups: one thread on a CPU, a block on a GPU. Local memory is the
/// group's own, shared memory is that of all groups. What adds, ors and swaps gives the value
/// before.
/// \tparam Word of bit rows
template <class Group, class Word>
concept thread_group = requires(const Group& group, Word* word, const Word* from, u32* state,
                                u64* count, u8* flag, u32& total) {
  { Group::is_single } -> std::convertible_to<bool>; ///< one thread
  { group.fast } -> std::convertible_to<void*>;      ///< see for_groups
  { group.slow } -> std::convertible_to<void*>;
  { group.rank() } -> std::same_as<unsigned>;
  { group.size() } -> std::same_as<unsigned>;
  { group.sync() } -> std::same_as<void>;
  { group.read_local(from) } -> std::same_as<Word>;
  { group.or_local(word, Word()) } -> std::same_as<Word>;
  { group.add_local(state, u32()) } -> std::same_as<u32>;
  { group.read_shared(from) } -> std::same_as<Word>;
  { group.or_shared(word, Word()) } -> std::same_as<Word>;
  { group.add_shared(count, u64()) } -> std::same_as<u64>;
  { group.mark(flag) } -> std::same_as<void>; ///< stores 1 in shared memory
  { group.swap(state, u32()) } -> std::same_as<u32>;
  { group.swap_if(state, u32(), u32()) } -> std::same_as<u32>; ///< if it was the first of both
  { group.ticks() } -> std::same_as<u64>;                      ///< time, in any unit
  { group.all(bool()) } -> std::same_as<bool>; ///< whether it holds for all threads of the group
  /// Stores a state that is not 0; who awaits it sees what the group wrote before.
  { group.publish(state, u32()) } -> std::same_as<void>;
  { group.await(state) } -> std::same_as<u32>; ///< the state, once it is not 0
  /// The sum over the group's threads before this one; total gets the sum over all.
  { group.exclusive(u32(), total) } -> std::same_as<u32>;
};

/// Functors as the engine hands them to a backend.
namespace archetypes {

struct each_index {
  void operator()(u64 i) const;
};
struct value_of_index {
  u64 operator()(u64 i) const;
};
/// Asked about ascending words i and i - 1: at once, or, on a GPU, in parts of which all have to
/// agree, or a block's words with what was found about them together.
struct wanted_index {
  static constexpr unsigned most_runs = 1;
  struct neighbourhood {};
  bool operator()(u64 i) const;
  unsigned parts() const;
  bool test_part(u64 i, unsigned part) const;
  void find(unsigned part, u64 first, u64 last, neighbourhood& near) const;
  bool test(u64 i, const neighbourhood& near) const;
};
/// Output k of a row.
struct output_of_row {
  u64* const* out;                              ///< the words of outputs, by word
  bool test(u64 row, u64 k) const;              ///< whether it is wanted
  void write(u64 row, u64 k, u64 place) const;  ///< what is wanted
  u64 first_word(u64 row, u64 k) const;         ///< all of it, where it is one word
  void move(u64 from, u64 to, u64 count) const; ///< written outputs, on the host
};
struct item_of_group {
  template <class Group> void operator()(const Group& group, u64 item) const;
};

} // namespace archetypes

template <class Backend>
concept memory_backend =
    requires(Backend& on, const Backend& seen, void* to, const void* from, u64 bytes) {
      /// Throws ikra::error of kind out_of_memory, with the text for what. Not initialised.
      { on.allocate(bytes, "what for") } -> std::same_as<void*>;
      { on.release(to, bytes) } noexcept -> std::same_as<void>;
      { on.trim() } noexcept -> std::same_as<void>; ///< what was released is others' now
      /// Bytes in use, the most that were since reset_peak(), and those that may still be asked
      /// for.
      { seen.in_use() } -> std::same_as<u64>;
      { seen.peak() } -> std::same_as<u64>;
      { on.reset_peak() } -> std::same_as<void>;
      { seen.available() } -> std::same_as<u64>;
      { on.upload(to, from, bytes) } -> std::same_as<void>; ///< from the host
      {
        on.download(to, from, bytes)
      } -> std::same_as<void>; ///< to the host, when all before is done
      { on.copy(to, from, bytes) } -> std::same_as<void>;
      { on.clear(to, bytes) } -> std::same_as<void>; ///< to zeros
      { on.synchronize() } -> std::same_as<void>;    ///< waits for all that was begun
    };

template <class Backend>
concept engine_backend =
    memory_backend<Backend> &&
    thread_group<typename Backend::group_type,
                 typename Backend::bits> && ///< bits: a word of bit rows
    requires(Backend& on, u64 count, u64* words, const u64* from, u32* rows,
             const seen_tuples& known, const archetypes::each_index& each,
             const archetypes::value_of_index& value, const archetypes::wanted_index& wanted,
             const archetypes::output_of_row& output, const archetypes::item_of_group& item) {
      { Backend::is_cuda } -> std::convertible_to<bool>;
      { Backend::most_lanes } -> std::convertible_to<unsigned>; ///< that may share a sparse row

      { on.for_each(count, each) } -> std::same_as<void>; ///< each(i) for all i below count
      { on.sum(count, value) } -> std::same_as<u64>;      ///< of value(i) for all i below count
      /// Exclusive prefix sums in place. There are count + 1 places; the last becomes the sum,
      /// which is the result.
      { on.scan(words, count) } -> std::same_as<u64>;

      /// Writes the i below count (at most 2^32) that are wanted, in order. Gives how many.
      { on.select(count, wanted, rows) } -> std::same_as<u64>;
      /// Keeps those of ascending words that are wanted, in order and in place. Gives how many.
      { on.keep_words(words, count, wanted) } -> std::same_as<u64>;

      /// expand(offsets, rows, begin, end, tested, output): the outputs [begin, end) of all rows.
      /// offsets has rows + 1 ascending places; output t is that of the last row whose offset is at
      /// most t, with k = t - offsets[row]. Work is shared out by outputs; places are consecutive
      /// from 0. Where tested is false all are wanted, and places are t - begin. Gives the number
      /// of outputs written.
      { on.expand(from, count, count, count, bool(), output) } -> std::same_as<u64>;
      /// The same for outputs of one word, without those that are in a table of tuples seen.
      { on.expand_new(from, count, count, count, bool(), output, known) } -> std::same_as<u64>;
      /// Where the kernels of a compiled program run.
      { on.execution() } -> std::same_as<compiled::execution>;

      { on.sort(words, count) } -> std::same_as<void>; ///< ascending
      /// Sorts words ascending; rows are permuted with them, equal words keep theirs in order.
      { on.sort_pairs(words, rows, count) } -> std::same_as<void>;
      /// Merges two sorted arrays into a third; equal words of the first come first.
      { on.merge(from, count, from, count, words) } -> std::same_as<void>;

      /// for_groups(items, fast_bytes, slow_bytes, item): item(group, i) for all i below items,
      /// each by one group, in about ascending order. Each group has memory of its own: group.fast
      /// (on a GPU in fast memory where it fits), which is zero at its first item, and group.slow.
      { on.for_groups(count, count, count, item) } -> std::same_as<void>;
      /// The same; an item may wait for items before it (group.await).
      { on.for_groups_in_order(count, count, count, item) } -> std::same_as<void>;
      { on.group_count() } -> std::same_as<u64>; ///< items that may be worked on at once
    };

} // namespace ikra::datalog
