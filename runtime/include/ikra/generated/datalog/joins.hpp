// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What ikrac emits for a Datalog program is made of these (docs/datalog-kernels.md): its rules as
// data, and a kernel for each of its joins, specialised to the types of columns, the constants and
// the conditions, with the projection to the head and a first look for duplicates in the same loop.
// The engine finds a kernel by its shape, a text that says all that it was specialised to; a join
// without one is interpreted. Relies on runs.hpp and expand.hpp.
#pragma once

#include <ikra/generated/datalog/expand.hpp>
#include <ikra/generated/datalog/runs.hpp>
#include <ikra/generated/datalog/seen.hpp>
#include <ikra/generated/device/device.hpp>

#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

namespace ikra::datalog::compiled {

/// Value i is words[i] >> shift, cut to the width of its type.
struct column {
  const u64* words;
  u8 shift;
};

/// \returns value i of a column whose type has so many bits.
template <unsigned Bits> IKRA_DATALOG_ALWAYS u64 read(const column& from, u64 i) {
  return (from.words[i] >> from.shift) & low_bits(Bits);
}

/// Where a negation looks: the runs of a relation that have tuples, with hash tables where they
/// pay.
struct absence {
  field keys[max_columns];
  prefix_masks prefix;
  const run_view* runs;
  u32 count;
};

/// One batch of a join.
struct join_call {
  column inputs[most_inputs];  ///< of the rows so far
  column columns[max_columns]; ///< of the tuples that they are joined with
  // The look-up: where the known columns lie in a key, and what is searched.
  field keys[max_columns];
  prefix_masks prefix;
  run_view in;
  u32* first = nullptr;   ///< of each row: the first tuple of its range
  u64* offsets = nullptr; ///< the lengths of ranges; once summed up, where their outputs begin
  u64 rows = 0;
  // The outputs [begin, end), and where they go: the head's values to fields of words, those of
  // rows to fields of one word, or each value to a column.
  u64 begin = 0, end = 0;
  bool one_word = false; ///< of rows
  seen_tuples known;     ///< outputs of one word that are dropped; may have no places
  field fields[max_columns];
  u64* out[most_outputs] = {};
  const absence* absent = nullptr; ///< one for each negation, where the kernel runs
  u32* fault = nullptr;            ///< set to 1 by an integer division by zero
};

/// Where kernels run: on the host's cores, or on a GPU's stream.
struct execution {
  rt::device* gpu = nullptr; ///< null: the host
  void* stream = nullptr;
  u64 most_blocks = 0;
  u64* counter = nullptr; ///< in the GPU's memory
};

/// The kernels of one join.
struct join {
  const char* shape;
  /// Fills first and offsets of all rows (of a range only offsets); null for a join without known
  /// columns.
  void (*look_up)(const join_call&, const execution&);
  /// Writes the outputs [begin, end). \returns how many are left of them.
  u64 (*produce)(const join_call&, const execution&);
};

/// Remembers the tuples of several words that a thread of the host wrote last, one for each hash,
/// so that those which come again soon are dropped where they are made.
template <unsigned Words> class recent_tuples {
public:
  IKRA_DATALOG_BOTH void reset(unsigned, unsigned) {
    // No place may hold a tuple whose place it is before that has been written.
    constexpr tuple_words ones = [] {
      tuple_words all{};
      for (u64& word : all.of)
        word = 1;
      return all;
    }();
    static_assert(place_of(ones.of) != 0);
    for (unsigned i = 0; i < places; ++i)
      for (unsigned w = 0; w < Words; ++w)
        last_[i][w] = i == 0 ? 1 : 0;
  }

  /// \returns whether the tuple is remembered; remembers it.
  IKRA_DATALOG_BOTH bool seen(const u64* tuple) {
    u64* const last = last_[place_of(tuple)];
    bool same = true;
    for (unsigned w = 0; w < Words; ++w) {
      same = same && last[w] == tuple[w];
      last[w] = tuple[w];
    }
    return same;
  }

private:
  static constexpr unsigned place_bits = 11, places = 1u << place_bits;

  struct tuple_words {
    u64 of[Words];
  };

  /// Of words that are all 0 this is 0, and of words that are all 1 it is not.
  IKRA_DATALOG_BOTH static constexpr u64 place_of(const u64* tuple) {
    u64 hash = 0;
    for (unsigned w = 0; w < Words; ++w)
      hash = (hash ^ tuple[w]) * 0x9e3779b97f4a7c15u;
    return hash >> (64 - place_bits);
  }

  u64 last_[places][Words];
};

// What Join, an emitted class, has:
//   shape                        text; see the engine's join_shape.hpp
//   keys, outputs                the numbers of known columns and of values written
//   words                        of a head's tuple; 0: each value goes to a column of its own
//   scans                        true: each tuple is an output, or, with nothing joined, each row
//   count(call, row)             of a range only: the number of its values, which take the place of
//                                tuples
//   tests                        whether outputs are dropped
//   key(call, row, values)       the values of the known columns
//   make(call, row, tuple, out)  the outputs' values; whether they are wanted

namespace detail {

/// Puts values into the words that their fields say. (There may be no values: compilers warn of
/// `i < 0`.)
template <unsigned Words, unsigned Count>
IKRA_DATALOG_ALWAYS void pack(const field* fields, const u64* values, u64* to) {
  for (unsigned w = 0; w != Words; ++w) {
    u64 word = 0;
    for (unsigned i = 0; i != Count; ++i)
      word |= Words == 1 || fields[i].word == w ? values[i] << fields[i].shift : 0;
    to[w] = word;
  }
}

} // namespace detail

/// \returns whether a relation has any tuples.
IKRA_DATALOG_ALWAYS bool any(const absence& in) { return in.count != 0; }

/// \returns whether it has a tuple with these values of the known columns.
template <unsigned Keys> IKRA_DATALOG_BOTH bool found(const absence& in, const u64* values) {
  u64 key[Keys];
  detail::pack<Keys, Keys>(in.keys, values, key);
  for (u32 r = 0; r < in.count; ++r)
    if (find_range<Keys>(in.runs[r], in.prefix, key).length != 0)
      return true;
  return false;
}

namespace detail {

/// Whether Join makes the values of a range rather than tuples of a relation.
template <class Join>
concept is_range = requires(const join_call& call) { Join::count(call, u64(0)); };

template <class Join> struct look_up_row {
  join_call call;
  IKRA_DATALOG_BOTH void operator()(u64 row) const {
    if constexpr (is_range<Join>)
      call.offsets[row] = Join::count(call, row);
    else
      look_up(row);
  }

private:
  IKRA_DATALOG_BOTH void look_up(u64 row) const {
    u64 values[Join::keys], key[Join::keys];
    Join::key(call, row, values);
    pack<Join::keys, Join::keys>(call.keys, values, key);
    const tuple_range found = find_range<Join::keys>(call.in, call.prefix, key);
    call.first[row] = static_cast<u32>(found.first);
    call.offsets[row] = found.length;
  }
};

/// How repeats are looked for among the outputs of a join.
enum class repeats { not_at_all, in_table, among_recent };

template <class Join, repeats Dropped> struct make_output {
  static constexpr unsigned values = Join::outputs == 0 ? 1 : Join::outputs;
  static constexpr unsigned words = Join::words == 0 ? values : Join::words;
  struct made {
    u64 of[words];
  };
  using memory =
      std::conditional_t<Dropped == repeats::among_recent, recent_tuples<words>, no_memory>;
  static constexpr bool looks_ahead = Dropped == repeats::in_table;
  join_call call;

  IKRA_DATALOG_BOTH bool make(u64 row, u64 k, made& output, memory& recent) const {
    u64 of[values] = {};
    if (!Join::make(call, row, tuple_of(row, k), of))
      return false;
    if constexpr (Join::words != 0)
      pack<words, Join::outputs>(call.fields, of, output.of);
    else if (values <= 2 && call.one_word)
      pack<1, Join::outputs>(call.fields, of, output.of);
    else
      for (unsigned i = 0; i != words; ++i)
        output.of[i] = of[i];
    if constexpr (Dropped == repeats::among_recent)
      return !recent.seen(output.of);
    else
      return true;
  }
  IKRA_DATALOG_BOTH void fetch(const made& output) const { call.known.prefetch(output.of[0]); }
  IKRA_DATALOG_BOTH bool is_new(const made& output) const { return !call.known.seen(output.of[0]); }
  IKRA_DATALOG_BOTH void put(u64 place, const made& output) const {
    const unsigned count = written();
    for (unsigned w = 0; w != count; ++w)
      call.out[w][place] = output.of[w];
  }
  void move(u64 from, u64 to, u64 count) const {
    for (unsigned w = 0; w != written(); ++w)
      std::memmove(call.out[w] + to, call.out[w] + from, count * sizeof(u64));
  }

private:
  IKRA_DATALOG_BOTH u64 tuple_of(u64 row, u64 k) const {
    if constexpr (is_range<Join>)
      return k;
    else
      return Join::scans ? row : call.first[row] + k;
  }
  IKRA_DATALOG_BOTH unsigned written() const {
    if constexpr (Join::words != 0)
      return words;
    else
      return call.one_word ? 1 : Join::outputs;
  }
};

#ifdef __CUDACC__
template <class F> __global__ void each_row(u64 count, F f) {
  const u64 step = u64(gridDim.x) * blockDim.x;
  for (u64 i = u64(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step)
    f(i);
}

inline constexpr rt::section_info section{"(Datalog)", "a Datalog program", 0, 0};

template <bool Tested, class F>
u64 expand_on_gpu(const join_call& call, const execution& where, const F& f) {
  const u64 count = call.end - call.begin;
  const auto stream = static_cast<cudaStream_t>(where.stream);
  if (Tested) // what fails shows at the launch
    static_cast<void>(cudaMemsetAsync(where.counter, 0, sizeof(u64), stream));
  kernels::expand_rows<Tested>
      <<<kernels::blocks_for((count + 3) / 4, where.most_blocks), kernels::block_threads, 0,
         stream>>>(call.offsets, call.rows, call.begin, call.end, f, where.counter);
  where.gpu->check_launch(section);
  u64 written = count;
  if (Tested)
    where.gpu->download(&written, where.counter, sizeof written, section);
  return written;
}
#endif

template <bool Tested, class F>
u64 expand(const join_call& call, const execution& where, const F& f) {
#ifdef __CUDACC__
  if (where.gpu != nullptr)
    return expand_on_gpu<Tested>(call, where, f);
#endif
  static_cast<void>(where);
  return expand_on_host<Tested>(call.offsets, call.rows, call.begin, call.end, f);
}

template <class Join> void look_up(const join_call& call, const execution& where) {
  const look_up_row<Join> f{call};
#ifdef __CUDACC__
  if (where.gpu != nullptr) {
    each_row<<<kernels::blocks_for(call.rows, where.most_blocks), kernels::block_threads, 0,
               static_cast<cudaStream_t>(where.stream)>>>(call.rows, f);
    where.gpu->check_launch(section);
    return;
  }
#endif
  static_cast<void>(where);
  host_parts(call.rows, 2048).run([&](u64, u64 begin, u64 end) {
    for (u64 row = begin; row < end; ++row)
      f(row);
  });
}

/// Few outputs are not worth clearing a memory for.
inline constexpr u64 fewest_to_remember = u64(1) << 14;

template <class Join> u64 produce(const join_call& call, const execution& where) {
  if constexpr (Join::words == 1 ||
                (Join::words == 0 && Join::outputs != 0 && Join::outputs <= 2)) {
    if (call.known.places != nullptr)
      return expand<true>(call, where, make_output<Join, repeats::in_table>{call});
  } else if constexpr (Join::words > 1) {
    if (where.gpu == nullptr && call.end - call.begin >= fewest_to_remember)
      return expand_on_host<true>(call.offsets, call.rows, call.begin, call.end,
                                  make_output<Join, repeats::among_recent>{call});
  }
  return expand<Join::tests>(call, where, make_output<Join, repeats::not_at_all>{call});
}

} // namespace detail

/// The kernels of an emitted class.
template <class Join> constexpr join kernels_of() {
  if constexpr (Join::keys == 0 && !detail::is_range<Join>)
    return {Join::shape, nullptr, detail::produce<Join>};
  else
    return {Join::shape, detail::look_up<Join>, detail::produce<Join>};
}

/// A program that ikrac compiled.
struct program_code {
  std::string_view text;                ///< as it stands in the source
  int bits;                             ///< of its numbers
  std::span<const unsigned char> rules; ///< checked and normalised
  std::span<const join> joins;
  const program_code* next = nullptr;
};

template <class T> using bits_of = std::conditional_t<sizeof(T) == 4, u32, u64>;

/// A functor's argument: what the bits of a value are in C++.
template <class T> IKRA_DATALOG_ALWAYS T value_of(u64 word) {
  const auto bits = static_cast<bits_of<T>>(word);
  T value;
  static_assert(sizeof value == sizeof bits);
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// A functor's result as bits. There is one zero.
template <class T> IKRA_DATALOG_ALWAYS u64 word_of(T value) {
  if constexpr (std::is_floating_point_v<T>)
    if (value == 0)
      return 0;
  bits_of<T> bits;
  static_assert(sizeof value == sizeof bits);
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

// Names of which emitted kernels make use.
using datalog::compute;
using datalog::detail::convert;
using plan::kind;
using plan::operation;

/// The compiled programs of all translation units that have been initialised.
inline const program_code*& first_program() {
  static const program_code* first = nullptr;
  return first;
}

/// Makes a compiled program known, for as long as the process runs.
struct registration {
  explicit registration(program_code& code) {
    code.next = first_program();
    first_program() = &code;
  }
};

/// \returns the compiled program with this text, null if there is none.
inline const program_code* find_program(std::string_view text, int bits) {
  const program_code* at = first_program();
  while (at != nullptr && (at->bits != bits || at->text != text))
    at = at->next;
  return at;
}

} // namespace ikra::datalog::compiled
