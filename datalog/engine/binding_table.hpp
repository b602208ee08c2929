// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows of a rule in evaluation: for each variable that is alive, where its values are; and the
// functors that make rows or head tuples of them. Columns of tuples are read where they lie; only
// what a join produces is written. Written once for both devices.
#pragma once

#include "datalog/engine/relations/runs.hpp"
#include "datalog/plan/expression_code.hpp"
#include "datalog/plan/schedule.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace ikra::datalog {

inline constexpr unsigned max_sources = 64;
inline constexpr unsigned max_outputs = 48;

IKRA_DATALOG_BOTH inline u64 turned(u64 word, u8 to_the_left) {
  return word << to_the_left | word >> ((64 - to_the_left) & 63);
}
inline u8 turn_between(u8 from, u8 to) { return static_cast<u8>((to - from) & 63); }

/// Where a value comes from.
struct source {
  enum places : u8 {
    row,      ///< data[row]
    tuple,    ///< data[tuple]: the inner side of a join
    constant, ///< content
    number,   ///< the number of the output within its row's range
    indirect  ///< data[rows[row]]; used while rows are dropped
  } place = constant;
  u8 shift = 0;
  u8 bits = 64;
  const u64* data = nullptr;
  u64 content = 0;
};

/// A part of an output word: a source or the value of an expression.
struct output_field {
  u8 word = 0;
  u8 shift = 0;
  u8 bits = 64;
  bool computed = false;
  u32 at = 0;     ///< the source, or where its code starts
  u32 length = 0; ///< of the code
};

/// Reads sources, tests outputs and writes them.
struct producer {
  source sources[max_sources];
  output_field fields[max_outputs]; ///< in ascending order of words
  u64* out[max_outputs] = {};
  const u32* first = nullptr; ///< of each row: the first tuple of its range
  const u32* rows = nullptr;  ///< of each row: the row to read instead
  const instruction* code = nullptr;
  u32 test_length = 0; ///< the code starts with the test
  u32 field_count = 0, word_count = 0;
  u32* fault = nullptr;

  IKRA_DATALOG_BOTH u64 value(u32 number, u64 row, u64 k) const {
    const source& s = sources[number];
    switch (s.place) {
    case source::row:
      return (s.data[row] >> s.shift) & low_bits(s.bits);
    case source::tuple:
      return (s.data[first[row] + k] >> s.shift) & low_bits(s.bits);
    case source::constant:
      return s.content;
    case source::number:
      return k;
    default:
      return (s.data[rows[row]] >> s.shift) & low_bits(s.bits);
    }
  }

  struct values_at {
    const producer& from;
    u64 row, k;
    IKRA_DATALOG_BOTH u64 operator()(u32 number) const { return from.value(number, row, k); }
  };

  IKRA_DATALOG_BOTH bool test(u64 row, u64 k) const {
    return evaluate(code, test_length, values_at{*this, row, k}, fault) != 0;
  }

  IKRA_DATALOG_BOTH void write(u64 row, u64 k, u64 place) const {
    for (u32 f = 0; f < field_count;) {
      const u32 word = fields[f].word;
      out[word][place] = compose(row, k, f);
    }
  }

  /// The only word of outputs that have one.
  IKRA_DATALOG_BOTH u64 first_word(u64 row, u64 k) const {
    u32 f = 0;
    return compose(row, k, f);
  }

  /// Moves outputs down; the ranges may overlap.
  void move(u64 from, u64 to, u64 count) const {
    for (u32 w = 0; w < word_count; ++w)
      memmove(out[w] + to, out[w] + from, count * sizeof(u64));
  }

private:
  /// The word of field f and those after it. \param f becomes the first field of the next word.
  IKRA_DATALOG_BOTH u64 compose(u64 row, u64 k, u32& f) const {
    u64 word = 0;
    const u32 number = fields[f].word;
    for (; f < field_count && fields[f].word == number; ++f) {
      const output_field& field = fields[f];
      const u64 v = field.computed
                        ? evaluate(code + field.at, field.length, values_at{*this, row, k}, fault)
                        : value(field.at, row, k);
      word |= (v & low_bits(field.bits)) << field.shift;
    }
    return word;
  }
};

/// The only word of outputs whose fields are columns and constants: nothing is computed. Columns of
/// one word that keep their distance are one part.
struct word_maker {
  struct part {
    const u64* data;
    u64 mask; ///< of the bits that are taken
    u8 turn;  ///< to the left, to where they go
  };
  static constexpr u32 most_parts = 6;
  part of_row[most_parts], of_tuple[most_parts];
  u32 row_parts = 0, tuple_parts = 0;
  u64 constant = 0;
  const u32* tuples = nullptr; ///< of each row, the first one

  /// What a thread remembers of the last row.
  struct memory {
    u64 row = ~u64(0), word = 0, first = 0;
    void reset(unsigned, unsigned) {}
  };

  /// \returns none if a producer's outputs are not of that kind.
  static std::optional<word_maker> of(const producer& from) {
    if (from.word_count != 1)
      return {};
    word_maker made;
    for (u32 f = 0; f < from.field_count; ++f)
      if (from.fields[f].computed || !made.add(from, from.fields[f]))
        return {};
    return made;
  }

  u64 of_row_alone(u64 row) const { return with(of_row, row_parts, row, constant); }

  u64 operator()(u64 row, u64 k, memory& last) const {
    if (last.row != row)
      last = {row, of_row_alone(row), tuples == nullptr ? 0 : tuples[row]};
    return with(of_tuple, tuple_parts, last.first + k, last.word);
  }

private:
  static u64 with(const part* parts, u32 count, u64 at, u64 word) {
    for (u32 i = 0; i < count; ++i)
      word |= turned(parts[i].data[at] & parts[i].mask, parts[i].turn);
    return word;
  }

  bool add(const producer& from, const output_field& to) {
    const source& s = from.sources[to.at];
    if (s.place == source::number)
      return false;
    if (s.place == source::constant) {
      constant |= (s.content & low_bits(to.bits)) << to.shift;
      return true;
    }
    const bool is_row = s.place == source::row;
    if (!is_row)
      tuples = s.place == source::tuple ? from.first : from.rows;
    part* const parts = is_row ? of_row : of_tuple;
    u32& count = is_row ? row_parts : tuple_parts;
    const part made{s.data, low_bits(std::min(s.bits, to.bits)) << s.shift,
                    turn_between(s.shift, to.shift)};
    for (u32 i = 0; i < count; ++i)
      if (parts[i].data == made.data && parts[i].turn == made.turn) {
        parts[i].mask |= made.mask;
        return true;
      }
    if (count == most_parts)
      return false;
    parts[count++] = made;
    return true;
  }
};

/// The same for rows without ranges.
struct produce_row {
  producer from;
  IKRA_DATALOG_BOTH void operator()(u64 row) const { from.write(row, 0, row); }
};

struct produce_word {
  word_maker from;
  u64* out;
  void operator()(u64 row) const {
    word_maker::memory none;
    out[row] = from(row, 0, none);
  }
};

struct passes_test {
  producer from;
  IKRA_DATALOG_BOTH bool operator()(u64 row) const { return from.test(row, 0); }
};

/// Composes a key of the sources that stand for the known columns.
struct key_maker {
  struct part {
    const u64* data;
    u64 mask;   ///< of the value's bits that the column takes, where they stand in data's words
    u64 beyond; ///< of its other bits
    u8 turn;    ///< to the left, to where they stand in the key
    u8 word;
  };
  part parts[max_columns];
  u64 constant[max_words] = {}; ///< the parts of constants
  u32 count = 0;
  bool possible = true; ///< constants have no more bits than columns take
  prefix_masks prefix;

  void add(const source& from, field to) {
    if (from.place == source::constant) {
      possible = possible && from.content <= low_bits(to.bits);
      constant[to.word] |= (from.content & low_bits(to.bits)) << to.shift;
      return;
    }
    const u64 value = low_bits(from.bits) << from.shift;
    const u64 taken = low_bits(std::min(from.bits, to.bits)) << from.shift;
    parts[count++] = {from.data, taken, value & ~taken, turn_between(from.shift, to.shift),
                      to.word};
  }

  /// \returns false if no tuple has the key: a value has more bits than the column's take.
  IKRA_DATALOG_BOTH bool make(u64 row, u64* key) const {
    for (unsigned w = 0; w < prefix.words; ++w)
      key[w] = constant[w];
    u64 beyond = 0;
    for (u32 i = 0; i < count; ++i) {
      const part& p = parts[i];
      const u64 word = p.data[row];
      beyond |= word & p.beyond;
      key[p.word] |= turned(word & p.mask, p.turn);
    }
    return possible && beyond == 0;
  }
};

struct look_up {
  key_maker keys;
  kernels::range_finder in;
  u32* first;
  u64* lengths;
  IKRA_DATALOG_BOTH void operator()(u64 row) const {
    u64 key[max_words];
    const tuple_range found = keys.make(row, key) ? in(keys.prefix, key) : tuple_range{};
    first[row] = static_cast<u32>(found.first);
    lengths[row] = found.length;
  }
};

/// Every row meets every tuple.
struct take_all {
  u64 size;
  u32* first;
  u64* lengths;
  IKRA_DATALOG_BOTH void operator()(u64 row) const {
    first[row] = 0;
    lengths[row] = size;
  }
};

struct finds_none {
  key_maker keys;
  kernels::range_finder in;
  IKRA_DATALOG_BOTH bool operator()(u64 row) const {
    u64 key[max_words];
    return !keys.make(row, key) || in(keys.prefix, key).length == 0;
  }
};

/// How many values range(from, to, step) has.
struct count_range {
  const u64 *from, *to, *step;
  plan::type of;
  u64* lengths;
  IKRA_DATALOG_BOTH void operator()(u64 row) const {
    lengths[row] = range_length(of, from[row], to[row], step[row]);
  }
};

/// Where the values of rows are written: into one word where all fit, so that repeats can be looked
/// for, else each into a word of its own.
inline std::vector<field> row_fields(const std::vector<u8>& bits) {
  unsigned all = 0;
  for (const u8 one : bits)
    all += one;
  std::vector<field> made;
  for (const u8 one : bits) {
    if (all > 64) {
      made.push_back({static_cast<u8>(made.size()), 0, 64});
      continue;
    }
    const unsigned before = made.empty() ? all : made.back().shift;
    made.push_back({0, static_cast<u8>(before - one), one});
  }
  return made;
}

/// Says of a row whether some run has a tuple for its key; asked run by run.
struct mark_found {
  key_maker keys;
  kernels::range_finder in;
  u8* found;
  IKRA_DATALOG_BOTH void operator()(u64 row) const {
    if (found[row] != 0)
      return;
    u64 key[max_words];
    if (keys.make(row, key) && in(keys.prefix, key).length != 0)
      found[row] = 1;
  }
};

/// The same where keys are one word and a thread takes many rows: joins before often bring the same
/// keys again, so the last answers are kept, each at its key's place.
struct mark_found_again {
  mark_found ask;
  static constexpr unsigned place_bits = 10;
  enum class answer : u8 { none, absent, present };
  mutable u64 keys[1u << place_bits] = {};
  mutable answer answers[1u << place_bits] = {};
  void operator()(u64 row) const {
    if (ask.found[row] != 0)
      return;
    u64 key[max_words];
    if (!ask.keys.make(row, key))
      return;
    const u64 place = (key[0] * 0x9E3779B97F4A7C15) >> (64 - place_bits);
    answer& known = answers[place];
    if (known == answer::none || keys[place] != key[0]) {
      known = ask.in(ask.keys.prefix, key).length != 0 ? answer::present : answer::absent;
      keys[place] = key[0];
    }
    if (known == answer::present)
      ask.found[row] = 1;
  }
};

/// Marks what the numbers in a column say. Several rows may have one number.
struct mark_numbers {
  source numbers;
  u8* marked;
  IKRA_DATALOG_BOTH void operator()(u64 row) const {
    u8& mark = marked[(numbers.data[row] >> numbers.shift) & low_bits(numbers.bits)];
#ifdef __CUDA_ARCH__
    mark = 1;
#else
    std::atomic_ref<u8>(mark).store(1, std::memory_order_relaxed);
#endif
  }
};

struct is_marked {
  const u8* marked;
  IKRA_DATALOG_BOTH bool operator()(u64 row) const { return marked[row] != 0; }
};

/// The next tuples of each row that has no solution so far.
struct take_next {
  const u32* starts;
  const u64* lengths;
  const u8* found;
  u64 done, most;
  u32* first;
  u64* taken;
  IKRA_DATALOG_BOTH void operator()(u64 row) const {
    const u64 left = found[row] != 0 || lengths[row] < done ? 0 : lengths[row] - done;
    first[row] = static_cast<u32>(starts[row] + done);
    taken[row] = left < most ? left : most;
  }
};

/// Calls expand(total) for the outputs of rows, of which `first` and `offsets` hold the first
/// tuples and their numbers. \param found if not null, the rows that need no further outputs: then
/// each gets a few at a time, and more each time.
template <class Backend, class Expand>
void in_rounds(Backend& backend, u64 rows, u32* first, u64* offsets, const u8* found,
               const Expand& expand) {
  if (found == nullptr) {
    expand(backend.scan(offsets, rows));
    return;
  }
  const buffer<Backend, u32> starts(backend, rows, "ranges");
  const buffer<Backend, u64> lengths(backend, rows, "ranges");
  backend.copy(starts.data(), first, rows * sizeof(u32));
  backend.copy(lengths.data(), offsets, rows * sizeof(u64));
  u64 most = Backend::is_cuda ? 32 : 4;
  for (u64 done = 0;; done += most, most *= 8) {
    backend.for_each(rows,
                     take_next{starts.data(), lengths.data(), found, done, most, first, offsets});
    const u64 total = backend.scan(offsets, rows);
    if (total == 0)
      return;
    expand(total);
  }
}

/// How many rows are worked on at once, and whether any more are wanted.
struct batch_bounds {
  u64 most = 0;
  u64 first = 0;              ///< rows in the first batch; the next ones are larger
  const bool* done = nullptr; ///< if set, nothing more is asked for once it is true

  /// Calls work(from, count) for batches of `all` rows.
  template <class Work> void each(u64 all, const Work& work) const {
    u64 size = first;
    for (u64 from = 0; from < all && (done == nullptr || !*done);) {
      const u64 count = all - from < size ? all - from : size;
      work(from, count);
      from += count;
      size = most / 4 < size ? most : 4 * size;
    }
  }
};

/// The rows so far.
template <class Backend> struct binding_table {
  u64 rows = 1; ///< of the empty table, which has no variable: one
  std::vector<std::pair<u32, source>> slots;
  std::vector<std::shared_ptr<const buffer<Backend, u64>>> columns; ///< kept for `slots`

  /// A table whose slots are fields of the words of `storage`, each `stride` apart.
  static binding_table over(const std::vector<u32>& slots, const std::vector<field>& fields,
                            std::shared_ptr<const buffer<Backend, u64>> storage, u64 stride,
                            u64 rows) {
    binding_table made;
    made.rows = rows;
    for (std::size_t i = 0; i < slots.size(); ++i) {
      source column;
      column.place = source::row;
      column.shift = fields[i].shift;
      column.bits = fields[i].bits;
      column.data = storage->data() + fields[i].word * stride;
      made.slots.emplace_back(slots[i], column);
    }
    made.columns.push_back(std::move(storage));
    return made;
  }

  const source* find(u32 slot) const {
    for (const auto& [number, from] : slots)
      if (number == slot)
        return &from;
    return nullptr;
  }
  /// Rows [begin, begin + count).
  binding_table part(u64 begin, u64 count) const {
    binding_table made = *this;
    made.rows = count;
    for (auto& [number, from] : made.slots)
      if (from.place == source::row)
        from.data += begin;
    return made;
  }
};

} // namespace ikra::datalog
