// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functors that read an output once to test it and once to write it, as datalog/expand.hpp wants
// them: what is made is only where the output comes from. Where outputs are one word, and repeats
// are looked for, what is made is the word.
#pragma once

#include <ikra/generated/datalog/expand.hpp>
#include <ikra/generated/datalog/seen.hpp>

namespace ikra::datalog {

template <bool Tested, class F> struct test_then_write {
  F f;

  struct made {
    u64 row, k;
  };
  using memory = no_memory;
  static constexpr bool looks_ahead = false;

  IKRA_DATALOG_BOTH bool make(u64 row, u64 k, made& output, memory&) const {
    output.row = row;
    output.k = k;
    if constexpr (Tested)
      return f.test(row, k);
    else
      return true;
  }
  IKRA_DATALOG_BOTH void put(u64 place, const made& output) const {
    f.write(output.row, output.k, place);
  }
  void move(u64 from, u64 to, u64 count) const { f.move(from, to, count); }
};

template <bool Tested, class F> struct write_if_new {
  F f;
  seen_tuples known;

  using made = u64;
  using memory = no_memory;
  static constexpr bool looks_ahead = true;

  IKRA_DATALOG_BOTH bool make(u64 row, u64 k, made& output, memory&) const {
    if constexpr (Tested)
      if (!f.test(row, k))
        return false;
    output = f.first_word(row, k);
    return true;
  }
  IKRA_DATALOG_BOTH void fetch(const made& output) const { known.prefetch(output); }
  IKRA_DATALOG_BOTH bool is_new(const made& output) const { return !known.seen(output); }
  IKRA_DATALOG_BOTH void put(u64 place, const made& output) const { f.out[0][place] = output; }
  void move(u64 from, u64 to, u64 count) const { f.move(from, to, count); }
};

/// The same where something else makes the word of an output, and remembers what it needs for the
/// next one.
template <bool Tested, class F, class Words> struct write_words {
  const F& f;
  const Words& words;

  using made = u64;
  using memory = typename Words::memory;
  static constexpr bool looks_ahead = false;

  bool make(u64 row, u64 k, made& output, memory& last) const {
    if constexpr (Tested)
      if (!f.test(row, k))
        return false;
    output = words(row, k, last);
    return true;
  }
  void put(u64 place, const made& output) const { f.out[0][place] = output; }
  void move(u64 from, u64 to, u64 count) const { f.move(from, to, count); }
};

template <bool Tested, class F, class Words>
struct write_words_if_new : write_words<Tested, F, Words> {
  seen_tuples known;

  static constexpr bool looks_ahead = true;
  void fetch(const u64& output) const { known.prefetch(output); }
  bool is_new(const u64& output) const { return !known.seen(output); }
};

} // namespace ikra::datalog
