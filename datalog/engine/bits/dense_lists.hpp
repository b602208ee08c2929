// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One step of a chain over a bit matrix where delta is a list of tuples: each tuple's images are
// found one by one, their bits set, and those that were not set are the next list. The work is that
// of the join results, whatever the rows are like; for deltas with few tuples a row, as on graphs
// of roads, that is much less than to visit rows (docs/datalog.md, "Dense evaluation"). Written
// once for both devices.
#pragma once

#include "datalog/engine/bits/dense_rows.hpp"
#include "datalog/plan/dense_plan.hpp"

#include <cstring>

namespace ikra::datalog {

namespace kernels {

/// The bits before.
template <class Word> IKRA_DATALOG_BOTH Word or_bits(Word* word, Word bits) {
#ifdef __CUDA_ARCH__
  return atomicOr(word, bits);
#else
  return __atomic_fetch_or(word, bits, __ATOMIC_RELAXED);
#endif
}

template <class Word> IKRA_DATALOG_BOTH Word read_bits(const Word* word) {
#ifdef __CUDA_ARCH__
  return *static_cast<const volatile Word*>(word);
#else
  return __atomic_load_n(word, __ATOMIC_RELAXED);
#endif
}

/// head(x, y) for delta(a, b), left(a, x), right(b, y); without a factor, x = a or y = b.
struct image_chain {
  const u64* tuples; ///< (a << 32 | b), or the other way round
  bool turned = false;
  bool has_left = false, has_right = false;
  sparse_rows left, right;

  IKRA_DATALOG_BOTH u32 row(u64 i) const { return half(tuples[i], !turned); }
  IKRA_DATALOG_BOTH u32 column(u64 i) const { return half(tuples[i], turned); }
  IKRA_DATALOG_BOTH u32 lefts(u64 i) const { return has_left ? length(left, row(i)) : 1; }
  IKRA_DATALOG_BOTH u32 rights(u64 i) const { return has_right ? length(right, column(i)) : 1; }

  /// The k-th image of tuple i.
  IKRA_DATALOG_BOTH u64 image(u64 i, u32 k) const {
    u32 x = row(i), y = column(i);
    const u32 count = rights(i);
    if (has_left)
      x = left.columns[left.offsets[x] + k / count];
    if (has_right)
      y = right.columns[right.offsets[y] + k % count];
    return u64(x) << 32 | y;
  }

private:
  IKRA_DATALOG_BOTH static u32 half(u64 tuple, bool upper) {
    return static_cast<u32>(upper ? tuple >> 32 : tuple);
  }
  IKRA_DATALOG_BOTH static u32 length(const sparse_rows& of, u32 row) {
    return static_cast<u32>(of.offsets[row + 1] - of.offsets[row]);
  }
};

struct count_images {
  image_chain chain;
  u64* to;
  IKRA_DATALOG_BOTH void operator()(u64 i) const { to[i] = u64(chain.lefts(i)) * chain.rights(i); }
};

/// Sets the bits of images; writes those that were not set.
template <class Word> struct add_images {
  image_chain chain;
  Word* rows;
  u64 words;
  bool irreflexive;
  u64* to;

  IKRA_DATALOG_BOTH bool test(u64 i, u64 k) const {
    const u64 image = chain.image(i, static_cast<u32>(k));
    const u32 x = static_cast<u32>(image >> 32), y = static_cast<u32>(image);
    if (irreflexive && x == y)
      return false;
    Word* const word = rows + x * words + y / (sizeof(Word) * 8);
    const Word bit = Word(1) << (y % (sizeof(Word) * 8));
    return (read_bits(word) & bit) == 0 && (or_bits(word, bit) & bit) == 0;
  }
  IKRA_DATALOG_BOTH void write(u64 i, u64 k, u64 place) const {
    to[place] = chain.image(i, static_cast<u32>(k));
  }
  void move(u64 from, u64 place, u64 count) const {
    std::memmove(to + place, to + from, count * sizeof(u64));
  }
};

template <class Word> struct set_tuples {
  const u64* tuples;
  Word* rows;
  u64 words;
  IKRA_DATALOG_BOTH void operator()(u64 i) const {
    const u32 y = static_cast<u32>(tuples[i]);
    or_bits(rows + (tuples[i] >> 32) * words + y / (sizeof(Word) * 8),
            Word(1) << (y % (sizeof(Word) * 8)));
  }
};

} // namespace kernels

/// Tuples of numbers, in any order, each once.
template <class Backend> class tuple_list {
public:
  u64 size() const noexcept { return size_; }
  const u64* data() const noexcept { return tuples_.data(); }

  /// Memory for `more` further tuples. \returns where they go.
  u64* extend(Backend& backend, u64 more) {
    if (size_ + more > tuples_.size()) {
      buffer<Backend, u64> larger(backend, size_ + std::max(more, size_ / 2), "new tuples");
      if (size_ != 0)
        backend.copy(larger.data(), tuples_.data(), size_ * sizeof(u64));
      tuples_ = std::move(larger);
    }
    return tuples_.data() + size_;
  }
  /// Says that so many of them were written.
  void add(u64 written) { size_ += written; }
  void clear() { size_ = 0; }

private:
  buffer<Backend, u64> tuples_;
  u64 size_ = 0;
};

/// Whether a chain can be stepped over lists: delta with at most one static factor on each side.
inline bool steps_over_lists(const chain_rule& chain) {
  if (chain.factors.size() > 3)
    return false;
  for (std::size_t i = 0; i < chain.factors.size(); ++i)
    if (chain.factors[i].recursive)
      return i <= 1 && chain.factors.size() - i <= 2 &&
             std::count_if(chain.factors.begin(), chain.factors.end(),
                           [](const chain_factor& f) { return f.recursive; }) == 1;
  return false;
}

} // namespace ikra::datalog
