// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "repeats.hpp"

#include <ikra/buffer.hpp>
#include <ikra/object_pointers.hpp>

#include "support/parallel.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace ikra::rt {

namespace {

constexpr std::size_t pointers_a_thread = std::size_t(1) << 17U; // pointers
constexpr std::size_t range_grain = std::size_t(1) << 20U;       // that are looked at in a row

std::uintptr_t address_at(const void* pointers, std::size_t i) {
  std::uintptr_t address = 0;
  std::memcpy(&address, static_cast<const unsigned char*>(pointers) + i * sizeof address,
              sizeof address);
  return address;
}

/// What addresses have in common, null aside.
struct address_range {
  std::uintptr_t least = UINTPTR_MAX, greatest = 0;
  std::uintptr_t differing = 0; ///< bits

  void add(const address_range& other) {
    differing |= other.differing |
                 (least == UINTPTR_MAX || other.least == UINTPTR_MAX ? 0 : least ^ other.least);
    least = std::min(least, other.least);
    greatest = std::max(greatest, other.greatest);
  }
};

/// Whether each is greater than the one before, as of objects in a row. It takes a third of the
/// time of range_of().
bool ascend(const void* pointers, std::size_t count) {
  constexpr std::size_t together = 512; // without a jump
  bool all = true;
  for (std::size_t i = 1; i < count && all;)
    for (const std::size_t end = std::min(count, i + together); i < end; ++i)
      all &= address_at(pointers, i - 1) < address_at(pointers, i);
  return all;
}

address_range range_of(const void* pointers, std::size_t count) {
  std::vector<address_range> ranges(chunk_count(count, range_grain));
  for_chunks(count, ranges.size(), [&](std::size_t chunk, std::size_t begin, std::size_t end) {
    address_range mine;
    std::uintptr_t first = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const std::uintptr_t address = address_at(pointers, i);
      if (address == 0)
        continue;
      first = first == 0 ? address : first;
      mine.differing |= address ^ first;
      mine.least = std::min(mine.least, address);
      mine.greatest = std::max(mine.greatest, address);
    }
    ranges[chunk] = mine;
  });
  address_range all;
  for (const address_range& each : ranges)
    all.add(each);
  return all;
}

/// A copy of pointers, which is made while they are looked at: memory is touched for the first time
/// by all cores.
class pointer_copy {
public:
  pointer_copy() = default;
  explicit pointer_copy(std::size_t count) : room_(std::in_place, count * sizeof(void*)) {}

  /// Nothing where there is no room.
  void take(const void* pointers, std::size_t begin, std::size_t end) {
    if (room_)
      std::memcpy(room_->data() + begin * sizeof(void*),
                  static_cast<const unsigned char*>(pointers) + begin * sizeof(void*),
                  (end - begin) * sizeof(void*));
  }
  std::shared_ptr<const unsigned char> release() { return room_->release(); }

private:
  std::optional<ikra::detail::room<unsigned char>> room_;
};

/// Whether two addresses are the same, where they are close together: a bit for each place.
bool are_some_the_same_of(const void* pointers, std::size_t count, std::uintptr_t least,
                          unsigned shift, std::size_t places, pointer_copy& copy) {
  std::vector<std::uint64_t> seen(places / 64 + 1, 0);
  const bool is_shared = chunk_count(count, pointers_a_thread) > 1;
  std::atomic<bool> found{false};
  for_ranges(count, pointers_a_thread, [&](std::size_t begin, std::size_t end) {
    copy.take(pointers, begin, end);
    bool mine = false;
    for (std::size_t i = begin; i < end; ++i)
      if (const std::uintptr_t address = address_at(pointers, i); address != 0) {
        const std::size_t place = (address - least) >> shift;
        const std::uint64_t bit = std::uint64_t(1) << place % 64;
        std::uint64_t& word = seen[place / 64];
        std::uint64_t before = 0;
        if (is_shared) // takes some ten times as long
          before = std::atomic_ref(word).fetch_or(bit, std::memory_order_relaxed);
        else
          before = std::exchange(word, word | bit);
        mine |= (before & bit) != 0;
      }
    if (mine)
      found = true;
  });
  return found;
}

/// The same where they are far apart: all cores put them into one table.
bool are_some_the_same_of(const void* pointers, std::size_t count, pointer_copy& copy) {
  const std::size_t slots = std::bit_ceil(2 * count + 1);
  std::vector<std::uintptr_t> table(slots, 0);
  std::atomic<bool> found{false};
  for_ranges(count, pointers_a_thread, [&](std::size_t begin, std::size_t end) {
    copy.take(pointers, begin, end);
    for (std::size_t i = begin; i < end && !found.load(std::memory_order_relaxed); ++i) {
      const std::uintptr_t address = address_at(pointers, i);
      if (address == 0)
        continue;
      constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;
      std::size_t slot = (address * golden) >> 20U & (slots - 1);
      for (;; slot = (slot + 1) & (slots - 1)) {
        std::uintptr_t there = 0;
        if (std::atomic_ref(table[slot])
                .compare_exchange_strong(there, address, std::memory_order_relaxed))
          break;
        if (there == address) {
          found = true;
          break;
        }
      }
    }
  });
  return found;
}

bool are_some_the_same(const void* pointers, std::size_t count, const address_range& range,
                       pointer_copy& copy) {
  if (range.least <= range.greatest) {
    constexpr std::size_t most_places = 64; // for each pointer
    const auto shift =
        static_cast<unsigned>(range.differing == 0 ? 0 : std::countr_zero(range.differing));
    const std::size_t places = ((range.greatest - range.least) >> shift) + 1;
    if (places / most_places <= count)
      return are_some_the_same_of(pointers, count, range.least, shift, places, copy);
  }
  return are_some_the_same_of(pointers, count, copy);
}

/// Arrays whose answer is known, of all threads.
struct known_arrays {
  struct entry {
    std::shared_ptr<const unsigned char> pointers;
    std::size_t bytes = 0;
    bool repeats = false;
    unsigned taken = 0; ///< how often arrays were taken for it without a look at all pointers
  };
  std::mutex access;
  std::array<entry, 4> entries;
  std::size_t next = 0;

  /// Never destroyed: destructors of static objects have sections, too.
  static known_arrays& all() {
    static auto* const arrays = new known_arrays;
    return *arrays;
  }
};

/// Most that differ do so at the front: no other thread is woken for them.
bool has_same(const known_arrays::entry& known, const void* pointers, std::size_t bytes) {
  constexpr std::size_t front = 4096;
  return known.bytes == bytes &&
         std::memcmp(known.pointers.get(), pointers, std::min(bytes, front)) == 0 &&
         ikra::detail::same_bytes(known.pointers.get(), pointers, bytes);
}

/// Whether an array is likely to be a known one with repeats: then one thread goes through it,
/// which is right for any array. A look at all pointers would take as long as short sections do. So
/// that others get their threads, now and then it is made all the same.
bool is_taken_for(known_arrays::entry& known, const void* pointers, std::size_t bytes) {
  constexpr std::size_t sample = 64, samples = 64; // bytes
  constexpr unsigned most = 15;
  if (!known.repeats || known.bytes != bytes || bytes < sample * samples || known.taken == most) {
    known.taken = 0;
    return false;
  }
  for (std::size_t k = 0; k < samples; ++k) {
    const std::size_t at = (bytes - sample) / (samples - 1) * k;
    if (std::memcmp(known.pointers.get() + at, static_cast<const unsigned char*>(pointers) + at,
                    sample) != 0)
      return false;
  }
  ++known.taken;
  return true;
}

} // namespace

bool has_repeats(const void* pointers, std::size_t count) {
  constexpr std::size_t most_kept = std::size_t(1) << 22U; // pointers
  if (count < 2)
    return false;
  known_arrays& known = known_arrays::all();
  const std::lock_guard lock(known.access);
  const std::size_t bytes = count * sizeof(void*);
  for (known_arrays::entry& each : known.entries)
    if (is_taken_for(each, pointers, bytes) || has_same(each, pointers, bytes))
      return each.repeats;
  if (ascend(pointers, count))
    return false;
  const address_range range = range_of(pointers, count);
  if (count > most_kept) {
    pointer_copy none;
    return are_some_the_same(pointers, count, range, none);
  }
  known_arrays::entry& now = known.entries[known.next++ % known.entries.size()];
  now = {}; // no answer of this entry is wrong if memory runs out
  pointer_copy copy(count);
  const bool repeats = are_some_the_same(pointers, count, range, copy);
  now = {copy.release(), bytes, repeats};
  return repeats;
}

element_rounds rounds_of(std::span<const object_id> ids) {
  std::uint32_t last = 0;
  for (const object_id id : ids)
    last = id ? std::max(last, id.value) : last;
  std::vector<unsigned char> seen(std::size_t(last) + 1, 0);
  std::atomic<bool> repeats{false};
  for_ranges(ids.size(), pointers_a_thread, [&](std::size_t begin, std::size_t end) {
    bool mine = false;
    for (std::size_t i = begin; i < end; ++i)
      mine |= ids[i] && std::atomic_ref(seen[ids[i].value]).exchange(1, std::memory_order_relaxed);
    if (mine)
      repeats = true;
  });
  if (!repeats)
    return {};
  std::vector<std::uint32_t> next(std::size_t(last) + 1, 0), rounds(ids.size(), 0);
  element_rounds all;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    rounds[i] = ids[i] ? next[ids[i].value]++ : 0;
    all.ends.resize(std::max<std::size_t>(all.ends.size(), rounds[i] + std::size_t(1)), 0);
    ++all.ends[rounds[i]];
  }
  std::vector<std::size_t> begins(all.ends.size());
  std::exclusive_scan(all.ends.begin(), all.ends.end(), begins.begin(), std::size_t(0));
  std::partial_sum(all.ends.begin(), all.ends.end(), all.ends.begin());
  all.places.resize(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i)
    all.places[begins[rounds[i]]++] = i;
  return all;
}

} // namespace ikra::rt
