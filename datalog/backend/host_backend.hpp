// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All cores as the engine sees them. What operations mean, backend.hpp says. Relies on OpenMP.
#pragma once

#include "datalog/backend/backend.hpp"
#include "datalog/backend/buffer.hpp"
#include "datalog/backend/test_then_write.hpp"

#include <ikra/generated/datalog/joins.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include <omp.h>

namespace ikra::datalog {

struct host_group;

class host_backend {
public:
  static constexpr bool is_cuda = false;
  using group_type = host_group;
  using bits = u64;
  static constexpr unsigned most_lanes = 1;

  explicit host_backend(u64 memory_limit) : limit_(memory_limit) {}
  host_backend(const host_backend&) = delete;
  host_backend& operator=(const host_backend&) = delete;
  ~host_backend();

  // Blocks that are given back are kept for later requests of about the same size.
  void* allocate(u64 bytes, const char* what);
  void release(void* memory, u64 bytes) noexcept;
  void trim() noexcept {} // little is kept
  /// What these bytes hold is needed no more; the memory stays allocated.
  void give_back(const void* memory, u64 bytes) noexcept;
  u64 in_use() const noexcept { return in_use_; }
  u64 peak() const noexcept { return peak_; }
  void reset_peak() noexcept { peak_ = in_use_; }
  u64 available() const noexcept;

  void upload(void* to, const void* from, u64 bytes) { copy(to, from, bytes); }
  void download(void* to, const void* from, u64 bytes) { copy(to, from, bytes); }
  void copy(void* to, const void* from, u64 bytes) {
    if (bytes == 0) // there may be no memory at all
      return;
    host_parts(bytes, 1 << 20).run([&](u64, u64 begin, u64 end) {
      std::memcpy(static_cast<char*>(to) + begin, static_cast<const char*>(from) + begin,
                  end - begin);
    });
  }
  void clear(void* memory, u64 bytes) {
    if (bytes == 0)
      return;
    host_parts(bytes, 1 << 20).run([&](u64, u64 begin, u64 end) {
      std::memset(static_cast<char*>(memory) + begin, 0, end - begin);
    });
  }

  template <class F> void for_each(u64 count, const F& f) {
    host_parts(count, 2048).run([&](u64, u64 begin, u64 end) {
      const F own = f; // functors may note where they are
      for (u64 i = begin; i < end; ++i)
        own(i);
    });
  }

  u64 scan(u64* values, u64 count);

  template <class F> u64 sum(u64 count, const F& f) {
    const host_parts parts(count, 4096);
    std::vector<u64> sums(parts.parts(), 0);
    parts.run([&](u64 part, u64 begin, u64 end) {
      u64 total = 0;
      for (u64 i = begin; i < end; ++i)
        total += f(i);
      sums[part] = total;
    });
    u64 total = 0;
    for (const u64 s : sums)
      total += s;
    return total;
  }

  template <class Keep> u64 select(u64 count, const Keep& keep, u32* out) {
    const host_parts parts(count, 4096);
    std::vector<u64> found(parts.parts(), 0);
    parts.run([&](u64 part, u64 begin, u64 end) {
      const Keep own = keep; // predicates may note where they are
      u64 n = begin;         // written into the part's own range first
      for (u64 i = begin; i < end; ++i) {
        const bool kept = own(i);
        out[n] = static_cast<u32>(i);
        n += kept ? 1 : 0;
      }
      found[part] = n - begin;
    });
    u64 total = found[0];
    for (u64 p = 1; p < parts.parts(); ++p) {
      std::memmove(out + total, out + parts.begin(p), found[p] * sizeof(u32));
      total += found[p];
    }
    return total;
  }

  template <class Keep> u64 keep_words(u64* words, u64 count, const Keep& keep) {
    if (count == 0)
      return 0;
    const host_parts parts(count, 4096);
    // A part's first word is asked about before the word in front of it may be written.
    std::vector<u64> found(parts.parts(), 0);
    for (u64 p = 0; p < parts.parts(); ++p) {
      const Keep own = keep; // predicates may note where they are
      found[p] = own(parts.begin(p)) ? 1 : 0;
    }
    parts.run([&](u64 part, u64 begin, u64 end) {
      const Keep own = keep;
      u64 n = begin + found[part];
      for (u64 i = begin + 1; i < end; ++i) {
        const bool kept = own(i);
        words[n] = words[i];
        n += kept ? 1 : 0;
      }
      found[part] = n - begin;
    });
    u64 total = found[0];
    for (u64 p = 1; p < parts.parts(); ++p) {
      std::memmove(words + total, words + parts.begin(p), found[p] * sizeof(u64));
      total += found[p];
    }
    return total;
  }

  template <class F>
  u64 expand(const u64* offsets, u64 rows, u64 begin, u64 end, bool tested, const F& f) {
    return tested ? expand_on_host<true>(offsets, rows, begin, end, test_then_write<true, F>{f})
                  : expand_on_host<false>(offsets, rows, begin, end, test_then_write<false, F>{f});
  }

  template <class F>
  u64 expand_new(const u64* offsets, u64 rows, u64 begin, u64 end, bool tested, const F& f,
                 const seen_tuples& known) {
    return tested
               ? expand_on_host<true>(offsets, rows, begin, end, write_if_new<true, F>{f, known})
               : expand_on_host<true>(offsets, rows, begin, end, write_if_new<false, F>{f, known});
  }

  /// The same where words(row, k, memory) gives the only word of outputs.
  template <class F, class Words>
  u64 expand_words(const u64* offsets, u64 rows, u64 begin, u64 end, bool tested, const F& f,
                   const Words& words, const seen_tuples& known) {
    const auto run = [&](auto is_tested) {
      constexpr bool test = decltype(is_tested)::value;
      const write_words<test, F, Words> all{f, words};
      return known.places == nullptr
                 ? expand_on_host<test>(offsets, rows, begin, end, all)
                 : expand_on_host<true>(offsets, rows, begin, end,
                                        write_words_if_new<test, F, Words>{all, known});
    };
    return tested ? run(std::true_type{}) : run(std::false_type{});
  }

  compiled::execution execution() { return {}; }

  void sort(u64* keys, u64 count);
  void sort_pairs(u64* keys, u32* rows, u64 count);
  /// Sorts tuples in place if the bits at which they differ fit one word. \returns whether they do.
  bool sort_as_words(const word_columns& tuples, unsigned words, u64 count);
  void merge(const u64* a, u64 count_a, const u64* b, u64 count_b, u64* out);

  template <class F> void for_groups(u64 items, u64 fast_bytes, u64 slow_bytes, const F& f) {
    run_groups(items, fast_bytes, slow_bytes, f, 8);
  }
  u64 group_count() const { return static_cast<u64>(omp_get_max_threads()); }
  template <class F>
  void for_groups_in_order(u64 items, u64 fast_bytes, u64 slow_bytes, const F& f) {
    run_groups(items, fast_bytes, slow_bytes, f, 1);
  }

  void synchronize() {}

private:
  /// \param together items that a thread takes at a time, one after the other.
  template <class F>
  void run_groups(u64 items, u64 fast_bytes, u64 slow_bytes, const F& f, int together);

  u64 limit_;
  u64 in_use_ = 0, peak_ = 0, kept_bytes_ = 0;
  struct block {
    u64 size;
    void* memory;
  };
  std::vector<block> kept_; ///< given back, the latest last
};

/// A group of one thread.
struct host_group {
  static constexpr bool is_single = true;
  void* fast = nullptr;
  void* slow = nullptr;

  unsigned rank() const { return 0; }
  unsigned size() const { return 1; }
  void sync() const {}
  template <class Word> Word read_local(const Word* word) const { return *word; }
  template <class Word> Word or_local(Word* word, Word more) const {
    const Word before = *word;
    *word = before | more;
    return before;
  }
  template <class Word> Word read_shared(const Word* word) const {
    return __atomic_load_n(word, __ATOMIC_RELAXED);
  }
  template <class Word> Word or_shared(Word* word, Word more) const {
    return __atomic_fetch_or(word, more, __ATOMIC_RELAXED);
  }
  void mark(u8* flag) const { std::atomic_ref(*flag).store(1, std::memory_order_relaxed); }
  u32 add_local(u32* counter, u32 n) const {
    const u32 before = *counter;
    *counter = before + n;
    return before;
  }
  u64 add_shared(u64* counter, u64 n) const {
    return std::atomic_ref(*counter).fetch_add(n, std::memory_order_relaxed);
  }
  u32 swap(u32* word, u32 value) const { return std::exchange(*word, value); }
  u32 swap_if(u32* word, u32 expected, u32 value) const {
    const u32 before = *word;
    if (before == expected)
      *word = value;
    return before;
  }
  u64 ticks() const {
    return static_cast<u64>(std::chrono::steady_clock::now().time_since_epoch().count());
  }
  bool all(bool one) const { return one; }
  void publish(u32* state, u32 value) const {
    std::atomic_ref(*state).store(value, std::memory_order_release);
  }
  u32 await(u32* state) const {
    const std::atomic_ref shared(*state);
    for (unsigned tries = 1;; ++tries) {
      const u32 value = shared.load(std::memory_order_acquire);
      if (value != 0)
        return value;
      if (tries % 64 == 0) // whoever computes it may need this core
        std::this_thread::yield();
    }
  }
  u32 exclusive(u32 value, u32& total) const {
    total = value;
    return 0;
  }
};

template <class F>
void host_backend::run_groups(u64 items, u64 fast_bytes, u64 slow_bytes, const F& f, int together) {
  const auto n = static_cast<std::int64_t>(items);
  // Few items are not worth waking threads for.
  const int threads =
      static_cast<int>(std::clamp<u64>(items / 8, 1, static_cast<u64>(omp_get_max_threads())));
  const u64 fast_size = (fast_bytes + 63) / 64 * 64;
  std::vector<buffer<host_backend, char>> memory;
  for (int i = 0; i < threads; ++i)
    memory.emplace_back(*this, fast_size + slow_bytes + 64, "rows in work");
  // A team of all threads, of which so many work: see host_parts.
  std::atomic<std::int64_t> next{0};
#pragma omp parallel num_threads(threads == 1 ? 1 : omp_get_max_threads())
  if (omp_get_thread_num() < threads) {
    char* const own = memory[static_cast<std::size_t>(omp_get_thread_num())].data();
    host_group group;
    group.fast = own;
    group.slow = own + fast_size;
    std::memset(own, 0, fast_size);
    for (std::int64_t first = 0; (first = next.fetch_add(together)) < n;)
      for (std::int64_t i = first; i < std::min(first + together, n); ++i)
        f(group, static_cast<u64>(i));
  }
}

static_assert(engine_backend<host_backend>);

} // namespace ikra::datalog
