// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operations of all cores that the engine stands on, against the standard library's: sizes from
// nothing to several parts, keys with and without gaps.
#include "datalog/backend/block_arena.hpp"
#include "datalog/backend/host_backend.hpp"
#include "datalog/engine/relations/dedup_filter.hpp"
#include "datalog/engine/relations/runs.hpp"

#include <catch2/catch.hpp>

#include <unistd.h>

#include <map>
#include <mutex>
#include <numeric>
#include <random>
#include <set>

using namespace ikra::datalog;

namespace {

std::vector<u64> random_keys(unsigned seed, std::size_t count, u64 mask) {
  std::mt19937_64 random(seed);
  std::vector<u64> keys(count);
  for (u64& key : keys)
    key = random() & mask;
  return keys;
}

constexpr std::size_t sizes[] = {0, 1, 2, 100, 2047, 2048, 40000, 200001};
constexpr u64 masks[] = {~u64(0), 0x0003ffff0003ffff, 0xff, 0x8000000000000001, 0};

struct threads {
  explicit threads(int count) : before_(omp_get_max_threads()) { omp_set_num_threads(count); }
  ~threads() { omp_set_num_threads(before_); }
  threads(const threads&) = delete;
  threads& operator=(const threads&) = delete;

private:
  int before_;
};

struct is_multiple {
  u64 of;
  bool operator()(u64 i) const { return i % of == 0; }
};

struct note_output {
  std::vector<std::pair<u64, u64>>* made;
  bool test(u64 row, u64 k) const { return (row + k) % 3 != 0; }
  void write(u64 row, u64 k, u64 place) const { (*made)[place] = {row, k}; }
  void move(u64 from, u64 to, u64 count) const {
    std::copy_n(made->begin() + static_cast<std::ptrdiff_t>(from), count,
                made->begin() + static_cast<std::ptrdiff_t>(to));
  }
};

// A backend lacks nothing that backend.hpp names.
struct cannot_sort : host_backend {
  void sort(u64*, u64) = delete;
};
struct has_no_groups : host_backend {
  using group_type = int;
};
static_assert(engine_backend<host_backend>);
static_assert(!engine_backend<cannot_sort> && !engine_backend<has_no_groups>);

/// Chunks that an arena asked for, up to a limit.
struct counted_chunks {
  struct state {
    std::map<char*, u64> chunks;
    u64 asked = 0, in_use = 0, limit = ~u64(0);
  };
  state* of;
  void* allocate(u64 bytes) {
    ++of->asked;
    if (of->in_use + bytes > of->limit)
      throw std::bad_alloc();
    auto* const made = static_cast<char*>(::operator new(bytes));
    of->chunks.emplace(made, bytes);
    of->in_use += bytes;
    return made;
  }
  void release(void* chunk) noexcept {
    const auto at = of->chunks.find(static_cast<char*>(chunk));
    of->in_use -= at->second;
    of->chunks.erase(at);
    ::operator delete(chunk);
  }
};

/// Notes which threads of the system it is called by.
struct note_thread {
  std::set<pid_t>* seen;
  std::mutex* guard;
  void operator()(u64 i) const {
    if (i % 1024 != 0)
      return;
    const std::lock_guard lock(*guard);
    seen->insert(gettid());
  }
};

} // namespace

TEST_CASE("Loops of all lengths are carried out by the same threads") {
  constexpr int most = 8;
  const threads several(most);
  std::set<pid_t> seen;
  std::mutex guard;
  host_backend backend(0);
  for (int round = 0; round < 20; ++round)
    for (const u64 count : {u64(200'000), u64(9000), u64(11'000), u64(5000), u64(100'000)}) {
      backend.for_each(count, note_thread{&seen, &guard});
      backend.for_groups(count / 1000, 64, 64,
                         [&](host_group&, u64 i) { note_thread{&seen, &guard}(1024 * i); });
    }
  CHECK(seen.size() <= most);
}

TEST_CASE("keys are sorted") {
  host_backend backend(0);
  for (const int count : {1, 3})
    for (const std::size_t size : sizes)
      for (const u64 mask : masks) {
        const threads set(count);
        std::vector<u64> keys = random_keys(1, size, mask), expected = keys;
        std::sort(expected.begin(), expected.end());
        backend.sort(keys.data(), size);
        REQUIRE(keys == expected);
        backend.sort(keys.data(), size);
        REQUIRE(keys == expected);
      }
}

TEST_CASE("pairs are sorted stably") {
  host_backend backend(0);
  const threads set(3);
  for (const std::size_t size : sizes)
    for (const u64 mask : masks) {
      std::vector<u64> keys = random_keys(2, size, mask);
      const std::vector<u64> before = keys;
      std::vector<u32> rows(size), expected(size);
      std::iota(rows.begin(), rows.end(), 0u);
      expected = rows;
      std::stable_sort(expected.begin(), expected.end(),
                       [&](u32 a, u32 b) { return before[a] < before[b]; });
      backend.sort_pairs(keys.data(), rows.data(), size);
      REQUIRE(rows == expected);
      REQUIRE(std::is_sorted(keys.begin(), keys.end()));
    }
}

TEST_CASE("tuples of several words are sorted as one word where what varies fits it") {
  host_backend backend(0);
  constexpr u64 kept = 0x123400005a000000; // bits that do not vary
  const struct {
    u64 first, second;
    bool fits;
  } varying[] = {{0x1f0000000f, 0x3ff00, true},
                 {0, 0, true},
                 {0, 0x8000000000000001, true},
                 {0x8000000080000000, 0xff000000ff, true},
                 {0xffffffff, 0xffffffff, true},
                 {0x1ffffffff, 0xffffffff, false},
                 {~u64(0), 1, false},
                 {~u64(0), ~u64(0), false}};
  for (const int count : {1, 3})
    for (const std::size_t size : {2u, 100u, 40000u, 100001u})
      for (const auto& [first, second, fits] : varying) {
        const threads set(count);
        std::vector<u64> high = random_keys(3, size, first), low = random_keys(4, size, second);
        std::vector<std::pair<u64, u64>> expected;
        for (std::size_t i = 0; i < size; ++i) {
          high[i] |= kept & ~first;
          low[i] |= kept & ~second;
          expected.emplace_back(high[i], low[i]);
        }
        const std::vector<u64> before = high;
        word_columns tuples;
        tuples.words[0] = high.data();
        tuples.words[1] = low.data();
        const bool sorted = backend.sort_as_words(tuples, 2, size);
        if (size >= 40000) // fewer may differ at fewer bits
          REQUIRE(sorted == fits);
        if (!sorted) {
          REQUIRE(high == before);
          continue;
        }
        std::sort(expected.begin(), expected.end());
        for (std::size_t i = 0; i < size; ++i)
          if (expected[i] != std::pair(high[i], low[i]))
            FAIL("tuple " << i << " of " << size);
      }
}

TEST_CASE("prefix sums, selections and merges") {
  host_backend backend(0);
  const threads set(3);
  for (const std::size_t size : sizes) {
    std::vector<u64> values = random_keys(3, size + 1, 0xff), expected(size + 1);
    std::exclusive_scan(values.begin(), values.end(), expected.begin(), u64(0));
    REQUIRE(backend.scan(values.data(), size) == expected.back());
    REQUIRE(values == expected);

    std::vector<u32> chosen(size);
    const u64 found = backend.select(size, is_multiple{7}, chosen.data());
    REQUIRE(found == (size + 6) / 7);
    for (u64 i = 0; i < found; ++i)
      REQUIRE(chosen[i] == 7 * i);

    std::vector<u64> a = random_keys(4, size, 0xffff), b = random_keys(5, size / 3, 0xffff),
                     out(size + size / 3), merged(out.size());
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    std::merge(a.begin(), a.end(), b.begin(), b.end(), merged.begin());
    backend.merge(a.data(), a.size(), b.data(), b.size(), out.data());
    REQUIRE(out == merged);
  }
}

TEST_CASE("outputs find their rows, empty rows and long ones among them") {
  host_backend backend(0);
  const threads set(3);
  std::vector<u64> offsets;
  std::mt19937 random(6);
  u64 total = 0;
  for (int row = 0; row < 3000; ++row) {
    offsets.push_back(total);
    total += random() % 3 == 0 ? 0 : random() % 5 + (row == 1000 ? 20000 : 0);
  }
  offsets.push_back(total);
  for (const bool tested : {false, true}) {
    std::vector<std::pair<u64, u64>> made(total), expected;
    const u64 begin = total / 5, end = total - 7;
    const note_output f{&made};
    u64 t = 0;
    for (u64 row = 0; row < 3000; ++row)
      for (u64 k = 0; k < offsets[row + 1] - offsets[row]; ++k, ++t)
        if (t >= begin && t < end && (!tested || f.test(row, k)))
          expected.emplace_back(row, k);
    made.resize(backend.expand(offsets.data(), 3000, begin, end, tested, f));
    REQUIRE(made == expected);
  }
}

TEST_CASE("runs of wide tuples are sorted, subtracted, merged and looked up") {
  host_backend backend(0);
  const threads set(3);
  const std::vector<plan::type> types{
      {plan::kind::number, 64}, {plan::kind::number, 32}, {plan::kind::number, 32}};
  const layout packed(types, identity_order(3));
  REQUIRE(packed.words == 2);
  using tuple = std::pair<u64, u64>;
  const auto make = [&](unsigned seed, std::size_t size) {
    sorted_run<host_backend> made(backend, size, 2);
    const std::vector<u64> first = random_keys(seed, size, 0x3f);
    const std::vector<u64> second = random_keys(seed + 1, size, 0x0000000f0000003f);
    for (std::size_t i = 0; i < size; ++i) {
      made.columns().words[0][i] = first[i];
      made.columns().words[1][i] = second[i];
    }
    sort_tuples(backend, made);
    drop_repeats(backend, made);
    return made;
  };
  const auto as_set = [](const sorted_run<host_backend>& r) {
    std::set<tuple> all;
    for (u64 i = 0; i < r.size(); ++i)
      all.emplace(r.columns().words[0][i], r.columns().words[1][i]);
    return all;
  };
  const auto ascending = [](const sorted_run<host_backend>& r) {
    for (u64 i = 1; i < r.size(); ++i)
      if (compare(r.columns(), i - 1, r.columns(), i, 2) >= 0)
        return false;
    return true;
  };
  sorted_run<host_backend> a = make(7, 9000), b = make(9, 30000);
  REQUIRE(ascending(a));
  REQUIRE(ascending(b));
  std::set<tuple> expected = as_set(a);
  for (const tuple& t : as_set(b))
    expected.erase(t);
  const auto known = std::make_shared<sorted_run<host_backend>>(make(9, 30000));
  keep_fresh<host_backend>(backend, a, false, {&known, 1});
  REQUIRE(as_set(a) == expected);
  REQUIRE(ascending(a));
  sorted_run<host_backend> both = merge_runs(backend, a, b);
  REQUIRE(ascending(both));
  REQUIRE(both.size() == a.size() + b.size());

  // Ranges by hash table and by binary search, of keys that are there and that are not.
  const prefix_masks prefix = masks_of(packed, 2);
  const run_view searched = both.view();
  const run_view hashed = both.view(backend, packed, 2, both.size());
  REQUIRE(hashed.hash.capacity != 0);
  for (u64 x = 0; x < 80; ++x)
    for (u64 y = 0; y < 20; ++y) {
      const u64 key[] = {x, y << 32};
      u64 count = 0;
      for (u64 i = 0; i < both.size(); ++i)
        count += both.columns().words[0][i] == x && both.columns().words[1][i] >> 32 == y ? 1 : 0;
      const tuple_range by_hash = find_range(hashed, prefix, key);
      const tuple_range by_search = find_range(searched, prefix, key);
      REQUIRE(by_hash.length == count);
      REQUIRE(by_search.length == count);
      if (count != 0)
        REQUIRE(by_hash.first == by_search.first);
    }
}

TEST_CASE("tuples are looked for near each other, or run by run, as anywhere") {
  host_backend backend(0);
  const auto make = [&](unsigned seed, std::size_t size) {
    sorted_run<host_backend> made(backend, size, 1);
    const std::vector<u64> keys = random_keys(seed, size, 0x0000003f0000003f);
    std::copy(keys.begin(), keys.end(), made.columns().words[0]);
    sort_tuples(backend, made);
    return made;
  };
  const sorted_run<host_backend> tuples = make(30, 3000), a = make(31, 500), b = make(32, 1);
  for (const auto& [once, runs] :
       {std::pair(false, 2u), std::pair(true, 2u), std::pair(true, 1u), std::pair(true, 0u)}) {
    kernels::is_fresh fresh{tuples.columns(), 1, once, runs, {}};
    fresh.known[0] = {a.columns(), a.size()};
    fresh.known[1] = {b.columns(), b.size()};
    for (u64 first = 0; first < tuples.size(); first += 128) {
      const u64 last = std::min<u64>(first + 127, tuples.size() - 1);
      kernels::is_fresh::neighbourhood near;
      for (unsigned part = 0; part < 2 * kernels::is_fresh::most_runs; ++part)
        fresh.find(part, first, last, near);
      for (u64 i = first; i <= last; ++i) {
        const bool expected = fresh(i);
        REQUIRE(fresh.test(i, near) == expected);
        bool all = true;
        for (unsigned part = 0; part < fresh.parts(); ++part)
          all = fresh.test_part(i, part) && all;
        REQUIRE(all == expected);
      }
    }
  }
}

TEST_CASE("ranges are found beside the last one as anywhere") {
  std::mt19937 random(11);
  for (const unsigned values : {1u, 3u, 40u, 5000u})
    for (const std::size_t count :
         {std::size_t(0), std::size_t(1), std::size_t(17), std::size_t(900)}) {
      host_backend backend(0);
      sorted_run<host_backend> run(backend, count, 1);
      for (std::size_t i = 0; i < count; ++i)
        run.columns().words[0][i] = u64(1 + random() % values) << 32 | i;
      std::sort(run.columns().words[0], run.columns().words[0] + count);
      prefix_masks prefix;
      prefix.mask[0] = ~u64(0) << 32;
      prefix.words = 1;
      const layout packed(std::vector<plan::type>{{}, {}}, identity_order(2));
      for (const bool hashed : {false, true}) {
        const run_view view = hashed ? run.view(backend, packed, 1, 1 << 20) : run.view();
        const kernels::range_finder near{view};
        u64 key = 0;
        for (int i = 0; i < 3000; ++i) {
          switch (random() % 4) { // the same again, a little further, back, anywhere
          case 0:
            break;
          case 1:
            key += random() % 3;
            break;
          case 2:
            key -= std::min<u64>(key, random() % 3);
            break;
          default:
            key = random() % (values + 2);
          }
          const u64 wanted = key << 32;
          const tuple_range found = near(prefix, &wanted),
                            expected = find_range(view, prefix, &wanted);
          REQUIRE(found.length == expected.length);
          REQUIRE((found.length == 0 || found.first == expected.first));
        }
      }
    }
}

TEST_CASE("a table of repeats knows nothing that it was not shown, whatever it forgets") {
  host_backend backend(0);
  dedup_filter<host_backend> table(1, 8, false);
  std::set<u64> shown;
  u64 known = 0, again = 0;
  for (unsigned part = 0; part < 4; ++part) {
    // It grows from part to part.
    const std::vector<u64> keys =
        random_keys(20 + part, u64(100) << (3 * part), 0x0000000f0000003f);
    const seen_tuples asked = table.ask(backend, keys.size());
    REQUIRE(asked.places != nullptr);
    for (const u64 key : keys) {
      const bool seen = asked.seen(key), first = shown.insert(key).second;
      REQUIRE(!(seen && first));
      again += first ? 0 : 1;
      known += seen ? 1 : 0;
    }
    table.note(keys.size(), shown.size());
  }
  REQUIRE(known > again / 2);
}

TEST_CASE("a table of repeats that does not pay rests, at once or when an iteration has ended") {
  constexpr u64 many = u64(1) << 20; // outputs that are enough to decide
  host_backend backend(0);
  for (const bool by_iteration : {false, true}) {
    dedup_filter<host_backend> table(1, 8, by_iteration);
    const auto is_asked = [&] { return table.ask(backend, 1000).places != nullptr; };
    REQUIRE(is_asked());
    table.note(many, many); // what the first version brings is new
    REQUIRE(is_asked() == by_iteration);
    if (by_iteration)
      table.note(many, 0); // what the second one brings is not
    table.judge();
    REQUIRE(is_asked() == by_iteration);
    table.note(4 * many, 4 * many);
    table.judge();
    REQUIRE(!is_asked());
  }
}

TEST_CASE("tuples of zeros and ones are new once") {
  host_backend backend(0);
  dedup_filter<host_backend> table(1, 8, false);
  for (const u64 most : {u64(16), u64(4096)}) {
    const seen_tuples asked = table.ask(backend, most);
    for (const u64 tuple : {u64(0), u64(1), ~u64(0)})
      REQUIRE(asked.seen(tuple) == (most != 16));
  }
}

TEST_CASE("blocks of an arena lie in chunks, and no two share bytes") {
  counted_chunks::state chunks;
  {
    block_arena<counted_chunks> arena({&chunks}, 1 << 16);
    std::mt19937 random(11);
    std::map<char*, u64> used;
    for (int step = 0; step < 4000; ++step) {
      if (used.empty() || random() % 9 < (step % 1000 < 500 ? 6 : 3)) {
        const u64 bytes = random() % (random() % 8 == 0 ? 200000 : 4000);
        auto* const made = static_cast<char*>(arena.allocate(bytes));
        const auto after = used.lower_bound(made);
        REQUIRE((after == used.end() || made + bytes <= after->first));
        REQUIRE(
            (after == used.begin() || std::prev(after)->first + std::prev(after)->second <= made));
        const auto chunk = std::prev(chunks.chunks.upper_bound(made));
        REQUIRE(made + bytes <= chunk->first + chunk->second);
        REQUIRE((made - chunk->first) % 512 == 0);
        used.emplace(made, std::max<u64>(bytes, 1));
      } else {
        const auto gone =
            std::next(used.begin(), static_cast<std::ptrdiff_t>(random() % used.size()));
        arena.release(gone->first);
        used.erase(gone);
      }
      if (step % 500 == 0)
        arena.trim();
    }
    for (const auto& [begin, bytes] : used)
      arena.release(begin);
    REQUIRE(chunks.in_use != 0);
    arena.trim();
    REQUIRE(chunks.in_use == 0);
    static_cast<void>(arena.allocate(1));
  }
  REQUIRE(chunks.in_use == 0);
}

TEST_CASE(
    "an arena asks for no more chunks where requests repeat, and gives back free ones in need") {
  counted_chunks::state chunks;
  block_arena<counted_chunks> arena({&chunks}, 1 << 16);
  for (int round = 0; round < 10; ++round) {
    std::vector<void*> made;
    for (const u64 bytes : {70000, 512, 30000, 200000, 1000})
      made.push_back(arena.allocate(bytes));
    for (void* const each : made)
      arena.release(each);
    if (round == 0)
      chunks.asked = 0;
  }
  REQUIRE(chunks.asked == 0);
  // Joined again, a chunk is one block.
  arena.release(arena.allocate(200000));
  REQUIRE(chunks.asked == 0);
  chunks.limit = chunks.in_use;
  void* const large = arena.allocate(chunks.limit - 511); // all of it, in one chunk
  REQUIRE(chunks.chunks.size() == 1);
  REQUIRE_THROWS(arena.allocate(1));
  arena.release(large);
}

TEST_CASE("memory that is given back is counted and the limit holds") {
  host_backend backend(1 << 20);
  {
    const buffer<host_backend, u64> a(backend, 1000, "a test");
    REQUIRE(backend.in_use() >= 8000);
    using words = buffer<host_backend, u64>;
    REQUIRE_THROWS(words(backend, 1 << 20, "a test"));
  }
  REQUIRE(backend.in_use() == 0);
  REQUIRE(backend.peak() >= 8000);
}
